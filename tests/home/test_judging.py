"""The judge and the houses of the sentence check: tests.support.home.judging, tests.support.home.houses."""

import json
from typing import Any

import pytest

from tests.support.home.houses import (
    LANGUAGES,
    Device,
    Sentence,
    areas,
    chosen,
    core_house,
    house,
    read_sentences,
    small_houses,
)
from tests.support.home.judging import Call, Result, judge, readings, table

HOME = house(100)
KITCHEN_LIGHTS = ("kitchen light", "island light")
SIZES = [("en", 100), ("en", 500), *((language, 100) for language in LANGUAGES if language != "en")]
CHECKS = [*((name, name) for name in LANGUAGES), ("talk", "en"), *((f"tuning.{name}", name) for name in LANGUAGES)]
WANTS_OFF = {"say": "kitchen lights off", "type": "set"} | {
    "expect": [{"tool": "turn_off", "all": {"kind": "light", "area": "kitchen"}}]
}


def wish(*actions: dict[str, Any], **more: Any) -> Sentence:
    """Return a sentence that wants these actions."""
    return {"say": "a sentence", "type": "one", "expect": list(actions), **more}


def call(tool: str, entity: str, **values: Any) -> Call:
    """Return a call that was made."""
    return tool, {"entity": entity, **values}


def result(sentence: Sentence, *calls: Call) -> Result:
    """Return what the judge says of the calls in a house of 100 devices."""
    return judge(sentence, HOME, calls).result


def test_a_set_is_right_when_each_of_its_devices_was_switched_once() -> None:
    """In any order."""
    both = [call("turn_off", name) for name in KITCHEN_LIGHTS]

    assert result(WANTS_OFF, *both) == Result.RIGHT
    assert result(WANTS_OFF, *reversed(both)) == Result.RIGHT


def test_a_part_of_a_set_is_incomplete_and_silence_is_nothing_done() -> None:
    """The missing calls are named."""
    verdict = judge(WANTS_OFF, HOME, [call("turn_off", "kitchen light")])

    assert verdict.result == Result.INCOMPLETE
    assert verdict.missing == ("turn_off island light",)
    assert result(WANTS_OFF) == Result.NOTHING_DONE


@pytest.mark.parametrize(
    "unwanted",
    [
        call("turn_off", "bedroom light"),  # another device
        call("turn_on", "kitchen light"),  # the opposite
        call("turn_off", "kitchen light"),  # a second time
    ],
)
def test_a_call_that_nobody_wanted_is_a_wrong_action(unwanted: Call) -> None:
    """Also if everything that was wanted was done besides."""
    both = [call("turn_off", name) for name in KITCHEN_LIGHTS]

    assert result(WANTS_OFF, *both, unwanted) == Result.WRONG_ACTION


def test_reading_a_state_is_never_wrong() -> None:
    """A relative wish reads before it acts."""
    assert result(wish(), call("get_state", "desk lamp")) == Result.RIGHT
    assert result(WANTS_OFF, call("get_state", "kitchen light")) == Result.NOTHING_DONE


def test_an_exception_is_left_as_it_is() -> None:
    """Accept the named light, and all lights of the room."""
    but_one = wish({"tool": "turn_off", "all": {"kind": "light", "area": "kitchen"}, "but": ["island light"]})
    but_room = wish({"tool": "turn_off", "all": {"kind": "light"}, "but": [{"kind": "light", "area": "kitchen"}]})

    assert result(but_one, call("turn_off", "kitchen light")) == Result.RIGHT
    assert result(but_one, *(call("turn_off", name) for name in KITCHEN_LIGHTS)) == Result.WRONG_ACTION
    assert not set(KITCHEN_LIGHTS) & {name for _, name in readings(but_room, HOME)[0].actions}


def test_a_value_must_be_the_wanted_one() -> None:
    """A text that is a number counts as one; without a value the call is wrong."""
    dim = wish({"tool": "set_brightness", "device": "desk lamp", "percent": 30})

    assert result(dim, call("set_brightness", "desk lamp", percent=30)) == Result.RIGHT
    assert result(dim, call("set_brightness", "desk lamp", percent="30.0")) == Result.RIGHT
    assert result(dim, call("set_brightness", "desk lamp", percent=40)) == Result.WRONG_ACTION
    assert result(dim, call("set_brightness", "desk lamp")) == Result.WRONG_ACTION


