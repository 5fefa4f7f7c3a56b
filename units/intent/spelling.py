"""One spelling for names and sentences, so that they can be compared: no case, no accents, no marks."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_ACCENTS = re.compile("[\u0300-\u036f]")
_WORDS = re.compile("[\u3040-\u30ff\u3400-\u9fff]|[^\\W_\u3040-\u30ff\u3400-\u9fff]+")
"""A word; in scripts without spaces, one character."""

_OF = "的"
"""Joins a room and its device in Chinese; names are written without it."""

_ARTICLES = (
    "the a an my our your in on of to at and for is der die das den dem des ein eine im am mein meine und le la les l "
    "un une du de d au mon ma et dans el los las una del mi en y"
)
ARTICLES = frozenset(_ARTICLES.split())
"""Words between which a misheard name does not begin or end."""


@dataclass(frozen=True)
class Window:
    """Words of a sentence that follow one another: those from `start` up to `end`, joined."""

    text: str
    start: int
    end: int
    first: str = ""
    last: str = ""

    def overlaps(self, other: "Window") -> bool:
        """Return whether the two share a word."""
        return self.start < other.end and other.start < self.end


def folded(text: str) -> str:
    """Return a text without case and Latin accents."""
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold())))


def words_of(text: str) -> list[str]:
    """Return the folded words of a text; each Chinese or Japanese character is a word."""
    return [word for word in _WORDS.findall(folded(text)) if word != _OF]


def joined(text: str) -> str:
    """Return the folded words of a text without spaces: "bed room" and "bedroom" are the same."""
    return "".join(words_of(text))


def windows_of(words: Sequence[str], longest: int) -> list[Window]:
    """Return all windows of one to `longest` words."""
    spans = ((start, start + size) for size in range(1, longest + 1) for start in range(len(words) - size + 1))
    return [Window("".join(words[start:end]), start, end, words[start], words[end - 1]) for start, end in spans]
