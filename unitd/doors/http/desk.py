"""What every dialect gets: the daemon behind the door, who may come in, and how many."""

import asyncio
import hmac
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from starlette.requests import HTTPConnection

from unitd.core.catalog import Card
from unitd.core.config import Settings
from unitd.doors.guest import Guest, Server
from unitd.doors.http.bargein_session import Sessions
from unitd.doors.http.line import Line
from unitd.runtime.live import Live


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
        host = connection.client.host if connection.client else "?"
        return Guest(self.server, f"{door} {host} {next(self._numbers)}", door)

    def change_key(self, api_key: str) -> None:
        """From now on this one opens the door; who is in stays in."""
        self.settings = replace(self.settings, http=replace(self.settings.http, api_key=api_key))

    def is_allowed(self, connection: HTTPConnection) -> bool:
        """True when no key is configured or the right one came, in the query or in a header."""
        key = self.settings.http.api_key
        if not key:
            return True
        return any(hmac.compare_digest(each, key.encode()) for each in _keys_in(connection))


def _keys_in(connection: HTTPConnection) -> list[bytes]:
    """What a client gives as its key; of headers the bytes as they came, which starlette reads as Latin-1."""
    headers = connection.headers
    scheme, _, credentials = headers.get("authorization", "").partition(" ")
    given = [headers.get("x-api-key", ""), credentials.strip() if scheme.lower() == "bearer" else ""]
    return [connection.query_params.get("api_key", "").encode(), *(each.encode("latin-1") for each in given)]
