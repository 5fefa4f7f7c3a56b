"""Covers units.intent.house, units.intent.wishes: who is meant, and what is asked back."""

import pytest

from tests.support.units.intent_home import Inhabitant, device, home


def test_without_a_room_the_lights_are_asked_for() -> None:
    """It is never the house that is meant."""
    calls, answer = Inhabitant().say("turn on the lights")

    assert (calls, answer) == ([], "Which one do you mean: the kitchen or the study?")


def test_the_room_is_that_of_the_sentence_of_the_task_or_of_the_board() -> None:
    """In this order."""
    lamp, ceiling = [("turn_on", "desk lamp")], [("turn_on", "kitchen light"), ("turn_on", "counter lamp")]
    board = home(area="kitchen")

    assert Inhabitant(board).calls("turn on the lights") == ceiling
    assert Inhabitant(home()).calls("turn on the lights", area="study") == lamp
    assert Inhabitant(board).calls("turn on the lights", area="study") == lamp


def test_the_setup_may_name_the_room() -> None:
    """The board is elsewhere."""
    somebody = Inhabitant()

    somebody.tell("setup", data={"home": home(area="kitchen"), "area": "study"})

    assert somebody.calls("turn on the lights") == [("turn_on", "desk lamp")]


def test_a_room_without_such_a_device_is_said() -> None:
    """Nothing elsewhere is switched."""
    assert Inhabitant(home(area="hall")).say("turn on the lights") == ([], "There is no such device in the hall.")
    assert Inhabitant().say("turn on the desk lamp in the kitchen")[0] == []


def test_two_devices_of_one_name_are_asked_for() -> None:
    """By their areas; with its area one is meant, and its call has the id."""
    lamps = [
        device("ceiling lamp", "light", "kitchen", id="light.kitchen"),
        device("ceiling lamp", "light", "study", id="light.study"),
    ]
    somebody = Inhabitant(home(lamps))

    calls, answer = somebody.say("turn on the ceiling lamp")

    assert calls == []
    assert "the kitchen or the study" in answer
    assert somebody.calls("turn on the ceiling lamp in the study") == [("turn_on", "light.study")]
    assert somebody.calls("turn on the lights in the kitchen") == [("turn_on", "light.kitchen")]


def test_of_two_devices_of_one_name_each_has_its_own_tools() -> None:
    """A tool that does not serve all devices lists these two by their ids."""
    lamps = [
        device("ceiling lamp", "light", "kitchen", id="light.kitchen"),
        device("ceiling lamp", "light", "study", id="light.study"),
    ]
    data = home(lamps)
    color = next(tool for tool in data["tools"] if tool["name"] == "set_color")
    color["entities"] = ["light.study"]
    somebody = Inhabitant(data)

    assert somebody.calls("make the ceiling lamp in the study red") == [("set_color", "light.study", "red")]
    assert somebody.say("make the ceiling lamp in the kitchen red")[0] == []


def test_an_alias_of_two_devices_is_asked_for() -> None:
    """Also where they are of two kinds."""
    alike = [device("floor lamp", "light", "study", "lamp"), device("plug", "switch", "study", "lamp")]

    assert Inhabitant(home(alike)).say("turn on the lamp") == (
        [],
        "Which one do you mean: the floor lamp or the plug?",
    )


def test_a_model_is_shown_the_devices_of_the_room_of_the_task() -> None:
    """Not those of the board's room."""
    somebody = Inhabitant()
    somebody.tell("setup", data={"home": home(area="kitchen"), "area": "study"})

    heard = somebody.recognize("make the lamp sing")

    assert heard["evidence"]["meant"] == ["desk lamp"]
    assert heard["candidates"][0] == "desk lamp"


def test_a_name_that_is_also_an_area_is_asked_for() -> None:
    """Unless both are the same devices."""
    alone = [device("kitchen", "light", "kitchen")]
    somebody = Inhabitant(home([*alone, device("counter lamp", "light", "kitchen")]))

    assert somebody.say("turn on the kitchen light") == (
        [],
        "Which one do you mean: the kitchen or the counter lamp?",
    )
    assert Inhabitant(home(alone)).calls("turn on the kitchen light") == [("turn_on", "kitchen")]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("[x", "[x"),
        ("{name} lamp", "{name} lamp"),
        ("lamp (big)", "lamp (big)"),
        ("<area>", "<area>"),
        ("a|b", "a|b"),
        ("Küchenlicht", "küchenlicht"),
        ("厨房灯", "厨房灯"),
        ("лампа", "Лампа"),
        ("مصباح", "مصباح"),
        ("A.C. lamp", "A.C. lamp"),
        ("please lamp", "please lamp"),
        ("half-light", "half light"),
    ],
)
def test_names_are_no_templates(name: str, said: str) -> None:
    """Brackets and braces, and other scripts."""
    somebody = Inhabitant(home([device(name, "light", "kitchen")]))

    assert somebody.calls(f"turn on the {said}") == [("turn_on", name)]


def test_empty_names_are_overlooked() -> None:
    """Their devices still belong to their rooms."""
    nameless = [device("", "light", "kitchen", " ", id="light.a"), device("?!", "light", "kitchen", id="light.b")]
    somebody = Inhabitant(home([*nameless, device("desk lamp", "light", "study", "")]))

    assert somebody.calls("turn on the desk lamp") == [("turn_on", "desk lamp")]
    assert len(somebody.calls("turn on the lights in the kitchen")) == 2
    assert somebody.calls("turn on the") == []


def test_aliases_of_areas_and_floors_count() -> None:
    """They mean the same place."""
    data = home()
    data["areas"][0]["aliases"] = ["cook room"]
    data["floors"][0]["aliases"] = ["ground floor"]
    somebody = Inhabitant(data)

    assert len(somebody.calls("turn on the lights in the cook room")) == 2
    assert len(somebody.calls("turn on the lights", area="Cook Room")) == 2
    assert len(somebody.calls("turn off the lights on the ground floor")) == 2


def test_five_thousand_devices_are_recognised() -> None:
    """Each by its name."""
    many = [device(f"lamp {number}", "light", f"room {number % 500}") for number in range(5000)]
    somebody = Inhabitant(home(many))

    assert somebody.calls("turn on lamp 4711") == [("turn_on", "lamp 4711")]
    assert len(somebody.calls("turn off the lights in room 7")) == 10
