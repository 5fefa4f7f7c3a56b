"""The devices, areas, floors and tools of a home, as the daemon sends them, with the names that people say."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from hassil.util import normalize_for_matching

from units.intent.extra_names import extra_area_names, extra_floor_names, extra_names

DOMAINS: Mapping[str, tuple[str, ...]] = {
    **{kind: (kind,) for kind in ("light", "switch", "fan", "cover", "climate", "lock", "scene", "camera")},
    "media": ("media_player",),
    # Sentences ask contact sensors for other states than thermometers; the home does not say which of them one is.
    "sensor": ("sensor", "binary_sensor"),
}
"""The domains that the sentences have for a kind of device."""

OPENINGS = ("door", "window", "garage", "gate")
"""Classes of what is opened: the same words mean a motor (a cover) and a contact (a sensor)."""

_THERMOMETERS = ("temperatur", "température", "thermomet", "thermomèt", "termómet", "温度")
"""Parts of the names of sensors that measure a temperature."""

_SAME_CLASSES = {"garage_door": "garage", "opening": "window"}
"""Home Assistant's classes of contact sensors that the sentences have under another name."""

_INSIDE_LENGTH = 5
"""The length from which a word is found inside others: "fenster" in "küchenfenster", but "tor" not in "motor"."""

_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NOT_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Device:
    """A device with the place where it stands."""

    id: str
    name: str
    kind: str
    area: str = ""
    floor: str = ""
    names: tuple[str, ...] = ()
    """The name and the aliases, as the recogniser compares them."""

    device_class: str = ""

    @property
    def domain(self) -> str:
        """The one domain that answers are worded for."""
        first, *others = DOMAINS[self.kind]
        return others[0] if others and self.device_class in OPENINGS else first


@dataclass(frozen=True)
class Tool:
    """A tool of the home: which devices it serves, and its parameters in addition to `entity`."""

    name: str
    kinds: frozenset[str]
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    names: frozenset[str] | None = None
    """The devices that it serves, if not all of its kinds: by name, or by id where the name is not unique."""

    def serves(self, device: Device) -> bool:
        """Return whether it can be called for a device."""
        is_served = self.names is None or not self.names.isdisjoint((device.name, device.id))
        return device.kind in self.kinds and is_served


class Spoken(NamedTuple):
    """A name that may be heard."""

    text: str
    value: str
    domain: str = ""


class House:
    """All devices, with lookups by what people say."""

    def __init__(
        self, devices: Sequence[Device], areas: Sequence[Spoken], floors: Sequence[Spoken], tools: Sequence[Tool]
    ):
        self.devices = devices
        self.tools = tools
        self.has_cameras = any(device.kind == "camera" for device in devices)
        self._areas = {each.text.casefold(): each.value for each in areas}
        self._by_name: dict[tuple[str, str], list[Device]] = {}
        for device in devices:
            for name in device.names:
                for domain in DOMAINS[device.kind]:
                    self._by_name.setdefault((name.casefold(), domain), []).append(device)
        names = [Spoken(name, name, domain) for name, domain in self._by_name]
        self._spoken = {"name": _Words(names), "area": _Words(areas), "floor": _Words(floors)}
        self._said_once = _once(device.name.casefold() for device in devices)
        self.names = frozenset(name for name, _ in self._by_name)
        places = (each.text.casefold() for each in (*areas, *floors))
        self.words = frozenset(word for name in (*self.names, *places) for word in name.split())

    def named(self, name: str, domain: str) -> Sequence[Device]:
        """Return the devices that have this name, or this alias, in a domain; more than one if it is not unique."""
        return self._by_name.get((name.casefold(), domain), [])

    @property
    def rooms(self) -> list[str]:
        """The names of the areas."""
        return list(dict.fromkeys(self._areas.values()))

    def domains(self, area: str) -> frozenset[str]:
        """Return the domains of the devices in an area, or of all devices for ""."""
        return frozenset(each.domain for each in self.devices if area in ("", each.area))

    def area(self, name: str) -> str:
        """Return the area that has this name or alias; the name itself if there is none."""
        return self._areas.get(name.casefold(), name)

    def spoken_in(self, text: str) -> dict[str, list[Spoken]]:
        """Return the names of devices, areas and floors that a text holds, by slot list.

        hassil looks for every value of a list at every place. With the few values that can match at all it takes the
        same time in a house of 5,000 devices as in one of ten.
        """
        heard = _Heard(normalize_for_matching(text).text)
        return {slot: words.in_text(heard) for slot, words in self._spoken.items()}

    def spoken_of(self, text: str, devices: Collection[Device]) -> dict[str, list[Spoken]]:
        """Return those of the names in a text that belong to these devices, or to their areas and floors."""
        areas, floors = ({getattr(each, slot).casefold() for each in devices} for slot in ("area", "floor"))
        spoken = self.spoken_in(text)
        return {
            "name": [each for each in spoken["name"] if not {*devices}.isdisjoint(self.named(each.value, each.domain))],
            "area": [each for each in spoken["area"] if each.value.casefold() in areas],
            "floor": [each for each in spoken["floor"] if each.value.casefold() in floors],
        }

    def argument(self, device: Device) -> str:
        """Return how a call names a device: by its name, or by its id where the name is not unique."""
        return device.name if device.name.casefold() in self._said_once else device.id

    def tool(self, names: Iterable[str], device: Device) -> Tool | None:
        """Return the first of the named tools that serves a device, or None."""
        serving = {tool.name: tool for tool in self.tools if tool.serves(device)}
        return next((serving[name] for name in names if name in serving), None)


