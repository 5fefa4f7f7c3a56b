"""Days that are over: "three days ago", "last Friday", "the day before yesterday"."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from units.intent.values.day import WEEKEND, read_day
from units.intent.values.number import plain, read_number

_SATURDAY = 5
_WEEK = 7
_LONGEST = 10**6


@dataclass(frozen=True)
class PastDay:
    """A day before today."""

    days: int = 0
    """So many days ago, or 0."""

    weekday: int | None = None
    """The last such day, where no number is said."""

    is_week_before: bool = False
    """Whether the day of the week before this one is meant: 上周一."""

    def on(self, today: date) -> date | None:
        """Return the day of the calendar; None for one before all calendars."""
        if self.weekday is not None and self.is_week_before:
            return today - timedelta(today.weekday() - self.weekday + _WEEK)
        if self.weekday is not None:
            return today - timedelta((today.weekday() - self.weekday) % _WEEK or _WEEK)
        return today - timedelta(self.days) if self.days < today.toordinal() else None


@dataclass(frozen=True)
class _Words:
    ago: str
    """With the groups `number`, and `week` where weeks are meant."""

    last: str
    """With the group `day`."""

    before_yesterday: str


_LANGUAGES: Mapping[str, _Words] = {
    "en": _Words(
        r"(?P<number>.+) (?:days?|(?P<week>weeks?)) ago", r"(?:on )?last (?P<day>\w+)", "(?:the )?day before yesterday"
    ),
    "de": _Words(
        r"vor (?P<number>.+) (?:tag(?:en)?|(?P<week>wochen?))",
        r"(?:am |das |der |des |vom )?(?:letzte|vergangene|vorige|vorherige)[nrms]? (?P<day>\w+)",
        "vorgestern",
    ),
    "fr": _Words(
        r"il y a (?P<number>.+) (?:jours?|(?P<week>semaines?))",
        r"(?:le |du )?(?:(?P<day>[\w-]+) dernier|dernier (?P<other>[\w-]+))",
        r"avant[ -]hier",
    ),
    "es": _Words(
        r"hace (?P<number>.+) (?:dias?|(?P<week>semanas?))",
        r"(?:el |del )?(?:(?P<day>[\w ]+) (?:pasado|anterior)|(?:ultimo|pasado) (?P<other>[\w ]+))",
        "anteayer|antier|antes de ayer",
    ),
    "zh-CN": _Words(
        r"(?P<number>.+?)(?:天|(?P<week>个?星期|周))(?:以前|之前|前)", r"上个?(?P<day>(?:星期|周|礼拜).)", "前天"
    ),
}
_ONE = {"en": ("a", "one"), "de": ("einem", "einer"), "fr": ("un", "une"), "es": ("un", "una")}


def read_past_day(text: str, language: str) -> PastDay | None:
    """Return the day before today that a text says; None for anything else."""
    if language not in _LANGUAGES:
        return None
    ago, last, before_yesterday = _patterns(language)
    words = plain(text).strip()
    if before_yesterday.fullmatch(words):
        return PastDay(days=2)
    if found := ago.fullmatch(words):
        number = 1 if found["number"] in _ONE.get(language, ()) else read_number(found["number"], language)
        if number is None or number != int(number) or not 0 < number < _LONGEST:
            return None
        return PastDay(days=int(number) * (_WEEK if found["week"] else 1))
    if found := last.fullmatch(words):
        day = read_day(next(filter(None, found.groups())), language)
        is_week_before = language == "zh-CN"
        if day is None or (day.weekday is None and day.weekly != WEEKEND):
            return None
        weekday = _SATURDAY if day.weekly else day.weekday
        return PastDay(weekday=weekday, is_week_before=is_week_before)
    return None


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    words = _LANGUAGES[language]
    return re.compile(words.ago), re.compile(words.last), re.compile(words.before_yesterday)