def test_a_relative_value_lies_on_the_wanted_side() -> None:
    """The start itself is no change."""
    brighter = wish({"tool": "set_brightness", "device": "desk lamp", "percent": {"above": 50}})
    cooler = wish({"tool": "set_temperature", "device": "office heater", "degrees": {"below": 20}})

    assert result(brighter, call("set_brightness", "desk lamp", percent=51)) == Result.RIGHT
    assert result(brighter, call("set_brightness", "desk lamp", percent=50)) == Result.WRONG_ACTION
    assert result(cooler, call("set_temperature", "office heater", degrees=19)) == Result.RIGHT
    assert result(cooler, call("set_temperature", "office heater", degrees=21)) == Result.WRONG_ACTION


def test_colors_and_media_are_compared_as_words() -> None:
    """A color may be in English; media must be named."""
    color = wish({"tool": "set_color", "device": "desk lamp", "color": "rot"})
    media = wish({"tool": "play_media", "device": "gym speaker", "media": "jazz"})

    assert result(color, call("set_color", "desk lamp", color="Rot")) == Result.RIGHT
    assert result(color, call("set_color", "desk lamp", color="red")) == Result.RIGHT
    assert result(color, call("set_color", "desk lamp", color="blue")) == Result.WRONG_ACTION
    assert result(media, call("play_media", "gym speaker", media="some Jazz")) == Result.RIGHT
    assert result(media, call("play_media", "gym speaker", media="rock")) == Result.WRONG_ACTION


def test_open_is_a_position_of_100_and_closed_of_0() -> None:
    """Either tool does what is wanted."""
    opened = wish({"tool": "open_cover", "device": "garage door"})

    assert result(opened, call("open_cover", "garage door")) == Result.RIGHT
    assert result(opened, call("set_position", "garage door", percent=100)) == Result.RIGHT
    assert result(opened, call("set_position", "garage door", percent=50)) == Result.WRONG_ACTION
    assert result(opened, call("close_cover", "garage door")) == Result.WRONG_ACTION


def test_a_bit_more_is_not_all_the_way() -> None:
    """A value may lie between two limits."""
    more = wish({"tool": "set_position", "device": "office blinds", "percent": {"above": 50, "below": 100}})

    assert result(more, call("set_position", "office blinds", percent=60)) == Result.RIGHT
    assert result(more, call("open_cover", "office blinds")) == Result.WRONG_ACTION


def test_a_question_must_read_what_it_asks_for() -> None:
    """Accept more reads, and no call that switches."""
    asks = wish({"ask": ["front door", "back door"]})
    reads = [call("get_state", "front door"), call("get_state", "back door")]

    assert result(asks, *reads) == Result.RIGHT
    assert result(asks, *reads, call("get_state", "desk lamp")) == Result.RIGHT
    assert result(asks, reads[0]) == Result.INCOMPLETE
    assert result(asks) == Result.NOTHING_DONE
    assert result(asks, *reads, call("lock", "back door")) == Result.WRONG_ACTION


def test_where_nothing_is_wanted_any_switching_is_wrong() -> None:
    """A wish that must be asked back is such a sentence."""
    unclear = wish(asks=True)

    assert result(unclear) == Result.RIGHT
    assert result(unclear, call("turn_off", "desk lamp")) == Result.WRONG_ACTION


def test_the_best_of_two_readings_counts() -> None:
    """But a mixture of them is neither."""
    either = {"say": "off", "type": "set", "or": [[{"tool": "turn_off", "device": n}] for n in KITCHEN_LIGHTS]}

    assert [result(either, call("turn_off", name)) for name in KITCHEN_LIGHTS] == [Result.RIGHT, Result.RIGHT]
    assert result(either, *(call("turn_off", name) for name in KITCHEN_LIGHTS)) == Result.WRONG_ACTION


def test_a_reading_without_devices_does_not_count() -> None:
    """An empty set would make silence right."""
    either = {"say": "off", "type": "set", "or": [[{"tool": "lock", "all": {"kind": "boat"}}], WANTS_OFF["expect"]]}
    nowhere = wish({"tool": "lock", "device": "no such lock"})

    assert result(either) == Result.NOTHING_DONE
    with pytest.raises(ValueError, match="means nothing in this house"):
        judge(nowhere, HOME, [])


