"""Days: "tomorrow", "every Monday and Friday", "on the 24th of December", "in three days"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache, lru_cache

from units.intent.values.day_words import LANGUAGES, DayWords
from units.intent.values.plain import base_of, digits_in, plain, with_ordinals

_KNOWN_TEXTS = 512
"""Of so many texts it is remembered what they say: a sentence is divided in many ways."""

EVERY_DAY = tuple(range(7))
WORKDAYS = tuple(range(5))
WEEKEND = (5, 6)

_YEARS_AHEAD = 8
"""A 29th of February comes after so many years at most."""

_MONTHS_AHEAD = 12

_POINT = "\u2024"

_NEXT_AFTER = " (?:prochain|qui vient|que viene|pr[óo]ximo)$"
"""After a day of the week: the next one."""


@dataclass(frozen=True)
class Day:
    """A day as it was said; `on` says which day of the calendar it is."""

    offset: int | None = None
    """Days from today."""

    weekday: int | None = None
    """0 = Monday."""

    weeks: int | None = None
    """With `weekday`: in which week, 1 = the next one; None where it is the next such day."""

    is_next: bool = False
    """With `weekday`: whether today is not meant ("next Monday")."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    """Alone: the next such day of a month."""

    weekly: tuple[int, ...] = ()
    """The days of every week; then nothing else is set but `part`."""

    part: str = ""
    """morning, afternoon, evening or night; "" where it was not said."""

    def on(self, today: date) -> date | None:
        """Return the day of the calendar; None for days of every week, and where there is no such day."""
        if self.weekly:
            return None
        if self.offset is not None:
            return today + timedelta(self.offset)
        if self.weekday is not None:
            return self._of_week(today)
        return next((each for each in self._possible(today) if self.year or each >= today), None)

    def _of_week(self, today: date) -> date:
        assert self.weekday is not None
        if self.weeks is not None:
            return today + timedelta(self.weekday - today.weekday() + 7 * self.weeks)
        ahead = (self.weekday - today.weekday()) % 7
        return today + timedelta(ahead or 7 * self.is_next)

    def _possible(self, today: date) -> Iterator[date]:
        assert self.day is not None
        if self.month is None:
            months = ((today.month - 1 + ahead) for ahead in range(_MONTHS_AHEAD))
            wanted = [(today.year + month // 12, month % 12 + 1) for month in months]
        elif self.year is not None:
            wanted = [(self.year, self.month)]
        else:
            wanted = [(today.year + ahead, self.month) for ahead in range(_YEARS_AHEAD + 1)]
        for year, month in wanted:
            try:
                yield date(year, month, self.day)
            except ValueError:
                continue  # this month, or this year, has no such day


@lru_cache(_KNOWN_TEXTS)
def read_day(words: str, language: str) -> Day | None:
    """Return the day that words say, or the days of every week; None if they say no day."""
    known = LANGUAGES.get(base_of(language))
    if known is None:
        return _numeric(plain(words, language), None)
    text = _spelled(words, language)
    rest, part = split_part(text, language)
    day = _whole(rest, known) or _whole(text, known)
    if day is None:
        return None
    return replace(day, part=day.part or part)


def read_date(words: str, language: str, today: date) -> date | None:
    """Return the one day of the calendar that words say; None if they say none, or days of every week."""
    day = read_day(words, language)
    return day.on(today) if day else None


def _spelled(words: str, language: str) -> str:
    """Return plain words with digits, and with `24.` for ordinals; a point after digits is no mark of a sentence."""
    text = plain(re.sub(r"(?<=\d)\.(?=\s|$)", _POINT, words), language).replace(_POINT, ".")
    return digits_in(with_ordinals(text, language), language)


def split_part(text: str, language: str) -> tuple[str, str]:
    """Return a plain text without the part of the day in it ("in the morning"), and that part; "" for none."""
    known = LANGUAGES.get(base_of(language))
    for part, pattern in _patterns(known).parts.items() if known else ():
        shorter = " ".join(pattern.sub(" ", text, count=1).split())
        if known and shorter != text:
            return shorter if known.has_spaces else shorter.replace(" ", ""), part
    return text, ""


def _whole(text: str, known: DayWords) -> Day | None:
    """Return the day that a spelled text says."""
    patterns = _patterns(known)
    text = patterns.before.sub("", text).strip()
    for pattern, day in patterns.fixed:
        if pattern.fullmatch(text):
            return day
    if found := patterns.ahead.fullmatch(text):
        count = next((each for each in found.groups() if each), "1")
        number = int(count) if count.isdigit() else 1
        return Day(offset=number * (7 if patterns.week.search(text) else 1))
    return _weekly(text, known) or _of_week(text, known) or _numeric(text, known)


def _weekly(text: str, known: DayWords) -> Day | None:
    """Return the days of every week that a text names."""
    patterns = _patterns(known)
    rest = patterns.every.sub("", text)
    is_weekly = rest != text
    if found := patterns.span.fullmatch(rest):
        first, last = (_weekday(found[at], known, in_plural=True) for at in (1, 2))
        if first is None or last is None:
            return None
        return Day(weekly=tuple(sorted(at % 7 for at in range(first, last + (1 if last >= first else 8)))))
    names = list(filter(None, patterns.joint.split(rest)))
    days = [_weekday(each, known, in_plural=True) for each in names]
    is_weekly = is_weekly or len(days) > 1 or any(_weekday(each, known) is None for each in names)
    if not is_weekly or not days or None in days:
        return None
    return Day(weekly=tuple(sorted({at for at in days if at is not None})))


def _weekday(text: str, known: DayWords, *, in_plural: bool = False) -> int | None:
    patterns = _patterns(known)
    named = (at for at, pattern in enumerate(patterns.weekdays) if pattern.fullmatch(text))
    plural = (at for at, pattern in enumerate(patterns.plurals) if in_plural and pattern.fullmatch(text))
    return next(named, next(plural, None))


def _of_week(text: str, known: DayWords) -> Day | None:
    """Return the one day of a week that a text names."""
    patterns = _patterns(known)
    rest = patterns.next_week.sub("", text).strip()
    if rest != text:
        at = _weekday(patterns.before.sub("", rest).strip(), known)
        return None if at is None else Day(weekday=at, weeks=1)
    rest = patterns.next.sub("", text).strip()
    at = _weekday(rest if rest == text else rest.removeprefix("le "), known)
    return None if at is None else Day(weekday=at, is_next=rest != text)


def _numeric(text: str, known: DayWords | None) -> Day | None:
    """Return the day that a text names by its number."""
    if found := re.fullmatch(r"(\d{4})-(\d{1,2})-(\d{1,2})", text):
        return _checked(Day(year=int(found[1]), month=int(found[2]), day=int(found[3])))
    if known is None:
        return None
    for pattern in _patterns(known).dates:
        if found := pattern.fullmatch(text):
            said = found.groupdict()
            month = next((at for at in range(1, 13) if said.get(f"m{at}")), None)
            number = month or (int(said["month"]) if said.get("month") else None)
            return _checked(
                Day(day=int(said["day"]), month=number, year=int(said["year"]) if said.get("year") else None)
            )
    return None


def _number(digits: str) -> int:
    return 1 if digits == "一" else int(digits)


def _checked(day: Day) -> Day | None:
    """Return a day that some year has."""
    is_possible = 1 <= (day.day or 0) <= 31 and 1 <= (day.month or 1) <= 12
    leap_year = date(2024, 1, 1)
    return day if is_possible and day.on(leap_year) is not None else None


@dataclass(frozen=True)
class _Patterns:
    before: re.Pattern[str]
    fixed: list[tuple[re.Pattern[str], Day]]
    ahead: re.Pattern[str]
    week: re.Pattern[str]
    every: re.Pattern[str]
    joint: re.Pattern[str]
    span: re.Pattern[str]
    next: re.Pattern[str]
    next_week: re.Pattern[str]
    weekdays: list[re.Pattern[str]]
    plurals: list[re.Pattern[str]]
    parts: dict[str, re.Pattern[str]]
    dates: list[re.Pattern[str]]


@cache
def _patterns(known: DayWords) -> _Patterns:
    edge = r"(?<!\w)(?:{})(?!\w)" if known.has_spaces else "(?:{})"
    months = "|".join(f"(?P<m{at}>{each})" for at, each in enumerate(known.months, 1))
    fixed = [(known.every_day, EVERY_DAY), (known.workdays, WORKDAYS), (known.weekend, WEEKEND)]
    compiled = [(re.compile(pattern), Day(weekly=days)) for pattern, days in fixed]
    compiled += [(re.compile(pattern), Day(offset=offset)) for offset, pattern in known.offsets.items()]
    compiled += [(re.compile(pattern), Day(offset=0, part=part)) for part, pattern in known.today_parts.items()]
    compiled += [(re.compile(pattern), Day(weekly=EVERY_DAY, part=part)) for part, pattern in known.every_part.items()]
    compiled += [(re.compile(pattern), Day(month=month, day=day)) for (month, day), pattern in known.feasts.items()]
    return _Patterns(
        before=re.compile(rf"^(?:{known.before})" if known.before else "(?!)"),
        fixed=compiled,
        ahead=re.compile(known.ahead),
        week=re.compile(known.week),
        every=re.compile(rf"^(?:{known.every})"),
        joint=re.compile(known.joint),
        span=re.compile(known.span),
        next=re.compile(rf"^(?:{known.next})|{_NEXT_AFTER}"),
        next_week=re.compile(known.next_week),
        weekdays=[re.compile(each) for each in known.weekdays],
        plurals=[re.compile(each) for each in known.plurals],
        parts={part: re.compile(edge.format(pattern)) for part, pattern in known.parts.items()},
        dates=[re.compile(each.replace("{month}", f"(?:{months})")) for each in known.dates],
    )
