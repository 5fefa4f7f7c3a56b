"""Durations: "five and a half minutes", "1 h 30", "an hour and a quarter", "half an hour".

The words of a language become a few signs that all languages share: numbers, `+` for "and", `F` for a half, `Q` for a
quarter, and the letters of the units. One grammar reads those.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from units.intent.values.plain import base_of, counted, plain

_SECONDS = {"w": 604800, "d": 86400, "h": 3600, "m": 60, "s": 1}
_PARTS = {"F": 0.5, "Q": 0.25}
_SMALLER = {"h": "m", "m": "s"}
"""What a number after a unit counts, if it has none itself: "1 h 30"."""

_KNOWN_WORDS = 4096
"""Of so many words it is remembered whether they may stand in a duration."""

_IS_WEEKDAY = re.compile("[周期拜][1-6一二三四五六日天末]")
"""In Chinese: a week that goes on as a day of it."""

_SIGNS_OF_ONE_UNIT = re.compile("小时|小時|钟头|星期|礼拜|.")
"""In Chinese: a sign, or those of a unit none of whose signs is one."""

_FRACTIONS = {"½": " 1/2", "¼": " 1/4", "¾": " 3/4"}
_NUMBER = r"\d+(?:\.\d+)?"
_FRACTION = rf"(?:(?P<times{{0}}>{_NUMBER}) )?(?P<part{{0}}>[FQ])(?: 1(?= [wdhms]))?"
_QUANTITY = rf"(?:{_FRACTION.format(0)}|(?P<number>{_NUMBER})(?: \+ {_FRACTION.format(1)})?)"
_STEP = re.compile(
    rf"(?:\+ )?(?:{_QUANTITY} (?P<unit>[wdhms])|(?P<bare>[hm])(?= \+ (?:1 )?[FQ]))"
    rf"(?: (?:\+ )?{_FRACTION.format(2)}(?! [wdhms]))?(?: |$)"
)
_REST = re.compile(rf"(?:\+ )?({_NUMBER})")
_PLAIN_NUMBER = re.compile(rf"{_NUMBER}|\d+(?::\d+)+")
_CLOCK = re.compile(r"(\d{1,3}):([0-5]\d)(?::([0-5]\d))?(?: ([hms]))?")


@dataclass(frozen=True, eq=False)
class _Words:
    """How durations are said in one language."""

    signs: Mapping[str, str]
    """The sign for each pattern of a word; "" for words without a meaning of their own."""

    before: Sequence[tuple[str, str]] = ()
    """What is replaced first: words that are written together, or that say a number."""

    has_spaces: bool = True


_ENGLISH = _Words(
    {
        "seconds?|secs?|s": "s", "minutes?|mins?|m|minute's": "m", "hours?|hrs?|h|hour's": "h", "days?": "d",
        "weeks?": "w", "and|&": "+", "an?|one": "1", "half": "F", "quarters?": "Q", "of|long": "",
    },
    [
        (r"\b(\d+) point (\d+)", r"\1.\2"), (r"\b(?:a )?couple(?: of)?\b", "2"), (r"\b(?:a )?dozen\b", "12"),
        (r"(?<=\d),(?=\d{3}\b)", ""),
    ],
)  # fmt: skip
_GERMAN = _Words(
    {
        "sekunden?|sek|s|sekündige[nrsm]?": "s", "minuten?|min|m|minütige[nrsm]?": "m",
        "stunden?|std|h|stündige[nrsm]?": "h", "tage?n?": "d", "wochen?": "w", "und|plus": "+",
        "ein|eine[nrms]?|'?ne[nr]?|1er": "1", "halbe[nrms]?|halb": "F", "viertel": "Q", "lang|lange|von": "",
        "zwo": "2",
    },
    [
        (r"\b(\d+) komma (\d+)", r"\1.\2"), (r"\b(?:eine )?dreiviertel", "3 viertel "),
        (r"viertel(?=stunde)", "viertel "),
        (r"\banderthalb\b|\bein(?:und)?einhalb\b|\bein(?:e)? und(?: eine)? halb\b", "1.5"),
        (r"(\d+) ?(?:und )?einhalb\b", r"\1.5"), (r"\bhalbstunde", "halbe stunde"),
        (r"(\d) ?(minütig|stündig|sekündig)", r"\1 \2"),
    ],
)  # fmt: skip
_FRENCH = _Words(
    {
        "secondes?|sec|s": "s", "minutes?|min|mn|m": "m", "heures?|h": "h", "jours?": "d", "semaines?": "w",
        "et": "+", "une?": "1", "demie?s?": "F", "quarts?": "Q", "de|d'": "",
    },
    [
        (r"\b(\d+) virgule (\d+)", r"\1.\2"), (r"d'(?=heure|une)", ""), (r"\bune dizaine de", "10"),
        (r"\bune quinzaine de", "15"), (r"\bune vingtaine de", "20"), (r"\bune trentaine de", "30"),
    ],
)  # fmt: skip
_SPANISH = _Words(
    {
        "segundos?|seg|s": "s", "minutos?|min|m|minutito": "m", "horas?|h": "h", "d[ií]as?": "d", "semanas?": "w",
        "y|con": "+", "una?|uno": "1", "medi[ao]": "F", "cuartos?": "Q", "de": "",
    },
    [(r"\b(\d+) (?:coma|punto) (\d+)", r"\1.\2"), (r"\bun par de\b", "2")],
)  # fmt: skip
_CHINESE = _Words(
    {
        "秒钟?|(?<=\\d)s": "s",
        "分[钟种]?|分鐘|min|(?<=\\d)m": "m", "小时|小時|钟头|个钟|(?<=\\d)h": "h", "天": "d", "星期|礼拜|周": "w",
        "又|和|加|零": "+", "刻钟?": "Q h", "个半": "+ F", "半个?|半": "F", "个|的|钟": "",
    },
    [(r"(\d+)点(\d+)(?=个|小|分|秒)", r"\1.\2"), (r"一(?=个|小|分|秒|刻|天|周|星|礼|钟)", "1")],
    has_spaces=False,
)  # fmt: skip
_LANGUAGES = {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH, "zh": _CHINESE}


class Found(NamedTuple):
    """A duration in the middle of words."""

    seconds: float
    before: str
    after: str


def read_duration(words: str, language: str) -> float | None:
    """Return the seconds of a duration, or None if the words are none."""
    known = _LANGUAGES.get(base_of(language))
    signs = known and _signs(counted(words, language), known)
    return _seconds(signs) if signs else None


def find_durations(words: str, language: str) -> Iterator[Found]:
    """Yield the durations in words, each as long as possible, with the plain words before and after it."""
    known = _LANGUAGES.get(base_of(language))
    if known is None:
        return
    space = " " if known.has_spaces else ""
    text = plain(words, language)
    each = text.split() if known.has_spaces else _SIGNS_OF_ONE_UNIT.findall(text)
    for start, end in _runs([_may_be_part(word, language) for word in each]):
        at = start
        while found := next(
            (
                (Found(seconds, space.join(each[:first]), space.join(each[last:])), last)
                for first, last in _spans(at, end)
                if not (space == "" and _IS_WEEKDAY.search("".join(each[last - 1 : last + 1])))
                if (seconds := read_duration(space.join(each[first:last]), language)) is not None
            ),
            None,
        ):
            yield found[0]
            at = found[1]  # "un de 5 minutes et un de 10 minutes"


def has_unit(words: str, language: str) -> bool:
    """Return whether words name a unit of time, as "a few minutes" does."""
    known = _LANGUAGES.get(base_of(language))
    if known is None:
        return False
    text = plain(words, language)
    if known.has_spaces:
        return any(_sign(word, known) in _SECONDS for word in text.split() if len(word) > 1)
    return re.search("分钟|小时|秒钟|钟头", text) is not None


def _runs(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    start = None
    for at, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = at
        elif not flag and start is not None:
            yield start, at
            start = None


def _spans(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a run of words, the longest first."""
    for size in range(end - start, 0, -1):
        yield from ((first, first + size) for first in range(start, end - size + 1))


