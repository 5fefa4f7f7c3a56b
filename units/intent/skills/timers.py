"""The skill of timers, alarms and reminders: the daemon keeps them and lets them ring."""

from collections.abc import Callable, Mapping, Sequence

from units.intent.phrases import LANGUAGES as PHRASES
from units.intent.skills.skill import Asked, Handler, Said, Skill, SkillCall
from units.intent.skills.timer_answers import (
    TEXTS,
    NotDone,
    Work,
    done,
    said_of,
    state_of,
    which_one,
)
from units.intent.skills.timer_choice import (
    PAUSED,
    RINGING,
    Row,
    called,
    chosen,
    is_clear,
    is_for_one_day,
    most_likely,
    moved,
)
from units.intent.skills.timer_length import read_changed, read_extra, read_meal, read_more
from units.intent.skills.timer_phrase import ALARM, TIMER, TimerPhrase, read_label, read_phrase
from units.intent.skills.timer_said import other_ways
from units.intent.skills.timer_setting import (
    alert,
    count,
    read_reminder,
    remind,
    remind_at,
    start,
    start_bare,
    wake,
    wake_as_said,
    want,
)
from units.intent.skills.timer_telling import count_them, none, rows_of, tell, tell_any, tell_named, tell_ringing
from units.intent.skills.timer_wish import TimerWish, read_wish
from units.intent.values.duration import read_duration
from units.intent.values.moment import Moment, read_moment
from units.intent.values.plain import base_of, plain

Act = Callable[[Asked, Sequence[Row]], Work]
"""What is done with the timers that are meant."""


def _guarded(work: Callable[[Asked], Work]) -> Handler:
    """Return a handler whose answer is the reason where the daemon could not do something."""

    def handler(asked: Asked) -> Work:
        try:
            return (yield from work(asked))
        except NotDone as failed:
            return failed.said

    return handler


def _ask_how_much(asked: Asked, rows: Sequence[Row]) -> Work:
    """Ask by how much a timer is to be changed."""

    def reply(again: Asked) -> Said | Work | None:
        more = read_more(again.words, again.language)
        if more is None:
            return None
        intent = "shorten" if asked.intent == "shorten_some" else "add"
        return _guarded(lambda now: _change(now, rows))(again._replace(intent=intent, slots={"more": more}))

    yield from ()
    return Said("by_how_much" if rows[0]["kind"] == TIMER else "alarm_has_no_length", then=reply)


def _changing(asked: Asked) -> Said | Work | None:
    """Add to a timer, or take from it."""
    if "changed" in asked.slots:
        timer, more = asked.slots["changed"]
        asked = asked._replace(slots={"timer": timer, "more": more})
    return _with_timers(_change)(asked)


def _with_timers(act: Act, *, states: Sequence[str] = ()) -> Handler:
    """Return a handler that does something with the timers that a sentence means."""

    def work(asked: Asked) -> Work:
        rows = yield from rows_of(asked)
        fitting = [row for row in rows if not states or row["state"] in states]
        phrase: TimerPhrase = asked.slots.get("timer") or TimerPhrase(kind=TIMER)
        if not chosen(fitting, phrase, asked) and (others := chosen(rows, phrase, asked)):
            return state_of(others, asked)  # what is paused cannot be paused
        return (yield from _do(fitting, act, asked))

    return _guarded(work)


def _do(rows: Sequence[Row], act: Act, asked: Asked) -> Work:
    """Do something with those of some timers that a sentence means, and ask where it is not clear."""
    phrase: TimerPhrase = asked.slots.get("timer") or TimerPhrase(kind=TIMER)
    found = most_likely(chosen(rows, phrase, asked), phrase, asked)
    if not found:
        return none(phrase, rows, asked.language)
    if not is_clear(found, phrase):
        return Said("which", which_one(found, asked), then=_choice(found, act, asked))
    return (yield from act(asked, found))


