"""What the sentences of the clock say: days, months, years, times of day, lengths of time and places."""

import re
from typing import NamedTuple

from units.intent.values.calendar_day import AnyDay, read_counted_day
from units.intent.values.calendar_day import read_year as read_english_year
from units.intent.values.clock_time import ClockTime, read_clock_time
from units.intent.values.day import WEEKEND, Day, read_day
from units.intent.values.duration import read_duration
from units.intent.values.feast import read_feast
from units.intent.values.number import read_number
from units.intent.values.past_day import read_past_day
from units.intent.values.place import read_place

_LONGEST_WHILE = 10 * 24 * 3600
_MOST_WORDS_OF_PLACE = 3
_NOT_A_PLACE = frozenset(
    {
        *("a", "an", "the", "my", "your", "our", "his", "her", "their", "this", "that", "these", "those", "it", "case"),
        *("der", "die", "das", "dem", "den", "einem", "einer", "meinem", "meiner", "deinem", "deiner", "unserer"),
        *("la", "le", "les", "ma", "mon", "ta", "ton", "un", "une", "cette", "ce"),
        *("el", "los", "las", "mi", "tu", "una", "esta", "este"),
    }
)
"""Words of no name of a place: what is in the kitchen has no time zone."""

_NOW = frozenset({"now", "jetzt", "maintenant", "ahora", "现在"})


_THIS_OR_NEXT = re.compile(
    "^(?:(?:das|dieses|nächstes|kommendes|des|am|ce|le|du|prochain|el|del|este|próximo|siguiente|这个?) ?)+"
    "| (?:prochain|qui vient|que viene|próximo|siguiente)$"
)
"""Around the weekend, of which the coming one is meant."""

_NUMBERED = {"de": "{}.", "fr": "le {}", "es": "el {}"}
"""A mere number, of which the article belongs to the sentence, is a day of the month."""


class Month(NamedTuple):
    """A month as it was said."""

    year: int | None
    month: int | None
    """None for the present one."""


def read_one_day(words: str, language: str) -> AnyDay | None:
    """Return a day of the calendar; days of every week are none, except the weekend."""
    if words.casefold() in _NOW:
        return Day(offset=0)
    words = _NUMBERED[language].format(words) if words.isdigit() and language in _NUMBERED else words
    if known := read_feast(words, language) or read_past_day(words, language):
        return known
    day = read_day(words, language) or read_day(_THIS_OR_NEXT.sub("", words.casefold()), language)
    if day and not day.part and day.weekly in ((), WEEKEND):
        return day
    return read_counted_day(words) if language == "en" else None


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
    """Return the number of a year."""
    if language == "en" and (year := read_english_year(words)):
        return year
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


def read_whose_day(words: str, language: str) -> AnyDay | None:
    """Return the day of a genitive: "monday's", "mondays"."""
    return read_one_day(words.replace("\u2019", "'").removesuffix("s").removesuffix("'"), language)


def read_somewhere(words: str, language: str) -> str | None:
    """Return words that may name a place that is not known."""
    each = words.casefold().split()
    is_name = (
        0 < len(each) <= _MOST_WORDS_OF_PLACE and _NOT_A_PLACE.isdisjoint(each) and words.replace(" ", "").isalpha()
    )
    return words if is_name and read_place(words, language) is None else None
