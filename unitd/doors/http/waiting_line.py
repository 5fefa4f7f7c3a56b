"""The waiting line of the turn-based chat: first come, first served, with a limit at the same time.

One list holds all tickets in the order of arrival: the first `places` are served, the others wait, and they move up
when a ticket is removed. A party without a served ticket never waits: the engine shares its time among parties, and a
party with many requests waits for its own ones.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass

Notify = Callable[[int], Awaitable[None]]
"""Is called with the position in the line; the next to be served has 1."""


@dataclass(eq=False)
class _Ticket:
    """A request that is served or waits."""

    party: Hashable


class WaitingLine:
    """A queue with several places that are served."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._tickets: list[_Ticket] = []
        self._moved = asyncio.Event()

    @property
    def view(self) -> dict[str, int]:
        """Return the number of places, of requests that are served, and of those that wait."""
        waiting = len(self._waiting)
        return {"slots": self._places, "active": len(self._tickets) - waiting, "queued": waiting}

    @asynccontextmanager
    async def turn(self, notify: Notify, party: Hashable = None) -> AsyncIterator[bool]:
        """Wait for a turn, which ends with the block. Yield True when the caller had to wait.

        `notify` is called with the first position and each better one. Callers of the same `party` count as one.
        """
        ticket = _Ticket(party)
        self._tickets.append(ticket)
        try:
            yield await self._wait(ticket, notify)
        finally:
            self._tickets.remove(ticket)
            self._moved.set()
            self._moved = asyncio.Event()

    @property
    def _waiting(self) -> list[_Ticket]:
        """Return the tickets that wait, the next one first."""
        parties = set[Hashable]()
        waiting: list[_Ticket] = []
        for at, ticket in enumerate(self._tickets):
            if at - len(waiting) < self._places or ticket.party not in parties:
                parties.add(ticket.party)
            else:
                waiting.append(ticket)
        return waiting

    async def _wait(self, ticket: _Ticket, notify: Notify) -> bool:
        told = 0
        while ticket in (waiting := self._waiting):
            position, moved = waiting.index(ticket) + 1, self._moved
            if position != told:
                told = position
                await notify(position)
            await moved.wait()
        return told > 0