def _choice(found: Sequence[Row], act: Act, first: Asked) -> Handler:
    """Return the handler of the reply to the question which of some timers is meant."""

    def handler(asked: Asked) -> Said | Work | None:
        phrase = read_label(asked.words, asked.language)
        meant = chosen(found, phrase, asked) if phrase is not None and not phrase.is_bare else []
        if phrase is None or not meant or not is_clear(meant, phrase):
            return None
        again = asked._replace(intent=first.intent, slots=first.slots)
        return _guarded(lambda _: act(again, meant))(asked)

    return handler


def _each(action: str, key: str) -> Act:
    """Return what does an action with each timer."""

    def act(asked: Asked, rows: Sequence[Row]) -> Work:
        made = yield from done(asked, [SkillCall(action, {"id": row["id"]}) for row in rows])
        now = [each.get("timer") or row for each, row in zip(made, rows, strict=True)]
        return said_of(key, now, asked)

    return act


def _change(asked: Asked, rows: Sequence[Row]) -> Work:
    """Add to a timer, or take from it."""
    sign = -1 if asked.intent == "shorten" else 1
    return (yield from _add(asked, rows[0], sign * asked.slots["more"]))


def _give_extra(asked: Asked, rows: Sequence[Row]) -> Work:
    return (yield from _add(asked, rows[0], asked.slots["extra"]))


def _add(asked: Asked, row: Row, seconds: float) -> Work:
    if row["state"] == RINGING and seconds > 0:
        (snoozed,) = yield from done(asked, [SkillCall("timer_snooze", {"seconds": seconds})])
        return said_of("snoozed", [snoozed["timer"]], asked)
    if row["kind"] == ALARM:
        return Said("alarm_has_no_length")
    if (row["left"] or 0) + seconds <= 0:
        return said_of("too_short", [row], asked)
    (changed,) = yield from done(asked, [SkillCall("timer_change", {"id": row["id"], "add_seconds": seconds})])
    return said_of("changed", [changed["timer"]], asked)


def _set_to(asked: Asked, rows: Sequence[Row]) -> Work:
    """Give a timer another length, or an alarm another time, or another day."""
    row, moment = rows[0], asked.slots["moment"]
    assert isinstance(moment, Moment)
    if len(rows) > 1:
        return Said("which", which_one(rows, asked), then=_choice(rows, _set_to, asked))
    if moment.seconds is not None and row["kind"] == TIMER:
        change = {"id": row["id"], "add_seconds": moment.seconds - (row["left"] or 0)}
        (changed,) = yield from done(asked, [SkillCall("timer_change", change)])
        return said_of("changed", [changed["timer"]], asked)
    if row["days"] and is_for_one_day(moment) and asked.intent != "repeat":
        return said_of("only_every_week", [row], asked)
    alarm = moved(row, moment, asked.now)
    if alarm is None or row["kind"] != ALARM:
        return Said("reason_passed")
    days = list(alarm.days or ([] if moment.day else row["days"]))
    date = alarm.date if moment.day or days else row["date"]
    (made,) = yield from done(
        asked, [SkillCall("alarm_set", {"time": alarm.time, "days": days, "date": date, "name": row["name"]})]
    )
    if asked.intent != "repeat" or alarm.days:
        yield from done(asked, [SkillCall("timer_cancel", {"id": row["id"]})])
    return said_of("alarm_set", [made["timer"]], asked)


def _ask_what_time(asked: Asked, rows: Sequence[Row]) -> Work:
    """Ask what an alarm, or the length of a timer, is to be changed to."""

    def reply(again: Asked) -> Said | Work | None:
        moment = read_moment(again.words, again.language)
        slots = {**asked.slots, "moment": moment}
        changed = again._replace(intent="set_to", slots=slots)
        return _guarded(lambda now: _set_to(now, rows))(changed) if moment is not None else None

    yield from ()
    return Said("how_long" if rows[0]["kind"] == TIMER else "what_time", then=reply)


