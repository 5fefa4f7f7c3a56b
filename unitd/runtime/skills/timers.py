"""What people do with timers and alarms, by whatever way they come."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from unitd.core.outcomes import Reason, SkillReason
from unitd.core.timers import State, Timer, in_order, lengthened, paused, running, scheduled, seconds_left
from unitd.runtime.metrics import Metrics
from unitd.runtime.skills.actions import ActionFailed
from unitd.runtime.skills.rings import RingEnd, Rings
from unitd.runtime.skills.timer_table import Happening, TimerTable

MaySee = Callable[[str], bool]
"""Returns whether timers that were set in the name of this token may be seen and changed."""


class Timers:
    """The timers of a table, for those who may see them."""

    def __init__(self, table: TimerTable, rings: Rings, metrics: Metrics) -> None:
        self._table = table
        self._rings = rings
        self._metrics = metrics

    def listed(self, may_see: MaySee) -> list[Timer]:
        """Return the timers in the order in which they ring."""
        return in_order((each for each in self._table if may_see(each.grant_name)), self._table.now)

    def get(self, number: int, may_see: MaySee) -> Timer:
        """Return a timer; raise ActionFailed when there is none."""
        timer = self._table.find(number)
        if timer is None or not may_see(timer.grant_name):
            raise ActionFailed(f"There is no timer {number}.", SkillReason.UNKNOWN_TIMER)
        return timer

    async def start(self, timer: Timer, seconds: float) -> Timer:
        """Let a new timer run; raise ActionFailed when it cannot be kept."""
        await self._table.ready()
        now = self._table.now
        return await self._table.add(running(replace(timer, created=now.wall, seconds=seconds), seconds, now))

    async def set_alarm(self, alarm: Timer, at: str, days: Sequence[int], day: str) -> Timer:
        """Let a new alarm wait for its time; raise ActionFailed when that is over, or it cannot be kept."""
        await self._table.ready()
        if not self._table.alarms:  # while there are some it is read now and then
            await self._table.read_zone()
        now = self._table.now
        alarm = replace(alarm, created=now.wall, set_in=now.boot_id, time=at, days=days, date=day)
        if (planned := scheduled(alarm, now, self._table.zone)) is None:
            raise ActionFailed(f"{day} {at} is over.", SkillReason.PASSED)
        return await self._table.add(planned)

    async def change(self, timer: Timer, add_seconds: float, longest: float) -> Timer:
        """Add to what is left of a timer, or take away from it; an alarm is moved this once."""
        now = self._table.now
        left = max(seconds_left(timer, now) + add_seconds, 0.0)
        if timer.state is State.RINGING or left > longest:
            reason = "It rings already." if timer.state is State.RINGING else "That is too long."
            raise ActionFailed(reason, Reason.NOT_ALLOWED)
        return await self._changed(lengthened(timer, left, now))

    async def pause(self, timer: Timer) -> Timer:
        """Stop a timer where it is."""
        if timer.kind == "alarm" or timer.state not in (State.RUNNING, State.PAUSED):
            raise ActionFailed("Only a timer that runs can be paused.", Reason.NOT_ALLOWED)
        return await self._changed(paused(timer, self._table.now))

    async def resume(self, timer: Timer) -> Timer:
        """Let a timer that is paused go on."""
        if timer.state is not State.PAUSED:
            return timer
        return await self._changed(running(timer, timer.left, self._table.now))

    async def cancel(self, timer: Timer) -> Timer:
        """Remove a timer, also a weekly alarm."""
        self._table.drop(timer)
        self._table.tell(Happening.CANCELLED, timer)
        await self._table.save_logged()
        return timer

    async def stop(self, may_see: MaySee, area: str = "", number: int | None = None) -> list[Timer]:
        """End what rings in a room, or anywhere if nothing rings there; return it, or what a wake has just ended.

        With a number only that timer is meant.
        """
        found = self._ringing(may_see, area, number)
        for each in found:
            self._rings.end(each, RingEnd.STOPPED)
        if found:
            await self._table.save_logged()
        return found or self._rings.take_after_wake(may_see)

    async def snooze(self, may_see: MaySee, seconds: float, area: str = "", number: int | None = None) -> list[Timer]:
        """Let what rings, or what a wake has just ended, ring again later; return it."""
        found = self._ringing(may_see, area, number) or self._rings.take_after_wake(may_see)
        now = self._table.now
        snoozed = [running(replace(each, missed=0.0, repeats=0), seconds, now, State.SNOOZED) for each in found]
        await self._table.replace(snoozed, Happening.SNOOZED)
        self._metrics.rings["snoozed"] += len(snoozed)
        return snoozed

    def _ringing(self, may_see: MaySee, area: str, number: int | None) -> list[Timer]:
        found = [each for each in self._rings.ringing if may_see(each.grant_name) and number in (None, each.id)]
        return [each for each in found if area and each.area == area] or found

    async def _changed(self, timer: Timer) -> Timer:
        await self._table.replace([timer], Happening.CHANGED)
        return timer
