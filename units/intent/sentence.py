"""A whole sentence: one wish, several joined by "and", or one that is to be carried out later."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Any

from units.intent.actions import ADJUST, READ, STATE, STOPS, TIMER
from units.intent.evidence import is_question
from units.intent.house import House
from units.intent.naming import HomeIndex
from units.intent.recognizer import Reading, Recognizer
from units.intent.rewording import Rewording, Wording
from units.intent.wishes import Wish, find_wish

_JOINING: Mapping[str, tuple[str, ...]] = {
    "en": ("and then", "and", "then"),
    "de": ("und dann", "und", "dann"),
    "fr": ("et puis", "et", "puis"),
    "es": ("y luego", "y", "e", "luego"),
    "zh": ("然后", "并且", "还有", "和", "并", "再"),
}
"""The words between two commands; in other languages a comma."""

MOST_JOINTS = 6
"""At how many places a sentence may be divided: each costs two more recognitions."""

_WHERE = ("name", "name2", "name3", "area", "area2", "area3", "floor", "domain", "device_class", "scope")
"""Slots that only say which devices are meant."""

_MOST_SHARED = 5
"""How many words of one part of a sentence may belong to the other one as well."""

_MOST_RECOGNITIONS = 40
"""How many wordings and parts of a sentence are looked at."""

_SECONDS = {"hours": 3600, "minutes": 60, "seconds": 1}


@dataclass(frozen=True)
class Later:
    """A command for later."""

    reading: Reading
    seconds: float
    command: str
    """What is understood again when it is due; the replies to what was asked back are further lines."""


@dataclass(frozen=True)
class Understood:
    """What a sentence says. Without wishes nothing is to be done ("never mind")."""

    reading: Reading
    wishes: Sequence[Wish]
    later: Later | None = None


class Listener:
    """Sentences of one language in one house, heard in one room."""

    def __init__(self, recognizer: Recognizer, house: House, index: HomeIndex, room: str) -> None:
        self._recognizer = recognizer
        self._house = house
        self._room = room
        self._rewording = Rewording(recognizer.language, house, index, recognizer.vocabulary)
        self._joints = joints_of(recognizer.language)
        self._known: dict[tuple[str, str], Sequence[Reading]] = {}

    def understand(self, text: str) -> Understood | None:
        """Return what a sentence says, or None if it is not recognised."""
        said = self._rewording.spelled(text)
        understood = self._as_said(said)
        if understood and not any(wish.problem and wish.problem.kind == "no_device" for wish in understood.wishes):
            return understood
        wordings = [Wording(said), *self._rewording.others(said)]
        for find in (self._at_once, self._shared):
            for wording in wordings:
                wishes = find(wording.text, wording.room or self._room)
                if wishes and (understood is None or not any(wish.problem for wish in wishes)):
                    return Understood(wishes[0].reading, wishes)
        return understood or self._asked(said)

    def _asked(self, text: str) -> Understood | None:
        """Return a question about devices that are named, in words that no sentence has: their states are read."""
        named = self._rewording.asked_about(text)
        reading = Reading(STATE, "one", {}, (), self._recognizer.language, text)
        wishes = [Wish(reading, (each,)) for each in self._house.devices if self._house.argument(each) in named]
        wishes = [wish for wish in wishes if self._house.tool(READ, wish.devices[0])]
        return Understood(reading, wishes) if wishes else None

    def _as_said(self, text: str) -> Understood | None:
        if wishes := self._at_once(text, self._room):
            return Understood(wishes[0].reading, wishes)
        for reading in self._readings(text, self._room):
            if reading.intent in STOPS:
                return Understood(reading, ())
            if reading.intent == TIMER:
                command = " ".join(str(reading.value("conversation_command")).split())
                # Nobody is there any longer to hear the answer to a question.
                if (wishes := self._at_once(command, self._room)) and not wishes[0].reading.is_question:
                    return Understood(reading, wishes, Later(reading, _seconds(reading), command))
        return None

    def _at_once(self, text: str, room: str) -> Sequence[Wish]:
        """Return the wishes of a sentence that is no command for later; none if it is not recognised."""
        wishes = self._part(text, room)
        # "Play X and turn Y off" is also a search for "X and turn Y off".
        if not wishes or wishes[0].reading.has_wildcard:
            return _without_repeated(self._divided(text, room)) or wishes
        return wishes

    def _divided(self, text: str, room: str) -> Sequence[Wish]:
        """Return the wishes of a sentence of which each part is recognised alone; none if there is no such division."""
        for left, right in self._parts(text):
            # "Turn off the radio and the lights please" does not turn the lights on.
            if self._rewording.has_verb(left) and not self._rewording.has_verb(right):
                continue
            if (first := self._part(left, room)) and (others := self._after(first, right, room)):
                return (*first, *others)
        return ()

    def _parts(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield what stands before and after each word that may join two wishes."""
        for joint in islice(self._joints.finditer(text), MOST_JOINTS):
            yield text[: joint.start()], self._rewording.without_also(text[joint.end() :])

    def _after(self, first: Sequence[Wish], text: str, room: str) -> Sequence[Wish]:
        """Return the wishes of the rest of a sentence; without a room it is about the place of the first part."""
        wishes = self._part(text, room) or self._divided(text, room)
        areas = {device.area for wish in first for device in wish.devices}
        if len(areas) == 1 and wishes and wishes[0].problem:
            there = self._part(text, areas.pop())
            return there if there and not there[0].problem else wishes
        return wishes

    def _shared(self, text: str, room: str) -> Sequence[Wish]:
        """Return the wishes of a sentence whose parts take words from each other: "turn the tv and the lights off"."""
        for left, right in self._parts(text):
            if len(self._known) >= _MOST_RECOGNITIONS:
                break
            before, after = left.split(), right.split()
            seconds = [" ".join((*before[:at], right)) for at in range(min(len(before), _MOST_SHARED))]
            seconds += [f"{right} {' '.join(before[-1:])}"]  # "the lights off and the fan"
            rest = [found for each in seconds if _is_clear(found := self._part(each, room) or self._shared(each, room))]
            if (first := self._part(left, room)) and (
                more := next((each for each in rest if _is_more(first, each)), None)
            ):
                return (*first, *more)
            ends = (after[at:] for at in range(max(1, len(after) - _MOST_SHARED), len(after) + 1))
            for end in ends if rest else ():
                first = self._part(" ".join((left, *end)), room)
                others = next((each for each in rest if _are_alike(first, each)), None) if _is_clear(first) else None
                if others:
                    return _as_one((*first, *others))
            if (first := self._part(left, room)) and (others := self._after(first, right, room)):
                return (*first, *others)
        return ()

    def _part(self, text: str, room: str) -> Sequence[Wish]:
        """Return the wish of a sentence, or of a part of one."""
        readings = self._readings(text, room)
        if not readings or readings[0].intent in (*STOPS, TIMER):
            return ()
        wish = find_wish([each for each in readings if each.intent != TIMER], self._house)
        # "Do I need to turn off the fan" turns nothing off.
        return () if not wish.reading.is_question and is_question(text, self._recognizer.language) else (wish,)

    def _readings(self, text: str, room: str) -> Sequence[Reading]:
        if (text, room) not in self._known:
            if len(self._known) >= _MOST_RECOGNITIONS:
                return ()
            self._known[text, room] = self._recognizer.readings(text, self._house, room)
        return self._known[text, room]


