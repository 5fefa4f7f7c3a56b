"""What can go wrong on the way to a model, in one sentence for people; and how long to try again.

PullFailed      it ends here
└── BadLuck     the network's or the server's bad day: the same again may work
"""

import errno
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# A server that is restarted is back within this; a person who waits at a terminal is not kept for minutes.
WAITS_SECONDS = (0.5, 1.0, 2.0, 4.0, 8.0)
# What a server may ask for (`Retry-After`); one that wants more is given up.
LONGEST_WAIT_SECONDS = 60.0


class PullFailed(Exception):
    """A model cannot be fetched, or is refused; the text is one sentence for people."""


class BadLuck(PullFailed):
    """Worth another try; `wait_seconds` is what the server asks for."""

    def __init__(self, reason: str, wait_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.wait_seconds = wait_seconds


class Patience:
    """Counts the tries of one file, and waits between them; whatever comes starts the count anew."""

    def __init__(self, stop: threading.Event) -> None:
        """`stop` ends a wait at once."""
        self._stop = stop
        self._failed = 0

    def wait(self, cause: BadLuck, *, has_advanced: bool) -> None:
        """Waits before the next try; after some bytes there is nothing to wait for.

        Raises:
            PullFailed: that was the last try.
        """
        self._failed = 0 if has_advanced else self._failed + 1
        wanted = cause.wait_seconds
        if self._failed > len(WAITS_SECONDS):
            raise PullFailed(f"{cause}; tried {self._failed} times") from cause
        if wanted is not None and wanted > LONGEST_WAIT_SECONDS:
            raise PullFailed(f"{cause}; it asks to wait {wanted:.0f} seconds") from cause
        if self._failed:
            self._stop.wait(WAITS_SECONDS[self._failed - 1] if wanted is None else wanted)
        if self._stop.is_set():
            raise PullFailed(f"{cause}; another file failed") from cause


@contextmanager
def disk_errors_told(folder: Path) -> Iterator[None]:
    """Turns what the disk says into a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            words = f"the disk of {folder} is full: make room and try again, what has been fetched is kept"
        else:
            words = f"{error.filename or folder}: {error.strerror or error}"
        raise PullFailed(words) from error
