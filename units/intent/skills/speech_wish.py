"""What somebody wants of the board's voice: to hear the last answer again, or another speed.

A sentence is one for the voice only where each of its words is known here.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from units.intent.skills.known_words import Kinds, Token, kinds_of, longest_first, read_words, tokens_of
from units.intent.values.plain import base_of, counted

WORDS: Mapping[str, Any] = read_words("speech_words")
"""By language, by kind."""

_PACE = r"(?=(?: \w+){0,4} (?:speed|rate|pace|tempo)\b)"
_FACTORS: Sequence[tuple[re.Pattern[str], str, float]] = tuple(
    (re.compile(pattern), instead, factor)
    for pattern, instead, factor in (
        (
            r"\b(?:twice|two times|2 times|2x|double) (?:as |the )?(?:fast|faster|quick|quickly)\b"
            r"(?: as (?:now|before))?",
            "faster",
            2.0,
        ),
        (r"\b(?:three times|3 times|triple|3x) (?:as )?(?:fast|faster|quick|quickly)\b", "faster", 3.0),
        (r"\b(?:half as (?:fast|quick|quickly)|(?:twice|two times|2 times) as (?:slow|slowly))\b", "slower", 0.5),
        (rf"\b(?:double|twice|2x|two times){_PACE}", "increase", 2.0),
        (rf"\b(?:triple|3x|three times){_PACE}", "increase", 3.0),
        (rf"\b(?:halve|half)\b(?: of)?{_PACE}", "reduce", 0.5),
    )
)
"""In English, what is said of a speed that is some times the present one, and of one that is merely higher or lower."""

_BY_PERCENT = re.compile(r"\b(?:by )?(\d{1,3}) ?(?:%|percent|per cent) (faster|quicker|slower)\b")

_MOST_WORDS = 22
_MARKS = re.compile(r"[?!.,;:\"]+")
_TURNING = {"slower": "faster", "faster": "slower"}
_ABOUT_SPEED = frozenset(("faster", "slower", "fast", "slow"))


@dataclass(frozen=True)
class SpeechWish:
    """A wish of the voice, as it was read from a sentence."""

    do: str
    """again, slower, faster or normally."""

    much: str = ""
    """little or much, where that is said."""

    factor: float = 0.0
    """How many times the present speed, where that is said."""


def read_wish(words: str, language: str) -> SpeechWish | None:
    """Return what a sentence wants of the voice; None if it is about something else, or not clear."""
    base = base_of(language)
    if base not in WORDS:
        return None
    text = " ".join(_MARKS.sub(" ", words.casefold().replace("\u2019", "'")).split())
    if _pattern(base, "of_others").search(text):
        return None
    if re.fullmatch(WORDS[base]["whole"]["again_alone"], text):
        return SpeechWish("again")
    text, factor = _without_factor(text) if base == "en" else (text, 0.0)
    tokens = tokens_of(text, _kinds(base), _MOST_WORDS)
    has = {each.kind for each in tokens}
    if has & {"again", "unheard"} and not has & _ABOUT_SPEED:
        return _again(tokens)
    do = _speed(tokens, text, base)
    much = next((each.kind for each in tokens if each.kind in ("little", "much")), "")
    if factor and do != ("faster" if factor > 1 else "slower"):
        return None
    return SpeechWish(do, much, factor) if do else None


def _without_factor(text: str) -> tuple[str, float]:
    """Return a sentence as if it merely said faster or slower, and how many times that is; 0 where it is not said."""
    if found := _BY_PERCENT.search(counted(text, "en")):
        share = int(found[1]) / 100 * (-1 if found[2] == "slower" else 1)
        plain = _BY_PERCENT.sub(found[2], counted(text, "en"), count=1)
        return (plain, 1 + share) if -1 < share <= 2 and share else (text, 0.0)
    for pattern, instead, factor in _FACTORS:
        if pattern.search(text):
            return pattern.sub(instead, text, count=1), factor
    return text, 0.0


def _again(tokens: Sequence[Token]) -> SpeechWish | None:
    """Return the wish for a sentence with "again", unless it is another wish for the voice."""
    has = {each.kind for each in tokens}
    return None if has & {"normal", "speed", "up", "down", "not", "why"} else SpeechWish("again")


def _speed(tokens: Sequence[Token], text: str, base: str) -> str:
    """Return slower, faster or normally; "" where none of them is wanted, or two are."""
    kinds = [each.kind for each in tokens]
    has = set(kinds)
    if not has & {"voice", "speed", "again"} and not _is_alone(text, base, kinds):
        return ""
    wanted = {_turned(kinds, at) for at, kind in enumerate(kinds) if kind in _ABOUT_SPEED}
    if not wanted and "speed" in has | ({"speed"} if "voice" in has else set()):
        wanted = {way for kind, way in (("up", "faster"), ("down", "slower")) if kind in has and "speed" in has}
        wanted |= {"normally"} if "normal" in has else set()
    return wanted.pop() if len(wanted) == 1 else ""


def _turned(kinds: Sequence[str], at: int) -> str:
    """Return which speed is wanted by one word: "too fast" wants a slower one."""
    way = {"fast": "faster", "slow": "slower"}.get(kinds[at], kinds[at])
    is_plain = kinds[at] in ("fast", "slow")
    before = kinds[:at]
    is_turned = is_plain and ("too" in before or "not" in before or "why" in before)
    return _TURNING[way] if is_turned else way


def _is_alone(text: str, base: str, kinds: Sequence[str]) -> bool:
    """Return whether a sentence says nothing but slower or faster."""
    words = "|".join(longest_first(WORDS[base][kind]) for kind in ("faster", "slower"))
    alone = WORDS[base]["whole"]["alone"]
    is_comparing = re.fullmatch(rf"{alone}(?:{words}) ?{alone}", text) is not None
    has = set(kinds)
    is_comparing |= has <= {"faster", "slower", "other", "unheard", "not", "little", "much", "too"} and (
        "unheard" in has or kinds.count("slower") > 1
    )
    is_too = kinds[-1:] in (["fast"], ["slow"]) and "too" in kinds and kinds.count("other") <= 1
    return is_comparing or is_too


@cache
def _kinds(base: str) -> Kinds:
    """Return the pattern of each kind of words, those first that say most."""
    return kinds_of({kind: words for kind, words in WORDS[base].items() if kind != "whole"})


@cache
def _pattern(base: str, key: str) -> re.Pattern[str]:
    return re.compile(WORDS[base]["whole"][key])
