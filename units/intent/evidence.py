"""What the words of a sentence allow: whether it asks, forbids, points, and which devices and values it names.

The daemon judges the calls of a model by it (`unitd.core.home.call_guard`); it is sent over the unit's channel as JSON.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from units.intent.naming import Device, HomeIndex, KindWord, Mention, Place
from units.intent.numbers import numbers_in, with_digits
from units.intent.phrases import LANGUAGES, Language
from units.intent.phrases.colors import COLORS
from units.intent.spelling import Window, words_of

# From this on the words name a device, as people and transcripts vary names: a plural, a missing letter.
NAMED = 90.0
# From this on the words may misname it: it is asked back.
MISNAMED = 72.0
# Areas are few, so a misheard one is clear earlier; a wrong one would move a wish to another room.
AREA_NAMED = 86.0

EXACT = 100.0
# Shorter words are articles and the like.
MIN_UNKNOWN = 3

_COLORS = {color: re.compile(rf"(?<![a-z])(?:{names})(?![a-z])") for color, names in COLORS.items()}
_COMMON = (
    "polite", "questions", "fillers", "verbs", "wishes", "points", "every", "more", "less", "yes", "no", "stops", "hours_and_minutes",
    "negations",
)  # fmt: skip
"""The patterns whose words name nothing."""

_NUMBER_WORD = re.compile(r"\d+\S*")
_CLAUSES = re.compile(r"[.!?;,:。！？；，、…]+(?=\s|$)|[。！？；，、]|\n")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "´": "'", "`": "'", "？": "?", "¿": " ", "¡": " ", "！": "!"})


def evidence(text: str, index: HomeIndex, language: str) -> dict[str, Any]:
    """Return what a sentence says about devices, values and wishes.

    Besides the given language those of the house count, because the language of a sentence that nothing recognised is
    not known. Of other languages only names, digits and the question mark are read; every sentence may then be a wish.
    """
    spoken = _spoken(text)
    tags = _tags(language, index)
    known = [LANGUAGES[each] for each in tags]
    is_question = any(_is_question(spoken, each) for each in known) if known else "?" in spoken
    numbers = [number for tag in tags or [""] for number in numbers_in(spoken, tag)]
    names = _names(text, index, is_all=_any(spoken, known, "every"))
    return names | {
        "unknown": _unknown(spoken, names["unknown"], dict(zip(tags, known, strict=True))),
        "points": _any(spoken, known, "points"),
        "is_question": is_question,
        "is_negated": any(_is_negated(spoken, each) for each in known),
        "is_request": not is_question and (not known or _any(spoken, known, "verbs") or _any(spoken, known, "wishes")),
        "direction": _direction(spoken, known),
        "numbers": list(dict.fromkeys(numbers)),
        "colors": _colors(spoken),
        "words": words_of(text),
        "says": next(filter(None, (_said(spoken, each) for each in known)), ""),
        "language": language,
    }


def _spoken(text: str) -> str:
    return " ".join(text.translate(_QUOTES).casefold().replace("ß", "ss").split())


def _tags(language: str, index: HomeIndex) -> list[str]:
    """Return the languages that are read: "de" for "de-CH"."""
    tags = (each.partition("-")[0] for each in (language, *index.languages))
    return [each for each in dict.fromkeys(tags) if each in LANGUAGES]


@cache
def _pattern(language: Language, name: str) -> re.Pattern[str]:
    return language.pattern(getattr(language, name))


def _any(spoken: str, languages: Iterable[Language], name: str) -> bool:
    return any(_pattern(each, name).search(spoken) for each in languages)


def _is_question(spoken: str, language: Language) -> bool:
    """Return whether a sentence asks; a command in the form of a question does not."""
    is_polite = is_command = False
    for clause in _clauses(spoken, language):
        if found := _pattern(language, "polite").match(clause):
            is_polite, clause = True, clause[found.end() :]
        elif _pattern(language, "questions").match(clause):
            return True
        inside = "tells" if is_polite else "questions_inside"
        if _pattern(language, inside).search(clause):
            return True
        is_command = is_command or bool(_pattern(language, "verbs").match(clause))
    return spoken.rstrip().endswith("?") and not is_polite and not is_command


def _clauses(spoken: str, language: Language) -> list[str]:
    """Return the parts of a sentence between its marks, without the fillers at their beginnings."""
    filler, clauses = _pattern(language, "fillers"), []
    for each in _CLAUSES.split(spoken):
        clause = each.strip()
        while (found := filler.match(clause)) and (rest := clause[found.end() :].strip()):
            clause = rest
        if clause:
            clauses.append(clause)
    return clauses


def _is_negated(spoken: str, language: Language) -> bool:
    rest = _pattern(language, "not_negations").sub(" ", spoken)
    return bool(_pattern(language, "negations").search(rest))


def _said(spoken: str, language: Language) -> str:
    """Return "yes" or "no" for a sentence that says nothing else, "" for any other."""
    words = " ".join(filter(None, (each.strip() for each in _CLAUSES.split(spoken))))
    for answer in ("no", "yes"):
        rest = _pattern(language, "fillers").sub("", _pattern(language, answer).sub("", words))
        if not rest.strip() and _pattern(language, answer).search(words):
            return answer
    return ""


def _direction(spoken: str, languages: Sequence[Language]) -> int:
    """Return 1 for a wish for more of something, -1 for less, 0 for neither or both."""
    return int(_any(spoken, languages, "more")) - int(_any(spoken, languages, "less"))


def _unknown(spoken: str, words: Iterable[str], languages: Mapping[str, Language]) -> list[str]:
    """Return the words that neither name anything of the house nor are common; none in a script without spaces."""
    if not languages or not all(each.has_spaces for each in languages.values()):
        return []
    rest = spoken
    for tag, language in languages.items():
        rest = _NUMBER_WORD.sub(" ", with_digits(rest, tag))
        for name in _COMMON:
            rest = _pattern(language, name).sub(" ", rest)
    left = set(words_of(rest))
    return [each for each in words if each in left and len(each) >= MIN_UNKNOWN]


def _colors(spoken: str) -> list[str]:
    return [color for color, pattern in _COLORS.items() if pattern.search(spoken)]


def _names(text: str, index: HomeIndex, is_all: bool) -> dict[str, Any]:
    """Return the devices, areas and kinds that the words name, and the devices that they may misname."""
    windows = index.windows(text)
    mentions = _best(index.mentions(windows, MISNAMED))
    own = [each.window for each in mentions if each.score == EXACT and not index.is_common(each.window.text)]
    places = [each for each in index.places(windows, AREA_NAMED) if not _overlaps(each.window, own)]
    mentions = [each for each in mentions if each.score == EXACT or not _is_inside(each.window, places)]
    misheard = [each.window for each in mentions if each.score < NAMED]
    words = [each for each in index.kind_words(windows) if not _overlaps(each.window, own + misheard)]
    if own or misheard or not all(each.is_vague for each in words):
        words = [each for each in words if not each.is_vague]
    areas = {area for place in places for area in place.areas}
    named, near = set[int](), set[int]()
    for mention in mentions:
        owners, is_sure = _narrowed(index, mention, areas)
        (named if is_sure else near).update(owners)
    meant = {at for word in words for at in _of_kind(index, word, areas, is_all)}
    taken: list[Window] = [each.window for each in mentions]
    taken += [each.window for each in places] + [each.window for each in words]
    used = {at for each in taken for at in range(each.start, each.end)}
    return {
        "entities": _keys(index, named),
        "meant": _keys(index, meant - named),
        "near": _keys(index, near - named - meant),
        "areas": sorted(areas),
        "kinds": sorted({kind for word in words for kind in word.kinds}),
        "unknown": [word for at, word in enumerate(words_of(text)) if at not in used],
    }


def _keys(index: HomeIndex, found: Iterable[int]) -> list[str]:
    return [index.devices[at].key for at in sorted(found)]


def _is_inside(window: Window, places: Iterable[Place]) -> bool:
    return any(each.window.start <= window.start and window.end <= each.window.end for each in places)


def _overlaps(window: Window, others: Iterable[Window]) -> bool:
    return any(window.overlaps(each) for each in others)


def _best(mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions that explain most, of those that share words; all where they explain the same words as well."""
    kept: list[Mention] = []
    for each in mentions:
        rivals = [other for other in kept if each.window.overlaps(other.window)]
        if all(other.window == each.window and other.weight == each.weight for other in rivals):
            kept.append(each)
    return kept


