"""The answers of the clock about days: their dates, how far they are, how long months and years are."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta

from units.intent.skills.skill import Asked, Said
from units.intent.values.calendar_day import AnyDay, CountedDay, length_of, moved
from units.intent.values.day import WEEKEND, Day
from units.intent.values.locales import locale_of
from units.intent.values.past_day import PastDay

_SATURDAY = 5
_DAYS_OF_WEEK = 7
_MONTHS = 12
_LEAP_YEARS_APART = 8


def full_date(day: date, language: str) -> str:
    """Return a day with its weekday and year."""
    return formatted(day, "full", language)


def formatted(day: date, form: str, language: str) -> str:
    """Return a day in a form of CLDR."""
    from babel.dates import format_date

    return format_date(day, form, locale=locale_of(language))


def _tell_day(asked: Asked) -> Said | None:
    day = asked.slots.get("day") or asked.slots["whose"]
    return _said_day(asked, _next(day, asked.now.date()))


def _tell_past_day(asked: Asked) -> Said | None:
    return _said_day(asked, _last(asked.slots["day"], asked.now.date()))


def _said_day(asked: Asked, on: date | None) -> Said | None:
    if on is None:
        return None
    return Said("day" if on >= asked.now.date() else "past_day", {"date": full_date(on, asked.language)})


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
    return Said(key, {**values, "date": full_date(on, asked.language)})


def _tell_days_between(asked: Asked) -> Said | None:
    first = _next(asked.slots["first"], asked.now.date())
    last = _next(asked.slots["last"], first) if first else None
    return Said("days_between", {"days": (last - first).days}) if first and last else None


def _tell_whether_today(asked: Asked) -> Said | None:
    today = asked.now.date()
    on = _next(asked.slots["day"], today)
    if on is None:
        return None
    return Said("is_today" if on == today else "is_not_today", {"date": full_date(today, asked.language)})


def _tell_day_of_year(asked: Asked) -> Said:
    return Said("day_of_year", {"days": asked.now.timetuple().tm_yday})


def _tell_rest_of_year(asked: Asked) -> Said:
    return Said("rest_of_year", {"days": (date(asked.now.year, 12, 31) - asked.now.date()).days})


def _tell_days_of_month(asked: Asked) -> Said:
    wanted, now = asked.slots["month"], asked.now
    year, month = wanted.year or now.year, wanted.month or now.month
    name = formatted(date(year, month, 1), "LLLL", asked.language)
    year_said = str(year) if month == 2 else ""
    return Said("days_of_month", {"month": name, "days": length_of(year, month), "year": year_said})


def _tell_rest_of_month(asked: Asked) -> Said:
    today = asked.now.date()
    return Said("rest_of_month", {"days": length_of(today.year, today.month) - today.day})


def _tell_months_until(asked: Asked) -> Said | None:
    """Say how many whole months it is until a day, and how many days more."""
    today, on = asked.now.date(), _next(asked.slots["day"], asked.now.date())
    months = 0 if on is None else (on.year - today.year) * _MONTHS + on.month - today.month
    if on is None or months <= 0 or (months == 1 and moved(today, 1, "month") > on):
        return _distance(asked, on)
    months -= moved(today, months, "month") > on
    rest = (on - moved(today, months, "month")).days
    return Said("months_until", {"months": months, "rest": rest, "date": full_date(on, asked.language)})


def _tell_hours_until(asked: Asked) -> Said | None:
    """Say how many hours it is until a day begins."""
    on = _next(asked.slots["day"], asked.now.date())
    if on is None or on <= asked.now.date():
        return _distance(asked, on)
    begin = datetime(on.year, on.month, on.day, tzinfo=asked.now.tzinfo).astimezone(UTC)
    hours = round((begin - asked.now.astimezone(UTC)).total_seconds() / 3600)
    return Said("hours_until", {"hours": hours, "date": full_date(on, asked.language)})


def _tell_year_of_day(asked: Asked) -> Said | None:
    on = asked.slots["day"].on(asked.now.date())
    return Said("year_of", {"year": str(on.year)}) if on else None


def _tell_whether_day(asked: Asked) -> Said | None:
    """Say whether two names are those of one day: "is the 24th a Sunday"."""
    first = _next(asked.slots["first"], asked.now.date())
    last = asked.slots["last"]
    if first is None:
        return None
    is_same = last.on(first) == first
    return Said("is_day" if is_same else "is_not_day", {"date": full_date(first, asked.language)})


def _tell_leap_year(asked: Asked) -> Said | None:
    year = asked.slots.get("year", asked.now.year + asked.slots.get("years", 0))
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return Said("leap_year" if is_leap else "no_leap_year", {"year": str(year)})


def _tell_next_leap_year(asked: Asked) -> Said:
    years = range(asked.now.year + 1, asked.now.year + 1 + _LEAP_YEARS_APART)
    year = next(each for each in years if each % 4 == 0 and (each % 100 or each % 400 == 0))
    return Said("year_of", {"year": str(year)})


def _next(day: AnyDay, today: date) -> date | None:
    """Return the next such day, today included; the weekend begins on Saturday."""
    if isinstance(day, Day) and day.weekly == WEEKEND:
        return today + timedelta((_SATURDAY - today.weekday()) % _DAYS_OF_WEEK)
    return day.on(today)


def _last(day: AnyDay, today: date) -> date | None:
    """Return the last such day; a day with a year, or so many days from now, is what it is."""
    if isinstance(day, PastDay | CountedDay) or (
        isinstance(day, Day) and (day.offset is not None or day.year is not None)
    ):
        return day.on(today)
    if isinstance(day, Day) and day.weekly:
        return None
    before = (_next(day, today - timedelta(back)) for back in (7, 31, 62, 366, 8 * 366))
    return next((each for each in before if each and each < today), None)


DAY_HANDLERS: Mapping[str, Callable[[Asked], Said | None]] = {
    "day": _tell_day,
    "past_day": _tell_past_day,
    "days_until": _tell_days_until,
    "weeks_until": _tell_weeks_until,
    "months_until": _tell_months_until,
    "hours_until": _tell_hours_until,
    "days_since": _tell_days_since,
    "days_between": _tell_days_between,
    "whether_today": _tell_whether_today,
    "whether_day": _tell_whether_day,
    "year_of_day": _tell_year_of_day,
    "day_of_year": _tell_day_of_year,
    "rest_of_year": _tell_rest_of_year,
    "rest_of_month": _tell_rest_of_month,
    "days_of_month": _tell_days_of_month,
    "leap_year": _tell_leap_year,
    "next_leap_year": _tell_next_leap_year,
}
