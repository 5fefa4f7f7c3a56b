"""A whole sentence: one wish, several joined by "and", or one that is to be carried out later."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from units.intent.actions import ADJUST, STOPS, TIMER
from units.intent.house import House
from units.intent.recognizer import Reading, Recognizer
from units.intent.wishes import Wish, find_wish

_JOINING: Mapping[str, tuple[str, ...]] = {
    "en": ("and then", "and", "then"),
    "de": ("und dann", "und", "dann"),
    "fr": ("et puis", "et", "puis"),
    "es": ("y luego", "y", "e", "luego"),
    "zh": ("然后", "并且", "还有", "和", "并", "再"),
}
"""The words between two commands; in other languages a comma."""

_MOST_JOINTS = 6
"""At how many places a sentence may be divided: each costs two more recognitions."""

_SECONDS = {"hours": 3600, "minutes": 60, "seconds": 1}


@dataclass(frozen=True)
class Later:
    """A command for later."""

    reading: Reading
    seconds: float
    command: str


@dataclass(frozen=True)
class Understood:
    """What a sentence says. Without wishes nothing is to be done ("never mind")."""

    reading: Reading
    wishes: Sequence[Wish]
    later: Later | None = None


class Listener:
    """Sentences of one language in one house, heard in one room."""

    def __init__(self, recognizer: Recognizer, house: House, room: str) -> None:
        self._recognizer = recognizer
        self._house = house
        self._room = room
        self._joints = _joints(recognizer.language)
        self._known: dict[str, Sequence[Reading]] = {}

    def understand(self, text: str) -> Understood | None:
        """Return what a sentence says, or None if it is not recognised."""
        if wishes := self._at_once(text):
            return Understood(wishes[0].reading, wishes)
        for reading in self._readings(text):
            if reading.intent in STOPS:
                return Understood(reading, ())
            if reading.intent == TIMER:
                command = str(reading.value("conversation_command"))
                # Nobody is there any longer to hear the answer to a question.
                if (wishes := self._at_once(command)) and not wishes[0].reading.is_question:
                    return Understood(reading, wishes, Later(reading, _seconds(reading), command))
        return None

    def _at_once(self, text: str) -> Sequence[Wish]:
        """Return the wishes of a sentence that is no command for later; none if it is not recognised."""
        wishes = self._part(text)
        # "Play X and turn Y off" is also a search for "X and turn Y off".
        if not wishes or wishes[0].reading.has_wildcard:
            return _without_repeated(self._divided(text)) or wishes
        return wishes

    def _divided(self, text: str) -> Sequence[Wish]:
        """Return the wishes of a sentence of which each part is recognised alone; none if there is no such division."""
        for at, joint in enumerate(self._joints.finditer(text)):
            if at == _MOST_JOINTS:
                break
            first, rest = self._part(text[: joint.start()]), text[joint.end() :]
            if first and (others := self._part(rest) or self._divided(rest)):
                return (*first, *others)
        return ()

    def _part(self, text: str) -> Sequence[Wish]:
        """Return the wish of a sentence, or of a part of one."""
        readings = self._readings(text)
        if not readings or readings[0].intent in (*STOPS, TIMER):
            return ()
        return (find_wish([each for each in readings if each.intent != TIMER], self._house),)

    def _readings(self, text: str) -> Sequence[Reading]:
        if text not in self._known:
            self._known[text] = self._recognizer.readings(text, self._house, self._room)
        return self._known[text]


def _without_repeated(wishes: Sequence[Wish]) -> Sequence[Wish]:
    """Return wishes without those that a later one repeats: "too dark here, turn the lights up" is one wish."""
    said = [(frozenset(wish.devices), *map(wish.reading.value, ("direction", "quantity"))) for wish in wishes]
    return [
        wish
        for at, wish in enumerate(wishes)
        if wish.reading.intent != ADJUST or not wish.devices or said[at] not in said[at + 1 :]
    ]


def _joints(language: str) -> re.Pattern[str]:
    base = language.partition("-")[0]
    words = "|".join(map(re.escape, _JOINING.get(base, ())))
    if base == "zh":
        return re.compile(rf"\s*[\uff0c,、\uff1b;。]\s*(?:{words})?|(?:{words})")
    between = rf"[,;.]?\s+(?:{words})\s+|[,;.]\s+" if words else r"[,;.]\s+"
    return re.compile(between, re.IGNORECASE)


def _seconds(reading: Reading) -> float:
    return float(sum(float(reading.value(unit) or 0) * seconds for unit, seconds in _SECONDS.items()))