def _without_repeated(wishes: Sequence[Wish]) -> Sequence[Wish]:
    """Return wishes without those that a later one repeats: "too dark here, turn the lights up" is one wish."""
    said = [(_what(wish), frozenset(wish.devices)) for wish in wishes]
    return [wish for at, wish in enumerate(wishes) if not wish.devices or said[at] not in said[at + 1 :]]


def _as_one(wishes: Sequence[Wish]) -> Sequence[Wish]:
    """Return wishes that want the same of different devices as one, so that its answer names them all."""
    first, *others = wishes
    if any(_what(other) != _what(first) for other in others):
        return wishes
    return (replace(first, devices=tuple(dict.fromkeys(device for wish in wishes for device in wish.devices))),)


def _is_clear(wishes: Sequence[Wish]) -> bool:
    return bool(wishes) and not any(wish.problem or wish.reading.has_wildcard for wish in wishes)


def _are_alike(first: Sequence[Wish], others: Sequence[Wish]) -> bool:
    """Return whether two parts want the same of different devices."""
    is_same = first[0].reading.intent == others[0].reading.intent
    return is_same and set(first[0].devices).isdisjoint(others[0].devices)


def _is_more(first: Sequence[Wish], others: Sequence[Wish]) -> bool:
    """Return whether two parts want different things of the same devices: "set the lamp to 50 percent and red"."""
    is_same = [wish.devices for wish in first] == [wish.devices for wish in others]
    return is_same and _is_clear(first) and all(_what(one) != _what(other) for one in first for other in others)


def _what(wish: Wish) -> tuple[Any, ...]:
    """Return what is wanted of the devices."""
    values = {name: slot.value for name, slot in wish.reading.slots.items() if name not in _WHERE}
    if wish.reading.intent == ADJUST:
        values = {name: values.get(name) for name in ("direction", "quantity")}
    return wish.reading.intent, wish.reading.response, sorted(values.items())


@cache
def joints_of(language: str) -> re.Pattern[str]:
    """Return a pattern of what may stand between two wishes."""
    base = language.partition("-")[0]
    words = "|".join(map(re.escape, _JOINING.get(base, ())))
    if base == "zh":
        return re.compile(rf"\s*[\uff0c,、\uff1b;。]\s*(?:{words})?|(?:{words})")
    between = rf"[,;.]?\s+(?:{words})\s+|[,;.]\s+" if words else r"[,;.]\s+"
    return re.compile(between, re.IGNORECASE)


def _seconds(reading: Reading) -> float:
    return float(sum(float(reading.value(unit) or 0) * seconds for unit, seconds in _SECONDS.items()))
