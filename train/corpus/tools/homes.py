"""Houses as people have them: rooms with the devices that belong there, and names that are like each other.

`house.draw_house` draws names and rooms independently of each other; here a lamp stands in its room and is called after
it. Some houses are one room full of similar names, or the twelve devices that the daemon chooses for a sentence.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from train.corpus.base import Split, normal
from train.corpus.home_words import home_names, things
from train.corpus.names import invented, person
from train.corpus.tools.house import Entity, House, draw_area, is_of

MOST_DEVICES = 14
CANDIDATES = 12
"""So many devices the daemon lists in a large home."""

TRIES = 12


@dataclass
class _Plan:
    """A house while it is drawn: its devices, and the names that are taken."""

    rng: random.Random
    split: Split
    entities: list[Entity]
    taken: set[str]

    def add(self, entity: Entity) -> bool:
        """Add a device if its names are of the split and free; return whether it was added."""
        names = {normal(name) for name in (entity.name, *entity.aliases)}
        is_allowed = all(is_of(self.split, "entity", name) for name in (entity.name, *entity.aliases))
        if len(names) <= len(entity.aliases) or not is_allowed or not self.taken.isdisjoint(names):
            return False
        self.taken |= names
        self.entities.append(entity)
        return True

    def try_to_add(self, draw: Callable[[], Entity]) -> None:
        """Add one of a few drawn devices; none if no name is free."""
        any(self.add(draw()) for _ in range(TRIES))


def draw_home(rng: random.Random, split: Split) -> House:
    """Return a house of at most 14 devices, often with the room of the board."""
    draw = rng.choices((_rooms, _one_room, _candidates), (66, 14, 20))[0]
    plan = _Plan(rng, split, [], set())
    floors = draw(plan)
    entities = [replace(each, floor=floors.get(each.area, "")) for each in plan.entities]
    if rng.random() < 0.12:  # a small file of devices may tell no areas
        entities = [replace(each, area="", floor="", place=_named_area(each)) for each in entities]
    spell = rng.choices((str, str.title, str.capitalize), (80, 12, 8))[0]
    entities = [_spelled(each, spell) for each in entities]
    entities = entities[:MOST_DEVICES]
    return House(tuple(entities), _room(rng, entities))


def _named_area(entity: Entity) -> str:
    return entity.area if f"{entity.area} " in entity.name else ""


def _spelled(entity: Entity, spell: Callable[[str], str]) -> Entity:
    def proper(text: str) -> str:
        return text if "'" in text else spell(text)  # str.title would write "Anna'S lamp"

    aliases = tuple(map(proper, entity.aliases))
    return replace(entity, name=proper(entity.name), area=proper(entity.area), place=proper(entity.place),
                   aliases=aliases)  # fmt: skip


def _room(rng: random.Random, entities: list[Entity]) -> str:
    """Return the room of the board; "" if the prompt tells none."""
    areas = sorted({each.area for each in entities if each.area})
    return rng.choice(areas) if areas and rng.random() < 0.45 else ""


def _floors(rng: random.Random, areas: list[str]) -> dict[str, str]:
    """Return the floor of each area; mostly the list tells none."""
    if rng.random() > 0.25:
        return {}
    names = rng.choice(home_names.FLOORS)
    free = [area for area in areas if area not in names]
    return {area: "outside" if area in home_names.OUTDOOR else rng.choice(names) for area in free}


def _rooms(plan: _Plan) -> dict[str, str]:
    """Draw some rooms with the devices that belong there."""
    rng = plan.rng
    areas = list(dict.fromkeys(_area(plan) for _ in range(rng.choice((2, 3, 3, 4, 4, 5, 6)))))
    wanted = rng.choice((4, 5, 6, 6, 7, 8, 8, 9, 10, 10, 11, 12, 13, 14))
    turns = _in_turn(areas, rng)
    while len(plan.entities) < wanted and (area := next(turns, "")):
        plan.try_to_add(lambda area=area: draw_device(rng, area))  # type: ignore[misc]  # bound in this turn
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        plan.try_to_add(lambda: _scene(rng))
    rng.shuffle(plan.entities) if rng.random() < 0.3 else None
    return _floors(rng, areas)


def _in_turn(areas: list[str], rng: random.Random) -> Iterator[str]:
    """Yield areas for the next devices, some more often than others."""
    shares = [rng.choice((1, 1, 2, 3)) for _ in areas]
    for _ in range(4 * MOST_DEVICES):
        yield rng.choices(areas, shares)[0]


def _area(plan: _Plan) -> str:
    """Return an area: mostly a usual room."""
    rng = plan.rng
    for _ in range(TRIES):
        area = rng.choice(home_names.USUAL_ROOMS)
        if rng.random() < 0.7 and is_of(plan.split, "area", area):
            return area
    return draw_area(rng, plan.split)


def _one_room(plan: _Plan) -> dict[str, str]:
    """Draw devices of one or two rooms whose names are like each other."""
    rng = plan.rng
    areas = [_area(plan) for _ in range(rng.choice((1, 1, 2)))]
    kinds = rng.choice(
        (("light",), ("light",), ("light", "cover"), ("light", "switch"), ("cover",), ("media", "light"))
    )
    for _ in range(rng.choice((6, 8, 9, 10, 12))):
        area, kind = rng.choice(areas), rng.choice(kinds)
        plan.try_to_add(lambda area=area, kind=kind: _similar(rng, area, kind, plan.entities))  # type: ignore[misc]
    return {}


def _similar(rng: random.Random, area: str, kind: str, known: list[Entity]) -> Entity:
    """Return a device that is called like another one: with a number, a side or one more word."""
    alike = [each for each in known if each.kind == kind]
    if alike and rng.random() < 0.65:
        other = rng.choice(alike)
        base = other.name
        ending = rng.choice(home_names.NUMBERS + home_names.SIDES)
        name = f"{base} {ending}" if rng.random() < 0.6 else f"{rng.choice(things.ADJECTIVES)} {base}"
        return Entity(name, kind, other.noun, other.area, place=other.area)
    noun = rng.choice(home_names.NOUNS[kind])
    name = noun if rng.random() < 0.5 else f"{area} {noun}"
    return Entity(name, kind, noun, area, place=area)


def _candidates(plan: _Plan) -> dict[str, str]:
    """Draw the list of a large home: twelve devices of one or two kinds, or of one room and a few others."""
    rng = plan.rng
    areas = list(dict.fromkeys(_area(plan) for _ in range(14)))
    kinds = rng.choice((("light",), ("light",), ("cover",), ("climate", "sensor"), ("media",), ("switch", "light"),
                        ("lock", "cover"), ("light", "fan")))  # fmt: skip
    first = areas[0]
    for _ in range(rng.choice((0, 2, 3, 4))):
        plan.try_to_add(lambda: draw_device(rng, first))
    for area in areas * 2:
        if len(plan.entities) >= CANDIDATES:
            break
        plan.try_to_add(lambda area=area: draw_device(rng, area, rng.choice(kinds)))  # type: ignore[misc]
    return _floors(rng, areas)


def draw_device(rng: random.Random, area: str, kind: str = "") -> Entity:
    """Return a device of an area; its names may be taken."""
    kind = kind or rng.choices(list(home_names.KIND_SHARES), list(home_names.KIND_SHARES.values()))[0]
    noun = rng.choice(home_names.NOUNS[kind])
    draw = rng.random()
    if draw < 0.52:
        name = f"{area} {noun}"
    elif draw < 0.76:
        noun = rng.choice(home_names.OWN_NAMES.get(kind, home_names.NOUNS[kind]))
        name = noun
    else:
        name = _special_name(rng, area, noun, kind)
    return Entity(name, kind, noun, area, _aliases(rng, name, noun, area), area)


def _special_name(rng: random.Random, area: str, noun: str, kind: str) -> str:
    draw = rng.random()
    if draw < 0.25:
        return f"{area} {rng.choice(things.ADJECTIVES)} {noun}"
    if draw < 0.4:
        return f"{rng.choice((area, ''))} {noun} {rng.choice(home_names.NUMBERS)}".strip()
    if draw < 0.52:
        return f"{rng.choice(home_names.BRANDS)} {rng.choice((noun, noun, rng.choice(home_names.NUMBERS)))}"
    if draw < 0.62:
        return rng.choice(home_names.FOREIGN.get(kind, (f"{invented(rng)} {noun}",)))
    if draw < 0.75:
        return f"{person(rng)}'s {noun}"
    if draw < 0.85:
        return f"{noun} {rng.choice(home_names.SPOTS)}"
    if draw < 0.93:
        return f"{rng.choice(things.ADJECTIVES)} {noun}"
    return f"{invented(rng)} {noun}" if draw < 0.97 else invented(rng)


def _aliases(rng: random.Random, name: str, noun: str, area: str) -> tuple[str, ...]:
    """Return other names: with another word for the thing, with the room, or invented."""
    if rng.random() > 0.22:
        return ()
    others = [name.replace(noun, each) for each in home_names.SYNONYMS.get(noun, ()) if noun in name]
    if area and area not in name:
        others.append(f"{area} {noun}")
    others.append(f"{invented(rng)} {noun}")
    few = rng.choices((1, 2), (80, 20))[0]
    return tuple(dict.fromkeys(rng.choice(others) for _ in range(few)))


def _scene(rng: random.Random) -> Entity:
    noun = rng.choice(things.SCENES)
    return Entity(noun, "scene", noun)
