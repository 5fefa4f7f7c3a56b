"""The skill of the clock: time, date, days until and since a day, and the time elsewhere."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from units.intent.skills.clock_question import read_clock_question
from units.intent.skills.clock_slots import read_length, read_month, read_time, read_year
from units.intent.skills.plain_question import plainer
from units.intent.skills.skill import Asked, Said, Skill
from units.intent.skills.texts import read_texts
from units.intent.values.day import WEEKEND, Day, read_day
from units.intent.values.feast import Feast, read_feast
from units.intent.values.locales import locale_of
from units.intent.values.past_day import PastDay, read_past_day
from units.intent.values.place import Place, read_place
from units.intent.values.saying import said_duration, said_time

_SATURDAY = 5
_DAYS_OF_WEEK = 7
_LONGEST_MONTH = 31
_LEAP_YEARS_APART = 8
_NOT_A_PLACE = frozenset(
    {
        *("a", "an", "the", "my", "your", "our", "his", "her", "their", "this", "that", "these", "those", "it", "case"),
        *("der", "die", "das", "dem", "den", "einem", "einer", "meinem", "meiner", "deinem", "deiner", "unserer"),
        *("la", "le", "les", "ma", "mon", "ta", "ton", "un", "une", "cette", "ce"),
        *("el", "los", "las", "mi", "tu", "una", "esta", "este"),
    }
)
"""Words of no name of a place: what is in the kitchen has no time zone."""

_MOST_WORDS_OF_PLACE = 3


def _tell_time(asked: Asked) -> Said:
    return Said("time", {"time": said_time(asked.now.time(), asked.language)})


def _tell_date(asked: Asked) -> Said:
    return Said("date", {"date": _full(asked.now.date(), asked.language)})


def _tell_date_and_time(asked: Asked) -> Said:
    now = asked.now
    return Said("date_time", {"date": _full(now.date(), asked.language), "time": said_time(now.time(), asked.language)})


def _tell_time_moved(direction: int) -> Callable[[Asked], Said]:
    """Return a handler that says the time after a while, or what it was before one."""

    def tell(asked: Asked) -> Said:
        then = (asked.now.astimezone(UTC) + direction * timedelta(seconds=asked.slots["length"])).astimezone(
            asked.now.tzinfo
        )
        day = _formatted(then.date(), "EEEE", asked.language) if then.date() != asked.now.date() else ""
        key = "time_later" if direction > 0 else "time_before"
        return Said(key, {"time": said_time(then.time(), asked.language), "day": day})

    return tell


def _tell_year(asked: Asked) -> Said:
    return Said("year", {"year": str(asked.now.year)})


def _tell_month(asked: Asked) -> Said:
    return Said("month", {"month": _formatted(asked.now.date(), "LLLL", asked.language)})


def _tell_week(asked: Asked) -> Said:
    """Tell the week by ISO 8601, as calendars in Europe count."""
    return Said("week", {"week": str(asked.now.isocalendar().week)})


def _tell_zone(asked: Asked) -> Said:
    from babel.dates import get_timezone_name

    there = _there(asked, asked.slots.get("place", Place("", "")))
    return Said("zone", {"zone": get_timezone_name(there, locale=locale_of(asked.language))})


def _there(asked: Asked, place: Place) -> datetime:
    return asked.now.astimezone(ZoneInfo(place.zone)) if place.zone else asked.now


def _tell_time_there(asked: Asked) -> Said:
    place = asked.slots["place"]
    if not place.zone:
        return _tell_time(asked)
    there = _there(asked, place)
    is_other_day = there.date() != asked.now.date()
    return Said(
        "time_there",
        {
            "time": said_time(there.time(), asked.language),
            "place": place.name,
            "day": _formatted(there.date(), "EEEE", asked.language) if is_other_day else "",
            "is_one_of_several": place.is_one_of_several,
        },
    )


def _tell_date_there(asked: Asked) -> Said:
    place = asked.slots["place"]
    there = _there(asked, place)
    if not place.zone:
        return _tell_date(asked)
    return Said("date_there", {"date": _full(there.date(), asked.language), "place": place.name})


def _tell_unknown_place(asked: Asked) -> Said:
    return Said("unknown_place", {"place": asked.slots["somewhere"]})


def _tell_difference(asked: Asked) -> Said | None:
    """Tell how much later it is at one place than at another, or here."""
    place, other = asked.slots["place"], asked.slots.get("other", Place("", ""))
    if not place.zone:
        place, other = other, place
    if not place.zone:
        return None
    seconds = (_offset(_there(asked, place)) - _offset(_there(asked, other))).total_seconds()
    length = said_duration(abs(seconds), asked.language)
    key = "same_time" if seconds == 0 else "ahead" if seconds > 0 else "behind"
    return Said(key, {"place": place.name, "other": other.name, "length": length})


def _offset(at: datetime) -> timedelta:
    return at.utcoffset() or timedelta()


def _tell_time_when(asked: Asked) -> Said | None:
    """Tell the time at one place when it is a given time at another."""
    at, place, other = asked.slots["at"], asked.slots["place"], asked.slots.get("other", Place("", ""))
    times = at.times("afternoon" if not at.is_certain else "")
    if not (place.zone or other.zone):
        return None
    moment = datetime.combine(_there(asked, other).date(), times[0], _there(asked, other).tzinfo)
    there = moment.astimezone(ZoneInfo(place.zone) if place.zone else asked.now.tzinfo)
    day = _formatted(there.date(), "EEEE", asked.language) if there.date() != moment.date() else ""
    values = {"time": said_time(there.time(), asked.language), "place": place.name, "day": day}
    return Said("time_there" if place.zone else "time_here", {**values, "is_one_of_several": False})


def _tell_day(asked: Asked) -> Said | None:
    day = asked.slots.get("day") or asked.slots["whose"]
    return _said_day(asked, _next(day, asked.now.date()))


def _tell_past_day(asked: Asked) -> Said | None:
    return _said_day(asked, _last(asked.slots["day"], asked.now.date()))


def _said_day(asked: Asked, on: date | None) -> Said | None:
    if on is None:
        return None
    return Said("day" if on >= asked.now.date() else "past_day", {"date": _full(on, asked.language)})


def _tell_days_until(asked: Asked) -> Said | None:
    return _distance(asked, _next(asked.slots["day"], asked.now.date()))


def _tell_days_since(asked: Asked) -> Said | None:
    return _distance(asked, _last(asked.slots["day"], asked.now.date()))


def _tell_weeks_until(asked: Asked) -> Said | None:
    return _distance(asked, _next(asked.slots["day"], asked.now.date()), in_weeks=True)


def _distance(asked: Asked, on: date | None, in_weeks: bool = False) -> Said | None:
    """Say how far a day is; the answer has the days, and weeks where they are asked for."""
    if on is None:
        return None
    days = (on - asked.now.date()).days
    key = {0: "today", 1: "tomorrow", -1: "yesterday"}.get(days, "days_until" if days > 0 else "days_since")
    weeks, rest = divmod(abs(days), _DAYS_OF_WEEK)
    values = {"days": abs(days), "weeks": weeks if in_weeks else 0, "rest": rest}
    return Said(key, {**values, "date": _full(on, asked.language)})


def _tell_time_until(asked: Asked) -> Said:
    """Say how long it is until the next time that a clock shows."""
    now = asked.now
    moments = [
        datetime.combine(now.date() + timedelta(day), at, now.tzinfo)
        for day in (0, 1)
        for at in asked.slots["at"].times()
    ]
    # Between times of the same zone Python's difference is that of the wall clock.
    lengths = [moment.astimezone(UTC) - now.astimezone(UTC) for moment in moments]
    minutes = min(each for each in lengths if each > timedelta()).total_seconds() // 60
    return Said("time_until", {"length": said_duration(max(minutes, 1) * 60, asked.language)})


def _tell_days_between(asked: Asked) -> Said | None:
    first = _next(asked.slots["first"], asked.now.date())
    last = _next(asked.slots["last"], first) if first else None
    return Said("days_between", {"days": (last - first).days}) if first and last else None


def _tell_whether_today(asked: Asked) -> Said | None:
    today = asked.now.date()
    on = _next(asked.slots["day"], today)
    if on is None:
        return None
    return Said("is_today" if on == today else "is_not_today", {"date": _full(today, asked.language)})


def _tell_day_of_year(asked: Asked) -> Said:
    return Said("day_of_year", {"days": asked.now.timetuple().tm_yday})


def _tell_rest_of_year(asked: Asked) -> Said:
    return Said("rest_of_year", {"days": (date(asked.now.year, 12, 31) - asked.now.date()).days})


def _tell_days_of_month(asked: Asked) -> Said:
    wanted, now = asked.slots["month"], asked.now
    year, month = wanted.year or now.year, wanted.month or now.month
    first = date(year, month, 1)
    days = ((first + timedelta(_LONGEST_MONTH)).replace(day=1) - first).days
    name = _formatted(first, "LLLL", asked.language)
    return Said("days_of_month", {"month": name, "days": days, "year": str(year) if month == 2 else ""})


def _tell_leap_year(asked: Asked) -> Said | None:
    year = asked.slots.get("year", asked.now.year)
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return Said("leap_year" if is_leap else "no_leap_year", {"year": str(year)})


def _tell_next_leap_year(asked: Asked) -> Said:
    years = range(asked.now.year + 1, asked.now.year + 1 + _LEAP_YEARS_APART)
    year = next(each for each in years if each % 4 == 0 and (each % 100 or each % 400 == 0))
    return Said("year_of", {"year": str(year)})


def _next(day: Day | Feast | PastDay, today: date) -> date | None:
    """Return the next such day, today included; the weekend begins on Saturday."""
    if isinstance(day, Day) and day.weekly == WEEKEND:
        return today + timedelta((_SATURDAY - today.weekday()) % _DAYS_OF_WEEK)
    return day.on(today)


def _last(day: Day | Feast | PastDay, today: date) -> date | None:
    """Return the last such day; a day with a year, or so many days from now, is what it is."""
    if isinstance(day, PastDay) or (isinstance(day, Day) and (day.offset is not None or day.year is not None)):
        return day.on(today)
    if isinstance(day, Day) and day.weekly:
        return None
    before = (_next(day, today - timedelta(back)) for back in (7, 31, 62, 366, 8 * 366))
    return next((each for each in before if each and each < today), None)


def _full(day: date, language: str) -> str:
    return _formatted(day, "full", language)


def _formatted(day: date, form: str, language: str) -> str:
    from babel.dates import format_date

    return format_date(day, form, locale=locale_of(language))


_NOW = frozenset({"now", "jetzt", "maintenant", "ahora", "现在"})


_THIS_OR_NEXT = re.compile(
    "^(?:(?:das|dieses|nächstes|kommendes|des|am|ce|le|du|prochain|el|del|este|próximo|siguiente|这个?) ?)+"
    "| (?:prochain|qui vient|que viene|próximo|siguiente)$"
)
"""Around the weekend, of which the coming one is meant."""

_NUMBERED = {"de": "{}.", "fr": "le {}", "es": "el {}"}
"""A mere number, of which the article belongs to the sentence, is a day of the month."""


def _read_one_day(words: str, language: str) -> Day | Feast | PastDay | None:
    """Return a day of the calendar; days of every week are none, except the weekend."""
    if words.casefold() in _NOW:
        return Day(offset=0)
    words = _NUMBERED[language].format(words) if words.isdigit() and language in _NUMBERED else words
    if known := read_feast(words, language) or read_past_day(words, language):
        return known
    day = read_day(words, language) or read_day(_THIS_OR_NEXT.sub("", words.casefold()), language)
    return day if day and not day.part and day.weekly in ((), WEEKEND) else None


def _read_whose_day(words: str, language: str) -> Day | Feast | PastDay | None:
    """Return the day of a genitive: "monday's", "mondays"."""
    return _read_one_day(words.replace("\u2019", "'").removesuffix("s").removesuffix("'"), language)


def _read_somewhere(words: str, language: str) -> str | None:
    """Return words that may name a place that is not known."""
    each = words.casefold().split()
    is_name = (
        0 < len(each) <= _MOST_WORDS_OF_PLACE and _NOT_A_PLACE.isdisjoint(each) and words.replace(" ", "").isalpha()
    )
    return words if is_name and read_place(words, language) is None else None


def _tell_asked(asked: Asked) -> Said | None:
    """Tell the time or the date of now, here or at a place."""
    tell = _HANDLERS.get(asked.slots["asked"] + ("_there" if "place" in asked.slots else ""))
    return tell(asked) if tell else None


_HANDLERS: Mapping[str, Callable[[Asked], Said | None]] = {
    **dict.fromkeys(("asked", "asked_there"), _tell_asked),
    "time": _tell_time,
    "whether_time": _tell_time,
    "date_time": _tell_date_and_time,
    "time_later": _tell_time_moved(1),
    "time_before": _tell_time_moved(-1),
    "date": _tell_date,
    "year": _tell_year,
    "month": _tell_month,
    "week": _tell_week,
    "zone": _tell_zone,
    "time_there": _tell_time_there,
    "date_there": _tell_date_there,
    "unknown_place": _tell_unknown_place,
    "difference": _tell_difference,
    "time_when": _tell_time_when,
    "day": _tell_day,
    "past_day": _tell_past_day,
    "days_until": _tell_days_until,
    "weeks_until": _tell_weeks_until,
    "days_since": _tell_days_since,
    "time_until": _tell_time_until,
    "days_between": _tell_days_between,
    "whether_today": _tell_whether_today,
    "day_of_year": _tell_day_of_year,
    "rest_of_year": _tell_rest_of_year,
    "days_of_month": _tell_days_of_month,
    "leap_year": _tell_leap_year,
    "next_leap_year": _tell_next_leap_year,
}

_READERS = {
    "asked": read_clock_question,
    **dict.fromkeys(("place", "other"), read_place),
    **dict.fromkeys(("day", "first", "last"), _read_one_day),
    "somewhere": _read_somewhere,
    "at": read_time,
    "length": read_length,
    "whose": _read_whose_day,
    "month": read_month,
    "year": read_year,
}

_ORDERS = {"en": ((r"(.+) this year", r"\1"),), "de": ((r"(.+) dieses jahr", r"\1"),)}
"""What is said of a day makes no difference where the next one is meant."""

SKILL = Skill(
    "clock",
    read_texts(Path(__file__).with_suffix(".toml")),
    _HANDLERS,
    _READERS,
    plainer(_ORDERS),
    late=frozenset(("place", "other")),
)
