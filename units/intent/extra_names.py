"""Further names of devices: other words for the same thing, as long as no other device is called so."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

SAME_WORDS: Mapping[str, Sequence[Sequence[str]]] = {
    "light": [("light", "lamp"), ("lights", "lamps")],
    "media": [("tv", "television", "telly"), ("speaker", "loudspeaker")],
    "cover": [("blinds", "blind", "shades", "shade"), ("curtains", "curtain", "drapes"), ("shutters", "shutter")],
    "climate": [("heater", "heating", "radiator", "thermostat", "heat")],
    "fan": [("fan", "ventilator", "ventilation")],
    "switch": [("socket", "plug", "outlet")],
}
"""By kind, words at the end of a name of which people say one for the other."""

_LOCK = "lock"
_LOCKS = ("{name} lock", "lock of the {name}", "lock on the {name}")
"""How people call the lock of a door that is listed under the name of the door."""

_LIGHTS = ("light", "lamp")
_PLACED = "light"
"""The kind of which a room has several: "the light in the kitchen" is the kitchen light if there is one."""

_PLACES = ("{thing} in {area}", "{thing} in the {area}", "{thing} of the {area}", "{thing} {area}", "{area} {thing}")

_NEAR = ("at", "on", "over", "above", "by")
"""Where a light is that is called by another thing: the light over the mirror is the mirror light."""


def extra_names(rows: Sequence[tuple[str, str, Sequence[str]]], areas: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return further names for each device: a row is its kind, its area and its names; an area has several names.

    A name that some device has already stays with that one. Two devices may get the same further name: then it is as
    unclear as if they were called so, and whoever says it is asked.
    """
    taken = {name.casefold() for _, _, names in rows for name in names}
    taken |= {name.casefold() for names in areas.values() for name in names}
    return [
        [
            each
            for each in dict.fromkeys(_of(kind, names, areas.get(area.casefold(), ())))
            if each.casefold() not in taken
        ]
        for kind, area, names in rows
    ]


def _of(kind: str, names: Iterable[str], areas: Sequence[str]) -> Iterator[str]:
    for name in map(str.casefold, names):
        first, _, last = name.rpartition(" ")
        for words in SAME_WORDS.get(kind, ()) if first else ():
            if last in words:
                yield from (f"{first} {word}" for word in words)
        if kind == _LOCK and last != _LOCK:
            yield from (form.format(name=name) for form in _LOCKS)
        if kind == _PLACED and first in map(str.casefold, areas):
            yield from (form.format(thing=last, area=area) for area in areas for form in _PLACES)
        elif kind == _PLACED and last in _LIGHTS and first:
            yield from (f"{last} {near} the {first}" for near in _NEAR)


_FLOORS = (
    ("outside", "outdoors", "outdoor", "exterior", "out of doors"),
    ("upstairs", "first floor", "upper floor", "top floor", "second floor"),
    ("downstairs", "ground floor", "lower floor", "main floor"),
    ("basement", "lower level"),
)
"""Words for a floor of which people say one for the other; "floor" at the end may be missing."""


_AREAS = (
    ("bathroom", "bath", "restroom", "washroom"),
    ("living room", "lounge", "sitting room", "front room", "family room"),
    ("hallway", "hall", "corridor", "entrance hall"),
    ("cellar", "basement"),
    ("kids room", "children's room", "kids' room", "kid's room", "nursery", "playroom"),
    ("garden", "yard", "backyard", "back yard", "back garden"),
    ("patio", "terrace"),
    ("office", "study", "home office"),
    ("laundry room", "utility room", "laundry"),
    ("attic", "loft"),
    ("guest room", "spare room", "guest bedroom", "spare bedroom"),
)
"""Words for a room of which people say one for the other."""


def extra_area_names(names: Sequence[str], taken: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield further names for areas, each with a name of its area, where no place is called so already."""
    return _more_names(_AREAS, names, taken)


def extra_floor_names(names: Sequence[str], taken: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield further names for floors, each with the name of its floor, where no place is called so already."""
    return _more_names(_FLOORS, names, taken)


def _more_names(
    groups: Iterable[Sequence[str]], names: Sequence[str], taken: Iterable[str]
) -> Iterator[tuple[str, str]]:
    known = {each.casefold() for each in (*names, *taken)}
    for words in groups:
        found = [name for name in names if name.casefold() in words]
        if len(found) == 1:
            yield from ((word, found[0]) for word in words if word not in known)
