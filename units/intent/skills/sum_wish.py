"""Sums in English questions of any kind: what is asked around them is taken away, and the rest must be a sum.

"I need help with math, what is 5 plus 9" is "5 plus 9"; "i bought 6 shirts at $20 each, what did i pay" is 6 times 20.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from units.intent.skills.known_words import read_words
from units.intent.values.arithmetic import computed
from units.intent.values.expression import Operation, read_bare_expression, read_expression, read_term
from units.intent.values.expression_words import ORDINALS
from units.intent.values.number_words import NUMBER_WORDS

MAX_LENGTH = 200

_WORDS: Mapping[str, Any] = read_words("sum_words")["en"]
_BEFORE = re.compile(rf"(?:(?:{_WORDS['words']})(?:[\s,:;.?!-]+|$))*")
_AFTER = re.compile(rf"(?:[\s,:;.?!=]+(?:{_WORDS['words']}|{_WORDS['after']})(?=[\s,:;.?!]|$))*[\s,:;.?!=]*$")
_ASKING = re.compile(rf"\b(?:{_WORDS['asking']})\b")
_MONEY = re.compile(rf"\$|\b(?:{_WORDS['money']})\b")
_NUMBER = re.compile(rf"\d|\b(?:{'|'.join((*NUMBER_WORDS['en'].added, 'pi'))})\b")
_COMPARING = re.compile(r"(?:is|are|was) .*\b(?:greater|bigger|higher|larger|more|smaller|lower|less|fewer) than\b")
""""Is 5 greater than 3" asks for no sum."""

_RULE = re.compile(r"(?<!\?P)<(\w+)>")


def _number() -> str:
    """Return a pattern of a number in digits or in words."""
    of = NUMBER_WORDS["en"]
    word = f"(?:{'|'.join(sorted({*of.added, *of.hundreds, *of.scales}, key=len, reverse=True))})"
    return rf"\$?(?:\d[\d,.]*\d|\d|an? (?:hundred|thousand|million)|{word})(?:(?: and)?[ -]{word}\b)*"


@cache
def _forms(kind: str) -> Sequence[tuple[re.Pattern[str], str]]:
    """Return the patterns of the forms or the stories, each with its operation."""
    rules = {"n": _number()}
    for name, rule in _WORDS["rules"].items():
        rules[name] = _RULE.sub(lambda found: rules[found[1]], rule)
    return [
        (re.compile(_RULE.sub(lambda found: rules[found[1]], pattern)), name)
        for name, patterns in _WORDS[kind].items()
        for pattern in patterns
    ]


def _into(a: Operation, b: Operation) -> Operation:
    """Return the larger number divided by the smaller: "90 into 3 parts", "5 divided into 45"."""
    return Operation("/", (a, b) if computed(a).value >= computed(b).value else (b, a))


_MAKE: Mapping[str, Callable[[Operation, Operation], Operation]] = {
    "of": lambda a, b: Operation("*", (b, a)),
    "less": lambda a, b: Operation("-", (a, b)),
    "into": _into,
    "square": lambda a, _: Operation("*", (a, a)),
    "root": lambda a, b: Operation("^", (a, Operation("/", (Operation("", number=Fraction(1)), b)))),
}


def read_sum(text: str, language: str) -> Operation | None:
    """Return the sum that an English question asks for; None for anything else."""
    said = " ".join(text.casefold().replace("\u2019", "'").split()).strip(" ,.;:?!")
    if language != "en" or len(said) > MAX_LENGTH or not _NUMBER.search(said) or _COMPARING.match(said):
        return None
    asks = _ASKING.search(said) or said.endswith((" is", " equals"))
    kinds = ("forms", "stories") if asks or _MONEY.search(said) else ("forms",)
    read = read_expression if asks else read_bare_expression
    rest = _BEFORE.sub("", said, count=1)
    core = _AFTER.sub("", rest)
    for each in dict.fromkeys((said, rest, core)):
        if each and (found := _formed(each, kinds) or read(each, "en")):
            return found
    return None


def _formed(text: str, kinds: Sequence[str]) -> Operation | None:
    """Return the operation of the first form that a text has."""
    for pattern, name in (each for kind in kinds for each in _forms(kind)):
        if (found := pattern.fullmatch(text)) is None or not _is_one_thing(found):
            continue
        a, b = (_term(found.groupdict().get(part) or "1") for part in "ab")
        if a is not None and b is not None:
            return _MAKE[name](a, b) if name in _MAKE else Operation(name, (a, b))
    return None


def _term(words: str) -> Operation | None:
    """Return a number or a sum; a number in order counts as that number."""
    degree = ORDINALS["en"].get(words) or (int(words[:-2]) if words.endswith("th") and words[:-2].isdecimal() else 0)
    return Operation("", number=Fraction(degree)) if degree else read_term(words, "en")


def _is_one_thing(found: re.Match[str]) -> bool:
    """Return whether both numbers count the same: not apples of which some pears are taken away."""
    words = found.groupdict()
    thing, other = (words.get(name) or "" for name in ("thing", "other"))
    return not thing or not other or thing.removesuffix("s").endswith(other.removesuffix("s"))
