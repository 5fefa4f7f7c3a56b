"""Questions about states: of one device, of a room's air, and of all devices of a kind.

An answer has the state as the tool told it, in a short sentence; a whole sentence is repeated.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence

from train.corpus.base import fill
from train.corpus.home_words import things
from train.corpus.tools.house import Entity, with_article
from train.corpus.tools.requests import MOST_TOLD, SWITCHED, Asked, Place, state_sentence
from train.corpus.tools.sorts import draw_sort

MOST_ASKED = 6
CANNOT = "I'm sorry, I have no way to do that."
OPPOSITES = {"on": "off", "open": "closed", "closed": "open", "locked": "unlocked", "unlocked": "locked"}


def draw_state(rng: random.Random, entity: Entity) -> str:
    """Return a state of a device as a tool tells it."""
    degrees = f"{rng.randint(5, 30)}{rng.choice(('', '', '.5'))} degrees"
    states: dict[str, tuple[str, ...]] = {
        "light": ("on", "off", f"on, {rng.randint(1, 100)} percent", f"on, {rng.choice(things.COLOURS)}"),
        "cover": ("open", "closed", f"{rng.randint(1, 99)} percent open"),
        "lock": ("locked", "unlocked"),
        "climate": ("on", "off", degrees, degrees),
        "media": ("on", "off", "paused", f"playing {rng.choice(things.MUSIC)}"),
        "sensor": _sensor_states(rng, entity, degrees),
    }
    return rng.choice(states.get(entity.kind, ("on", "off")))


def _sensor_states(rng: random.Random, entity: Entity, degrees: str) -> tuple[str, ...]:
    percent, name = f"{rng.randint(0, 100)} percent", f"{entity.name} {entity.noun}".lower()
    celsius = f"{rng.randint(-10, 35)}{rng.choice(('', '.5', f'.{rng.randint(1, 9)}'))} °C"
    if "motion" in name:
        return ("on", "off", "clear")
    if any(word in name for word in ("window", "door", "contact")):
        return ("open", "closed", "on", "off")
    if any(word in name for word in ("temperature", "thermometer")):
        return (degrees, celsius)
    if "humidity" in name:
        return (percent, f"{rng.randint(20, 90)} %")
    return (degrees, percent, f"{rng.randint(2, 900)} watts", "fine", "low", "high", celsius)


def _told(place: Place, entity: Entity, state: str) -> tuple[str, str]:
    """Return the result of a tool that tells a state, and the answer after it."""
    rng = place.rng
    at = "at " if state[:1].isdigit() and entity.kind in ("climate", "sensor") else ""
    at = "" if entity.kind == "sensor" and not place.is_wide else at
    if place.is_wide and rng.random() < 0.4:
        result = state_sentence(entity, f"at {state}" if state[:1].isdigit() else state)
        return result, result
    at = at if entity.kind == "climate" else ""
    result = state if rng.random() < 0.65 else json.dumps({"state": state}, ensure_ascii=False)
    return result, f"{'They are' if entity.is_several else 'It is'} {at}{state}."


def ask(place: Place, entity: Entity, text: str) -> Asked:
    """Return the question how one device is."""
    result, answer = _told(place, entity, draw_state(place.rng, entity))
    return Asked("state", text, (place.toolbox.call("state", entity=entity.name),), (result,), answer)


def question(place: Place) -> Asked | None:
    """Return a question about the state of a device."""
    rng, house = place.rng, place.house
    if "state" not in place.toolbox.tools or not house.of(*SWITCHED, "cover", "lock", "sensor"):
        return None
    entity = rng.choice(house.of(*SWITCHED, "cover", "lock", "sensor"))
    text = fill(place.form(_form_of(place, entity)), it=place.mention(entity))
    measuring = [each for each in house.of("climate", "sensor", area=entity.place) if _measures_warmth(each)]
    if entity.place and measuring == [entity] and rng.random() < 0.4:
        is_alone = [entity] == [each for each in house.of("climate", "sensor") if _measures_warmth(each)]
        where = "" if is_alone and rng.random() < 0.5 else f"in {with_article(entity.place.lower())}"
        text = fill(place.form("warmth"), place=where).strip()
    return ask(place, entity, text)


def _form_of(place: Place, entity: Entity) -> str:
    if entity.kind == "sensor":
        is_contact = any(word in entity.name.lower() for word in ("window", "door", "contact"))
        return "shut" if is_contact and place.is_wide else "reading"
    if entity.kind == "climate" and place.is_wide and place.rng.random() < 0.5:
        return "target"
    return "shut" if entity.kind in ("cover", "lock") else "state"


def _measures_warmth(entity: Entity) -> bool:
    return entity.kind == "climate" or "temperature" in entity.noun or entity.noun == "thermometer"


def air(place: Place) -> Asked | None:
    """Return a question about the humidity, the temperature or motion in a room, for the one sensor that tells it."""
    rng = place.rng
    form, word = rng.choice((("humidity", "humidity"), ("motion", "motion"), ("warmth", "temperature")))
    sensors = [each for each in place.house.of("sensor") if word in each.name.lower() or word in each.noun]
    if not sensors:
        return None
    entity = rng.choice(sensors)
    there = [each for each in sensors if each.place == entity.place]
    climates = place.house.of("climate", area=entity.place) if form == "warmth" else []
    if not entity.place or there != [entity] or climates:
        return None
    is_here = place.house.room == entity.place or (sensors == [entity] and form == "humidity" and rng.random() < 0.4)
    where = (
        rng.choice(("in here", "here", "")) if is_here and rng.random() < 0.7 else f"in {with_article(entity.place)}"
    )
    if form == "motion" and not where:
        where = "here"
    text = " ".join(fill(place.form(form), place=where.lower()).split())
    if "state" not in place.toolbox.tools:
        return Asked("no tool", text, (), (), CANNOT)
    return ask(place, entity, text)


def unread(place: Place) -> Asked | None:
    """Return a question about a state where no tool reads states."""
    devices = place.house.of(*SWITCHED, "cover", "lock")
    if "state" in place.toolbox.tools or not devices:
        return None
    entity = place.rng.choice(devices)
    text = fill(place.form(_form_of(place, entity)), it=place.mention(entity))
    return Asked("no tool", text, (), (), CANNOT)


def names_of(entities: Sequence[Entity]) -> str:
    """Return the names of devices as a list in a sentence."""
    names = [with_article(each.name) for each in entities]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _summary(entities: Sequence[Entity], states: Sequence[str], word: str) -> str:
    """Return which of the devices are in a state, in one sentence."""
    found = [each for each, state in zip(entities, states, strict=True) if state.split(",")[0] == word]
    if not found:
        return f"All of them are {OPPOSITES[word]}." if len(entities) > 1 else f"It is {OPPOSITES[word]}."
    if len(found) == len(entities) and len(entities) > MOST_TOLD:
        return f"All of them are {word}."
    verb = "are" if len(found) > 1 or found[0].is_several else "is"
    named = names_of(found)
    return f"{named[:1].upper()}{named[1:]} {verb} {word}."


def _draw_states(rng: random.Random, entities: Sequence[Entity], word: str) -> list[str]:
    """Return a state for each device, more often the usual one."""
    share = rng.choice((0.0, 0.2, 0.4, 0.7, 1.0))
    found = [rng.random() < share for _ in entities]
    is_dimmed = [word == "on" and each.kind == "light" and rng.random() < 0.3 for each in entities]
    on = [f"{word}, {rng.randint(1, 100)} percent" if dimmed else word for dimmed in is_dimmed]
    return [state if is_so else OPPOSITES[word] for state, is_so in zip(on, found, strict=True)]


def check_all(place: Place, entities: list[Entity], text: str, word: str) -> Asked | None:
    """Return the question which of several devices are in a state; of too many a room is asked."""
    rng = place.rng
    if not entities:
        return None
    if "state" not in place.toolbox.tools:
        return Asked("no tool", text, (), (), CANNOT)
    if len(entities) > MOST_ASKED:
        return Asked("too many", text, (), (), "That is too many at once. In which room?")
    states = _draw_states(rng, entities, word)
    tell: Callable[[Entity, str], str] = rng.choice((
        lambda _, state: state, lambda _, state: state, state_sentence, lambda _, state: json.dumps({"state": state})
    ))  # fmt: skip
    results = tuple(tell(each, state) for each, state in zip(entities, states, strict=True))
    calls = tuple(place.toolbox.call("state", entity=each.name) for each in entities)
    return Asked("state", text, calls, results, _summary(entities, states, word))


def which_are(place: Place) -> Asked | None:
    """Return a question which lights are on, whether a window is open, or whether the doors are locked."""
    rng, house = place.rng, place.house
    word, form, kinds = rng.choice((
        ("on", "which_on", ("light",)), ("on", "which_on", ("light",)), ("on", "which_on", ("fan",)),
        ("on", "which_on", ("media",)), ("open", "which_open", ("cover",)), ("locked", "which_locked", ("lock",)),
        ("open", "which_open", ("sensor",)), ("on", "anything_on", SWITCHED), ("open", "anything_open", ("cover",)),
    ))  # fmt: skip
    where, there = _where(place, kinds)
    them = ""
    if kinds == ("sensor",):
        them, there = "windows", [each for each in there if "window" in each.name.lower()]
    elif len(kinds) == 1 and not form.startswith("anything"):
        them, there = draw_sort(rng, there, house.of(*kinds))
    if not there or house.called(them):
        return None
    template = place.form(form)
    if "{them}" in template and not where and not _is_whole(template) and house.room:
        return None
    words = fill(template, them=them, one=them.removesuffix("s"), where=where)
    return check_all(place, there, " ".join(words.replace(" ?", "?").split()), _asked_state(template, word))


def _asked_state(template: str, usual: str) -> str:
    """Return the state that a question is about, where its words name another one than usual."""
    if "unlocked" in template or "not locked" in template or "aren't locked" in template:
        return "unlocked"
    return "closed" if usual == "open" and "closed" in template and template.startswith(("which", "what")) else usual


def _is_whole(template: str) -> bool:
    return any(word in f" {template} " for word in (" all ", " any ", " every ", " which ", " what ", " a "))


def _where(place: Place, kinds: tuple[str, ...]) -> tuple[str, list[Entity]]:
    """Return a place in words, and the devices there; "" means the whole house."""
    rng, house = place.rng, place.house
    areas = sorted({each.place for each in house.of(*kinds) if each.place})
    floors = sorted({each.floor for each in house.of(*kinds) if each.floor and " " not in each.floor})
    draw = rng.random()
    if floors and draw < 0.3:
        floor = rng.choice(floors)
        return floor, house.of(*kinds, floor=floor)
    if house.room in areas and draw < 0.5:
        return rng.choice(("in here", "in this room")), house.of(*kinds, area=house.room)
    if areas and draw < 0.8:
        area = rng.choice(areas)
        return f"in {with_article(area.lower())}", house.of(*kinds, area=area)
    return "", house.of(*kinds)
