"""What a unit program implements. docs/units.md has the messages for those who write one in another language."""

from collections.abc import Callable, Mapping
from typing import Any

from unitd.wire.envelope import Envelope
from unitd.wire.errors import LoadFailed, RunFailed, Unavailable


class UnitFault(Exception):
    """A request that the unit refuses. The daemon puts the text of the code before the reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class LoadError(Exception):
    """The model cannot be used. The program ends, and this sentence becomes the daemon's reason."""


LATER: Mapping[str, Any] = {}
"""The return value of a handler that sends its answer later, by `Host.answer`."""

Handler = Callable[[Envelope], Mapping[str, Any] | None]
"""A function that takes a message and returns the fields of its answer, or None for an answer without fields."""

SETUP_REFUSED = LoadFailed.code
UNAVAILABLE = Unavailable.code
RUN_FAILED = RunFailed.code


class Unit:
    """The base class of units. All methods run in one thread, except `alert`, which runs in the reader thread."""

    handlers: Mapping[str, Handler]
    """The handler of each message type."""

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Load the model and return what the daemon may log (`about`). Raise LoadError when that fails."""
        raise NotImplementedError

    @property
    def is_busy(self) -> bool:
        """Return True while `step` has something to do."""
        return False

    def step(self) -> None:
        """Do one slice of work, short enough that messages are handled in time."""

    def close(self) -> None:
        """Release everything at the end of the program; called once after the last message."""

    def alert(self, envelope: Envelope) -> None:
        """Cut short what `step` does, if this message asks for it; called as soon as it arrives."""

    def calm(self) -> None:
        """Undo what `alert` has set off: the waiting messages are handled next."""