@lru_cache(_KNOWN_WORDS)
def _may_be_part(word: str, language: str) -> bool:
    """Return whether a word may stand in a duration."""
    known = _LANGUAGES[base_of(language)]
    text = counted(word, language)
    if word in ("hundred", "couple", "dozen", "point") or re.search(r"\d|一|百|einhalb|anderthalb|viertel", text):
        return True
    return _signs(text, known) is not None


def _signs(text: str, known: _Words) -> str | None:
    """Return the signs for a text, or None if it has words that stand in no duration."""
    for fraction, digits in _FRACTIONS.items():
        text = text.replace(fraction, digits)
    before, pattern = _patterns(known)
    text = text.replace("-", " ")
    for each, instead in before:
        text = each.sub(instead, text)
    text = re.sub(r"(?<=\d),(?=\d)", ".", text)
    text = re.sub(r"(?:(\d+) )?(\d)/([24])\b", _mixed, text)
    if known.has_spaces:
        text = re.sub(r"(?<=\d)(?=[^\W\d])|(?<=[^\W\d])(?=\d)", " ", text)
        signs = [_sign(word, known) for word in text.split()]
    else:
        signs = [found[0] if found.lastgroup is None else _sign(found[0], known) for found in pattern.finditer(text)]
    if None in signs:
        return None
    return " ".join(filter(None, signs))


