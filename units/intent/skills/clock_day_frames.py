"""Questions for days: their dates, how far they are, and what the calendar shows today."""

import re
from collections.abc import Callable, Sequence
from datetime import date

from units.intent.skills.clock_said import MANY, Question, Said, is_asked, place_in
from units.intent.skills.clock_tokens import AT, DAY, MONTH, PLACE, YEAR
from units.intent.values.calendar_day import AnyDay, CountedDay, in_year, is_yearly, read_counted_day
from units.intent.values.day import Day
from units.intent.values.past_day import PastDay

_NEAR_DAY = re.compile(r".*\b(?:tomorrow|yesterday|from (?:now|today)|ago|in .+ (?:days?|weeks?|months?|years?))\b.*")


def _date_and_time(said: Said) -> Question | None:
    """Read "the date and time", "what day and what time is it"."""
    if not (said.has("date") and said.has("time") and said.has("and")):
        return None
    if not said.only("date", "time", "and", "month", "year", PLACE) or said.is_statement:
        return None
    place = place_in(said)
    return None if place is None else Question("date_time", place)


def _date(said: Said) -> Question | None:
    """Read "what day is it (in Tokyo)", "today's date", "what is today"."""
    extra = ("date", "month", "year", "and", "clock") if said.has("date") else ()
    if said.set <= {"ask", "be", "the", "today", "now", "calendar", "on", "tell", "it"} and said.has("today"):
        return Question("date", {}) if said.set <= {"ask", "be", "today"} and said.words("today") == "today" else None
    if not said.has("date") or not said.only(*extra, PLACE, "me") or said.has("clock"):
        return None
    if said.words("ask").startswith("how"):  # "how is your day"
        return None
    place = place_in(said)
    if place is None or (said.has("me") and not said.has("have")) or said.has("will"):
        return None
    is_day = not re.search(r"\b(?:date|week|weekday|month)\b", said.words("date"))
    if (
        is_day
        and not said.has("ask", "tell")
        and not said.has("today", "current")
        and not place
        and "today's" not in said.words("the")
    ):
        return None
    if said.is_statement or not said.has_plainly:
        return None
    if not place and not is_asked(said, "date"):
        return None
    return Question("date_there" if place else "date", place)


_NEAR_MONTH = re.compile(
    r"(?:what|which)(?: is| was| will be)?(?: the)?(?: name of)?(?: the)? (?:month (?:is|was|will be|comes) (?:the )?)?"
    r"(?:(?P<last>last|previous)|next|following|coming)(?: month)?(?: be| called)?"
)
_YEARS = {"last_year": -1, "this_year": 0, "next_year": 1}


def _day(said: Said) -> Question | None:
    """Read "what day is the 3rd of March", "the date in ten days", "when is Easter", "what will tomorrow be"."""
    extra = ("date", "when", "was", "month", "and", "year", "calendar", "a", "next", "from")
    if said.count(DAY) != 1 or said.count(YEAR, MONTH, *_YEARS) > 1 or not said.only(DAY, YEAR, MONTH, *_YEARS, *extra):
        return None
    if said.has("month") and said.has("it") and said.follows("it", "month"):
        return None
    day = _day_of_year(said)
    if day is None or not _asks_for_day(said):
        return None
    if said.has("was"):
        return Question("past_day", {"day": day})
    return Question("year_of_day" if said.has("year") and not said.has("date", "month") else "day", {"day": day})


def _day_of_year(said: Said) -> AnyDay | None:
    """Return the day that is named, in the year that is said; None where it has none."""
    day: AnyDay = said.values(DAY)[0]
    if said.has(MONTH):
        return read_counted_day(f"{said.words(DAY)} of {said.words(MONTH)}")
    near = next((each for each in _YEARS if said.has(each)), "")
    if not near and not said.has(YEAR):
        return day
    if not is_yearly(day):
        return None
    return in_year(day, _YEARS[near], is_relative=True) if near else in_year(day, said.values(YEAR)[0])


def _asks_for_day(said: Said) -> bool:
    if said.has("calendar"):
        return (
            said.kinds[:1] == ["ask"]
            and "on" not in said.kinds[: said.at(DAY)]
            and said.follows("on", "calendar")
            and not said.has("have", "tell")
        )
    if said.has("a") and not (said.has("date") and said.has("ask")):
        return False
    if said.has("when"):
        is_question = any(said.follows("when", each) for each in ("be", "will", "was", "have", DAY))
        return is_question and said.kinds[0] in ("when", "tell", "on") and said.has("be", "will", "was", "have")
    if said.has("date", "month", "year"):
        return not said.is_statement and (
            said.has("ask", "tell", "the", "current") or not said.has("be", "have", "will")
        )
    return said.has("ask") and _is_ask_is(said)


def _is_ask_is(said: Said) -> bool:
    """Return whether a near day is asked for without a noun: "what is tomorrow", "what will it be in six days"."""
    is_plain = (
        said.words("be") in ("", "is", "be")
        and said.words("was") in ("", "was")
        and said.words("it") in ("", "it")
        and not said.has("have", "tell")
        and not (said.has("it") and said.words(DAY) in ("tomorrow", "yesterday"))  # that asks for the weather
    )
    if not is_plain or (not said.has("be", "will", "was") and not said.words("ask").endswith("is")):
        return False
    day = said.values(DAY)[0]
    is_near = (isinstance(day, Day) and day.offset is not None) or (isinstance(day, PastDay) and day.days > 0)
    return bool(_NEAR_DAY.fullmatch(said.words(DAY))) or (is_near and said.has("it", "will"))


