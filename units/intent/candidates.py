"""The devices that a sentence may mean: the few of a house that a small model is shown."""

import itertools
from collections.abc import Mapping, Sequence, Set
from typing import Any

from units.intent.kind_words import KINDS
from units.intent.naming import Device, HomeIndex
from units.intent.spelling import Window, words_of

# Below this a name has no more in common with the words than by chance: "fan" and "van".
LIKENESS = 66.0
# Areas are short words and few: they are misheard less often than names.
AREA_LIKENESS = 80.0
# From this on a name counts as said.
SAID = 90.0


def candidates(text: str, home: Mapping[str, Any] | HomeIndex, limit: int = 12) -> list[str]:
    """Return the devices that a sentence may mean, the likeliest first: their names, or ids where two have one name."""
    index = home if isinstance(home, HomeIndex) else HomeIndex(home)
    words = words_of(text)
    windows = index.windows(words)
    areas = {area for place in index.places(windows, AREA_LIKENESS) for area in place.areas}
    kind_words = index.kind_words(windows)
    kinds = {kind for word in kind_words for kind in word.kinds}
    names = _likeness_of_names(index, windows, {word.window for word in kind_words})
    shared = index.sharing_words(words)
    if not names and not areas and not kinds and not shared:
        return [each.key for each in _common(index)][:limit]

    def rank(at: int) -> tuple[Any, ...]:
        device = index.devices[at]
        is_there, is_kind = device.area in areas, device.kind in kinds
        is_here = bool(index.area) and device.area == index.area
        is_said = names.get(at, 0) >= SAID or (is_kind and (is_there or (is_here and not areas)))
        score = names.get(at, 0) + 60 * is_there + 50 * is_kind + 10 * is_here
        return -is_said, -(score + min(shared[at], 20)), at

    return [index.devices[at].key for at in sorted(range(len(index.devices)), key=rank)[:limit]]


def _likeness_of_names(index: HomeIndex, windows: Sequence[Window], kinds: Set[Window]) -> dict[int, float]:
    """Return by device how alike the likest place of the sentence is to one of its names; a kind alone is like none."""
    best: dict[int, float] = {}
    for mention in index.mentions([each for each in windows if each not in kinds], LIKENESS):
        for at in mention.owners:
            best[at] = max(best.get(at, 0.0), mention.score - 5 * mention.is_part)
    return best


def _common(index: HomeIndex) -> list[Device]:
    """Return the devices of the board's room, then one of each kind in turn."""
    here = [each for each in index.devices if index.area and each.area == index.area]
    by_kind = [[each for each in index.devices if each.kind == kind and each not in here] for kind in KINDS]
    turns = itertools.zip_longest(*by_kind)
    return here + [each for turn in turns for each in turn if each is not None]
