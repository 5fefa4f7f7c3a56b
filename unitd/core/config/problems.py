"""What is wrong in a document, key by key, so that all of it can be told at once. Pure."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from unitd.wire.errors import ConfigError

Key = tuple[str | int, ...]
"""The way to a value: ("pipeline", 0, "name") is the name of the first pipeline."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, and at which key."""

    key: Key
    words: str
    """A sentence that names the key."""

    location: str = ""
    """Where people find it, such as FILE:LINE; "" as long as nobody knows."""

    def __str__(self) -> str:
        return f"{self.location}: {self.words}" if self.location else self.words


class Problems(ConfigError):
    """All that is wrong in a document; the reason has a line for each."""

    def __init__(self, mistakes: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, mistakes)))
        self.mistakes = tuple(mistakes)


def name_of(key: Key) -> str:
    """As people write it: pipeline[0].name."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{_quoted(part)}" for part in key]
    return "".join(parts).removeprefix(".")


def _quoted(part: str) -> str:
    return part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else json.dumps(part)
