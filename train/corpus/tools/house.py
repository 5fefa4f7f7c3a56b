"""Houses: the devices that a system prompt lists, and the ways in which people name one of them.

A house is new in every conversation, and many of its names are invented, so that nothing about it can be learned by
heart: a device must be looked up in the list.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from train.corpus.base import Split, draw_until, is_held_combination, normal
from train.corpus.home_words import things
from train.corpus.names import invented, person
from train.corpus.tools.words import GENERIC, KIND_SHARES, NOUNS

MANY_TRIES = 40


@dataclass(frozen=True)
class Entity:
    """A device, or a scene, as the prompt lists it."""

    name: str
    kind: str
    noun: str
    """People's word for the kind of the device; its name may not contain it."""

    area: str = ""
    aliases: tuple[str, ...] = ()
    place: str = ""
    """The area of the device, from its line in the list or from its name."""

    floor: str = ""
    """The floor of its area, if the list tells it."""

    @property
    def line(self) -> str:
        """Return the line of the device in the list: its name as people say it, kind, area, and its name in a call.

        The name stands at the end, so that everything that distinguishes the device from others comes before it. It
        stands within quotes and after a space, where it has the same tokens as in a call.
        """
        where = f"{self.kind} in {self.area}" if self.area else self.kind
        where += f", {self.floor}" if self.floor else ""
        said = ", ".join((self.name, *self.aliases))
        return f'- {said.lower()}; {where.lower()}: "{self.name}"'

    @property
    def is_several(self) -> bool:
        """Return whether the name is plural (`are`)."""
        return self.name.endswith("s") and not self.name.endswith("ss")


@dataclass(frozen=True)
class House:
    """The devices of a house that accept calls, and the room of the board if the prompt tells it."""

    entities: tuple[Entity, ...]
    room: str = ""

    @property
    def listing(self) -> str:
        """Return the list of devices in the system prompt, after the room of the board."""
        room = [f"Room: {self.room.lower()}"] if self.room else []
        return "\n".join([*room, "Devices:", *(entity.line for entity in self.entities)])

    def of(self, *kinds: str, area: str | None = None, floor: str | None = None) -> list[Entity]:
        """Return the devices of these kinds, in one area, on one floor or anywhere."""
        there = [each for each in self.entities if area in (None, each.place) and floor in (None, each.floor)]
        return [each for each in there if each.kind in kinds]

    def areas(self, kind: str) -> list[str]:
        """Return the areas that have devices of a kind."""
        return sorted({each.place for each in self.of(kind) if each.place})

    def called(self, words: str) -> list[Entity]:
        """Return the devices that have this name or alias."""
        return [each for each in self.entities if normal(words) in map(normal, (each.name, *each.aliases))]


def is_of(split: Split, kind: str, word: str) -> bool:
    """Return whether a name belongs to the split: a tenth of all names and of all areas is never trained."""
    return is_held_combination(kind, normal(word)) == (split != "train")


def _room(rng: random.Random) -> str:
    draw = rng.random()
    if draw < 0.88:
        return rng.choice(things.ROOMS)
    if draw < 0.95:
        return f"{person(rng)}'s {rng.choice(('room', 'bedroom', 'office'))}"
    return f"{invented(rng)} {rng.choice(('room', 'hall', 'corner', 'floor'))}"


def draw_area(rng: random.Random, split: Split) -> str:
    """Return an area of the split."""
    return draw_until(lambda: _room(rng), lambda room: is_of(split, "area", room))


def _name(rng: random.Random, kind: str, noun: str, area: str) -> str:
    if kind == "scene":
        return noun if rng.random() < 0.87 else f"{invented(rng)} {noun}" if rng.random() < 0.5 else invented(rng)
    draw = rng.random()
    if area and draw < 0.5:
        return f"{area} {noun}" if draw < 0.4 else f"{area} {rng.choice(things.ADJECTIVES)} {noun}"
    if draw < 0.62:
        return noun
    if draw < 0.8:
        return f"{rng.choice(things.ADJECTIVES)} {noun}"
    if draw < 0.88:
        return f"{invented(rng)} {noun}"
    if draw < 0.94:
        return f"{person(rng)}'s {noun}"
    return invented(rng) if draw < 0.97 else f"{invented(rng)} {invented(rng)}"


def draw_name(rng: random.Random, split: Split, kind: str, noun: str, area: str) -> str:
    """Return a name of the split."""
    return draw_until(lambda: _name(rng, kind, noun, area), lambda name: is_of(split, "entity", name))


