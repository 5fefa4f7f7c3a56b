"""What people call a timer or an alarm: "a pizza timer for 12 minutes", "the second one", "my alarm for half past six".

One reader serves sentences that start a timer and those that are about one: all say the same things around the word
"timer", in any order. What is not understood completely is no such phrase, so that other sentences are left alone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from units.intent.skills.timer_edges import NO_LENGTH, WITHOUT_DAYS
from units.intent.skills.timer_name import is_name, is_own
from units.intent.skills.timer_words import LANGUAGES, TimerWords
from units.intent.values.clock_time import read_clock_time
from units.intent.values.day import Day, read_day
from units.intent.values.duration import find_durations, has_unit
from units.intent.values.moment import Moment, find_moment, read_moment, read_moments
from units.intent.values.ordinal import read_ordinal
from units.intent.values.plain import LAST_ORDINAL, base_of, compiled, counted, plain

_KNOWN_TEXTS = 512
"""Of so many texts it is remembered what they say: a sentence is divided in many ways."""

TIMER, ALARM, REMINDER = "timer", "alarm", "reminder"

_PUNCTUATION = str.maketrans(dict.fromkeys(",.!?;:", " "))

_BEFORE = re.compile(r"^(?:antes|avant|vor|bevor|before|prior|之?前|以前)(?!\w+[a-z])")
"""After a length of time: it does not begin now."""

_MOST_DOING_WORDS = 14
"""What an alarm reminds of may be longer than a name."""

_CLOCK = r"\d:\d\d|\d ?[ap]\.?m\b"
"""A time of day, which is no length of time."""

_APOSTROPHES = {0x2019: "'"}


@dataclass(frozen=True)
class TimerPhrase:
    """What is said of a timer, or of several."""

    kind: str = ""
    """timer, alarm or reminder; "" where a phrase such as "the second one" does not say."""

    name: str = ""
    seconds: tuple[float, ...] = ()
    """Its length; of several timers the length of each."""

    moment: Moment | None = None
    """When it rings."""

    more_moments: tuple[Moment, ...] = ()
    """When further alarms ring."""

    place: int | None = None
    """Which in the row of all: 2 for the second one, -1 for the last one."""

    room: str = ""
    """The words after "in the": a room, or a part of the name."""

    is_all: bool = False
    is_many: bool = False
    """Whether the word is in the plural."""

    is_vague: bool = False
    """Whether a length is said that nobody can measure: "a few minutes"."""

    is_interval: bool = False
    """Whether it is to ring again and again, after minutes or hours; then nothing else is set but `kind`."""

    is_weekly: bool = False
    """Whether it is said that it rings on days of every week, whichever those are."""

    @property
    def is_bare(self) -> bool:
        """Return whether nothing is said but the word itself."""
        said = (self.name, self.seconds, self.moment, self.room, self.is_all)
        return not any(said) and self.place is None


@lru_cache(_KNOWN_TEXTS)
def read_phrase(words: str, language: str) -> TimerPhrase | None:
    """Return what words say of a timer, or None if they are not about one, or say more than is understood."""
    known = LANGUAGES.get(base_of(language))
    if known is None:
        return None
    text = _split_words(plain(spelled(words, language), language), known)
    heads = list(_heads(known).finditer(text))
    if heads and heads[0].lastgroup == ALARM:
        text = _alarm_words(text, language, known)
        heads = list(_heads(known).finditer(text))
    if compiled(known.repeated).search(text):
        return None
    if not heads:
        return _without_head(text, language, known)
    head = heads[0]
    phrase = TimerPhrase(kind=str(head.lastgroup), is_many=bool(compiled(known.plural).fullmatch(head[0])))
    if is_interval(text, language):
        return replace(phrase, is_interval=True)
    limits = compiled(known.limits).search(compiled(WITHOUT_DAYS).sub(" ", counted(text, language)))
    if len(heads) > 1 or (phrase.kind == ALARM and limits):
        return None  # two wishes, each of which is understood alone; or all alarms but some
    if phrase.kind != TIMER and (shorter := compiled(known.weekly).sub(" ", text)) != text:
        text, phrase = " ".join(shorter.split()), replace(phrase, is_weekly=True)
        head = next(_heads(known).finditer(text))
    before, after = text[: head.start()].strip(), text[head.end() :].strip()
    described = _before(before, phrase, language, known)
    if described and described.name and compiled(known.no_first_word).search(described.name):
        return None
    described = _after(after, described, language, known) if described is not None else None
    return described and replace(described, name=as_said(described.name, words))


def spelled(words: str, language: str) -> str:
    """Return words with the usual spelling of those that have several."""
    known, text = LANGUAGES.get(base_of(language)), words.translate(_APOSTROPHES)
    for pattern, instead in known.spellings if known else ():
        text = _of_any_case(pattern).sub(instead, text)
    return text


def is_interval(text: str, language: str) -> bool:
    """Return whether something is to happen again and again, after minutes or hours."""
    known = LANGUAGES[base_of(language)]
    return compiled(known.interval).search(counted(text, language)) is not None


def _alarm_words(text: str, language: str, known: TimerWords) -> str:
    """Return what is said of an alarm without words that change nothing: "to wake me up", "that i have set"."""
    for pattern in (known.purpose, known.clause, known.reason):
        shorter = " ".join(compiled(pattern).sub(" ", text).split())
        text = shorter if _heads(known).search(shorter) else text
    return text


@cache
def _of_any_case(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def as_said(name: str, words: str) -> str:
    """Return a name with the capital letters that it has in a sentence."""
    at = words.casefold().find(name)
    found = words[at : at + len(name)]
    if at >= 0 and found.casefold() == name:
        return found
    said = {each.casefold(): each for each in words.translate(_PUNCTUATION).split()}
    return " ".join(said.get(each, each) for each in name.split())


def read_label(words: str, language: str) -> TimerPhrase | None:
    """Return what a reply says of a timer, with or without the word: "the pizza one", "the second", "ten minutes"."""
    known = LANGUAGES.get(base_of(language))
    if known is None:
        return None
    if (phrase := read_phrase(words, language)) is not None:
        return phrase
    text = compiled(known.ones).sub("", plain(words, language)).strip()
    return _before(text, TimerPhrase(), language, known)


def _split_words(text: str, known: TimerWords) -> str:
    """Return a text with spaces where a name and the word for a timer are written as one."""
    return " ".join(compiled(known.glued).sub(r"\1 \2", text.replace("-", " ")).split()) if known.has_spaces else text


def _without_head(text: str, language: str, known: TimerWords) -> TimerPhrase | None:
    """Return what "the second one" says; a name alone is no timer."""
    place = read_ordinal(_bare(compiled(known.ones).sub("", text), known), language)
    return TimerPhrase(place=place) if place is not None else None


def _before(text: str, phrase: TimerPhrase, language: str, known: TimerWords) -> TimerPhrase | None:
    """Add what stands before the word: "all", "the second", "5 minute", "7 am", "pizza"."""
    shorter = compiled(known.all).sub("", text).strip()
    phrase = replace(phrase, is_all=shorter != text or (phrase.is_many and not _bare(text, known)))
    if not phrase.is_many and compiled(known.soonest).fullmatch(text):
        return replace(phrase, place=1)
    text = _bare(shorter, known)
    if not text:
        return phrase
    if (place := read_ordinal(text, language)) is not None:
        return replace(phrase, place=place)
    if phrase.kind in (ALARM, REMINDER):
        each = shorter.split()
        for at in range(len(each)):  # "the 2 pm alarm", in which "2" is no article
            said = " ".join(each[at:])
            is_count = phrase.is_many and counted(said, language).isdigit()  # "2 alarms"
            if not is_count and not _bare(" ".join(each[:at]), known) and (moment := read_moment(said, language)):
                return replace(phrase, moment=moment)
        if (moment := read_moment(_trimmed(text, known), language)) is not None:
            return replace(phrase, moment=moment)
        if compiled(known.doing).match(text):
            return None
        for found, rest in _moments_first(text, language):
            named = _with_piece(rest, phrase, language, known)
            if named is not None and not named.is_vague:
                return replace(named, moment=found)
    lengths, pieces = _lengths(shorter, language)
    if lengths and phrase.kind == ALARM and compiled(_CLOCK).search(text):
        return None
    if lengths:
        return _with_pieces(lengths, pieces, phrase, language, known)
    return _with_piece(shorter, phrase, language, known)


def _after(text: str, phrase: TimerPhrase, language: str, known: TimerWords) -> TimerPhrase | None:
    """Add what stands after the word: "for 12 minutes", "called pizza", "in the kitchen", "at half past six"."""
    if not text:
        return phrase
    if phrase.kind in (ALARM, REMINDER):
        if clock := read_clock_time(_trimmed(text, known), language):
            return _at(Moment(clock=clock), phrase)  # "6h45", which is a length of time for others
        for each in (_trimmed(text, known), text, compiled(known.naming).sub("", text)):
            if (moment := read_moment(each, language)) is not None:
                return _at(moment, phrase)
        if moments := read_moments(_trimmed(text, known), language):
            first = _at(moments[0], phrase)
            return first and replace(first, more_moments=tuple(moments[1:]))
        unnamed = _bare(compiled(known.naming).sub("", text), known)  # "for my 7 pm walk"
        firsts = (_moments_first(each, language) for each in dict.fromkeys((_trimmed(text, known), unnamed)))
        for found, rest in (*find_moment(text, language), *(each for several in firsts for each in several)):
            if found.seconds is not None and _BEFORE.match(rest):
                return None
            weekly, name = _weekly(rest, language) if found.day is None else (None, rest)
            named = _with_piece(name, phrase, language, known)
            if named is not None and not named.is_vague:
                return _at(replace(found, day=found.day or weekly), named)
        if phrase.kind == ALARM and compiled(_CLOCK).search(text):
            return None
    lengths, pieces = _lengths(_complete(text, language, known), language)
    if not lengths and (moment := _until(text, language, known)) is not None:
        return _at(moment, phrase)
    return _with_pieces(lengths, pieces, phrase, language, known)


def _moments_first(text: str, language: str) -> Iterator[tuple[Moment, str]]:
    """Yield the times of day at the beginning of words, with the other words; the longest first."""
    each = text.split()
    for at in range(len(each) - 1, 0, -1):
        moment = read_moment(" ".join(each[:at]), language)
        if moment is not None and moment.seconds is None:
            yield moment, " ".join(each[at:])


def _weekly(text: str, language: str) -> tuple[Day | None, str]:
    """Return the days of every week that the first or the last word says ("daily"), and the other words."""
    first, _, others = text.partition(" ")
    before, _, last = text.rpartition(" ")
    for word, rest in ((first, others), (last, before)):
        if rest and (day := read_day(word, language)) is not None and day.weekly:
            return day, rest
    return None, text


def _until(text: str, language: str, known: TimerWords) -> Moment | None:
    """Return the time of day until which a timer runs; a mere number is none."""
    until = compiled(known.until).sub("", text)
    moment = read_moment(until if until != text else _trimmed(text, known), language)
    number = compiled(known.naming).sub("", _trimmed(text, known))
    is_number = until == text and counted(number, language).isdigit()
    is_clear = moment is not None and moment.clock is not None and (until != text or moment.clock.is_certain)
    is_clear = is_clear and not is_number
    return moment if is_clear else None


def _at(moment: Moment, phrase: TimerPhrase) -> TimerPhrase | None:
    """Add when it rings; None where something else was said before."""
    if phrase.moment is not None and phrase.moment.clock is not None and moment.clock is not None:
        return None
    if moment.seconds is not None:
        return replace(phrase, seconds=(*phrase.seconds, moment.seconds))
    day = moment.day or (phrase.moment.day if phrase.moment is not None else None)  # "a daily alarm for 7"
    clock = moment.clock or (phrase.moment.clock if phrase.moment is not None else None)  # "a 6 am alarm tomorrow"
    return replace(phrase, moment=replace(moment, clock=clock, day=day))


def _lengths(text: str, language: str) -> tuple[list[float], list[str]]:
    """Return the lengths of time in a text, and what stands around them."""
    found = list(find_durations(text, language))
    if not found:
        return [], [text]
    pieces, rest = [], text
    for each in found:
        pieces.append(each.before.removeprefix(text[: len(text) - len(rest)]))
        rest = each.after
    return [each.seconds for each in found], [*pieces, rest]


def _complete(text: str, language: str, known: TimerWords) -> str:
    """Return "5 minutes another 10 minutes" for a text that has the unit of two lengths only once."""
    for pattern, first, second, unit in ((known.more_first, 1, 3, 2), (known.more_last, 1, 2, 3)):
        found = compiled(pattern).fullmatch(text)
        if found and all(counted(found[at], language).isdigit() for at in (first, second)):
            return f"{found[first]} {found[unit]} {known.other} {found[second]} {found[unit]}"
    return text


def _with_pieces(
    lengths: Sequence[float], pieces: Sequence[str], phrase: TimerPhrase, language: str, known: TimerWords
) -> TimerPhrase | None:
    """Add lengths of time, and the names and rooms around them."""
    if any(_BEFORE.match(piece.strip()) for piece in pieces[1:]):
        return None
    described: TimerPhrase | None = replace(phrase, seconds=(*phrase.seconds, *lengths))
    for at, piece in enumerate(pieces):
        if 0 < at < len(pieces) - 1 and compiled(known.between).fullmatch(piece.strip()):
            continue
        described = described and _with_piece(piece, described, language, known)
    return described


def _with_piece(text: str, phrase: TimerPhrase, language: str, known: TimerWords) -> TimerPhrase | None:
    """Add a name or a room; None for words that are neither."""
    text = _trimmed(text, known)
    if not text:
        return phrase
    doing = compiled(known.doing).sub("", text).strip() if phrase.kind == ALARM else text
    if doing != text:
        is_clear = doing and len(doing.split()) <= _MOST_DOING_WORDS and not compiled(known.not_done).search(doing)
        return replace(phrase, name=doing) if is_clear and not phrase.name else None
    if found := compiled(known.place).fullmatch(text):
        return None if phrase.room else replace(phrase, room=_bare(found[1], known))
    name, _, room = text.partition(known.place_joint) if known.place_joint else (text, "", "")
    name = compiled(known.naming).sub("", name)
    if phrase.kind and compiled(known.ones).fullmatch(name) and not phrase.is_many:
        return replace(phrase, is_vague=True, place=phrase.place or 1)  # "timer one"
    is_number = not phrase.is_many and counted(name, language).isdigit()  # "two" may be an article: "two timers"
    name = name if is_number or name.isdigit() else _bare(name, known)
    if not name:
        return phrase
    if (number := counted(name, language)).isdigit():  # "timer 2" is one of several, "timer for 5" lacks a unit
        is_one = phrase.place is None and 0 < int(number) <= LAST_ORDINAL
        return replace(phrase, is_vague=True, place=int(number) if is_one else phrase.place)
    if has_unit(name, language):
        is_other = compiled(known.no_name).search(name) or compiled(NO_LENGTH).search(text)
        return None if is_other else replace(phrase, is_vague=True)
    if read_day(name, language) is not None:
        return None  # no timer starts on another day
    if phrase.name or not (phrase.kind == REMINDER or (is_name(name, language) and is_own(name, text, language))):
        return None
    return replace(phrase, name=name, room=phrase.room or _bare(room, known))


def _trimmed(text: str, known: TimerWords) -> str:
    """Return a piece without the words at its edges that only join it to a length of time."""
    before = None
    while text != before:
        before, text = text, compiled(known.dangling).sub("", text.strip()).strip()
    return text


def _bare(text: str, known: TimerWords) -> str:
    """Return words without articles before them."""
    before = None
    while text != before:
        before, text = text, compiled(known.article).sub("", text.strip()).strip()
    return text


@cache
def _heads(known: TimerWords) -> re.Pattern[str]:
    kinds = ((TIMER, known.timer), (ALARM, known.alarm), (REMINDER, known.reminder))
    either = "|".join(f"(?P<{kind}>{words})" for kind, words in kinds)
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)" if known.has_spaces else either)
