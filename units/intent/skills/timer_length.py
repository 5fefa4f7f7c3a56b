"""Lengths of time that are added to a timer, or taken from it: "five more minutes", "my pizza timer five minutes"."""

from units.intent.skills.timer_phrase import TimerPhrase, read_phrase
from units.intent.skills.timer_words import LANGUAGES
from units.intent.values.duration import find_durations, read_duration
from units.intent.values.plain import base_of, compiled, plain


def read_more(words: str, language: str) -> float | None:
    """Return the seconds of "five more minutes", "another five minutes", "five minutes"."""
    known = LANGUAGES.get(base_of(language))
    text = compiled(known.another).sub(known.one, plain(words, language)) if known else ""
    return read_duration(compiled(known.more).sub(" ", text), language) if known else None


def read_extra(words: str, language: str) -> float | None:
    """Return the seconds of "five more minutes"; None where no word says that it is more."""
    known = LANGUAGES.get(base_of(language))
    is_more = known is not None and compiled(known.more).search(words.casefold()) is not None
    return read_more(words, language) if is_more else None


def read_changed(words: str, language: str) -> tuple[TimerPhrase, float] | None:
    """Return the timer and the seconds of "my pizza timer five minutes", where something is to be added or taken."""
    for found in find_durations(words, language):
        phrase = read_phrase(found.before, language) if not found.after else None
        if phrase is not None:
            return phrase, found.seconds
    return None
