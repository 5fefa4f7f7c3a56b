"""What is said after a wish, in the language of its sentence.

The responses of `home_assistant_intents` come first, filled with the values that Home Assistant gives them. A response
that does not fit what was done (several devices, or "turned on" for a lock) or that uses what is not there is passed
over for another of the language, and last for words of ours.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from units.intent.wording import Wording, is_number, wording_in

Kind = Literal[
    "which", "no_way", "no_device", "no_such_area", "failed",
    "no_state", "not_understood", "duplicate", "at_end", "unavailable",
]  # fmt: skip


@dataclass(frozen=True)
class DeviceAnswer:
    """A device, with the state that it has now; templates read its attributes as those of Home Assistant's states."""

    name: str
    domain: str
    entity_id: str = ""
    state: str = ""
    unit: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    area: str = ""

    @property
    def state_with_unit(self) -> str:
        """The state, and its unit after a space."""
        return f"{self.state} {self.unit}".strip()


@dataclass(frozen=True)
class Problem:
    """Why a wish was not done, or not for all of its devices."""

    kind: Kind
    names: Sequence[str] = ()
    """The devices that it is about, or to choose from; for "no_device" and "duplicate" the name that was said."""

    areas: Sequence[str] = ()
    """The areas and floors to choose from, or in which a device was looked for."""

    text: str = field(default="", kw_only=True)
    """A sentence of the daemon in English, said where there are no words for the reason."""

    reason: str = field(default="", kw_only=True)
    """Why calls have failed: one of the daemon's codes, `unitd.core.outcomes.Reason`."""

    allowed: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    """What an argument may be that does not fit."""


_STATES = ("HassGetState", "HassClimateGetTemperature")
_QUESTIONS = (*_STATES, "HassGetWeather", "HassGetCurrentTime", "HassGetCurrentDate", "HassTimerStatus")
_SWITCHES = ("HassTurnOn", "HassTurnOff")
_WITH_WORDS_OF_THEIR_OWN = frozenset({"lock", "cover", "scene", "script", "button", "valve"})
"""Domains that are not turned on or off: their responses have keys of their own."""

_FOR_ONE = _WITH_WORDS_OF_THEIR_OWN | frozenset(
    {"default", "light", "fan", "switch", "unlock", "garage", "curtain", "default_name"}
    | {"cover_single", "cover_door", "cover_window", "fan_single"}
)
"""Keys of the responses about one device, for the intents that turn on and off."""

_ERRORS = {
    "no_way": "feature_not_supported",
    "no_device": "no_entity",
    "no_such_area": "no_area",
    "not_understood": "no_intent",
    "duplicate": "duplicate_entities",
}
"""The library's sentences about errors, for languages in which there are none of ours."""

_PARTIAL = ("failed", "no_way", "unavailable")
"""The problems that some of several devices may have while the others do as wished."""

_NAMED = 3
"""The most devices that are said by name; of more their number is said."""

_READ_OUT = 5
"""The most names of a question back."""

_COUNTED = ("canceled",)
"""Slots that templates count with; they compare all others with texts."""

_OPENING = {"on": "open", "off": "closed"}
_DETECTOR = {"on": "detected", "off": "clear"}
_CLASS_STATES: Mapping[str, Mapping[str, str]] = {
    **{each: _OPENING for each in ("door", "window", "garage", "garage_door", "gate", "opening")},
    **{each: _DETECTOR for each in ("motion", "occupancy", "presence", "moisture", "vibration", "sound")},
    **{each: _DETECTOR for each in ("smoke", "gas", "carbon_monoxide")},
    "battery": {"on": "low", "off": "normal"},
    "lock": {"on": "unlocked", "off": "locked"},
}
"""What the states of a contact or sensor mean, by its class."""


def render(
    language: str,
    intent: str,
    response: str | None,
    slots: Mapping[str, Any],
    matched: Sequence[DeviceAnswer],
    unmatched: Sequence[DeviceAnswer],
    problem: Problem | None = None,
) -> str:
    """Return what is said after a wish; never "".

    `language` is one of the library's, `response` the key that the sentence's template names. `slots` are the words
    of the sentence, or numbers. `matched` are the devices for which the wish was done, or that are as a question
    asks; `unmatched` the others. With a problem that some devices have, both are said.
    """
    wish = _Wish(wording_in(language), intent, response or "default", slots, matched, unmatched)
    if problem is None:
        return wish.answer()
    if matched and problem.kind in _PARTIAL and intent not in _QUESTIONS:
        return joined(language, [wish.in_our_words(), wish.explained(problem)])
    return wish.explained(problem)


def render_each(
    language: str, intent: str, response: str | None, slots: Mapping[str, Any], devices: Sequence[DeviceAnswer]
) -> list[str]:
    """Return what a question about several devices or rooms is answered: a sentence for each, with its name."""
    wording = wording_in(language)
    return [_Wish(wording, intent, response or "default", slots, [each], []).of_several() for each in devices]


