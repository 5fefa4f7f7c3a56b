"""How lengths of time, times of day and days are said in five languages; in others as in English."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time

from units.intent.values.day import EVERY_DAY, WEEKEND, WORKDAYS
from units.intent.values.plain import base_of

_UNITS = (86400, 3600, 60, 1)
_WEEK = 7


@dataclass(frozen=True)
class _Words:
    units: tuple[tuple[str, str], ...]
    """One and several of each unit, from days to seconds."""

    time: str
    """With `hour`, `minute` (two digits) and `half` ("AM")."""

    full_hour: str
    weekdays: tuple[str, ...]
    months: tuple[str, ...]
    date: str
    """With `month` and `day`."""

    near: tuple[str, str]
    """Today and tomorrow."""

    on: str
    """With the name of a weekday as `day`."""

    every: str
    every_day: str
    workdays: str
    weekend: str
    joint: str = " and "
    space: str = " "
    has_halves: bool = False
    """Whether the clock has twelve hours."""


_ENGLISH = _Words(
    units=(("day", "days"), ("hour", "hours"), ("minute", "minutes"), ("second", "seconds")),
    time="{hour}:{minute} {half}",
    full_hour="{hour} {half}",
    weekdays=("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    months=(
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ),
    date="on {month} {day}",
    near=("today", "tomorrow"),
    on="on {day}",
    every="every {day}",
    every_day="every day",
    workdays="on weekdays",
    weekend="at weekends",
    has_halves=True,
)  # fmt: skip
_GERMAN = _Words(
    units=(("Tag", "Tage"), ("Stunde", "Stunden"), ("Minute", "Minuten"), ("Sekunde", "Sekunden")),
    time="{hour}:{minute} Uhr",
    full_hour="{hour} Uhr",
    weekdays=("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    months=(
        "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
        "Dezember",
    ),
    date="am {day}. {month}",
    near=("heute", "morgen"),
    on="am {day}",
    every="jeden {day}",
    every_day="jeden Tag",
    workdays="werktags",
    weekend="am Wochenende",
    joint=" und ",
)  # fmt: skip
_FRENCH = _Words(
    units=(("jour", "jours"), ("heure", "heures"), ("minute", "minutes"), ("seconde", "secondes")),
    time="{hour} h {minute}",
    full_hour="{hour} h",
    weekdays=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    months=(
        "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
        "décembre",
    ),
    date="le {day} {month}",
    near=("aujourd'hui", "demain"),
    on="{day}",
    every="chaque {day}",
    every_day="tous les jours",
    workdays="en semaine",
    weekend="le week-end",
    joint=" et ",
)  # fmt: skip
_SPANISH = _Words(
    units=(("día", "días"), ("hora", "horas"), ("minuto", "minutos"), ("segundo", "segundos")),
    time="{hour}:{minute}",
    full_hour="{hour}:00",
    weekdays=("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    months=(
        "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre",
        "diciembre",
    ),
    date="el {day} de {month}",
    near=("hoy", "mañana"),
    on="el {day}",
    every="cada {day}",
    every_day="todos los días",
    workdays="entre semana",
    weekend="los fines de semana",
    joint=" y ",
)  # fmt: skip
_CHINESE = _Words(
    units=(("天", "天"), ("小时", "小时"), ("分钟", "分钟"), ("秒", "秒")),
    time="{hour}点{minute}分",
    full_hour="{hour}点",
    weekdays=("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
    months=tuple(f"{number}月" for number in range(1, 13)),
    date="{month}{day}日",
    near=("今天", "明天"),
    on="{day}",
    every="每{day}",
    every_day="每天",
    workdays="工作日",
    weekend="周末",
    joint="",
    space="",
)
_LANGUAGES: Mapping[str, _Words] = {
    "en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH, "zh": _CHINESE,
}  # fmt: skip


def _words(language: str) -> _Words:
    return _LANGUAGES.get(base_of(language), _ENGLISH)


def said_duration(seconds: float, language: str, *, is_rough: bool = False) -> str:
    """Return a length of time in words: "1 hour and 5 minutes"; where `is_rough`, at most its two largest units."""
    words = _words(language)
    rest, counts = round(seconds), list[int]()
    for size in _UNITS:
        count, rest = divmod(rest, size)
        counts.append(count)
    largest = next((at for at, count in enumerate(counts) if count), len(counts) - 1)
    last = largest + 2 if is_rough else len(counts)
    parts = [
        f"{count}{words.space}{names[count != 1]}"
        for at, (count, names) in enumerate(zip(counts, words.units, strict=True))
        if at == largest or (count and at < last)
    ]
    if not words.space:
        return "".join(parts)
    return words.joint.join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def said_time(at: time, language: str) -> str:
    """Return a time of day: "6:30 AM", "6:30 Uhr"."""
    words = _words(language)
    hour = (at.hour % 12 or 12) if words.has_halves else at.hour
    template = words.time if at.minute else words.full_hour
    return template.format(hour=hour, minute=f"{at.minute:02}", half="AM" if at.hour < 12 else "PM")


def said_day(on: date, today: date, language: str) -> str:
    """Return a day: "tomorrow", "on Friday", "on December 24"."""
    words = _words(language)
    ahead = (on - today).days
    if 0 <= ahead < len(words.near):
        return words.near[ahead]
    if 0 < ahead < _WEEK:
        return words.on.format(day=words.weekdays[on.weekday()])
    return words.date.format(month=words.months[on.month - 1], day=on.day)


def said_days(days: Sequence[int], language: str) -> str:
    """Return days of every week: "on weekdays", "every Monday and Friday"."""
    words = _words(language)
    known = {EVERY_DAY: words.every_day, WORKDAYS: words.workdays, WEEKEND: words.weekend}
    names = [words.weekdays[at] for at in days]
    joint = words.joint or "和"
    return known.get(tuple(days)) or words.every.format(
        day=joint.join(filter(None, (", ".join(names[:-1]), names[-1])))
    )
