"""The skill of the calendar, as Home Assistant has it: the appointments of a day, and the next one."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from units.intent.skills.calendar_wish import CalendarWish, read_wish
from units.intent.skills.failures import failure
from units.intent.skills.skill import Asked, Said, Skill, SkillCall, Steps
from units.intent.skills.texts import read_texts
from units.intent.values.near_day import OTHER_DAY, near_day

TEXTS = read_texts(Path(__file__).with_suffix(".toml"))

MOST_READ = 6
"""So many appointments are read out; of more, their number is said, too."""


def _tell_day(asked: Asked) -> Steps:
    day = near_day(asked.slots.get("day", ""), asked.now.date())
    (outcome,) = yield [SkillCall("calendar_get", {"date": day.isoformat()})]
    if outcome.reason == "not_configured":
        return Said("none")
    if not outcome.is_done:
        return failure(asked, outcome)
    events = outcome.data["events"]
    values = {"day": TEXTS[asked.language].answers[f"day_{asked.slots.get('day') or 'today'}"], "count": len(events)}
    return Said("events" if events else "free", {**values, "events": _row(events, asked.language)})


def _tell_wish(asked: Asked) -> Steps:
    """Answer a question that was read as a whole; only single days of the coming week are told."""
    wish: CalendarWish = asked.slots["wish"]
    if wish.do == "next":
        return _tell_next(asked)
    return _tell_other(asked) if wish.day == OTHER_DAY else _tell_day(asked._replace(slots={"day": wish.day}))


def _tell_other(asked: Asked) -> Steps:
    (outcome,) = yield [SkillCall("calendar_get", {"date": ""})]
    return Said("none" if outcome.reason == "not_configured" else "other_day")


def _tell_next(asked: Asked) -> Steps:
    (outcome,) = yield [SkillCall("calendar_get", {"date": ""})]
    if outcome.reason == "not_configured":
        return Said("none")
    if not outcome.is_done:
        return failure(asked, outcome)
    if not (events := outcome.data["events"]):
        return Said("no_next")
    day = date.fromisoformat(events[0]["date"])
    return Said("next", {"event": _event(events[0], asked.language), "day": _called(day, asked)})


def _called(day: date, asked: Asked) -> str:
    """Return the word for a day of the next two weeks."""
    answers, ahead = TEXTS[asked.language].answers, (day - asked.now.date()).days
    if ahead < 0:
        return answers["day_today"]  # it has begun before
    word = ("today", "tomorrow", "after")[ahead] if ahead < 3 else str(day.weekday())
    return answers[f"day_{word}"] + (answers["next_week"] if ahead > 6 else "")


def _row(events: Sequence[Mapping[str, str]], language: str) -> str:
    answers = TEXTS[language].answers
    shown = [_event(each, language) for each in events[:MOST_READ]]
    if len(events) > MOST_READ:
        shown.append(answers["more"].replace("COUNT", str(len(events) - MOST_READ)))
    return answers["and"].join(filter(None, (", ".join(shown[:-1]), shown[-1]))) if shown else ""


def _event(event: Mapping[str, str], language: str) -> str:
    at = TEXTS[language].answers["at"]
    return f"{event['summary']}{at.replace('TIME', event['time'])}" if event["time"] else event["summary"]


SKILL = Skill("calendar", TEXTS, {"day": _tell_day, "next": _tell_next, "wish": _tell_wish}, {"wish": read_wish})
