"""Small reads, so that one client does not block the event loop.

asyncio reads up to 256 KiB at once. A hostile client can fill them with a hundred thousand braces, chunks or frames,
and all others wait until the last one is parsed. So the stream doors read smaller pieces; between two of them other
clients are served.
"""

import asyncio
from typing import Protocol


class _Receiver(Protocol):
    """A protocol with `data_received`."""

    def data_received(self, data: bytes) -> None:
        """Take the bytes that were read."""


class SmallReads(asyncio.BufferedProtocol):
    """A second base class for protocols that have `data_received`."""

    # One buffer for all connections: its content is copied before the next read.
    _buffer = memoryview(bytearray(16 * 1024))

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the buffer that asyncio reads into."""
        return self._buffer

    def buffer_updated(self: _Receiver, nbytes: int) -> None:
        """Pass on the bytes that were read."""
        self.data_received(bytes(SmallReads._buffer[:nbytes]))
