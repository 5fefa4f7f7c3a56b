"""The errors of a pull, each with a sentence for people, and the rule for further tries.

PullFailed              the pull has failed
└── TemporaryFailure    a failure of the network or the server: another try may succeed
"""

import errno
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Long enough for the restart of a server, and short enough for a person who waits at a terminal.
WAITS_SECONDS = (0.5, 1.0, 2.0, 4.0, 8.0)
# The longest wait that a server may demand (`Retry-After`); a longer one ends the pull.
LONGEST_WAIT_SECONDS = 60.0


class PullFailed(Exception):
    """A model cannot be fetched, or is refused; the text is one sentence for people."""


class TemporaryFailure(PullFailed):
    """Another try may succeed; `wait_seconds` is the wait that the server demands, or None."""

    def __init__(self, reason: str, wait_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.wait_seconds = wait_seconds


class Retries:
    """Counts the failed tries of one file and waits between them; progress resets the count."""

    def __init__(self, stop: threading.Event) -> None:
        """Take an event that ends a wait at once."""
        self._stop = stop
        self._failed = 0

    def wait(self, cause: TemporaryFailure, *, has_advanced: bool) -> None:
        """Wait before the next try; after progress return at once.

        Raises:
            PullFailed: it was the last try.
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
def disk_errors_explained(folder: Path) -> Iterator[None]:
    """Turn errors of the disk into a PullFailed with a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            words = f"the disk of {folder} is full: make room and try again, what has been fetched is kept"
        else:
            words = f"{error.filename or folder}: {error.strerror or error}"
        raise PullFailed(words) from error