def joined(language: str, sentences: Sequence[str]) -> str:
    """Return sentences as one text; if there are several, each with a full stop."""
    return sentences[0] if len(sentences) == 1 else " ".join(map(wording_in(language).ended, sentences))


class _Wish:
    """A wish, and what became of it."""

    def __init__(
        self,
        wording: Wording,
        intent: str,
        response: str,
        slots: Mapping[str, Any],
        matched: Sequence[DeviceAnswer],
        unmatched: Sequence[DeviceAnswer],
    ) -> None:
        self.wording = wording
        self._intent = intent
        self._response = response
        matched, unmatched = ([_prepared(each, wording.is_ours) for each in some] for some in (matched, unmatched))
        self._devices = matched + unmatched
        self._is_partial = bool(matched and unmatched)
        self._domain = _common(each.domain for each in self._devices) or str(slots.get("domain", ""))
        self._slots = _texts(slots, self._devices)
        fractions = [each for each in self._slots.values() if isinstance(each, str) and "." in each and is_number(each)]
        self._fractions = {each: wording.number(float(each)) for each in fractions}
        self._values = {
            "slots": self._slots,
            "state": next(iter(self._devices), None),
            "query": {"matched": matched, "unmatched": unmatched},
            "state_attr": self._attribute,
            "shown": self._shown(),
            **self._own_values(slots),
        }
        if matched:
            self._values["what"] = self._what(matched)

    def answer(self) -> str:
        """Return the library's response, or ours."""
        unknown = Problem("no_state", [each.name for each in self._devices])
        if self._intent in _STATES and not self._is_known():
            return self.explained(unknown)
        return next(filter(None, self._said()), "") or self.explained(unknown)

    def in_our_words(self) -> str:
        """Return our words for what was done; "" for a question to which there are none."""
        done = [] if self._intent in _QUESTIONS else ["done"]
        return self.wording.own("answers", [*self._keys(), *done], self._values)

    def of_several(self) -> str:
        """Return our words for one of several devices that were asked for, else its name and the library's."""
        has_ours = self._intent == "HassGetState" or self.wording.is_ours
        words = self.wording.own("answers", [f"{self._intent}.each", self._intent], self._values) if has_ours else ""
        return words or f"{self._devices[0].name}: {self.answer()}"

    def explained(self, problem: Problem) -> str:
        """Return the sentence about a problem."""
        if problem.text and not (problem.reason and self.wording.is_ours):
            return problem.text
        values = {**self._values, **self._problem_values(problem)}
        if not self.wording.is_ours and (words := self.wording.error(_ERRORS.get(problem.kind, ""), values)):
            return words
        if problem.kind == "no_way":
            return self.wording.own("no_way", [*self._keys(), "default"], values)
        return self.wording.own("problems", [problem.kind], values)

    def _problem_values(self, problem: Problem) -> dict[str, Any]:
        """Return what templates about problems use; `choices` only where there are few enough to be read out."""
        kind, areas = problem.kind, problem.areas
        names = list(problem.names) or self._names_for(kind)
        values: dict[str, Any] = {"names": names, "areas": areas, "is_one": False}
        if names:
            values |= {"what": self._counted(names, "device"), "entity": names[0]}
        if problem.text:
            values |= {"text": problem.text} | self._reason_values(problem)
        if areas:
            values |= {"where": self.wording.phrase(areas), "area": areas[0]}
        choices = areas or ([] if kind == "duplicate" else names)
        if 0 < len(choices) <= _READ_OUT:
            values |= {"choices": self.wording.phrase(choices, "or"), "is_one": len(choices) == 1}
        return values

    def _reason_values(self, problem: Problem) -> dict[str, Any]:
        """Return the words for the reason of a failure; none if there are none."""
        known = {name: value for name, value in problem.allowed.items() if name != "enum"}
        if names := [str(each) for each in problem.allowed.get("enum", ())]:
            known["possible"] = self.wording.phrase(names, "or")
        words = self.wording.reason(problem.reason, known)
        return {"reason": words} if words else {}

    def _said(self) -> Iterator[str]:
        """Yield what can be said, the best first; "" where a response does not fit."""
        if self._intent in _SWITCHES:
            yield self.in_our_words() if self._is_partial else ""
            yield from self._switched()
        else:
            yield from map(self._from_library, _variants(self._response))
            if self._intent not in _QUESTIONS:
                yield self._from_library("default")
        yield self.in_our_words()

    def _switched(self) -> Iterator[str]:
        is_special = self._domain in _WITH_WORDS_OF_THEIR_OWN
        if len(self._devices) > 1:
            if self._response not in _FOR_ONE:
                yield self._from_library(self._response)
            if self.wording.is_ours:
                yield self.in_our_words()
        elif self._response != "default" or not is_special:
            yield self._from_library(self._response)
        yield self._from_library(self._domain)
        if not is_special:
            yield self._from_library("default")

    def _from_library(self, key: str) -> str:
        """Return a response; "" where there is none, or if it cuts the decimals off a number, as Chinese ones do."""
        words = self.wording.response(self._intent, key, self._values)
        has_number = any(each.isdigit() for each in words)
        return "" if has_number and any(each not in words for each in self._fractions.values()) else words

    def _keys(self) -> list[str]:
        """Return the keys of our sentences, the closest first."""
        adjusted = f"{self._slots.get('quantity')}_{self._slots.get('direction')}"
        refined = (adjusted, *_variants(self._response), self._domain)
        return [*(f"{self._intent}.{each}" for each in refined), self._intent]

    def _is_known(self) -> bool:
        """Return whether the devices have what a question asks for."""
        if self._intent == "HassClimateGetTemperature":
            return "temperature" in self._values
        return any(each.state for each in self._devices)

    def _own_values(self, slots: Mapping[str, Any]) -> dict[str, Any]:
        """Return what only our templates use."""
        values: dict[str, Any] = {}
        if self._devices:
            first = self._devices[0]
            target = first.attributes.get("temperature") if "target" in self._response else None
            measured = first.attributes.get("current_temperature") if target is None else target
            if measured is not None or is_number(first.state):
                values["temperature"] = float(first.state if measured is None else measured)
            if len(self._devices) == 1 and (reached := first.attributes.get(str(slots.get("quantity")))) is not None:
                values["value"] = reached
        if "value" in slots:
            values["value"] = slots["value"]
        return values

    def _what(self, devices: Sequence[DeviceAnswer]) -> str:
        """Return the phrase for devices: their names, or "5 lights"."""
        device_class = _common(each.attributes["device_class"] for each in devices)
        return self._counted([each.name for each in devices], device_class or _common(each.domain for each in devices))

    def _counted(self, names: Sequence[str], kind: str) -> str:
        """Return names of devices as a phrase, or how many there are; two may have the same name."""
        is_few = len(names) <= _NAMED
        return self.wording.phrase(list(dict.fromkeys(names))) if is_few else self.wording.counted(len(names), kind)

    def _shown(self) -> dict[str, str]:
        """Return what is put out for a state or a number."""
        shown = dict(self._fractions)
        for device in self._devices:
            word = self.wording.state(_meaning(device.attributes, device.state))
            shown.setdefault(device.state, word)
            shown.setdefault(device.state_with_unit, f"{word} {device.unit}".strip())
        if isinstance(state := self._slots.get("state"), str):
            shown.setdefault(state, self.wording.state(state))
        return shown

    def _attribute(self, entity_id: str, name: str) -> Any:
        """Return an attribute of a device, or None: the `state_attr` of Home Assistant's templates."""
        return next((each.attributes.get(name) for each in self._devices if each.entity_id == entity_id), None)

    def _names_for(self, kind: Kind) -> list[str]:
        """Return the names that a problem without names is about."""
        if kind in ("which", "not_understood", "no_such_area"):
            return []
        said = [self._slots["name"]] if "name" in self._slots else []
        return said if kind in ("no_device", "duplicate") else [each.name for each in self._devices] or said


