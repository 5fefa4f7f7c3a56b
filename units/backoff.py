"""The pauses between two tries to open a device or a connection."""

import random


class Backoff:
    """The time to wait before a device is tried again; each is longer than the last, and none is like another."""

    _FIRST_SECONDS, _LAST_SECONDS = 0.25, 5.0

    def __init__(self) -> None:
        self._next = self._FIRST_SECONDS

    def next_seconds(self) -> float:
        """Return the next pause."""
        pause, self._next = self._next, min(self._next * 2, self._LAST_SECONDS)
        return pause * random.uniform(0.7, 1.0)

    def reset(self) -> None:
        """Begin again with the shortest pause: the device works."""
        self._next = self._FIRST_SECONDS
