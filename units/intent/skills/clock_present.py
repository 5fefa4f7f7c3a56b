"""Questions for the time and the date of now: read from all words of a sentence, in any order.

A sentence is such a question only where each of its words is known here. What is asked for follows from the kinds of
words that there are: "gib mir mal eben die genaue Uhrzeit", "on est quel jour déjà".
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from units.intent.values.plain import base_of

WORDS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    Path(__file__).with_name("clock_present_words.toml").read_text(encoding="utf-8")
)
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
    kinds = set(_kinds(text, base) or ())
    asked = {_ASKED[kind] for kind in kinds & _ASKED.keys()}
    if not asked or "not" in kinds or not (kinds & _CLEAR.get(base, _USUALLY_CLEAR) or "ask" in kinds):
        return None
    if asked == {"time", "date"}:
        return "date_time"
    return asked.pop() if len(asked) == 1 else None


def _kinds(text: str, base: str) -> Sequence[str] | None:
    """Return the kinds of the words of a text; None if one is not known."""
    found, at = list[str](), 0
    while at < len(text):
        match = _pattern(base).match(text, at)
        if match is None:
            return None
        found.append(str(match.lastgroup).rpartition("_")[0])
        at = match.end() + (text[match.end() : match.end() + 1] == " ")
    return found


@cache
def _pattern(base: str) -> re.Pattern[str]:
    """Return a pattern of one known word, the longest first, with a group for each kind."""
    edge = "" if base == "zh" else r"(?!\w)"
    each = [(word, kind) for kind, words in WORDS[base].items() for word in words.split("|")]
    each.sort(key=lambda pair: len(pair[0]), reverse=True)
    seen, parts = dict[str, int](), list[str]()
    for word, kind in each:
        seen[kind] = seen.get(kind, 0) + 1
        parts.append(f"(?P<{kind}_{seen[kind]}>{word}{edge})")
    return re.compile("|".join(parts))
