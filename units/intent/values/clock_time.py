"""Times of day: "half past six", "6:30", "quarter to seven in the evening", "noon", "18 Uhr", "las siete y media"."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import time
from functools import cache, lru_cache

from units.intent.values.day import split_part
from units.intent.values.plain import base_of, digits_in, plain

_KNOWN_TEXTS = 512
"""Of so many texts it is remembered what they say: a sentence is divided in many ways."""

HALF_DAY = 12
_LATEST_NIGHT = 6
"""Hours of the night before this one are those after midnight: "two at night"."""


@dataclass(frozen=True)
class ClockTime:
    """A time of day as it was said."""

    hour: int
    minute: int = 0
    is_certain: bool = True
    """False where twelve hours later may be meant as well: "half past six"."""

    def times(self, part: str = "") -> tuple[time, ...]:
        """Return the times of day that may be meant, one where the part of the day is known."""
        if self.is_certain:
            return (time(self.hour, self.minute),)
        early = self.hour % HALF_DAY
        if not part:
            return tuple(time(hour, self.minute) for hour in (early, early + HALF_DAY))
        return (time(_in_part(early, part), self.minute),)


def _in_part(early: int, part: str) -> int:
    """Return the hour of an hour from 0 to 11 in a part of the day."""
    if part == "morning" or (part in ("evening", "night") and early == 0):
        return early
    return early if part == "night" and early < _LATEST_NIGHT else early + HALF_DAY


@dataclass(frozen=True, eq=False)
class _Words:
    """How times of day are said in one language, as patterns of plain text with digits."""

    patterns: Sequence[str]
    """With the groups `hour`, `minute`, `past` and `to` (minutes), `half` (there: half an hour), `quarter` past and
    `minus` a quarter, `before_half` and `after_half` (minutes); `sure` where it is a clock of 24 hours."""

    fixed: Mapping[str, tuple[int, int]]
    parts: Mapping[str, str]
    """Patterns of a part of the day that stand only beside a time: "pm"."""

    around: str
    """What may stand before and after it."""

    half_is_before: bool = False
    """Whether "half" and "quarter" alone lead to the hour: "halb sieben" is half past six."""


_DIGITS = (r"(?P<hour>\d{1,2})[:.](?P<minute>[0-5]\d)(?: ?(?P<sure>uhr|h))?", r"(?P<hour>\d{1,2})(?P<minute>[0-5]\d)")
_HALVES = {
    "morning": r"(?<=\d) ?a\.? ?m\.?|(?<=clock) a\.? ?m\.?",
    "afternoon": r"(?<=\d) ?p\.? ?m\.?|(?<=clock) p\.? ?m\.?",
}
"""Said in all languages after digits."""

_ENGLISH = _Words(
    (
        *_DIGITS,
        r"(?P<hour>\d{1,2}|one)(?: o'? ?clock)?",
        r"(?P<hour>\d{1,2}|one) (?:oh |o )?(?P<minute>[0-5]?\d)",
        r"(?P<half>half)(?: past| after)? (?P<hour>\d{1,2}|one)(?: o'? ?clock)?",
        r"(?:an? )?(?P<quarter>quarter) (?:past|after) (?P<hour>\d{1,2}|one)(?: o'? ?clock)?",
        r"(?:an? )?(?P<minus>quarter) (?:to|till|of|before) (?P<hour>\d{1,2}|one)(?: o'? ?clock)?",
        r"(?P<past>[0-5]?\d)(?: minutes?)? (?:past|after) (?P<hour>\d{1,2}|one)(?: o'? ?clock)?",
        r"(?P<to>[0-5]?\d)(?: minutes?)? (?:to|till|of|before) (?P<hour>\d{1,2}|one)(?: o'? ?clock)?",
        r"(?P<hour>\d{1,2}) hundred(?: hours)?(?P<sure>)",
        r"(?P<hour>\d{1,2})(?P<minute>[0-5]\d) (?:hours|hrs)(?P<sure>)",
    ),
    {"(?:12 )?(?:noon|mid ?day)": (12, 0), "(?:12 )?midnight": (0, 0), "half past (?:noon|midday)": (12, 30)},
    {
        "morning": rf"{_HALVES['morning']}|(?<=\d)a|(?<=one) ?a\.? ?m",
        "afternoon": rf"{_HALVES['afternoon']}|(?<=\d)p|(?<=one) ?p\.? ?m",
    },
    r"^(?:for |at |by |around |to )+| (?:sharp|on the dot)$",
)
_GERMAN = _Words(
    (
        *_DIGITS,
        r"(?P<hour>\d{1,2}|ein)(?P<sure> ?uhr)(?: (?:und )?(?P<minute>[0-5]?\d)(?: minuten)?)?",
        r"(?P<hour>\d{1,2}|eins)",
        r"(?P<half>halb) (?P<hour>\d{1,2}|eins)",
        r"viertel nach (?P<hour>\d{1,2}|eins)(?P<quarter>)",
        r"viertel (?P<hour>\d{1,2}|eins)(?P<quarter_of>)",
        r"(?:viertel vor|dreiviertel|drei viertel|3 viertel) (?P<hour>\d{1,2}|eins)(?P<minus>)",
        r"(?P<past>[0-5]?\d)(?: minuten)? nach (?P<hour>\d{1,2}|eins)",
        r"(?P<to>[0-5]?\d)(?: minuten)? vor (?P<hour>\d{1,2}|eins)",
        r"(?P<before_half>[0-5]?\d)(?: minuten)? vor halb (?P<hour>\d{1,2}|eins)",
        r"(?P<after_half>[0-5]?\d)(?: minuten)? nach halb (?P<hour>\d{1,2}|eins)",
    ),
    {"(?:12 uhr )?mittags?": (12, 0), "mitternachts?|24 uhr": (0, 0)},
    {
        "afternoon": f"(?<!\\w)(?:am )?(?:nach)?mittags?|{_HALVES['afternoon']}",
        "night": "(?:in der )?nacht",
        "morning": f"(?<!\\w)(?:früh|am morgen|(?:am )?vormittags?)|{_HALVES['morning']}",
    },
    r"^(?:um|für|auf|gegen|zum|punkt) | (?:punkt|pünktlich)$|^(?:um|für|auf|gegen|zum|punkt) (?=um|punkt)",
    half_is_before=True,
)
_FRENCH = _Words(
    (
        *_DIGITS,
        r"(?P<hour>\d{1,2}|une)(?P<sure> ?h(?:eures?)?) ?(?P<minute>[0-5]?\d)?",
        r"(?P<hour>\d{1,2}|une) ?h(?:eures?)? (?P<half>et demie?)(?P<sure>)",
        r"(?P<hour>\d{1,2}|une) ?h(?:eures?)? (?P<quarter>et quart)(?P<sure>)",
        r"(?P<hour>\d{1,2}|une) ?h(?:eures?)? (?P<minus>moins (?:le |un )?quart)(?P<sure>)",
        r"(?P<hour>\d{1,2}|une) ?h(?:eures?)? moins (?P<to>[0-5]?\d)(?P<sure>)",
    ),
    {
        "(?:12 heures )?midi": (12, 0), "minuit": (0, 0), "midi et demie?": (12, 30), "minuit et demie?": (0, 30),
        "midi et quart": (12, 15), "midi moins (?:le )?quart": (11, 45),
    },
    _HALVES,
    r"^(?:pour |à |a |vers |sur )+| (?:pile|précises)$",
)  # fmt: skip
_SPANISH = _Words(
    (
        *_DIGITS,
        r"(?:las? )?(?P<hour>\d{1,2})[:.](?P<minute>[0-5]\d)(?: ?(?:horas?|hs?))?",
        r"(?:las? )?(?P<hour>\d{1,2}|una)(?: en punto| horas?)?",
        r"(?:las? )?(?P<hour>\d{1,2}|una) (?:y )?(?P<minute>[0-5]?\d)(?: minutos)?",
        r"(?:las? )?(?P<hour>\d{1,2}|una) (?P<half>y media)",
        r"(?:las? )?(?P<hour>\d{1,2}|una) (?P<quarter>y cuarto)",
        r"(?:las? )?(?P<hour>\d{1,2}|una) (?P<minus>menos cuarto)",
        r"(?:las? )?(?P<hour>\d{1,2}|una) menos (?P<to>[0-5]?\d)",
        r"cuarto para las? (?P<hour>\d{1,2}|una)(?P<minus>)",
    ),
    {"(?:el |las 12 del? )?medio ?d[ií]a": (12, 0), "(?:la |las 12 de la )?medianoche": (0, 0)},
    {
        "afternoon": f"del mediod[ií]a|{_HALVES['afternoon']}",
        "night": "de la madrugada",
        "morning": _HALVES["morning"],
    },
    r"^(?:para |a |al |sobre )+(?=las? |el |mediod|\d)| en punto$",
)
_CHINESE = _Words(
    (
        r"(?P<hour>\d{1,2})[:\uff1a](?P<minute>[0-5]\d)",
        r"(?P<hour>\d{1,2}|一)[点點时](?:[钟整])?",
        r"(?P<hour>\d{1,2}|一)[点點时](?:零|过|0)?(?P<minute>[0-5]?\d)分?",
        r"(?P<hour>\d{1,2}|一)[点點](?P<half>半)",
        r"(?P<hour>\d{1,2}|一)[点點](?P<quarter>[1一]刻)",
        r"(?P<hour>\d{1,2}|一)[点點](?P<three_quarters>3刻)",
        r"差(?P<to>[0-5]?\d)分(?:钟)?(?P<hour>\d{1,2}|一)[点點]",
        r"(?P<hour>\d{1,2}|一)[点點]差(?P<to>[0-5]?\d)分",
    ),
    {"正午|中午": (12, 0), "午夜|半夜": (0, 0)},
    {},
    r"^在|整$",
)
_LANGUAGES = {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH, "zh": _CHINESE}


@lru_cache(_KNOWN_TEXTS)
def read_clock_time(words: str, language: str) -> ClockTime | None:
    """Return the time of day that words say, or None."""
    known = _LANGUAGES.get(base_of(language))
    if known is None:
        return None
    text = digits_in(plain(words, language), language)
    if (found := _fixed(text, known)) is not None:
        return found
    text, part = _without_part(text, language, known)
    found = _fixed(text, known) or _read(text, known)
    if found is None:
        return None
    return in_part(found, part)


def in_part(clock: ClockTime, part: str) -> ClockTime:
    """Return a time of the first half of the day as that of a part of the day: "5 Uhr" of the evening is 17:00."""
    if not part or (clock.is_certain and not 0 < clock.hour <= HALF_DAY):
        return clock
    (only,) = ClockTime(clock.hour, clock.minute, is_certain=False).times(part)
    return ClockTime(only.hour, only.minute)


def _without_part(text: str, language: str, known: _Words) -> tuple[str, str]:
    rest, said = split_part(text, language)
    for each in dict.fromkeys((text, rest)):  # "5 pm", and "5 pm in the afternoon"
        for part, pattern in _compiled(known).parts.items():
            if (shorter := " ".join(pattern.sub("", each).split())) != each:
                return shorter, part
    return rest, said


def _fixed(text: str, known: _Words) -> ClockTime | None:
    patterns = _compiled(known)
    text = patterns.around.sub("", text).strip()
    return next((ClockTime(*when) for pattern, when in patterns.fixed if pattern.fullmatch(text)), None)


def _read(text: str, known: _Words) -> ClockTime | None:
    patterns = _compiled(known)
    text = patterns.around.sub("", patterns.around.sub("", text)).strip()
    for pattern in patterns.patterns:
        if found := pattern.fullmatch(text):
            return _time(found.groupdict(), known)
    return None


def _time(said: Mapping[str, str | None], known: _Words) -> ClockTime | None:
    """Return the time of the groups of a pattern; None if no day has it."""
    digits = said["hour"] or ""
    hour = int(digits) if digits.isdigit() else 1
    minutes = int(said.get("minute") or said.get("past") or 0) - int(said.get("to") or 0)
    for name, value in (("half", 30), ("quarter", 15), ("three_quarters", 45), ("minus", -15)):
        minutes += value if said.get(name) is not None else 0
    if said.get("half") is not None and known.half_is_before:
        minutes -= 60
    if said.get("quarter_of") is not None:
        minutes -= 45
    for name, sign in (("before_half", -1), ("after_half", 1)):
        if said.get(name) is not None:
            minutes += sign * int(said[name] or 0) - 30
    if not 0 <= hour <= 24 or (hour == 24 and minutes):
        return None
    at = (hour * 60 + minutes) % (24 * 60)
    is_certain = said.get("sure") is not None or hour > HALF_DAY or hour == 0 or digits.startswith("0")
    return ClockTime(at // 60, at % 60, is_certain)


@dataclass(frozen=True)
class _Patterns:
    patterns: list[re.Pattern[str]]
    fixed: list[tuple[re.Pattern[str], tuple[int, int]]]
    parts: dict[str, re.Pattern[str]]
    around: re.Pattern[str]


@cache
def _compiled(known: _Words) -> _Patterns:
    return _Patterns(
        [re.compile(each) for each in known.patterns],
        [(re.compile(each), when) for each, when in known.fixed.items()],
        {part: re.compile(rf"(?:{each})$") for part, each in known.parts.items()},
        re.compile(known.around),
    )
