"""When something is to happen: "in 20 minutes", "at half past six on weekdays", "tomorrow morning at 7"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import cache, lru_cache

from units.intent.values.clock_time import ClockTime, in_part, read_clock_time
from units.intent.values.day import Day, read_day
from units.intent.values.duration import read_duration
from units.intent.values.plain import base_of, compiled, plain

_KNOWN_TEXTS = 512
"""Of so many texts it is remembered what they say: a sentence is divided in many ways."""

_MOST_WORDS = 14
"""Nobody needs more words to say when."""

_MOST_SIGNS = 24
"""The same in a script without spaces."""

EVENING = 18
"""From this hour on, an alarm is one of the evening only if that is said."""

_MORNING = 5
"""A time of another day is no earlier, unless that is said."""

_HALF_DAY = 12
_LAST_HOUR = 24

_AFTER = {
    "en": r"^(?:in|after|within) | from now$| later$| time$",
    "de": r"^(?:in|nach) ",
    "fr": r"^(?:dans|d'ici|après|au bout de) ",
    "es": r"^(?:en|dentro de|despu[ée]s de|pasados?|pasadas?|tras) |(?: desde| a partir de)(?: ahora)?$",
    "zh": r"^过|(?:以?后|之后)$",
}
"""What belongs to a length of time that begins now."""

_STARTERS = {
    "en": "in|at|on|by|for|after|tomorrow|today|tonight|every|each|next|this|around|daily|weekdays"
    "|weekends|noon|midnight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|half"
    "|quarter|\\d{1,2}:\\d\\d(?: ?[ap]\\.?(?:m\\.?)?)?|\\d{1,2} ?[ap]\\.?m\\.?|\\d{1,2}[ap]",
    "de": "in|um|am|an|auf|für|zum|morgen|heute|übermorgen|jeden|jede|jedes|nächsten|gegen|nach|täglich|werktags"
    "|unter|mittags"
    "|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|diesen|dieses|kommenden|abends|morgens"
    "|nachmittags|vormittags|nachts|alle|bis|später",
    "fr": "dans|à|demain|aujourd'hui|ce|cet|cette|tous|toutes|chaque|le|vers|après|lundi|mardi|mercredi|jeudi|vendredi"
    "|samedi|dimanche|en|du",
    "es": "en|a|mañana|hoy|esta|este|todos|todas|cada|el|los|dentro|pasado|entre|al|para|de|después|despues|tras",
}
"""The first words of a moment that stands after other words."""


_VERB_LAST = ("de",)
"""Languages in which a moment stands before the last word: "den Müll um 18 Uhr rausbringen"."""

_INSIDE = re.compile(
    "in|um|am|heute|morgen|übermorgen|jeden|jede|nächsten|kommenden|diesen|gegen|montags?|dienstags?"
    "|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?"
)
"""The first words of a moment before the last word."""

_BOTH = {
    "en": r"^(?:(?:for|at) )?(?:both|either)(?: at)? |\b(?:the )?(?:one|1|1st|first|first one) (?=(?:for|at|on) )",
    "de": "^(?:sowohl) ",
    "fr": "^(?:pour )?à la fois ",
    "es": "^(?:para )?tanto ",
    "zh": "^(?:分别)",
}
"""Before several moments."""

_JOINTS = {
    "en": r" (?:and(?: also| then)?|then|also|plus)(?: again)?(?: the| an?)?(?: an?other| other| next| second| 2nd)?"
    r"(?: one| alarm)?(?: set)? | (?:the other|another|a second|the second|the next)(?: one)? (?=(?:for|at|on) )"
    r"|(?<=\d) (?=\d{1,2}:\d\d)|(?<=[ap]m) (?=(?:(?:one|1) )?(?:for |at )?\d)",
    "de": r" (?:und|und dann|sowie|als auch)(?: noch)?(?: einen?)? |(?<=\d) (?=\d{1,2}:\d\d)",
    "fr": r" (?:et|puis|ainsi que)(?: une? autre)? |(?<=\d) (?=\d{1,2}:\d\d)",
    "es": r" (?:y|y otra|luego|como) (?=a? ?las?|para|\d+:)|(?<=\d) (?=\d{1,2}:\d\d)",
    "zh": "和|、|跟",
}
"""Between several moments."""

_EXCEPT = {
    "en": r" (?:except|but not|excluding|other than|apart from|besides|aside from|but)(?: for)?(?: (?:on|the))* ",
    "de": r" (?:außer|ausser|nur nicht|ohne|bis auf)(?: (?:am|an|den|die))? ",
    "fr": r" (?:sauf|excepté|à l'exception)(?: (?:le|les|du|des))? ",
    "es": r" (?:excepto|menos|salvo)(?: (?:el|los))? ",
    "zh": "除了|除",
}
"""Before days of the week on which nothing happens."""

_LATER = {
    "en": r"(.+?) (?:later|after(?: that)?|afterwards)$",
    "de": r"(.+?) (?:später|danach)$",
    "fr": r"(.+?) (?:plus tard|après)$",
    "es": r"(.+?) (?:más tarde|después)$",
    "zh": "(.+?)(?:以?后|之后)$",
}
"""A length of time from the one of several moments before."""

_MOST_MOMENTS = 6

_CLOCK = re.compile(r"\d{1,2}:\d\d")
"""A time of day, unless "in" stands before it."""


@dataclass(frozen=True)
class Moment:
    """A moment as it was said."""

    seconds: float | None = None
    """From now; then nothing else is set."""

    clock: ClockTime | None = None
    day: Day | None = None


@dataclass(frozen=True)
class Alarm:
    """When an alarm rings, as the daemon takes it."""

    time: str
    days: tuple[int, ...] = ()
    date: str = ""

    at: datetime | None = None
    """The first time that it rings, on the wall clock."""


@lru_cache(_KNOWN_TEXTS)
def read_moment(words: str, language: str) -> Moment | None:
    """Return the moment that words say, or None."""
    base = base_of(language)
    if base not in _AFTER:
        return None
    if (but := compiled(_EXCEPT[base]).search(words.casefold())) is not None:
        return _without(words[: but.start()], words[but.end() :], language)
    joint = "" if base == "zh" else " "
    text = plain(words.replace(":", "\u2236"), language).replace("\u2236", ":")
    each = list(text) if base == "zh" else text.split()
    if not each or len(each) > (_MOST_SIGNS if base == "zh" else _MOST_WORDS):
        return None
    later = compiled(_AFTER[base]).sub("", text)
    is_clock = later == text and _CLOCK.fullmatch(text) is not None
    if not is_clock and (seconds := read_duration(later, language)) is not None:
        return Moment(seconds=seconds)
    if clock := read_clock_time(text, language):
        return Moment(clock=clock)
    if day := read_day(text, language):
        return Moment(day=day)
    for at in range(1, len(each)):
        halves = joint.join(each[:at]), joint.join(each[at:])
        for first, second in (halves, halves[::-1]):
            if (clock := read_clock_time(second, language)) and (day := read_day(first, language)):
                return Moment(clock=clock if base == "en" else in_part(clock, day.part), day=day)
    return None


def _without(words: str, but: str, language: str) -> Moment | None:
    """Return the moment of every week that words say, on other days than those of the words `but`."""
    moment, other = read_moment(words, language), read_moment(but, language)
    if moment is None or other is None or moment.day is None or other.day is None or other.seconds is not None:
        return None
    weekday = other.day.weekday if other.day.weeks is None else None
    free = other.day.weekly or (() if weekday is None else (weekday,))
    days = tuple(each for each in moment.day.weekly if each not in free)
    is_clear = free and 0 < len(days) < len(moment.day.weekly) and not (moment.clock and other.clock)
    return (
        replace(moment, clock=moment.clock or other.clock, day=replace(moment.day, weekly=days)) if is_clear else None
    )


def read_moments(words: str, language: str) -> list[Moment]:
    """Return the times of day of "both 4 and 7 am tomorrow": what the last one says of its day holds for all.

    Nothing where they are not several, or not all of them times of day.
    """
    base = base_of(language)
    text = compiled(_BOTH[base]).sub("", plain(words.replace(":", "\u2236"), language)).replace("\u2236", ":")
    parts = [each for each in compiled(_JOINTS[base]).split(text) if each]
    if not 1 < len(parts) <= _MOST_MOMENTS:
        return []
    moments = list[Moment]()
    for part in parts:
        each = _later(part, moments[-1], language) if moments else None
        each = each or read_moment(part, language)
        if each is None or each.clock is None:
            return []
        moments.append(each)
    return [_like(each, moments) for each in moments]


def _later(words: str, before: Moment, language: str) -> Moment | None:
    """Return the moment that is later than another by a length of time, on the same day."""
    found = compiled(_LATER[base_of(language)]).match(words)
    lengths = (found[1], f"1 {found[1]}") if found else ()  # of "another an hour later", the joint has the article
    seconds = next(filter(None, (read_duration(each, language) for each in lengths)), None)
    if seconds is None or before.clock is None or seconds % 60:
        return None
    hour, minute = divmod(before.clock.hour * 60 + before.clock.minute + int(seconds) // 60, 60)
    return replace(before, clock=replace(before.clock, hour=hour, minute=minute)) if hour < _LAST_HOUR else None


def _like(moment: Moment, several: Sequence[Moment]) -> Moment:
    """Return one of several moments on the day, and in the half of it, that was said of the last or the first one."""
    clock, end = moment.clock, several[-1].clock
    assert clock is not None and end is not None
    if not clock.is_certain and end.is_certain:
        clock = replace(clock, hour=clock.hour % _HALF_DAY + _HALF_DAY * (end.hour >= _HALF_DAY), is_certain=True)
    return Moment(clock=clock, day=moment.day or several[-1].day or several[0].day)


def find_moment(words: str, language: str) -> Iterator[tuple[Moment, str]]:
    """Yield moments at the end or at the beginning of words, with the other words; the longest first."""
    base = base_of(language)
    if base == "zh":
        yield from _in_signs(plain(words, language), language)
        return
    starters = _starters(base)
    each = words.split()
    for at in range(1, len(each)):
        last = " ".join(each[at:])
        if starters.match(last.casefold()) and (moment := read_moment(last, language)):
            yield moment, " ".join(each[:at])
    if starters.match(words.casefold()):
        for at in range(min(len(each) - 1, _MOST_WORDS), 0, -1):
            if moment := read_moment(" ".join(each[:at]), language):
                yield moment, " ".join(each[at:])
    if base in _VERB_LAST:
        yield from _inside(each, language)


def _inside(each: Sequence[str], language: str) -> Iterator[tuple[Moment, str]]:
    """Yield moments in the middle: "den Müll um 18 Uhr rausbringen"."""
    for at, word in enumerate(each[1:-1], 1):
        if not _INSIDE.fullmatch(word.casefold()):
            continue
        for end in range(min(len(each) - 1, at + _MOST_WORDS), at, -1):
            if moment := read_moment(" ".join(each[at:end]), language):
                yield moment, " ".join((*each[:at], *each[end:]))
                break


def _in_signs(text: str, language: str) -> Iterator[tuple[Moment, str]]:
    for at in range(min(len(text) - 1, _MOST_SIGNS), 1, -1):
        if moment := read_moment(text[:at], language):
            yield moment, text[at:]
            return


@cache
def _starters(base: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{_STARTERS.get(base, '(?!)')})(?!\S)")


def alarm_at(clock: ClockTime, day: Day | None, now: datetime, *, is_alarm: bool) -> Alarm | None:
    """Return when an alarm or a reminder rings; None for a day that is over or does not exist.

    Where twelve hours later may be meant as well, it is the next of the two that comes. An alarm in the evening must be
    said to be one, and on other days than today it is no time of the night.
    """
    part = day.part if day else ""
    times = clock.times(part)
    if day is not None and day.weekly:
        at = _usual(times, is_alarm=is_alarm)
        return Alarm(f"{at:%H:%M}", days=day.weekly, at=_first(at, day.weekly, now))
    today = now.date()
    if day is not None and day.offset != 0:
        on = day.on(today)
        if on is None or on < today:
            return None
        at = _usual(times, is_alarm=is_alarm)
        if on == today and _moment(today, at, now) <= now:
            on = today + timedelta(7) if day.weekday is not None else today
        return (
            Alarm(f"{at:%H:%M}", date=on.isoformat(), at=_moment(on, at, now)) if _moment(on, at, now) > now else None
        )
    allowed = times[:1] if len(times) > 1 and is_alarm and times[1].hour >= EVENING else times
    coming = sorted(_next(each, now) for each in allowed)
    if day is not None:
        late = _MORNING if part in ("evening", "night") else 1  # "tonight at 3 am", "today at midnight"
        coming = [each for each in sorted(_next(each, now) for each in times) if _is_of(each, today, late)]
    return (
        Alarm(f"{coming[0]:%H:%M}", at=coming[0], date=coming[0].date().isoformat() if day else "") if coming else None
    )


def _is_of(at: datetime, day: date, late: int) -> bool:
    """Return whether a moment is on a day, or in the night that follows it, before the hour `late`."""
    return at.date() == day or (at.date() == day + timedelta(1) and at.hour < late)


def _usual(times: tuple[time, ...], *, is_alarm: bool) -> time:
    """Return which of two times of another day is meant: not the night, and for an alarm not the evening."""
    early = times[0]
    if len(times) == 1 or early.hour >= _MORNING:
        return early
    return early if is_alarm and early.hour >= 1 else times[1]


def _moment(on: date, at: time, now: datetime) -> datetime:
    return datetime.combine(on, at, now.tzinfo)


def _next(at: time, now: datetime) -> datetime:
    today = _moment(now.date(), at, now)
    return today if today > now else _moment(now.date() + timedelta(1), at, now)


def _first(at: time, days: tuple[int, ...], now: datetime) -> datetime:
    """Return when an alarm of every week rings first."""
    coming = (_moment(now.date() + timedelta(ahead), at, now) for ahead in range(8))
    return next(each for each in coming if each > now and each.weekday() in days)
