"""What every dialect gets: the daemon behind the door, who may come in, and how many."""

import asyncio
import itertools
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from starlette.requests import HTTPConnection

from unitd.core.access import STRANGER, Grant
from unitd.core.catalog import Card
from unitd.core.config import Settings
from unitd.doors.guest import Guest, Server
from unitd.doors.http.bargein_session import Sessions
from unitd.doors.http.line import Line
from unitd.runtime.live import Live
from unitd.wire.errors import Unavailable

log = logging.getLogger("unitd.doors")


class Seats:
    """The WebSockets that may be open at the same time."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._free = asyncio.Semaphore(limit)
        self.active = 0

    async def take(self, patience_seconds: float = 0.0) -> bool:
        """Waits so long for a free seat; False when there is none."""
        try:
            async with asyncio.timeout(patience_seconds if self._free.locked() else None):
                await self._free.acquire()
        except TimeoutError:
            return False
        self.active += 1
        return True

    def leave(self) -> None:
        """One is free again."""
        self.active -= 1
        self._free.release()

    @property
    def capacity(self) -> dict[str, int | bool]:
        """For /status and for whoever is refused."""
        available = self.limit - self.active
        return {
            "active": self.active,
            "max": self.limit,
            "available": available,
            "at_capacity": available <= 0,
        }


class Models(Protocol):
    """Which card serves a name."""

    async def resolve(self, unit: str, name: str) -> Card:
        """LoadFailed if none does."""


@dataclass(eq=False)
class Desk:
    """The composition root makes one for the door."""

    server: Server
    settings: Settings
    seats: Seats
    clock: Callable[[], float]
    models: Models
    live: Live
    streams: set[object] = field(default_factory=set)
    """Chunked streams that are open, on whatever socket."""

    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    @cached_property
    def barge_in_sessions(self) -> Sessions:
        """What the barge-in dialect remembers, whatever connection a client comes by."""
        return Sessions(self.settings.http.barge_in)

    @cached_property
    def line(self) -> Line:
        """The queue of the turn-based chat."""
        return Line(self.settings.llm.slots)

    def guest(self, connection: HTTPConnection, door: str = "http") -> Guest:
        """A client for one request or socket; the door closes it when its peer is gone."""
        host = address_of(connection)
        name = f"{door} {host or '?'} {next(self._numbers)}"
        return Guest(self.server, name, door, grant=grant_of(connection), address=host)

    async def take_seat(self, connection: HTTPConnection, patience_seconds: float) -> bool:
        """Waits so long for a free seat; False when there is none, or the client's token has as many as it may have."""
        grant = grant_of(connection)
        try:
            self.server.access.enter(grant)
        except Unavailable as error:
            log.warning("%s is refused: %s", address_of(connection), error.reason)
            return False
        has_seat = False
        try:
            has_seat = await self.seats.take(patience_seconds)
        finally:
            if not has_seat:
                self.server.access.leave(grant)
        return has_seat

    def leave_seat(self, connection: HTTPConnection) -> None:
        """One is free again."""
        self.server.access.leave(grant_of(connection))
        self.seats.leave()

    def admit(self, connection: HTTPConnection) -> Grant:
        """What a client may do, by the key that it gives, in the query or in a header, or by where it comes from.

        Where no key is asked for, one that nobody knows does no harm: libraries of the OpenAI API always send one.

        Raises:
            NotAllowed: a wrong key.
            Unavailable: too many wrong keys came from there.
        """
        access, address = self.server.access, address_of(connection)
        key = _key_in(connection)
        anybody = STRANGER if access.has_key else access.grant_at("http", address)
        if anybody.role is None:
            return access.admit(key, address) if key else STRANGER
        return access.known(key) or anybody


GRANT = "unitd.grant"
"""Where the guard leaves a connection's grant in its scope."""


def grant_of(connection: HTTPConnection) -> Grant:
    """What the guard has found out."""
    grant: Grant = connection.scope[GRANT]
    return grant


def address_of(connection: HTTPConnection) -> str:
    """Where a client comes from."""
    return connection.client.host if connection.client else ""


def _key_in(connection: HTTPConnection) -> str:
    """What a client gives as its key, "" without one. Bytes of headers, which starlette reads as Latin-1, are UTF-8."""
    headers = connection.headers
    scheme, _, credentials = headers.get("authorization", "").partition(" ")
    given = headers.get("x-api-key") or (credentials.strip() if scheme.lower() == "bearer" else "")
    return connection.query_params.get("api_key") or given.encode("latin-1").decode(errors="replace")
