"""How one wish is carried out: the calls that it needs, and what is said when their outcomes are known."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from units.intent.actions import (
    ACTIONS,
    LOOK_AT,
    READ,
    TEMPERATURE,
    Action,
    Call,
    plain_call,
    value_call,
)
from units.intent.answers import DeviceAnswer, Kind, Problem, render, render_each
from units.intent.house import Device, House
from units.intent.recognizer import Reading
from units.intent.wishes import Wish

_SAME_STATES = {
    **dict.fromkeys(("on", "open", "true", "1", "detected"), "on"),
    **dict.fromkeys(("off", "closed", "false", "0", "clear"), "off"),
    "lock": "locked",
    "unlock": "unlocked",
}
"""States that devices have for the same thing: a contact is "open" by MQTT and "on" in Home Assistant."""

_NOT_ON = ("off", "standby", "unavailable", "unknown")


@dataclass(frozen=True)
class Outcome:
    """What became of a call."""

    is_done: bool
    text: str
    state: str | None = None
    unit: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    """The code of the reason why it was not done."""

    allowed: Mapping[str, Any] = field(default_factory=dict)
    """What an argument may be, where it does not fit."""

    data: Mapping[str, Any] = field(default_factory=dict)
    """What an action of a skill has found or made."""


def read_outcome(data: Mapping[str, Any]) -> Outcome:
    """Return the outcome that the daemon has sent."""
    state, text = data.get("state"), data.get("text", "")
    if not state:
        reason, allowed, more = data.get("reason") or "", data.get("allowed") or {}, data.get("data") or {}
        return Outcome(data["is_done"], text, reason=reason, allowed=allowed, data=more)
    return Outcome(data["is_done"], text, str(state["state"]), state.get("unit", ""), state.get("attributes", {}))


Outcomes = Sequence[tuple[Call, Outcome]]


class Step(Protocol):
    """One wish in progress."""

    calls: list[Call]
    """The calls of the first round."""

    question: Wish | None
    """The wish that it asks back about at the end; None if it does not ask."""

    def after(self, outcomes: Outcomes) -> Sequence[Call]:
        """Take the outcomes of the last calls, and return the calls of the next round; none at the end."""

    def sentences(self) -> Sequence[str]:
        """Return what is said at the end."""


def answer_of(device: Device, outcome: Outcome | None = None, state: str = "") -> DeviceAnswer:
    """Return the device with the state that was read, else with the one in which the call leaves it."""
    read = outcome or Outcome(False, "")
    attributes = {"device_class": device.device_class, **read.attributes}
    known = state if read.state is None else read.state
    return DeviceAnswer(device.name, device.domain, device.id, known, read.unit, attributes, device.area)


def said(
    reading: Reading,
    matched: Sequence[DeviceAnswer] = (),
    unmatched: Sequence[DeviceAnswer] = (),
    problem: Problem | None = None,
) -> str:
    """Return what is said about a wish, in the language of its sentence."""
    return render(reading.language, reading.intent, reading.response, reading.words, matched, unmatched, problem)


def about(reading: Reading, kind: Kind, devices: Sequence[Device], failed: Outcome = Outcome(False, "")) -> list[str]:
    """Return the sentence about devices that have a problem; none if there are no such devices."""
    names = [device.name for device in devices]
    problem = Problem(kind, names, text=failed.text, reason=failed.reason, allowed=failed.allowed)
    return [said(reading, unmatched=[answer_of(device) for device in devices], problem=problem)] if devices else []


def failures(reading: Reading, outcomes: Outcomes) -> list[str]:
    """Return one sentence for each reason for which calls have failed."""
    alike: dict[tuple[str, str], list[tuple[Device, Outcome]]] = {}
    for call, outcome in outcomes:
        if not outcome.is_done:
            key = (outcome.reason, str(outcome.allowed) if outcome.reason else outcome.text)
            alike.setdefault(key, []).append((call.device, outcome))
    sentences = []
    for failed in alike.values():
        text = " ".join(dict.fromkeys(outcome.text for _, outcome in failed))
        devices = [device for device, _ in failed]
        sentences += about(reading, "failed", devices, replace(failed[0][1], text=text))
    return sentences


def with_quantity(outcome: Outcome, quantity: Any) -> Outcome:
    """Return what was read, with the attribute that a question is about as its state, if the device has it."""
    value = outcome.attributes.get(quantity)
    if not isinstance(value, int | float):
        return outcome
    return replace(outcome, state=f"{value:g}", unit="°C" if quantity == "temperature" else "%")


class Doing:
    """A wish that switches or sets something."""

    question: Wish | None = None

    def __init__(self, wish: Wish, house: House) -> None:
        self._reading = wish.reading
        self._outcomes: Outcomes = ()
        actions = [each for each in ACTIONS[self._reading.intent] if not each.slot or each.slot in self._reading.slots]
        made = {device: [self._call(house, device, action) for action in actions] for device in wish.devices}
        self.calls = [call for calls in made.values() for call in calls if call is not None]
        self._state = actions[0].state if actions else ""
        without = [device for device, calls in made.items() if not any(calls)]
        # Nobody expects of "everything" that a device without a switch is switched.
        is_everything = {"scope", "domain", "device_class"} & {*self._reading.slots} == {"scope"}
        self._without = [] if is_everything and self.calls else without

    def _call(self, house: House, device: Device, action: Action) -> Call | None:
        names = action.tools.get(device.domain, ())
        if not action.slot:
            call = plain_call(house, device, names)
            return call or (value_call(house, device, *action.instead) if action.instead else None)
        value, text, _ = self._reading.slots[action.slot]
        call = value_call(house, device, names, value, text)
        instead = action.at_limits.get(value, {}).get(device.domain, ()) if isinstance(value, int | float) else ()
        return call or plain_call(house, device, instead)

    def after(self, outcomes: Outcomes) -> Sequence[Call]:
        """Keep the outcomes; nothing is left to do."""
        self._outcomes = outcomes
        return ()

    def sentences(self) -> Sequence[str]:
        """Return what was done, and what not."""
        failed = {call.device for call, outcome in self._outcomes if not outcome.is_done}
        done = {call.device: outcome for call, outcome in self._outcomes if call.device not in failed}
        matched = [answer_of(device, outcome, self._state) for device, outcome in done.items()]
        unmatched = [answer_of(device) for device in (*failed, *self._without)]
        first = [said(self._reading, matched, unmatched)] if matched else []
        problems = failures(self._reading, self._outcomes)
        return [*first, *problems, *about(self._reading, "no_way", self._without)]


class Asking:
    """A question: every state is read, and nothing is switched."""

    question: Wish | None = None
    tools = READ

    def __init__(self, wish: Wish, house: House) -> None:
        self._reading = wish.reading
        self._outcomes: Outcomes = ()
        made = {device: plain_call(house, device, self.tools) for device in wish.devices}
        self.calls = [call for call in made.values() if call is not None]
        self._without = [device for device, call in made.items() if call is None]

    def after(self, outcomes: Outcomes) -> Sequence[Call]:
        """Keep the outcomes; nothing is left to read."""
        self._outcomes = outcomes
        return ()

    def sentences(self) -> Sequence[str]:
        """Return the answer, and which devices it says nothing about."""
        reading = self._reading
        read = [(call.device, outcome) for call, outcome in self._outcomes if outcome.is_done]
        known = [(device, outcome) for device, outcome in read if outcome.state]
        silent = [device for device, outcome in read if not outcome.state]
        problems = [*about(reading, "no_state", silent), *failures(reading, self._outcomes)]
        return [*self._answer(known), *problems, *about(reading, "no_way", self._without)]

    def _answer(self, known: Sequence[tuple[Device, Outcome]]) -> list[str]:
        if self._reading.intent == TEMPERATURE:
            return self._temperature(known)
        if not known:
            return []
        wanted = self._reading.value("state")
        states = [wanted] if isinstance(wanted, str) else list(wanted or ())
        if len(known) > 1 and not states:
            quantity = self._reading.value("quantity")
            return self._each([answer_of(device, with_quantity(outcome, quantity)) for device, outcome in known])
        matched: list[DeviceAnswer] = []
        unmatched: list[DeviceAnswer] = []
        for device, outcome in known:
            is_match = not states or any(is_in_state(device, outcome, state) for state in states)
            measured = outcome if states else with_quantity(outcome, self._reading.value("quantity"))
            (matched if is_match else unmatched).append(answer_of(device, measured))
        return [said(self._reading, matched, unmatched)]

    def _temperature(self, known: Sequence[tuple[Device, Outcome]]) -> list[str]:
        """Return the temperature of each room; a thermostat is asked before a sensor."""
        wanted = "temperature" if "target" in self._reading.response else "current_temperature"
        rooms: dict[str, DeviceAnswer] = {}
        for device, outcome in sorted(known, key=lambda each: each[0].kind == "sensor"):
            if wanted in outcome.attributes or _is_number(outcome.state):
                rooms.setdefault(device.area or device.name, answer_of(device, outcome))
        unknown = [device for device, _ in known if (device.area or device.name) not in rooms]
        if len(rooms) == 1 and not unknown:
            first = [said(self._reading, list(rooms.values()))]
        else:
            first = self._each([replace(answer, name=room) for room, answer in rooms.items()])
        return [*first, *about(self._reading, "no_state", unknown)]

    def _each(self, devices: Sequence[DeviceAnswer]) -> list[str]:
        reading = self._reading
        return render_each(reading.language, reading.intent, reading.response, reading.words, devices)


class Looking(Asking):
    """A question about what cameras show: their pictures are fetched, and a model answers it."""

    tools = LOOK_AT

    def sentences(self) -> Sequence[str]:
        """Return which pictures there are not."""
        return [*failures(self._reading, self._outcomes), *about(self._reading, "no_way", self._without)]


def _is_number(state: str | None) -> bool:
    try:
        return math.isfinite(float(state or ""))
    except ValueError:
        return False


def is_in_state(device: Device, outcome: Outcome, wanted: str) -> bool:
    """Return whether a device is in the state that a question names."""
    state = (outcome.state or "").casefold()
    same = _SAME_STATES.get(state, state)
    if wanted == "on" and device.domain in ("climate", "media_player"):
        return same not in _NOT_ON
    if wanted == "off" and device.domain == "media_player":
        return same in ("off", "standby")
    return same == _SAME_STATES.get(wanted, wanted)
