"""Accents that were not typed: "reveille moi", "que hora es", "fuenf minuten" are read as if they had them.

The words with accents are those of the sentences and of the word tables of a language. A word that is known without
an accent as well ("esta", "está") stays as it was said; templates are matched without accents, and a reader of a slot
is asked a second time for the other spelling.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import product

from hassil.numbers import get_rbnf_engine
from unicode_rbnf import FormatPurpose

from units.intent.skills.clock_present import WORDS as CLOCK_WORDS
from units.intent.skills.question_words import LANGUAGES as QUESTIONS
from units.intent.skills.timer_words import LANGUAGES as TIMERS
from units.intent.skills.volume_wish import WORDS as VOLUME_WORDS
from units.intent.values.day_words import LANGUAGES as DAYS
from units.intent.values.plain import LAST_ORDINAL

FOLDED = ("fr", "es")
"""Languages whose templates are matched without accents."""

RESTORED = (*FOLDED, "de")

_MORE = {
    "fr": "après précises réveille réveillez arrête à-partir là-bas",
    "es": "mediodía después próximo sábado miércoles avísame qué más",
    "de": "für fünf zwölf dreißig übermorgen nächste später täglich früh",
}
"""Words of readers that have no table of words."""

_MARKS = re.compile("[\u0300-\u036f]")
_ESCAPES = re.compile(r"\\+[a-zA-Z]|\(\?[:=!]|\(\?<[=!]|\(\?P<\w+>")
_PATTERN_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|\?)*")
_WORD = re.compile(r"[^\W\d_]+")
_MOST_OPTIONAL = 3
_NUMBERS = 100
_SHORTEST_STEM, _LONGEST_ENDING = 6, 3
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def without_accents(text: str) -> str:
    """Return a text of the same length without accents on its letters."""
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))


class Accents:
    """The words of a language that have accents."""

    def __init__(self, language: str, templates: Iterable[str]) -> None:
        words = set(_numbers(language)) | set(_variants(_MORE[language]))
        tables = (TIMERS[language], DAYS[language], VOLUME_WORDS[language], CLOCK_WORDS[language], QUESTIONS[language])
        for each in (*templates, *map(repr, tables)):
            words.update(_variants(each.casefold()))
        spelled: dict[str, str] = {}
        for word in sorted(words):
            for bare in _spelled_without(word, language):
                spelled.setdefault(bare, word)
        self._known = frozenset(words)
        self._sure: Mapping[str, str] = {bare: word for bare, word in spelled.items() if bare not in words}
        self._all: Mapping[str, str] = spelled

    def restored(self, text: str) -> str:
        """Return a text with the accents of those words that exist only with them."""
        return _WORD.sub(lambda found: self._restored(found[0]), unicodedata.normalize("NFC", text))

    def _restored(self, said: str) -> str:
        """Return a word with its accents, or with those of the known word that it begins with: "taeglichen"."""
        word = said.casefold()
        if word in self._sure:
            return self._sure[word]
        for size in range(len(word) - 1, max(len(word) - _LONGEST_ENDING, _SHORTEST_STEM) - 1, -1):
            stem = self._sure.get(word[:size], "")
            if word not in self._known and stem and without_accents(stem[-1]) == stem[-1]:  # "appeler" is no "appelé"
                return stem + word[size:]
        return said

    def all_restored(self, text: str) -> str:
        """Return a text with accents on each word that may have them."""
        known = unicodedata.normalize("NFC", text)
        return _WORD.sub(lambda found: self._all.get(found[0].casefold(), found[0]), known)


def as_said(words: str, text: str) -> str:
    """Return words that were matched without accents as they stand in a text."""
    said = {without_accents(each.casefold()): each for each in reversed(_WORD.findall(text))}
    return _WORD.sub(lambda found: said.get(without_accents(found[0].casefold()), found[0]), words)


def _spelled_without(word: str, language: str) -> Iterator[str]:
    """Yield the ways to type a word without its accents; none for a word that has none."""
    forms = {without_accents(word).replace("ß", "ss")}
    if language == "de":
        forms.add(word.translate(_GERMAN))
    yield from forms - {word}


def _variants(pattern: str) -> Iterator[str]:
    """Yield the words of a template or a pattern, those with an optional letter in both forms."""
    for found in _PATTERN_WORD.findall(_ESCAPES.sub(" ", pattern)):
        parts = re.findall(r".\?|.", found.replace("??", "?"))
        optional = [each for each in parts if each.endswith("?")]
        if len(optional) > _MOST_OPTIONAL:
            continue
        for chosen in product((True, False), repeat=len(optional)):
            keep = iter(chosen)
            yield "".join(each[0] for each in parts if len(each) == 1 or next(keep))


@cache
def _numbers(language: str) -> tuple[str, ...]:
    """Return the words of the smaller numbers of a language."""
    engine, found = get_rbnf_engine(language), list[str]()
    for number in range(_NUMBERS):
        purposes = (FormatPurpose.CARDINAL, FormatPurpose.ORDINAL)[: 2 if number <= LAST_ORDINAL else 1]
        for purpose in purposes:
            said = engine.format_number(number, purpose).text_by_ruleset.values()
            found += [word for each in said for word in _WORD.findall(each.casefold().replace("\u00ad", ""))]
    return tuple(found)
