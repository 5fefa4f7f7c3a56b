"""How one wish is carried out: the calls that it needs, and what is said when their outcomes are known."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from units.intent.actions import (
    ACTIONS,
    READ,
    TEMPERATURE,
    Action,
    Call,
    plain_call,
    value_call,
)
from units.intent.answers import DeviceAnswer, Problem, render
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


def read_outcome(data: Mapping[str, Any]) -> Outcome:
    """Return the outcome that the daemon has sent."""
    state = data.get("state")
    if not state:
        return Outcome(data["is_done"], data.get("text", ""))
    return Outcome(
        data["is_done"], data.get("text", ""), str(state["state"]), state.get("unit", ""), state.get("attributes", {})
    )


Outcomes = Sequence[tuple[Call, Outcome]]


class Step(Protocol):
    """One wish in progress."""

    calls: list[Call]
    """The calls of the first round."""

    def after(self, outcomes: Outcomes) -> Sequence[Call]:
        """Take the outcomes of the last calls, and return the calls of the next round; none at the end."""

    def sentences(self) -> Sequence[str]:
        """Return what is said at the end."""


def said(reading: Reading, matched: Sequence[DeviceAnswer], unmatched: Sequence[DeviceAnswer] = ()) -> str:
    """Return the sentence about a wish that was carried out or answered."""
    return render(
        reading.language, reading.intent, reading.response, reading.words, matched, unmatched, problem=None
    ).strip()


def said_problem(reading: Reading, problem: Problem) -> str:
    """Return the sentence about a wish that was not possible."""
    return render(reading.language, reading.intent, reading.response, reading.words, (), (), problem).strip()


def failures(reading: Reading, outcomes: Outcomes) -> list[str]:
    """Return one sentence for each reason for which calls have failed."""
    names: dict[str, list[str]] = {}
    for call, outcome in outcomes:
        if not outcome.is_done:
            names.setdefault(outcome.text, []).append(call.device.name)
    return [said_problem(reading, Problem("failed", tuple(devices), text=text)) for text, devices in names.items()]


def no_way(reading: Reading, devices: Sequence[Device]) -> list[str]:
    """Return the sentence about the devices for which there is no tool, or nothing."""
    names = tuple(device.name for device in devices)
    return [said_problem(reading, Problem("no_way", names))] if names else []


def answer_of(device: Device, outcome: Outcome, state: str = "") -> DeviceAnswer:
    """Return the device with the state that was read, else with the one in which the call leaves it."""
    known = outcome.state if outcome.state is not None else state
    return DeviceAnswer(device.name, device.domain, device.id, known, outcome.unit, outcome.attributes, device.area)


class Doing:
    """A wish that switches or sets something."""

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
            return plain_call(house, device, names)
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
        first = [said(self._reading, matched)] if matched else []
        return [*first, *failures(self._reading, self._outcomes), *no_way(self._reading, self._without)]


class Asking:
    """A question: every state is read, and nothing is switched."""

    def __init__(self, wish: Wish, house: House) -> None:
        self._reading = wish.reading
        self._outcomes: Outcomes = ()
        made = {device: plain_call(house, device, READ) for device in wish.devices}
        self.calls = [call for call in made.values() if call is not None]
        self._without = [device for device, call in made.items() if call is None]

    def after(self, outcomes: Outcomes) -> Sequence[Call]:
        """Keep the outcomes; nothing is left to read."""
        self._outcomes = outcomes
        return ()

    def sentences(self) -> Sequence[str]:
        """Return the answer, and which devices it says nothing about."""
        reading = self._reading
        known = [(call.device, outcome) for call, outcome in self._outcomes if outcome.is_done and outcome.state]
        silent = [(call.device, outcome) for call, outcome in self._outcomes if outcome.is_done and not outcome.state]
        first = self._answer(known)
        unread = Problem("no_state", tuple(device.name for device, _ in silent), text=_joined(silent))
        problems = [said_problem(reading, unread)] if silent else []
        return [*first, *problems, *failures(reading, self._outcomes), *no_way(reading, self._without)]

    def _answer(self, known: Sequence[tuple[Device, Outcome]]) -> list[str]:
        if self._reading.intent == TEMPERATURE:
            return self._temperature(known)
        if not known:
            return []
        wanted = self._reading.value("state")
        states = [wanted] if isinstance(wanted, str) else list(wanted or ())
        matched: list[DeviceAnswer] = []
        unmatched: list[DeviceAnswer] = []
        for device, outcome in known:
            is_match = not states or any(is_in_state(device, outcome, state) for state in states)
            (matched if is_match else unmatched).append(answer_of(device, outcome))
        return [said(self._reading, matched, unmatched)]

    def _temperature(self, known: Sequence[tuple[Device, Outcome]]) -> list[str]:
        """Return the temperature of the first device that measures one; a thermostat is asked before a sensor."""
        for device, outcome in sorted(known, key=lambda each: each[0].kind == "sensor"):
            measured = outcome.attributes.get("current_temperature", _number(outcome.state))
            if measured is not None:
                answer = answer_of(device, outcome)
                attributes = {**outcome.attributes, "current_temperature": measured}
                return [said(self._reading, [DeviceAnswer(**{**vars(answer), "attributes": attributes})])]
        if not known:
            return []
        names = tuple(device.name for device, _ in known)
        return [said_problem(self._reading, Problem("no_state", names, text=_joined(known)))]


def _joined(outcomes: Iterable[tuple[Device, Outcome]]) -> str:
    return " ".join(dict.fromkeys(outcome.text for _, outcome in outcomes))


def _number(state: str | None) -> float | None:
    try:
        return float(state or "")
    except ValueError:
        return None


def is_in_state(device: Device, outcome: Outcome, wanted: str) -> bool:
    """Return whether a device is in the state that a question names."""
    state = (outcome.state or "").casefold()
    same = _SAME_STATES.get(state, state)
    if wanted == "on" and device.domain in ("climate", "media_player"):
        return same not in _NOT_ON
    if wanted == "off" and device.domain == "media_player":
        return same in ("off", "standby")
    return same == _SAME_STATES.get(wanted, wanted)
