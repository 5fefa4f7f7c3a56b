"""What the words of a sentence allow: whether it asks, forbids, points, and which devices and values it names.

The daemon judges the calls of a model by it (`unitd.core.home.call_guard`); it is sent over the unit's channel as JSON.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from units.intent.kind_words import CLASS_FAMILIES
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
    "wishes", "polite", "questions", "fillers", "verbs", "points", "every", "more", "less", "yes", "no", "stops",
    "hours_and_minutes", "negations", "here", "excepts",
)  # fmt: skip
"""The patterns whose words name nothing."""

_NUMBER_WORD = re.compile(r"\d+\S*")
_CLAUSES = re.compile(r"[.!?;,:。！？；，、…]+(?=\s|$)|[。！？；，、]|\n")  # noqa: RUF001
_QUOTES = str.maketrans({"’": "'", "‘": "'", "´": "'", "`": "'", "？": "?", "¿": " ", "¡": " ", "！": "!"})  # noqa: RUF001


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
    uncommon = _uncommon(spoken, tags)
    names = _names(words_of(text), uncommon, index, _Marks(spoken, known))
    is_wish = not known or any(_is_wish(spoken, each) for each in known)
    is_short = not names["unknown"] and not _any(spoken, known, "statements")
    is_short_wish = is_short and bool(names["entities"] or numbers or _colors(spoken))
    return names | {
        "points": _any(spoken, known, "points"),
        "is_question": is_question,
        "is_negated": any(_is_negated(spoken, each) for each in known),
        "has_verb": _any(spoken, known, "verbs"),
        "is_request": not is_question and (is_wish or is_short_wish),
        "direction": _direction(spoken, known),
        "numbers": list(dict.fromkeys(numbers)),
        "colors": _colors(spoken),
        "words": words_of(text),
        "says": _yes_or_no(spoken, known),
        "language": language,
    }


def is_question(text: str, language: str) -> bool:
    """Return whether a text is a question by its words or its mark; False in a language without phrases."""
    known = LANGUAGES.get(language.partition("-")[0])
    return known is not None and _is_question(_spoken(text), known)


def asks(text: str, language: str) -> bool:
    """Return whether a text with a question mark is a question, and no polite command ("could you …?")."""
    is_known = language.partition("-")[0] in LANGUAGES
    return text.rstrip().endswith(("?", "\uff1f")) and (not is_known or is_question(text, language))


def says(text: str, language: str) -> str:
    """Return "yes" or "no" for a text that says nothing else, "" for any other."""
    known = LANGUAGES.get(language.partition("-")[0])
    return _yes_or_no(_spoken(text), [known] if known else [])


def _spoken(text: str) -> str:
    return " ".join(text.translate(_QUOTES).casefold().replace("ß", "ss").split())


def _tags(language: str, index: HomeIndex) -> list[str]:
    """Return the languages that are read: "de" for "de-CH"."""
    tags = (each.partition("-")[0] for each in (language, *index.languages))
    return [each for each in dict.fromkeys(tags) if each in LANGUAGES]


@cache
def pattern_of(language: Language, name: str) -> re.Pattern[str]:
    """Return the pattern of a list of a language's phrases."""
    return language.pattern(getattr(language, name))


def _any(spoken: str, languages: Iterable[Language], name: str) -> bool:
    return any(pattern_of(each, name).search(spoken) for each in languages)


def _is_question(spoken: str, language: Language) -> bool:
    """Return whether a sentence asks; a command in the form of a question does not."""
    is_polite = is_command = False
    for clause in _clauses(spoken, language):
        if found := pattern_of(language, "polite").match(clause):
            is_polite, clause = True, clause[found.end() :]
        elif pattern_of(language, "questions").match(clause):
            return True
        inside = "tells" if is_polite else "questions_inside"
        if pattern_of(language, inside).search(clause):
            return True
        is_command = is_command or bool(pattern_of(language, "verbs").match(clause))
    return spoken.rstrip().endswith("?") and not is_polite and not is_command


def _is_wish(spoken: str, language: Language) -> bool:
    """Return whether a sentence has a word of a wish, or begins as a polite request."""
    if pattern_of(language, "verbs").search(spoken) or pattern_of(language, "wishes").search(spoken):
        return True
    return any(pattern_of(language, "polite").match(clause) for clause in _clauses(spoken, language))


