"""What a sum is: exact values of fractions, in bounded time and memory."""

import math
from collections.abc import Callable, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple

from units.intent.values.expression import Operation

MAX_BITS = 1 << 16
"""A result of more bits is too large: that is some 19,700 digits, computed in less than a millisecond."""

MAX_FACTORIAL = 2000
MAX_ROOT = 64
"""Roots of a higher degree are not looked for among whole numbers."""

_PI = Fraction("3.141592653589793238462643383279502884197")
ROUNDED_DIGITS = 40
"""So many digits has what cannot be exact."""


class SumProblem(ArithmeticError):
    """A sum has no result; the only argument is the key of the answer: division_by_zero, too_large, undefined."""


class Result(NamedTuple):
    """The value of a sum."""

    value: Fraction
    is_exact: bool = True


def computed(operation: Operation) -> Result:
    """Return what a sum is.

    Raises:
        SumProblem: it is not defined, or too large.
    """
    if not operation.name:
        return Result(_bounded(operation.number))
    if operation.name == "pi":
        return Result(_PI, is_exact=False)
    first, *others = parts = [computed(each) for each in operation.parts]
    is_exact = all(each.is_exact for each in parts)
    if operation.name == "^":
        power = _power(first.value, others[0].value)
        return Result(_bounded(power.value), is_exact and power.is_exact)
    if operation.name in _ROOTS:
        root = _power(first.value, _ROOTS[operation.name])
        return Result(root.value, is_exact and root.is_exact)
    values = [each.value for each in parts]
    if operation.name in ("+", "-") and operation.parts[1].name == "%" and operation.parts[0].name != "%":
        values[1] *= values[0]  # 80 plus 15 percent: of the 80
    try:
        return Result(_bounded(_OPERATIONS[operation.name](*values)), is_exact)
    except ZeroDivisionError:
        raise SumProblem("division_by_zero") from None


def _bounded(value: Fraction) -> Fraction:
    if value.numerator.bit_length() + value.denominator.bit_length() > MAX_BITS:
        raise SumProblem("too_large")
    return value


def _factorial(value: Fraction) -> Fraction:
    if value.denominator != 1 or value < 0:
        raise SumProblem("undefined")
    if value > MAX_FACTORIAL:
        raise SumProblem("too_large")
    return Fraction(math.factorial(int(value)))


def _power(base: Fraction, exponent: Fraction) -> Result:
    """Return a power, rounded where it is no fraction."""
    if base == 0 and exponent < 0:
        raise SumProblem("division_by_zero")
    if base in (0, 1):
        return Result(Fraction(1) if exponent == 0 else base)
    if exponent.denominator == 1 and base == -1:
        return Result(base if exponent.numerator % 2 else -base)
    if abs(exponent) * max(base.numerator.bit_length(), base.denominator.bit_length()) > MAX_BITS:
        raise SumProblem("too_large")
    if exponent.denominator == 1:
        return Result(base**exponent.numerator)
    if base < 0:
        if exponent.numerator != 1 or exponent.denominator % 2 == 0:
            raise SumProblem("undefined")
        root = _power(-base, exponent)
        return Result(-root.value, root.is_exact)
    roots = [_whole_root(each, exponent.denominator) for each in (base.numerator, base.denominator)]
    if None not in roots:
        return Result(Fraction(roots[0] or 0, roots[1] or 1) ** exponent.numerator)
    with localcontext(prec=ROUNDED_DIGITS):
        return Result(Fraction(_decimal(base) ** _decimal(exponent)), is_exact=False)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _whole_root(value: int, degree: int) -> int | None:
    """Return the whole root of a number; None if it has none."""
    if degree == 2:
        root = math.isqrt(value)
        return root if root * root == value else None
    if degree > MAX_ROOT:
        return None
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while low < high:
        middle = (low + high) // 2
        if middle**degree < value:
            low = middle + 1
        else:
            high = middle
    return low if low**degree == value else None


_ROOTS = {"root2": Fraction(1, 2), "root3": Fraction(1, 3)}
_OPERATIONS: Mapping[str, Callable[..., Fraction]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "of": lambda left, right: left * right,
    "off": lambda left, right: (1 - left) * right,
    "/": lambda left, right: left / right,
    "mod": lambda left, right: left % right,
    "negative": lambda value: -value,
    "%": lambda value: value / 100,
    "square": lambda value: value**2,
    "cube": lambda value: value**3,
    "half": lambda value: value / 2,
    "twice": lambda value: value * 2,
    "thrice": lambda value: value * 3,
    "factorial": _factorial,
}