def _cancel(asked: Asked, rows: Sequence[Row]) -> Work:
    """Cancel timers; ask first where an alarm of every week is meant for one day only."""
    phrase: TimerPhrase | None = asked.slots.get("timer")
    every_week = [row for row in rows if row["days"]]
    if phrase is None or phrase.moment is None or not every_week or not is_for_one_day(phrase.moment):
        return (yield from _each("timer_cancel", "cancelled")(asked, rows))

    def reply(again: Asked) -> Said | Work | None:
        phrases = PHRASES[base_of(again.language)]
        words = plain(again.words, again.language)
        if phrases.pattern(phrases.no).fullmatch(words):
            return Said("kept")
        agreed = phrases.pattern(phrases.yes).fullmatch(words) is not None
        work = _each("timer_cancel", "cancelled")
        return _guarded(lambda now: work(now, rows))(again._replace(intent="cancel")) if agreed else None

    said = said_of("cancel_every_week", every_week[:1], asked)
    return Said(said.key, said.values, then=reply)


def _cancel_named(asked: Asked) -> Work:
    """Cancel the timer of a name; without one a sentence is about something else."""
    try:
        rows = yield from rows_of(asked)
    except NotDone:
        return None
    found = called(rows, asked.slots["timer"].name)
    return (yield from _each("timer_cancel", "cancelled")(asked, found)) if len(found) == 1 else None


def _with_it(act: Act, *states: str, is_many: bool = False) -> Handler:
    """Return a handler for "pause it", the only timer, or for "cancel them", several; else something else is meant."""

    def work(asked: Asked) -> Work:
        try:
            rows = yield from rows_of(asked)
        except NotDone:
            return None
        found = [row for row in rows if row["kind"] == TIMER and row["state"] in states and not row["command"]]
        is_both = "both" in asked.words.casefold()
        is_meant = len(found) == 2 if is_both else (len(found) > 1) == is_many and bool(found)
        return (yield from act(asked, found)) if is_meant else None

    return _guarded(work)


def _cancel_both(asked: Asked) -> Work:
    """Cancel the timers of two phrases; nothing where one of them is not clear."""
    rows, both = (yield from rows_of(asked)), list[Row]()
    for phrase in (asked.slots["timer"], asked.slots["other"]):
        found = most_likely(chosen(rows, phrase, asked), phrase, asked)
        if not found:
            return none(phrase, rows, asked.language)
        if not is_clear(found, phrase) or any(row["days"] for row in found if phrase.moment is not None):
            return Said("which", which_one(found, asked))
        both += [row for row in found if row not in both]
    return (yield from _each("timer_cancel", "cancelled")(asked, both))


def _tell_waking(asked: Asked) -> Work:
    """Tell the alarms: "when do you wake me?"."""
    phrase = TimerPhrase(kind=ALARM, is_many=True)
    return (yield from tell(asked._replace(slots={"timer": phrase, **asked.slots})))


def _end(asked: Asked) -> Work:
    """End what rings; a timer that is named and does not ring is cancelled, and "stop" alone means something else."""
    phrase: TimerPhrase | None = asked.slots.get("timer")
    if phrase is None:
        return (yield from _end_ringing(asked))
    rows = yield from rows_of(asked)
    found = chosen(rows, phrase, asked)
    there = rows if asked.intent == "stop" else ()  # "stop the alarm" is said of a timer that rings, too
    ringing = [row for row in found or there if row["state"] == RINGING]
    if ringing and (phrase.is_bare or (found and len(ringing) == len(found))):
        (ended,) = yield from done(asked, [SkillCall("timer_stop")])
        return said_of("stopped", ended["stopped"], asked) if ended["stopped"] else None
    return (yield from _do(rows, _cancel, asked))


def _end_ringing(asked: Asked) -> Work:
    """End what rings; a board without timers, and one where nothing rings, have other meanings of "stop"."""
    try:
        (ended,) = yield from done(asked, [SkillCall("timer_stop")])
    except NotDone:
        return None
    return said_of("stopped", ended["stopped"], asked) if ended["stopped"] else None


