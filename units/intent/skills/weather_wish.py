"""What somebody asks of the weather: read from all words of a question, in any order.

A question is one about the weather only where each of its words is known here, beside the name of a place, so that
"how hot is lava" and "the weather was bad yesterday" are left alone.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from units.intent.skills.known_words import Kinds, Token, kinds_of, longest_first, read_words, tokens_of
from units.intent.skills.plain_question import plainer
from units.intent.values.near_day import said_day
from units.intent.values.plain import base_of

WORDS: Mapping[str, Any] = read_words("weather_words")
"""By language, by kind."""

_CORE = frozenset(("weather", "temperature", "how_warm", "degrees", "rain", "snow", "other", "wear", "look"))

_MOST_WORDS, _MOST_PLACE_WORDS = 24, 4

_MARKS = re.compile(r"[?!,;:\"]+(?!\d)|\.(?!\d|m\b)")


@dataclass(frozen=True)
class WeatherWish:
    """A question about the weather, as it was read from a sentence."""

    do: str
    """weather, temperature, rain or snow."""

    day: str = ""
    """A word for a day as `near_day` knows it, or OTHER_DAY."""

    is_elsewhere: bool = False
    """Whether a place was named."""


def read_wish(words: str, language: str) -> WeatherWish | None:
    """Return what a sentence asks of the weather; None if it is about something else."""
    base = base_of(language)
    if base not in WORDS:
        return None
    text = " ".join(_MARKS.sub(" ", words.casefold().replace("\u2019", "'").replace("-", " ")).split()).strip(" .'")
    if _pattern(base, "of_others").search(text):
        return None
    readings = (_read(each, base) for each in dict.fromkeys((text, *_plainer(text, language))))
    return next(filter(None, readings), None)


def _read(text: str, base: str) -> WeatherWish | None:
    here, is_elsewhere = _without_place(text, base)
    tokens = tokens_of(here, _kinds(base), _MOST_WORDS)
    if not tokens or not _is_question(here, base, tokens, is_elsewhere=is_elsewhere):
        return None
    return WeatherWish(_kind(tokens, here, base), said_day(here), is_elsewhere)


def _without_place(text: str, base: str) -> tuple[str, bool]:
    """Return a text without the name of a place, and whether there was one."""
    patterns = _places(base)
    found = patterns[0].search(text)
    if found is None and _pattern(base, "names_weather").search(text):
        found = next(filter(None, (each.search(text) for each in patterns[1:])), None)
    if found is None:
        return text, False
    before = found.groupdict().get("before") or ""
    kept = before if before in _NOUNS else ""
    return " ".join(f"{text[: found.start()]} {kept} {text[found.end() :]}".split()), True


@cache
def _places(base: str) -> Sequence[re.Pattern[str]]:
    """Return how a place is named: after a word such as "in"; before the weather; or at the end."""
    words = WORDS[base]
    unknown = rf"(?!(?:{_any(base)})(?![\w'-])|(?:{words['no_place']})(?![\w'-]))[^\W\d][\w'.-]*"
    known_before = r"(?:(?:new|the|lake|st|city of|la|west|east|north|south|upper|lower|central|downtown) )?"
    known_after = r"(?: (?:new|san|los|las|city|park|beach|state|east|west|north|south))"
    return (
        re.compile(
            rf"(?<!\w)(?P<before>{words['place_before']}) {known_before}{unknown}"
            rf"(?:{known_after}|[ ]{unknown}){{0,{_MOST_PLACE_WORDS - 1}}}(?![\w'-])"
        ),
        re.compile(rf"(?<!\w)(?:{known_before}{unknown} ){{1,3}}(?=(?:{'|'.join(_NOUNS)})\b)"),
        re.compile(rf"(?<= )(?:new |san |los |las )?{unknown}(?: {unknown}){{0,2}}(?= |$)"),
    )


def _is_question(text: str, base: str, tokens: Sequence[Token], *, is_elsewhere: bool) -> bool:
    has = {each.kind for each in tokens}
    if not has & _CORE or has & {"past", "indoors"} or _pattern(base, "to_you").search(text):
        return False
    words = f" {text} "
    is_there = is_elsewhere or "time" in has or any(f" {each} " in words for each in _OUTSIDE)
    first = next((each for each in tokens if each.words not in _BEFORE), tokens[0])
    is_asked = first.kind == "ask"
    if not is_asked and (
        _pattern(base, "statement").search(words) or first.words in ("it", "it's", "i", "we", "there") or not is_there
    ):
        return text in (
            "weather",
            "weather forecast",
            "the weather",
            "the forecast",
            "forecast",
            "the weather forecast",
        )
    if _pattern(base, "definition").search(words) and not is_there:
        return False
    core = has & _CORE
    if core == {"look"} and not is_asked:
        return False
    if core <= {"how_warm", "look", "degrees"}:
        return is_there or _pattern(base, "later").search(words) is not None or words.startswith(" how ")
    return core != {"wear"} or _pattern(base, "wears").search(words) is not None


_plainer = plainer({})

_NOUNS = ("weather", "forecast", "temperature", "temp", "humidity")
_OUTSIDE = ("outside", "out", "outdoors", "out there", "here", "local", "my area", "the area", "near me", "current")
_BEFORE = frozenset(("please", "hey", "hi", "ok", "okay", "olly", "alexa", "siri", "google", "ai", "and", "so", "now"))


def _kind(tokens: Sequence[Token], text: str, base: str) -> str:
    has = {each.kind for each in tokens}
    is_yes_no = _pattern(base, "yes_no").match(text) is not None or _pattern(base, "likely").search(text) is not None
    if is_yes_no and "snow" in has and "rain" not in has:
        return "snow"
    if is_yes_no and "rain" in has:
        return "rain"
    return (
        "temperature" if has & {"temperature", "how_warm", "degrees"} and not has & {"weather", "other"} else "weather"
    )


@cache
def _kinds(base: str) -> Kinds:
    """Return the pattern of each kind of words, those first that say most."""
    return kinds_of(_known(base))


@cache
def _any(base: str) -> str:
    """Return alternatives for all known words."""
    return "|".join(map(longest_first, _known(base).values()))


def _known(base: str) -> Mapping[str, str]:
    return {kind: words for kind, words in WORDS[base].items() if kind not in ("place_before", "no_place", "whole")}


@cache
def _pattern(base: str, key: str) -> re.Pattern[str]:
    """Return the pattern of whole sentences of a kind."""
    return re.compile(WORDS[base]["whole"][key])