def _clauses(spoken: str, language: Language) -> list[str]:
    """Return the parts of a sentence between its marks, without the fillers at their beginnings."""
    filler, clauses = pattern_of(language, "fillers"), []
    for each in _CLAUSES.split(spoken):
        clause = each.strip()
        while (found := filler.match(clause)) and (rest := clause[found.end() :].strip()):
            clause = rest
        if clause:
            clauses.append(clause)
    return clauses


def _is_negated(spoken: str, language: Language) -> bool:
    rest = pattern_of(language, "not_negations").sub(" ", spoken)
    return bool(pattern_of(language, "negations").search(rest))


def _yes_or_no(spoken: str, languages: Iterable[Language]) -> str:
    return next(filter(None, (_said(spoken, each) for each in languages)), "")


def _said(spoken: str, language: Language) -> str:
    """Return "yes" or "no" for a sentence that says nothing else, "" for any other."""
    words = " ".join(filter(None, (each.strip() for each in _CLAUSES.split(spoken))))
    for answer in ("no", "yes"):
        rest = pattern_of(language, "fillers").sub("", pattern_of(language, answer).sub("", words))
        if not rest.strip() and pattern_of(language, answer).search(words):
            return answer
    return ""


def _direction(spoken: str, languages: Sequence[Language]) -> int:
    """Return 1 for a wish for more of something, -1 for less, 0 for neither; what is said first counts.

    "Lower the lights a little more" is a wish for less, and so is "plus bas".
    """
    more, less = (
        [found.start() for each in languages for found in pattern_of(each, name).finditer(spoken)]
        for name in ("more", "less")
    )
    if not more and not less:
        return 0
    return -1 if min(less, default=len(spoken)) <= min(more, default=len(spoken)) else 1


def _uncommon(spoken: str, tags: Sequence[str]) -> set[str]:
    """Return the words that belong to no phrase; every word of an unknown language and of a script without spaces."""
    if not all(LANGUAGES[each].has_spaces for each in tags):
        return set(words_of(spoken))
    rest = spoken
    for tag in tags:
        values = LANGUAGES[tag].pattern(tuple(LANGUAGES[tag].values))
        rest = _NUMBER_WORD.sub(" ", values.sub(" ", with_digits(rest, tag)))
    for pattern in (*(pattern_of(LANGUAGES[tag], name) for tag in tags for name in _COMMON), *_COLORS.values()):
        rest = pattern.sub(" ", rest)
    return set(words_of(rest))


def _colors(spoken: str) -> list[str]:
    return [color for color, pattern in _COLORS.items() if pattern.search(spoken)]


class _Marks:
    """The words of a sentence that say which of the named devices are meant."""

    def __init__(self, spoken: str, languages: Sequence[Language]) -> None:
        self.is_all = _any(spoken, languages, "every")
        self.is_here = _any(spoken, languages, "here")
        self.has_spaces = bool(languages) and all(each.has_spaces for each in languages)
        found = filter(None, (pattern_of(each, "excepts").search(spoken) for each in languages))
        self.words_before_exception = min((len(words_of(spoken[: each.start()])) for each in found), default=None)


def _names(words: list[str], uncommon: set[str], index: HomeIndex, marks: _Marks) -> dict[str, Any]:
    """Return the devices, areas and kinds that the words name, and the devices that they may misname."""
    found = _found(words, uncommon, index)
    areas = {area for place in found.places for area in place.areas}
    if not areas and index.area and (marks.is_here or (marks.is_all and not found.kind_words)):
        areas = {index.area}
    named, near, excepted = set[int](), set[int](), set[int]()
    for mention in found.mentions:
        owners, is_sure = _narrowed(index, mention, areas)
        is_excepted = marks.words_before_exception is not None and mention.window.start >= marks.words_before_exception
        (excepted if is_excepted else named if is_sure else near).update(owners)
    meant = {at for word in found.kind_words for at in _of_kind(index, word, areas, marks.is_all)}
    is_everything = marks.is_all and not found.kind_words and not named
    if is_everything:
        meant = {at for at, each in enumerate(index.devices) if each.kind in _EVERYTHING and each.area in areas}
    if named and areas and not found.kind_words:
        meant |= _of_same_kind(index, named, areas)
    kinds = {kind for word in found.kind_words for kind in word.kinds}
    is_unknown = [at for at, word in enumerate(words) if word in uncommon and len(word) >= MIN_UNKNOWN]
    return {
        "entities": _keys(index, named),
        "meant": _keys(index, meant - named - excepted),
        "is_set": marks.is_all or any(_is_plural(each) for each in found.kind_words),
        "near": _keys(index, near - named - meant - excepted),
        "areas": [] if is_everything else sorted(areas),
        "kinds": sorted(kinds),
        "unknown": [words[at] for at in is_unknown if at not in found.taken] if marks.has_spaces else [],
    }


