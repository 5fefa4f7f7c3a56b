"""The protocol object that every byte-stream door uses: bytes to the session, requests to the dispatcher.

Flow. While a client does not read its answers we do not read its requests, so a pipelining client cannot make the
daemon buffer more than its outbox allows. A client that sends requests faster than they can be served is read from when
all others have had their turn.
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

# One read may bring thousands of requests; after so long the other clients are served.
TURN_SECONDS = 0.01

_TOKEN = re.compile(SHOWN_TOKEN.encode())


@dataclass(frozen=True)
class StreamSettings:
    """What all doors of one kind share."""

    door: str
    frame_bytes: int
    outbox_bytes: int
    idle_seconds: float
    """An incomplete object without a new byte for this long is dropped (-2)."""

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
        """What has been read and waits for this client's next turn."""

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
        """The client of another owner, on the same line."""
        former, self.client = self.client, self._new_client("")
        self.client.take_over(former)
        return self.client

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The line is there."""
        self._transport = cast(asyncio.Transport, transport)
        self.client.attach(self._transport)
        log.debug("= %s is connected", self.client.name)

    def connection_lost(self, exc: Exception | None) -> None:
        """The line is gone; what this client asked for is cut."""
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
        """Serves what these bytes complete."""
        if not self.client.is_gone:  # it was told to go; of TLS there may be a rest
            self._serve(data)

    def _serve(self, data: bytes) -> None:
        if log.isEnabledFor(logging.DEBUG):
            log.debug("< %s %s", self.client.name, self._loggable(data))
        self._unserved = chain(self._unserved, self._session.receive_data(data))
        self._serve_on()

    def _serve_on(self) -> None:
        """Serves what was read, for one turn; what is left of it then waits for the next, and nothing more is read."""
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
        """Who holds what is unfinished."""
        return self.client.name

    def give_up_unfinished(self) -> None:
        """Too much is held of all clients, and most of it here."""
        self._drop_unfinished()
        self._refuse(error_reply(Unavailable("too much is being sent at the same time"), "0", "sys"))

    def _drop_unfinished(self) -> None:
        self._session.drop_unfinished()
        self._unfinished_bytes = 0
        self._settings.unfinished.hold(self, 0)

    def eof_received(self) -> bool:
        """The client sends no more, which mostly means that it left: its inferences are cut, its last requests
        (`printf … | nc -N`) are still answered."""
        self._server.forget_client(self.client)
        self._server.when_answered(self.client, self.hang_up)
        return True

    def hang_up(self) -> None:
        """Ends the connection once what was written has left."""
        if self._transport is not None:
            self._transport.close()

    def cut_off(self) -> None:
        """Ends the connection at once: one that reads nothing would stay for as long as something waits for it."""
        if self._transport is not None:
            self._transport.abort()

    def pause_writing(self) -> None:
        """The client does not read."""
        self.client.note_full()

    def resume_writing(self) -> None:
        """The client reads again."""
        self.client.note_room()

    def _loggable(self, data: bytes) -> bytes:
        """Without the token that is shown. A stranger says nothing else, and may say it in pieces."""
        if self.client.grant.role is None:
            return b"%d bytes" % len(data)
        return _TOKEN.sub(rb"\1...", data)

    def _watch_idle(self) -> None:
        """One timer for a whole dribble: when it fires early, it is set again for the rest."""
        loop = asyncio.get_running_loop()
        if self.client.is_held:  # it is we who do not read
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
        """What could not be read never comes to the daemon, so it is counted here."""
        self._server.metrics.errors[refusal.code] += 1
        self.client.send(refusal)
