"""Requests that name no device: "the lights", "turn it up", "20 degrees please".

They mean the room of the board. If the prompt tells none, they mean the only room that has such devices; else the
assistant asks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from train.corpus.base import fill
from train.corpus.tools.amounts import Amount, with_unit
from train.corpus.tools.house import Entity, with_article
from train.corpus.tools.requests import KINDS, WHERE, WHICH, Asked, Place, order, several
from train.corpus.tools.sets import amount_of, set_text
from train.corpus.tools.sorts import draw_sort
from train.corpus.tools.states import CANNOT, check_all
from train.corpus.tools.words import GENERIC

MOST_NAMED = 4
HERE = ("", "", "", "in here", "here", "in this room", "in the room")
SINGULARS = {
    "light": ("light", "light", "lamp"), "cover": ("blind", "curtain", "shutter"), "fan": ("fan",),
    "media": ("tv", "music", "radio", "speaker"), "climate": ("heating", "heater", "thermostat", "radiator"),
}  # fmt: skip


def scope(place: Place, kinds: Sequence[str]) -> list[Entity]:
    """Return the devices that are meant without a name: of the board's room, else of the only room that has any.

    The list is empty if it is not clear.
    """
    house = place.house
    everywhere = house.of(*kinds)
    if house.room and (here := house.of(*kinds, area=house.room)):
        return here
    areas = {each.place for each in everywhere}
    is_clear = len(everywhere) == 1 or (len(areas) == 1 and areas != {""})
    return everywhere if is_clear else []


def here_words(place: Place, kind: str) -> str:
    """Return words for the board's room, often none; none at all if it has no devices of this kind."""
    has_any = bool(place.house.room) and bool(place.house.of(kind, area=place.house.room))
    return place.rng.choice(HERE) if has_any else ""


def ask_which(entities: Sequence[Entity]) -> str:
    """Return the question which device is meant."""
    names = [with_article(each.name) for each in entities]
    if not 1 < len(names) <= MOST_NAMED:
        return "Which one do you mean?"
    return f"Which one do you mean: {', '.join(names[:-1])} or {names[-1]}?"


def the_ones(place: Place) -> Asked | None:
    """Return a request for "the lights", "the blinds" or "the heating" without saying where."""
    rng = place.rng
    kind = rng.choice(("light", "light", "light", "light", "cover", "cover", "fan", "media", "climate"))
    meanings = [each for each, kinds in KINDS.items() if kind in kinds and each in place.toolbox.tools]
    meanings = [each for each in meanings if each not in ("play", "pause")]
    if not meanings or not place.house.of(kind):
        return None
    meaning = rng.choice(meanings)
    if kind == "climate" and meaning == "temperature" and rng.random() < 0.7:
        return _heating_here(place)
    is_plural = rng.random() < (0.8 if kind == "light" else 0.4)
    return (_plural_request if is_plural else _singular_request)(place, kind, meaning)


def _plural_request(place: Place, kind: str, meaning: str) -> Asked | None:
    there = scope(place, (kind,))
    them, everywhere = draw_sort(place.rng, there or place.house.of(kind), place.house.of(kind))
    found = everywhere if there else []
    if not everywhere or place.house.called(them) or place.house.called(f"the {them}"):
        return None
    amount = amount_of(place, meaning)
    where = here_words(place, kind)
    text = (
        f"{set_text(place, meaning, them, amount, explicit=bool(where) and place.rng.random() < 0.2)} {where}".strip()
    )
    if found:
        return several(place, meaning, found, text, "here", amount.values)
    if len(everywhere) == 1:
        return order(place, meaning, everywhere[0], text, amount.values, "here")
    return _asking(place, meaning, everywhere, text, amount, WHERE if _has_areas(everywhere) else WHICH)


def _has_areas(entities: Sequence[Entity]) -> bool:
    return all(each.place for each in entities) and len({each.place for each in entities}) > 1


def _singular_request(place: Place, kind: str, meaning: str) -> Asked | None:
    """Return a request for "the light" or "the lamp": all of the room, or the one whose name has the word."""
    rng, house = place.rng, place.house
    word = rng.choice(SINGULARS.get(kind, GENERIC[kind]))
    everywhere = house.of(kind)
    if word not in ("light", "lamp", "heating", "fan"):
        everywhere = [each for each in everywhere if word in each.name.lower() or word == each.noun]
    if not everywhere or house.called(word):
        return None
    found = [each for each in scope(place, (kind,)) if each in everywhere]
    named = [each for each in found if word in each.name.lower().split(" ")]
    found = named if word == "lamp" and named else found
    said = rng.choice((f"the {word}", f"the {word}", word, f"my {word}", f"this {word}"))
    amount = place.amount(meaning)
    text = place.command(meaning, kind, said, amount)
    if found and (len(found) == 1 or kind == "light"):
        return several(place, meaning, found, text, "here", amount.values)
    choices = found or everywhere
    return _asking(place, meaning, choices, text, amount, WHICH) if len(choices) > 1 else None


