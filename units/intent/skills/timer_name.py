"""Whether words may be the name of a timer."""

import re
from collections.abc import Mapping
from functools import cache

from units.intent.phrases import LANGUAGES as PHRASES
from units.intent.skills.known_words import read_words
from units.intent.skills.timer_words import LANGUAGES
from units.intent.values.plain import base_of, compiled, counted

WORDS: Mapping[str, Mapping[str, str]] = read_words("timer_names")
"""By language: words that are no names by themselves; a language without them has only the patterns of its own."""

_CLOCK = re.compile(r"\d:\d\d|(?:\b|\d ?)[ap]\.?m\b")
"""A time of day in a name is one that was not understood."""

_MOST_WORDS = 6
_MOST_SIGNS = 12
"""The same in a script without spaces."""


def is_name(name: str, language: str) -> bool:
    """Return whether words may be the name of a timer: few, and no sentence."""
    base = base_of(language)
    known, phrases = LANGUAGES[base], PHRASES[base]
    size = len(name.split()) if known.has_spaces else len(name)
    if not 0 < size <= (_MOST_WORDS if known.has_spaces else _MOST_SIGNS):
        return False
    if (
        compiled(known.no_name).search(name)
        or re.match(r"\d+[ .,:]", counted(name, language))
        or _CLOCK.search(name)
        or name.endswith(f" {known.joint}")
    ):
        return False
    _, _, second = name.partition(f" {known.joint} ")
    return phrases.pattern(phrases.verbs).match(second) is None


def is_own(name: str, said: str, language: str) -> bool:
    """Return whether a name has words of its own, as it must have unless "called" stands before it.

    `said` is the name with what stands before it: "for the oven" needs one such word, a mere "oven" only such words.
    """
    words = WORDS.get(base_of(language))
    if words is None or compiled(words["introduced"]).match(said):
        return True
    common = _common(base_of(language))
    each = name.split()
    own = [word not in common for word in each]
    if compiled(words["half_introduced"]).match(said):
        return any(own)
    if len(each) > 1 and own[-2] and each[-1] in words["particles"].split():
        own[-1] = True
    inner = words["inner"].split()
    return own[0] and own[-1] and all(is_own or word in inner for word, is_own in zip(each, own, strict=True))


@cache
def _common(base: str) -> frozenset[str]:
    return frozenset(WORDS[base]["words"].split())
