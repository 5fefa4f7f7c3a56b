"""Covers units.intent.steps, units.intent.wishes: questions are answered from states, and switch nothing."""

import pytest

from tests.support.units.intent_home import Inhabitant, device, home, state


@pytest.fixture
def somebody() -> Inhabitant:
    """Who lives in a home of which all states are known."""
    somebody = Inhabitant()
    somebody.states = {
        "kitchen light": state("on", brightness=40),
        "counter lamp": state("off"),
        "desk lamp": state("ON"),
        "front door": state("locked"),
        "back door": state("UNLOCK"),
        "kitchen window": state("on"),
        "study window": state("closed"),
        "heater": state("heat", temperature=21, current_temperature=19.5),
    }
    return somebody


def test_one_device_is_asked(somebody: Inhabitant) -> None:
    """For a state, or whether it is in one."""
    assert somebody.say("is the desk lamp on") == ([("get_state", "desk lamp")], "Yes")
    assert somebody.say("is the counter lamp on?") == ([("get_state", "counter lamp")], "No, off")
    assert somebody.say("is the front door locked")[1] == "Yes"
    assert somebody.say("is the back door locked")[1].startswith("No")
    assert somebody.say("what is the state of the kitchen light")[1] == "Kitchen light is on"


def test_a_question_in_unknown_words_reads_the_device_of_the_room(somebody: Inhabitant) -> None:
    """The room is that of the task; elsewhere it is not known which light is meant."""
    somebody.states["study fan"] = state("off")
    somebody.tell("setup", data={"home": home(), "area": "study"})

    assert somebody.say("did I turn off the fan") == ([("get_state", "study fan")], "Study fan is off")
    assert somebody.say("has the lamp been turned off")[0] == [("get_state", "desk lamp")]
    somebody.tell("setup", data={"home": home(), "area": "hall"})
    assert "evidence" in somebody.recognize("has the lamp been turned off")


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        ("do I need to turn off the desk lamp", []),
        ("do we want to turn on the fan in the study", []),
        ("any idea if the desk lamp is on", [("get_state", "desk lamp")]),
        ("have the desk lamp on", [("turn_on", "desk lamp")]),
        ("do turn on the desk lamp", [("turn_on", "desk lamp")]),
        ("could you turn on the desk lamp?", [("turn_on", "desk lamp")]),
    ],
)
def test_a_question_whether_to_do_something_does_nothing(
    somebody: Inhabitant, said: str, calls: list[tuple[str, str]]
) -> None:
    heard = somebody.recognize(said)

    assert [(each["name"], each["arguments"]["entity"]) for each in heard.get("calls", [])] == calls


def test_a_set_is_asked_for_any_all_which_and_how_many(somebody: Inhabitant) -> None:
    """Each device is read once."""
    lights = [("get_state", name) for name in ("kitchen light", "counter lamp", "desk lamp")]

    assert somebody.say("are any lights on") == (lights, "Yes, desk lamp and kitchen light")
    assert somebody.say("are all lights on?") == (lights, "No, counter lamp is not on")
    assert somebody.say("which lights are on")[1] == "desk lamp and kitchen light"
    assert somebody.say("how many lights are on") == (lights, "2")
    assert somebody.say("how many lights are on in the kitchen") == (lights[:2], "1")
    assert somebody.say("are all the doors locked")[1] == "No, back door is not locked"


def test_windows_are_motors_and_contacts(somebody: Inhabitant) -> None:
    """Both kinds are asked; one says "open", the other "on"."""
    calls, answer = somebody.say("are any windows open")

    assert calls == [("get_state", "kitchen window"), ("get_state", "study window")]
    assert answer == "Yes, kitchen window"
    assert somebody.say("is the kitchen window open")[1] == "Yes"


