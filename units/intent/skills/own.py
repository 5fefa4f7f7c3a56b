"""A person's own skills: the daemon has read their files and does their actions, here are their sentences."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from units.intent.library import find_language
from units.intent.numbers import with_digits
from units.intent.skills.matcher import slots_in
from units.intent.skills.skill import Asked, Handler, Reader, Said, Skill, SkillCall, Steps
from units.intent.skills.texts import Texts, read_texts, texts_of

MARK = "own/"
"""Begins the names of these skills, so that none is taken for one of the board."""

_WORDS = read_texts(Path(__file__).with_suffix(".toml"))
_ONE = {
    "en": ("one", "a", "an"),
    "de": ("ein", "eine", "einen", "eins"),
    "fr": ("un", "une"),
    "es": ("un", "una", "uno"),
}
"""The number that `with_digits` leaves out, because it is also the article."""


def own_skills(rows: Sequence[Mapping[str, Any]]) -> list[Skill]:
    """Return the skills of the daemon's rows."""
    return [_skill(row) for row in rows]


def _skill(row: Mapping[str, Any]) -> Skill:
    texts = {find_language(tag): _with_usual_words(texts_of(table, tag), tag) for tag, table in row["texts"].items()}
    templates = [each for of in texts.values() for each in (*of.rules.values(), *chain(*of.sentences.values()))]
    empty = dict.fromkeys((slot for each in templates for slot in slots_in(each)), "")
    handlers: dict[str, Handler] = {
        intent: partial(_do, row["name"], empty) if intent in row["actions"] else partial(_answer, empty)
        for of in texts.values()
        for intent in of.sentences
    }
    readers: dict[str, Reader] = {slot: read_number for slot, kind in row["slots"].items() if kind == "number"}
    return Skill(f"{MARK}{row['name']}", texts, handlers, readers)


def _with_usual_words(texts: Texts, tag: str) -> Texts:
    """Return texts that have an answer for every intent, and one for failures."""
    usual = _WORDS.get(find_language(tag), _WORDS["en"]).answers
    answers = {**usual, **dict.fromkeys(texts.sentences, usual["text"]), **texts.answers}
    return Texts(texts.sentences, answers, texts.rules, texts.lists)


def _answer(empty: Mapping[str, Any], asked: Asked) -> Said:
    return Said(asked.intent, {**empty, **asked.slots})


def _do(name: str, empty: Mapping[str, Any], asked: Asked) -> Steps:
    slots = {**empty, **asked.slots}
    (outcome,) = yield [SkillCall("own_skill", {"skill": name, "intent": asked.intent, "slots": slots})]
    if not outcome.is_done:
        return Said("failed", slots)
    return Said(asked.intent, {**slots, **outcome.data})


def read_number(words: str, language: str) -> int | float | None:
    """Return the number that words say; None if they are no number."""
    if words.casefold() in _ONE.get(language.partition("-")[0], ()):
        return 1
    digits = with_digits(words.casefold(), language.partition("-")[0]).replace(",", ".")
    try:
        number = float(digits)
    except ValueError:
        return None
    return int(number) if number.is_integer() else number
