"""What somebody asks the clock: read from all parts of a sentence, in nearly any order.

`clock_tokens` divides the sentence into parts; a frame says for one kind of question which parts it has, which it may
have, and what shows that it is a question. What has a part that no frame wants is for somebody else.
"""

import re
from collections.abc import Iterator, Sequence

from units.intent.skills.clock_day_frames import COUNTING_FRAMES, DAY_FRAMES
from units.intent.skills.clock_rewording import reworded
from units.intent.skills.clock_said import Question, Said
from units.intent.skills.clock_time_frames import PRESENT_FRAMES, TIME_FRAMES
from units.intent.skills.clock_tokens import LANGUAGES, Token, divisions
from units.intent.skills.plain_question import core_of
from units.intent.values.calendar_day import read_year

_ABOUT = re.compile(
    r"\b(?:time|times|hours?|clocks?|watch|o'?clock|late|early|date|day|days|weekday|today|today's|tomorrow|yesterday|"
    r"zones?|year|months?|weeks?|when|ahead|behind|calend[ae]r|how (?:long|far|soon|much|near|close)|countdown|sleeps|"
    r"nights|minutes?|is it|are we|convert|will it be|\w+day|day's|utc|gmt)\b|\d ?[ap]\.?m\b"
)
"""A sentence without any of these asks for no time and no day."""

_HERE = re.compile(r"\b(ahead of|behind|with|from) us\b")
"""Elsewhere "us" is the United States."""

_THIS_LEAP_YEAR = re.compile(
    r"(?:is (?:it|this|this year|the current year|now)|are we in|do we have)(?: a| in a)? leap year"
    r"(?: now| this year| today)?"
)
_NEXT_LEAP_YEAR = re.compile(
    r"(?:when|what|which)?(?: year)?(?: is| will)?(?: be)? ?(?:the )?next leap year(?: be| is)?"
)
_YEAR_IN_LEAP = re.compile(r"(?:is|was|will) (?:the year )?(?P<year>[a-z0-9 ]+?)(?: be)? (?:a |an )?leap year")
_FRAMES = (*TIME_FRAMES, *COUNTING_FRAMES, *PRESENT_FRAMES, *DAY_FRAMES)


def read_question(words: str, language: str) -> Question | None:
    """Return what is asked of the clock; None for anything else."""
    if language not in LANGUAGES:
        return None
    text = reworded(" ".join(core_of(words, language).replace(",", " ").replace("'re ", " are ").split()))
    if not _ABOUT.search(text):
        return None
    text = _HERE.sub(r"\1 here", text)
    return _read_leap(text) or _read(divisions(text)) or _read(divisions(text, with_unknown=True))


def _read(ways: Iterator[Sequence[Token]]) -> Question | None:
    for tokens in ways:
        said = Said(tokens)
        if found := next(filter(None, (frame(said) for frame in _FRAMES)), None):
            return found
    return None


def _read_leap(text: str) -> Question | None:
    """Read "is 2028 a leap year", "when is the next leap year"."""
    if text == "is next year a leap year":
        return Question("leap_year", {"years": 1})
    if _THIS_LEAP_YEAR.fullmatch(text):
        return Question("leap_year", {})
    if _NEXT_LEAP_YEAR.fullmatch(text):
        return Question("next_leap_year", {})
    if (found := _YEAR_IN_LEAP.fullmatch(text)) and (year := read_year(found["year"])):
        return Question("leap_year", {"year": year})
    return None
