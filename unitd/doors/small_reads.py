"""Reads that are small enough for what is made of them.

asyncio reads up to 256 KiB at once. Of a client that means harm these are a hundred thousand braces, chunks or frames,
and all others wait until the last of them is looked at. So the stream doors read in smaller pieces and are called again
for the next one, when the others had their turn.
"""

import asyncio
from typing import Protocol


class _Receiver(Protocol):
    """A protocol that takes bytes."""

    def data_received(self, data: bytes) -> None:
        """Takes what was read."""


class SmallReads(asyncio.BufferedProtocol):
    """For protocols with `data_received`: a base class beside theirs."""

    # One for all connections: what is read into it is copied before anybody else's turn.
    _buffer = memoryview(bytearray(16 * 1024))

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return where asyncio puts what it reads."""
        return self._buffer

    def buffer_updated(self: _Receiver, nbytes: int) -> None:
        """So much was read."""
        self.data_received(bytes(SmallReads._buffer[:nbytes]))
