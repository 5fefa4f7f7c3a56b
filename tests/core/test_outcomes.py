"""Covers unitd.core.outcomes."""

from typing import Any

import pytest

from unitd.core.outcomes import done, failed, state, told


@pytest.mark.parametrize(
    ("tool", "arguments", "device", "sentence"),
    [
        ("turn_on", {"entity": "kitchen light"}, "kitchen light", "The kitchen light is on."),
        ("turn_off", {}, "blinds", "The blinds are off."),
        ("turn_off", {}, "Anna's lamp", "Anna's lamp is off."),
        ("set_brightness", {"percent": 40}, "desk lamp", "The desk lamp is at 40 percent."),
        ("set_temperature", {"degrees": 21.5}, "heater", "The heater is set to 21.5 degrees."),
        ("play_media", {"media": "jazz"}, "radio", "The radio is playing jazz."),
        ("set_timer", {"amount": 5, "unit": "minutes"}, "", "The timer is set for 5 minutes."),
        ("cancel_timer", {}, "", "The timer is cancelled."),
    ],
)
def test_what_is_done_by_a_tool_that_the_model_has_learned_is_said(
    tool: str, arguments: dict[str, Any], device: str, sentence: str
) -> None:
    """The device is named: the person hears what was switched."""
    assert done(tool, arguments, device) == sentence


@pytest.mark.parametrize(
    ("tool", "arguments", "device", "sentence"),
    [
        ("water_plants", {}, "", "Done: water plants."),
        ("start_cleaning", {"entity": "robot"}, "robot", "Done: start cleaning, robot."),
        ("set_brightness", {"entity": "lamp", "level": 3}, "lamp", "Done: set brightness, lamp, 3."),
        ("turn_on", {}, "", "Done: turn on."),
    ],
)
def test_a_tool_of_ones_own_is_said_by_its_name(
    tool: str, arguments: dict[str, Any], device: str, sentence: str
) -> None:
    """Without a confirmation in the file; also one of a learned name whose parameters have others."""
    assert done(tool, arguments, device) == sentence


@pytest.mark.parametrize(
    ("value", "device", "sentence"),
    [
        ("on, 40 percent", "kitchen light", "The kitchen light is on, 40 percent."),
        ("21.5 °C", "garden", "The garden is at 21.5 °C."),
        ("rain", "", "rain."),
        ("It rains!", "", "It rains!"),
    ],
)
def test_a_state_is_said_word_for_word(value: str, device: str, sentence: str) -> None:
    """With the device that it is the state of."""
    assert state(value, device) == sentence


def test_what_failed_is_said_with_its_reason() -> None:
    """And with the device, if there was one."""
    assert failed("its template failed", "") == "That did not work: its template failed."
    assert failed("it is cold!", "heater") == "That did not work for the heater: it is cold!"


def test_nothing_is_said_twice() -> None:
    """Two calls may come to the same."""
    assert told(["It rains.", "The heater is off.", "It rains."]) == "It rains. The heater is off."
