"""Sums in the words of a sentence: "345 plus 678", "(2 + 3) * 4", "15 percent of 80", read to a tree of operations.

sum     = product, {("+" | "-" | "subtract" | "more"), product}
product = sign, {("*" | "/" | "mod" | "of" | "off" | "from"), sign}
sign    = ["-"], power
power   = postfix, ["^", sign | "whose", sign, ["power"]]
postfix = atom, {"%" | "square" | "cube" | "factorial"}
atom    = number | "pi" | "(", sum, ")" | function, sign
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from units.intent.values.expression_words import CURRENCIES, ORDINALS, operations
from units.intent.values.number import fraction_at, number_at, words_of
from units.intent.values.number_words import NUMBER_WORDS

MAX_WORDS = 120
MAX_DEPTH = 24

_NO_SUM = re.compile(r"\d+([-/])\d+(?:\1\d+)+|\d{3}-\d{4}|24/7|9/11|7[-/]11|50/50|20/20|\d{1,2}/\d{4}")
"""A date, a telephone number, or what stands for something else, rather than a sum."""

_BARE_PAIR = re.compile(r"[\d.,]+[-/:][\d.,]+")
_PREFIXES = {
    **{name: name for name in ("root2", "root3", "twice", "thrice")},
    **{"factorial of": "factorial", "square of": "square", "cube of": "cube"},
}
_POSTFIXES = {"%": "%", "square": "square", "cube": "cube", "factorial": "factorial", "root": "root2", "half": "half"}
_SUMS = {"subtract": "-"}
""""Subtract 5" is no negative number."""

_PRODUCTS = ("*", "/", "mod", "of", "off", "from")


class Operation(NamedTuple):
    """An operation with what it is done to, or a number, whose name is ""."""

    name: str
    parts: tuple["Operation", ...] = ()
    number: Fraction = Fraction(0)


class _Token(NamedTuple):
    name: str
    """"" for a number."""

    number: Fraction = Fraction(0)


class _NoSum(ValueError):
    """The words are no sum."""


def read_expression(text: str, language: str) -> Operation | None:
    """Return a sum with at least one operation; None for a mere number and for anything else."""
    found = None if _NO_SUM.fullmatch(text.strip()) else read_term(text, language)
    return found if found and _has_operation(found) else None


def read_bare_expression(text: str, language: str) -> Operation | None:
    """Return a sum that is a whole sentence; "10/12" alone may be a date, "3-4" a result, "pi" anything."""
    found = None if _BARE_PAIR.fullmatch(text.strip()) else read_expression(text, language)
    return found if found and found.parts else None


def read_term(text: str, language: str) -> Operation | None:
    """Return a sum or a mere number; None for anything else."""
    tokens = _tokens(text, language)
    return _parsed(tokens) if tokens else None


def read_terms(text: str, language: str) -> tuple[Operation, ...] | None:
    """Return several sums or numbers with "and" or nothing between them: "3 4 and 5"; None for anything else."""
    joints = NUMBER_WORDS[language].joints | _JOINTS.get(language, frozenset())
    words, found, at = words_of(text, language)[:MAX_WORDS], list[Operation](), 0
    while at < len(words):
        number = number_at(words, at, language)
        if number is None:
            return None
        found.append(Operation("", number=number.value))
        at = number.end
        while at < len(words) and (words[at] in joints or words[at] == ","):
            at += 1
    return tuple(found) if len(found) > 1 else None


_JOINTS = {
    "en": frozenset({"to", "by", "with"}),
    "de": frozenset({"mit", "durch", "zu"}),
    "fr": frozenset({"a", "par", "avec"}),
    "es": frozenset({"a", "por", "con", "entre"}),
    "zh-CN": frozenset({"和", "与", "除", "以"}),
}


def _has_operation(operation: Operation) -> bool:
    return operation.name not in ("", "negative", "%") or any(map(_has_operation, operation.parts))


@cache
def _operations(language: str) -> tuple[dict[tuple[str, ...], str], int]:
    """Return the phrases of a language, and the most words that one has."""
    found = operations(language)
    return found, max(map(len, found))


def _tokens(text: str, language: str) -> list[_Token]:
    """Return the numbers and operations of a text; none if there are other words."""
    raised = text.replace("**", "^").replace("²", "^2").replace("³", "^3")
    words = words_of(raised, language)
    if len({CURRENCIES[word] for word in words if word in CURRENCIES}) > 1:
        return []
    if words[-1:] == ["="]:
        words.pop()
    tokens: list[_Token] = []
    at = 0
    while at < len(words) and len(words) <= MAX_WORDS:
        ordinal = ORDINALS.get(language, {}).get(words[at]) if tokens and tokens[-1].name == "^" else None
        if ordinal:
            tokens.append(_Token("", Fraction(ordinal)))
            at += 1
        elif found := _phrase_at(words, at, language):
            name, at = found
            if name:
                tokens.append(_Token(name))
        elif number := number_at(words, at, language):
            part = fraction_at(words, number.end) if number.value.denominator == 1 else None
            tokens.append(_Token("", number.value + (part or 0)))
            at = number.end + (3 if part else 0)
        else:
            return []
    return tokens if len(words) <= MAX_WORDS else []


def _phrase_at(words: Sequence[str], at: int, language: str) -> tuple[str, int] | None:
    """Return the operation whose phrase begins at a word, the longest, and where it ends."""
    phrases, longest = _operations(language)
    for length in range(min(longest, len(words) - at), 0, -1):
        name = phrases.get(tuple(words[at : at + length]))
        if name is not None:
            return name, at + length
    return None


def _parsed(tokens: Sequence[_Token]) -> Operation | None:
    parser = _Parser(tokens)
    try:
        found = parser.sum()
    except _NoSum:
        return None
    return found if parser.is_at_end else None


class _Parser:
    """Reads tokens by the grammar above."""

    def __init__(self, tokens: Sequence[_Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    @property
    def is_at_end(self) -> bool:
        return self._at == len(self._tokens)

    @property
    def _next(self) -> str | None:
        """The name of the next token; None at the end."""
        return None if self.is_at_end else self._tokens[self._at].name

    def _take(self) -> _Token:
        self._at += 1
        return self._tokens[self._at - 1]

    def sum(self) -> Operation:
        """Read a sum."""
        found = self._product()
        while self._next in ("+", "-", "subtract", "more"):
            name = self._take().name
            other = self._product()
            found = (
                Operation("+", (other, found)) if name == "more" else Operation(_SUMS.get(name, name), (found, other))
            )
        return found

    def _product(self) -> Operation:
        found = self._sign()
        while self._next in (*_PRODUCTS, "("):
            name = "*" if self._next == "(" else self._take().name
            if name in ("of", "off") and not (found.name == "%" or (name == "of" and _is_part(found))):
                raise _NoSum
            right = self._sign()
            found = Operation("-", (right, found)) if name == "from" else Operation(name, (found, right))
        return found

    def _sign(self) -> Operation:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _NoSum
        if self._next in ("-", "+"):
            name, value = self._take().name, self._sign()
            found = Operation("negative", (value,)) if name == "-" else value
        else:
            found = self._power()
        self._depth -= 1
        return found

    def _power(self) -> Operation:
        found = self._postfix()
        if self._next == "^":
            self._take()
            return Operation("^", (found, self._sign()))
        while self._next == "whose":
            found = self._of_before(found)
        return found

    def _of_before(self, whole: Operation) -> Operation:
        """Read what stands after 的: 80的百分之15, 百分之15的80, 2的10次方."""
        self._take()
        right = self._sign()
        if self._next == "power":
            self._take()
            return Operation("^", (whole, right))
        if right.name == "%" or _is_part(right):
            return Operation("of", (right, whole))
        if whole.name == "%":
            return Operation("of", (whole, right))
        raise _NoSum

    def _postfix(self) -> Operation:
        found = self._atom()
        while self._next in _POSTFIXES:
            found = Operation(_POSTFIXES[self._take().name], (found,))
        return found

    def _atom(self) -> Operation:
        if self.is_at_end:
            raise _NoSum
        token = self._take()
        if token.name in ("", "pi"):
            return Operation(token.name, number=token.number)
        if token.name == "(":
            found = self.sum()
            if self._next != ")":
                raise _NoSum
            self._take()
            return found
        if token.name == "percent":
            return Operation("%", (self._atom(),))
        if token.name in _PREFIXES:
            return Operation(_PREFIXES[token.name], (self._sign(),))
        raise _NoSum


def _is_part(operation: Operation) -> bool:
    """Return whether this is a part of one: "a third", "3/4"."""
    if operation.name == "/":
        return all(part.name == "" for part in operation.parts)
    return operation.name == "" and 0 < operation.number < 1
