"""Covers units.intent.library, units.intent.wishes, units.intent.adjusting: what sentence files of ours may use."""

from pathlib import Path

import pytest

from tests.support.units.intent_home import DEVICES, Inhabitant, device, home, state
from units.intent import library
from units.intent.recognizer import Recognizer

SENTENCES = """
language: en
intents:
  HassTurnOn:
    data:
      - sentences: ["switch the {name} and the {name2} [and the {name3}] on"]
      - sentences: ["lights on in {area} and {area2}"]
        slots: {domain: light}
  HassTurnOff:
    data:
      - sentences: ["all lights off"]
        slots: {domain: light, scope: all}
      - sentences: ["all off but {name:except_name} [and {name:except_name2}]"]
        slots: {domain: light, scope: all}
      - sentences: ["all off but in {area:except_area}"]
        slots: {domain: light, scope: all}
      - sentences: ["everything off {floor}"]
        slots: {scope: all}
      - sentences: ["shut every shade"]
        slots: {domain: cover, device_class: shade, scope: all}
  UnitdAdjust:
    data:
      - sentences: ["[make {name}] brighter [by {brightness:step}]"]
        slots: {quantity: brightness, direction: up}
      - sentences: ["dimmer"]
        slots: {quantity: brightness, direction: down}
      - sentences: ["warmer"]
        slots: {quantity: temperature, direction: up}
  UnitdStop:
    data:
      - sentences: ["stop"]
"""


@pytest.fixture
def somebody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Inhabitant:
    """Who lives in the usual home, and speaks the sentences above."""
    (tmp_path / "en.yaml").write_text(SENTENCES)
    monkeypatch.setattr(library, "_OURS", tmp_path)
    covers = [device("garage door", "cover", "hall"), device("kitchen shutter", "cover", "kitchen")]
    somebody = Inhabitant(home([*DEVICES, *covers]), read=Recognizer)
    somebody.states = {
        "kitchen light": state("on", brightness=40),
        "counter lamp": state("off"),
        "desk lamp": state("on", brightness=95),
        "heater": state("heat", temperature=29.5),
    }
    return somebody


def test_several_devices_and_areas_are_one_wish(somebody: Inhabitant) -> None:
    """Each device once, of whatever kind."""
    assert somebody.calls("switch the desk lamp and the study fan on") == [
        ("turn_on", "desk lamp"),
        ("turn_on", "study fan"),
    ]
    assert len(somebody.calls("switch the desk lamp and the study fan and the desk lamp on")) == 2
    assert len(somebody.calls("lights on in kitchen and study")) == 3


def test_a_set_is_the_whole_house(somebody: Inhabitant) -> None:
    """Also where the library has the same words as a question."""
    lights = ["kitchen light", "counter lamp", "desk lamp"]

    assert somebody.calls("all lights off") == [("turn_off", name) for name in lights]
    assert somebody.calls("all lights off?") == [("get_state", name) for name in lights]
    assert somebody.calls("all lights off", area="study") == [("turn_off", name) for name in lights]


def test_all_but_some(somebody: Inhabitant) -> None:
    """Devices by name or alias, or an area."""
    assert somebody.calls("all off but desk lamp and ceiling lamp") == [("turn_off", "counter lamp")]
    assert somebody.calls("all off but in kitchen") == [("turn_off", "desk lamp")]


def test_everything_is_no_door_and_no_blind(somebody: Inhabitant) -> None:
    """Only what one switches off."""
    assert somebody.calls("everything off upstairs") == [("turn_off", "desk lamp"), ("turn_off", "study fan")]


def test_shades_are_one_family(somebody: Inhabitant) -> None:
    """Doors and windows do not belong to it."""
    names = ["kitchen blind", "study curtain", "kitchen shutter"]

    assert somebody.calls("shut every shade") == [("close_cover", name) for name in names]


def test_brighter_reads_first(somebody: Inhabitant) -> None:
    """In a room the lights that are on; a named light also if it is off."""
    assert somebody.say("brighter", area="kitchen") == (
        [("get_state", "kitchen light"), ("get_state", "counter lamp"), ("set_brightness", "kitchen light", 60)],
        "Brighter, 60 percent",
    )
    assert somebody.say("make counter lamp brighter by 5")[0][-1] == ("set_brightness", "counter lamp", 5)
    assert somebody.say("make desk lamp brighter")[0][-1] == ("set_brightness", "desk lamp", 100)
    assert somebody.say("warmer")[0][-1] == ("set_temperature", "heater", 30)


def test_brighter_without_a_room_asks(somebody: Inhabitant) -> None:
    """And reads nothing."""
    assert somebody.say("brighter") == ([], "Which one do you mean: the kitchen or the study?")


def test_the_end_of_the_range_is_said(somebody: Inhabitant) -> None:
    """A value beyond the range is not set; the answer names the limit."""
    somebody.states["kitchen light"] = state("on", brightness=1)

    calls, answer = somebody.say("dimmer", area="kitchen")

    assert {call[0] for call in calls} == {"get_state"}
    assert answer == "I cannot set the kitchen light any lower."


def test_stop_switches_nothing(somebody: Inhabitant) -> None:
    """It is agreed to, where no timer rings."""
    assert somebody.say("stop") == ([("timer_stop",)], "All right")


def test_nothing_is_set_that_could_not_be_read(somebody: Inhabitant) -> None:
    """A lamp that does not respond is not turned on instead; the others of the room are set."""
    failure = {"reason": "unknown_state"}
    somebody.failing["kitchen light"] = "That did not work for the kitchen light: the device does not respond."
    somebody.reasons["kitchen light"] = failure
    somebody.states["counter lamp"] = state("on", brightness=10)

    alone = somebody.say("make kitchen light brighter")
    in_room = somebody.say("brighter", area="kitchen")

    words = "That did not work for the kitchen light: the device does not respond."
    assert alone == ([("get_state", "kitchen light")], words)
    assert in_room[0][2:] == [("set_brightness", "counter lamp", 30)]
    assert in_room[1] == f"Brighter, 30 percent. {words}"


def test_more_light_from_a_lamp_that_does_not_say_how_bright_it_is_turns_it_on(somebody: Inhabitant) -> None:
    """Less light from it is not possible."""
    somebody.states.clear()

    more, _ = somebody.say("brighter", area="kitchen")
    less, answer = somebody.say("dimmer", area="kitchen")

    assert [call[0] for call in more] == ["get_state", "get_state", "turn_on", "turn_on"]
    assert {call[0] for call in less} == {"get_state"}
    assert answer
