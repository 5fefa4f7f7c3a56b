"""Requests that a house can carry out: the sentence, the required calls, and the answer after them.

A function that makes a request returns None if this house has no such request.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass

from train.corpus.base import Split, expand, fill, normal
from train.corpus.home_words import things
from train.corpus.numbers import spoken
from train.corpus.tools.house import Entity, House, draw_area, mention, with_article
from train.corpus.tools.toolbox import Call, Toolbox, Value
from train.corpus.tools.words import FORMS, PLURALS, held_forms

SWITCHED = ("light", "switch", "fan", "climate", "media")
MOST_CALLS = 4
HOW_MUCH = "how much"
"""The question for a missing number; the next request may be the number alone."""

KINDS = {
    "turn_on": SWITCHED, "turn_off": SWITCHED, "open": ("cover",), "close": ("cover",), "lock": ("lock",),
    "unlock": ("lock",), "brightness": ("light",), "color": ("light",), "position": ("cover",),
    "temperature": ("climate",), "volume": ("media",), "pause": ("media",), "play": ("media",), "scene": ("scene",),
}  # fmt: skip
SHARES = {
    "turn_on": 22, "turn_off": 20, "open": 7, "close": 7, "lock": 3, "unlock": 3, "brightness": 8, "color": 6,
    "position": 4, "temperature": 8, "volume": 4, "pause": 3, "play": 5, "scene": 6,
}  # fmt: skip
PRACTISED = SHARES | {"turn_on": 28, "turn_off": 26, "color": 12, "play": 12, "pause": 6}
"""Requests that are hard to learn are more frequent in training than in the evaluation."""

OPPOSITES = {
    "turn_on": "turn_off", "turn_off": "turn_on", "open": "close", "close": "open", "lock": "unlock", "unlock": "lock",
}  # fmt: skip
SAID = {
    "turn_on": "on", "turn_off": "off", "open": "open", "close": "closed", "lock": "locked", "unlock": "unlocked",
    "brightness": "at {percent} percent", "color": "{color}", "position": "at {percent} percent",
    "temperature": "set to {degrees} degrees", "volume": "at {percent} percent", "pause": "paused",
    "play": "playing {media}", "scene": "on",
}  # fmt: skip
SUCCESSES = ("done", "done", "ok", '{"ok": true}', '{"success": true}')


@dataclass(frozen=True)
class Place:
    """The situation of a request: the house, its tools, and whether the words may be trained."""

    rng: random.Random
    split: Split
    house: House
    toolbox: Toolbox

    def form(self, meaning: str) -> str:
        """Return a phrasing of the split; if there are few phrasings, possibly none is held out."""
        held = held_forms(meaning) if self.split != "train" else []
        return expand(self.rng, self.rng.choice(held)) if held else FORMS[meaning].pick(self.rng, "train")

    def mention(self, entity: Entity) -> str:
        """Return the user's name for a device."""
        return mention(self.rng, self.house, entity)


@dataclass(frozen=True)
class Asked:
    """A request: the user's words, the required calls, their results, the answer after them."""

    kind: str
    text: str
    calls: tuple[Call, ...]
    results: tuple[str, ...]
    answer: str
    meaning: str = ""
    entity: Entity | None = None
    values: tuple[tuple[str, Value], ...] = ()


Maker = Callable[[Place], Asked | None]


def sentence(meaning: str, is_several: bool, **values: Value) -> str:
    """Return the confirmation after an action, without the device's name, which is already known then."""
    return f"{'They are' if is_several else 'It is'} {SAID[meaning].format(**values)}."


def values_of(place: Place, meaning: str) -> tuple[dict[str, Value], dict[str, str]]:
    """Return the arguments of an action besides its device, and the same in words."""
    rng = place.rng
    if meaning in ("brightness", "position", "volume"):
        number = rng.choice((rng.randint(0, 100), 10 * rng.randint(0, 10), 25 * rng.randint(1, 4)))
        return {"percent": number}, {"n": spoken(rng, number)}
    if meaning == "temperature":
        degrees = rng.randint(5, 30)
        if rng.random() < 0.15:
            return {"degrees": degrees + 0.5}, {"n": f"{degrees}.5"}
        return {"degrees": degrees}, {"n": spoken(rng, degrees)}
    if meaning == "color":
        tool = place.toolbox.tools.get("color")
        colour = rng.choice(next(iter(tool.enums.values() if tool else ()), things.COLOURS))
        return {"color": colour}, {"colour": colour}
    if meaning == "play":
        music = rng.choice(things.MUSIC)
        return {"media": music}, {"music": music}
    return {}, {}


def order(place: Place, meaning: str, entity: Entity, text: str, values: dict[str, Value], kind: str = "") -> Asked:
    """Return the request that one device does one thing."""
    call = place.toolbox.call(meaning, entity=entity.name, **values)
    answer = sentence(meaning, entity.is_several, **values)
    success = place.rng.choice(SUCCESSES)
    label = kind or meaning
    return Asked(label, text, (call,), (success,), answer, meaning, entity, tuple(values.items()))


