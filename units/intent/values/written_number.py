"""Numbers as a language writes them, for an answer: exact where they are short, rounded otherwise."""

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple

from units.intent.values.locales import locale_of

MAX_EXACT = 10**21
"""A number from here on is said by its power of ten."""

LEAST = Fraction(1, 10**5)
MAX_DECIMALS = 6
SIGNIFICANT_DIGITS = 4

_MINUS = {"en": "minus ", "de": "minus ", "fr": "moins ", "es": "menos ", "zh-CN": "负"}
_POWERS = {
    "en": (" times ", "10 to the power of {}"),
    "de": (" mal ", "10 hoch {}"),
    "fr": (" fois ", "10 puissance {}"),
    "es": (" por ", "10 elevado a {}"),
    "zh-CN": ("乘以", "10的{}次方"),
}


class Written(NamedTuple):
    """A number in words of a sentence."""

    text: str
    is_about: bool
    """Whether it was rounded."""


def written(value: Fraction, language: str, is_exact: bool = True, most_decimals: int = MAX_DECIMALS) -> Written:
    """Return a number as it is said; one with more decimals is rounded."""
    sign = _MINUS.get(language, "-") if value < 0 else ""
    size = abs(value)
    if is_exact and size < MAX_EXACT and (size * 10**most_decimals).denominator == 1:
        return Written(sign + _spelled(size, most_decimals, language), False)
    if LEAST <= size < MAX_EXACT:
        rounded = round(size, max(2, SIGNIFICANT_DIGITS - 1 - _magnitude(size)))
        return Written(sign + _spelled(rounded, 20, language), True)
    exponent = _magnitude(size)
    mantissa = round(size / Fraction(10) ** exponent, SIGNIFICANT_DIGITS - 1)
    if mantissa == 10:
        mantissa, exponent = Fraction(1), exponent + 1
    power = (_MINUS.get(language, "-") if exponent < 0 else "") + str(abs(exponent))
    times, ten = _POWERS.get(language, _POWERS["en"])
    text = ("" if mantissa == 1 else _spelled(mantissa, 20, language) + times) + ten.format(power)
    return Written(sign + text, not is_exact or mantissa * Fraction(10) ** exponent != size)


def _magnitude(size: Fraction) -> int:
    """Return the power of ten of the first digit of a number: 2 for 345, -1 for 0.5."""
    exponent = len(f"{size.numerator:x}") * 6 // 5 - len(f"{size.denominator:x}") * 6 // 5 if size else 0
    while size and Fraction(10) ** exponent > size:
        exponent -= 1
    while size and Fraction(10) ** (exponent + 1) <= size:
        exponent += 1
    return exponent


def _spelled(value: Fraction, most_decimals: int, language: str) -> str:
    from babel.numbers import format_decimal

    with localcontext(prec=50):
        number = Decimal(value.numerator) / Decimal(value.denominator)
        number = round(number, most_decimals) if value.denominator != 1 else number
        return format_decimal(number, locale=locale_of(language), decimal_quantization=False)
