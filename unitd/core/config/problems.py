"""Problems of a document, each with its key, so that all of them can be reported at once. Pure."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from unitd.wire.errors import ConfigError

Key = tuple[str | int, ...]
"""The path to a value: ("pipeline", 0, "name") is the name of the first pipeline."""


@dataclass(frozen=True)
class Problem:
    """One mistake, and its key."""

    key: Key
    words: str
    """A sentence that names the key."""

    location: str = ""
    """Where to find it, such as FILE:LINE; "" until it is known."""

    def __str__(self) -> str:
        return f"{self.location}: {self.words}" if self.location else self.words


class Problems(ConfigError):
    """All problems of a document; the reason has one line for each."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def name_of(key: Key) -> str:
    """Return a key as people write it: pipeline[0].name."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{_quoted(part)}" for part in key]
    return "".join(parts).removeprefix(".")


def _quoted(part: str) -> str:
    return part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else json.dumps(part)
