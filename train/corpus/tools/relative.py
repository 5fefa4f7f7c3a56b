"""Wishes for more or less of something: the state is read first, then the new value is set.

A step is 20 percent or 2 degrees, with "a bit" half of it, with "much" twice as much. A value that is at its end stays
as it is. Where the state cannot be read, the value is asked for; where nothing sets it, there is no tool.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass

from train.corpus.base import fill
from train.corpus.numbers import spoken
from train.corpus.tools.house import Entity
from train.corpus.tools.requests import (
    HOW_MUCH,
    KINDS,
    WHICH,
    Asked,
    Place,
    Round,
    sentence,
    state_sentence,
    success,
)
from train.corpus.tools.states import CANNOT
from train.corpus.tools.toolbox import Value
from train.corpus.tools.unnamed import ask_which, scope

UPS = {"brightness": "brighter", "temperature": "warmer", "volume": "louder", "position": "higher"}
DOWNS = {"brightness": "darker", "temperature": "cooler", "volume": "quieter", "position": "lower"}
SHARES = {"brightness": 40, "temperature": 26, "volume": 22, "position": 12}
MOST_AT_ONCE = 5
SMALL = re.compile(r"\b(a bit|a little|bit|little|slightly|a touch|a tad|notch|hair|somewhat)\b")
LARGE = re.compile(r"\b(much|a lot|lots|way|far|a good deal|a great deal|considerably|significantly)\b")


@dataclass(frozen=True)
class Wish:
    """What is to change, up or down, and by how much."""

    quantity: str
    is_up: bool
    step: int

    def after(self, value: float) -> float:
        """Return the new value."""
        low, high = (5, 30) if self.quantity == "temperature" else (0, 100)
        wanted = value + self.step if self.is_up else value - self.step
        return max(value, min(wanted, high)) if self.is_up else min(value, max(wanted, low))


def step_of(quantity: str, text: str) -> int:
    """Return the step that the words ask for."""
    usual = 2 if quantity == "temperature" else 20
    if SMALL.search(text):
        return usual // 2
    return usual * 2 if LARGE.search(text) else usual


def relative(place: Place) -> Asked | None:
    """Return a wish such as "brighter", "turn the radio down a bit" or "it's too cold in the office"."""
    rng, house = place.rng, place.house
    possible = [each for each in SHARES if house.of(*KINDS[each])]
    if not possible:
        return None
    quantity = rng.choices(possible, [SHARES[each] for each in possible])[0]
    is_up = rng.random() < 0.5
    form = (UPS if is_up else DOWNS)[quantity]
    draw = rng.random()
    if quantity == "position" or draw < 0.42:
        return _of_one(place, quantity, form, is_up=is_up)
    if draw < 0.62 and quantity in ("brightness", "temperature"):
        return _of_room(place, quantity, form, is_up=is_up)
    text = place.form(form)
    wish = Wish(quantity, is_up, step_of(quantity, text))
    found = scope(place, KINDS[quantity])
    if found and quantity != "brightness" and len(found) > 1:
        return _which(place, wish, found, text)
    return _change(place, wish, found, text) if found else _which(place, wish, house.of(*KINDS[quantity]), text)


def _of_one(place: Place, quantity: str, form: str, *, is_up: bool) -> Asked | None:
    """Return a wish for a device that is named."""
    rng = place.rng
    entity = rng.choice(place.house.of(*KINDS[quantity]))
    it = place.mention(entity)
    if rng.random() < 0.16:
        number = rng.choice((1, 2, 3, 4) if quantity == "temperature" else (5, 10, 15, 20, 25, 30, 40, 50))
        unit = "degrees" if quantity == "temperature" else "percent"
        unit = unit if number > 1 else "degree"
        amount = f"{spoken(rng, number)} {unit}" if rng.random() < 0.75 or number == 1 else str(number)
        text = fill(place.form("up_by" if is_up else "down_by"), it=it, n=amount)
        return _change(place, Wish(quantity, is_up, number), [entity], text)
    text = fill(place.form(f"{form}_it"), it=it)
    return _change(place, Wish(quantity, is_up, step_of(quantity, text)), [entity], text)


def _of_room(place: Place, quantity: str, form: str, *, is_up: bool) -> Asked | None:
    """Return a wish for a room: "a bit brighter in the kitchen", "it's too dark in here"."""
    rng, house = place.rng, place.house
    areas = house.areas(KINDS[quantity][0])
    if not areas:
        return None
    area = house.room if house.room in areas and rng.random() < 0.5 else rng.choice(areas)
    there = house.of(*KINDS[quantity], area=area)
    is_here = area == house.room and rng.random() < 0.7
    where = rng.choice(("in here", "here", "in this room")) if is_here else f"in {_the(area)}"
    if quantity == "brightness" and rng.random() < 0.4:
        form = "too_dark" if is_up else "too_bright"
        text = fill(place.form(form), place=where)
    else:
        text = fill(place.form(f"{form}_in"), place=where)
    wish = Wish(quantity, is_up, step_of(quantity, text))
    if quantity == "temperature" and len(there) > 1:
        return _which(place, wish, there, text)
    if form in ("too_dark", "too_bright") and not {"state", "brightness"} <= set(place.toolbox.tools):
        return None
    return _change(place, wish, there, text)


def _the(area: str) -> str:
    return area if "'s " in area else f"the {area.lower()}"


def _which(place: Place, wish: Wish, entities: list[Entity], text: str) -> Asked | None:
    """Return the wish with the question which device is meant."""
    if wish.quantity not in place.toolbox.tools:
        return Asked("no tool", text, (), (), CANNOT)
    kind = WHICH
    return Asked(kind, text, (), (), ask_which(entities), choices=tuple(entities),
                 then=lambda there, chosen, words: _change(there, wish, chosen, words))  # fmt: skip


def _change(place: Place, wish: Wish, entities: list[Entity], text: str) -> Asked | None:
    """Return the wish with its calls: first the states are read, then the new values are set."""
    tools = place.toolbox.tools
    if wish.quantity not in tools:
        return Asked("no tool", text, (), (), CANNOT)
    if "state" not in tools:
        return _how_much(wish, entities, text)
    if len(entities) > MOST_AT_ONCE:
        return None
    calls = tuple(place.toolbox.call("state", entity=each.name) for each in entities)
    states = [_draw_level(place.rng, wish.quantity) for _ in entities]
    tell = place.rng.choice(TELLERS)
    results = tuple(tell(place.rng, each, wish.quantity, level) for each, level in zip(entities, states, strict=True))
    if None in states:
        if len(entities) > 1:
            return None
        question = "To how many degrees?" if wish.quantity == "temperature" else "To how many percent?"
        return Asked(HOW_MUCH, text, calls, results, question, wish.quantity, entities[0])
    read = Asked("relative", text, calls, results, "")
    return _set(
        place, wish, read, [(each, level) for each, level in zip(entities, states, strict=True) if level is not None]
    )


def _how_much(wish: Wish, entities: list[Entity], text: str) -> Asked | None:
    """Return the wish with the question for a value, where the state cannot be read."""
    if len(entities) != 1:
        return None
    question = "To how many degrees?" if wish.quantity == "temperature" else "To how many percent?"
    return Asked(HOW_MUCH, text, (), (), question, wish.quantity, entities[0])


def _set(place: Place, wish: Wish, read: Asked, levels: list[tuple[Entity, float]]) -> Asked:
    """Return the wish with the calls that follow the states; of several lights those that are on change."""
    lit = [(each, level) for each, level in levels if level > 0 or wish.quantity == "position"]
    active = lit or levels
    meanings: list[tuple[str, Entity, dict[str, Value]]] = []
    for entity, level in active:
        new = wish.after(level)
        if not lit and wish.quantity == "brightness" and wish.is_up and "turn_on" in place.toolbox.tools:
            meanings.append(("turn_on", entity, {}))
        elif new != level:
            meanings.append((wish.quantity, entity, _value(wish.quantity, new)))
    if not meanings:
        return _finished(read, _at_end(wish, active))
    calls = tuple(place.toolbox.call(meaning, entity=each.name, **values) for meaning, each, values in meanings)
    results = tuple(success(place, meaning, each, values) for meaning, each, values in meanings)
    meaning, entity, values = meanings[0]
    is_same = len({json.dumps(each[2]) for each in meanings}) == 1
    is_several = len(meanings) > 1 or entity.is_several
    answer = sentence(meaning, is_several, **values) if is_same else "All done."
    if all(result.endswith(".") for result in results) and len(results) <= 3:
        answer = " ".join(results)
    done = Asked(read.kind, read.text, read.calls, read.results, answer)
    return Asked(done.kind, done.text, done.calls, done.results, answer, rounds=(Round(calls, results),))


def _finished(read: Asked, answer: str) -> Asked:
    return Asked(read.kind, read.text, read.calls, read.results, answer)


def _at_end(wish: Wish, levels: list[tuple[Entity, float]]) -> str:
    """Return the sentence about devices that cannot change any more."""
    are = "They are" if len(levels) > 1 or levels[0][0].is_several else "It is"
    if all(level == 0 for _, level in levels) and wish.quantity in ("brightness", "position"):
        return f"{are} {'off' if wish.quantity == 'brightness' else 'closed already'}."
    if all(level == 100 for _, level in levels) and wish.quantity == "position":
        return f"{are} open already."
    unit = "degrees" if wish.quantity == "temperature" else "percent"
    return f"{are} at {_number(levels[0][1])} {unit} already."


def _value(quantity: str, value: float) -> dict[str, Value]:
    number = int(value) if float(value).is_integer() else value
    return {"degrees" if quantity == "temperature" else "percent": number}


def _number(value: float) -> str:
    return f"{value:g}"


def _draw_level(rng: random.Random, quantity: str) -> float | None:
    """Return the present value; 0 is off or closed, None is a state that does not tell it."""
    if rng.random() < 0.03:
        return None
    if quantity == "temperature":
        return rng.randint(10, 28) + rng.choice((0, 0, 0.5))
    ends: tuple[int, ...] = (0, 100, 50, 50) if quantity != "volume" else (100, 40, 40, 10)
    return rng.choice((rng.randint(1, 100), 10 * rng.randint(1, 9), 5 * rng.randint(1, 19), rng.choice(ends)))


def _words(entity: Entity, quantity: str, level: float | None) -> str:
    """Return the state in words."""
    if level is None:
        return {"temperature": "heat", "volume": "playing", "position": "stopped"}.get(quantity, "on")
    if quantity == "temperature":
        return f"{_number(level)} degrees"
    if quantity == "position":
        return {0: "closed", 100: "open"}.get(int(level), f"{_number(level)} percent open")
    if level == 0:
        return "off"
    return f"{'playing' if quantity == 'volume' else 'on'}, {_number(level)} percent"


def _plain(rng: random.Random, entity: Entity, quantity: str, level: float | None) -> str:
    words = _words(entity, quantity, level)
    if quantity == "temperature" and level is not None:
        return f"{rng.choice(('', '', 'heat, ', 'on, '))}{words}"
    if quantity == "position" and "percent" in words:
        return rng.choice((words, f"open, {_number(level or 0)} percent"))
    return words


def _sentence(rng: random.Random, entity: Entity, quantity: str, level: float | None) -> str:
    words = _plain(rng, entity, quantity, level)
    return state_sentence(entity, f"at {words}" if words[:1].isdigit() else words)


def _object(rng: random.Random, entity: Entity, quantity: str, level: float | None) -> str:
    """Return the state as a JSON object: brightness of 254, the wanted temperature beside the measured one."""
    state = _words(entity, quantity, level).split(",")[0].split(" ")[0]
    if level is None:
        return json.dumps({"state": state})
    if quantity == "temperature":
        wanted: dict[str, object] = {"state": "heat", "temperature": _value(quantity, level)["degrees"]}
        return json.dumps(wanted | {"current_temperature": level - 1 + rng.choice((0, 0.5, 1.5))})
    if quantity == "position":
        return json.dumps({"state": "open" if level else "closed", "position": int(level)})
    if quantity == "volume":
        return json.dumps({"state": "playing", "volume": int(level)})
    if level == 0:
        return json.dumps({"state": "off"})
    if level % 10 == 0:
        return json.dumps({"state": "on", "brightness": round(level * 2.54)})
    return json.dumps({"state": "on", "brightness_pct": int(level)})


TELLERS = (_plain, _plain, _plain, _sentence, _sentence, _object)
