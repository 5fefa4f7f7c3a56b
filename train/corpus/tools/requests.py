"""Requests that a house can carry out: the sentence, the required calls, and the answer after them.

A function that makes a request returns None if this house has no such request.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from train.corpus.base import Split, expand, fill, normal
from train.corpus.home_words import things
from train.corpus.numbers import spoken
from train.corpus.tools.amounts import Amount, draw_amount, with_unit
from train.corpus.tools.house import Entity, House, draw_area, mention, with_article
from train.corpus.tools.mentions import wide_mention
from train.corpus.tools.toolbox import Call, Toolbox, Value
from train.corpus.tools.wording import framed, has_core, sized
from train.corpus.tools.words import FORMS, held_forms

SWITCHED = ("light", "switch", "fan", "climate", "media")
MOST_CALLS = 10
FEW_CALLS = 4
"""The most calls in one answer: in a wide house, and in the houses of the evaluation."""

MOST_TOLD = 3
"""So many sentences of results are repeated."""

HOW_MUCH = "how much"
"""The question for a missing number; the next request may be the number alone."""

WHICH, WHERE = "which one", "which room"
"""The questions for a device or a room that was not named; the next request may name it and nothing else."""

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
    is_wide: bool = False
    """Whether names and commands may be worded in every way; the evaluation has also houses in which they are not."""

    @property
    def most_calls(self) -> int:
        """Return how many calls one answer may have."""
        return MOST_CALLS if self.is_wide else FEW_CALLS

    def form(self, meaning: str) -> str:
        """Return a phrasing of the split; if there are few phrasings, possibly none is held out."""
        held = held_forms(meaning) if self.split != "train" else []
        form = expand(self.rng, self.rng.choice(held)) if held else FORMS[meaning].pick(self.rng, "train")
        return sized(self.rng, form, meaning)

    def mention(self, entity: Entity) -> str:
        """Return the user's name for a device."""
        return (wide_mention if self.is_wide else mention)(self.rng, self.house, entity)

    def command(self, meaning: str, kind: str, it: str, amount: Amount | None = None) -> str:
        """Return a command for a device that is called `it`."""
        rng, amount = self.rng, amount or Amount()
        block = amount.block or meaning
        special = f"{meaning}_{'light' if kind == 'light' else 'machine'}"
        if self.is_wide and has_core(block) and rng.random() < 0.38:
            template = framed(rng, self.split, block, kind)
        elif self.is_wide and special in FORMS and rng.random() < 0.14:
            template = self.form(special)
        else:
            template = self.form(block)
        return fill(with_unit(rng, template, amount.said), **(amount.said | {"it": it}))

    def amount(self, meaning: str) -> Amount:
        """Return the value of an action."""
        if self.is_wide:
            return draw_amount(self.rng, self.toolbox, meaning)
        values, said = values_of(self, meaning)
        return Amount(values, said)


@dataclass(frozen=True)
class Round:
    """Calls of one answer, and their results."""

    calls: tuple[Call, ...]
    results: tuple[str, ...]


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
    rounds: tuple[Round, ...] = ()
    """Further calls and results, each after the results before."""

    choices: tuple[Entity, ...] = ()
    """The devices of which the answer asks for one, or for those of one room."""

    then: Then | None = None
    """Makes the request for the devices that are named after the question."""


Then = Callable[[Place, list[Entity], str], Asked | None]
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


def success(place: Place, meaning: str, entity: Entity, values: dict[str, Value]) -> str:
    """Return the result of an action: a word, or the sentence that the daemon makes."""
    if not place.is_wide or place.rng.random() < 0.6:
        return place.rng.choice(SUCCESSES)
    return state_sentence(entity, SAID[meaning].format(**values))


def state_sentence(entity: Entity, words: str) -> str:
    """Return the daemon's sentence about the state of a device."""
    named = with_article(entity.name)
    return f"{named[:1].upper()}{named[1:]} {'are' if entity.is_several else 'is'} {words}."


def is_sentence(result: str) -> bool:
    """Return whether a result is a whole sentence, which is repeated."""
    return result.endswith(".") and result[:1].isupper()


def order(place: Place, meaning: str, entity: Entity, text: str, values: dict[str, Value], kind: str = "") -> Asked:
    """Return the request that one device does one thing."""
    call = place.toolbox.call(meaning, entity=entity.name, **values)
    result = success(place, meaning, entity, values)
    answer = result if is_sentence(result) else sentence(meaning, entity.is_several, **values)
    label = kind or meaning
    return Asked(label, text, (call,), (result,), answer, meaning, entity, tuple(values.items()))


def action(place: Place, wanted: str = "") -> Asked | None:
    """Return a request in which one device does one thing."""
    rng, house = place.rng, place.house
    possible = [meaning for meaning in SHARES if meaning in place.toolbox.tools and house.of(*KINDS[meaning])]
    if not possible or (wanted and wanted not in possible):
        return None
    shares = PRACTISED if place.split == "train" else SHARES
    meaning = wanted or rng.choices(possible, [shares[each] for each in possible])[0]
    entity = rng.choice(house.of(*KINDS[meaning]))
    amount = place.amount(meaning)
    if meaning == "scene":
        name = entity.name if rng.random() < 0.4 else entity.name.lower()
        is_framed = place.is_wide and rng.random() < 0.3
        form = framed(rng, place.split, "scene") if is_framed else place.form("scene")
        return order(place, meaning, entity, fill(form, scene=name), amount.values)
    it = place.mention(entity)
    if meaning == "play":
        if place.is_wide and rng.random() < 0.45:
            text = fill(place.form("play_on"), it=it, **amount.said)
        else:
            text = f"{place.command('play', entity.kind, it, amount)} on {it}"
    elif by_area := _by_area_alone(place, meaning, entity):
        text = fill(with_unit(rng, place.form("heating_area"), amount.said), area=by_area, **amount.said)
    else:
        text = place.command(meaning, entity.kind, it, amount)
    return order(place, meaning, entity, text, amount.values)


def _by_area_alone(place: Place, meaning: str, entity: Entity) -> str:
    """Return the area of a heater that is called by it ("bedroom to 19 degrees"); "" mostly."""
    is_only = len(place.house.of("climate", area=entity.place)) == 1
    if not place.is_wide or meaning != "temperature" or not entity.place or not is_only or place.rng.random() > 0.15:
        return ""
    return place.rng.choice((with_article(entity.place), entity.place)).lower()


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


def several(
    place: Place, meaning: str, entities: list[Entity], text: str, kind: str, values: dict[str, Value] | None = None
) -> Asked | None:
    """Return a request with one call for each of several devices."""
    if not 0 < len(entities) <= place.most_calls:
        return None
    values = values or {}
    if len(entities) == 1:
        return order(place, meaning, entities[0], text, values, kind)
    calls = tuple(place.toolbox.call(meaning, entity=each.name, **values) for each in entities)
    is_told = place.is_wide and place.rng.random() < 0.35
    told = tuple(state_sentence(each, SAID[meaning].format(**values)) for each in entities)
    results = told if is_told else (place.rng.choice(SUCCESSES),) * len(calls)
    is_repeated = is_told and len(entities) <= MOST_TOLD
    answer = " ".join(told) if is_repeated else sentence(meaning, is_several=True, **values)
    return Asked(kind, text, calls, results, answer)


def music_off(place: Place) -> Asked | None:
    """Return a request about the music in a house with one player."""
    players = place.house.of("media")
    if "pause" not in place.toolbox.tools or len(players) != 1:
        return None
    text = place.form(place.rng.choice(("music_off", "music_pause")))
    return order(place, "pause", players[0], text, {})


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
