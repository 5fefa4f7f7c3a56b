"""Questions for the time and the date of now: read from all words of a sentence, in any order.

A sentence is such a question only where each of its words is known here. What is asked for follows from the kinds of
words that there are: "gib mir mal eben die genaue Uhrzeit", "on est quel jour déjà".
"""

import re
from collections.abc import Mapping
from functools import cache

from units.intent.skills.known_words import Kinds, kinds_of, read_words, tokens_of
from units.intent.values.plain import base_of

WORDS: Mapping[str, Mapping[str, str]] = read_words("clock_present_words")
"""By language, by kind."""

_MOST_WORDS = 16
_MOST_SIGNS = 24
"""The same in a script without spaces."""

_ASKED = {
    "time": "time",
    "hour": "time",
    "date": "date",
    "day": "date",
    "year": "year",
    "month": "month",
    "week": "week",
}
_CLEAR: Mapping[str, frozenset[str]] = {"zh": frozenset({"time", "date", "year", "month", "week"})}
"""Kinds of words that need no word of a question beside them, where these are not the usual ones."""

_USUALLY_CLEAR = frozenset({"time", "date"})
"""A "Uhrzeit" is asked for, a "Zeit" need not be."""


def read_present_question(words: str, language: str) -> str | None:
    """Return what is asked for: time, date, date_time, year, month or week; None for any other sentence."""
    base = base_of(language)
    if base not in WORDS:
        return None
    text = re.sub(r"[^\w ]+", " ", words.casefold()).strip()
    text = text.replace(" ", "") if base == "zh" else " ".join(text.split())
    if len(text if base == "zh" else text.split()) > (_MOST_SIGNS if base == "zh" else _MOST_WORDS):
        return None
    kinds = {token.kind for token in tokens_of(text, _kinds(base), _MOST_SIGNS)}
    asked = {_ASKED[kind] for kind in kinds & _ASKED.keys()}
    if not asked or "not" in kinds or not (kinds & _CLEAR.get(base, _USUALLY_CLEAR) or "ask" in kinds):
        return None
    if asked == {"time", "date"}:
        return "date_time"
    return asked.pop() if len(asked) == 1 else None


@cache
def _kinds(base: str) -> Kinds:
    return kinds_of(WORDS[base], edge="" if base == "zh" else r"(?!\w)")
