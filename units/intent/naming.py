"""Finds the devices, areas and kinds that a sentence names, also where it was misheard. Built once for a house."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from rapidfuzz import fuzz, process

from units.intent.kind_words import COMPOUND_ENDS, FAMILIES, KINDS_BY_WORD, VAGUE
from units.intent.spelling import ARTICLES, Window, joined, windows_of, words_of

# The words of the longest name that is compared as a whole; of a longer one the first count.
MAX_NAME_WORDS = 8
# Shorter names are too easily met by chance: they must be written as they are.
MIN_FUZZY_LENGTH = 5
# A part of a compound ("Küche" in "Küchenlampe") has at least so many letters.
MIN_COMPOUND_LENGTH = 4


@dataclass(frozen=True)
class Device:
    """A device of a house."""

    key: str
    """What a call says: its name, or its id where two devices have the same name."""

    kind: str
    area: str
    floor: str
    device_class: str


@dataclass(frozen=True)
class Mention:
    """A place of a sentence that is like a name."""

    window: Window
    score: float
    """How alike they are: 100 is the name itself."""

    owners: tuple[int, ...]
    """The devices that have the name, by their place in the house."""

    is_part: bool = False
    """The name lacks its area or its kind: "ceiling" for "kitchen ceiling lamp"."""

    @property
    def weight(self) -> float:
        """Return how much of the sentence the name explains; a long misheard name outweighs a short word in it."""
        return len(self.window.text) * (self.score / 100) ** 4 - self.is_part * 0.01


@dataclass(frozen=True)
class Place:
    """A named area, or a floor with its areas."""

    window: Window
    areas: tuple[str, ...]


@dataclass(frozen=True)
class KindWord:
    """A word for kinds of devices."""

    window: Window
    kinds: tuple[str, ...]

    @property
    def family(self) -> str:
        """Return which of the kind are meant: "door", "shade", "tv"; "" for all of them."""
        return FAMILIES.get(self.window.text, "")

    @property
    def is_vague(self) -> bool:
        """Return whether it names a value or what is felt, and so a kind only where nothing else does."""
        return self.window.text in VAGUE


Owners = dict[str, list[int]]
"""By a joined name, the devices that have it."""


class HomeIndex:
    """The names of a house in the form in which they are compared."""

    def __init__(self, home: Mapping[str, Any]) -> None:
        """Read the devices, areas and floors of a `home` object of the daemon."""
        floors = {area["name"]: area.get("floor", "") for area in home.get("areas", ())}
        entities = home.get("entities", ())
        counts = Counter(each["name"] for each in entities)
        self.area: str = home.get("area", "")
        self.languages: tuple[str, ...] = tuple(home.get("languages", ()))
        self.devices = [_device(each, counts[each["name"]] == 1, floors) for each in entities]
        self._areas = _areas_by_name(home, self.devices)
        self._names: Owners = defaultdict(list)
        self._parts: Owners = defaultdict(list)
        self._by_word: Owners = defaultdict(list)
        for at, each in enumerate(entities):
            self._add(at, [each["name"], *each.get("aliases", ())])
        self._longest = min(MAX_NAME_WORDS, max(map(len, map(words_of, self._spoken_names(home))), default=1) + 1)

    def _spoken_names(self, home: Mapping[str, Any]) -> Iterator[str]:
        for each in (*home.get("entities", ()), *home.get("areas", ()), *home.get("floors", ())):
            yield from (each["name"], *each.get("aliases", ()))

    def heard_in(self, area: str) -> "HomeIndex":
        """Return the same house for a sentence that is said in this area; "" for no area."""
        index = copy(self)
        index.area = area
        return index

    def _add(self, at: int, names: Iterable[str]) -> None:
        """Add the names of a device, and what is left of them without the area and the kind."""
        for name in names:
            words = words_of(name)[:MAX_NAME_WORDS]
            if not words:
                continue
            _append(self._names, "".join(words), at)
            for word in set(words):
                _append(self._by_word, word, at)
            for part in self._parts_of(words, words_of(self.devices[at].area)):
                _append(self._parts, part, at)

    def _parts_of(self, words: list[str], area: list[str]) -> set[str]:
        """Return a name without its area, without its kind, and without both, where that still says which one."""
        size = len(area)
        without_area = words[size:] if area and words[:size] == area else words
        parts = set()
        for left in (words, without_area):
            bare = left[:-1] if left and left[-1] in KINDS_BY_WORD else left
            parts |= {"".join(left), "".join(bare)}
        return {
            part
            for part in parts
            if len(part) >= MIN_FUZZY_LENGTH - any(each >= "\u3400" for each in part) * 3
            and part != "".join(words)
            and not self.is_common(part)
        }

    def is_common(self, name: str) -> bool:
        """Return whether a joined name is also the name of an area, or a word for a kind."""
        return name in self._areas or name in KINDS_BY_WORD

    def without_scenes(self, keys: Iterable[str]) -> Iterator[str]:
        """Yield the devices that are no scenes: these have names like "reading" and "party"."""
        scenes = {each.key for each in self.devices if each.kind == "scene"}
        return (key for key in keys if key not in scenes)

    def windows(self, words: Sequence[str]) -> list[Window]:
        """Return the windows of a sentence that are compared with names."""
        return windows_of(words, self._longest)

    def mentions(self, windows: Sequence[Window], cutoff: float) -> list[Mention]:
        """Return every place of a sentence that is like a name or a part of one, the likest first."""
        found = []
        for names, is_part in ((self._names, False), (self._parts, True)):
            for window, name, score in _alike(windows, names, cutoff):
                found.append(Mention(window, score, tuple(names[name]), is_part))
        return sorted(found, key=lambda each: (-each.weight, each.window.start, each.owners))

    def places(self, windows: Sequence[Window], cutoff: float) -> list[Place]:
        """Return the areas and floors that a sentence names; of two that share a word the longer one."""
        found = sorted(_alike(windows, self._areas, cutoff), key=lambda each: (-each[2] * len(each[0].text), each[1]))
        kept: list[Place] = []
        for window, name, _ in found:
            if not any(window.overlaps(each.window) for each in kept):
                kept.append(Place(window, tuple(self._areas[name])))
        return kept + [each for each in self._compound_places(windows) if each.window not in [k.window for k in kept]]

    def _compound_places(self, windows: Sequence[Window]) -> Iterator[Place]:
        for window, _ in _compounds(windows):
            for name, areas in self._areas.items():
                if len(name) >= MIN_COMPOUND_LENGTH and window.text.startswith(name):
                    yield Place(window, tuple(areas))

    def kind_words(self, windows: Sequence[Window]) -> list[KindWord]:
        """Return the words for kinds in a sentence; of "garage door" not also "door"."""
        found = [KindWord(each, KINDS_BY_WORD[each.text]) for each in windows if each.text in KINDS_BY_WORD]
        found = [each for each in found if not any(_is_inside(each.window, other.window) for other in found)]
        return found + [KindWord(window, kinds) for window, kinds in _compounds(windows)]

    def sharing_words(self, words: Iterable[str]) -> Counter[int]:
        """Return by device how many letters of a sentence's words its names have."""
        shared: Counter[int] = Counter()
        for word in sorted(set(words)):
            for at in self._by_word.get(word, ()):
                shared[at] += len(word)
        return shared


