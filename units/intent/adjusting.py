"""Wishes for more or less of something: the state is read first, then the new value is set."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from units.intent.actions import READ, SCALES, VOLUME_RELATIVE, Call, parameter_of, plain_call, value_call
from units.intent.house import Device, House
from units.intent.recognizer import NAMES, Reading, Slot
from units.intent.steps import Outcome, Outcomes, about, answer_of, failures, said
from units.intent.wishes import Wish, asking

_OFF = ("off", "standby")
_LEAST, _MOST = 0, 100
"""The bounds of a percentage, where the tool has none."""


class Adjusting:
    """A wish that changes a quantity by a step, up or down."""

    def __init__(self, wish: Wish, house: House) -> None:
        self._house = house
        self.question: Wish | None = None
        self._is_settled = wish.is_settled or any(slot in wish.reading.slots for slot in NAMES)
        self._quantity, self._step = _change(wish.reading)
        self._reading = _with_direction(wish.reading, self._quantity, self._step)
        self._scale = SCALES[self._quantity]
        able = [device for device in wish.devices if self._setting(device, 0)]
        reads = {device: plain_call(house, device, READ) for device in able}
        self.calls = [call for call in reads.values() if call is not None]
        self._without = [device for device in wish.devices if reads.get(device) is None]
        self._failed: list[str] = []
        self._problems: list[str] = []
        self._values: dict[Device, float] = {}
        self._has_read = False
        self._set: Outcomes | None = None

    def after(self, outcomes: Outcomes) -> Sequence[Call]:
        """Take the states, and return the calls that set the new values; after these, nothing is left to do."""
        if self._has_read:
            self._failed += failures(self._reading, outcomes)
            self._set = outcomes
            return ()
        self._has_read = True
        self._failed += failures(self._reading, outcomes)
        return self._settings(self._active([(call.device, outcome) for call, outcome in outcomes if outcome.is_done]))

    def sentences(self) -> Sequence[str]:
        """Return what was set, and what was not possible."""
        done = [(call.device, outcome) for call, outcome in self._set or () if outcome.is_done]
        matched = [answer_of(device, self._with_value(device, outcome)) for device, outcome in done]
        first = [said(self._reading, matched)] if matched else []
        return [*first, *self._problems, *self._failed, *about(self._reading, "no_way", self._without)]

    def _settings(self, read: Sequence[tuple[Device, Outcome]]) -> list[Call]:
        at_end: list[Device] = []
        unread: list[Device] = []
        calls: list[Call] = []
        for device, outcome in read:
            current = self._current(outcome)
            if current is None:
                unread.append(device)
            elif (value := self._next(device, current)) == current:
                at_end.append(device)
            elif call := self._setting(device, value):
                self._values[device] = value
                calls.append(call)
        lit = self._lit(unread)
        unread = [] if lit else unread
        self._problems += about(self._reading, "at_end", at_end) + about(self._reading, "no_state", unread)
        return [*lit, *calls]

    def _lit(self, unknown: Sequence[Device]) -> list[Call]:
        """Return the calls that turn lights on that do not say how bright they are, if there is to be more light."""
        if self._quantity != "brightness" or self._step < 0:
            return []
        made = [plain_call(self._house, device, ("turn_on",)) for device in unknown]
        return [call for call in made if call is not None]

    def _active(self, read: Sequence[tuple[Device, Outcome]]) -> Sequence[tuple[Device, Outcome]]:
        """Return the devices that are on, if some are: "brighter" is about the light that one sees."""
        if self._is_settled:
            return read
        on = [(device, outcome) for device, outcome in read if (outcome.state or "").casefold() not in _OFF]
        found = on or read
        if self._quantity == "volume" and len(found) > 1 and "scope" not in self._reading.slots:
            self.question = asking(self._reading, [device for device, _ in found])
            self._problems.append(said(self._reading, problem=self.question.problem))
            return ()
        return found

    def _current(self, outcome: Outcome) -> float | None:
        """Return how much it is now; None if the device does not say."""
        if self._quantity in ("brightness", "speed") and (outcome.state or "").casefold() in _OFF:
            return 0
        value = outcome.attributes.get(self._quantity)
        return value if isinstance(value, int | float) else None

    def _next(self, device: Device, current: float) -> float:
        """Return the new value, within the bounds of the tool."""
        schema = self._schema(device)
        least, most = schema.get("minimum", _LEAST), schema.get("maximum", _MOST)
        if self._step > 0:
            return float(max(current, min(current + self._step, most)))
        return float(min(current, max(current + self._step, least)))

    def _schema(self, device: Device) -> Mapping[str, Any]:
        tool = self._house.tool(self._scale.tools, device)
        name = parameter_of(tool, 0) if tool else None
        return tool.parameters[name] if tool and name else {}

    def _setting(self, device: Device, value: float) -> Call | None:
        if device.domain != self._scale.domain:
            return None
        return value_call(self._house, device, self._scale.tools, round(value, 1))

    def _with_value(self, device: Device, outcome: Outcome) -> Outcome:
        if device not in self._values:
            return outcome
        attributes = {**outcome.attributes, self._quantity: self._values[device]}
        return Outcome(outcome.is_done, outcome.text, outcome.state, outcome.unit, attributes)


def _change(reading: Reading) -> tuple[str, float]:
    """Return the quantity and by how much it is to change."""
    if reading.intent == VOLUME_RELATIVE:
        quantity, said_step, direction = "volume", reading.value("volume_step"), None
        if isinstance(said_step, str):
            said_step, direction = None, said_step
    else:
        quantity, said_step, direction = reading.value("quantity"), reading.value("step"), reading.value("direction")
    step = said_step if isinstance(said_step, int | float) else SCALES[quantity].step
    return quantity, -abs(step) if direction == "down" else step


def _with_direction(reading: Reading, quantity: str, step: float) -> Reading:
    """Return a reading with the slots that answers are worded by, whichever way the sentence has said them."""
    said_as = {"quantity": Slot(quantity, ""), "direction": Slot("up" if step > 0 else "down", "")}
    return replace(reading, slots={**reading.slots, **said_as})
