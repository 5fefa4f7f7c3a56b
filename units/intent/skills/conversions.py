"""The skill of conversions: quantities in other units. Currencies have no fixed rates, and the answer says so."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path

from units.intent.skills.conversion_questions import ORDERS
from units.intent.skills.plain_question import plainer
from units.intent.skills.skill import Asked, Said, Skill
from units.intent.skills.texts import read_texts
from units.intent.values.quantity import (
    converted,
    name_of,
    read_amount,
    read_currency,
    read_money,
    read_quantity,
    read_unit,
)
from units.intent.values.written_number import written

_MOST_DECIMALS = 2
_MOST_WORDS_OF_STUFF = 2


def _convert(asked: Asked) -> Said | None:
    """Answer with both quantities, so that it is heard which units were understood."""
    quantity = asked.slots.get("quantity") or asked.slots["amount"]
    found = converted(quantity, asked.slots["unit"])
    if found is None or (found[0] == "average_month" and quantity.number == 1):
        return None  # one month has 28 to 31 days
    unit, wanted, result = found
    number = written(result, asked.language, most_decimals=_MOST_DECIMALS)
    parts = quantity.parts or ((quantity.number, unit),)
    values = {
        "given": " ".join(_said(value, part, asked.language) for value, part in parts),
        "result": _said(result, wanted, asked.language),
        "is_about": number.is_about,
    }
    return Said("result", values)


def _said(value: Fraction, unit: str, language: str) -> str:
    space = "" if language == "zh-CN" else " "
    number = written(value, language, most_decimals=_MOST_DECIMALS)
    return f"{number.text}{space}{name_of(unit, value, language)}"


def _tell_no_rates(asked: Asked) -> Said:
    return Said("no_rates")


def _read_stuff(words: str, language: str) -> str | None:
    """Return what is measured, in one word or two: between units of the same kind it makes no difference."""
    return words if len(words.split()) <= _MOST_WORDS_OF_STUFF else None


_HANDLERS: Mapping[str, Callable[[Asked], Said | None]] = {"convert": _convert, "money": _tell_no_rates}

_READERS = {
    "quantity": read_quantity,
    "amount": read_amount,
    "unit": read_unit,
    "money": read_money,
    "stuff": _read_stuff,
    **dict.fromkeys(("currency", "other"), read_currency),
}

SKILL = Skill("conversions", read_texts(Path(__file__).with_suffix(".toml")), _HANDLERS, _READERS, plainer(ORDERS))
