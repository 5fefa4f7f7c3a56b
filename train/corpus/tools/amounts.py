"""The values of commands as people say them: digits, number words, halves and quarters, the most and the least."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from train.corpus.home_words import things
from train.corpus.numbers import in_words, spoken
from train.corpus.tools.toolbox import Toolbox, Value

LEVELS = {
    "half": 50, "fifty fifty": 50, "halfway": 50, "a half": 50, "medium": 50, "50 50": 50, "a quarter": 25,
    "one quarter": 25, "a third": 33, "two thirds": 67, "three quarters": 75, "full": 100, "max": 100, "maximum": 100,
    "the max": 100, "the maximum": 100, "full power": 100, "a hundred": 100, "minimum": 1, "min": 1, "the minimum": 1,
    "low": 20, "a fifth": 20, "the lowest setting": 1, "a tenth": 10,
}  # fmt: skip
"""What people say in place of a percentage of brightness or volume."""

PARTS = {
    "half": 50, "halfway": 50, "half way": 50, "a quarter": 25, "a third": 33, "two thirds": 67, "three quarters": 75,
    "a tenth": 10, "a quarter of the way": 25, "one third": 33, "half the way": 50, "a fifth": 20,
}  # fmt: skip
"""How far a cover is to be open."""


@dataclass(frozen=True)
class Amount:
    """The arguments of a command besides its device, their words, and the block of phrasings for them."""

    values: dict[str, Value] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    block: str = ""
    """Another block than that of the meaning; "" for none."""


def percent_words(rng: random.Random, number: int) -> str:
    """Return a percentage as it is said or written."""
    draw = rng.random()
    if number == 100 and draw < 0.3:
        return rng.choice(("a hundred", "one hundred", "hundred"))
    if 20 < number < 100 and number % 10 and draw < 0.12:
        return in_words(number).replace(" ", "-")
    return spoken(rng, number)


def degree_words(rng: random.Random, degrees: int, is_half: bool) -> str:
    """Return a temperature as it is said or written."""
    if not is_half:
        return spoken(rng, degrees)
    return rng.choice((
        f"{degrees}.5", f"{degrees}.5", f"{degrees} and a half", f"{in_words(degrees)} and a half",
        f"{in_words(degrees)} point five", f"{degrees} point 5", f"{degrees} point five",
    ))  # fmt: skip


def draw_percent(rng: random.Random) -> int:
    """Return a percentage; people like round ones."""
    return rng.choice((rng.randint(0, 100), 10 * rng.randint(0, 10), 25 * rng.randint(1, 4), 5 * rng.randint(1, 20)))


def draw_amount(rng: random.Random, toolbox: Toolbox, meaning: str) -> Amount:
    """Return the value of a command in the words of people."""
    if meaning in ("brightness", "volume", "position"):
        return _percentage(rng, meaning)
    if meaning == "temperature":
        return _temperature(rng)
    if meaning == "color":
        tool = toolbox.tools.get("color")
        colour = rng.choice(next(iter(tool.enums.values() if tool else ()), things.COLOURS))
        return Amount({"color": colour}, {"colour": colour})
    if meaning == "play":
        music = rng.choice(things.MUSIC)
        return Amount({"media": music}, {"music": music})
    return Amount()


def _percentage(rng: random.Random, meaning: str) -> Amount:
    draw = rng.random()
    if meaning == "position":
        if draw < 0.08:
            return Amount({"percent": 50}, {}, "half_closed")
        if draw < 0.3:
            part = rng.choice(list(PARTS))
            return Amount({"percent": PARTS[part]}, {"amount": part}, "position_word")
    elif draw < 0.14:
        level = rng.choice(list(LEVELS))
        return Amount({"percent": LEVELS[level]}, {"level": level}, f"{meaning}_word")
    elif draw < 0.22:
        return Amount({"percent": 100}, {}, f"{meaning}_full")
    elif draw < 0.26 and meaning == "brightness":
        return Amount({"percent": 1}, {}, "brightness_least")
    number = draw_percent(rng)
    return Amount({"percent": number}, {"n": percent_words(rng, number)})


def _temperature(rng: random.Random) -> Amount:
    degrees = rng.choice((rng.randint(5, 30), rng.randint(16, 25)))
    if rng.random() < 0.06:
        fahrenheit = rng.randint(58, 80)
        return Amount({"degrees": fahrenheit}, {"n": spoken(rng, fahrenheit), "unit": "fahrenheit"})
    is_half = rng.random() < 0.17
    said = {"n": degree_words(rng, degrees, is_half)}
    if rng.random() < 0.07:
        said["unit"] = "celsius"
    return Amount({"degrees": degrees + 0.5 if is_half else degrees}, said)


def with_unit(rng: random.Random, template: str, said: dict[str, str]) -> str:
    """Return a template with the unit that is said; a percent sign stands after digits only."""
    if "{n}%" in template and not said.get("n", "").isdigit():
        template = template.replace("{n}%", "{n} percent")
    if "{n} percent" in template and said.get("n", "").isdigit() and rng.random() < 0.12:
        template = template.replace("{n} percent", rng.choice(("{n}%", "{n} %", "{n} per cent")))
    unit = said.get("unit", "")
    if not unit or "celsius" in template or "{n} c" in template:
        return template
    word = rng.choice((f"degrees {unit}", unit, f"degrees {unit[0]}"))
    known = next(each for each in ("{n} degrees", "{n} degree", "{n}°", "{n}") if each in template)
    return template.replace(known, f"{{n}} {word}", 1)
