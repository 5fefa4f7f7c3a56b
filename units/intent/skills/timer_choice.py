"""Which timers a sentence is about, and how they are called in answers."""

from collections.abc import Mapping, Sequence
from datetime import datetime, time
from typing import Any

from units.intent.skills.skill import Asked
from units.intent.skills.timer_phrase import ALARM, REMINDER, TIMER, TimerPhrase
from units.intent.spelling import folded, joined
from units.intent.values.clock_time import ClockTime
from units.intent.values.day import Day, split_part
from units.intent.values.moment import Alarm, Moment, alarm_at
from units.intent.values.saying import said_day, said_days, said_duration, said_time

Row = Mapping[str, Any]
"""A timer or an alarm, as the daemon describes it."""

RINGING, PAUSED = "ringing", "paused"

_HOURS = {
    "morning": range(4, 12),
    "afternoon": range(12, 18),
    "evening": range(17, 24),
    "night": (*range(20, 24), *range(5)),
}
"""Of an alarm that is called by the part of the day in which it rings."""


def chosen(rows: Sequence[Row], phrase: TimerPhrase, asked: Asked) -> list[Row]:
    """Return the timers that a phrase may mean, in the order in which they ring; several where it is not clear."""
    pool = [] if phrase.is_interval else _of_kind(rows, phrase)
    if phrase.room:
        there = [row for row in pool if _is_same(row["area"], phrase.room)]
        pool = there or _named(pool, phrase.room)
    if phrase.name:
        pool = _named(pool, phrase.name) or _in_part(pool, phrase.name, asked)
    if phrase.seconds:
        pool = [row for row in pool if row["seconds"] == phrase.seconds[0]]
    if phrase.moment is not None:
        pool = _at(pool, phrase, asked)
    if phrase.place is not None:
        at = phrase.place - (phrase.place > 0)
        pool = pool[at:][:1] if at < 0 else pool[at : at + 1]
    return pool


def called(rows: Sequence[Row], name: str) -> list[Row]:
    """Return the timers of exactly this name, which nothing but the name says to be timers."""
    return [row for row in rows if row["kind"] == TIMER and _is_same(row["name"].rstrip("s"), name.rstrip("s"))]


def is_clear(found: Sequence[Row], phrase: TimerPhrase) -> bool:
    """Return whether it is known which timers are meant: one, or all of them."""
    return len(found) == 1 or phrase.is_all or phrase.is_many


def most_likely(found: Sequence[Row], phrase: TimerPhrase, asked: Asked) -> list[Row]:
    """Return the one of several that is meant where a sentence does not say which: what rings, or is in this room."""
    if is_clear(found, phrase):
        return list(found)
    own = [row for row in found if not row["command"]] or list(found)
    ringing = [row for row in own if row["state"] == RINGING]
    if len(ringing) == 1:
        return ringing
    here = [row for row in own if row["area"] and row["area"] == asked.room]
    return here if len(here) == 1 else own


def _of_kind(rows: Sequence[Row], phrase: TimerPhrase) -> list[Row]:
    """Return the timers, alarms or reminders, or all; where there is none of a kind, what may be called so.

    A reminder is an alarm to those who have no other, and an alarm with a name is a reminder; but "all alarms" are only
    those that are.
    """
    kind = phrase.kind
    if not kind:
        return list(rows)
    of_sort = [row for row in rows if row.get("reminder", False) == (kind == REMINDER)]
    exact = [row for row in of_sort if kind in (REMINDER, row["kind"])]
    if exact or phrase.is_all:
        return exact
    return [row for row in rows if (row["name"] if kind == REMINDER else row["kind"] == kind)]


def _named(rows: Sequence[Row], name: str) -> list[Row]:
    """Return the timers of a name; otherwise those with such a word in it, or of a room of that name."""
    same = [row for row in rows if _is_same(row["name"], name) or _is_same(row["command"], name)]
    wanted = set(folded(name).split())
    partly = [row for row in rows if wanted & set(folded(row["name"]).split())]
    return same or partly or [row for row in rows if _is_same(row["area"], name)]


def _in_part(rows: Sequence[Row], name: str, asked: Asked) -> list[Row]:
    """Return the alarms in a part of the day: "the morning alarm"."""
    rest, part = split_part(name, asked.language)
    hours = _HOURS.get("" if rest else part, range(0))
    return [row for row in rows if row.get("time") and int(row["time"][:2]) in hours]


def is_for_one_day(moment: Moment) -> bool:
    """Return whether a moment is of one day, and not of every week."""
    return moment.day is not None and not moment.day.weekly


def moved(row: Row, moment: Moment, now: datetime) -> Alarm | None:
    """Return an alarm with another time, or on another day at the time that it has."""
    clock, day = moment.clock, moment.day
    if moment.seconds is not None:
        at = datetime.fromtimestamp(now.timestamp() + moment.seconds, now.tzinfo)
        clock, day = ClockTime(at.hour, at.minute), Day(offset=(at.date() - now.date()).days)
    if clock is None and row.get("time"):
        at_present = time.fromisoformat(row["time"])
        clock = ClockTime(at_present.hour, at_present.minute)
    return alarm_at(clock, day, now, is_alarm=True) if clock is not None else None


def _is_same(one: str, other: str) -> bool:
    return bool(joined(one)) and joined(one) == joined(other)


def _at(rows: Sequence[Row], phrase: TimerPhrase, asked: Asked) -> list[Row]:
    """Return the alarms at a time of day, or on a day."""
    moment = phrase.moment
    assert moment is not None
    if moment.clock is not None:
        times = {f"{each:%H:%M}" for each in moment.clock.times(moment.day.part if moment.day else "")}
        rows = [row for row in rows if row.get("time") in times]
    if moment.day is None:
        return list(rows)
    if moment.day.weekly:
        return [row for row in rows if tuple(row.get("days") or ()) == moment.day.weekly]
    on = moment.day.on(asked.now.date())
    return [row for row in rows if row["due"] is not None and _due(row, asked).date() == on]


def _due(row: Row, asked: Asked) -> datetime:
    return datetime.fromtimestamp(row["due"], asked.now.tzinfo)


def described(row: Row, asked: Asked) -> dict[str, Any]:
    """Return what answers say of a timer: its name, its length, what is left, and when it rings."""
    language = asked.language
    about = {
        "kind": row["kind"],
        "state": row["state"],
        "name": row["name"],
        "command": row["command"],
        "room": row["area"] if row["area"] != asked.room else "",
        "length": said_duration(row["seconds"] or 0, language),
        "left": said_duration(max(row["left"] or 0, 0), language, is_rough=True),
        "time": "",
        "day": "",
    }
    if row["kind"] == ALARM:
        about |= said_alarm(row, asked)
    return about


def said_alarm(row: Row, asked: Asked) -> dict[str, str]:
    """Return the time and the days of an alarm in words."""
    at = time.fromisoformat(row["time"])
    if days := row.get("days"):
        return {"time": said_time(at, asked.language), "day": said_days(days, asked.language)}
    day = said_day(_due(row, asked).date(), asked.now.date(), asked.language) if row["due"] is not None else ""
    return {"time": said_time(at, asked.language), "day": day}
