"""Timers that a client's questions have started: it is told of them as Home Assistant tells its satellites."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from wyoming.event import Event
from wyoming.timer import TimerCancelled, TimerFinished, TimerStarted, TimerUpdated

from unitd.doors.local_client import LocalClient, ReplyStream
from unitd.runtime.sys.timer_requests import STREAM
from unitd.wire.errors import UnitdError

Write = Callable[[Event], Awaitable[None]]


class TimerTeller:
    """Tells one client of its timers for as long as it is connected."""

    def __init__(self, local_client: LocalClient, write: Write) -> None:
        self._local_client = local_client
        self._write = write
        self._own: set[int] = set()
        """The timers that were started while a question of this client was answered."""

        self._is_asking = False
        self._telling: asyncio.Task[None] | None = None
        self._frames: ReplyStream | None = None

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Take timers that are started meanwhile for those of the client."""
        if self._telling is None:
            self._frames = self._local_client.follow("sys", "timer", {"do": "subscribe"})
            work = self._tell(self._frames)
            self._telling = asyncio.get_running_loop().create_task(work, name="wyoming timers")
        self._is_asking = True
        try:
            yield
        finally:
            self._is_asking = False

    def close(self) -> None:
        """Tell nothing more."""
        if self._telling is not None and self._frames is not None:
            self._telling.cancel()
            self._frames.close()

    async def _tell(self, frames: ReplyStream) -> None:
        with suppress(OSError, UnitdError):  # the client is gone or does not read, which its session notices
            async for frame in frames:
                if frame.object == STREAM and (event := self._maybe_event(**frame.data)) is not None:
                    await self._write(event)

    def _maybe_event(self, event: str, timer: dict[str, Any], reason: str = "") -> Event | None:
        """Return what is told of a frame of `sys.timer`; None for a timer of others, and for what is no news."""
        if event == "started" and self._is_asking and timer["kind"] == "timer" and not timer["command"]:
            self._own.add(timer["id"])
        return _EVENTS[event](timer).event() if timer["id"] in self._own and event in _EVENTS else None


def _started(timer: dict[str, Any]) -> TimerStarted:
    seconds = round(timer["seconds"])
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return TimerStarted(str(timer["id"]), seconds, timer["name"] or None, hours, minutes, seconds % 60)


def _updated(timer: dict[str, Any]) -> TimerUpdated:
    return TimerUpdated(str(timer["id"]), is_active=timer["state"] != "paused", total_seconds=round(timer["left"]))


_EVENTS: dict[str, Callable[[dict[str, Any]], TimerStarted | TimerUpdated | TimerCancelled | TimerFinished]] = {
    "started": _started,
    "changed": _updated,
    "snoozed": _updated,
    "cancelled": lambda timer: TimerCancelled(str(timer["id"])),
    "ringing": lambda timer: TimerFinished(str(timer["id"])),
}
"""By what happens to a timer; the end of a ring is no news."""
