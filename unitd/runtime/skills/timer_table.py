"""The table of the timers: every change is on the disk before it is acknowledged, and is told to who follows it."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import tzinfo
from enum import StrEnum
from typing import Any, NamedTuple

from unitd.core.outcomes import SkillReason
from unitd.core.timers import Moment, Timer, row_of
from unitd.runtime.skills.actions import ActionFailed
from unitd.runtime.skills.clocks import Clocks
from unitd.runtime.skills.timer_store import TimerStore

log = logging.getLogger("unitd.timers")

MAX_TIMERS, MAX_OF_TOKEN = 2000, 1000


class Happening(StrEnum):
    """What becomes of timers."""

    STARTED = "started"
    CHANGED = "changed"
    CANCELLED = "cancelled"
    RINGING = "ringing"
    STOPPED = "stopped"
    SNOOZED = "snoozed"
    MISSED = "missed"
    """A command is so late that it is left undone."""


class TimerEvent(NamedTuple):
    """What happened to a timer."""

    happening: Happening
    timer: Timer
    row: dict[str, Any]
    reason: str = ""
    """Why a timer was stopped."""


class TimerTable:
    """All timers of the board, by number."""

    def __init__(self, store: TimerStore, clocks: Clocks) -> None:
        self._store = store
        self._clocks = clocks
        self._timers: dict[int, Timer] = {}
        self._unsaved: dict[int, Timer] = {}
        """Timers as they shall be once they are on the disk."""

        self._next_id = 1
        self._listeners: list[Callable[[TimerEvent], None]] = []
        self._is_read = asyncio.Event()
        self.changed = asyncio.Event()
        """Set when a timer is another one now, or gone."""

    def __iter__(self) -> Iterator[Timer]:
        return iter(list(self._timers.values()))

    def __len__(self) -> int:
        return len(self._timers)

    @property
    def alarms(self) -> list[Timer]:
        """The alarms; as long as there are none, nobody needs a time zone."""
        return [each for each in self._timers.values() if each.kind == "alarm"]

    def find(self, number: int) -> Timer | None:
        """Return a timer, None when there is none."""
        return self._timers.get(number)

    @property
    def now(self) -> Moment:
        """The present by both clocks."""
        return self._clocks.now()

    @property
    def zone(self) -> tzinfo:
        """The board's time zone; `read_zone` comes first."""
        assert self._clocks.zone is not None
        return self._clocks.zone

    def row(self, timer: Timer) -> dict[str, Any]:
        """Return what clients are told of a timer now."""
        return row_of(timer, self.now)

    # Who follows it

    def follow(self, listener: Callable[[TimerEvent], None]) -> None:
        """Tell a listener what happens from now on; it must not wait."""
        self._listeners.append(listener)

    def tell(self, happening: Happening, timer: Timer, reason: str = "") -> None:
        """Tell what happened to a timer."""
        event = TimerEvent(happening, timer, self.row(timer), reason)
        for listener in self._listeners:
            listener(event)

    # What is kept

    async def take_over(self) -> float:
        """Read what the last daemon left. Return what the clock on the wall was ahead when it was written."""
        await asyncio.to_thread(self._clocks.read_boot_id)
        now = self.now
        try:
            kept = await asyncio.to_thread(self._store.read, now)
        except OSError as error:
            log.error("the timers cannot be read: %s", error)
            return now.offset
        self._timers, self._next_id = {each.id: each for each in kept.timers}, kept.next_id
        if self.alarms:
            await self.read_zone()
        return now.offset if kept.offset is None else kept.offset

    async def read_zone(self) -> bool:
        """Read the time zone again. Return True when it is another one."""
        return await asyncio.to_thread(self._clocks.read_zone)

    def open(self) -> None:
        """Let those go on who wait for `ready`."""
        self._is_read.set()

    async def ready(self) -> None:
        """Wait until the timers of the last daemon are there, and those ring that are late."""
        await self._is_read.wait()

    async def add(self, timer: Timer) -> Timer:
        """Take a new timer, and return it with its number.

        Raises:
            ActionFailed: there are too many, or it cannot be kept.
        """
        timers = (self._timers | self._unsaved).values()
        of_token = sum(each.grant_name == timer.grant_name for each in timers)
        if len(timers) >= MAX_TIMERS or of_token >= MAX_OF_TOKEN:
            raise ActionFailed("There are too many timers already.", SkillReason.TOO_MANY)
        timer = replace(timer, id=self._next_id)
        self._next_id += 1
        await self.replace([timer], Happening.STARTED)
        return timer

    async def replace(self, timers: Sequence[Timer], happening: Happening) -> None:
        """Put timers in their places once they are on the disk; what was changed again or removed meanwhile stays so.

        Raises:
            ActionFailed: they cannot be kept, and nothing has changed.
        """
        self._unsaved |= {each.id: each for each in timers}
        try:
            await self.save()
        finally:
            wanted = [each for each in timers if self._unsaved.get(each.id) is each]
            for each in wanted:
                del self._unsaved[each.id]
        for each in wanted:
            self.put(each)
            self.tell(happening, each)

    def put(self, timer: Timer) -> None:
        """Put a timer in its place; the caller saves."""
        self._timers[timer.id] = timer
        self.changed.set()

    def drop(self, timer: Timer) -> None:
        """Remove a timer; the caller saves."""
        self._timers.pop(timer.id, None)
        self._unsaved.pop(timer.id, None)
        self.changed.set()

    async def save(self) -> None:
        """Return once the timers are on the disk; raise ActionFailed when they cannot be written."""
        try:
            await self._store.save(lambda: ((self._timers | self._unsaved).values(), self._next_id, self.now))
        except OSError as error:
            log.error("the timers cannot be saved: %s", error)
            raise ActionFailed("The timer cannot be kept: the disk takes nothing.", SkillReason.NOT_SAVED) from error

    async def save_logged(self) -> None:
        """Save what has happened whether or not the disk takes it."""
        try:
            await self.save()
        except ActionFailed:
            log.error("after a restart the timers are as they were saved last")
