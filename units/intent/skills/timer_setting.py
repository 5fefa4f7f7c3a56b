"""Timers, alarms and reminders that are to be set, and what is asked back where a sentence lacks the time."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from units.intent.phrases import LANGUAGES as PHRASES
from units.intent.skills.skill import Asked, Handler, Said, SkillCall
from units.intent.skills.timer_answers import NotDone, Work, about, done, states, words_of
from units.intent.skills.timer_phrase import ALARM, REMINDER, TIMER, TimerPhrase, as_said, is_interval, spelled
from units.intent.skills.timer_words import LANGUAGES
from units.intent.values.day import Day, read_day
from units.intent.values.duration import find_durations
from units.intent.values.moment import Moment, alarm_at, find_moment, read_moment
from units.intent.values.plain import base_of, compiled, counted, plain
from units.intent.values.saying import said_duration, said_time

WAKING = "waking"
"""An alarm that is called nothing: "wake me at seven"."""

_MOST_REPLY_WORDS = 6
"""A reply to "For how long?" has no more words than these; a longer sentence is something new."""

_MOST_REMINDER_WORDS = 30

_LISTED = {
    "en": r"(?:(?:of|about) )?(?:(?:the|all|my|our|what|which|any|every|each)\b.*|tasks|items|things|everything|stuff)"
    r" (?:on|in|from) (?:my|the|our) (?:[\w-]+ )*(?:list|lists|calendar|agenda|schedule)$",
    "de": r"(?:an )?(?:die|alle|meine|was|welche)\b.* (?:auf|in) (?:meiner|der|unserer) \w*liste$",
}
"""Without a time, a question: "remind me of the tasks on my list"."""

_MOST_BARE_WORDS = 3
"""A longer name, in a sentence without a verb for setting, is part of some other sentence."""


@dataclass(frozen=True)
class Reminder:
    """What somebody wants to be reminded of, and when."""

    what: str
    moment: Moment | None
    is_interval: bool = False
    """Whether it is to be said again and again, after minutes or hours."""


def read_reminder(words: str, language: str) -> Reminder | None:
    """Return what follows "remind me": a moment, what is to be done, or both; None for anything else."""
    known = LANGUAGES.get(base_of(language))
    words = spelled(words, language)
    text = plain(words, language)
    if known is None or compiled(known.no_reminder).search(text) or len(text.split()) > _MOST_REMINDER_WORDS:
        return None
    if is_interval(text, language):
        return Reminder("", None, is_interval=True)
    if moment := read_moment(words, language):
        return Reminder("", moment)
    for each in (text, compiled(known.reminding).sub("", text)):  # "daran, in 10 Minuten Mama anzurufen"
        for found, rest in find_moment(each, language):
            if what := compiled(known.reminding).sub("", rest).strip():
                return Reminder(as_said(what, words), found)
    if (pattern := _LISTED.get(base_of(language))) and compiled(pattern).match(text):
        return None
    what = compiled(known.reminding).sub("", text).strip()
    return Reminder(as_said(what, words), None) if what and compiled(known.reminding).search(text) else None


def start(asked: Asked) -> Said | Work | None:
    """Set what a phrase with a verb names."""
    phrase: TimerPhrase = asked.slots["timer"]
    is_other = bool(LANGUAGES[base_of(asked.language)].systems) and is_system(phrase, asked.language)
    if (phrase.is_all and not phrase.is_many) or (phrase.moment is None and is_other):
        return None
    return set_up(asked, phrase, phrase.kind or TIMER)


def start_bare(asked: Asked) -> Said | Work | None:
    """Set what a phrase alone names, if it says when: "12 minute pizza timer"; for the mere word ask when."""
    phrase: TimerPhrase = asked.slots["timer"]
    if phrase.kind and phrase.is_interval:
        return Said("no_interval")
    if phrase.kind and not phrase.is_many and _is_mere(phrase, asked):
        return set_up(asked, phrase, phrase.kind)
    says_when = phrase.seconds or (phrase.moment is not None and phrase.moment.clock is not None)
    base = base_of(asked.language)
    is_wish = PHRASES[base].pattern(PHRASES[base].verbs).match(phrase.name.casefold()) is not None
    is_wish = is_wish or len(phrase.name.split()) > _MOST_BARE_WORDS
    is_new = phrase.kind and says_when and (phrase.place or 2) > 1 and not phrase.is_vague and not is_wish
    return set_up(asked, phrase, phrase.kind) if is_new else None


def _is_mere(phrase: TimerPhrase, asked: Asked) -> bool:
    """Return whether somebody said only "timer", or "timer for 5"."""
    is_one_word = len(asked.words.split()) == 1 and phrase.is_bare
    return phrase.kind != REMINDER and (is_one_word or (phrase.is_vague and not phrase.name and not phrase.room))


def want(asked: Asked) -> Said | Work | None:
    """Set what somebody needs: a timer, while who needs an alarm clock may be shopping."""
    phrase: TimerPhrase = asked.slots["timer"]
    is_clock = _is_clock(asked)
    is_bare = (
        phrase.is_bare and not phrase.is_many and (phrase.kind == TIMER or (phrase.kind == ALARM and not is_clock))
    )
    says_when = phrase.seconds or (phrase.moment is not None and phrase.moment.clock is not None)
    is_clear = says_when and not phrase.is_vague and not is_clock
    return set_up(asked, phrase, phrase.kind) if phrase.kind and (is_bare or is_clear) else start_bare(asked)


def _is_clock(asked: Asked) -> bool:
    """Return whether somebody speaks of an alarm clock, which may be bought."""
    known = LANGUAGES[base_of(asked.language)]
    return compiled(known.no_alarm).search(plain(asked.words, asked.language)) is not None


def is_system(phrase: TimerPhrase, language: str) -> bool:
    """Return whether an alarm is none of a clock: "turn off the fire alarm"."""
    known = LANGUAGES[base_of(language)]
    return (
        phrase.kind == ALARM
        and bool(phrase.name)
        and compiled(known.systems).search(phrase.name.casefold()) is not None
    )


def count(asked: Asked) -> Said | Work:
    """Set a timer for a length of time."""
    phrase = asked.slots.get("meal") or TimerPhrase(kind=TIMER, seconds=(asked.slots["duration"],))
    return set_up(asked, phrase, TIMER)


def wake(asked: Asked) -> Said | Work:
    """Set an alarm for "wake me at seven", and a timer for "wake me in 20 minutes"."""
    moment: Moment | None = asked.slots.get("moment")
    return set_up(asked, TimerPhrase(kind=ALARM, moment=moment), WAKING)


def wake_as_said(asked: Asked) -> Said | Work | None:
    """Set an alarm for "wake me for school at seven", if it says when."""
    phrase: TimerPhrase = asked.slots["timer"]
    is_meant = phrase.moment is not None or phrase.seconds or phrase.is_interval
    return set_up(asked, phrase, WAKING) if is_meant and not phrase.is_vague else None


def alert(asked: Asked) -> Said | Work | None:
    """Set a reminder for "alert me at six to feed the cat", if it says when."""
    phrase: TimerPhrase = asked.slots["timer"]
    says_when = phrase.seconds or phrase.is_interval or (phrase.moment is not None and phrase.moment.clock is not None)
    return set_up(asked, phrase, REMINDER) if says_when and not phrase.is_vague else None


def remind(asked: Asked) -> Said | Work:
    """Set a reminder."""
    reminder: Reminder = asked.slots.get("reminder") or Reminder(asked.slots.get("what", ""), asked.slots["moment"])
    if reminder.is_interval:
        return Said("no_interval")
    return set_up(asked, TimerPhrase(kind=REMINDER, name=reminder.what, moment=reminder.moment), REMINDER)


def remind_at(asked: Asked) -> Said | Work | None:
    """Set a reminder for "tell me at five to feed the cat"; who names only a day may be telling something."""
    moment: Moment = asked.slots["moment"]
    return remind(asked) if moment.seconds is not None or moment.clock is not None else None


def set_up(asked: Asked, phrase: TimerPhrase, style: str) -> Said | Work:
    """Set what a phrase says, or ask for the time that it lacks."""
    if phrase.is_interval:
        return Said("no_interval")
    phrase = _every_week(phrase)
    moment = phrase.moment
    if phrase.is_weekly and moment is not None and (moment.day is None or not moment.day.weekly):
        return Said("which_days", then=_days_reply(phrase, style))
    seconds = phrase.seconds or ((moment.seconds,) if moment is not None and moment.seconds is not None else ())
    if seconds and not phrase.is_vague:
        return _answered(_start(asked, phrase, style, seconds))
    if moment is None or moment.clock is None or phrase.is_vague:
        day = moment.day if moment is not None else None
        key = "how_long" if style == TIMER else "when" if style == REMINDER and day is None else "what_time"
        return Said(key, {"name": phrase.name}, then=_reply(phrase, style, day))
    if phrase.more_moments and style == ALARM:
        return _answered(_set_several(asked, phrase, (moment, *phrase.more_moments)))
    alarm = alarm_at(moment.clock, moment.day, asked.now, is_alarm=style in (ALARM, WAKING))
    if alarm is None or alarm.at is None:
        return Said("reason_passed")
    if style == TIMER:
        return _answered(_start(asked, phrase, style, ((alarm.at - asked.now).total_seconds(),)))
    arguments = {"time": alarm.time, "days": list(alarm.days), "date": alarm.date}
    return _answered(_set_alarm(asked, phrase, style, arguments))


def _every_week(phrase: TimerPhrase) -> TimerPhrase:
    """Return a phrase of which "recurring" makes a weekday one of every week."""
    moment = phrase.moment
    day = moment.day if moment is not None else None
    if not phrase.is_weekly or moment is None or day is None or day.weekday is None:
        return phrase
    return replace(phrase, moment=replace(moment, day=Day(weekly=(day.weekday,), part=day.part)))


def _days_reply(phrase: TimerPhrase, style: str) -> Handler:
    """Return the handler of the reply to the question on which days an alarm is to ring."""

    def answer(asked: Asked) -> Said | Work | None:
        day = read_day(asked.words, asked.language)
        if day is None or phrase.moment is None or not (day.weekly or day.weekday is not None):
            return None
        return set_up(asked, replace(phrase, moment=replace(phrase.moment, day=day)), style)

    return answer


def _reply(phrase: TimerPhrase, style: str, day: Day | None) -> Handler:
    def answer(asked: Asked) -> Said | Work | None:
        moment = _moment_in(asked, style)
        if moment is None:
            return None
        if moment.seconds is None:
            moment = replace(moment, day=moment.day or day)
        return set_up(asked, replace(phrase, seconds=(), moment=moment, is_vague=False), style)

    return answer


def _moment_in(asked: Asked, style: str) -> Moment | None:
    """Return the moment that a reply says; a mere number is minutes for a timer, and an hour for an alarm."""
    if style == TIMER and (digits := re.fullmatch(r"\d+", counted(asked.words, asked.language))):
        return Moment(seconds=60.0 * int(digits[0]))
    if moment := read_moment(asked.words, asked.language):
        return moment
    found = list(find_durations(asked.words, asked.language))
    if len(found) == 1 and len(asked.words.split()) <= _MOST_REPLY_WORDS:
        return Moment(seconds=found[0].seconds)
    return None


def _answered(work: Work) -> Work:
    """Do the calls of some work; a failure is its answer."""
    try:
        return (yield from work)
    except NotDone as failed:
        return failed.said


def _start(asked: Asked, phrase: TimerPhrase, style: str, seconds: tuple[float, ...]) -> Work:
    more = _name_and_room(asked, phrase) | _sort(style)
    made = yield from done(asked, [SkillCall("timer_start", {"seconds": each, **more}) for each in seconds])
    rows = [each["timer"] for each in made]
    if len(rows) > 1:
        lengths = [said_duration(each, asked.language) for each in seconds]
        return Said("started_several", {"count": len(rows), "lengths": lengths})
    key = {TIMER: "started", REMINDER: "will_remind", ALARM: "will_wake"}.get(style, "will_wake")
    return Said(
        key,
        about(rows[0], asked) | {"is_until": style == TIMER and not _says_length(phrase), **_until(asked, seconds[0])},
    )


def _sort(style: str) -> dict[str, Any]:
    """Return the argument for a reminder, which is no timer or alarm to the person."""
    return {"reminder": True} if style == REMINDER else {}


def _says_length(phrase: TimerPhrase) -> bool:
    return bool(phrase.seconds) or (phrase.moment is not None and phrase.moment.seconds is not None)


def _until(asked: Asked, seconds: float) -> dict[str, str]:
    """Return the time of day at which a timer rings."""
    at = datetime.fromtimestamp(asked.now.timestamp() + seconds, asked.now.tzinfo)
    return {"until": said_time(at.time(), asked.language)}


def _set_alarm(asked: Asked, phrase: TimerPhrase, style: str, arguments: Mapping[str, object]) -> Work:
    more = _name_and_room(asked, phrase) | _sort(style)
    (made,) = yield from done(asked, [SkillCall("alarm_set", {**arguments, **more})])
    key = {ALARM: "alarm_set", REMINDER: "will_remind"}.get(style, "will_wake")
    return Said(key, about(made["timer"], asked))


def _set_several(asked: Asked, phrase: TimerPhrase, moments: Iterable[Moment]) -> Work:
    """Set an alarm for each of several times, or none at all where one is over."""
    name_and_room, calls = _name_and_room(asked, phrase), list[SkillCall]()
    for each in moments:
        alarm = alarm_at(each.clock, each.day, asked.now, is_alarm=True) if each.clock is not None else None
        if alarm is None:
            return Said("reason_passed")
        calls.append(
            SkillCall("alarm_set", {"time": alarm.time, "days": list(alarm.days), "date": alarm.date, **name_and_room})
        )
    made = yield from done(asked, calls)
    return states([words_of(asked, "alarm_set", about(each["timer"], asked)) for each in made], asked)


def _name_and_room(asked: Asked, phrase: TimerPhrase) -> dict[str, Any]:
    """Return the arguments for a name and a room; "in the oven" names no room, and is left out beside a name."""
    return dict(_named(asked, phrase))


def _named(asked: Asked, phrase: TimerPhrase) -> Iterator[tuple[str, str]]:
    room = next((each for each in asked.rooms if each.casefold() == phrase.room.casefold()), "")
    if name := phrase.name or (phrase.room if not room else ""):
        yield "name", name
    if room:
        yield "area", room