def action(place: Place, wanted: str = "") -> Asked | None:
    """Return a request in which one device does one thing."""
    rng, house = place.rng, place.house
    possible = [meaning for meaning in SHARES if meaning in place.toolbox.tools and house.of(*KINDS[meaning])]
    if not possible or (wanted and wanted not in possible):
        return None
    shares = PRACTISED if place.split == "train" else SHARES
    meaning = wanted or rng.choices(possible, [shares[each] for each in possible])[0]
    entity = rng.choice(house.of(*KINDS[meaning]))
    values, said = values_of(place, meaning)
    form = place.form(meaning)
    if meaning == "scene":
        name = entity.name if rng.random() < 0.4 else entity.name.lower()
        return order(place, meaning, entity, fill(form, scene=name), values)
    it = place.mention(entity)
    text = fill(form, it=it, **said) + (f" on {it}" if meaning == "play" else "")
    return order(place, meaning, entity, text, values)


def by_need(place: Place) -> Asked | None:
    """Return a request such as "too dark" or "too bright", which means the light of that area, or all of them."""
    meaning, form = place.rng.choice((("turn_on", "dark"), ("turn_on", "dark"), ("turn_off", "bright")))
    areas = place.house.areas("light")
    if meaning not in place.toolbox.tools or not areas:
        return None
    area = place.rng.choice(areas)
    if place.rng.random() < 0.15:
        return _no_light(place, form)
    text = fill(place.form(form), place=f"in {with_article(area.lower())}")
    return several(place, meaning, place.house.of("light", area=area), text, "need")


def _no_light(place: Place, form: str) -> Asked | None:
    """Return a request such as "too dark" in an area without a light."""
    rooms = {each.place for each in place.house.entities if each.place and "'s " not in each.place}
    rooms -= set(place.house.areas("light"))
    area = place.rng.choice([*sorted(rooms), draw_area(place.rng, place.split)]).lower()
    if any(area in light.line.lower() for light in place.house.of("light")):
        return None
    where = f"in {with_article(area)}"
    text = fill(place.form(form), place=where)
    return Asked("unknown device", text, (), (), f"I'm sorry, I can't find a light {where}.")


def heating(place: Place) -> Asked | None:
    """Return a request for the heating of an area by its area only, or for the only heating without a name."""
    heaters = [each for each in place.house.of("climate") if each.place and "air" not in each.noun]
    heaters = [each for each in heaters if len(place.house.of("climate", area=each.place)) == 1]
    if "temperature" not in place.toolbox.tools or not heaters:
        return None
    entity = place.rng.choice(heaters)
    values, said = values_of(place, "temperature")
    is_alone = len(place.house.of("climate")) == 1 and place.rng.random() < 0.5
    where = "" if is_alone else f"in {with_article(entity.place.lower())}"
    text = " ".join(fill(place.form("heating"), place=where, **said).split())
    return order(place, "temperature", entity, text, values)


def several(place: Place, meaning: str, entities: list[Entity], text: str, kind: str) -> Asked | None:
    """Return a request with one call for each of several devices."""
    if not 0 < len(entities) <= MOST_CALLS:
        return None
    calls = tuple(place.toolbox.call(meaning, entity=each.name) for each in entities)
    if len(entities) == 1:
        return order(place, meaning, entities[0], text, {}, kind)
    results = (place.rng.choice(SUCCESSES),) * len(calls)
    return Asked(kind, text, calls, results, sentence(meaning, is_several=True))


def all_of_a_kind(place: Place) -> Asked | None:
    """Return a request for all lights, or all blinds, in one area or everywhere."""
    rng = place.rng
    kind, meanings = rng.choice(
        (("light", ("turn_on", "turn_off")), ("light", ("turn_on", "turn_off")), ("fan", ("turn_on", "turn_off")),
         ("cover", ("open", "close")), ("lock", ("lock",)))
    )  # fmt: skip
    meaning = rng.choice(meanings)
    areas = place.house.areas(kind)
    area = rng.choice(areas) if areas and rng.random() < 0.6 else None
    if meaning not in place.toolbox.tools:
        return None
    them = rng.choice(PLURALS[kind])
    if place.house.called(them):
        return None
    text = fill(place.form(f"all_{meaning}"), them=them, one=them.removesuffix("s"))
    text += f" in {with_article(area.lower())}" if area else ""
    return several(place, meaning, place.house.of(kind, area=area), text, "all")


def everything(place: Place) -> Asked | None:
    """Return a request for everything that can be switched, or for all lights, in people's words for that."""
    form, meaning, kinds = place.rng.choice((
        ("everything_off", "turn_off", SWITCHED), ("every_light_off", "turn_off", ("light",)),
        ("every_light_on", "turn_on", ("light",)),
    ))  # fmt: skip
    if meaning not in place.toolbox.tools:
        return None
    return several(place, meaning, place.house.of(*kinds), place.form(form), "all")