def _prepared(device: DeviceAnswer, is_meant: bool) -> DeviceAnswer:
    """Return a device as templates need it: with a class, if only "", and with the state that is meant.

    Templates compare the class without asking whether there is one. In languages without words of ours they may
    also compare the states of contacts with "on".
    """
    attributes = {"device_class": "", **device.attributes}
    return replace(
        device, attributes=attributes, state=_meaning(attributes, device.state) if is_meant else device.state
    )


def _meaning(attributes: Mapping[str, Any], state: str) -> str:
    """Return what a state means for a device of this class: "open" for a window that is "on"."""
    return _CLASS_STATES.get(attributes["device_class"], {}).get(state.casefold(), state)


def _texts(slots: Mapping[str, Any], devices: Sequence[DeviceAnswer]) -> dict[str, Any]:
    """Return the slots as the library's templates expect them: numbers as texts, and the name of a single device."""
    texts = {key: value if key in _COUNTED else _text(value) for key, value in slots.items()}
    if len(devices) == 1:
        texts.setdefault("name", devices[0].name)
    if "search_query" in texts:  # Home Assistant has the title that was found under this name
        texts.setdefault("media", texts["search_query"])
    return texts


def _text(value: Any) -> Any:
    return f"{value:.12g}" if isinstance(value, int | float) else value


def _variants(response: str) -> tuple[str, ...]:
    """Return a key, and those that it refines: "any" of "cover_any", "brightness" of "brightness_area"."""
    before, _, after = response.partition("_")
    return tuple(dict.fromkeys(filter(None, (response, after, before))))


def _common(values: Iterable[str]) -> str:
    """Return the one value that all have; "" if they differ or there are none."""
    different = set(values)
    return different.pop() if len(different) == 1 else ""
