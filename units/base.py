"""What a unit program implements. docs/units.md has the messages for those who write one in another language."""

from collections.abc import Callable, Mapping
from typing import Any

from unitd.wire.envelope import Envelope
from unitd.wire.errors import LoadFailed, RunFailed, Unavailable


class UnitFault(Exception):
    """A request that the unit refuses. The daemon puts the code's own words before the reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class LoadError(Exception):
    """The model cannot be used; the program ends and this sentence becomes the daemon's reason."""


LATER: Mapping[str, Any] = {}
"""Returned by a handler that answers by `Host.answer` when it is done."""

Handler = Callable[[Envelope], Mapping[str, Any] | None]
"""Takes a message, returns the fields of its answer (None: no fields)."""

SETUP_REFUSED = LoadFailed.code
UNAVAILABLE = Unavailable.code
RUN_FAILED = RunFailed.code


class Unit:
    """All methods run in one thread, except `alert`, which the reader thread calls as soon as a message arrives."""

    handlers: Mapping[str, Handler]
    """By message type."""

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Loads the model; returns what the daemon may log (`about`). LoadError when it cannot."""
        raise NotImplementedError

    @property
    def is_busy(self) -> bool:
        """True while `step` has something to do."""
        return False

    def step(self) -> None:
        """One slice of work, short enough that messages are handled in time."""

    def close(self) -> None:
        """The program ends; called once after the last message."""

    def alert(self, envelope: Envelope) -> None:
        """A message came in: the chance to cut short what `step` does. Runs in the reader thread."""

    def calm(self) -> None:
        """Whatever `alert` set off is over: the waiting messages are handled next."""
