"""What somebody wants of timers and alarms, in sentences of many forms.

What is said before and after a wish is taken away; what remains must be one of the sentences in `timer_wish.toml`, with
every part of it understood. It serves where no template of `timers.toml` does.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from units.intent.skills.known_words import read_words
from units.intent.skills.timer_length import read_more
from units.intent.skills.timer_phrase import ALARM, REMINDER, TimerPhrase, is_interval, read_label, read_phrase, spelled
from units.intent.skills.timer_said import read_start
from units.intent.skills.timer_setting import Reminder, read_reminder
from units.intent.values.moment import Moment, read_moment
from units.intent.values.plain import base_of, plain

WORDS: Mapping[str, Any] = read_words("timer_wish")
"""By language."""

_MOST_WORDS = 28
_MOST_MOMENT_WORDS = 7
_RULE = re.compile(r"(?<!P)<(\w+)>")


@dataclass(frozen=True)
class TimerWish:
    """A wish of a timer, as it was read from a sentence."""

    do: str
    """The name of a group of sentences: cancel, left, set_to and so on."""

    timer: TimerPhrase
    other: TimerPhrase | None = None
    """A second timer, of which the same is wanted."""

    moment: Moment | None = None
    more: float | None = None
    reminder: Reminder | None = None


@dataclass(frozen=True)
class _Patterns:
    """The patterns of a language."""

    head: re.Pattern[str]
    before: re.Pattern[str]
    after: re.Pattern[str]
    wanting: re.Pattern[str]
    """Beginnings of a wish after the moment that it is for."""

    state: re.Pattern[str]
    """In a question, says of a timer only that it is there."""

    about: re.Pattern[str]
    generic: re.Pattern[str]
    """Questions about all in the world."""

    owned: re.Pattern[str]
    """Words of a question about somebody's own timers."""

    named: Sequence[tuple[str, re.Pattern[str]]]
    """Sentences about a timer of a name, without the word itself."""

    sentences: Sequence[tuple[str, re.Pattern[str]]]


def read_wish(words: str, language: str) -> TimerWish | None:
    """Return what a sentence wants of a timer; None if it is about something else, or not wholly understood."""
    base = base_of(language)
    if base not in WORDS:
        return None
    known = _patterns(base)
    text = plain(spelled(words, language), language).replace("-", " ")
    if len(text.split()) > _MOST_WORDS:
        return None
    return (
        _wish_of_a_form(words, text, language, known)
        or _started(words, language)
        or _by_name(_bare(text, known), language, known)
    )


def _by_name(text: str, language: str, known: _Patterns) -> TimerWish | None:
    """Return what is wanted of the timer of a name: "how long left on the laundry", "stop the laundry"."""
    for do, pattern in known.named:
        if found := pattern.fullmatch(text):
            phrase = read_label(found["name"], language)
            if phrase is not None and phrase == TimerPhrase(name=phrase.name) and phrase.name:
                return TimerWish(do, phrase)
    return None


def _started(words: str, language: str) -> TimerWish | None:
    """Return the wish to set a timer, in a sentence of any order."""
    phrase = read_start(spelled(words, language), language)
    return TimerWish("start", phrase) if phrase is not None else None


def _wish_of_a_form(words: str, text: str, language: str, known: _Patterns) -> TimerWish | None:
    """Return what a sentence of one of the patterns wants."""
    if not known.head.search(text):
        return None
    bare = _bare(text, known)
    is_about = known.about.search(words.casefold()) is not None and not known.owned.search(text)
    if is_about or known.generic.fullmatch(bare):
        return None  # "tell me about timers", which is about all in the world
    ways = dict.fromkeys((text, bare, *_with_moment_last(bare, language, known)))
    return next((wish for each in ways for wish in _wishes(each, language, known)), None)


