"""The same question in plainer words: without what is said around it, and in the order in which templates have it.

"sorry, do you happen to know what day it is" is the question "what day is it". What remains must still be understood
as a whole, so that nothing is taken for a question that says more.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from units.intent.skills.question_words import LANGUAGES, Replacements

_MOST_STEPS = 8
"""So many things may be said before a question, one after the other."""

_MOST_WAYS = 8

_MARKS = re.compile(r"[?!。？！]+|(?<!\d)\.+(?!\d)|\.+(?=\s|$)")  # noqa: RUF001  # Chinese has marks of its own
_SPACES = re.compile(r"\s+")


class _Patterns(NamedTuple):
    before: re.Pattern[str]
    after: re.Pattern[str]
    spellings: Sequence[tuple[re.Pattern[str], str]]


def plainer(orders: Mapping[str, Replacements]) -> Callable[[str, str], Sequence[str]]:
    """Return what gives the plainer ways to say a question; `orders` are those of one skill, by language."""

    def ways(text: str, language: str) -> Sequence[str]:
        if language not in LANGUAGES:
            return ()
        core = _core(_spelled(text, language), language)
        found = dict.fromkeys((core,))
        waiting = [core]
        while waiting and len(found) < _MOST_WAYS:
            for other in _reordered(waiting.pop(0), (*orders.get(language, ()), *LANGUAGES[language].orders)):
                if (plain := _core(other, language)) and plain not in found:
                    found[plain] = None
                    waiting.append(plain)
        return [each for each in found if each and each != text.casefold()]

    return ways


def core_of(text: str, language: str) -> str:
    """Return a question in plain words, without what is said before and after it; "" where no words are known."""
    return _core(_spelled(text, language), language) if language in LANGUAGES else ""


def _reordered(text: str, orders: Replacements) -> Iterator[str]:
    for pattern, instead in orders:
        if found := _compiled(pattern).fullmatch(text):
            yield " ".join(found.expand(instead).split())


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _spelled(text: str, language: str) -> str:
    """Return a text in lower case without marks at its ends, with the usual spelling of its words."""
    plain = _MARKS.sub(" ", text.casefold().replace("\u2019", "'"))
    plain = _SPACES.sub("" if language == "zh-CN" else " ", plain).strip(" ,;:-")
    for pattern, instead in _patterns(language).spellings:
        plain = pattern.sub(instead, plain)
    return plain


def _core(text: str, language: str) -> str:
    """Return a text without what is said before and after a question."""
    patterns = _patterns(language)
    for _ in range(_MOST_STEPS):
        shorter = patterns.after.sub("", patterns.before.sub("", text, count=1)).strip(" ,;:-")
        if shorter == text or not shorter:
            break
        text = shorter
    return text


@cache
def _patterns(language: str) -> _Patterns:
    words = LANGUAGES[language]
    gap, edge = ("", "") if language == "zh-CN" else (r"[\s,;:-]+", r"(?<![\w'])")
    return _Patterns(
        re.compile(rf"^(?:{words.before})(?:{gap})(?=.)" if gap else rf"^(?:{words.before})(?=.)"),
        re.compile(rf"{gap}{edge}(?:{words.after})$" if gap else rf"(?:{words.after})$"),
        [(re.compile(pattern), instead) for pattern, instead in words.spellings],
    )
