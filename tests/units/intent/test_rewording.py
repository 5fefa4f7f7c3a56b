"""Covers units.intent.rewording, vocabulary and how units.intent.sentence divides: what is said around a wish."""

from typing import Any

import pytest

from tests.support.units.intent_home import Inhabitant, device, home, state

DEVICES = [
    device("kitchen light", "light", "kitchen"),
    device("counter lamp", "light", "kitchen"),
    device("kitchen radio", "media", "kitchen"),
    device("kettle", "switch", "kitchen"),
    device("desk lamp", "light", "study"),
    device("study light", "light", "study"),
    device("study heater", "climate", "study"),
    device("study fan", "fan", "study"),
    device("front door", "lock", "hall"),
    device("hall light", "light", "hall"),
    device("study blinds", "cover", "study"),
    device("study shutters", "cover", "study"),
    device("heater", "climate", "living room"),
    device("television", "media", "living room", "tv"),
    device("speaker", "media", "living room"),
    device("reading", "scene"),
]
KITCHEN_OFF = [("turn_off", "kitchen light"), ("turn_off", "counter lamp")]


@pytest.fixture(scope="module")
def somebody() -> Inhabitant:
    """Somebody in that home."""
    somebody = Inhabitant(home(DEVICES))
    somebody.states = {each["name"]: state("on", brightness=50, volume=40, temperature=20) for each in DEVICES}
    return somebody


def done(somebody: Inhabitant, text: str, room: str = "") -> list[tuple[Any, ...]]:
    """Return the calls that switch something."""
    return [call for call in somebody.say(text, area=room)[0] if call[0] != "get_state"]


@pytest.mark.parametrize(
    ("text", "room", "calls"),
    [
        ("I'm off to the shops, turn off the kitchen lights", "", KITCHEN_OFF),
        ("turn off the kitchen lights, we're leaving", "", KITCHEN_OFF),
        ("it s bright outside so turn off the kitchen lights please", "", KITCHEN_OFF),
        ("Could you lock the front door? I'm carrying boxes.", "", [("lock", "front door")]),
        ("okay so switch the kettle on, love", "", [("turn_on", "kettle")]),
        ("it's stuffy put the study fan on", "", [("turn_on", "study fan")]),
    ],
)
def test_why_it_is_wanted_is_passed_over(
    somebody: Inhabitant, text: str, room: str, calls: list[tuple[Any, ...]]
) -> None:
    """Before the wish, after it, and without a mark between them."""
    assert done(somebody, text, room) == calls


@pytest.mark.parametrize(
    "text",
    [
        "if it gets dark, turn on the kitchen light",
        "my brother said turn off the kitchen light",
        "turn off the kitchen light, unless somebody is there",
        "I asked you not to turn off the kitchen light",
        "what happens when I turn off the kitchen light",
        "turn off the kitchen light, tomorrow",
        "write a poem, turn off the kitchen light",
        "turn off the kitchen light, the desk lamp I mean not",
        "he tried to turn off the kitchen light",
        "turn off the kitchen light and the banana too",
        "turn off the kitchen light, the flux capacitor",
    ],
)
def test_what_limits_a_wish_is_not_passed_over(somebody: Inhabitant, text: str) -> None:
    """Conditions, times, what others said, other wishes: the model is asked, behind its guard."""
    assert "calls" not in somebody.recognize(text)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("the desk lamp, switch it off please", [("turn_off", "desk lamp")]),
        ("I'm done at the desk lamp, so turn it off", [("turn_off", "desk lamp")]),
        ("the kettle and the desk lamp, turn them off", [("turn_off", "kettle"), ("turn_off", "desk lamp")]),
        ("in the study, set the heater to 21 degrees", [("set_temperature", "study heater", 21)]),
        ("on the television turn the volume to 30 percent", [("set_volume", "television", 30)]),
        ("turn off the lamp that stands on my desk", [("turn_off", "desk lamp")]),
        ("turn off the lamp on the counter", [("turn_off", "counter lamp")]),
    ],
)
def test_what_is_put_first_may_be_meant_later(somebody: Inhabitant, text: str, calls: list[tuple[Any, ...]]) -> None:
    """ "It" is the thing that was named; a room that was named is the room of the wish."""
    assert done(somebody, text) == calls


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("swich off the kichen lights", KITCHEN_OFF),
        ("please unlok the front door", [("unlock", "front door")]),
        ("turn on the clock", None),
        ("block the front door", None),
    ],
)
def test_a_slip_of_a_finger_is_understood(somebody: Inhabitant, text: str, calls: list[tuple[Any, ...]] | None) -> None:
    """One letter, but never the first: a clock is no lock."""
    assert somebody.calls(text) == (calls or [])


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("turn off the desk lamp and the kettle", [("turn_off", "desk lamp"), ("turn_off", "kettle")]),
        ("turn the tv and the kitchen lights off", [("turn_off", "television"), *KITCHEN_OFF]),
        ("turn off the radio and the lights please", [("turn_off", "kitchen radio"), *KITCHEN_OFF]),
        ("turn off the radio, the kettle and the desk lamp", ["kitchen radio", "kettle", "desk lamp"]),
        ("the radio off and the desk lamp as well", [("turn_off", "kitchen radio"), ("turn_off", "desk lamp")]),
        ("turn the kettle on and the desk lamp off", [("turn_on", "kettle"), ("turn_off", "desk lamp")]),
    ],
)
def test_parts_take_words_from_each_other(somebody: Inhabitant, text: str, calls: list[Any]) -> None:
    """The verb at the beginning and the words at the end are for both."""
    assert done(somebody, text, "kitchen") == [("turn_off", each) if isinstance(each, str) else each for each in calls]


def test_the_answer_names_the_devices_of_both_parts(somebody: Inhabitant) -> None:
    """Say both names, because "turned off the light" would tell of one."""
    _, answer = somebody.say("turn off the kitchen light and the desk lamp too")

    assert answer == "Turned off the kitchen light and the desk lamp"


def test_the_place_of_the_first_part_counts_for_the_rest(somebody: Inhabitant) -> None:
    """And what is said twice is done once."""
    assert done(somebody, "it's freezing in the study, turn up the heating") == [
        ("set_temperature", "study heater", 21)
    ]


def test_a_question_in_unknown_words_reads_the_state_of_what_it_names(somebody: Inhabitant) -> None:
    """It switches nothing; why something is on cannot be read."""
    assert somebody.calls("is the kettle boiling over there") == [("get_state", "kettle")]
    assert somebody.calls("why is the kettle on") == []
    assert somebody.calls("doors all locked?") == [("get_state", "front door")]


def test_shutters_are_no_blinds_where_there_are_both(somebody: Inhabitant) -> None:
    """Where there are no shutters, the blinds are meant."""
    only_blinds = Inhabitant(home([each for each in DEVICES if "shutters" not in each["name"]]))

    assert done(somebody, "open all the shutters") == [("open_cover", "study shutters")]
    assert done(only_blinds, "open all the shutters") == [("open_cover", "study blinds")]


def test_a_sentence_of_many_parts_ends(somebody: Inhabitant) -> None:
    """It is looked at a limited number of times, and the next one is understood."""
    text = ", and ".join(["turn the lamp there with it", "the kettle is so nice", "it's warm please"] * 10)

    assert "evidence" in somebody.recognize(text[:500])
    assert somebody.calls("turn on the kettle") == [("turn_on", "kettle")]