def _mixed(found: re.Match[str]) -> str:
    return str(int(found[1] or 0) + int(found[2]) / int(found[3]))


def _sign(word: str, known: _Words) -> str | None:
    """Return the sign of a word; None if it has none."""
    if _PLAIN_NUMBER.fullmatch(word):
        return word
    found = _of_words(known).fullmatch(word)
    return list(known.signs.values())[int(str(found.lastgroup)[1:])] if found else None


@cache
def _of_words(known: _Words) -> re.Pattern[str]:
    """Return a pattern of one word, with a group for each sign."""
    return re.compile("|".join(f"(?P<s{at}>{words})" for at, words in enumerate(known.signs)))


@cache
def _patterns(known: _Words) -> tuple[list[tuple[re.Pattern[str], str]], re.Pattern[str]]:
    """Return what is replaced first, and a pattern of one sign in a script without spaces."""
    either = "|".join(f"(?:{each})" for each in known.signs)
    pattern = re.compile(rf"\d+(?::\d+)+|{_NUMBER}|(?P<word>{either}|.)")
    return [(re.compile(each), instead) for each, instead in known.before], pattern


def _seconds(signs: str) -> float | None:
    """Return what signs say, the units from the large ones to the small ones."""
    if clock := _CLOCK.fullmatch(signs):
        first, second, third = (int(clock[at] or 0) for at in (1, 2, 3))
        is_hours = clock[3] is not None or clock[4] == "h"
        return float(first * 3600 + second * 60 + third if is_hours else first * 60 + second)
    total, at, last = 0.0, 0, ""
    while step := _STEP.match(signs, at):
        unit = step["unit"] or step["bare"]
        if last and _SECONDS[unit] >= _SECONDS[last] and not step["part0"]:
            return None
        total += _amount(step) * _SECONDS[unit]
        at, last = step.end(), unit
    if at and at < len(signs) and last in _SMALLER and (rest := _REST.fullmatch(signs, at)):
        more = float(rest[1])  # "3 minutes and one" is a length and one more timer
        return total + more * _SECONDS[_SMALLER[last]] if more > 1 else None
    return total if at and at == len(signs) else None


def _amount(step: re.Match[str]) -> float:
    amount = float(step["number"] or bool(step["bare"]))
    for at in range(3):
        if step[f"part{at}"]:
            amount += float(step[f"times{at}"] or 1) * _PARTS[step[f"part{at}"]]
    return amount
