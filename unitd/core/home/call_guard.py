"""Judges a model's call of the board's own tools by the words of the sentence. Pure.

The evidence is what the intent program found in the words (`units.intent.evidence`). A call that the words do not back
is not done: it is asked back, and is then done after a "yes", or it is refused.
"""

import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from unitd.core.home.call_guard_words import LANGUAGES, asked_back, confirmed, contradicts, is_worded, refused
from unitd.core.home.devices import Entity
from unitd.core.home.tools import Tool

Evidence = Mapping[str, Any]

COLORS = frozenset(
    {
        *("red", "green", "blue", "yellow", "orange", "purple", "violet", "pink", "white", "black", "brown"),
        *("turquoise", "cyan", "magenta", "gold", "lime"),
    }
)
"""The colors that the evidence names."""

NO_VALUES = frozenset({"brightness", "color", "colour", "volume", "temperature", "light", "lights"})
"""Words that say which value is meant, and are none."""

_WORD = re.compile(r"\d+|[^\W\d_]+")


@dataclass(frozen=True)
class Verdict:
    """What is to become of a call."""

    is_allowed: bool
    answer: str = ""
    """What is said in place of the call; "" for an allowed one."""

    is_asked: bool = False
    """Whether `answer` asks for a yes: the call is kept, and done if `agrees` is true of the next sentence."""


ALLOWED = Verdict(True)


@dataclass(frozen=True)
class Attempt:
    """A call of a model, with what it is for."""

    name: str
    arguments: Mapping[str, Any]
    tool: Tool
    entity: Entity | None = None
    is_confirmed_first: bool = False
    """Whether `confirm` of tools.toml names the tool."""

    state: Mapping[str, Any] = field(default_factory=dict)
    """The numbers that were read of the device before: brightness, position, volume, temperature."""

    @property
    def is_reading(self) -> bool:
        """Return whether it switches nothing."""
        return self.tool.is_reading

    @property
    def values(self) -> dict[str, Any]:
        """Return the arguments other than the device."""
        return {key: value for key, value in self.arguments.items() if key != "entity" or self.entity is None}


def check(attempt: Attempt, evidence: Evidence | None, before: Evidence | None = None) -> Verdict:
    """Return whether the words allow a call; `before` is the evidence of the turn before this one.

    A call that reads needs no evidence: it tells no more than the person may ask.
    """
    if attempt.is_reading:
        return ALLOWED
    language = str((evidence or {}).get("language", "en"))
    if evidence is None or evidence.get("is_question") or evidence.get("is_negated"):
        return Verdict(False, refused(language))
    if contradicts(attempt.name, evidence["words"]):
        return Verdict(False, refused(language))
    device = attempt.entity.name if attempt.entity else ""
    evidence = _without_values(evidence, attempt)
    doubts = _doubts(attempt, evidence, before)
    if doubts is None:
        return Verdict(False, refused(language))
    if doubts:
        return Verdict(False, asked_back(language, device, doubts), is_asked=True)
    is_guessed = (
        language.partition("-")[0] in LANGUAGES
        and evidence["has_verb"]
        and not is_worded(attempt.name, evidence["words"])
    )
    if attempt.is_confirmed_first or is_guessed:
        return Verdict(False, confirmed(language, attempt.name, device, attempt.values), is_asked=True)
    return ALLOWED


def targets(called: Entity, entities: Iterable[Entity], evidence: Evidence | None) -> list[Entity]:
    """Return the devices that a model's call of one device stands for, by the words.

    They are those of the same kind that the words mean, where these say that it is a set ("all lights", "the lights in
    the hall"): a small model calls some of them. Where the words mean one device alone, it is that one. In any other
    sentence it is the called device.
    """
    if not evidence or evidence["unknown"]:
        return [called]
    keys = [*evidence["entities"], *evidence["meant"], *evidence["near"]]
    meant = [each for each in entities if each.kind == called.kind and _is_key(each, keys)]
    is_whole = not evidence["entities"] if evidence.get("is_set") else len(keys) == 1
    return meant if meant and is_whole else [called]


def agrees(evidence: Evidence | None) -> bool:
    """Return whether a sentence is a yes and nothing else; any other forgets the call that was asked about."""
    return bool(evidence) and (evidence or {}).get("says") == "yes"


def declines(evidence: Evidence | None) -> bool:
    """Return whether a sentence is a no and nothing else."""
    return bool(evidence) and (evidence or {}).get("says") == "no"


def evidence_of(entities: Iterable[Entity], language: str) -> dict[str, Any]:
    """Return the evidence of a turn that was done without a model: it named these devices."""
    found = list(entities)
    return {
        "entities": [each.id for each in found],
        "meant": [],
        "areas": [],
        "kinds": sorted({each.kind for each in found}),
        "language": language,
    }


def _without_values(evidence: Evidence, attempt: Attempt) -> Evidence:
    """Return the evidence without unknown words that are the call's own values, such as a title to be played."""
    values = {_plain(word) for value in attempt.values.values() for word in _WORD.findall(str(value).casefold())}
    return {**evidence, "unknown": [each for each in evidence["unknown"] if each not in values]}


