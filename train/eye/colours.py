"""Colours by name: each is a region of hue, saturation and value, so that no exact colour can be learned by heart."""

from __future__ import annotations

import colorsys
import random

Rgb = tuple[int, int, int]
Span = tuple[float, float]

REGIONS: dict[str, tuple[Span, Span, Span]] = {
    "red": ((-10, 7), (0.78, 1.0), (0.62, 1.0)),
    "orange": ((24, 37), (0.85, 1.0), (0.88, 1.0)),
    "yellow": ((47, 62), (0.65, 1.0), (0.88, 1.0)),
    "green": ((88, 150), (0.5, 1.0), (0.38, 0.95)),
    "blue": ((205, 245), (0.6, 1.0), (0.5, 1.0)),
    "purple": ((268, 297), (0.5, 1.0), (0.45, 0.85)),
    "pink": ((320, 348), (0.28, 0.62), (0.92, 1.0)),
    "brown": ((14, 32), (0.5, 0.9), (0.32, 0.58)),
    "black": ((0, 360), (0.0, 0.3), (0.0, 0.12)),
    "white": ((0, 360), (0.0, 0.04), (0.93, 1.0)),
    "grey": ((0, 360), (0.0, 0.07), (0.4, 0.66)),
}
NAMES = tuple(REGIONS)
FEWEST_DIFFERENCE = 110


def draw_colour(rng: random.Random, name: str) -> Rgb:
    """Return a colour of this name."""
    hue, saturation, value = (rng.uniform(*span) for span in REGIONS[name])
    red, green, blue = colorsys.hsv_to_rgb(hue / 360 % 1, saturation, value)
    return round(red * 255), round(green * 255), round(blue * 255)


def draw_any(rng: random.Random) -> Rgb:
    """Return any colour, with or without a name."""
    return rng.randrange(256), rng.randrange(256), rng.randrange(256)


def difference(first: Rgb, second: Rgb) -> float:
    """Return the distance of two colours, weighted roughly as an eye does."""
    red, green, blue = (abs(a - b) for a, b in zip(first, second, strict=True))
    return float((2 * red * red + 4 * green * green + 3 * blue * blue) ** 0.5 / 1.7)


def is_clear(first: Rgb, second: Rgb) -> bool:
    """Return whether one colour can be seen on the other."""
    return difference(first, second) >= FEWEST_DIFFERENCE


def mixed(first: Rgb, second: Rgb, share: float) -> Rgb:
    """Return the colour between two, `share` of the way to the second."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue
