"""The watch over the timers: what is due rings, or is done, and what nobody stops is given up.

A ring begins at once and is written down meanwhile, so after a crash in between it is found late, and rings again. One
that rings when the daemon ends was not acknowledged, and rings again after the restart.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

from unitd.core.timers import Moment, State, Timer, after_jump, after_new_zone, in_order, scheduled, seconds_left
from unitd.runtime.metrics import Metrics
from unitd.runtime.skills.ringer import Ringer
from unitd.runtime.skills.timer_table import Happening, TimerTable

log = logging.getLogger("unitd.timers")

# After a longer outage a person has long done a command by hand, and would be surprised.
MAX_LATE_SECONDS = 600.0
# Whoever has not come by then is not there.
RING_SECONDS = 300.0
# A wake ends the ring; what is said after it ("snooze") may be about that ring.
AFTER_WAKE_SECONDS = 60.0
# The clocks are compared, and the time zone is read, this often.
LONGEST_SLEEP_SECONDS = 10.0
# The audio program takes a second to start on a small board.
PREPARE_SECONDS = 15.0
# A clock that is regulated is off by less in LONGEST_SLEEP_SECONDS.
SET_SECONDS = 1.0
# A ring that is later than this says so.
LATE_SECONDS = 2.0
# One that was due while the daemon was away says so, however short that was.
LEAST_MISSED_SECONDS = 0.1

WAITING = (State.RUNNING, State.SNOOZED)


class RingEnd(StrEnum):
    """Why a timer does not ring any more."""

    STOPPED = "stopped"
    WAKE = "wake"
    UNANSWERED = "unanswered"
    DONE = "done"
    """The command was carried out, or tried."""


class Rings:
    """Rings the timers of a table."""

    def __init__(
        self,
        table: TimerTable,
        ringer: Ringer,
        metrics: Metrics,
        do_command: Callable[[str, Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        """`do_command` carries out a sentence, with room and languages."""
        self._table = table
        self._ringer = ringer
        self._metrics = metrics
        self._do_command = do_command
        self._offset = 0.0
        """What the clock on the wall was ahead at the last look."""

        self._since: dict[int, float] = {}
        """By number, when what rings has begun, in seconds since the boot."""

        self._after_wake: tuple[float, list[Timer]] = (0.0, [])
        """When a wake ended rings, and which."""

        self._group: asyncio.TaskGroup | None = None

    async def run(self) -> None:
        """Ring what is due until cancelled; first what the last daemon left."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            try:
                self._offset = await self._table.take_over()
                self._look(is_first=True)
                self._table.open()
                while True:
                    try:
                        async with asyncio.timeout(self._pause()):
                            await self._table.changed.wait()
                    except TimeoutError:
                        await self._note_zone()
                    self._look()
            finally:
                self._ringer.end()
                self._group = None

    @property
    def ringing(self) -> list[Timer]:
        """What rings now; a command that is being done makes no sound."""
        return [each for each in self._table if each.state is State.RINGING and not each.command]

    def end(self, timer: Timer, end: RingEnd) -> None:
        """Remove a timer that rings, or let a weekly alarm wait for its next time; the caller saves."""
        following = scheduled(timer, self._table.now, self._table.zone) if timer.days else None
        if following is None:
            self._table.drop(timer)
        else:
            self._table.put(following)
        self._metrics.rings[end.value] += 1
        self._table.tell(Happening.STOPPED, following or timer, end.value)

    def wake(self) -> None:
        """End what rings: a wake word was heard. What is said next may be about it."""
        if self._group is None or not (found := self.ringing):
            return
        self._after_wake = (self._table.now.boot, found)
        for each in found:
            self.end(each, RingEnd.WAKE)
        self._start(self._table.save_logged(), "timers after a wake")

    def take_after_wake(self, may_see: Callable[[str], bool]) -> list[Timer]:
        """Return once what a wake has ended a moment ago."""
        (at, timers), self._after_wake = self._after_wake, (0.0, [])
        is_recent = self._table.now.boot - at < AFTER_WAKE_SECONDS
        return [each for each in timers if is_recent and may_see(each.grant_name)]

    def _look(self, *, is_first: bool = False) -> None:
        """Ring and do what is due, give up what nobody stops, and be silent where nothing rings any more."""
        self._table.changed.clear()
        self._note_jump()
        now = self._table.now
        again = [each for each in self._table if each.state is State.RINGING and is_first]
        for each in again:
            self._repeat(each, now)
        waiting = [each for each in self._table if each.state in WAITING]
        due = in_order((each for each in waiting if seconds_left(each, now) <= 0), now)
        for each in due:
            self._begin(each, now, is_first=is_first)
        over = [each for each in self.ringing if now.boot - self._since.get(each.id, now.boot) >= RING_SECONDS]
        for each in over:
            log.warning("timer %d rang for %.0f minutes and nobody stopped it", each.id, RING_SECONDS / 60)
            self.end(each, RingEnd.UNANSWERED)
        if due or again or over:
            self._start(self._table.save_logged(), "timers that ring")
        self._since = {each.id: self._since.get(each.id, now.boot) for each in self.ringing}
        self._sound(any(seconds_left(each, now) <= PREPARE_SECONDS and not each.command for each in waiting))

    def _sound(self, is_soon: bool) -> None:
        """Ring while something does, and have the loudspeaker ready where something is about to."""
        if self._since:
            assert self._group is not None
            self._ringer.begin(self._group)
        else:
            self._ringer.end()
            if is_soon:
                self._ringer.prepare()

    def _pause(self) -> float | None:
        """Return the seconds until something is due, to be prepared, or to be given up; None without a timer."""
        if not len(self._table):
            return None
        now = self._table.now
        waits = [LONGEST_SLEEP_SECONDS, *(since + RING_SECONDS - now.boot for since in self._since.values())]
        for each in self._table:
            if each.state in WAITING:
                left = seconds_left(each, now)
                waits.append(left if left <= PREPARE_SECONDS else left - PREPARE_SECONDS)
        return max(min(waits), 0.0)

    def _begin(self, timer: Timer, now: Moment, *, is_first: bool) -> None:
        late = -seconds_left(timer, now)
        if timer.command and late > MAX_LATE_SECONDS:
            log.warning("a command was due %.0f minutes ago and is left undone", late / 60)
            self._leave_undone(timer)
            return
        missed = max(round(late, 1), LEAST_MISSED_SECONDS) if is_first or late > LATE_SECONDS else 0.0
        self._ring(replace(timer, state=State.RINGING, missed=missed), now)
        if not timer.command:
            log.info("timer %d rings%s", timer.id, f", {missed:.0f} s late" if missed else "")

    def _repeat(self, timer: Timer, now: Moment) -> None:
        """Ring again what the last daemon did not see ended; do a command again, but only once."""
        if timer.command and timer.repeats:
            log.warning("a command was begun twice and the daemon ended each time: it is left undone")
            self._leave_undone(timer)
            return
        does = "is done" if timer.command else "rings"
        log.info("timer %d %s again: the restart came before its end", timer.id, does)
        self._ring(replace(timer, repeats=timer.repeats + 1), now)

    def _leave_undone(self, timer: Timer) -> None:
        self._table.drop(timer)
        self._metrics.rings["missed"] += 1
        self._table.tell(Happening.MISSED, timer)

    def _ring(self, timer: Timer, now: Moment) -> None:
        self._table.put(timer)
        if timer.command:
            self._start(self._do(timer), f"command of timer {timer.id}")
            return
        self._since[timer.id] = now.boot
        self._table.tell(Happening.RINGING, timer)

    async def _do(self, timer: Timer) -> None:
        """Carry a command out, once it is written down that this was begun."""
        await self._table.save_logged()
        try:
            await self._do_command(timer.command, timer.setup)
        except Exception:  # a bug may fail this command, not the daemon
            log.exception("the command of timer %d failed", timer.id)
        if self._table.find(timer.id) is timer:
            self.end(timer, RingEnd.DONE)
            await self._table.save_logged()

    # The clock on the wall

    def _note_jump(self) -> None:
        """Reckon alarms anew when the clock was set."""
        now = self._table.now
        jump, self._offset = now.offset - self._offset, now.offset
        if abs(jump) >= SET_SECONDS:
            log.info("the clock was set by %.0f s", jump)
            self._move(lambda each: after_jump(each, jump, now, self._table.zone))

    async def _note_zone(self) -> None:
        """Reckon alarms anew when the time zone is another one."""
        if self._table.alarms and await self._table.read_zone():
            log.info("the time zone has changed")
            self._move(lambda each: after_new_zone(each, self._table.now, self._table.zone))

    def _move(self, moved: Callable[[Timer], Timer]) -> None:
        for before in self._table.alarms:
            if (after := moved(before)) is not before:
                self._table.put(after)
                self._table.tell(Happening.CHANGED, after)
        # Also without a change: the file has the difference of the clocks, by which it is read after a reboot.
        self._start(self._table.save_logged(), "timers after a new time")

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        assert self._group is not None
        self._group.create_task(work, name=name)
