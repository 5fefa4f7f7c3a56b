"""A serial adapter that can be unplugged: a pseudo-terminal pair behind a stable device path."""

import asyncio
import os
import pty
import tty
from pathlib import Path

from bench.daemon import LINE_BYTES, StreamClient


class Cable:
    """A cable between two pseudo-terminals; after a new plug another adapter is in the same place."""

    def __init__(self, device: Path) -> None:
        self.device = device

    async def plug(self) -> StreamClient:
        """Plug the cable in; return the client at the other end of the line."""
        near, self._far = pty.openpty()
        tty.setraw(near)
        tty.setraw(self._far)
        self.device.symlink_to(os.ttyname(self._far))
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=LINE_BYTES)
        # Two descriptors: each pipe transport closes its own.
        incoming, outgoing = os.fdopen(os.dup(near), "rb", 0), os.fdopen(near, "wb", 0)
        self._incoming, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), incoming)
        transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, outgoing)
        self._client = StreamClient(reader, asyncio.StreamWriter(transport, protocol, reader, loop))
        return self._client

    def unplug(self) -> None:
        """Break the line at the daemon's end."""
        self.device.unlink()
        os.close(self._far)
        self._incoming.close()
        self._client.writer.close()
