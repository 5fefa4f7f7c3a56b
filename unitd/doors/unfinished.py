"""Unfinished input of clients: one memory budget for all doors.

Each door limits one message; many clients that never end their messages would still fill the memory. Over the budget
the largest unfinished message is dropped, so a client with a short message never waits for others.
"""

import logging
from typing import Protocol

log = logging.getLogger("unitd.doors")


class Holder(Protocol):
    """A connection, or a request, whose bytes wait for those that are still to come."""

    @property
    def holder_name(self) -> str:
        """Return the name of the client, for the log."""

    def give_up_unfinished(self) -> None:
        """Drop what has arrived so far, and tell the client."""


class Unfinished:
    """The number of unfinished bytes of each holder."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.total_bytes = 0
        self._held: dict[Holder, int] = {}

    def hold(self, holder: Holder, size: int) -> None:
        """Set the number of unfinished bytes of a holder; 0 when its message is complete."""
        before = self._held.get(holder, 0)
        if size == before:
            return
        if size:
            self._held[holder] = size
        else:
            del self._held[holder]
        self.total_bytes += size - before
        while self.total_bytes > self.limit_bytes:
            self._drop_largest()

    def _drop_largest(self) -> None:
        largest = max(self._held, key=self._held.__getitem__)
        size = self._held.pop(largest)
        words = "%s: %d bytes that are not complete are given up, all clients together hold %d"
        log.warning(words, largest.holder_name, size, self.total_bytes)
        self.total_bytes -= size
        largest.give_up_unfinished()