def _answer_ringing(asked: Asked) -> Work:
    """End what rings for "got it", and the only timer for "cancel it"; otherwise these words are for somebody else."""
    try:
        rows = yield from rows_of(asked)
    except NotDone:
        return None
    if any(row["state"] == RINGING for row in rows):
        return (yield from _end_ringing(asked))
    if asked.intent == "cancel_it" and len(rows) == 1:
        return (yield from _each("timer_cancel", "cancelled")(asked, rows))
    return None


def _snooze(asked: Asked) -> Work:
    phrase: TimerPhrase | None = asked.slots.get("timer")
    said = phrase.seconds if phrase is not None and len(phrase.seconds) == 1 else (None,)
    seconds = asked.slots.get("more") or said[0]  # "snooze the alarm 8 minutes"
    try:
        (snoozed,) = yield from done(asked, [SkillCall("timer_snooze", {"seconds": seconds} if seconds else {})])
    except NotDone as failed:
        return failed.said if failed.said.key != "reason_unknown_timer" else Said("nothing_rings")
    return said_of("snoozed", [snoozed["timer"]], asked)


def _more(asked: Asked) -> Work:
    """Give "five more minutes" to what rings, or to the timer that runs; without one it means something else."""
    rows = yield from rows_of(asked)
    own = [row for row in rows if row["state"] == RINGING] or [row for row in rows if row["kind"] == TIMER]
    if not own:
        return None
    return (yield from _do(own, _give_extra, asked._replace(slots={**asked.slots, "timer": TimerPhrase()})))


def _wished(asked: Asked) -> Said | Work | None:
    """Do what a sentence of another form wants, as if it were said in the usual one."""
    wish: TimerWish = asked.slots["wish"]
    said = {
        "timer": wish.timer,
        "other": wish.other,
        "moment": wish.moment,
        "more": wish.more,
        "reminder": wish.reminder,
    }
    slots = {slot: value for slot, value in said.items() if value is not None}
    return _HANDLERS[wish.do](asked._replace(intent=wish.do, slots=slots))


_HANDLERS: Mapping[str, Handler] = {
    "start": start,
    "start_bare": start_bare,
    "wanted": want,
    "count": count,
    "wake": wake,
    "remind": remind,
    "remind_at": remind_at,
    "left": _guarded(tell),
    "tell": _guarded(tell),
    "list": _guarded(tell),
    "when_waking": _guarded(_tell_waking),
    "how_many": _guarded(count_them),
    "ringing": _guarded(tell_ringing),
    "add": _changing,
    "more": _guarded(_more),
    "shorten": _changing,
    "add_some": _with_timers(_ask_how_much),
    "shorten_some": _with_timers(_ask_how_much),
    "set_to": _with_timers(_set_to),
    "pause": _with_timers(_each("timer_pause", "paused"), states=("running",)),
    "resume": _with_timers(_each("timer_resume", "resumed"), states=(PAUSED,)),
    "cancel": _guarded(_end),
    "longer_it": _with_it(_change, "running", PAUSED),
    "cancel_them": _with_it(_each("timer_cancel", "cancelled"), "running", PAUSED, is_many=True),
    "pause_it": _with_it(_each("timer_pause", "paused"), "running"),
    "resume_it": _with_it(_each("timer_resume", "resumed"), PAUSED),
    "left_it": tell_any,
    "cancel_named": _guarded(_cancel_named),
    "cancel_both": _guarded(_cancel_both),
    "left_of": _guarded(tell_named),
    "stop": _guarded(_end),
    "cancel_it": _guarded(_answer_ringing),
    "heard": _guarded(_answer_ringing),
    "snooze": _snooze,
    "repeat": _with_timers(_set_to),
    "change_time": _with_timers(_ask_what_time),
    "alarm": wake_as_said,
    "alert": alert,
}
"""By intent; those of `timer_wish.toml` are among them."""

SKILL = Skill(
    "timers",
    TEXTS,
    {**_HANDLERS, "wish": _wished},
    {
        "timer": read_phrase,
        "duration": read_duration,
        "moment": read_moment,
        "more": read_more,
        "extra": read_extra,
        "changed": read_changed,
        "meal": read_meal,
        "reminder": read_reminder,
        "wish": read_wish,
    },
    other_ways,
)
