"""Parsing of a card's text, which may be hostile: what would take long to parse is refused before. Pure."""

import re
import tomllib
from typing import Any

# The longest chat templates known have 20,000 characters. tomllib takes a second for a few megabytes, and holds the
# interpreter's lock meanwhile.
MAX_CARD_BYTES = 128 * 1024
# tomllib takes minutes for a key of 65,000 parts: its time grows with their square and worse. A card needs 2.
MAX_KEY_PARTS = 32

_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?<![\w\\-])(?:{_PART}[ \t]*+\.[ \t]*+){{{MAX_KEY_PARTS}}}")


def read_document(content: bytes) -> dict[str, Any]:
    """Return a card's parsed TOML.

    Raises:
        ValueError: the card is no TOML, or too long.
        RecursionError: the card is nested too deeply.
    """
    if len(content) > MAX_CARD_BYTES:
        raise ValueError(f"it is longer than {MAX_CARD_BYTES >> 10} KiB")
    text = content.decode()
    if found := _LONG_KEY.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(f"line {line} has a key of more than {MAX_KEY_PARTS} parts")
    return tomllib.loads(text)