def music_off(place: Place) -> Asked | None:
    """Return a request about the music in a house with one player."""
    players = place.house.of("media")
    if "pause" not in place.toolbox.tools or len(players) != 1:
        return None
    text = place.form(place.rng.choice(("music_off", "music_pause")))
    return order(place, "pause", players[0], text, {})


def two_at_once(place: Place) -> Asked | None:
    """Return a request with two actions in one sentence."""
    first, second = action(place), action(place)
    if not first or not second or first.entity == second.entity:
        return None
    text = f"{first.text} {place.rng.choice(('and', 'and', 'and then', 'and also'))} {second.text}"
    return Asked("two", text, first.calls + second.calls, first.results + second.results, "All done.")


def timer(place: Place) -> Asked | None:
    """Return a request for a timer, or for its end."""
    rng = place.rng
    if "timer" not in place.toolbox.tools:
        return None
    if rng.random() < 0.2:
        call = place.toolbox.call("cancel")
        return Asked("timer", place.form("cancel"), (call,), (rng.choice(SUCCESSES),), "The timer is cancelled.")
    unit, number = rng.choice(("minute", "minute", "second", "hour")), rng.randint(1, 90)
    plural = unit if number == 1 else f"{unit}s"
    call = place.toolbox.call("timer", amount=number, unit=f"{unit}s")
    text = fill(place.form("timer"), time=f"{spoken(rng, number)} {plural}")
    return Asked("timer", text, (call,), (rng.choice(SUCCESSES),), f"The timer is set for {number} {plural}.")


def custom(place: Place) -> Asked | None:
    """Return a request for a tool of the user's own."""
    if not place.toolbox.customs:
        return None
    meaning = place.rng.choice(place.toolbox.customs)
    verb, thing = meaning.split(" ", 1)
    if any(thing.split()[-1] in normal(entity.line).split() for entity in place.house.entities):
        return None
    text = fill(place.form("custom"), verb=verb, thing=thing)
    return Asked("own tools", text, (place.toolbox.call(meaning),), (place.rng.choice(SUCCESSES),), "Done.")


def _state(rng: random.Random, entity: Entity) -> str:
    degrees = f"{rng.randint(5, 30)}{rng.choice(('', '', '.5'))} degrees"
    states: dict[str, tuple[str, ...]] = {
        "light": ("on", "off", f"on, {rng.randint(1, 100)} percent", f"on, {rng.choice(things.COLOURS)}"),
        "cover": ("open", "closed", f"{rng.randint(1, 99)} percent open"),
        "lock": ("locked", "unlocked"),
        "climate": ("on", "off", degrees, degrees),
        "media": ("on", "off", "paused", f"playing {rng.choice(things.MUSIC)}"),
        "sensor": (degrees, f"{rng.randint(0, 100)} percent", f"{rng.randint(2, 900)} watts", "fine", "low", "high"),
    }
    return rng.choice(states.get(entity.kind, ("on", "off")))


def question(place: Place) -> Asked | None:
    """Return a question about the state of a device."""
    rng, house = place.rng, place.house
    if "state" not in place.toolbox.tools or not house.of(*SWITCHED, "cover", "lock", "sensor"):
        return None
    entity = rng.choice(house.of(*SWITCHED, "cover", "lock", "sensor"))
    form = "reading" if entity.kind == "sensor" else "shut" if entity.kind in ("cover", "lock") else "state"
    text = fill(place.form(form), it=place.mention(entity))
    measuring = [each for each in house.of("climate", "sensor", area=entity.place) if _measures_warmth(each)]
    if entity.place and measuring == [entity] and rng.random() < 0.4:
        is_alone = [entity] == [each for each in house.of("climate", "sensor") if _measures_warmth(each)]
        where = "" if is_alone and rng.random() < 0.5 else f"in {with_article(entity.place.lower())}"
        text = fill(place.form("warmth"), place=where).strip()
    state = _state(rng, entity)
    result = state if rng.random() < 0.65 else json.dumps({"state": state}, ensure_ascii=False)
    at = "at " if entity.kind == "climate" and state[0].isdigit() else ""
    answer = f"{'They are' if entity.is_several else 'It is'} {at}{state}."
    return Asked("state", text, (place.toolbox.call("state", entity=entity.name),), (result,), answer)


def _measures_warmth(entity: Entity) -> bool:
    return entity.kind == "climate" or "temperature" in entity.noun or entity.noun == "thermometer"


def follow_up(place: Place, before: Asked) -> Asked | None:
    """Return a request that can only be understood from the one before: the opposite, or another device."""
    rng, meaning = place.rng, before.meaning
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