def _with_moment_last(text: str, language: str, known: _Patterns) -> Iterator[str]:
    """Yield "i need an alarm at five tomorrow" for "tomorrow i need an alarm at five"."""
    each = text.split()
    for at in range(1, min(len(each), _MOST_MOMENT_WORDS)):
        first, rest = " ".join(each[:at]), " ".join(each[at:])
        if read_moment(first, language) is not None and known.wanting.match(rest):
            yield _bare(rest if rest.endswith(f" {first}") else f"{rest} {first}", known)


def _wishes(text: str, language: str, known: _Patterns) -> Iterator[TimerWish]:
    for do, pattern in known.sentences:
        if (found := pattern.fullmatch(text)) and (wish := _wish(do, found.groupdict(), language)):
            yield wish


def _wish(do: str, said: Mapping[str, str | None], language: str) -> TimerWish | None:
    """Return a wish whose parts are all understood."""
    base = base_of(language)
    if what := said.get("what"):
        reminder = read_reminder(what, language)
        return TimerWish(do, TimerPhrase(kind=REMINDER), reminder=reminder) if reminder else None
    is_question = do in WORDS[base]["questions"]
    if is_question:
        said = {"timer": " ".join(_patterns(base).state.sub(" ", said["timer"] or "").split())}
    phrase = _phrase(said, language)
    if phrase is None or (is_question and _says_more(phrase, said["timer"] or "")):
        return None
    moment, more = said.get("moment"), said.get("more") or said.get("more2")
    other = said.get("other")
    wish = TimerWish(
        do,
        phrase,
        read_phrase(other, language) if other else None,
        read_moment(moment, language) if moment else None,
        _length(more, language),
    )
    is_lacking = (moment and wish.moment is None) or (more and wish.more is None) or (other and wish.other is None)
    return None if is_lacking else wish


def _says_more(phrase: TimerPhrase, timer: str) -> bool:
    """Return whether a question says something else than a name after the word: "is the alarm armed"."""
    return re.search(rf"(?:alarms?|clocks?|timers?) {re.escape(phrase.name.casefold())}$", timer) is not None


def _phrase(said: Mapping[str, str | None], language: str) -> TimerPhrase | None:
    """Return which timer is meant; the alarm that rings where none is said."""
    timer, when, old = said.get("timer"), said.get("when"), said.get("from")
    if not timer and not when:
        return TimerPhrase(kind=ALARM)
    phrase = read_phrase(" ".join(filter(None, (timer or WORDS[base_of(language)]["alarm"], when))), language)
    if phrase is None or not phrase.kind or not old:
        return phrase if phrase is not None and phrase.kind else None
    moment, said_before = read_moment(old, language), phrase.moment
    if moment is None or (said_before is not None and (said_before.clock is not None or moment.day is not None)):
        return None
    return replace(phrase, moment=replace(moment, day=said_before.day if said_before is not None else moment.day))


def _length(words: str | None, language: str) -> float | None:
    """Return the seconds of "another hour", "5 more minutes"."""
    return read_more(words, language) if words and not is_interval(words, language) else None


def _bare(text: str, known: _Patterns) -> str:
    """Return a text without the words around a wish."""
    before = None
    while text != before:
        before, text = text, known.after.sub("", known.before.sub("", text)).strip()
    return text


@cache
def _patterns(base: str) -> _Patterns:
    words = WORDS[base]
    return _Patterns(
        head=re.compile(words["head"]),
        before=re.compile(rf"^(?:{words['before']})(?: |$)"),
        after=re.compile(rf"(?: |^)(?:{words['after']})$"),
        wanting=re.compile(words["wanting"]),
        state=re.compile(words["state"]),
        about=re.compile(words["about"]),
        generic=re.compile(words["generic"]),
        named=[
            *(("left_of", re.compile(each)) for each in words["named"]),
            *(("cancel_named", re.compile(each)) for each in words["named_cancel"]),
        ],
        owned=re.compile(words["owned"]),
        sentences=[
            (each["do"], re.compile(_RULE.sub(lambda found: words["words"][found[1]], pattern)))
            for each in words["sentences"]
            for pattern in each["patterns"]
        ],
    )
