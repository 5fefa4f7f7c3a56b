"""What a sentence may say, by hassil: every reading of it, the best ones first."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from hassil import Intents, is_match, parse_sentence, recognize_all
from hassil.intents import RangeSlotList, SlotList, TextSlotList, TextSlotValue
from hassil.models import MatchEntity
from hassil.recognize import RecognizeResult
from hassil.util import normalize_for_matching, remove_skip_words

from units.intent.actions import ADJUST, LOOK, QUESTIONS, REPLY, STOPS
from units.intent.evidence import asks
from units.intent.house import Device, House, Spoken
from units.intent.library import OURS, class_words, load_intents
from units.intent.narrowing import Narrower
from units.intent.vocabulary import Vocabulary

NO_ROOM = "?"
"""The area of a sentence that means a room, where nobody knows which."""

MAX_LENGTH = 500
"""Longer texts are not looked at: nobody says so much in one command, and the time grows with the length."""

NAMES = ("name", "name2", "name3")
EXCEPT_NAMES = ("except_name", "except_name2")
_CAMERA_WORDS = re.compile(
    r"camera|\bcam\b|webcam|kamera|caméra|cámara|摄像|监控|picture|image|photo|snapshot|bild|foto|imagen|画面|照片|图片"
)
"""Words without which a question in words that no sentence has is about no camera, even if one has the name in it."""

_HYPHENS = str.maketrans("-_", "  ")
"""hassil takes a hyphen in a sentence for a space in a name, but not the other way round."""

_LISTS = {
    **dict.fromkeys((*NAMES, *EXCEPT_NAMES), "name"),
    **dict.fromkeys(("area", "area2", "area3", "except_area", "except_area2"), "area"),
    "floor": "floor",
}
"""The list of names that each slot takes its values from; sentences may write {name2} or {name:name2}."""


class Slot(NamedTuple):
    """A value, and the words that said it; "" if it follows from the sentence or from the room."""

    value: Any
    text: str
    domain: str = ""
    """The domain in which the name of a device was looked for."""

    @property
    def quoted(self) -> Any:
        """The value as answers quote it."""
        return self.value if isinstance(self.value, int | float) or not self.text else self.text


@dataclass(frozen=True)
class Reading:
    """One way to understand a sentence."""

    intent: str
    response: str
    slots: Mapping[str, Slot]
    rank: tuple[int, ...]
    """How good it is; the greater the better."""

    language: str
    sentence: str = ""
    has_wildcard: bool = False

    def value(self, slot: str) -> Any:
        """Return the value of a slot, or None."""
        return self.slots[slot].value if slot in self.slots else None

    @property
    def is_question(self) -> bool:
        """Return whether it asks for something and does nothing."""
        return self.intent in QUESTIONS

    @property
    def words(self) -> dict[str, Any]:
        """The slots as answers quote them: numbers, and otherwise the words of the sentence."""
        return {name: slot.quoted for name, slot in self.slots.items() if slot.value != NO_ROOM}


class Recognizer:
    """The sentences of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._intents = load_intents(language)
        self._replies = copy(self._intents)
        self._replies.intents = {REPLY: self._intents.intents.pop(REPLY)}
        self._narrower = Narrower(self._intents, _LISTS)
        self.class_words = class_words(self._intents)
        self.vocabulary = Vocabulary(self._intents)

    def warm(self, house: House) -> None:
        """Do now what the first sentences would have to wait for: parse what is said in this house, spell all numbers.

        A house without devices, as most boards have at first, needs few sentences.
        """
        if house.devices:
            self._narrower.prepare(house.domains(""))
        self.readings("x", house, "")
        for name, numbers in self._intents.slot_lists.items():
            if isinstance(numbers, RangeSlotList):
                is_match("x", parse_sentence(f"{{{name}}}"), {name: numbers}, language=self.language)

    def readings(self, text: str, house: House, room: str) -> list[Reading]:
        """Return all readings of a sentence, the best first; "" as room if it is not known.

        Where there are no devices, only those that end something are found.
        """
        if len(text) > MAX_LENGTH or not text.strip():
            return []
        spoken = house.spoken_in(text)
        found = recognize_all(
            text,
            self._possible(text, spoken, None if house.devices else STOPS),
            slot_lists=self._lists(spoken),
            language=self.language,
            intent_context={"area": room or NO_ROOM},
        )
        is_asked = asks(text, self.language)
        readings = (_in_room(self._reading(result, text, is_asked), room) for result in found)
        # "Doors all locked?" locks nothing.
        return _best_first(
            each
            for each in readings
            if (each.is_question or not is_asked) and (each.intent != LOOK or _may_look(each, house))
        )

    def replies(self, text: str, house: House, devices: Collection[Device]) -> list[Reading]:
        """Return all readings of a sentence as the reply to a question which of these devices is meant."""
        if len(text) > MAX_LENGTH or not text.strip():
            return []
        lists = self._lists(house.spoken_of(text, devices))
        found = recognize_all(text, self._replies, slot_lists=lists, language=self.language)
        return _best_first(self._reading(result, text, is_asked=False) for result in found)

    def _possible(self, text: str, spoken: Mapping[str, Sequence[Spoken]], intents: Collection[str] | None) -> Intents:
        """Return these intents, by default all, with the templates that may match a text."""
        as_said = normalize_for_matching(text).text.casefold()
        shorter = self._without_skip_words(as_said)
        forms = [as_said, shorter, *("".join(each.split()) for each in (as_said, shorter))]
        domains = {source: frozenset(each.domain for each in names) for source, names in spoken.items() if names}
        said = {slot: domains[source] for slot, source in _LISTS.items() if source in domains}
        return self._narrower.narrowed("\n".join(forms), said, intents)

    def _lists(self, spoken: Mapping[str, Sequence[Spoken]]) -> dict[str, SlotList]:
        lists = {name: TextSlotList(name, list(self._values(values))) for name, values in spoken.items()}
        return {slot: lists[source] for slot, source in _LISTS.items()}

    def _values(self, spoken: Iterable[Spoken]) -> Iterable[TextSlotValue]:
        for text, value, domain in spoken:
            context = {"domain": domain} if domain else {}
            for form in dict.fromkeys((text, text.translate(_HYPHENS), self._without_skip_words(text))):
                yield TextSlotValue.from_tuple((form, (value, domain), context), allow_template=False)

    def _without_skip_words(self, text: str) -> str:
        """Return a name without the words that hassil takes out of sentences ("Mal" in "Mal Zimmer")."""
        ignore_whitespace = self._intents.settings.ignore_whitespace
        return remove_skip_words(text, self._intents.skip_words, ignore_whitespace).strip()

    def _reading(self, result: RecognizeResult, text: str, is_asked: bool) -> Reading:
        slots = {name: _slot(each) for name, each in result.entities.items()}
        wildcards = [each for each in result.entities_list if each.is_wildcard]
        intent = result.intent.name
        rank = (
            # Nothing else can be done with a camera: "turn on the porch" is about the lamp of this name.
            -int(intent != LOOK and any(slots[name].domain == "camera" for name in NAMES if name in slots)),
            # "All lights off" is a command, "all lights off?" is a question.
            int((intent in QUESTIONS) == is_asked),
            # "Stop" alone is also the library's word for a pause.
            int(intent in STOPS),
            sum(len(slots[name].text) for name in (*NAMES, *EXCEPT_NAMES) if name in slots),
            -len(wildcards),
            # The library has many words for the lights of a room, also for "all" of them without a room.
            int("scope" in slots),
            result.text_chunks_matched,
            -sum(len(each.text or "") for each in wildcards),
            int(OURS in (result.intent_metadata or {})),
        )
        return Reading(intent, result.response or "default", slots, rank, self.language, text, bool(wildcards))


def _may_look(reading: Reading, house: House) -> bool:
    """Return whether a reading can be about a camera of the house."""
    return house.has_cameras and (not reading.has_wildcard or bool(_CAMERA_WORDS.search(reading.sentence.casefold())))


def _best_first(readings: Iterable[Reading]) -> list[Reading]:
    return sorted(readings, key=lambda each: (tuple(-place for place in each.rank), each.intent))


def _slot(entity: MatchEntity) -> Slot:
    value, domain = entity.value if isinstance(entity.value, tuple) else (entity.value, "")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return Slot(value, entity.text_clean, domain)


def _in_room(reading: Reading, room: str) -> Reading:
    """Return a wish to change something ("brighter") with the room, where it names no device and no place."""
    if reading.intent != ADJUST or not {"scope", "area", "floor", *NAMES}.isdisjoint(reading.slots):
        return reading
    return replace(reading, slots={**reading.slots, "area": Slot(room or NO_ROOM, "")})
