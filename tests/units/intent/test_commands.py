"""Covers units.intent.unit, units.intent.recognizer, units.intent.wishes, units.intent.actions, units.intent.steps."""

from typing import Any

import pytest

from tests.support.units.intent_home import Inhabitant, device, home, state, without_tools


@pytest.fixture(scope="module")
def somebody() -> Inhabitant:
    """Who lives in the usual home, and has no room."""
    return Inhabitant()


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("turn on the kitchen light", [("turn_on", "kitchen light")]),
        ("Turn the ceiling lamp off, please.", [("turn_off", "kitchen light")]),
        ("lock the front door", [("lock", "front door")]),
        ("unlock the back door", [("unlock", "back door")]),
        ("open the kitchen blind", [("open_cover", "kitchen blind")]),
        ("close the kitchen blind", [("close_cover", "kitchen blind")]),
        ("set the kitchen blind to 30%", [("set_position", "kitchen blind", 30)]),
        ("activate movie night", [("activate_scene", "movie night")]),
        ("movie night", [("activate_scene", "movie night")]),
        ("turn on the tv", [("turn_on", "television")]),
        ("set the desk lamp to red", [("set_color", "desk lamp", "red")]),
        ("set the desk lamp brightness to forty percent", [("set_brightness", "desk lamp", 40)]),
        ("set the temperature in the living room to 21.5 degrees", [("set_temperature", "heater", 21.5)]),
        ("set the heater to 21 degrees", [("set_temperature", "heater", 21)]),
        ("set the television volume to 30", [("set_volume", "television", 30)]),
        ("pause the television", [("pause_media", "television")]),
        ("play some jazz on the tv", [("play_media", "television", "jazz")]),
        ("turn on the lights in the kitchen", [("turn_on", "kitchen light"), ("turn_on", "counter lamp")]),
        ("turn off the lights upstairs", [("turn_off", "desk lamp")]),
        ("close the blinds in the study", [("close_cover", "study curtain")]),
    ],
)
def test_what_is_said_is_called(somebody: Inhabitant, text: str, calls: list[Any]) -> None:
    """The tool of the intent, by the kind of the device."""
    assert somebody.calls(text) == calls


@pytest.mark.parametrize(
    "text",
    [
        "tell me a joke",
        "kitchen light",
        "the desk lamp?",
        "don't turn on the desk lamp",
        "what time does the shop close",
        "",
        "?!",
        "x" * 600,
    ],
)
def test_what_is_no_command_does_nothing(somebody: Inhabitant, text: str) -> None:
    """A name alone is the answer to a question, not a wish; the model gets what is not recognised."""
    assert {"calls", "answer"}.isdisjoint(somebody.recognize(text))


def test_the_answer_follows_the_deed(somebody: Inhabitant) -> None:
    """In words of the library that fit the device."""
    assert somebody.say("turn on the desk lamp") == ([("turn_on", "desk lamp")], "Turned on the light")
    assert somebody.say("lock the front door") == ([("lock", "front door")], "Locking")


def test_never_mind_does_nothing(somebody: Inhabitant) -> None:
    """And is answered."""
    assert somebody.say("never mind") == ([], "All right")


def test_a_failure_is_said_as_it_is() -> None:
    """Beside what has worked."""
    somebody = Inhabitant()
    somebody.failing["counter lamp"] = "That did not work for the counter lamp: the broker does not answer."

    calls, answer = somebody.say("turn on the lights in the kitchen")

    assert len(calls) == 2
    assert answer == f"Turned on the kitchen light. {somebody.failing['counter lamp']}"


def test_a_wish_without_its_tool_goes_to_no_other() -> None:
    """It is said which device has no way."""
    somebody = Inhabitant(without_tools(home(), "lock", "set_brightness", "get_state"))

    assert somebody.say("lock the front door") == ([], "I have no way to lock the front door.")
    assert somebody.say("set the desk lamp brightness to 20%")[0] == []
    assert somebody.say("is the desk lamp on") == ([], "I have no way to read the state of the desk lamp.")


def test_a_tool_may_serve_some_devices_only() -> None:
    """The others of the room are said."""
    data = home()
    data["tools"][0]["entities"] = ["kitchen light"]
    somebody = Inhabitant(data)

    calls, answer = somebody.say("turn on the lights in the kitchen")

    assert calls == [("turn_on", "kitchen light")]
    assert answer == "Turned on the kitchen light. I have no way to turn on the counter lamp."


def test_the_parameter_is_the_one_of_its_type() -> None:
    """Whatever the home calls it, and with the words that it lists."""
    data = home()
    tools = {tool["name"]: tool for tool in data["tools"]}
    tools["set_brightness"]["parameters"] = {"level": {"type": "number"}, "mode": {"type": "string"}}
    tools["set_color"]["parameters"] = {"tint": {"type": "string", "enum": ["Red", "Blue"]}}
    somebody = Inhabitant(data)

    assert somebody.recognize("set the desk lamp brightness to 20%")["calls"][0]["arguments"]["level"] == 20
    assert somebody.recognize("set the desk lamp to red")["calls"][0]["arguments"]["tint"] == "Red"


def test_ends_of_a_position_need_no_tool_for_values() -> None:
    """100 percent is open."""
    somebody = Inhabitant(without_tools(home(), "set_position"))

    assert somebody.calls("set the kitchen blind to 100%") == [("open_cover", "kitchen blind")]
    assert somebody.calls("set the kitchen blind to 0%") == [("close_cover", "kitchen blind")]
    assert somebody.calls("set the kitchen blind to 50%") == []


