"""The skill of sums: exact arithmetic of what is said in digits or in words."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from pathlib import Path

from units.intent.skills.plain_question import plainer
from units.intent.skills.skill import Asked, Said, Skill
from units.intent.skills.sum_questions import ORDERS
from units.intent.skills.sum_wish import read_sum
from units.intent.skills.texts import read_texts
from units.intent.values.arithmetic import SumProblem, computed
from units.intent.values.expression import (
    Operation,
    read_bare_expression,
    read_expression,
    read_term,
    read_terms,
)
from units.intent.values.written_number import written

_HUNDRED = Operation("", number=Fraction(100))


def _answer(operation: Operation, asked: Asked, is_percent: bool = False) -> Said:
    try:
        result = computed(operation)
    except SumProblem as problem:
        return Said(str(problem))
    number = written(result.value, asked.language, result.is_exact)
    return Said("percent" if is_percent else "result", {"number": number.text, "is_about": number.is_about})


def _tell(asked: Asked) -> Said:
    slots = asked.slots
    return _answer(slots.get("expression") or slots.get("bare") or slots["sum"], asked)


def _joined(name: str) -> Callable[[Asked], Said]:
    """Return a handler of several numbers with the same operation between them."""

    def tell(asked: Asked) -> Said:
        return _answer(_chain(name, asked.slots["terms"]), asked)

    return tell


def _chain(name: str, terms: Sequence[Operation]) -> Operation:
    return reduce(lambda left, right: Operation(name, (left, right)), terms)


def _average(asked: Asked) -> Said:
    terms = asked.slots["terms"]
    count = Operation("", number=Fraction(len(terms)))
    return _answer(Operation("/", (_chain("+", terms), count)), asked)


def _two(name: str) -> Callable[[Asked], Said]:
    """Return a handler of an operation with two parts."""

    def tell(asked: Asked) -> Said:
        return _answer(Operation(name, (asked.slots["left"], asked.slots["right"])), asked)

    return tell


def _share(asked: Asked) -> Said:
    """Say how many percent one number is of another."""
    share = Operation("/", (asked.slots["part"], asked.slots["whole"]))
    return _answer(Operation("*", (share, _HUNDRED)), asked, is_percent=True)


def _as_percent(asked: Asked) -> Said | None:
    """Say a fraction in percent; a whole number is none."""
    part = asked.slots["part"]
    said = _answer(Operation("*", (part, _HUNDRED)), asked, is_percent=True)
    is_whole = said.key == "percent" and computed(part).value.denominator == 1
    return None if is_whole else said


def _ask_for_sum(asked: Asked) -> Said:
    """Ask for the sum with which somebody wants help; it is then understood by itself."""
    return Said("ask_sum")


def _halved(asked: Asked) -> Said:
    return _answer(Operation("/", (asked.slots["left"], Operation("", number=Fraction(2)))), asked)


def _change(asked: Asked) -> Said:
    """Say by how many percent a number has grown to another; a fall is negative."""
    left, right = asked.slots["left"], asked.slots["right"]
    share = Operation("/", (Operation("-", (right, left)), left))
    return _answer(Operation("*", (share, _HUNDRED)), asked, is_percent=True)


def _whether_divisible(asked: Asked) -> Said:
    said = _answer(Operation("/", (asked.slots["left"], asked.slots["right"])), asked)
    if said.key != "result":
        return said
    rest = computed(Operation("mod", (asked.slots["left"], asked.slots["right"]))).value
    return Said("no" if rest else "yes", said.values)


def _whether_equal(asked: Asked) -> Said:
    said = _answer(asked.slots["expression"], asked)
    if said.key != "result":
        return said
    difference = computed(Operation("-", (asked.slots["expression"], asked.slots["right"]))).value
    return Said("no" if difference else "yes", said.values)


_HANDLERS: Mapping[str, Callable[[Asked], Said | None]] = {
    "value": _tell,
    "wish": _tell,
    "sum": _joined("+"),
    "difference": _joined("-"),
    "product": _joined("*"),
    "quotient": _joined("/"),
    "average": _average,
    "subtracted": _two("-"),
    "raised": _two("+"),
    "lowered": _two("-"),
    "rest": _two("mod"),
    "fraction": _two("/"),
    "share": _share,
    "as_percent": _as_percent,
    "offer": _ask_for_sum,
    "change": _change,
    "times": _two("*"),
    "halved": _halved,
    "divisible": _whether_divisible,
    "whether": _whether_equal,
}

_READERS = {
    "expression": read_expression,
    "bare": read_bare_expression,
    "terms": read_terms,
    "sum": read_sum,
    **dict.fromkeys(("left", "right", "part", "whole"), read_term),
}

SKILL = Skill("sums", read_texts(Path(__file__).with_suffix(".toml")), _HANDLERS, _READERS, plainer(ORDERS))
