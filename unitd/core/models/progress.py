"""The progress of a pull, and its words for people: "120 MB of 428 MB, 12 MB/s, 26 s left". Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

FETCHING, DONE, FAILED = "fetching", "done", "failed"
INCOMING = ".incoming"
"""The folder beside the models that holds each of them until it is complete."""

_WORDS = {
    "waiting": "waiting to begin",
    "checking": "checking what came",
    "unpacking": "unpacking",
    DONE: "installed",
}


@dataclass(frozen=True)
class Progress:
    """The state of a pull at one moment."""

    state: str = "waiting"
    """waiting, fetching, checking, unpacking, done or failed."""

    file: str = ""
    bytes: int = 0
    """The bytes of all files together, with those of earlier attempts."""

    total: int = 0
    """The bytes to fetch; 0 if they are not known."""

    bytes_per_s: float = 0.0
    seconds_left: float = 0.0
    place: str = ""
    """The model's folder, if it is done."""

    reason: str = ""
    """A sentence for people, if it failed."""

    unchecked: str = ""
    """A sentence for people, if files were not compared with a hash of the catalogue."""

    @property
    def is_last(self) -> bool:
        """True if no further state follows."""
        return self.state in (DONE, FAILED)

    def after(self, line: Mapping[str, Any]) -> "Progress":
        """Return the state after a line of the pulling program; values that the line lacks stay."""
        known = {each.name for each in fields(self)}
        return replace(self, **{key: value for key, value in line.items() if key in known})

    def __str__(self) -> str:
        if self.state == FAILED:
            return self.reason
        if self.state != FETCHING:
            return "; ".join(filter(None, (_WORDS.get(self.state, self.state), self.unchecked)))
        size = f"{size_words(self.bytes)} of {size_words(self.total)}" if self.total else size_words(self.bytes)
        speed = f", {size_words(self.bytes_per_s)}/s" if self.bytes_per_s else ""
        left = f", {time_words(self.seconds_left)} left" if self.bytes_per_s and self.total else ""
        return f"{size}{speed}{left}"


def size_words(size: float) -> str:
    """Return a number of bytes as people read it: 428 MB, 1.9 GB; 1 MB is a million bytes."""
    for unit in ("bytes", "kB", "MB"):
        if round(size) < 1000:
            return f"{size:.0f} {unit}" if size >= 9.95 or unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def time_words(seconds: float) -> str:
    """Return seconds as people read them: 20 s, 3 min, 2 h 10 min."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
