"""Lengths of time that are added to a timer, or taken from it: "five more minutes", "my pizza timer five minutes"."""

from units.intent.skills.timer_name import is_name
from units.intent.skills.timer_phrase import TIMER, TimerPhrase, as_said, read_phrase
from units.intent.skills.timer_words import LANGUAGES
from units.intent.values.duration import find_durations, read_duration
from units.intent.values.plain import base_of, compiled, plain

_MEALS = {
    "de": r"(?P<length>.+?) für (?:die|den|das|der|meinen?|mein|meine|unsere?n?) (?P<name>.+)",
    "fr": r"(?P<length>.+?) pour (?:les? |la |l'|mon |ma |mes |nos )(?P<name>.+)",
    "es": r"(?P<length>.+?) para (?:el|la|los|las|mi|mis) (?P<name>.+)",
    "zh": r"(?P<name>[煮泡蒸烤炖焖煎敷煲][^\d要需得花用了是约就才]{0,3}?)(?P<length>[\d一二三四五六七八九十两半].+)",
}
_MOST_MEAL_WORDS = 3


def read_meal(words: str, language: str) -> TimerPhrase | None:
    """Return the timer that "8 minutes for the noodles" means, without the word."""
    base = base_of(language)
    found = compiled(_MEALS[base]).fullmatch(plain(words, language)) if base in _MEALS else None
    seconds = read_duration(found["length"], language) if found else None
    if not found or seconds is None:
        return None
    name = found["name"]
    is_short = len(name.split()) <= _MOST_MEAL_WORDS and is_name(name, language)
    return TimerPhrase(kind=TIMER, name=as_said(name, words), seconds=(seconds,)) if is_short else None


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
