"""Words for several devices, and which devices they mean: "the blinds" are no garage door, "the speakers" are no tv."""

from __future__ import annotations

import random
from collections.abc import Sequence

from train.corpus.tools.house import Entity
from train.corpus.tools.mentions import stem

COVERINGS = frozenset(("blind", "curtain", "shutter", "shade", "drape", "drapes"))
"""What hangs in front of a window."""

SORTS: dict[str, dict[str, frozenset[str]]] = {
    "light": {"lights": frozenset(), "lamps": frozenset()},
    "fan": {"fans": frozenset()},
    "lock": {"doors": frozenset(), "locks": frozenset()},
    "cover": {"blinds": frozenset(("blind",)), "curtains": frozenset(("curtain", "drape", "drapes")),
              "shutters": frozenset(("shutter",)), "shades": frozenset(("shade",)), "covers": frozenset(),
              "drapes": frozenset(("drape", "drapes")), "windows": frozenset(("window", "skylight"))},
    "media": {"tvs": frozenset(("tv", "television")), "speakers": frozenset(("speaker",)),
              "radios": frozenset(("radio",)), "media players": frozenset(),
              "televisions": frozenset(("tv", "television"))},
    "climate": {"heaters": frozenset(), "radiators": frozenset(("radiator",)),
                "thermostats": frozenset(("thermostat",))},
    "switch": {"switches": frozenset(), "plugs": frozenset(("plug",)), "sockets": frozenset(("socket",)),
               "outlets": frozenset(("outlet",))},
}  # fmt: skip
"""By kind the words in the plural, and the last words of the names that each means; none means all of the kind."""


def meant_by(word: str, devices: Sequence[Entity]) -> list[Entity]:
    """Return the devices of one kind that a word in the plural means."""
    kind = devices[0].kind
    nouns = SORTS[kind][word]
    if kind == "climate" and not nouns:
        return [each for each in devices if not {"air", "ac"} & set(each.noun.split(" "))]
    if not nouns:
        return list(devices)
    found = [each for each in devices if _noun(each) in nouns]
    if not found and word in ("blinds", "shutters"):
        return [each for each in devices if _noun(each) in COVERINGS]
    return found


def _noun(entity: Entity) -> str:
    return stem(entity.noun.split(" ")[-1])


def draw_sort(rng: random.Random, devices: Sequence[Entity], everywhere: Sequence[Entity]) -> tuple[str, list[Entity]]:
    """Return a word for some devices of one kind, and those that it means; an empty list if no word fits.

    The word means the same sort of devices in the whole house.
    """
    if not devices:
        return "", []
    words = list(SORTS[devices[0].kind])
    rng.shuffle(words)
    # "lights" is by far the most usual word.
    words = ["lights"] if "lights" in words and rng.random() < 0.75 else words
    for word in words:
        of_sort = meant_by(word, list(everywhere))
        if found := [each for each in devices if each in of_sort]:
            return word, found
    return "", []