def _asking(place: Place, meaning: str, entities: list[Entity], text: str, amount: Amount, kind: str) -> Asked | None:
    """Return the request with the question which device or room is meant."""
    answer = "In which room?" if kind == WHERE else ask_which(entities)

    def then(there: Place, chosen: list[Entity], words: str) -> Asked | None:
        return several(there, meaning, chosen, words, "follow-up", amount.values)

    return Asked(kind, text, (), (), answer, choices=tuple(entities), then=then)


def _heating_here(place: Place) -> Asked | None:
    """Return a temperature without a device: "make it 20 degrees in here"."""
    heaters = [each for each in place.house.of("climate") if "air" not in each.noun]
    found = [each for each in scope(place, ("climate",)) if each in heaters]
    amount = place.amount("temperature")
    where = here_words(place, "climate")
    template = with_unit(place.rng, place.form("heating"), amount.said)
    said = {key: each for key, each in amount.said.items() if key != "unit"}
    text = " ".join(fill(template, place=where, **said).split())
    if len(found) == 1:
        return order(place, "temperature", found[0], text, amount.values, "here")
    choices = found or heaters
    return _asking(place, "temperature", choices, text, amount, WHICH) if len(choices) > 1 else None


def light_here(place: Place) -> Asked | None:
    """Return a wish for light or darkness without a room: "some light please", "lights out"."""
    rng = place.rng
    meaning, form = rng.choice((("turn_on", "dark"), ("turn_on", "dark"), ("turn_off", "bright")))
    everywhere = place.house.of("light")
    if meaning not in place.toolbox.tools or not everywhere:
        return None
    where = here_words(place, "light")
    text = " ".join(re.sub(r" ,", ",", fill(place.form(form), place=where)).split())
    found = scope(place, ("light",))
    if found:
        return several(place, meaning, found, text, "need")
    return _asking(place, meaning, everywhere, text, Amount(), WHERE if _has_areas(everywhere) else WHICH)


def music_here(place: Place) -> Asked | None:
    """Return a wish about music without a player: "play some jazz", "pause", "volume to 30"."""
    rng = place.rng
    players = place.house.of("media")
    meaning = rng.choice(("play", "play", "pause", "pause", "volume"))
    if not players:
        return None
    amount = place.amount(meaning)
    if meaning == "pause":
        text = place.form(rng.choice(("music_off", "music_pause")))
    elif meaning == "play":
        text = place.command("play", "", "", amount)
    else:
        amount = amount_of(place, meaning)
        text = fill(rng.choice(VOLUMES), n=amount.said["n"])
    if meaning not in place.toolbox.tools:
        return Asked("no tool", text, (), (), CANNOT)
    found = scope(place, ("media",))
    if len(found) == 1:
        return order(place, meaning, found[0], text, amount.values, "here")
    return _asking(place, meaning, found or players, text, amount, WHICH)


VOLUMES = (
    "volume {n}", "volume to {n}", "volume to {n} percent", "set the volume to {n}", "set the volume to {n} percent",
    "turn the volume to {n}", "volume at {n} percent", "change the volume to {n} percent", "put the volume at {n}",
    "volume {n} percent please", "could you set the volume to {n} percent", "I want the volume at {n}",
    "turn it up to {n}", "turn it down to {n} percent", "turn the volume down to {n}", "make the volume {n}",
    "turn the volume up to {n} percent", "make the volume {n} percent", "please set the volume to {n}",
    "adjust the volume to {n} percent",
)  # fmt: skip


def question_here(place: Place) -> Asked | None:
    """Return a question about "the lights" or "the blinds" of the board's room."""
    rng, house = place.rng, place.house
    kind = rng.choice(("light", "light", "cover", "media", "fan"))
    form, word = ("which_open", "open") if kind == "cover" else ("which_on", "on")
    there = house.of(kind, area=house.room) if house.room else []
    if not there:
        return None
    them, there = draw_sort(rng, there, house.of(kind))
    if not there or house.called(them):
        return None
    template = place.form(form)
    where = rng.choice(("in here", "here", "in this room", "" if "the {them}" in template else "in here"))
    text = fill(template, them=them, one=them.removesuffix("s"), where=where)
    return check_all(place, there, " ".join(text.replace(" ?", "?").split()), word)
