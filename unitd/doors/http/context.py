"""The context of all dialects: the daemon, the connection slots, and the waiting line for the llm."""

import asyncio
import itertools
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from starlette.requests import HTTPConnection

from unitd.core.access.grants import Grant
from unitd.core.config.schema import Settings
from unitd.doors.base import Server
from unitd.doors.http.auth import address_of, grant_of
from unitd.doors.http.waiting_line import WaitingLine
from unitd.doors.local_client import LocalClient
from unitd.doors.unfinished import Unfinished
from unitd.runtime.models.store import ModelStore
from unitd.runtime.status import Status
from unitd.wire.errors import Unavailable

log = logging.getLogger("unitd.doors")


class ConnectionSlots:
    """The number of WebSockets that may be open at the same time."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._free = asyncio.Semaphore(limit)
        self.active = 0

    async def take(self, patience_seconds: float = 0.0) -> None:
        """Take a slot; wait up to `patience_seconds` for a free one.

        Raises:
            Unavailable: no slot is free.
        """
        try:
            async with asyncio.timeout(patience_seconds if self._free.locked() else None):
                await self._free.acquire()
        except TimeoutError as error:
            raise Unavailable(f"{self.limit} clients are connected, no more are taken") from error
        self.active += 1

    def leave(self) -> None:
        """Give a slot back."""
        self.active -= 1
        self._free.release()

    @property
    def capacity(self) -> dict[str, int | bool]:
        """Return the figures for /status and for refused clients."""
        available = self.limit - self.active
        return {
            "active": self.active,
            "max": self.limit,
            "available": available,
            "at_capacity": available <= 0,
        }


@dataclass(eq=False)
class HttpContext:
    """The daemon as the dialects see it; the door makes one."""

    server: Server
    settings: Settings
    slots: ConnectionSlots
    clock: Callable[[], float]
    models: ModelStore
    status: Status
    unfinished: Unfinished
    streams: set[object] = field(default_factory=set)
    """The chunked streams that are open, on all sockets."""

    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    @cached_property
    def waiting_line(self) -> WaitingLine:
        """Return the waiting line of the turn-based chat."""
        return WaitingLine(self.settings.llm.slots)

    def local_client(self, connection: HTTPConnection, door: str = "http") -> LocalClient:
        """Return a client for one request or socket; close it when the peer is gone.

        A socket counts as a client of its own, like a TCP connection; all requests of one address count as one client.
        """
        host = address_of(connection)
        name = f"{door} {host or '?'} {next(self._numbers)}"
        party = "" if connection.scope["type"] == "websocket" else f"http {host}"
        return LocalClient(self.server, name, door, grant=grant_of(connection), address=host, party=party)

    async def take_slot(self, connection: HTTPConnection) -> None:
        """Take a connection slot, after a short wait if need be.

        Raises:
            Unavailable: no slot is free, or the client's token has all the connections that it may have.
        """
        try:
            await self._take_slot(grant_of(connection))
        except Unavailable as error:
            log.warning("%s is refused: %s", address_of(connection), error.reason)
            raise

    async def _take_slot(self, grant: Grant) -> None:
        self.server.access.enter(grant)
        try:
            await self.slots.take(self.settings.http.barge_in.acquire_timeout_s)
        except BaseException:
            self.server.access.leave(grant)
            raise

    def leave_slot(self, connection: HTTPConnection) -> None:
        """Give the slot back."""
        self.server.access.leave(grant_of(connection))
        self.slots.leave()
