"""The protocol of all byte-stream doors: bytes go to the session, requests to the dispatcher.

Flow control. While a client does not read its answers the daemon does not read its requests, so a pipelining client
cannot make the daemon buffer more than its outbox allows. A client that sends requests faster than they can be served
is read from again after all others have been served.
"""

import asyncio
import logging
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, cast

from unitd.core.access.grants import SHOWN_TOKEN
from unitd.doors.base import DoorContext, Server
from unitd.doors.stream.client import StreamClient
from unitd.doors.unfinished import Unfinished
from unitd.wire.errors import Unavailable
from unitd.wire.messages import Reply, Request, error_reply
from unitd.wire.session import Session

log = logging.getLogger("unitd.doors")

# One read may contain thousands of requests; after this time the other clients are served.
TURN_SECONDS = 0.01

_TOKEN = re.compile(SHOWN_TOKEN.encode())


@dataclass(frozen=True)
class StreamSettings:
    """The settings of one door."""

    door: str
    frame_bytes: int
    outbox_bytes: int
    idle_seconds: float
    """An incomplete object is dropped (-2) when no byte arrives for this long."""

    clock: Callable[[], float]
    unfinished: Unfinished
    is_ascii: bool = False
    is_lossy: bool = False
    frame_interval: float = 0.0
    """Seconds between two frames of one task (runtime/tasks/pacing.py)."""

    @classmethod
    def of(cls, context: DoorContext, door: str, idle_seconds: float, **different: Any) -> "StreamSettings":
        """Return the settings of a door, as the configuration has them but for what is `different`."""
        limits = context.settings.limits
        usual = cls(door, limits.frame_bytes, limits.outbox_bytes, idle_seconds, context.clock, context.unfinished)
        return replace(usual, **different)


class StreamProtocol(asyncio.Protocol):
    """One connection."""

    def __init__(self, server: Server, settings: StreamSettings, name: str = "") -> None:
        self._server = server
        self._settings = settings
        self._session = Session(limit_bytes=settings.frame_bytes, is_ascii=settings.is_ascii)
        self.client = self._new_client(name)
        self._transport: asyncio.Transport | None = None
        self._last_byte_at = 0.0
        self._unfinished_bytes = 0
        self._idle_timer: asyncio.TimerHandle | None = None
        self._unserved: Iterator[Request | Reply] = iter(())
        """Requests that have been read and wait for this client's next turn."""

    def _new_client(self, name: str) -> StreamClient:
        settings = self._settings
        return StreamClient(
            name=name,
            door=settings.door,
            session=self._session,
            frame_bytes=settings.frame_bytes,
            clock=settings.clock,
            limit_bytes=settings.outbox_bytes,
            metrics=self._server.metrics,
            is_lossy=settings.is_lossy,
            frame_interval=settings.frame_interval,
            succeed=self._succeed,
        )

    def _succeed(self) -> StreamClient:
        """Return a client for another owner on the same line."""
        former, self.client = self.client, self._new_client("")
        self.client.take_over(former)
        return self.client

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Attach the client to the connection."""
        self._transport = cast(asyncio.Transport, transport)
        self.client.attach(self._transport)
        log.debug("= %s is connected", self.client.name)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cut the requests of the client: the connection has ended."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None
        self._unserved = iter(())
        self.client.hold("turn", is_held=False)
        self._drop_unfinished()
        self.client.detach()
        self._server.forget_client(self.client)
        log.debug("= %s is gone%s", self.client.name, f": {exc}" if exc else "")

    def data_received(self, data: bytes) -> None:
        """Serve the requests that these bytes complete."""
        if not self.client.is_gone:  # after the disconnection TLS may still deliver bytes
            self._serve(data)

    def _serve(self, data: bytes) -> None:
        if log.isEnabledFor(logging.DEBUG):
            log.debug("< %s %s", self.client.name, self._loggable(data))
        self._unserved = chain(self._unserved, self._session.receive_data(data))
        self._serve_on()

    def _serve_on(self) -> None:
        """Serve requests for one turn; the rest waits for the next turn, and until then nothing more is read."""
        loop, until = asyncio.get_running_loop(), time.monotonic() + TURN_SECONDS
        for meaning in self._unserved:
            if isinstance(meaning, Reply):
                self._refuse(meaning)
            else:
                self._server.serve(self.client, meaning)
            if time.monotonic() >= until:
                self.client.hold("turn", is_held=True)
                loop.call_soon(self._serve_on)
                return
        self.client.hold("turn", is_held=False)
        if (size := self._session.unfinished_bytes) != self._unfinished_bytes:
            self._unfinished_bytes = size
            self._settings.unfinished.hold(self, size)
        if self._session.is_incomplete:
            self._last_byte_at = loop.time()
            if self._idle_timer is None:
                self._watch_idle()

    @property
    def holder_name(self) -> str:
        """Return the name of the client whose message is unfinished."""
        return self.client.name

    def give_up_unfinished(self) -> None:
        """Drop the unfinished message, the largest of all clients, and tell the client."""
        self._drop_unfinished()
        self._refuse(error_reply(Unavailable("too much is being sent at the same time"), "0", "sys"))

    def _drop_unfinished(self) -> None:
        self._session.drop_unfinished()
        self._unfinished_bytes = 0
        self._settings.unfinished.hold(self, 0)

    def eof_received(self) -> bool:
        """Cut the inferences of a client that sends no more, which usually means that it has left.

        Its last requests (`printf … | nc -N`) are still answered.
        """
        self._server.forget_client(self.client)
        self._server.when_answered(self.client, self.hang_up)
        return True

    def hang_up(self) -> None:
        """End the connection after its output has been sent."""
        if self._transport is not None:
            self._transport.close()

    def cut_off(self) -> None:
        """End the connection at once, also when its output is not read."""
        if self._transport is not None:
            self._transport.abort()

    def pause_writing(self) -> None:
        """Note that the client does not read."""
        self.client.note_full()

    def resume_writing(self) -> None:
        """Note that the client reads again."""
        self.client.note_room()

    def _loggable(self, data: bytes) -> bytes:
        """Return bytes for the log without a token; without a grant, when one may come in pieces, only their number."""
        if self.client.grant.role is None:
            return b"%d bytes" % len(data)
        return _TOKEN.sub(rb"\1...", data)

    def _watch_idle(self) -> None:
        """Drop an object that stays incomplete. One timer serves all its bytes: when it is early, it is set again."""
        loop = asyncio.get_running_loop()
        if self.client.is_held:  # the daemon itself does not read
            self._last_byte_at = loop.time()
        due = self._last_byte_at + self._settings.idle_seconds
        self._idle_timer = None
        if not self._session.is_incomplete:
            return
        if due > loop.time():
            self._idle_timer = loop.call_at(due, self._watch_idle)
        elif refusal := self._session.drop_incomplete():
            self._unfinished_bytes = self._session.unfinished_bytes
            self._settings.unfinished.hold(self, self._unfinished_bytes)
            self._refuse(refusal)

    def _refuse(self, refusal: Reply) -> None:
        """Send and count the refusal of bytes that never reach the dispatcher, which counts all other errors."""
        self._server.metrics.errors[refusal.code] += 1
        self.client.send(refusal)
