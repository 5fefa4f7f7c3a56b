"""Numbers as people say them; digits and words mean the same to every category."""

from __future__ import annotations

import random

SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def in_words(number: int) -> str:
    """Return a number from 0 to 999 in words."""
    if number < 20:
        return SMALL[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return TENS[tens] + (f" {SMALL[ones]}" if ones else "")
    hundreds, rest = divmod(number, 100)
    return f"{SMALL[hundreds]} hundred" + (f" and {in_words(rest)}" if rest else "")


def spoken(rng: random.Random, number: int) -> str:
    """Return a number in digits or in words."""
    return in_words(number) if rng.random() < 0.4 else str(number)
