"""What somebody wants of the loudspeaker: read from all words of a sentence, in any order.

A sentence is a wish about the volume only where each of its words is known here, so that "turn up the volume of the
radio next door" is left alone; what is wanted then follows from which kinds of words there are.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from units.intent.skills.known_words import Kinds, Token, kinds_of, read_words, tokens_of
from units.intent.values.duration import read_duration
from units.intent.values.percent import read_percent, read_points
from units.intent.values.plain import base_of, counted

WORDS: Mapping[str, Mapping[str, str]] = read_words("volume_words")
"""By language, by kind."""

_REASONS: Mapping[str, str] = read_words("volume_reasons")["en"]

_MOST_WORDS = 25
"""Of more words no wish about the volume consists."""

_SAID_LOUD, _SAID_QUIET = 80.0, 20.0
""""Set the volume to high", "to low"."""

_INVERTING = ("en", "de")
"""Languages in which "is the sound on" is a question."""

_IN_QUESTIONS = frozenset(
    (
        "ask",
        "noun",
        "volume",
        "loud",
        "quiet",
        "be",
        "it",
        "do",
        "to",
        "mute",
        "on",
        "off",
        "voice",
        "by",
        "half",
        "too",
        "steps",
        "most",
        "least",
    )
)

_IN_MULTIPLES = frozenset(("twice", "halved", "noun", "volume", "loud", "it", "do", "down", "up", "half", "off"))

_FOR_A_MOMENT = re.compile(r" for (?:a|one|1) (?:minute|min|moment|second|sec|bit|while|little while)(?: here)?\b")
"""Says no length beside a reason: "mute for a minute, I have to make a call"."""

_FOR_A_TIME = re.compile(r"(.+?),? for (?:(?:the|at least|about|another|next|exactly) )*(.+?)(?: please| thanks| now)?")
""""Mute for five minutes"."""

_QUIET = re.compile(r"\b(?:be|stay|keep|remain) quiet$")
"""Said alone it is an order to be quieter; for a time, an order to be silent."""

_GOALS = {"most": 100.0, "least": 10.0, "half": 50.0}
_STEP = 10.0


@dataclass(frozen=True)
class VolumeWish:
    """A wish of the loudspeaker, as it was read from a sentence."""

    do: str
    """set, up, down, mute, unmute, tell, double or halve."""

    percent: float | None = None
    """The goal."""

    step: float | None = None
    """By how many percent."""

    much: str = ""
    """little or much, where the step is said so."""

    seconds: float = 0.0
    """For how long, where that is said."""


def read_wish(words: str, language: str) -> VolumeWish | None:
    """Return what a sentence wants of the loudspeaker; None if it is about something else, or not clear."""
    if (wish := _read(words, language)) or language != "en":
        return wish
    if (plain := _without_reason(words)) and (wish := _read(plain, language)):
        return wish if wish.do != "tell" else None
    if not (timed := _FOR_A_TIME.fullmatch(words.casefold().strip(" .!?"))):
        return None
    seconds = read_duration(timed[2], language) or read_duration(f"1 {timed[2]}", language)
    wish = _read(_QUIET.sub("mute", timed[1]), language)
    return replace(wish, seconds=seconds) if wish and wish.do == "mute" and seconds else None


def _without_reason(words: str) -> str:
    """Return an English wish without the reason before or after it, of known words; "" where none is said."""
    text = " ".join(re.sub(r"[.!?]+", ",", words.casefold().replace("\u2019", "'")).split()).strip(" ,")
    for pattern in _reasons():
        if found := pattern.fullmatch(text):
            return _FOR_A_MOMENT.sub("", found["wish"])
    return ""


@cache
def _reasons() -> Sequence[re.Pattern[str]]:
    """Return the patterns of a wish with a reason before and after it."""
    reason = rf"(?:{_REASONS['subjects']})(?:[ ,]+(?:{_REASONS['words']}))+"
    return (
        re.compile(rf"(?P<wish>.+?)[ ,]+(?:(?:{_REASONS['joints']}) )?{reason}"),
        re.compile(rf"(?:(?:{_REASONS['joints']}) )?{reason}[ ,]+(?:(?:so|and|then|please) )*(?P<wish>.+)"),
    )


def _read(words: str, language: str) -> VolumeWish | None:
    base = base_of(language)
    if base not in WORDS:
        return None
    text = counted(words, language)
    text = text.translate({ord("'"): "" if base == "en" else " ", ord("-"): " "})
    said = tokens_of(" ".join(text.split()), _patterns(base), _MOST_WORDS)
    tokens = [each for each in said if each.kind != "other"]
    is_question = bool(tokens) and said[0].kind == "be" and base in _INVERTING and all(e.kind != "too" for e in tokens)
    return _wish(tokens, language, is_question=is_question) if tokens else None


def _kinds(tokens: Sequence[Token]) -> list[str]:
    """Return the kinds of some tokens; the volume is a noun as well, and "how loud" a question for what is loud."""
    more = {"volume": ["volume", "noun"], "how_loud": ["ask", "loud"]}
    return [kind for each in tokens for kind in more.get(each.kind, [each.kind])]


@cache
def _patterns(base: str) -> Kinds:
    """Return the pattern of each kind of words, with those first that say most."""
    return kinds_of(dict(reversed(list(WORDS[base].items()))), edge="" if base == "zh" else r"(?!\w)")


def _wish(tokens: Sequence[Token], language: str, *, is_question: bool) -> VolumeWish | None:
    kinds = _kinds(tokens)
    has = set(kinds)
    if "why" in has:
        return _without_amount([each for each in kinds if each != "why"]) if {"be", "too"} <= has else None
    if "ask" in has or is_question:
        return _question(has)
    if kinds == ["volume", "noun"] and base_of(language) == "en":
        return VolumeWish("tell")
    if has & {"twice", "halved"}:
        return _multiplied(has)
    if "unmute" in has:
        return (
            VolumeWish("unmute")
            if has <= {"unmute", "noun", "volume", "it", "do", "voice", "on", "off", "be"}
            else None
        )
    if has & {"number", "part", *_GOALS}:
        return _with_amount(tokens, language)
    if "mute" in has:
        return _switched(has - {"be"})
    if has & {"off", "on"} and (switched := _switched(has)):
        return switched
    return _without_amount(kinds, is_step=_is_step_alone(tokens))


def _multiplied(has: set[str]) -> VolumeWish | None:
    """Return what "double the volume" and "make it twice as loud" want."""
    if not has & {"noun", "loud"} or not has <= _IN_MULTIPLES:
        return None
    if {"twice", "halved"} <= has or ("twice" in has and "down" in has) or ("halved" in has and "up" in has):
        return None
    return VolumeWish("double" if "twice" in has else "halve")


def _question(has: set[str]) -> VolumeWish | None:
    """Return the question for the volume: "how loud are you", "is the sound on"."""
    if not has & {"noun", "loud", "mute"} or not has <= _IN_QUESTIONS:
        return None
    is_state = "volume" in has or has & {"loud", "quiet", "mute", "on", "off", "steps"}
    return VolumeWish("tell") if is_state and has & {"noun", "it", "be", "voice"} else None


def _switched(has: set[str]) -> VolumeWish | None:
    """Return what "mute the speaker" and "turn the sound back on" want."""
    if not has <= {
        "mute",
        "noun",
        "volume",
        "it",
        "do",
        "turn",
        "off",
        "on",
        "to",
        "voice",
        "up",
        "down",
        "half",
        "be",
    }:
        return None
    if "mute" in has:
        is_undone = "off" in has and "noun" not in has
        return VolumeWish("unmute" if is_undone else "mute") if "up" not in has and "down" not in has else None
    if "noun" not in has or has & {"up", "down", "be", "half"}:
        return None
    return VolumeWish("mute" if "off" in has else "unmute") if {"off", "on"} - has else None


def _with_amount(tokens: Sequence[Token], language: str) -> VolumeWish | None:
    """Return what "turn it up to 70", "volume at half" and "two steps louder" want."""
    kinds = ["noun" if each.kind == "volume" else each.kind for each in tokens]
    has = set(kinds)
    goal_or_step = "by" if has & {"up", "down"} else "to"
    kinds = [goal_or_step if each == "in" else each for each in kinds]
    if has & {"mute", "off", "not", "ask"}:
        return None
    if not _is_about_sound(kinds, with_amount=True) and not _is_step_alone(tokens):
        return None
    at = [place for place, kind in enumerate(kinds) if kind in ("number", "part", *_GOALS)]
    if len(at) > 2 or (len(at) == 2 and "from" not in has and has & {"number", "part"}):
        return None
    amount = tokens[at[-1]]
    direction = _direction([kind for kind in kinds if kind not in ("number", "part", "half")])
    before = kinds[at[-1] - 1] if at[-1] else ""
    is_goal = amount.kind in _GOALS or amount.kind == "part" or "to" in kinds[: at[-1]]
    if "steps" in has or before == "by" or (direction and not is_goal):
        read = read_percent if amount.kind == "part" else read_points
        points = read(_bare(amount), language)
        size = None if points is None else points * (_STEP if "steps" in has and points <= 10 else 1)
        return VolumeWish(direction, step=size) if direction and size else None
    percent = _GOALS.get(amount.kind)
    percent = read_percent(_bare(amount), language) if percent is None else percent
    if direction == "down" and amount.kind == "most":
        percent = 10.0
    return VolumeWish("set", percent=percent) if percent is not None else None


_SAID_BEFORE = re.compile(r"^[^\W\d]+ (?:level )?(?=\d)|^第(?=\d)")
_SAID_AFTER = re.compile(
    r" ?\b(?:percentage|percents|percent points?|prozentpunkte?|(?:of|out of|sur|de) 100|points?|punkte?|puntos?"
    r"|of (?:the )?(?:maximum|max|full))$"
)
_PER_HUNDRED = re.compile(r"po?u?r 100$")


def _bare(amount: Token) -> str:
    """Return a number without "level" and "points", which say nothing more."""
    if amount.kind != "number":
        return amount.words
    words = _SAID_BEFORE.sub("", _SAID_AFTER.sub("", amount.words))
    return _PER_HUNDRED.sub("%", words)


def _without_amount(kinds: list[str], *, is_step: bool = False) -> VolumeWish | None:
    has = set(kinds)
    for state, percent in (("loud", _SAID_LOUD), ("quiet", _SAID_QUIET)):
        if state in has and "to" in kinds[: kinds.index(state)] and "noun" in has and not has & {"too", "not", "be"}:
            return VolumeWish("set", percent=percent)
    if not _is_about_sound(kinds, with_amount=False) and kinds != ["quiet"] and not is_step:
        return None
    direction = _direction(kinds)
    much = "little" if "little" in has else "much" if "much" in has else ""
    return VolumeWish(direction, much=much) if direction else None


def _is_about_sound(kinds: Sequence[str], *, with_amount: bool) -> bool:
    has = set(kinds)
    if has & {"noun", "louder", "quieter", "softly"}:
        return True
    if "music" in has and (has & {"up", "down", "number"} or has & {"too", "be"}):
        return True
    if {"turn", "it"} <= has and has & {"up", "down", "most", "least"}:
        return True
    if has & {"loud", "quiet"} and has & {"too", "not", "more", "less", "voice", "do"}:
        return "voice" in has or not (with_amount or "to" in has)
    return {"voice", "to"} <= has and with_amount


def _is_step_alone(tokens: Sequence[Token]) -> bool:
    """Return whether nothing but a step is said: "increase by 10 percent", "up a notch"."""
    has = {each.kind for each in tokens}
    if has <= {"up", "down", "do", "it", "turn", "little"} and any("notch" in each.words for each in tokens):
        return len(has & {"up", "down"}) == 1
    is_in_percent = any(each.kind == "number" and each.words.endswith(("%", "percent", "per cent")) for each in tokens)
    return is_in_percent and has <= {"up", "down", "by", "number", "do"} and len(has & {"up", "down"}) == 1


def _direction(kinds: Sequence[str]) -> str:
    """Return up or down; "" where the words say neither, or both."""
    has = set(kinds)
    wants = set[str]()
    if has & {"up", "louder", "under"}:
        wants.add("up")
    if has & {"down", "quieter", "over"} or {"slow", "volume"} <= has:
        wants.add("down")
    is_not, is_too = "not" in has, "too" in has
    if "softly" in has:
        wants.add("up" if is_not or is_too else "down")
    if "loud" in has:
        if "less" in has or is_too or (is_not and "enough" not in has):
            wants.add("down")
        elif "more" in has or (is_not and "enough" in has) or "be" not in has:
            wants.add("up")
        else:
            wants.add("down")
    if "quiet" in has:
        is_complaint = is_too and ("be" in has or not has & {"do", "voice"})
        wants.add("up" if "less" in has or is_complaint or is_not or "be" in has else "down")
    if not wants and has & {"more", "less"} and has & {"noun", "music"}:
        wants.add("up" if "more" in has else "down")
    if not wants and kinds[-1] == "to" and "turn" in has:
        wants.add("up")  # German: "dreh die Lautstärke auf"
    if is_not and has & {"up", "down"} and not has & {"loud", "quiet"}:
        return ""
    return wants.pop() if len(wants) == 1 else ""