def _is_inside(window: Window, other: Window) -> bool:
    return window != other and other.start <= window.start and window.end <= other.end


def _compounds(windows: Sequence[Window]) -> Iterator[tuple[Window, tuple[str, ...]]]:
    """Return the words that end with a word for a kind: "Stehlampe"."""
    for window in windows:
        if window.end - window.start == 1 and window.text not in KINDS_BY_WORD:
            for end, kinds in COMPOUND_ENDS:
                if window.text.endswith(end):
                    yield window, kinds
                    break


def _alike(windows: Sequence[Window], names: Mapping[str, Any], cutoff: float) -> Iterator[tuple[Window, str, float]]:
    """Return the names that windows are like, with their likeness."""
    choices = [name for name in names if len(name) >= MIN_FUZZY_LENGTH]
    for window in windows:
        if window.text in names:
            yield window, window.text, 100.0
        if cutoff >= 100 or len(window.text) < MIN_FUZZY_LENGTH or {window.first, window.last} & ARTICLES:
            continue
        for name, score, _ in process.extract(window.text, choices, scorer=fuzz.ratio, score_cutoff=cutoff, limit=None):
            if name != window.text:
                yield window, name, score


def _append(owners: Owners, name: str, at: int) -> None:
    if at not in owners[name]:
        owners[name].append(at)


def _device(each: Mapping[str, Any], is_unique: bool, floors: Mapping[str, str]) -> Device:
    area = each.get("area", "")
    key = each["name"] if is_unique else each.get("id", each["name"])
    return Device(key, each.get("kind", ""), area, floors.get(area, ""), each.get("device_class", ""))


def _areas_by_name(home: Mapping[str, Any], devices: Iterable[Device]) -> dict[str, list[str]]:
    """Return by the joined name or alias of an area or floor the areas that are meant."""
    named: dict[str, list[str]] = defaultdict(list)
    areas = {each["name"]: each for each in home.get("areas", ())}
    areas |= {each.area: {} for each in devices if each.area and each.area not in areas}
    for area, each in areas.items():
        for name in (area, *each.get("aliases", ())):
            named[joined(name)].append(area)
    aliases = {each["name"]: each.get("aliases", ()) for each in home.get("floors", ())}
    for floor in dict.fromkeys(each.get("floor", "") for each in areas.values()):
        for name in (floor, *aliases.get(floor, ())) if floor else ():
            named[joined(name)] += [area for area, each in areas.items() if each.get("floor") == floor]
    return {name: list(dict.fromkeys(found)) for name, found in named.items() if name}
