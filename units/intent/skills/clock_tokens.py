"""The parts of a question for the clock: known words by kind, and days, places, times and lengths that are read.

Each word of the sentence belongs to a part, or it is no question for the clock. Where its words can be divided in
several ways, all are tried, those first in which a value has many words.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import Any, NamedTuple

from units.intent.skills.clock_values import (
    read_length,
    read_month,
    read_one_day,
    read_somewhere,
    read_time,
    read_whose_day,
)
from units.intent.skills.known_words import read_words
from units.intent.values.calendar_day import read_year
from units.intent.values.clock_time import read_clock_time
from units.intent.values.feast import feast_names
from units.intent.values.place import read_place, read_region, similar_place
from units.intent.values.plain import digits_in, with_ordinals

_WORDS: Mapping[str, Mapping[str, Mapping[str, Any]]] = read_words("clock_words")

LANGUAGES = frozenset(_WORDS)
MOST_WORDS = 24
_REMEMBERED = 2048
"""What so many runs of words mean is remembered."""

_MOST_WORDS_OF_VALUE = 10
_MOST_WORDS_OF_PLACE = 3
_MOST_WORDS_OF_REGION = 2
_MOST_DIVISIONS = 120
_LANGUAGE = "en"

_IN_NO_VALUE = frozenset(_WORDS[_LANGUAGE]["values"]["none"].split())
_BEGIN_NO_VALUE = _IN_NO_VALUE.union(_WORDS[_LANGUAGE]["values"]["not_first"].split())
_END_NO_VALUE = _IN_NO_VALUE.union(_WORDS[_LANGUAGE]["values"]["not_last"].split())
_IN_DAYS = frozenset(_WORDS[_LANGUAGE]["values"]["days"].split())
"""Words of days, times and lengths, beside numbers and the names of feasts."""

DAY, PLACE, AT, LENGTH, MONTH, YEAR, SOMEWHERE = "DAY", "PLACE", "AT", "LENGTH", "MONTH", "YEAR", "SOMEWHERE"
HOUR = "HOUR"
"""A mere number, which is a time of day in some questions only: "is it five yet"."""

_HOURS = frozenset(map(str, range(1, 13))).union(
    ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
)


class Token(NamedTuple):
    """A part of a question."""

    kind: str
    words: str
    value: Any = None


def divisions(text: str, *, with_unknown: bool = False) -> Iterator[Sequence[Token]]:
    """Yield the ways to divide a plain text into parts, the best first; only English has them so far.

    `with_unknown`: also those in which words that mean nothing here may be the name of a place.
    """
    words = text.split()
    if 0 < len(words) <= MOST_WORDS:
        yield from islice(_Division(words, with_unknown=with_unknown).from_word(0), _MOST_DIVISIONS)


class _Division:
    """The parts of one text; each run of words is read once."""

    def __init__(self, words: Sequence[str], *, with_unknown: bool) -> None:
        self._words = words
        self._with_unknown = with_unknown
        self._known: dict[int, Sequence[tuple[int, Token]]] = {}
        self._dead: set[int] = set()
        """Places in the text from which there is no way to its end."""

    def from_word(self, at: int) -> Iterator[Sequence[Token]]:
        if at == len(self._words):
            yield ()
            return
        if at in self._dead:
            return
        is_dead = True
        for end, token in self._at(at):
            for rest in self.from_word(end):
                is_dead = False
                yield (token, *rest)
        if is_dead:
            self._dead.add(at)

    def _at(self, at: int) -> Sequence[tuple[int, Token]]:
        """Return the parts that begin at a word, each with the word after it."""
        if at not in self._known:
            found = [*self._values(at), *self._kinds(at)]
            self._known[at] = found or [*self._unknown(at)]
        return self._known[at]

    def _values(self, at: int) -> Iterator[tuple[int, Token]]:
        if self._words[at] in _BEGIN_NO_VALUE:
            return
        last = min(len(self._words), at + _MOST_WORDS_OF_VALUE)
        last = next((end for end in range(at, last) if self._words[end] in _IN_NO_VALUE), last)
        for end in range(last, at, -1):
            if self._words[end - 1] not in _END_NO_VALUE:
                yield from ((end, token) for token in _read(" ".join(self._words[at:end])))

    def _kinds(self, at: int) -> Iterator[tuple[int, Token]]:
        phrases, longest = _phrases()
        for end in range(min(len(self._words), at + longest), at, -1):
            text = " ".join(self._words[at:end])
            for kind in phrases.get(text, ()):
                yield end, Token(kind, text)

    def _unknown(self, at: int) -> Iterator[tuple[int, Token]]:
        """Yield runs of words that may be the name of a place, the longest first; behind it its region may stand."""
        if not self._with_unknown:
            return
        last = min(len(self._words), at + _MOST_WORDS_OF_PLACE)
        last = next((end for end in range(at, last) if not is_unknown(self._words[end])), last)
        names = [(end, " ".join(self._words[at:end])) for end in range(last, at, -1)]
        named = [(end, name) for end, name in names if read_somewhere(name, _LANGUAGE)]
        for end, name in named:
            for behind in range(min(len(self._words), end + _MOST_WORDS_OF_REGION), end, -1):
                if region := read_region(" ".join(self._words[end:behind])):
                    yield behind, Token(PLACE, name, region._replace(name=name.title()))
        for end, name in named:
            similar = similar_place(name, _LANGUAGE)
            yield end, Token(PLACE, name, similar) if similar else Token(SOMEWHERE, name, name)


@cache
def _phrases() -> tuple[Mapping[str, Sequence[str]], int]:
    """Return the kinds of each known phrase, and of how many words the longest one consists."""
    found: dict[str, list[str]] = {}
    for kind, phrases in _WORDS[_LANGUAGE]["kinds"].items():
        for phrase in phrases:
            found.setdefault(phrase, []).append(kind)
    return found, max(len(phrase.split()) for phrase in found)


def is_unknown(word: str) -> bool:
    """Return whether a word alone is of no kind."""
    return word not in _phrases()[0]


@cache
def _words_of_days() -> frozenset[str]:
    """Return all words that may stand in a day, a time or a length, but for digits."""
    return _IN_DAYS.union(word for name in feast_names(_LANGUAGE) for word in name.split())


def _may_be_day(words: str) -> bool:
    known = _words_of_days()
    return all(
        word.removesuffix("'s") in known or word.replace("'", "") in known or _is_number(word)
        for word in words.replace("-", " ").split()
    )


@lru_cache(_REMEMBERED)
def _is_number(word: str) -> bool:
    """Return whether a word is a cardinal or an ordinal number."""
    return any(sign.isdigit() for sign in digits_in(with_ordinals(word, _LANGUAGE), _LANGUAGE))


@lru_cache(_REMEMBERED)
def _read(words: str) -> Sequence[Token]:
    """Return what a run of words may mean."""
    found = list(_read_day(words)) if _may_be_day(words) else []
    if place := read_place(words, _LANGUAGE):
        found.append(Token(PLACE, words, place))
    return found


def _read_day(words: str) -> Iterator[Token]:
    day = read_whose_day(words, _LANGUAGE) if words.endswith(("'s", "s'", "days")) else None
    if day := day or read_one_day(words, _LANGUAGE):
        yield Token(DAY, words, day)
    if words in _HOURS:
        yield Token(HOUR, words, read_clock_time(words, _LANGUAGE))
    elif at := read_time(words, _LANGUAGE):
        yield Token(AT, words, at)
    if length := read_length(words, _LANGUAGE):
        yield Token(LENGTH, words, length)
    if month := read_month(words, _LANGUAGE):
        yield Token(MONTH, words, month)
    if year := read_year(words):
        yield Token(YEAR, words, year)