def _entity(rng: random.Random, split: Split, areas: list[str]) -> Entity:
    kind = rng.choices(list(KIND_SHARES), list(KIND_SHARES.values()))[0]
    noun = rng.choice(NOUNS[kind])
    area = rng.choice(areas)
    name = draw_name(rng, split, kind, noun, area)
    few = rng.choices((0, 1, 2), (80, 15, 5))[0] if kind != "scene" else 0
    aliases = tuple(draw_name(rng, split, kind, rng.choice(NOUNS[kind]), area) for _ in range(few))
    listed = area if kind != "scene" and rng.random() < 0.65 else ""
    # The name may contain the area of a device even if its line does not.
    return Entity(name, kind, noun, listed, aliases, listed or (area if f"{area} " in name else ""))


def _titled(text: str) -> str:
    return " ".join(word[:1].upper() + word[1:] for word in text.split(" "))


def _spelled(entity: Entity, spell: Callable[[str], str]) -> Entity:
    aliases = tuple(map(spell, entity.aliases))
    return replace(
        entity, name=spell(entity.name), area=spell(entity.area), aliases=aliases, place=spell(entity.place)
    )  # fmt: skip


def draw_house(rng: random.Random, split: Split) -> House:
    """Return a house of 3 to 14 devices in a few areas; no two devices share a name."""
    areas = [draw_area(rng, split) for _ in range(rng.choice((1, 2, 3, 3, 4, 5)))]
    wanted = rng.choice((3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 9, 10, 12, 14))
    spell = rng.choices((str, _titled, str.capitalize), (85, 12, 3))[0]
    entities: list[Entity] = []
    taken: set[str] = set()
    for _ in range(MANY_TRIES):
        entity = _entity(rng, split, areas)
        names = {normal(name) for name in (entity.name, *entity.aliases)}
        if len(names) > len(entity.aliases) and taken.isdisjoint(names):
            taken |= names
            entities.append(_spelled(entity, spell))
        if len(entities) == wanted:
            break
    return House(tuple(entities))


def with_article(name: str) -> str:
    """Return a room or a device as it is written in a sentence."""
    return name if "'s " in name else f"the {name}"


def _kind_words(entity: Entity) -> tuple[str, ...]:
    """Return words for the kind of a device: from its name, else from its kind."""
    if entity.noun not in entity.name.lower():
        return GENERIC[entity.kind]
    is_plain = entity.kind in ("light", "fan") or entity.noun in ("heating", "heater", "radiator", "thermostat")
    return (entity.noun, *GENERIC[entity.kind]) if is_plain else (entity.noun,)


def _could_be(entity: Entity, area: str, word: str) -> bool:
    """Return whether area and word could mean this device."""
    words = {part for name in (entity.name, *entity.aliases) for part in normal(name).split()}
    is_there = entity.place == area or set(normal(area).split()) <= words
    return is_there and word.split()[-1] in words


def _by_area(rng: random.Random, house: House, entity: Entity) -> str | None:
    """Return area and kind of a device, if they distinguish it from all others."""
    word = rng.choice(_kind_words(entity)).lower()
    if entity.kind in ("light", "climate", "media", "fan") and len(house.of(entity.kind)) == 1 and rng.random() < 0.3:
        return f"the {word}" if not house.called(word) else None
    if not entity.place or entity.kind == "scene" or len(house.of(entity.kind, area=entity.place)) != 1:
        return None
    area = entity.place.lower()
    if any(_could_be(other, entity.place, word) for other in house.entities if other != entity):
        return None
    if "'s " in area:
        return f"the {word} in {area}"
    return rng.choice((f"the {area} {word}", f"the {word} in the {area}", f"the {word} in my {area}"))


def _shortened(rng: random.Random, house: House, entity: Entity) -> str | None:
    """Return a part of the words of a device's name, if no other device has all of these words."""
    words = entity.name.split(" ")
    if len(words) < 3:
        return None
    left = rng.randrange(len(words) - 1)
    short = words[:left] + words[left + 1 :]
    wanted = set(normal(" ".join(short)).split())
    names = [name for other in house.entities if other != entity for name in (other.name, *other.aliases)]
    return None if any(wanted <= set(normal(name).split()) for name in names) else with_article(" ".join(short))


def _by_name(rng: random.Random, entity: Entity, name: str) -> str:
    area = entity.area
    if area and name.lower().startswith(f"{area.lower()} ") and rng.random() < 0.35:
        rest = name[len(area) + 1 :]
        return f"the {rest} in {with_article(area)}"
    if "'s " in name:
        return name
    return rng.choice((f"the {name}", f"the {name}", f"the {name}", f"my {name}", name))


def mention(rng: random.Random, house: House, entity: Entity) -> str:
    """Return a user's name for a device: mostly its name, else an alias, area and kind, or a part of its name."""
    draw = rng.random()
    said: str | None = None
    if draw < 0.24:
        said = _by_area(rng, house, entity)
    elif draw < 0.3:
        said = _shortened(rng, house, entity)
    names = (entity.name, *entity.aliases)
    said = said or _by_name(rng, entity, entity.name if rng.random() < 0.5 else rng.choice(names))
    return said.lower() if rng.random() < 0.6 and said != said.lower() else said
