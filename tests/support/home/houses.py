"""The houses of the sentence check: the core house of each language, larger ones, and small houses.

The core house has everything that the sentences name. Larger houses add rooms of their own, and sockets in the rooms of
the core house, so that a set grows with the house but no sentence gets a second meaning. "Everything" in a sentence
means all devices that can be turned off: lights, switches, fans, media players and heaters.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from tests.support.home.house_words import ADDED

SENTENCES = Path(__file__).parents[2] / "home" / "sentences"
LANGUAGES = ("en", "de", "fr", "es", "zh")
TEN = 10

Device = dict[str, Any]
Sentence = dict[str, Any]


@dataclass
class SmallHouse:
    """A house of few devices and the sentences that can be said in it."""

    devices: list[Device] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)


@cache
def _houses() -> dict[str, Any]:
    houses: dict[str, Any] = json.loads((SENTENCES / "house.json").read_text(encoding="utf-8"))
    return houses


def core_house(language: str = "en") -> list[Device]:
    """Return the devices of the core house."""
    return [dict(device) for device in _houses()[language]["devices"]]


def areas(language: str = "en") -> list[dict[str, Any]]:
    """Return the areas of the core house and of the rooms that larger houses add, each with name, floor and aliases."""
    added = [{"name": room, "floor": floor, "aliases": []} for room, floor in ADDED[language].rooms]
    return [*_houses()[language]["areas"], *added]


def house(size: int, language: str = "en") -> list[Device]:
    """Return a house with `size` devices: the core house, and rooms that are added in a fixed order."""
    devices = core_house(language)
    if size < len(devices):
        raise ValueError(f"the core house has {len(devices)} devices, {size} are too few; use small_houses")
    devices += _added_devices(language)
    if size > len(devices):
        raise ValueError(f"there are names for {len(devices)} devices only, not for {size}")
    return devices[:size]


def small_houses(sentences: Iterable[Sentence], language: str = "en", size: int = TEN) -> list[SmallHouse]:
    """Pack the sentences into houses of `size` devices: those that they need, and others of the core house."""
    houses = [SmallHouse()]
    for sentence in sentences:
        needed = sentence.get("needs", [])
        names = _names(houses[-1].devices)
        missing = [name for name in needed if name not in names]
        if len(names) + len(missing) > size:
            houses.append(SmallHouse())
            missing = needed
        houses[-1].devices += [_core_device(name, language) for name in missing]
        houses[-1].sentences.append(sentence)
    for number, small in enumerate(houses):
        _fill(small.devices, core_house(language), number, size)
    return houses


def read_sentences(name: str) -> list[Sentence]:
    """Return the sentences of a file, such as "en", "talk" or "tuning.de"."""
    lines = (SENTENCES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def chosen(selection: Mapping[str, Any], devices: Sequence[Device]) -> list[str]:
    """Return the names of the devices that a selection by kind, device_class, area and floor means."""
    return [device["name"] for device in devices if _matches(selection, device)]


def _matches(selection: Mapping[str, Any], device: Device) -> bool:
    return all(
        device[key] in (wanted if isinstance(wanted, list) else [wanted])  # a list means any of these
        for key, wanted in selection.items()
    )


def _core_device(name: str, language: str) -> Device:
    return next(device for device in core_house(language) if device["name"] == name)


def _names(devices: Iterable[Device]) -> set[str]:
    return {device["name"] for device in devices}


def _fill(devices: list[Device], core: list[Device], number: int, size: int) -> None:
    """Add devices of the core house until there are `size`; each house begins at another place."""
    step = 11  # prime to the sizes, so every device comes; neighbours in the list stand in one room
    for position in range(len(core)):
        if len(devices) == size:
            return
        device = core[(number * size + position * step) % len(core)]
        if device["name"] not in _names(devices):
            devices.append(device)


def _added_devices(language: str) -> list[Device]:
    """Return what larger houses add, near misses first: thing by thing in each added room."""
    words = ADDED[language]
    floors = {area["name"]: area["floor"] for area in areas(language)}
    devices = [_device(name, "switch", area, floors[area], "") for name, area in words.sockets]
    for (room, floor), (pattern, kind, device_class) in product(words.rooms, words.things):
        devices.append(_device(pattern.format(room=room), kind, room, floor, device_class))
    return devices


def _device(name: str, kind: str, area: str, floor: str, device_class: str) -> Device:
    return {"name": name, "kind": kind, "device_class": device_class, "area": area, "floor": floor, "aliases": []}
