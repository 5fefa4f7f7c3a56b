"""The skill of the clock: time, date, days until and since a day, and the time elsewhere."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from units.intent.skills.clock_days import DAY_HANDLERS, formatted, full_date
from units.intent.skills.clock_present import read_present_question
from units.intent.skills.clock_question import read_question
from units.intent.skills.clock_tokens import LANGUAGES
from units.intent.skills.clock_values import (
    read_length,
    read_month,
    read_one_day,
    read_somewhere,
    read_time,
    read_whose_day,
    read_year,
)
from units.intent.skills.plain_question import plainer
from units.intent.skills.skill import Asked, Said, Skill
from units.intent.skills.texts import read_texts
from units.intent.values.calendar_day import moved
from units.intent.values.locales import locale_of
from units.intent.values.place import Place, read_place
from units.intent.values.saying import said_duration, said_time


def _tell_time(asked: Asked) -> Said:
    return Said("time", {"time": said_time(asked.now.time(), asked.language)})


def _tell_date(asked: Asked) -> Said:
    return Said("date", {"date": full_date(asked.now.date(), asked.language)})


def _tell_date_and_time(asked: Asked) -> Said:
    place = asked.slots.get("place", Place("", ""))
    there = _there(asked, place)
    values = {"date": full_date(there.date(), asked.language), "time": said_time(there.time(), asked.language)}
    return Said("date_time", {**values, "place": place.name})


def _tell_time_moved(direction: int) -> Callable[[Asked], Said]:
    """Return a handler that says the time after a while, or what it was before one."""

    def tell(asked: Asked) -> Said:
        place = asked.slots.get("place", Place("", ""))
        later = asked.now.astimezone(UTC) + direction * timedelta(seconds=asked.slots["length"])
        then = later.astimezone(_there(asked, place).tzinfo)
        day = formatted(then.date(), "EEEE", asked.language) if then.date() != asked.now.date() else ""
        key = "time_later" if direction > 0 else "time_before"
        return Said(key, {"time": said_time(then.time(), asked.language), "day": day, "place": place.name})

    return tell


def _tell_year(asked: Asked) -> Said:
    return Said("year", {"year": str(asked.now.year)})


def _tell_month(asked: Asked) -> Said:
    return Said("month", {"month": formatted(asked.now.date(), "LLLL", asked.language)})


def _tell_near_month(asked: Asked) -> Said:
    """Tell the month before or after this one."""
    month = moved(asked.now.date().replace(day=1), asked.slots["months"], "month")
    return Said("month_near", {"month": formatted(month, "LLLL", asked.language)})


def _tell_week(asked: Asked) -> Said:
    """Tell the week by ISO 8601, as calendars in Europe count."""
    return Said("week", {"week": str(asked.now.isocalendar().week)})


def _tell_zone(asked: Asked) -> Said:
    place = asked.slots.get("place", Place("", ""))
    name = _name_of_zone(_there(asked, place), asked.language)
    return Said("zone", {"zone": name, "is_one_of_several": place.is_one_of_several})


def _name_of_zone(there: datetime, language: str) -> str:
    """Return the name of the zone of a time, which babel does not find for zones that have been renamed."""
    from babel.core import get_global
    from babel.dates import get_timezone_name

    locale, key = locale_of(language), getattr(there.tzinfo, "key", "")
    is_summer = (there.dst() or timedelta()) > timedelta()  # in Ireland it is the winter that differs
    variant: Literal["daylight", "standard"] = "daylight" if is_summer else "standard"
    known = get_global("meta_zones")
    before = (other for other, zone in get_global("zone_aliases").items() if zone == key and other in known)
    if key not in known and (other := next(before, "")):
        names = locale.meta_zones.get(known[other], {}).get("long", {})
        if name := names.get(variant):
            return str(name)
    return get_timezone_name(there, zone_variant=variant, locale=locale)


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
            "day": formatted(there.date(), "EEEE", asked.language) if is_other_day else "",
            "is_one_of_several": place.is_one_of_several,
        },
    )


def _tell_date_there(asked: Asked) -> Said:
    place = asked.slots["place"]
    there = _there(asked, place)
    if not place.zone:
        return _tell_date(asked)
    return Said("date_there", {"date": full_date(there.date(), asked.language), "place": place.name})


def _tell_unknown_place(asked: Asked) -> Said:
    """Say the name as it was said."""
    name = asked.slots["somewhere"]
    found = re.search(re.escape(name), asked.words, re.IGNORECASE)
    return Said("unknown_place", {"place": found[0] if found else name})


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
    at, place, other = (
        asked.slots["at"],
        asked.slots.get("place", Place("", "")),
        asked.slots.get("other", Place("", "")),
    )
    times = at.times("afternoon" if not at.is_certain else "")
    if not (place.zone or other.zone):
        return None
    moment = datetime.combine(_there(asked, other).date(), times[0], _there(asked, other).tzinfo)
    there = moment.astimezone(ZoneInfo(place.zone) if place.zone else asked.now.tzinfo)
    day = formatted(there.date(), "EEEE", asked.language) if there.date() != moment.date() else ""
    values = {"time": said_time(there.time(), asked.language), "place": place.name, "day": day}
    return Said("time_there" if place.zone else "time_here", {**values, "is_one_of_several": False})


def _tell_time_until(asked: Asked) -> Said:
    """Say how long it is until the next time that a clock shows, here or elsewhere."""
    now = _there(asked, asked.slots.get("place", Place("", "")))
    moments = [
        datetime.combine(now.date() + timedelta(day), at, now.tzinfo)
        for day in (0, 1)
        for at in asked.slots["at"].times()
    ]
    # Between times of the same zone Python's difference is that of the wall clock.
    lengths = [moment.astimezone(UTC) - now.astimezone(UTC) for moment in moments]
    minutes = min(each for each in lengths if each > timedelta()).total_seconds() // 60
    return Said("time_until", {"length": said_duration(max(minutes, 1) * 60, asked.language)})


def _tell_asked(asked: Asked) -> Said | None:
    """Answer a question that was read from all of its words."""
    question = asked.slots["question"]
    return _HANDLERS[question.intent](asked._replace(intent=question.intent, slots=question.slots))


def _tell_present(asked: Asked) -> Said | None:
    """Tell the time or the date of now, here or at a place."""
    tell = _HANDLERS.get(asked.slots["asked"] + ("_there" if "place" in asked.slots else ""))
    return tell(asked) if tell else None


_HANDLERS: Mapping[str, Callable[[Asked], Said | None]] = {
    **DAY_HANDLERS,
    **dict.fromkeys(("asked", "asked_there"), _tell_present),
    "question": _tell_asked,
    "time": _tell_time,
    "whether_time": _tell_time,
    "date_time": _tell_date_and_time,
    "time_later": _tell_time_moved(1),
    "time_before": _tell_time_moved(-1),
    "date": _tell_date,
    "year": _tell_year,
    "month": _tell_month,
    "month_near": _tell_near_month,
    "week": _tell_week,
    "zone": _tell_zone,
    "time_there": _tell_time_there,
    "date_there": _tell_date_there,
    "unknown_place": _tell_unknown_place,
    "difference": _tell_difference,
    "time_when": _tell_time_when,
    "time_until": _tell_time_until,
}

_READERS = {
    "asked": read_present_question,
    **dict.fromkeys(("place", "other"), read_place),
    **dict.fromkeys(("day", "first", "last"), read_one_day),
    "question": read_question,
    "somewhere": read_somewhere,
    "at": read_time,
    "length": read_length,
    "whose": read_whose_day,
    "month": read_month,
    "year": read_year,
}

_plainer = plainer({"de": ((r"(.+) dieses jahr", r"\1"),)})
"""What is said of a day makes no difference where the next one is meant."""


def _other_ways(text: str, language: str) -> Sequence[str]:
    """Return plainer ways to say a question; where all of its words are read it needs none."""
    return () if language in LANGUAGES else _plainer(text, language)


SKILL = Skill(
    "clock",
    read_texts(Path(__file__).with_suffix(".toml")),
    _HANDLERS,
    _READERS,
    _other_ways,
    late=frozenset(("place", "other")),
)
