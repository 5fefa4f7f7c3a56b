"""Sentences of known words alone, each of a kind: what is wanted follows from the kinds, in any order."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Kinds = Sequence[tuple[str, re.Pattern[str]]]
"""The kinds of known words, each with the pattern of its words."""

WHOLE_WORD = r"(?![\w'])"
"""What may not follow on a known word."""


class Token(NamedTuple):
    """Some words of a sentence that belong together."""

    kind: str
    words: str


def read_words(name: str) -> Mapping[str, Any]:
    """Return the tables of a word file beside the skills, by language."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


def kinds_of(words: Mapping[str, str], edge: str = WHOLE_WORD) -> Kinds:
    """Return the pattern of each kind of words, in their order; `edge` is what may follow on a word."""
    return [(kind, re.compile(f"(?:{longest_first(' '.join(each.split()))}){edge}")) for kind, each in words.items()]


def tokens_of(text: str, kinds: Kinds, most: int) -> Sequence[Token]:
    """Return the words of a text with their kinds: of the longest that fit, those of the first kind.

    None of a text that has an unknown word, or more words than `most`.
    """
    found, at = list[Token](), 0
    while at < len(text):
        if text[at] == " ":
            at += 1
            continue
        matches = [(match.end(), kind) for kind, pattern in kinds if (match := pattern.match(text, at))]
        end, kind = max(matches, key=lambda each: each[0], default=(at, ""))
        if end == at or len(found) == most:
            return ()
        found.append(Token(kind, text[at:end].strip()))
        at = end
    return found


def longest_first(alternatives: str) -> str:
    """Return the alternatives of a pattern so that the longest one that fits is taken."""
    parts, depth, start = list[str](), 0, 0
    for at, sign in enumerate(alternatives):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and not depth:
            parts.append(alternatives[start:at])
            start = at + 1
    return "|".join(sorted((*parts, alternatives[start:]), key=len, reverse=True))
