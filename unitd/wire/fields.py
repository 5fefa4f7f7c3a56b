"""One reader of JSON objects whose keys a client or a user writes: setups, requests of the HTTP dialects, options.

A dialect derives from `Fields` and says what its error is. Limits stand in the error as they stand in the call.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self, TypeVar

UNLIMITED = sys.float_info.max
"""As a limit: every finite number is allowed, and the error names no limit."""

# Of a value that an error repeats; the value may be megabytes long.
_SHOWN_CHARACTERS = 100

D = TypeVar("D")


class Fields:
    """One JSON object, read key by key. A reader returns its default where the key is absent."""

    null_is_absent = False

    def __init__(self, values: Any, where: str = "") -> None:
        """Take the object at the place `where`, such as "messages[0]"; "" is the outermost object."""
        self.where = where
        if not isinstance(values, Mapping):
            raise self.refusal("", "an object")
        self._values = values

    def refusal(self, key: str, wanted: str, shown: str = "") -> Exception:
        """Return the dialect's error for a key whose value must be `wanted`; the key "" means the object itself.

        `shown` is the value itself where a plain value was wanted; "" for a text, a list and an object.
        """
        raise NotImplementedError

    def __contains__(self, key: str) -> bool:
        return key in self._values and not (self.null_is_absent and self._values[key] is None)

    def get(self, key: str) -> Any:
        """Return the value as it is, None where the key is absent."""
        return self._values[key] if key in self else None

    def place(self, key: str) -> str:
        """Return the place of a key, such as "messages[0].role"."""
        return ".".join(filter(None, (self.where, key)))

    def text(self, key: str, default: D) -> str | D:
        """Return a text."""
        return self._checked(key, default, lambda value: isinstance(value, str), "a text", is_shown=False)

    def flag(self, key: str, default: D) -> bool | D:
        """Return true or false."""
        return self._checked(key, default, lambda value: isinstance(value, bool), "true or false")

    def number(self, key: str, default: D, low: float = -UNLIMITED, high: float = UNLIMITED) -> float | D:
        """Return a finite number from `low` to `high`; true and false are no numbers."""
        wanted = f"a number{_range(low, high)}"
        value = self._checked(key, default, lambda value: type(value) in (int, float) and low <= value <= high, wanted)
        return float(value) if type(value) is int else value

    def whole(self, key: str, default: D, low: float = -UNLIMITED, high: float = UNLIMITED) -> int | D:
        """Return a whole number from `low` to `high`."""
        wanted = f"a whole number{_range(low, high)}"
        return self._checked(key, default, lambda value: type(value) is int and low <= value <= high, wanted)

    def one_of(self, key: str, default: D, choices: Sequence[str]) -> str | D:
        """Return one of these texts."""
        return self._checked(key, default, lambda value: value in choices, f"one of {', '.join(choices)}")

    def texts(self, key: str, wanted: str = "a text or a list of texts") -> list[str]:
        """Return a list of texts; a text alone counts as a list of one, an absent key as an empty list."""
        value = self._values[key] if key in self else []
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            raise self.refusal(key, wanted)
        return listed

    def table(self, key: str) -> Self:
        """Return the object at a key, an empty one where the key is absent."""
        return type(self)(self._values[key] if key in self else {}, self.place(key))

    def listed(self, key: str, wanted: str = "a list") -> list[Any]:
        """Return a list of anything, an empty one where the key is absent."""
        value = self._values[key] if key in self else []
        if not isinstance(value, list):
            raise self.refusal(key, wanted)
        return value

    def _checked(
        self, key: str, default: D, fits: Callable[[Any], bool], wanted: str, *, is_shown: bool = True
    ) -> Any | D:
        if key not in self:
            return default
        value = self._values[key]
        if not fits(value):
            raise self.refusal(key, wanted, _shown(value) if is_shown else "")
        return value


def _range(low: float, high: float) -> str:
    begin = f" from {low}" if low > -UNLIMITED else ""
    return begin + (f" to {high}" if high < UNLIMITED else "")


def _shown(value: Any) -> str:
    said = repr(value)
    return said if len(said) <= _SHOWN_CHARACTERS else f"{said[:_SHOWN_CHARACTERS]}…"
