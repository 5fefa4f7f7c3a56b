"""What somebody asks of the own calendar: read from all words of a question, in any order."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from units.intent.skills.known_words import Kinds, kinds_of, read_words, tokens_of
from units.intent.skills.plain_question import plainer
from units.intent.skills.weather_wish import WORDS as WEATHER_WORDS
from units.intent.values.near_day import said_day
from units.intent.values.plain import base_of

WORDS: Mapping[str, Any] = read_words("calendar_words")
"""By language, by kind."""

_MOST_WORDS = 26
_MARKS = re.compile(r"[?!,;\"]+|:(?!\d)|\.(?!\d|m\b)|(?<!\w)'|'(?!\w)")
_plainer = plainer({})


@dataclass(frozen=True)
class CalendarWish:
    """A question about the own calendar, as it was read from a sentence."""

    do: str
    """day or next."""

    day: str = ""
    """A word for a day as `near_day` knows it, or OTHER_DAY."""


def read_wish(words: str, language: str) -> CalendarWish | None:
    """Return what a sentence asks of the own calendar; None if it is about something else, or is to change it."""
    base = base_of(language)
    if base not in WORDS:
        return None
    text = " ".join(_MARKS.sub(" ", words.casefold().replace("\u2019", "'")).split())
    if _changes(base).search(text) or _pattern(base, "not_own").search(text):
        return None
    readings = (_read(each, base) for each in dict.fromkeys((text, *_plainer(text, language))))
    return next(filter(None, readings), None)


def _read(text: str, base: str) -> CalendarWish | None:
    if found := _pattern(base, "looked_for").match(text) or _pattern(base, "about").match(text):
        rest = text[found.end() :]
        if not rest or tokens_of(rest.strip(), _kinds(base), _MOST_WORDS):
            return _wish(text, base, is_looked_for=True)
    tokens = tokens_of(text, _kinds(base), _MOST_WORDS)
    if not tokens:
        return None
    has = {each.kind for each in tokens}
    is_asked = tokens[0].kind == "ask" or (
        tokens[0].words in ("my", "our", "i") and "noun" in {e.kind for e in tokens[:3]}
    )
    is_own = _pattern(base, "personal").search(text) or ("time" in has and _pattern(base, "own").search(text))
    if "noun" not in has or not is_asked or not is_own or not ("time" in has or _pattern(base, "own").search(text)):
        return None
    return _wish(text, base, is_looked_for=False)


def _wish(text: str, base: str, *, is_looked_for: bool) -> CalendarWish:
    """Return what is asked: a day, or what is next; an appointment without a day is looked for among the next."""
    day = said_day(text)
    is_next = _pattern(base, "next").search(text) is not None or (is_looked_for and not day)
    return CalendarWish("next") if is_next else CalendarWish("day", day)


@cache
def _kinds(base: str) -> Kinds:
    """Return the pattern of each kind of words, those first that say most."""
    words = WORDS[base]
    time = WEATHER_WORDS[base]["time"]
    return kinds_of({"noun": words["noun"], "ask": words["ask"], "time": time, "be": words["be"]})


@cache
def _pattern(base: str, key: str) -> re.Pattern[str]:
    """Return the pattern of whole questions of a kind."""
    return re.compile(WORDS[base]["whole"][key])


@cache
def _changes(base: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{WORDS[base]['change']})\b")
