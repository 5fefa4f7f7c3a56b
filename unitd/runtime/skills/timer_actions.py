"""What skills and clients do with timers: arguments are read, the timers change, and rows are told."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import date, time
from functools import partial
from typing import Any

from unitd.core.outcomes import Outcome, Reason, SkillReason
from unitd.core.timers import Timer
from unitd.runtime.skills.actions import Action, ActionFailed, Where
from unitd.runtime.skills.timer_table import TimerTable
from unitd.runtime.skills.timers import MaySee, Timers
from unitd.wire.fields import Fields

LONGEST_SECONDS = 100 * 366 * 86400.0
LONGEST_SNOOZE_SECONDS = 86400.0
SNOOZE_SECONDS = 540.0
# The name of a reminder is what is to be done.
MAX_NAME, MAX_COMMAND, MAX_WORD = 300, 1000, 100
_WEEKDAYS = range(7)

log = logging.getLogger("unitd.timers")

Done = dict[str, Any]
Do = Callable[["Arguments", Where, MaySee], Awaitable[Done]]


class Arguments(Fields):
    """The arguments of an action."""

    def refusal(self, key: str, wanted: str, shown: str = "") -> Exception:
        """Return the error for a value that is missing or wrong."""
        found = f", not {shown}" if shown else ""
        return ActionFailed(f"{key or 'the arguments'} must be {wanted}{found}", Reason.NOT_ALLOWED)

    def words(self, key: str, most: int) -> str:
        """Return a short text; "" where the key is absent."""
        text = self.text(key, "")
        if len(text) > most:
            raise self.refusal(key, f"a text of at most {most} characters")
        return " ".join(text.split()) if key != "command" else text.strip()

    def needed(self, key: str, low: float, high: float) -> float:
        """Return a number that must be there."""
        if (value := self.number(key, None, low, high)) is None:
            raise self.refusal(key, f"a number from {low:g} to {high:g}")
        return value

    def time_of_day(self) -> str:
        """Return the time of an alarm, such as 06:30."""
        text = self.text("time", "")
        try:
            given = time.fromisoformat(text) if len(text) == len("06:30") else None
        except ValueError:
            given = None
        if given is None or given.tzinfo is not None:
            raise self.refusal("time", 'a time such as "06:30"')
        return text

    def day(self) -> str:
        """Return the date of an alarm, "" where none is given."""
        text = self.text("date", "")
        try:
            return date.fromisoformat(text).isoformat() if text else ""
        except ValueError as error:
            raise self.refusal("date", 'a date such as "2026-02-28"') from error

    def weekdays(self) -> list[int]:
        """Return the days of a weekly alarm, [] where none is given."""
        wanted = "a list of days from 0 (Monday) to 6"
        days = self.listed("days", wanted)
        if not all(type(each) is int and each in _WEEKDAYS for each in days):
            raise self.refusal("days", wanted)
        return sorted(set(days))


class TimerActions:
    """The actions of skills and of `sys.timer`, by name."""

    def __init__(self, table: TimerTable, timers: Timers) -> None:
        self._table = table
        self._timers = timers
        self._ways: Mapping[str, Do] = {
            "timer_start": self._start,
            "alarm_set": self._set_alarm,
            "timer_list": self._list,
            "timer_change": self._change,
            "timer_pause": partial(self._with_timer, timers.pause),
            "timer_resume": partial(self._with_timer, timers.resume),
            "timer_cancel": partial(self._with_timer, timers.cancel),
            "timer_stop": self._stop,
            "timer_snooze": self._snooze,
        }

    @property
    def actions(self) -> Mapping[str, Action]:
        """Return what skills may ask for."""
        return {name: partial(self._act, name) for name in self._ways}

    async def _act(self, name: str, arguments: Mapping[str, Any], where: Where) -> Outcome:
        done = await self.do(name, arguments, where, lambda owner: where.grant_name in ("", owner))
        return Outcome("That is done.", is_done=True, data=done)

    async def do(self, name: str, arguments: Mapping[str, Any], where: Where, may_see: MaySee) -> Done:
        """Do one action with the timers that may be seen; `area` and `language` of the arguments win over the task's.

        Raises:
            ActionFailed: an argument is wrong, there is no such timer, or it cannot be kept.
        """
        await self._table.ready()
        given = Arguments(arguments)
        area, language = given.words("area", MAX_WORD), given.words("language", MAX_WORD)
        where = where._replace(area=area or where.area, language=language or where.language)
        return await self._ways[name](given, where, may_see)

    async def delay(self, seconds: float, text: str, setup: Mapping[str, Any], grant_name: str) -> bool:
        """Let a command wait, with room and languages of a task. Return False when it cannot be kept."""
        room_and_language = {key: setup[key] for key in ("area", "language") if key in setup}
        where = Where(str(setup.get("area") or ""), grant_name=grant_name)
        try:
            timer = self._made("timer", where, "", text, room_and_language)
            await self._timers.start(timer, Arguments({"seconds": seconds}).needed("seconds", 0, LONGEST_SECONDS))
        except ActionFailed as failure:
            log.warning("a command for later cannot be kept: %s", failure)
            return False
        return True

    @staticmethod
    def _made(kind: str, where: Where, name: str, command: str = "", setup: Mapping[str, Any] | None = None) -> Timer:
        given = {"area": where.area, "language": where.language}
        told = {key: value for key, value in given.items() if value} if command else {}
        return Timer(
            0,
            kind,
            0.0,
            name=name,
            area=where.area,
            language=where.language,
            command=command,
            setup=told if setup is None else setup,
            grant_name=where.grant_name,
        )

    async def _start(self, given: Arguments, where: Where, may_see: MaySee) -> Done:
        seconds = given.needed("seconds", 0, LONGEST_SECONDS)
        timer = self._made("timer", where, given.words("name", MAX_NAME), given.words("command", MAX_COMMAND))
        timer = replace(timer, is_reminder=given.flag("reminder", False))
        return self._one(await self._timers.start(timer, seconds))

    async def _set_alarm(self, given: Arguments, where: Where, may_see: MaySee) -> Done:
        at, days, day = given.time_of_day(), given.weekdays(), given.day()
        if days and day:
            raise given.refusal("date", "absent where days are given")
        alarm = self._made("alarm", where, given.words("name", MAX_NAME))
        alarm = replace(alarm, is_reminder=given.flag("reminder", False))
        return self._one(await self._timers.set_alarm(alarm, at, days, day))

    async def _list(self, given: Arguments, where: Where, may_see: MaySee) -> Done:
        return {"timers": [self._table.row(each) for each in self._timers.listed(may_see)]}

    async def _change(self, given: Arguments, where: Where, may_see: MaySee) -> Done:
        more = given.needed("add_seconds", -LONGEST_SECONDS, LONGEST_SECONDS)
        return self._one(await self._timers.change(self._named(given, may_see), more, LONGEST_SECONDS))

    async def _with_timer(
        self, change: Callable[[Timer], Awaitable[Timer]], given: Arguments, where: Where, may_see: MaySee
    ) -> Done:
        return self._one(await change(self._named(given, may_see)))

    async def _stop(self, given: Arguments, where: Where, may_see: MaySee) -> Done:
        stopped = await self._timers.stop(may_see, where.area, given.whole("id", None, 1))
        return {"stopped": [self._table.row(each) for each in stopped]}

    async def _snooze(self, given: Arguments, where: Where, may_see: MaySee) -> Done:
        seconds = given.number("seconds", SNOOZE_SECONDS, 1, LONGEST_SNOOZE_SECONDS)
        snoozed = await self._timers.snooze(may_see, seconds, where.area, given.whole("id", None, 1))
        if not snoozed:
            raise ActionFailed("Nothing rings.", SkillReason.UNKNOWN_TIMER)
        return self._one(snoozed[0]) | {"timers": [self._table.row(each) for each in snoozed]}

    def _named(self, given: Arguments, may_see: MaySee) -> Timer:
        if (number := given.whole("id", None, 1)) is None:
            raise given.refusal("id", "the number of a timer")
        return self._timers.get(number, may_see)

    def _one(self, timer: Timer) -> Done:
        return {"timer": self._table.row(timer)}