def _doubts(attempt: Attempt, evidence: Evidence, before: Evidence | None) -> dict[str, Any] | None:
    """Return what is to be asked back: the device and values that the words do not back; None if nothing fits them."""
    schemas = attempt.tool.parameters
    unbacked = {
        key: value
        for key, value in attempt.values.items()
        if not _is_backed(value, schemas.get(key, {}), evidence, attempt.state)
    }
    if attempt.entity is None:
        is_called = any(_plain(word) in evidence["words"] for word in attempt.name.casefold().split("_"))
        return unbacked if evidence["is_request"] or evidence["numbers"] or is_called else None
    if before is not None and _continues(evidence):
        is_meant = attempt.entity.area in evidence["areas"] and attempt.entity.kind in before["kinds"]
    else:
        is_meant = _is_named(attempt.entity, evidence) or _is_meant_again(attempt.entity, evidence, before)
    if is_meant:
        return unbacked
    if not _may_be_meant(attempt.entity, evidence):
        return None
    return {"entity": attempt.entity.name, **unbacked}


def _continues(evidence: Evidence) -> bool:
    """Return whether a sentence only names a room for the wish of the turn before: "and in the bedroom"."""
    names_more = evidence["has_verb"] or evidence["entities"] or evidence["kinds"] or evidence["unknown"]
    return bool(evidence["areas"]) and not names_more


def _is_key(entity: Entity, keys: Iterable[str]) -> bool:
    return entity.name in keys or entity.id in keys


def _is_named(entity: Entity, evidence: Evidence) -> bool:
    """Return whether the sentence itself names a device and wishes something of it.

    A word that is neither common nor in the house may say that another device is meant ("the desk light" where there is
    none): then the kind or the area alone does not name it.
    """
    if not evidence["is_request"]:
        return False
    if _is_key(entity, evidence["entities"]):
        return True
    is_there = entity.area in evidence["areas"] and not evidence["kinds"] and not evidence["entities"]
    return not evidence["unknown"] and (is_there or _is_key(entity, evidence["meant"]))


def _is_meant_again(entity: Entity, evidence: Evidence, before: Evidence | None) -> bool:
    """Return whether the sentence means a device of the turn before: it points at it, or leaves it out."""
    if before is None or not evidence["is_request"] or evidence["unknown"]:
        return False
    names_nothing = not (evidence["entities"] or evidence["areas"] or evidence["meant"] or evidence["near"])
    if not names_nothing and not evidence["points"]:
        return False
    keys = (*before["entities"], *before["meant"])
    return _is_key(entity, keys) or (not keys and entity.area in before["areas"])


def _may_be_meant(entity: Entity, evidence: Evidence) -> bool:
    """Return whether it is worth to ask back: the words are a wish, and they name nothing else."""
    if not evidence["is_request"]:
        return False
    if _is_key(entity, (*evidence["near"], *evidence["meant"])):
        return True
    names_others = (
        evidence["entities"] or evidence["meant"] or (evidence["areas"] and entity.area not in evidence["areas"])
    )
    is_kind = not evidence["kinds"] or entity.kind in evidence["kinds"]
    return is_kind and not names_others


def _is_backed(value: Any, schema: Mapping[str, Any], evidence: Evidence, state: Mapping[str, Any]) -> bool:
    """Return whether the words, or the state that was read, have a value."""
    if isinstance(value, Mapping):
        return all(_is_backed(each, {}, evidence, state) for each in value.values())
    if isinstance(value, list | tuple):
        is_color = bool(evidence["colors"]) and all(isinstance(each, int | float) for each in value)
        return is_color or all(_is_backed(each, {}, evidence, state) for each in value)
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int | float):
        return value in evidence["numbers"] or _follows(value, evidence, state)
    return _is_text_backed(str(value), schema, evidence)


def _follows(value: float, evidence: Evidence, state: Mapping[str, Any]) -> bool:
    """Return whether a value is the one that was read, or lies where the wish goes from there: up, or down."""
    read = [each for each in state.values() if isinstance(each, int | float) and not isinstance(each, bool)]
    direction = evidence["direction"]
    return any(value == each or (direction and math.copysign(1, value - each) == direction) for each in read)


def _is_text_backed(value: str, schema: Mapping[str, Any], evidence: Evidence) -> bool:
    """Return whether the sentence has half of a text's words, and all its numbers.

    One of several fixed texts is a choice that the model may make from any words; a color is not.
    """
    said = {*evidence["words"], *evidence["colors"]}
    words = [word for each in _WORD.findall(value.casefold()) for word in _letters(each)]
    if value.casefold() in COLORS:
        return value.casefold() in said
    if value.casefold() in NO_VALUES:
        return False
    if "enum" in schema and not set(map(str.casefold, map(str, schema["enum"]))) <= COLORS:
        return True
    numbers = [float(word) for word in words if word.isdigit()]
    if not all(_is_said(number, evidence["numbers"]) for number in numbers):
        return False
    texts = [word for word in words if not word.isdigit()]
    return sum(_plain(word) in said for word in texts) * 2 >= len(texts)


def _is_said(number: float, numbers: Collection[float]) -> bool:
    """Return whether a number of a text was said; a time of day may be written with 24 hours and full minutes."""
    return number == 0 or number in numbers or number - 12 in numbers


def _letters(word: str) -> list[str]:
    """Return a word; in scripts without spaces, its characters, as the evidence has them."""
    return list(word) if any("\u3040" <= each <= "\u9fff" for each in word) else [word]


def _plain(word: str) -> str:
    """Return a word without Latin accents, as the evidence spells it."""
    return "".join(each for each in unicodedata.normalize("NFKD", word) if not "\u0300" <= each <= "\u036f")
