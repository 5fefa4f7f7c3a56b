"""Quantities and units: "5 miles", "a litre", "one and a half cups", "5 feet 10 inches", and sums of money.

pint is imported by the first conversion.
"""

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, NamedTuple

from units.intent.values.number import fraction_at, number_at, plain, words_of
from units.intent.values.number_words import NUMBER_WORDS
from units.intent.values.unit_words import CURRENCIES, NAMES, SEVERAL, UNITS

_ARTICLES = {"en": ("a", "an", "the")}
"""They mean one before a unit, and nothing after a part of one."""


_SHORT = 6
"""A shorter word is not taken for a unit with a typing mistake."""

_REMEMBERED = 4096
"""Of so many words it is remembered which unit they are meant to be."""

_NEAR = 0.86
"""How alike a unit and a word with a typing mistake are, for difflib."""


class Quantity(NamedTuple):
    """So many of a unit; of which one, if its word has several meanings, the unit of the result decides."""

    number: Fraction
    units: tuple[str, ...]
    parts: tuple[tuple[Fraction, str], ...] = ()
    """As it was said, where that was in several units: 5 feet and 10 inches."""


def read_unit(text: str, language: str) -> tuple[str, ...] | None:
    """Return the units that a word or words may mean; None for anything else."""
    words = words_of(text, language)
    found = unit_at(words, 0, language)
    return found[0] if found and found[1] == len(words) else None


def read_quantity(text: str, language: str) -> Quantity | None:
    """Return a quantity, or one of a unit that stands alone, except for temperatures; None for anything else."""
    words = words_of(text, language)
    if found := _all_of(words, language):
        return found
    one = _all_of(["1", *words], language)
    return one if one and UNITS[one.units[0]].dimension != "temperature" else None


def read_amount(text: str, language: str) -> Quantity | None:
    """Return a quantity that has a number; None for anything else."""
    return _all_of(words_of(text, language), language)


def quantity_at(words: Sequence[str], at: int, language: str) -> tuple[Quantity, int] | None:
    """Return the quantity with a number that begins at a word, the longest, and where it ends; None if none does."""
    if _number_at(words, at, language) is None and words[at] not in ("-", *NUMBER_WORDS[language].minus):
        return None
    for end in range(len(words), at + 1, -1):
        if found := _all_of(words[at:end], language):
            return found, end
    return None


def unit_at(words: Sequence[str], at: int, language: str) -> tuple[tuple[str, ...], int] | None:
    """Return the units whose name begins at a word, the longest name, and where it ends."""
    known, longest = _known_units(language)
    for length in range(min(longest, len(words) - at), 0, -1):
        if unit := known.get(tuple(words[at : at + length])):
            return SEVERAL.get(unit, (unit,)), at + length
    return None


def near_unit_at(words: Sequence[str], at: int, language: str) -> tuple[tuple[str, ...], int] | None:
    """Return the unit that a word is with an s too many, or with a typing mistake; None if it is none."""
    unit = _near_unit(words[at], language) if at < len(words) else None
    return (SEVERAL.get(unit, (unit,)), at + 1) if unit else None


@lru_cache(_REMEMBERED)
def _near_unit(word: str, language: str) -> str | None:
    known, _ = _known_units(language)
    unit = known.get((word.removesuffix("s"),))
    if unit is None and len(word) >= _SHORT:
        names = [name[0] for name in known if len(name) == 1 and len(name[0]) >= _SHORT and name[0][0] == word[0]]
        unit = next((known[(name,)] for name in get_close_matches(word, names, 1, _NEAR)), None)
    return unit


def read_money(text: str, language: str) -> Fraction | None:
    """Return how much of any currency it is; None for anything else."""
    words = words_of(text, language)
    currency = _currency_at(words, 0, language)
    number = _number_at(words, currency if currency is not None else 0, language)
    if number is None:
        return Fraction(1) if currency == len(words) and words else None
    end = number[1] if currency is not None else _currency_at(words, number[1], language)
    return number[0] if end == len(words) else None


def read_currency(text: str, language: str) -> str | None:
    """Return the words of a currency; None for anything else."""
    words = words_of(text, language)
    return text if words and _currency_at(words, 0, language) == len(words) else None


def converted(quantity: Quantity, units: Sequence[str]) -> tuple[str, str, Fraction] | None:
    """Return the units from which and to which a quantity is converted, and the result; None if none fit together."""
    is_certain = len(quantity.units) == len(units) == 1
    for unit in quantity.units:
        for wanted in units:
            if UNITS[unit].dimension == UNITS[wanted].dimension and (unit != wanted or is_certain):
                return unit, wanted, _convert(quantity.number, unit, wanted)
    return None


def name_of(unit: str, number: Fraction, language: str) -> str:
    """Return the name of a unit after a number; French has one of it up to two."""
    is_one = number == 1 or (language == "fr" and abs(number) < 2)
    return _names(language)[unit][0 if is_one else 1]


