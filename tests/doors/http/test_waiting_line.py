"""Covers unitd.doors.http.waiting_line."""

import asyncio

from tests.support.waiting import eventually
from unitd.doors.http.waiting_line import WaitingLine


class Customer:
    """Stands in a line; `told` is what it heard, `leave` ends its turn."""

    def __init__(self, line: WaitingLine, party: str = "") -> None:
        self.told: list[int] = []
        self.has_waited: bool | None = None
        self._leaving = asyncio.Event()
        self.task = asyncio.create_task(self._stand(line, party))

    async def _stand(self, line: WaitingLine, party: str) -> None:
        async with line.turn(self._hear, party) as self.has_waited:
            await self._leaving.wait()

    async def _hear(self, position: int) -> None:
        self.told.append(position)

    async def leave(self) -> None:
        """Its turn is over."""
        self._leaving.set()
        await self.task

    async def give_up(self) -> None:
        """It walks away, whatever it is doing."""
        self.task.cancel()
        await asyncio.wait([self.task])


async def test_who_finds_a_place_waits_for_nothing() -> None:
    """Two places, two customers: nobody is told anything."""
    line = WaitingLine(2)

    customers = [Customer(line), Customer(line)]
    await eventually(lambda: all(each.has_waited is not None for each in customers))

    assert [(each.has_waited, each.told) for each in customers] == [(False, []), (False, [])]
    assert line.view == {"slots": 2, "active": 2, "queued": 0}
    for each in customers:
        await each.leave()


async def test_the_others_wait_in_the_order_in_which_they_came() -> None:
    """A waiting client is told its place, and again each time it moves up."""
    line = WaitingLine(1)
    first, second, third = Customer(line), Customer(line), Customer(line)
    await eventually(lambda: third.told == [2])

    await first.leave()
    await eventually(lambda: second.has_waited is True)
    await second.leave()
    await eventually(lambda: third.has_waited is True)

    assert (second.told, third.told) == ([1], [2, 1])
    await third.leave()
    assert line.view == {"slots": 1, "active": 0, "queued": 0}


async def test_who_gives_up_lets_those_behind_move_on() -> None:
    """In the line, and at the counter."""
    line = WaitingLine(1)
    first, second, third = Customer(line), Customer(line), Customer(line)
    await eventually(lambda: third.told == [2])

    await second.give_up()
    await eventually(lambda: third.told == [2, 1])
    await first.give_up()
    await eventually(lambda: third.has_waited is True)

    assert line.view == {"slots": 1, "active": 1, "queued": 0}
    await third.leave()


async def test_nobody_waits_for_others_alone() -> None:
    """Who has come with many waits for his own; another one is served at once."""
    line = WaitingLine(1)
    many = [Customer(line, "many") for _ in range(3)]
    await eventually(lambda: many[-1].told == [2])

    other = Customer(line, "other")
    await eventually(lambda: other.has_waited is False)

    assert line.view == {"slots": 1, "active": 2, "queued": 2}
    await many[0].leave()
    await other.leave()
    await eventually(lambda: many[-1].told == [2, 1])
    await many[1].leave()
    await many[2].leave()
