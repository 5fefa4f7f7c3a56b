"""Colors by name, as lights are told and as they report them. Pure."""

import re
from typing import Any

COLORS = {
    "white": (255, 255, 255), "red": (255, 0, 0), "orange": (255, 165, 0), "yellow": (255, 255, 0),
    "green": (0, 128, 0), "blue": (0, 0, 255), "purple": (128, 0, 128), "brown": (165, 42, 42),
    "pink": (255, 192, 203), "turquoise": (64, 224, 208), "violet": (238, 130, 238), "cyan": (0, 255, 255),
    "magenta": (255, 0, 255), "gold": (255, 215, 0), "lime": (0, 255, 0),
}  # fmt: skip
"""Red, green and blue of the colors that people name, as CSS defines them; black would be no light."""

_NAMES = {values: name for name, values in COLORS.items()}
_HEX = re.compile(r"#?([0-9a-fA-F]{6})(?:[0-9a-fA-F]{2}){0,2}")
_DECIMAL = re.compile(r"([0-9]{1,3}),([0-9]{1,3}),([0-9]{1,3})")


def name_of_color(value: Any) -> str | None:
    """Return the name of a color, else #rrggbb; None if it is no color.

    A color is a name, hexadecimal digits (those of white channels may follow), or three numbers up to 255 in a text or
    in a list. Black is none: a light has it while only its white channels are on.
    """
    if isinstance(value, str):
        if found := _HEX.fullmatch(value):
            value = list(bytes.fromhex(found[1]))
        elif found := _DECIMAL.fullmatch(value):
            value = [int(each) for each in found.groups()]
        else:
            return value.lower() if value.replace(" ", "").isalpha() else None
    if not isinstance(value, list) or len(value) != 3 or not all(isinstance(each, int) for each in value):
        return None
    rgb = (value[0], value[1], value[2])
    if not all(0 <= each <= 255 for each in rgb) or not any(rgb):
        return None
    return _NAMES.get(rgb) or "#{:02x}{:02x}{:02x}".format(*rgb)