def _whether_day(said: Said) -> Question | None:
    """Read "is it Monday", "is tomorrow a holiday's date", "today is Friday, right"."""
    days = said.values(DAY)
    if not days or not said.only(DAY, "a", "or_not", "and", "date"):
        return None
    if len(days) > 2:
        return Question("date", {}) if said.kinds[0] == "be" and said.has("it", "today") else None
    is_turned = said.kinds[0] == "today" and said.has("or_not") and said.has("be")
    if said.kinds[0] not in ("be", "will") and not is_turned:
        return None
    if len(days) == 2 and said.has("and"):
        return Question("date", {}) if said.has("it", "today") else None
    if len(days) == 2 and not said.has("it"):
        return Question("whether_day", {"first": days[0], "last": days[1]})
    is_today = len(days) == 1 and said.has("it", "today") and not said.has("date", "have")
    return Question("whether_today", {"day": days[0]}) if is_today else None


def _part_of_calendar(said: Said) -> Question | None:
    """Read "what year is it", "the current month", "which week are we in"."""
    if said.has(MONTH) and said.kinds[0] == "be" and said.has("it") and said.only(MONTH, "or_not"):
        return Question("month", {})
    if near := _NEAR_MONTH.fullmatch(" ".join(each.words for each in said.tokens)):
        return Question("month_near", {"months": -1 if near["last"] else 1})
    topics = [each for each in ("year", "month", "week", "day_of_year") if said.has(each)]
    if said.has("this_year") and said.only("this_year") and said.has("ask") and said.has("be"):
        return Question("year", {})
    if len(topics) != 1 or said.count(*topics) != 1 or not said.only(*topics) or not said.has_plainly:
        return None
    return Question(topics[0], {}) if is_asked(said, topics[0]) and not said.has("will") else None


def _count(said: Said) -> Question | None:
    """Read "how many days until Easter", "how long since May 1st", "how many days are left this year"."""
    many = next((each for each in MANY if said.has(each)), "date" if said.words("date") == "days" else "")
    extra = (
        "there",
        "until",
        "left",
        "since",
        "passed",
        "between",
        "and",
        "to",
        "from",
        "after",
        "was",
        "me",
        "when",
        "earlier",
        "later",
    )
    said = said.with_hours() if many in ("many_hours", "how_long") and said.has("until") and not said.has(AT) else said
    if not many or not said.only(many, DAY, AT, MONTH, PLACE, "this_year", "this_month", "end", "begin", "a", *extra):
        return None
    days = said.values(DAY)
    if said.has(AT):
        return _until_time(said, many)
    if said.has(PLACE):
        return None
    if len(days) == 2:
        is_between = said.has("between", "from") or said.has("and", "to", "until")
        return Question("days_between", {"first": days[0], "last": days[1]}) if is_between else None
    if len(days) == 1 and not said.has(MONTH):
        return _distance(said, many, days[0])
    return None if days else _count_in(said, many)


def _until_time(said: Said, many: str) -> Question | None:
    if said.count(AT) != 1 or said.has(DAY, MONTH, "since", "after", "was") or many not in ("many_hours", "how_long"):
        return None
    place = place_in(said)
    is_until = said.has("until", "to", "left") or (said.has("will") and said.has("it"))
    return Question("time_until", {"at": said.values(AT)[0], **place}) if is_until and place is not None else None


def _distance(said: Said, many: str, day: AnyDay) -> Question | None:
    if said.has("this_year", "this_month", "end", "begin", "after"):
        return None
    if said.has("since", "earlier"):
        return Question("days_since", {"day": day})
    if said.has("passed") or (said.count("until") > 1 and said.tokens[-1].words == "off"):
        return None
    words = said.words(many)
    is_until = said.has("until", "left", "to", "later") or words.startswith(
        ("how far", "how soon", "how near", "how close", "days left")
    )
    is_until = (
        is_until
        or (said.has("from") and said.has("today", "now"))
        or (said.follows("in", DAY) and "for" in said.words("in"))
    )
    is_until = is_until or (said.kinds[0] == "in" and said.has("be", "will")) or (said.has("will") and said.has("it"))
    if not is_until:
        return None
    unit = {"many_weeks": "weeks_until", "many_months": "months_until", "many_hours": "hours_until"}.get(
        many, "days_until"
    )
    return Question(unit, {"day": day})


def _count_in(said: Said, many: str) -> Question | None:
    """Read the questions for the days in a month, and for those that are left or over."""
    if many == "many_hours":
        return None
    if said.count(MONTH) == 1:
        month = said.values(MONTH)[0]
        if said.has("left") and month.month is None:
            return Question("rest_of_month", {})
        if said.has("until", "to"):
            is_named = month.month is not None and not said.has("end")
            return Question(_unit_until(many), {"day": _first_of(month.year, month.month)}) if is_named else None
        is_length = many in ("many_days", "how_long") and not said.has("left", "passed", "since", "end", "begin")
        return Question("days_of_month", {"month": month}) if is_length and said.has("in", "have", "be") else None
    if many == "many_months" or said.has("me") or "off" in said.words("until"):
        return None
    if said.has("this_year") or said.has("year"):
        if said.has("passed", "since"):
            return Question("day_of_year", {})
        return Question("rest_of_year", {}) if said.has("left", "until", "to") else None
    return None


def _unit_until(many: str) -> str:
    return {"many_weeks": "weeks_until", "many_months": "months_until", "many_hours": "hours_until"}.get(
        many, "days_until"
    )


def _first_of(year: int | None, month: int) -> CountedDay:
    def find(today: date) -> date:
        return date(year or today.year + (month <= today.month), month, 1)

    return CountedDay(find)


COUNTING_FRAMES: Sequence[Callable[[Said], Question | None]] = (_count, _date_and_time)
DAY_FRAMES: Sequence[Callable[[Said], Question | None]] = (_whether_day, _day, _date, _part_of_calendar)