def _convert(number: Fraction, unit: str, wanted: str) -> Fraction:
    registry, first, last = _registry(), UNITS[unit], UNITS[wanted]
    result = registry.Quantity(number * first.factor, first.pint).to(last.pint)
    return Fraction(result.magnitude) / last.factor


@cache
def _registry() -> Any:
    """Return the units of pint; with fractions conversions are exact.

    pint imports numpy wherever it is installed, which takes 11 MiB and does nothing here.
    """
    hidden = {"numpy": None} if "numpy" not in sys.modules else {}
    sys.modules.update(hidden)  # type: ignore[arg-type]  # None is the documented way to make an import fail
    try:
        from pint import UnitRegistry

        return UnitRegistry(non_int_type=Fraction, cache_folder=None)
    finally:
        for name in hidden:
            del sys.modules[name]


def _all_of(words: Sequence[str], language: str) -> Quantity | None:
    """Return the quantity that words are from the first to the last; several parts are added: 5 feet 10 inches."""
    is_negative = bool(words) and (words[0] == "-" or words[0] in NUMBER_WORDS[language].minus)
    at = 1 if is_negative else 0
    total: Quantity | None = None
    while at < len(words):
        number = _number_at(words, at, language)
        if number is None:
            return None
        value, at = number
        if (found := unit_at(words, at, language)) is None:
            total = _without_unit(total, value) if at == len(words) else None
        else:
            units, at = found
            total = Quantity(value, units) if total is None else _added(total, value, units[0])
        if total is None:
            return None
        if at < len(words) - 1 and words[at] in (*NUMBER_WORDS[language].joints, ","):
            at += 1
    return total._replace(number=-total.number) if total and is_negative else total


def _added(total: Quantity, value: Fraction, unit: str) -> Quantity | None:
    """Return the sum of a quantity and another in its unit; None where they are not of one kind."""
    first = total.units[0]
    if UNITS[first].dimension != UNITS[unit].dimension or UNITS[first].dimension == "temperature" or unit == first:
        return None
    parts = (*(total.parts or ((total.number, first),)), (value, unit))
    return Quantity(total.number + _convert(value, unit, first), (first,), parts)


def _without_unit(total: Quantity | None, value: Fraction) -> Quantity | None:
    """Return a quantity with a last number that has no unit: "5 foot 10" are inches, "an hour and a half" hours."""
    if total is None or total.parts:
        return None
    if value < 1:
        return total._replace(number=total.number + value)
    return _added(total, value, "inch") if total.units == ("foot",) and value < 12 else None


def _number_at(words: Sequence[str], at: int, language: str) -> tuple[Fraction, int] | None:
    """Return the number at a word, with fractions in digits ("1 1/2") and articles ("half a", "an"), and its end."""
    articles = _ARTICLES.get(language, ())
    if at + 1 < len(words) and words[at] in articles and (after := number_at(words, at + 1, language)):
        at = at + 1 if after.value >= 1 else at  # "a two gallons", "the 5 miles"; "a half" is read as a whole
    found = number_at(words, at, language)
    if found is None:
        return (Fraction(1), at + 1) if at < len(words) and words[at] in articles else None
    value, end = found
    if (part := fraction_at(words, at)) is not None:
        value, end = part, at + 3
    elif (part := fraction_at(words, end)) is not None and value.denominator == 1:
        value, end = value + part, end + 3
    while end < len(words) - 1 and words[end] in (*articles, "of") and value < 1:
        end += 1
    return value, end


def _currency_at(words: Sequence[str], at: int, language: str) -> int | None:
    """Return where the name of a currency ends that begins at a word; None if none does."""
    known = _known_currencies(language)
    lengths = range(min(2 if language != "zh-CN" else 3, len(words) - at), 0, -1)
    return next((at + length for length in lengths if tuple(words[at : at + length]) in known), None)


@cache
def _names(language: str) -> dict[str, list[str]]:
    lines = (line.partition(": ") for line in NAMES.get(language, "").strip().splitlines())
    names = {unit: listed.split("/") for unit, _, listed in (line for line in lines)}
    names = {unit: [name.replace(" | ", " / ") for name in listed] for unit, listed in names.items()}
    if "ounce" in names:
        names.setdefault("fluid_ounce", names["ounce"])
    if "year" in names:
        names["calendar_year"] = names["year"]
    if "month" in names:
        names["average_month"] = names["month"]
    return names


@cache
def _known_units(language: str) -> tuple[dict[tuple[str, ...], str], int]:
    """Return the units by the words of their names, and the most words that a name has."""
    known: dict[tuple[str, ...], str] = {}
    for unit, names in _names(language).items():
        for name in names:
            known.setdefault(tuple(words_of(name, language)), unit)
    return known, max(map(len, known), default=0)


@cache
def _known_currencies(language: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(words_of(plain(name), language)) for name in CURRENCIES.get(language, "").split("/"))