def _narrowed(index: HomeIndex, mention: Mention, areas: set[str]) -> tuple[list[int], bool]:
    """Return the devices that are meant by a name, and whether that is sure.

    A name that several devices have means those of the named areas, else those of the board's room; if there are still
    several, it is not sure which one is meant.
    """
    owners = list(mention.owners)
    is_loose = mention.is_part or len(owners) > 1 or index.is_common(mention.window.text)
    if is_loose and areas:
        there = [at for at in owners if index.devices[at].area in areas]
        return (there or owners), bool(there) and mention.score >= NAMED and len(there) <= len(areas)
    if len(owners) > 1 and index.area:
        owners = [at for at in owners if index.devices[at].area == index.area] or owners
    return owners, mention.score >= NAMED and len(owners) == 1


def _of_kind(index: HomeIndex, word: KindWord, areas: set[str], is_all: bool) -> list[int]:
    """Return the devices that a word for a kind means: those of the named areas, else of the room, else the only one."""
    fitting = [at for at, device in enumerate(index.devices) if _fits(device, word)]
    there = [at for at in fitting if index.devices[at].area in (areas or {index.area} - {""})]
    if is_all and not areas:
        return fitting
    return there or (fitting if len(fitting) == 1 else [])


_FAMILIES = {"door": "door", "garage": "door", "gate": "door", "window": "window"}
"""By device class, the family of a cover; all others are for shade."""


def _fits(device: Device, word: KindWord) -> bool:
    if device.kind not in word.kinds:
        return False
    family = _FAMILIES.get(device.device_class, "shade")
    return device.kind != "cover" or not device.device_class or family == word.family
