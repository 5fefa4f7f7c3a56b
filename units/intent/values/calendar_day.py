"""Days that one has to count for, in English: "the first Monday in May", "three months from today", "Easter 2030"."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from units.intent.values.day import Day, read_day
from units.intent.values.feast import Feast, read_feast
from units.intent.values.number import read_number
from units.intent.values.past_day import PastDay, read_past_day
from units.intent.values.plain import plain, with_ordinals

_WEEK = 7
_MONTHS = 12
_LONGEST = {"day": 1_000_000, "week": 150_000, "month": 60_000, "year": 5_000}
_FIRST_YEAR, _LAST_YEAR = 1000, 2999
_MOST_MONTHS_AHEAD = 14 * _MONTHS
"""Each weekday is the 13th, or the 29th of some month, within so many months."""

_MONTH_NAMES = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_NEAR = {"this": 0, "the": 0, "the current": 0, "next": 1, "the next": 1, "last": -1, "the last": -1}
_NEAR_WORDS = "the current|the next|the last|this|next|last|the"
_NUMBER = r"(?P<number>(?!the\b)[a-z0-9 -]+?)"
_UNIT = r"(?P<unit>day|week|month|year)s?"


@dataclass(frozen=True)
class CountedDay:
    """A day that is found by counting from today."""

    find: Callable[[date], date | None]

    def on(self, today: date) -> date | None:
        """Return the day of the calendar; None where there is no such day."""
        try:
            return self.find(today)
        except (ValueError, OverflowError):
            return None  # the month has no such day, or no calendar has the year


AnyDay = Day | Feast | PastDay | CountedDay


def in_year(day: AnyDay, year: int, *, is_relative: bool = False) -> CountedDay:
    """Return a day in a year, or in one counted from the present one."""

    def find(today: date) -> date | None:
        wanted = today.year + year if is_relative else year
        found = day.on(date(wanted, 1, 1))
        return found if found and found.year == wanted else None

    return CountedDay(find)


def read_counted_day(words: str) -> CountedDay | None:
    """Return the day that English words describe; None for anything else, and for what the other readers know."""
    text = with_ordinals(plain(words, "en"), "en")
    for pattern, make in _PATTERNS:
        if (found := _compiled(pattern).fullmatch(text)) and (day := make(found)):
            return day
    return None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _known(words: str) -> AnyDay | None:
    """Return a day that the other readers know, which is one of the calendar."""
    day = read_feast(words, "en") or read_past_day(words, "en") or read_day(words, "en")
    return None if isinstance(day, Day) and (day.weekly or day.part) else day


def _count(words: str) -> int | None:
    if words in ("a", "an", "one", "the"):
        return 1
    number = read_number("2" if words in ("a couple of", "a couple", "couple of") else words, "en")
    return int(number) if number is not None and number.denominator == 1 and number > 0 else None


def moved(day: date, count: int, unit: str) -> date:
    """Return the day so many days, weeks, months or years later; at the end of a shorter month its last day.

    Raises:
        ValueError, OverflowError: no calendar has it.
    """
    if unit in ("day", "week"):
        return day + timedelta(count * (_WEEK if unit == "week" else 1))
    month = day.month - 1 + count * (_MONTHS if unit == "year" else 1)
    year, month = day.year + month // _MONTHS, month % _MONTHS + 1
    return day.replace(year=year, month=month, day=min(day.day, length_of(year, month)))


def length_of(year: int, month: int) -> int:
    """Return how many days a month has."""
    return (date(year + month // _MONTHS, month % _MONTHS + 1, 1) - timedelta(1)).day


def _ahead(found: re.Match[str]) -> CountedDay | None:
    """Read "three months from now", "a week from Monday", "ten days before Christmas", "two years ago"."""
    said = found.groupdict()
    count, unit = _count(said["number"]), said["unit"]
    if count is None or count > _LONGEST[unit]:
        return None
    base_words = said.get("base") or "today"
    base = Day(offset=0) if base_words in ("now", "today") else _known(base_words)
    if base is None:
        return None
    sign = -1 if said.get("before") else 1

    def find(today: date) -> date | None:
        start = base.on(today)
        return moved(start, sign * count, unit) if start else None

    return CountedDay(find)


def _near_month(today: date, words: str) -> tuple[int, int]:
    month = today.month - 1 + _NEAR[words]
    return today.year + month // _MONTHS, month % _MONTHS + 1


def _day_of_month(found: re.Match[str]) -> CountedDay | None:
    """Read "the 23rd of next month"."""
    day, near = int(found["day"]), found["near"]

    def find(today: date) -> date:
        year, month = _near_month(today, near)
        return date(year, month, day)

    return CountedDay(find)


def _edge_of_month(found: re.Match[str]) -> CountedDay:
    """Read "the last day of this month", "the end of March", "the first day of the year"."""
    is_last, near, month, of_year = found["edge"] in ("last day", "end"), found["near"], found["month"], found["year"]

    def find(today: date) -> date:
        if of_year:
            year = today.year + _NEAR[of_year]
            return date(year, 12, 31) if is_last else date(year, 1, 1)
        if near:
            year, number = _near_month(today, near)
        else:
            first = read_day(f"1 {month}", "en")
            number = (first and first.month) or 1
            year = today.year + (number < today.month)
        return date(year, number, length_of(year, number) if is_last else 1)

    return CountedDay(find)


def _nth_weekday(found: re.Match[str]) -> CountedDay | None:
    """Read "the first Monday in May", "the last Friday of this month"."""
    count = -1 if found["nth"] == "last" else int(found["nth"].rstrip("."))
    weekday = read_day(found["weekday"], "en")
    first = read_day(f"1 {found['month']}", "en") if found["month"] else None
    if weekday is None or weekday.weekday is None or count > 5:
        return None
    wanted, near, said_year = weekday.weekday, found["near"], found["year"]

    def in_month(year: int, month: int) -> date | None:
        if count < 0:
            last = date(year, month, length_of(year, month))
            return last - timedelta((last.weekday() - wanted) % _WEEK)
        start = date(year, month, 1)
        day = start + timedelta((wanted - start.weekday()) % _WEEK + _WEEK * (count - 1))
        return day if day.month == month else None

    def find(today: date) -> date | None:
        if first is None:
            return in_month(*_near_month(today, near or "this"))
        if said_year:
            return in_month(int(said_year), first.month or 1)
        both = (in_month(year, first.month or 1) for year in (today.year, today.year + 1))
        return next((each for each in both if each and each >= today), None)

    return CountedDay(find)


def _weekday_and_day(found: re.Match[str]) -> CountedDay | None:
    """Read "Friday the 13th": the next day that is both."""
    weekday = read_day(found["weekday"], "en")
    number = int(found["day"])

    def find(today: date) -> date | None:
        for ahead in range(_MOST_MONTHS_AHEAD):
            year, month = today.year + (today.month - 1 + ahead) // _MONTHS, (today.month - 1 + ahead) % _MONTHS + 1
            if number > length_of(year, month):
                continue
            day = date(year, month, number)
            if day >= today and weekday and day.weekday() == weekday.weekday:
                return day
        return None

    return CountedDay(find)


def _with_year(found: re.Match[str]) -> CountedDay | None:
    """Read "December 4 nineteen eighty two", "Easter in 2030"."""
    words = found["words"].split()
    for at in range(1, len(words)):
        year = read_year(" ".join(words[at:]))
        day = _known(_BEFORE_YEAR.sub("", " ".join(words[:at]))) if year else None
        if year and day and is_yearly(day):
            return in_year(day, year)
    return None


def is_yearly(day: AnyDay) -> bool:
    """Return whether each year has such a day."""
    return isinstance(day, Feast) or (isinstance(day, Day) and day.month is not None and day.year is None)


def _near_feast(found: re.Match[str]) -> CountedDay | None:
    """Read "next Easter", "last Christmas"."""
    day = _known(found["rest"])
    if day is None or not is_yearly(day):
        return None
    if not found["last"]:
        return CountedDay(day.on)

    def find(today: date) -> date | None:
        before = (in_year(day, today.year - back).on(today) for back in (0, 1))
        return next((each for each in before if each and each < today), None)

    return CountedDay(find)


def _with_near_year(found: re.Match[str]) -> CountedDay | None:
    """Read "Halloween this year", "the 4th of July next year"."""
    day = _known(found["rest"])
    if day is None or not is_yearly(day):
        return None
    return in_year(day, _NEAR[found["near"]], is_relative=True)


def read_year(words: str) -> int | None:
    """Return a year in digits or in words, from 1000 to 2999: "nineteen eighty two", "two thousand and five"."""
    number = read_number(words, "en")
    if number is None and len(halves := words.split(maxsplit=1)) == 2:
        first, second = (read_number(each, "en") for each in halves)
        if first is not None and second is not None and 10 <= first <= 29 and 10 <= second <= 99:
            number = first * 100 + second
    if number is None or number.denominator != 1 or not _FIRST_YEAR <= number <= _LAST_YEAR:
        return None
    return int(number)


_BEFORE_YEAR = re.compile(r"(?:,? (?:in|of|for))?(?: the year)?$")
_OF_MONTH = rf"(?:(?P<near>{_NEAR_WORDS}) month|(?P<month>{_MONTH_NAMES}))"
_PATTERNS: tuple[tuple[str, Callable[[re.Match[str]], CountedDay | None]], ...] = (
    (rf"{_NUMBER} {_UNIT} (?:from|after|past) (?P<base>.+)", _ahead),
    (rf"{_NUMBER} {_UNIT} (?P<before>before|prior to) (?P<base>.+)", _ahead),
    (rf"(?:in )?{_NUMBER} {_UNIT}(?:'? time)?", _ahead),
    (rf"{_NUMBER} {_UNIT} (?P<before>ago|earlier|back)", _ahead),
    (r"(?P<number>the) (?P<unit>day) after (?P<base>.+)", _ahead),
    (r"(?P<number>the) (?P<unit>day) (?P<before>before) (?P<base>.+)", _ahead),
    (rf"(?:the )?(?P<day>\d+)\.?(?: day)? (?:of |in )?(?P<near>{_NEAR_WORDS}) month", _day_of_month),
    (
        rf"(?:the )?(?P<nth>last|\d+\.) (?P<weekday>{_WEEKDAYS}) (?:of|in) {_OF_MONTH}(?: (?P<year>\d{{4}}))?",
        _nth_weekday,
    ),
    (
        rf"(?:the )?(?P<edge>last day|end|1\. day|beginning|start) of (?:{_OF_MONTH}|(?P<year>{_NEAR_WORDS}) year)",
        _edge_of_month,
    ),
    (rf"(?:the )?(?:next )?(?P<weekday>{_WEEKDAYS}) (?:the )?(?P<day>\d+)\.", _weekday_and_day),
    (rf"(?P<rest>.+?)(?:,? in| of| for)? (?P<near>{_NEAR_WORDS}) year", _with_near_year),
    (r"(?:the )?(?:next|this|coming|upcoming|this coming|(?P<last>last|previous)) (?P<rest>.+)", _near_feast),
    (r"(?P<words>.+ .+)", _with_year),
)  # fmt: skip
