"""A host without a daemon for units that speak from several threads."""

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.support.units.fake_host import FakeHost
from unitd.wire.envelope import Envelope
from units.base import Unit

Setup = Callable[..., None]
"""Sets up a task of a voice."""

PATIENCE_SECONDS = 10


class VoiceHost(FakeHost):
    """Keeps what a unit says, with payload and time, and lets a test wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = threading.Condition(threading.RLock())

    def say(self, type_: str, payload: bytes = b"", **fields: Any) -> None:
        """Keep one message."""
        with self._changed:
            self.said.append((type_, fields | {"payload": payload, "said_at": time.monotonic()}))
            self._changed.notify_all()

    def all(self, type_: str, **fields: Any) -> list[dict[str, Any]]:
        """Return all messages of a type so far that have these fields."""
        with self._changed:
            return [said for each, said in self.said if each == type_ and fields.items() <= said.items()]

    def wait_for(self, type_: str, count: int = 1, **fields: Any) -> list[dict[str, Any]]:
        """Return all messages of a type that have these fields, as soon as there are `count`."""
        with self._changed:
            self._changed.wait_for(lambda: len(self.all(type_, **fields)) >= count, PATIENCE_SECONDS)
            found = self.all(type_, **fields)
        assert len(found) >= count, f"{len(found)} {type_} of {count} came"
        return found

    def sound(self, type_: str) -> NDArray[np.int16]:
        """Return the joined payloads of a type as samples."""
        return np.frombuffer(b"".join(fields["payload"] for fields in self.all(type_)), np.int16)


def tell(unit: Unit, type_: str, payload: bytes = b"", **fields: Any) -> Any:
    """Send one message to a unit; return the fields of its answer."""
    return unit.handlers[type_](Envelope(type_, fields, payload))


def tone(seconds: float, rate: int = 16000, hertz: float = 440.0) -> NDArray[np.int16]:
    """Return a tone at half of full scale."""
    times = np.arange(round(seconds * rate)) / rate
    return (16384 * np.sin(2 * np.pi * hertz * times)).astype(np.int16)


def say(unit: Unit, text: str, number: int = 1, **fields: Any) -> None:
    """Send an inference to a voice."""
    tell(unit, "infer", text.encode(), **({"task": "tts.1", "inference": number, "is_text": True} | fields))


def run(unit: Unit) -> None:
    """Let a voice compute until there is nothing to do."""
    while unit.is_busy:
        unit.step()
