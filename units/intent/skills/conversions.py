"""The skill of conversions: quantities in other units. Currencies have no fixed rates, and the answer says so."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from units.intent.skills.conversion_questions import ORDERS
from units.intent.skills.conversion_wish import ConversionWish, read_conversion
from units.intent.skills.plain_question import plainer
from units.intent.skills.skill import Asked, Said, Skill
from units.intent.skills.texts import read_texts
from units.intent.values.quantity import (
    Quantity,
    converted,
    name_of,
    read_amount,
    read_currency,
    read_money,
    read_quantity,
    read_unit,
)
from units.intent.values.unit_words import UNITS
from units.intent.values.written_number import written

_MOST_DECIMALS = 2
_MOST_WORDS_OF_STUFF = 2

_TOGETHER = frozenset(
    {
        *(("foot", "inch"), ("yard", "foot"), ("pound", "ounce"), ("stone", "pound"), ("meter", "centimeter")),
        *(("week", "day"), ("day", "hour"), ("hour", "minute"), ("minute", "second"), ("calendar_year", "month")),
    }
)
"""Units that are said one after the other: 5 feet 11 inches."""

_SCALES = frozenset({("celsius", "fahrenheit"), ("fahrenheit", "celsius")})
"""How these are converted is said where no number is."""


def _convert(asked: Asked) -> Said | None:
    """Answer with both quantities, so that it is heard which units were understood."""
    quantity = asked.slots.get("quantity") or asked.slots["amount"]
    return _result(quantity, (asked.slots["unit"],), asked.language)


def _do(asked: Asked) -> Said | None:
    wish: ConversionWish = asked.slots["conversion"]
    if not wish.has_number and UNITS[wish.quantity.units[0]].dimension == "temperature":
        return _rule(wish)
    return _result(wish.quantity, wish.units, asked.language)


def _rule(wish: ConversionWish) -> Said | None:
    """Say how degrees are converted: one degree in the other unit would be no answer."""
    names = wish.quantity.units[0], wish.units[0][0]
    return Said("_to_".join(names)) if names in _SCALES else None


def _result(quantity: Quantity, wanted: Sequence[Sequence[str]], language: str) -> Said | None:
    found = [converted(quantity, each) for each in wanted]
    fitting = [each for each in found if each is not None]
    if len(fitting) < len(found) or (fitting[0][0] == "average_month" and quantity.number == 1):
        return None  # one month has 28 to 31 days
    unit = fitting[0][0]
    numbers = [(result, name) for _, name, result in fitting]
    split = _split(numbers)
    results = [_several(split, language)] if split else [_said(value, name, language) for value, name in numbers]
    parts = quantity.parts or ((quantity.number, unit),)
    is_about = (written(each, language, most_decimals=_MOST_DECIMALS).is_about for each, _ in split or numbers)
    values = {
        "given": _several(parts, language),
        "result": results[0],
        "others": results[1:],
        "is_about": any(is_about),
    }
    return Said("result", values)


def _split(numbers: Sequence[tuple[Fraction, str]]) -> Sequence[tuple[Fraction, str]]:
    """Return a result in two units as it is said, 5 feet 11 inches; nothing where the second is no part of it."""
    if len(numbers) != 2 or (numbers[0][1], numbers[1][1]) not in _TOGETHER or numbers[0][0] < 0:
        return ()
    (large, first), (small, last) = numbers
    whole = Fraction(large.numerator // large.denominator)
    rest = round(small - whole * small / large, 1) if large else Fraction(0)
    return ((whole, first), (rest, last)) if rest else ((whole, first),)


def _several(parts: Sequence[tuple[Fraction, str]], language: str) -> str:
    return " ".join(_said(value, unit, language) for value, unit in parts)


def _said(value: Fraction, unit: str, language: str) -> str:
    space = "" if language == "zh-CN" else " "
    number = written(value, language, most_decimals=_MOST_DECIMALS)
    return f"{number.text}{space}{name_of(unit, value, language)}"


def _tell_no_rates(asked: Asked) -> Said:
    return Said("no_rates")


def _read_stuff(words: str, language: str) -> str | None:
    """Return what is measured, in one word or two: between units of the same kind it makes no difference."""
    return words if len(words.split()) <= _MOST_WORDS_OF_STUFF else None


_HANDLERS: Mapping[str, Callable[[Asked], Said | None]] = {"convert": _convert, "wish": _do, "money": _tell_no_rates}

_READERS = {
    "quantity": read_quantity,
    "amount": read_amount,
    "unit": read_unit,
    "conversion": read_conversion,
    "money": read_money,
    "stuff": _read_stuff,
    **dict.fromkeys(("currency", "other"), read_currency),
}

SKILL = Skill("conversions", read_texts(Path(__file__).with_suffix(".toml")), _HANDLERS, _READERS, plainer(ORDERS))
