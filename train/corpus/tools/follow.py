"""Requests that can only be understood from the one before, or from the question that was asked back."""

from __future__ import annotations

from train.corpus.base import fill
from train.corpus.tools.house import Entity
from train.corpus.tools.mentions import is_clear
from train.corpus.tools.requests import HOW_MUCH, KINDS, OPPOSITES, WHERE, WHICH, Asked, Place, order, values_of
from train.corpus.tools.words import FRAMES


def follow_up(place: Place, before: Asked) -> Asked | None:
    """Return a request that can only be understood from the one before: the opposite, or another device."""
    rng, meaning = place.rng, before.meaning
    if before.then:
        return _answered(place, before)
    if not before.entity:
        return None
    if before.kind == HOW_MUCH:
        values, said = values_of(place, meaning)
        form = "degrees_again" if meaning == "temperature" else "percent_again"
        return order(place, meaning, before.entity, fill(place.form(form), **said), values, "follow-up")
    opposite = OPPOSITES.get(meaning, "")
    if opposite in place.toolbox.tools and rng.random() < 0.5:
        text = place.form(f"undo_{opposite.removeprefix('turn_')}")
        return order(place, opposite, before.entity, text, {}, "follow-up")
    others = [each for each in place.house.of(*KINDS[meaning]) if each != before.entity]
    if not others or meaning == "scene":
        return None
    other = rng.choice(others)
    text = fill(place.form("again"), it=place.mention(other))
    return order(place, meaning, other, text, dict(before.values), "follow-up")


def _answered(place: Place, before: Asked) -> Asked | None:
    """Return the answer to the question which device or which room is meant."""
    if before.kind == WHERE:
        return _with_area(place, before)
    if before.kind == WHICH:
        areas = [each.place for each in before.choices if each.place]
        is_area = len(set(areas)) == len(before.choices)
        if is_area and place.rng.random() < 0.4:
            return _with_area(place, before)
        entity = place.rng.choice(before.choices)
        return _then(
            before, place, [entity], fill(FRAMES["which"].pick(place.rng, place.split), it=_name(place, entity))
        )
    return None


def _name(place: Place, entity: Entity) -> str:
    """Return the name of a device, or the word that tells it from the others."""
    words = entity.name.split(" ")
    first = " ".join(words[:-1])
    if len(words) > 1 and is_clear(place.house, entity, first) and place.rng.random() < 0.35:
        return f"the {first} one".lower()
    return place.mention(entity)


def _with_area(place: Place, before: Asked) -> Asked | None:
    areas = sorted({each.place for each in before.choices if each.place and "'s " not in each.place})
    if not areas:
        return None
    area = place.rng.choice(areas)
    said = area.lower() if place.rng.random() < 0.5 else f"the {area.lower()}"
    text = fill(FRAMES["which_area"].pick(place.rng, place.split), area=said)
    return _then(before, place, [each for each in before.choices if each.place == area], text)


def _then(before: Asked, place: Place, entities: list[Entity], text: str) -> Asked | None:
    return before.then(place, entities, text) if before.then else None
