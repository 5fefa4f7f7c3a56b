"""Reading setup data: every bad value is refused by the name of its key."""

import math
from collections.abc import Mapping
from typing import Any

from units.base import SETUP_REFUSED, UnitFault


def refusal(words: str) -> UnitFault:
    """The error of a setup that cannot be."""
    return UnitFault(SETUP_REFUSED, words)


def number(data: Mapping[str, Any], key: str, default: float, low: float, high: float) -> float:
    """A finite number from `low` to `high`, `default` where the key is absent."""
    value = data.get(key, default)
    if type(value) not in (int, float) or not math.isfinite(value) or not low <= value <= high:
        raise refusal(f"{key} is {value!r}, it must be a number from {low:g} to {high:g}")
    return float(value)


def text(data: Mapping[str, Any], key: str, default: str = "") -> str:
    """A text, `default` where the key is absent."""
    value = data.get(key, default)
    if not isinstance(value, str):
        raise refusal(f"{key} must be a text")
    return value


def inputs(data: Mapping[str, Any]) -> list[str]:
    """`input` is one source or a list of them."""
    value = data.get("input", [])
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise refusal("input must be a text or a list of texts")
    return listed


def is_task_of(unit: str, entry: str) -> bool:
    """True for "kws.1000" of kws, false for "kws" and "sys.pcm"."""
    name, _, rest = entry.partition(".")
    return name == unit and rest.isdecimal()
