"""Who is served now and who waits: first come, first served, with so many at the same time.

One list in the order of arrival tells all of it: its first `places` tickets are served, the others wait, and who leaves
moves everybody behind one place on.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Tell = Callable[[int], Awaitable[None]]
"""Takes a place in the queue; the next to be served has 1."""


class Line:
    """A queue before a counter with several places."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._tickets: list[object] = []
        self._moved = asyncio.Event()

    @property
    def view(self) -> dict[str, int]:
        """How many are served at the same time at most, how many are, and how many wait."""
        served = min(len(self._tickets), self._places)
        return {"slots": self._places, "active": served, "queued": len(self._tickets) - served}

    @asynccontextmanager
    async def turn(self, tell: Tell) -> AsyncIterator[bool]:
        """Entered when it is the caller's turn, which ends with the block; true when the caller had to wait.

        Whoever waits is told the place, and each one nearer.
        """
        ticket = object()
        self._tickets.append(ticket)
        try:
            yield await self._wait(ticket, tell)
        finally:
            self._tickets.remove(ticket)
            self._moved.set()
            self._moved = asyncio.Event()

    async def _wait(self, ticket: object, tell: Tell) -> bool:
        told = 0
        while (position := self._tickets.index(ticket) + 1 - self._places) > 0:
            moved = self._moved
            if position != told:
                told = position
                await tell(position)
            await moved.wait()
        return told > 0