def test_the_table_counts_by_type() -> None:
    """With the share that is right."""
    judged = [(WANTS_OFF, judge(WANTS_OFF, HOME, [])), (wish(), judge(wish(), HOME, []))]

    lines = [line.split() for line in table(judged).splitlines()]

    assert lines[0] == ["right", "incomplete", "nothing", "done", "wrong", "action", "share"]
    assert lines[1:] == [
        ["one", "1", "0", "0", "0", "100.0%"],
        ["set", "0", "0", "1", "0", "0.0%"],
        ["all", "1", "0", "1", "0", "50.0%"],
    ]


@pytest.mark.parametrize(("language", "size"), SIZES)
def test_a_house_has_as_many_devices_as_asked_for_each_with_its_own_name(language: str, size: int) -> None:
    """Names and aliases are all different, and every area is listed with its floor."""
    devices = house(size, language)
    names = [name.casefold() for device in devices for name in (device["name"], *device["aliases"])]
    floors = {area["name"]: area["floor"] for area in areas(language)}

    assert len(devices) == size
    assert len(names) == len(set(names))
    assert [d["name"] for d in devices if d["kind"] != "scene" and floors.get(d["area"]) != d["floor"]] == []
    assert house(size, language) == devices


def test_a_house_that_cannot_be_built_is_refused() -> None:
    """Too small for its core house, or larger than there are names."""
    with pytest.raises(ValueError, match="too few"):
        house(10)
    with pytest.raises(ValueError, match="there are names for"):
        house(5000)


def test_a_larger_house_adds_no_light_to_a_room_of_the_core_house() -> None:
    """Otherwise "the hallway light" would become two."""
    rooms = {device["area"] for device in core_house()}
    added = [device for device in house(500)[len(core_house()) :] if device["area"] in rooms]

    assert {device["kind"] for device in added} == {"switch"}


@pytest.mark.parametrize(("name", "language"), CHECKS)
def test_every_expectation_means_something_in_every_house(name: str, language: str) -> None:
    """No set is empty, no device is missing, and each room exists."""
    homes = [house(size, each) for each, size in SIZES if each == language]

    assert [each["say"] for each in read_sentences(name) for home in homes if not _is_meant(each, home)] == []
    rooms = {area["name"] for area in areas(language)}
    assert [each for each in read_sentences(name) if each.get("room", "") not in rooms | {""}] == []


@pytest.mark.parametrize(("name", "language"), CHECKS)
@pytest.mark.parametrize("size", [10, 14])
def test_sentences_fit_into_small_houses(name: str, language: str, size: int) -> None:
    """Each house has that many devices, everything that its sentences need among them."""
    houses = small_houses(read_sentences(name), language, size)

    assert [each for small in houses for each in small.sentences] == read_sentences(name)
    assert {len(small.devices) for small in houses} == {size}
    assert {len({device["name"] for device in small.devices}) for small in houses} == {size}
    lost = [s["say"] for small in houses for s in small.sentences if len(readings(s, small.devices)) < _wanted(s)]
    assert lost == []


def test_doing_what_a_sentence_wants_is_right_in_every_house() -> None:
    """The judge agrees with each line of the check, done as it says."""
    for size in (100, 500):
        home = house(size)
        assert [s["say"] for s in read_sentences("en") if judge(s, home, _done(s, home)).result != Result.RIGHT] == []


def test_a_selection_takes_one_value_or_any_of_a_list() -> None:
    """By kind, class, area and floor."""
    doors = chosen({"kind": "lock", "floor": ["basement", "outside"]}, core_house())

    assert set(doors) == {"cellar door", "patio door", "balcony door", "garden gate"}
    assert chosen({"kind": "cover", "device_class": "garage"}, house(500)) == ["garage door"]


def _wanted(sentence: Sentence) -> int:
    return len(sentence.get("or", [[]]))


def _is_meant(sentence: Sentence, home: list[Device]) -> bool:
    names = {device["name"] for device in home}
    return len(readings(sentence, home)) == _wanted(sentence) and names >= set(sentence.get("needs", []))


def _done(sentence: Sentence, home: list[Device]) -> list[Call]:
    """Return the calls that do what the first reading wants."""
    reading = readings(sentence, home)[0]
    calls: list[Call] = [("get_state", {"entity": name}) for name in reading.asked]
    for (tool, name), value in reading.actions.items():
        value = value.get("above", 0) + 1 if isinstance(value, dict) and "above" in value else value
        value = value["below"] - 1 if isinstance(value, dict) else value
        keys = ("percent", "degrees", "color", "media")
        calls.append((tool, {"entity": name, **({} if value is None else dict.fromkeys(keys, value))}))
    return json.loads(json.dumps(calls))  # type: ignore[no-any-return]