def test_the_temperature_is_that_of_the_room(somebody: Inhabitant) -> None:
    """The thermostat's; a thermometer's where there is none."""
    rooms = [device("heater", "climate", "living room"), device("study temperature", "sensor", "study")]
    elsewhere = Inhabitant(home(rooms, area="study"))
    elsewhere.states = {"study temperature": state("18.5", "°C"), "heater": state("heat", temperature=20)}

    assert somebody.say("what is the temperature") == ([("get_state", "heater")], "19.5 degrees")
    assert elsewhere.say("what is the temperature") == ([("get_state", "study temperature")], "18.5 degrees")
    assert elsewhere.say("what is the temperature in the living room")[1].startswith("I do not know")


def test_the_temperature_of_several_rooms_is_that_of_each(somebody: Inhabitant) -> None:
    """Each room once, by its name, in the language of the question."""
    rooms = [
        device("bath thermometer", "sensor", "bath"), device("heater", "climate", "bedroom"),
        device("bedroom thermometer", "sensor", "bedroom"), device("cellar thermometer", "sensor", "cellar"),
    ]  # fmt: skip
    house = home(rooms, languages=["en", "de", "nl"])
    for each in house["areas"]:
        each["floor"] = "" if each["name"] == "cellar" else "upstairs"
    house["floors"] = [{"name": "upstairs", "aliases": ["oben"]}]
    somebody = Inhabitant(house)
    somebody.states = {
        "heater": state("heat", current_temperature=20.5),
        "bedroom thermometer": state("19", "°C"),
        "bath thermometer": state("23", "°C"),
        "cellar thermometer": state("12.5", "°C"),
    }

    assert somebody.say("how warm is it upstairs?")[1] == "Bedroom: 20.5 degrees. Bath: 23 degrees."
    assert somebody.say("what is the temperature in the bedroom")[1] == "20.5 degrees"
    everywhere = somebody.say("what is the temperature in the house?")[1]
    assert everywhere == "Bedroom: 20.5 degrees. Bath: 23 degrees. Cellar: 12.5 degrees."
    assert somebody.say("how warm is it in the house", area="cellar")[1] == everywhere
    assert somebody.say("how warm is it here", area="cellar")[1] == "12.5 degrees"
    assert somebody.say("wie warm ist es oben")[1] == "Bedroom: 20,5 Grad. Bath: 23 Grad."
    assert somebody.say("wat is de temperatuur")[1].startswith("bedroom: 20,5 graden. bath: 23 graden.")


def test_a_thermometer_that_says_nonsense_does_not_hide_another(somebody: Inhabitant) -> None:
    """What it says is no temperature."""
    rooms = [device(f"{room} thermometer", "sensor", room) for room in ("bath", "cellar")]
    somebody = Inhabitant(home(rooms))
    somebody.states = {"bath thermometer": state("inf", "°C"), "cellar thermometer": state("12.5", "°C")}

    answer = somebody.say("what is the temperature in the house")[1]

    assert answer == "Cellar: 12.5 degrees. I do not know the state of the bath thermometer."


def test_what_several_devices_are_set_to_is_said_of_each(somebody: Inhabitant) -> None:
    """Not of the first alone."""
    answer = somebody.say("how bright are the lights in the kitchen")[1]

    assert answer == "Kitchen light: 40 %. Counter lamp: off."


def test_the_target_is_not_what_is_measured(somebody: Inhabitant) -> None:
    """Where a language asks for either."""
    somebody.states["heater"] = state("heat", temperature=21)
    somebody.tell("setup", data={"home": home(languages=["de"])})

    assert somebody.say("auf wieviel Grad ist der heater eingestellt")[1] == "21 Grad"
    assert somebody.say("wie warm ist es im living room")[1] != "21 Grad"


def test_what_cannot_be_read_is_said(somebody: Inhabitant) -> None:
    """Beside what is known."""
    somebody.failing["back door"] = "That did not work for the back door: the device does not respond."

    calls, answer = somebody.say("are all the doors locked")

    assert [call[0] for call in calls] == ["get_state", "get_state"]
    assert answer == f"Yes. {somebody.failing['back door']}"


def test_all_lights_off_asks_only_with_a_question_mark(somebody: Inhabitant) -> None:
    """As a question it switches nothing."""
    calls, answer = somebody.say("all lights off?")

    assert {call[0] for call in calls} == {"get_state"}
    assert answer.startswith("No")
