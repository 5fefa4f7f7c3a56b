"""The readers of the smaller slots of the clock: months, years, times and lengths of time."""

from typing import NamedTuple

from units.intent.values.clock_time import ClockTime, read_clock_time
from units.intent.values.day import read_day
from units.intent.values.duration import read_duration
from units.intent.values.number import read_number

_LONGEST_WHILE = 10 * 24 * 3600


class Month(NamedTuple):
    """A month as it was said."""

    year: int | None
    month: int | None
    """None for the present one."""


_FIRSTS = {"en": "1 {}", "de": "1. {}", "fr": "1 {}", "es": "1 de {}", "zh-CN": "{}1号"}
_THIS_MONTH = frozenset(
    {"this month", "the month", "diesem monat", "dieser monat", "ce mois", "este mes", "这个月", "本月"}
)


def read_month(words: str, language: str) -> Month | None:
    """Return a month, with its year if that is said."""
    if words.casefold() in _THIS_MONTH:
        return Month(None, None)
    day = read_day(_FIRSTS[language].format(words), language)
    return Month(day.year, day.month) if day and day.day == 1 and day.month else None


def read_year(words: str, language: str) -> int | None:
    number = read_number(words, language)
    if number is None and len(halves := words.split(maxsplit=1)) == 2:
        pair = [read_number(each, language) for each in halves]
        if None not in pair and all(each is not None and 10 <= each <= 99 for each in pair):
            return int((pair[0] or 0) * 100 + (pair[1] or 0))
    return int(number) if number is not None and number.denominator == 1 and 1 <= number <= 9999 else None


def read_time(words: str, language: str) -> ClockTime | None:
    """Return a time of day; a mere number, which the reader takes for an hour, is none."""
    return None if words.isdigit() else read_clock_time(words, language)


def read_length(words: str, language: str) -> float | None:
    """Return the seconds of a while, up to some days: beyond that one asks for the date."""
    seconds = read_duration(words, language)
    return seconds if seconds and seconds <= _LONGEST_WHILE else None
