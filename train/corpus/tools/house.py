"""Houses: the devices that a system prompt lists, and the ways in which people name one of them.

A house is new in every conversation, and many of its names are made up, so that nothing about it can be learned by
heart: a device has to be looked up in the list.
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
    """What kind of thing people say it is, which its name may not tell."""

    area: str = ""
    aliases: tuple[str, ...] = ()
    place: str = ""
    """Where it is, by the area in its line or by its name."""

    @property
    def line(self) -> str:
        """Its line in the list: what people say in the letters of speech, what and where it is, what a call has to say.

        The name stands at the end, so that whoever looks it up meets all that tells a device from others before it,
        and within quotes and behind a space, where it has the tokens that it has in a call.
        """
        where = f"{self.kind} in {self.area}" if self.area else self.kind
        said = ", ".join((self.name, *self.aliases))
        return f'- {said.lower()}; {where.lower()}: "{self.name}"'

    @property
    def is_several(self) -> bool:
        """Whether its name wants `are`."""
        return self.name.endswith("s") and not self.name.endswith("ss")


@dataclass(frozen=True)
class House:
    """All devices that can be told something."""

    entities: tuple[Entity, ...]

    @property
    def listing(self) -> str:
        """What the system prompt says of them."""
        return "\n".join(["Devices:", *(entity.line for entity in self.entities)])

    def of(self, *kinds: str, area: str | None = None) -> list[Entity]:
        """The devices of these kinds, in one area or anywhere."""
        return [each for each in self.entities if each.kind in kinds and area in (None, each.place)]

    def areas(self, kind: str) -> list[str]:
        """Where devices of a kind are."""
        return sorted({each.place for each in self.of(kind) if each.place})

    def called(self, words: str) -> list[Entity]:
        """The devices whose name or other name is this."""
        return [each for each in self.entities if normal(words) in map(normal, (each.name, *each.aliases))]


def is_of(split: Split, kind: str, word: str) -> bool:
    """Whether a name belongs to the split: a tenth of all names and of all areas is never trained."""
    return is_held_combination(kind, normal(word)) == (split != "train")


def _room(rng: random.Random) -> str:
    draw = rng.random()
    if draw < 0.88:
        return rng.choice(things.ROOMS)
    if draw < 0.95:
        return f"{person(rng)}'s {rng.choice(('room', 'bedroom', 'office'))}"
    return f"{invented(rng)} {rng.choice(('room', 'hall', 'corner', 'floor'))}"


def draw_area(rng: random.Random, split: Split) -> str:
    """An area of the split."""
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
    """A name of the split."""
    return draw_until(lambda: _name(rng, kind, noun, area), lambda name: is_of(split, "entity", name))


def _entity(rng: random.Random, split: Split, areas: list[str]) -> Entity:
    kind = rng.choices(list(KIND_SHARES), list(KIND_SHARES.values()))[0]
    noun = rng.choice(NOUNS[kind])
    area = rng.choice(areas)
    name = draw_name(rng, split, kind, noun, area)
    few = rng.choices((0, 1, 2), (80, 15, 5))[0] if kind != "scene" else 0
    aliases = tuple(draw_name(rng, split, kind, rng.choice(NOUNS[kind]), area) for _ in range(few))
    listed = area if kind != "scene" and rng.random() < 0.65 else ""
    # The name may say where a device is even if its line does not.
    return Entity(name, kind, noun, listed, aliases, listed or (area if f"{area} " in name else ""))


def _titled(text: str) -> str:
    return " ".join(word[:1].upper() + word[1:] for word in text.split(" "))


def _spelled(entity: Entity, spell: Callable[[str], str]) -> Entity:
    aliases = tuple(map(spell, entity.aliases))
    return replace(
        entity, name=spell(entity.name), area=spell(entity.area), aliases=aliases, place=spell(entity.place)
    )  # fmt: skip


def draw_house(rng: random.Random, split: Split) -> House:
    """A house of 3 to 14 devices in a few areas; no two of them share a name."""
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
    """A room or a device as it stands in a sentence."""
    return name if "'s " in name else f"the {name}"


def _kind_words(entity: Entity) -> tuple[str, ...]:
    """What people say it is: as its name has it, or else by its kind."""
    if entity.noun not in entity.name.lower():
        return GENERIC[entity.kind]
    is_plain = entity.kind in ("light", "fan") or entity.noun in ("heating", "heater", "radiator", "thermostat")
    return (entity.noun, *GENERIC[entity.kind]) if is_plain else (entity.noun,)


def _could_be(entity: Entity, area: str, word: str) -> bool:
    """Whether area and word might mean this device."""
    words = {part for name in (entity.name, *entity.aliases) for part in normal(name).split()}
    is_there = entity.place == area or set(normal(area).split()) <= words
    return is_there and word.split()[-1] in words


def _by_area(rng: random.Random, house: House, entity: Entity) -> str | None:
    """By its area and its kind, if that tells it from all others."""
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
    """By a part of the words of its name, if no other device has all of these."""
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
    """How a user names a device: by name mostly, by another name, by area and kind, or by a part of its name."""
    draw = rng.random()
    said: str | None = None
    if draw < 0.24:
        said = _by_area(rng, house, entity)
    elif draw < 0.3:
        said = _shortened(rng, house, entity)
    names = (entity.name, *entity.aliases)
    said = said or _by_name(rng, entity, entity.name if rng.random() < 0.5 else rng.choice(names))
    return said.lower() if rng.random() < 0.6 and said != said.lower() else said
