"""What is told of timers: how long they run, which there are, and what rings."""

from collections.abc import Generator, Sequence
from dataclasses import replace

from units.intent.skills.skill import Asked, Said, SkillCall
from units.intent.skills.timer_answers import NotDone, Work, done, sentences_of, state_of, states
from units.intent.skills.timer_choice import RINGING, Row, called, chosen
from units.intent.skills.timer_phrase import TIMER, TimerPhrase
from units.intent.skills.timer_setting import is_system
from units.intent.steps import Outcome


def rows_of(asked: Asked) -> Generator[list[SkillCall], list[Outcome], list[Row]]:
    """Return all timers."""
    (found,) = yield from done(asked, [SkillCall("timer_list")])
    return list(found["timers"])


def none(phrase: TimerPhrase, rows: Sequence[Row], language: str) -> Said | None:
    """Return that there is no such timer; None where a sentence may be about something else."""
    is_first = phrase.place == 1 and phrase.kind != "" and not rows
    if is_system(phrase, language) or (not phrase.kind and not rows):
        return None
    return Said(
        "none",
        {"kind": phrase.kind or TIMER, "name": phrase.name, "is_plain": phrase.is_bare or phrase.is_all or is_first},
    )


def tell(asked: Asked) -> Work:
    """Tell how long the timers that are meant still run; of several that may be meant, all."""
    phrase: TimerPhrase = asked.slots.get("timer") or TimerPhrase(kind=TIMER, is_all=True)
    if moment := asked.slots.get("moment"):
        phrase = replace(phrase, moment=moment)
    if asked.intent == "list" and not (
        phrase.is_many or phrase.is_bare or phrase.is_all or phrase.place or phrase.moment
    ):
        return None
    rows = yield from rows_of(asked)
    found = chosen(rows, phrase, asked)
    if not found and "timer" not in asked.slots:
        found = list(rows)
    return state_of(found, asked) if found else none(phrase, rows, asked.language)


def tell_named(asked: Asked) -> Work:
    """Tell how long the timer of a name still runs; a question about anything else has the same form."""
    try:
        rows = yield from rows_of(asked)
    except NotDone:
        return None
    found = called(rows, asked.slots["timer"].name)
    return state_of(found, asked) if found else None


def tell_any(asked: Asked) -> Work:
    """Tell how long all timers still run, if there are some: "how much longer"."""
    try:
        rows = yield from rows_of(asked)
    except NotDone:
        return None
    found = [row for row in rows if row["kind"] == TIMER]
    return state_of(found, asked) if found else None


def tell_ringing(asked: Asked) -> Work:
    """Tell what rings."""
    found = [row for row in (yield from rows_of(asked)) if row["state"] == RINGING]
    return state_of(found, asked) if found else Said("nothing_rings")


def count_them(asked: Asked) -> Work:
    """Tell how many timers there are, and which."""
    phrase: TimerPhrase = asked.slots["timer"]
    if not (phrase.is_many or phrase.is_bare):
        return None
    found = chosen((yield from rows_of(asked)), phrase, asked)
    return states(sentences_of(found, asked), asked, "counted") if found else none(phrase, (), asked.language)
