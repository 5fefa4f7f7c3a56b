"""The spacing of a task's frames, for clients that take whatever one read returns for one frame.

The published Python clients of the original read until a newline has come and parse all of it as one JSON object; two
frames in one read are an error to them. The original never shows them two, because it writes a few tokens every 100 ms
(docs/protocol.md, "Spacing of frames"). So the first frame of a stream goes out at once, and what follows within
`interval` waits here. The sender may join more to the newest frame that waits (`newest`), or take that frame back.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from unitd.core.tasks.table import Client
from unitd.wire.messages import Reply

# Frames that must not be joined (audio) may come faster than they go out. Above this number the oldest does not wait
# for its time, so that no answer fills the memory; it then waits in the client's buffer, which has its own limit.
MAX_WAITING = 64


class FramePacer:
    """Sends the frames of one task in their order, each at least `interval` seconds after the one before."""

    def __init__(self, deliver: Callable[[Client | None, Reply], None]) -> None:
        self._deliver = deliver
        self._waiting: deque[tuple[Client | None, Reply, float]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._last_client: Client | None = None
        self._free_at = 0.0
        """When the next frame may go out, by the event loop's clock."""

    @property
    def newest(self) -> Reply | None:
        """The frame that waits and was added last; None when no frame waits."""
        return self._waiting[-1][1] if self._waiting else None

    def add(self, client: Client | None, reply: Reply, interval: float) -> None:
        """Send a frame now, or when its time has come; with an interval of 0 no frame is left waiting."""
        if not interval:
            self.flush()
            self._deliver(client, reply)
            return
        is_free = asyncio.get_running_loop().time() >= self._free_at
        if not self._waiting and (is_free or client is not self._last_client):
            self._send(client, reply, interval)
            return
        if len(self._waiting) >= MAX_WAITING:
            self._deliver(*self._waiting.popleft()[:2])
        self._waiting.append((client, reply, interval))
        self._set_timer()

    def drop_newest(self) -> None:
        """Take back the newest frame that waits: it is not sent."""
        self._waiting.pop()

    def flush(self) -> None:
        """Send everything that waits, at once."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._waiting:
            client, reply, _ = self._waiting.popleft()
            self._deliver(client, reply)

    def _send(self, client: Client | None, reply: Reply, interval: float) -> None:
        """Send a frame; the interval begins when it is out."""
        self._last_client = client
        self._deliver(client, reply)
        self._free_at = asyncio.get_running_loop().time() + interval

    def _set_timer(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(self._free_at, self._send_next)

    def _send_next(self) -> None:
        self._timer = None
        if not self._waiting:  # what waited was taken back
            return
        client, reply, interval = self._waiting.popleft()
        self._send(client, reply, interval)
        if self._waiting:
            self._set_timer()
