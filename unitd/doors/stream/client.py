"""The output of one client, and what happens when the client does not read it.

Policy. A network client whose unread output passes the limit is disconnected, with a log line: it has asked for more
than it reads, and to keep everything would let one client use up the memory of all. A serial line cannot be
disconnected, so it loses deltas in the middle of a stream instead (counted and logged), never an answer or the end of a
stream. Units never wait for a client.
"""

import asyncio
import logging
from collections.abc import Callable

from unitd.core.access.grants import STRANGER, Grant, is_other_owner
from unitd.core.repeats import is_doubling
from unitd.doors.base import BaseClient
from unitd.runtime.metrics import Metrics
from unitd.wire.messages import Reply
from unitd.wire.session import Session

log = logging.getLogger("unitd.outbox")

# When a serial line is not read at all: past this many times the limit answers are dropped and counted, too.
LOSSY_HARD_FACTOR = 4


class StreamClient(BaseClient):
    """The sending half of one client."""

    restores_tasks = True

    def __init__(
        self,
        *,
        name: str,
        door: str,
        session: Session,
        frame_bytes: int,
        clock: Callable[[], float],
        limit_bytes: int,
        metrics: Metrics,
        is_lossy: bool = False,
        frame_interval: float = 0.0,
        succeed: Callable[[], "StreamClient"] | None = None,
    ) -> None:
        """Make a client; `succeed` makes the one that replaces it when another owner shows a token on the same line."""
        super().__init__(name, door)
        self._succeed = succeed
        self.dropped_frames = 0
        self.frame_interval = frame_interval
        self._frame_bytes = frame_bytes
        self._session = session
        self._clock = clock
        self._limit = limit_bytes
        self._metrics = metrics
        self._is_lossy = is_lossy
        self._transport: asyncio.Transport | None = None
        self._holds: set[str] = set()
        self._has_room = asyncio.Event()
        self._has_room.set()

    @property
    def is_gone(self) -> bool:
        """Return True while there is no open connection."""
        return self._transport is None or self._transport.is_closing()

    def admit(self, grant: Grant) -> "StreamClient":
        """Set the rights of the client and the size of its messages. Return the client that goes on from here."""
        if is_other_owner(self.grant, grant) and self._succeed is not None:
            return self._succeed().admit(grant)
        self.grant = grant
        self._session.limit(min(grant.limits.frame_bytes or self._frame_bytes, self._frame_bytes))
        return self

    def attach(self, transport: asyncio.Transport) -> None:
        """Write to this transport from now on."""
        self._transport = transport

    def detach(self) -> None:
        """Forget the transport: from now on output is dropped and counted."""
        self._transport = None
        self._has_room.set()
        if self.dropped_frames:
            log.info("%s lost %d frames in all", self.name, self.dropped_frames)

    def take_over(self, former: "StreamClient") -> None:
        """Take over the transport of the client before; drop the holds that its requests caused."""
        self.name, self.address = former.name, former.address
        self.grant = STRANGER
        transport, was_held, is_full = former._transport, former.is_held, not former._has_room.is_set()
        former.detach()
        if transport is None:
            return
        self.attach(transport)
        if was_held and not transport.is_closing():
            transport.resume_reading()
        if is_full:
            self.note_full()

    def note_full(self) -> None:
        """Stop reading from the client: its output buffer is full."""
        self._has_room.clear()
        self.hold("unread", is_held=True)

    def note_room(self) -> None:
        """Read from the client again: its output buffer has room."""
        self._has_room.set()
        self.hold("unread", is_held=False)

    @property
    def is_held(self) -> bool:
        """Return True while the daemon does not read from this client."""
        return bool(self._holds)

    def hold(self, reason: str, *, is_held: bool) -> None:
        """Add or remove a reason not to read requests from this client."""
        was_held = bool(self._holds)
        self._holds.add(reason) if is_held else self._holds.discard(reason)
        if self._transport is None or self._transport.is_closing() or bool(self._holds) == was_held:
            return
        self._transport.pause_reading() if self._holds else self._transport.resume_reading()

    async def wait_for_room(self) -> None:
        """Return when the output buffer has room, and at once when the client is gone."""
        await self._has_room.wait()

    def send(self, reply: Reply) -> None:
        """Write one line, or drop it by the policy above."""
        transport = self._transport
        if transport is None or transport.is_closing():
            self._drop("it is gone")
            return
        unread = transport.get_write_buffer_size()
        if unread > self._limit and not self._may_exceed(reply, unread):
            return
        line = self._session.encode(reply, int(self._clock()))
        log.debug("> %s %s", self.name, line)
        transport.write(line)

    def _may_exceed(self, reply: Reply, unread: int) -> bool:
        if not self._is_lossy:
            log.warning("%s does not read: %d bytes wait, it is disconnected", self.name, unread)
            self._drop("it does not read")
            assert self._transport is not None
            self._transport.abort()
            return False
        if reply.is_droppable or unread > self._limit * LOSSY_HARD_FACTOR:
            self._drop("the line is too slow")
            return False
        return True

    def _drop(self, why: str) -> None:
        self.dropped_frames += 1
        self._metrics.dropped_frames[self.door] += 1
        if is_doubling(self.dropped_frames):
            log.warning("%s: %d frames dropped so far, %s", self.name, self.dropped_frames, why)
