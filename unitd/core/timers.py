"""Timers and alarms: when each is due, and what is told of it. Pure: the present is an argument.

A timer counts elapsed time: its end is a time of the clock that runs since the boot, which nobody sets. After a reboot
that clock has begun again, and the timer follows the clock on the wall from then on. An alarm always follows the clock
on the wall, in the board's own time zone.

In the night in which the clocks go forward, an alarm whose time does not exist rings at the first moment that does. In
the night in which they go back, one whose time exists twice rings the first time only.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import StrEnum
from typing import Any, NamedTuple

JUMP_SECONDS = 3600.0
"""A clock that is set by more than this was wrong before: alarms without a date are reckoned anew from the new time."""

_WEEK = range(-1, 9)
"""The days to look at for the next time of a weekly alarm: a gap may reach over midnight."""


class State(StrEnum):
    """The states of a timer."""

    RUNNING = "running"
    PAUSED = "paused"
    RINGING = "ringing"
    SNOOZED = "snoozed"


class Moment(NamedTuple):
    """The present, by both clocks."""

    wall: float
    """Seconds since 1970, as the board believes."""

    boot: float
    """Seconds since the boot, those asleep included."""

    boot_id: str

    @property
    def offset(self) -> float:
        """Return what the clock on the wall is ahead of the other; it changes when the clock is set."""
        return self.wall - self.boot


@dataclass(frozen=True)
class Timer:
    """A timer or an alarm."""

    id: int
    kind: str
    """timer or alarm."""

    created: float
    """Seconds since 1970."""

    name: str = ""
    area: str = ""
    language: str = ""
    command: str = ""
    """A sentence that is done instead of a ring; if it was asked back about, the replies are further lines."""

    setup: Mapping[str, Any] = field(default_factory=dict)
    """Room and languages of the task that was told the command."""

    is_reminder: bool = False
    """Whether the name is what somebody is to be reminded of."""

    grant_name: str = ""
    """The token in whose name it was set; "" for this machine."""

    state: State = State.RUNNING
    end: float = 0.0
    """When it is due, by the clock that `boot_id` says."""

    boot_id: str = ""
    """The boot whose clock `end` is a time of; "" for the clock on the wall."""

    left: float = 0.0
    """Seconds that are left of a timer that is paused."""

    seconds: float = 0.0
    """The length of a timer, with what was added."""

    time: str = ""
    """The time of day of an alarm: 06:30."""

    days: Sequence[int] = ()
    """The days of a weekly alarm; 0 is Monday."""

    date: str = ""
    """The day of an alarm that rings once; "" for the next such time."""

    set_in: str = ""
    """The boot in which an alarm was set."""

    missed: float = 0.0
    """How many seconds late it rings, because the daemon was away or the clock was set; 0 for one in time."""

    repeats: int = 0
    """How often it rings again after a restart, because its ring was not acknowledged."""


def check(timer: Timer) -> None:
    """Raise ValueError or TypeError for a timer whose values cannot be used, such as one from a damaged file."""
    said = (timer.kind, timer.name, timer.area, timer.language, timer.command, timer.time, timer.date)
    texts = (*said, timer.grant_name, timer.boot_id, timer.set_in)
    wholes = (timer.id, timer.repeats, *timer.days)
    numbers = (timer.created, timer.end, timer.left, timer.seconds, timer.missed)
    if not all(type(each) is str for each in texts) or not all(type(each) is int for each in wholes):
        raise ValueError("a value has another type")
    if type(timer.is_reminder) is not bool:
        raise ValueError("a value has another type")
    if not all(math.isfinite(each) for each in numbers) or not isinstance(timer.setup, Mapping):
        raise ValueError("a value has another type")
    if timer.kind == "alarm":
        next_time(timer, 0.0, UTC)
    elif timer.kind != "timer" or timer.days:
        raise ValueError("only an alarm has days")


def seconds_left(timer: Timer, now: Moment) -> float:
    """Return how long a timer has until it is due; below 0 when that is over."""
    if timer.state is State.PAUSED:
        return timer.left
    return timer.end - (now.boot if timer.boot_id else now.wall)


def row_of(timer: Timer, now: Moment) -> dict[str, Any]:
    """Return what clients are told of a timer."""
    left = seconds_left(timer, now)
    return {
        "id": timer.id,
        "kind": timer.kind,
        "reminder": timer.is_reminder,
        "name": timer.name,
        "area": timer.area,
        "command": timer.command.partition("\n")[0],
        "state": timer.state.value,
        "due": None if timer.state is State.PAUSED else round(now.wall + left, 3),
        "left": round(max(left, 0.0), 3),
        "seconds": timer.seconds,
        "time": timer.time,
        "days": list(timer.days),
        "date": timer.date,
        "created": round(timer.created, 3),
        "language": timer.language,
        "missed": timer.missed,
        "again": timer.repeats > 0,
    }


def in_order(timers: Iterable[Timer], now: Moment) -> list[Timer]:
    """Return the timers in the order in which they ring; those that are paused come last."""
    return sorted(timers, key=lambda each: (each.state is State.PAUSED, seconds_left(each, now), each.id))


def running(timer: Timer, seconds: float, now: Moment, state: State = State.RUNNING) -> Timer:
    """Return the timer as it is due in so many seconds of elapsed time."""
    return replace(timer, state=state, end=now.boot + seconds, boot_id=now.boot_id, left=0.0)


def paused(timer: Timer, now: Moment) -> Timer:
    """Return the timer as it keeps what is left."""
    return replace(timer, state=State.PAUSED, left=max(seconds_left(timer, now), 0.0))


def lengthened(timer: Timer, left: float, now: Moment) -> Timer:
    """Return the timer with so many seconds left; an alarm is moved this once."""
    added = left - seconds_left(timer, now)
    seconds = max(timer.seconds + added, 0.0) if timer.kind == "timer" else 0.0
    if timer.state is State.PAUSED:
        return replace(timer, left=left, seconds=seconds)
    return replace(timer, end=timer.end + added, seconds=seconds)


def scheduled(alarm: Timer, now: Moment, zone: tzinfo) -> Timer | None:
    """Return the alarm at its next time; None when there is none."""
    due = next_time(alarm, now.wall, zone)
    return None if due is None else replace(alarm, state=State.RUNNING, end=due, boot_id="", missed=0.0, repeats=0)


def after_reboot(timer: Timer, offset: float, now: Moment) -> Timer:
    """Return a timer of another boot, whose clocks differed by `offset`, as it follows the clock on the wall."""
    if timer.boot_id in ("", now.boot_id):
        return timer
    return replace(timer, end=timer.end + offset, boot_id="")


def after_jump(timer: Timer, seconds: float, now: Moment, zone: tzinfo) -> Timer:
    """Return a timer after the clock on the wall was set by so many seconds.

    What counts elapsed time stays. An alarm without a date is reckoned anew after a long jump: back, or forward if it
    was set since the boot, so that the clock it was set by was the wrong one. Any other alarm that a jump forward has
    passed is late, as after an outage.
    """
    if timer.kind != "alarm" or timer.boot_id or timer.date or timer.state is not State.RUNNING:
        return timer
    if abs(seconds) < JUMP_SECONDS or (seconds > 0 and timer.set_in != now.boot_id):
        return timer
    return scheduled(timer, now, zone) or timer


def after_new_zone(timer: Timer, now: Moment, zone: tzinfo) -> Timer:
    """Return a timer after the board's time zone has changed: an alarm rings at its time of day in the new one."""
    if timer.kind != "alarm" or timer.boot_id or timer.state is not State.RUNNING or seconds_left(timer, now) <= 0:
        return timer
    return scheduled(timer, now, zone) or timer


def next_time(alarm: Timer, after: float, zone: tzinfo) -> float | None:
    """Return the first time after `after` at which an alarm is due, in seconds since 1970; None when there is none."""
    hour, minute = (int(each) for each in alarm.time.split(":"))
    today = datetime.fromtimestamp(after, zone).date()
    days = [date.fromisoformat(alarm.date)] if alarm.date else [today + timedelta(each) for each in _WEEK]
    for day in days:
        if alarm.days and day.weekday() not in alarm.days:
            continue
        due = _first_moment(datetime(day.year, day.month, day.day, hour, minute), zone)
        if due > after:
            return due
    return None


def _first_moment(local: datetime, zone: tzinfo) -> float:
    """Return the first moment at which the clocks of a zone show this time, or a later one where none shows it."""
    due = local.replace(tzinfo=zone).timestamp()
    if datetime.fromtimestamp(due, zone).replace(tzinfo=None) == local:
        return due
    before, after = int(local.replace(tzinfo=zone, fold=1).timestamp()), int(due)
    while after - before > 1:  # the clocks go forward between these two
        middle = (before + after) // 2
        if datetime.fromtimestamp(middle, zone).replace(tzinfo=None) < local:
            before = middle
        else:
            after = middle
    return float(after)