def test_two_commands_are_two_if_each_is_one(somebody: Inhabitant) -> None:
    """A part that is no command alone makes the whole none."""
    both = somebody.say("turn on the desk lamp and lock the front door")

    assert both == ([("turn_on", "desk lamp"), ("lock", "front door")], "Turned on the light. Locking.")
    assert somebody.calls("turn on the desk lamp, lock the front door and close the kitchen blind") == [
        ("turn_on", "desk lamp"),
        ("lock", "front door"),
        ("close_cover", "kitchen blind"),
    ]
    assert somebody.calls("turn on the desk lamp and sing a song") == []
    assert somebody.calls("play rock and roll on the tv") == [("play_media", "television", "rock and roll")]


def test_the_second_value_is_for_the_same_device() -> None:
    """Not for the lights of the room."""
    somebody = Inhabitant(home(area="kitchen"))

    calls, _ = somebody.say("set the desk lamp to 50 percent and red")

    assert calls == [("set_brightness", "desk lamp", 50), ("set_color", "desk lamp", "red")]


def test_while_one_part_is_not_clear_nothing_is_done(somebody: Inhabitant) -> None:
    """The question back comes first."""
    calls, answer = somebody.say("lock the front door and turn on the lights")

    assert (calls, "kitchen" in answer) == ([], True)


def test_a_command_for_later_is_given_back(somebody: Inhabitant) -> None:
    """With its time in seconds; only what could be done at once."""
    later = somebody.recognize("turn off the desk lamp in 5 minutes")

    assert (later["after_seconds"], later["command"]) == (300, "turn off the desk lamp")
    assert later["answer"]
    assert "after_seconds" not in somebody.recognize("turn off the moon in 5 minutes")
    assert "after_seconds" not in somebody.recognize("turn off the lights in 5 minutes")
    assert somebody.recognize("play jazz on the tv in 5 minutes")["command"] == "play jazz on the tv"
    assert "evidence" in somebody.recognize("in 5 minutes in 5 minutes turn off the desk lamp")


def test_more_or_less_reads_first() -> None:
    """Then sets, within the bounds of the tool."""
    somebody = Inhabitant()
    somebody.states["television"] = state("playing", volume=35)

    louder = somebody.say("television volume up")
    somebody.states["television"] = state("playing", volume=95)
    loudest = somebody.say("volume up")
    somebody.states["television"] = state("playing", volume=100)
    at_end = somebody.say("volume up")
    quieter = somebody.say("decrease the volume by 20%")

    assert louder[0] == [("get_state", "television"), ("set_volume", "television", 45)]
    assert loudest[0][-1] == ("set_volume", "television", 100)
    assert at_end == ([("get_state", "television")], "I cannot set the television any higher.")
    assert quieter[0][-1] == ("set_volume", "television", 80)


def test_a_device_that_does_not_say_how_much_is_left_alone() -> None:
    """It is said that nobody knows."""
    somebody = Inhabitant()
    somebody.states["television"] = state("playing")

    assert somebody.say("volume up") == ([("get_state", "television")], "I do not know the state of the television.")


def test_the_first_of_two_players_is_not_taken() -> None:
    """Unless it is the one that plays."""
    players = [device("radio", "media", "study"), device("speaker", "media", "study")]
    somebody = Inhabitant(home(players, area="study"))
    somebody.states = {"radio": state("playing", volume=20), "speaker": state("playing", volume=20)}

    both = somebody.say("volume up")
    somebody.states["speaker"] = state("off")
    one = somebody.say("volume up")

    assert [call[0] for call in both[0]] == ["get_state", "get_state"]
    assert both[1] == "Which one do you mean: the radio or the speaker?"
    assert one[0][-1] == ("set_volume", "radio", 30)
    assert somebody.say("set the volume to 50") == ([], "Which one do you mean: the radio or the speaker?")
    assert (
        Inhabitant(home(players)).say("set the volume to 50")[1] == "Which one do you mean: the radio or the speaker?"
    )


def test_a_turn_that_is_not_waited_for_is_refused(somebody: Inhabitant) -> None:
    """Outcomes of another turn, or too many of them, change nothing."""
    turn = somebody.recognize("turn on the desk lamp")["turn"]
    outcome = {"is_done": True, "text": "", "state": None}

    for number, outcomes in ((turn + 1, [outcome]), (turn, [outcome, outcome])):
        with pytest.raises(Exception, match="waits for no"):
            somebody.tell("outcomes", turn=number, outcomes=outcomes)
    assert somebody.tell("outcomes", turn=turn, outcomes=[outcome])["answer"] == "Turned on the light"


def test_a_turn_goes_on_in_another_task(somebody: Inhabitant) -> None:
    """Home Assistant's pipeline has a task for each sentence, so the yes that a turn waited for has another one."""
    turn = somebody.recognize("turn on the desk lamp")["turn"]
    somebody.tell("exit")
    somebody.tell("setup", data={"home": home()}, task="intent.2")

    done = somebody.tell(
        "outcomes", task="intent.2", turn=turn, outcomes=[{"is_done": True, "text": "", "state": None}]
    )

    assert done["answer"] == "Turned on the light"