@dataclass(frozen=True)
class _Found:
    """What a sentence names, without what only looks like a name."""

    mentions: list[Mention]
    places: list[Place]
    kind_words: list[KindWord]

    @property
    def taken(self) -> set[int]:
        """Return the places of the words that name something."""
        windows = [each.window for each in self.mentions] + [each.window for each in self.places]
        windows += [each.window for each in self.kind_words]
        return {at for each in windows for at in range(each.start, each.end)}


def _found(words: list[str], uncommon: set[str], index: HomeIndex) -> _Found:
    windows = index.windows(words)
    kinds = index.kind_words(windows)
    nouns = [each.window for each in kinds if not each.is_vague]
    said = uncommon | {words[at] for each in nouns for at in range(each.start, each.end)}
    likely = [each for each in index.mentions(windows, MISNAMED) if _is_likely(each, said)]
    mentions = _best([each for each in likely if each.score == EXACT or not _is_inside(each.window, kinds)])
    own = [each.window for each in mentions if each.score == EXACT and not index.is_common(each.window.text)]
    places = [each for each in index.places(windows, AREA_NAMED) if not _overlaps(each.window, own)]
    mentions = [each for each in mentions if each.score == EXACT or not _is_inside(each.window, places)]
    misheard = [each.window for each in mentions if each.score < NAMED and not places]
    kinds = [each for each in kinds if not _overlaps(each.window, own + misheard)]
    if own or misheard or not all(each.is_vague for each in kinds):
        kinds = [each for each in kinds if not each.is_vague]
    return _Found(mentions, places, kinds)


def _is_likely(mention: Mention, said: set[str]) -> bool:
    """Return whether a name may have been said: a misheard one neither begins nor ends with a common word.

    A word of the sentence would else be taken for a part of the name: "all lights" for "hall light".
    """
    return mention.score == EXACT or {mention.window.first, mention.window.last} <= said


def _of_same_kind(index: HomeIndex, named: set[int], areas: set[str]) -> set[int]:
    """Return the devices of the areas that are like the named ones: "the garage light and the one in the garden"."""
    kinds = {index.devices[at].kind for at in named}
    return {at for at, device in enumerate(index.devices) if device.area in areas and device.kind in kinds}


def _keys(index: HomeIndex, found: Iterable[int]) -> list[str]:
    return [index.devices[at].key for at in sorted(found)]


def _is_inside(window: Window, others: Iterable[Place | KindWord]) -> bool:
    return any(each.window.start <= window.start and window.end <= each.window.end for each in others)


def _overlaps(window: Window, others: Iterable[Window]) -> bool:
    return any(window.overlaps(each) for each in others)


def _best(mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions that explain most, of those that share words; all that explain the same words as well."""
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
    """Return the devices that a word for a kind means: those of the areas, else of the room, else the only one."""
    fitting = [at for at, device in enumerate(index.devices) if _fits(device, word)]
    there = [at for at in fitting if index.devices[at].area in (areas or {index.area} - {""})]
    if is_all and not areas:
        return fitting
    return there or (fitting if len(fitting) == 1 else [])


def _is_plural(word: KindWord) -> bool:
    """Return whether a word for a kind means several devices, as far as an "s" tells: English, French and Spanish."""
    return not word.is_vague and word.window.last.endswith("s") and not word.window.last.endswith("ss")


_EVERYTHING = {"light", "switch", "fan", "media", "climate"}
"""The kinds that "everything" means: neither covers nor locks."""


def _fits(device: Device, word: KindWord) -> bool:
    """Return whether a word for a kind may mean a device; a word for screens means no speaker."""
    family = CLASS_FAMILIES.get((device.kind, device.device_class), "")
    return device.kind in word.kinds and (not word.family or not family or word.family == family)
