"""Who is served now and who waits: first come, first served, with so many at the same time.

One list in the order of arrival tells all of it: its first `places` tickets are served, the others wait, and who leaves
moves everybody behind one place on. But nobody waits for others who has no ticket that is served: the engine shares
its time out among them, and whoever asks for many answers waits for his own.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass

Tell = Callable[[int], Awaitable[None]]
"""Takes a place in the queue; the next to be served has 1."""


@dataclass(eq=False)
class _Ticket:
    """Somebody who is served or waits."""

    party: Hashable


class WaitingLine:
    """A queue before a counter with several places."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._tickets: list[_Ticket] = []
        self._moved = asyncio.Event()

    @property
    def view(self) -> dict[str, int]:
        """How many are served at the same time at most, how many are, and how many wait."""
        waiting = len(self._waiting)
        return {"slots": self._places, "active": len(self._tickets) - waiting, "queued": waiting}

    @asynccontextmanager
    async def turn(self, tell: Tell, party: Hashable = None) -> AsyncIterator[bool]:
        """Entered when it is the caller's turn, which ends with the block; true when the caller had to wait.

        Whoever waits is told the place, and each one nearer. Callers of the same `party` count as one.
        """
        ticket = _Ticket(party)
        self._tickets.append(ticket)
        try:
            yield await self._wait(ticket, tell)
        finally:
            self._tickets.remove(ticket)
            self._moved.set()
            self._moved = asyncio.Event()

    @property
    def _waiting(self) -> list[_Ticket]:
        """Those that are not served, the next one first."""
        parties = set[Hashable]()
        waiting: list[_Ticket] = []
        for at, ticket in enumerate(self._tickets):
            if at - len(waiting) < self._places or ticket.party not in parties:
                parties.add(ticket.party)
            else:
                waiting.append(ticket)
        return waiting

    async def _wait(self, ticket: _Ticket, tell: Tell) -> bool:
        told = 0
        while ticket in (waiting := self._waiting):
            position, moved = waiting.index(ticket) + 1, self._moved
            if position != told:
                told = position
                await tell(position)
            await moved.wait()
        return told > 0
