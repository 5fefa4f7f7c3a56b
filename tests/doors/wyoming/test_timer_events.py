"""Covers unitd.doors.wyoming.timer_events: a satellite is told of the timers that its questions have started."""

from typing import Any

import pytest
from wyoming.event import Event
from wyoming.timer import TimerCancelled, TimerFinished, TimerStarted, TimerUpdated

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import tcp_client
from tests.support.waiting import eventually
from unitd.app import App
from unitd.doors.local_client import LocalClient
from unitd.doors.wyoming.timer_events import TimerTeller


async def timer(client: WireClient, **data: Any) -> int:
    """Do one thing with timers. Return the number of the timer."""
    reply = await client.ask(work_id="sys", action="timer", data=data)
    number: int = reply["data"]["timer"]["id"]
    return number


async def test_a_satellite_is_told_of_its_timers(app: App) -> None:
    """Show that a satellite gets events of the timers of its own questions alone, until it disconnects."""
    events: list[Event] = []

    async def write(event: Event) -> None:
        events.append(event)

    local_client = LocalClient(app, "satellite", "wyoming")
    teller = TimerTeller(local_client, write)
    async with tcp_client(app) as client:
        other = await timer(client, do="start", seconds=100)
        with teller.asking():
            own = await timer(client, do="start", seconds=3725, name="roast")
            await eventually(lambda: len(events) == 1)
        await timer(client, do="pause", id=own)
        await timer(client, do="resume", id=own)
        await timer(client, do="change", id=own, add_seconds=-4000)
        await eventually(lambda: len(events) == 5)
        await timer(client, do="snooze", seconds=60)
        await timer(client, do="cancel", id=own)
        await eventually(lambda: len(events) == 7)
        await timer(client, do="cancel", id=other)
    teller.close()
    local_client.close()

    assert TimerStarted.from_event(events[0]) == TimerStarted(str(own), 3725, "roast", 1, 2, 5)
    states = [TimerUpdated.from_event(events[each]) for each in (1, 2, 3, 5)]
    assert [each.is_active for each in states] == [False, True, True, True]
    assert [each.total_seconds for each in states] == [pytest.approx(3725, abs=2)] * 2 + [0, 60]
    assert TimerFinished.is_type(events[4].type)
    assert TimerCancelled.is_type(events[6].type)
    assert {each.data["id"] for each in events} == {str(own)}