class _Heard:
    """A text, with a form in which names are quickly found in it, and the way back to its own spelling."""

    def __init__(self, text: str) -> None:
        self._text = text
        places = [(letter, at) for at, each in enumerate(text) for letter in _squeezed(each)]
        self.squeezed = "".join(letter for letter, _ in places)
        self._places = [at for _, at in places]

    def spellings(self, form: str) -> Iterator[str]:
        """Yield how whole words of the text spell a form: "desklamp" and "desk-lamp" for a desk lamp."""
        start = self.squeezed.find(form)
        while start >= 0:
            first, last = self._places[start], self._places[start + len(form) - 1]
            if not (self._text[first - 1 : first].isalnum() or self._text[last + 1 : last + 2].isalnum()):
                yield self._text[first : last + 1]
            start = self.squeezed.find(form, start + 1)


class _Words:
    """Spoken names with a form in which they are quickly found in a text."""

    def __init__(self, spoken: Iterable[Spoken]) -> None:
        self._forms = [(_squeezed(each.text), each) for each in spoken]

    def in_text(self, heard: _Heard) -> list[Spoken]:
        """Return the names that the text holds, as they are and as the text spells them."""
        found = [(form, spoken) for form, spoken in self._forms if form in heard.squeezed]
        spelled = [each._replace(text=text) for form, each in found for text in heard.spellings(form)]
        return list(dict.fromkeys((*(spoken for _, spoken in found), *spelled)))


def _squeezed(text: str) -> str:
    """Return letters and digits only: the recogniser overlooks spaces, hyphens and punctuation."""
    return _NOT_WORD.sub("", text.casefold())


def _once(names: Iterable[str]) -> frozenset[str]:
    seen: dict[str, bool] = {}
    for name in names:
        seen[name] = name not in seen
    return frozenset(name for name, is_once in seen.items() if is_once)


def read_house(data: Mapping[str, Any], class_words: Mapping[str, str]) -> House:
    """Return the home that the daemon describes; `class_words` are the languages' words for classes of covers."""
    rows = data.get("areas", ())
    floors = {row["name"].casefold(): row.get("floor") or "" for row in rows}
    devices = [_device(row, floors, class_words) for row in data.get("entities", ()) if row["kind"] in DOMAINS]
    areas = _with_other_words(list(_places(rows)), (row["name"].casefold() for row in data.get("floors", ())))
    tools = [_tool(row) for row in data.get("tools", ())]
    return House(_with_extra_names(devices, areas), areas, list(_floors(data.get("floors", ()), areas)), tools)


def _with_extra_names(devices: Sequence[Device], areas: Iterable[Spoken]) -> list[Device]:
    names_of: dict[str, list[str]] = {}
    for area in areas:
        names_of.setdefault(area.value.casefold(), []).append(area.text)
    found = extra_names([(each.kind, each.area, each.names) for each in devices], names_of)
    return [replace(device, names=(*device.names, *more)) for device, more in zip(devices, found, strict=True)]


def _with_other_words(areas: list[Spoken], floors: Iterable[str]) -> list[Spoken]:
    values = {area.text: area.value for area in areas}
    more = extra_area_names(list(values), floors)
    return [*areas, *(Spoken(text, values[name]) for text, name in more)]


def _floors(rows: Iterable[Mapping[str, Any]], areas: Iterable[Spoken]) -> Iterator[Spoken]:
    floors = list(_places(rows))
    yield from floors
    values = {floor.text: floor.value for floor in floors}
    for text, name in extra_floor_names(list(values), (area.text for area in areas)):
        yield Spoken(text, values[name])


def _device(row: Mapping[str, Any], floors: Mapping[str, str], class_words: Mapping[str, str]) -> Device:
    names = tuple(_spoken_names(row))
    area = row.get("area") or ""
    of_kind = class_words if row["kind"] in ("cover", "sensor") else {}
    device_class = row.get("device_class") or _class_of(row["kind"], names, of_kind)
    return Device(
        row["id"],
        row["name"],
        row["kind"],
        area,
        floors.get(area.casefold(), ""),
        names,
        _SAME_CLASSES.get(device_class, device_class),
    )


def _spoken_names(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield name and aliases as the recogniser compares them, without those of which nothing is left."""
    texts = (normalize_for_matching(name).text for name in (row["name"], *row.get("aliases", ())))
    return iter(dict.fromkeys(text for text in texts if _squeezed(text)))


def _places(rows: Iterable[Mapping[str, Any]]) -> Iterator[Spoken]:
    for row in rows:
        for text in _spoken_names(row):
            yield Spoken(text, row["name"])


def _tool(row: Mapping[str, Any]) -> Tool:
    names = row.get("entities")
    return Tool(
        row["name"],
        frozenset(row.get("kinds", ())),
        row.get("parameters", {}),
        None if names is None else frozenset(names),
    )


def _class_of(kind: str, names: Sequence[str], class_words: Mapping[str, str]) -> str:
    """Return the class that a device's names say: of the words in them the longest. "" if they say none."""
    text = " ".join(names).casefold()
    if kind == "sensor" and any(part in text for part in _THERMOMETERS):
        return "temperature"
    found = [word for word in class_words if word in text and _is_word(word, text)]
    return class_words[max(found, key=len)] if found else ""


def _is_word(word: str, text: str) -> bool:
    is_inside = len(word) >= _INSIDE_LENGTH or _CJK.search(word)
    return bool(is_inside or re.search(rf"\b{re.escape(word)}\b", text))
