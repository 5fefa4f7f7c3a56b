"""What a conversation about devices has established: the last thing done, read or asked, and how it is done again."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from train.corpus.banks import bank
from train.corpus.base import fill
from train.corpus.tools.house import Entity, House, with_article
from train.corpus.tools.own.own_tools_results import SUCCESSES, draw_error, sorry
from train.corpus.tools.requests import KINDS, OPPOSITES, Place, sentence
from train.corpus.tools.toolbox import Call, Value

STATE = "state"
"""The meaning of a question how a device is."""

BACK = {
    "turn_on": "back on", "turn_off": "back off", "open": "back open", "close": "back closed", "lock": "back locked",
    "unlock": "back unlocked",
}  # fmt: skip
NUMBERED = {"brightness": "percent", "volume": "percent", "position": "percent", "temperature": "degrees"}
"""The actions with a number, and its name."""

VARIOUS = ("cover", "lock", "switch", "sensor")
"""Kinds with devices of which one is no other for people."""

FAILS = 0.06


@dataclass(frozen=True)
class Step:
    """The last thing that a conversation was about."""

    meaning: str
    devices: tuple[Entity, ...]
    values: Mapping[str, Value] = field(default_factory=dict)
    before: Mapping[str, Value] | None = None
    """The values before the last change, where the conversation told them."""

    is_group: bool = False
    """Whether all devices of a kind were meant."""

    state: str = ""
    """The state that was read."""

    has_failed: bool = False
    offered: tuple[Entity, ...] = ()
    """The devices among which the assistant asked to choose."""

    @property
    def kind(self) -> str:
        """Return the kind of its devices."""
        return self.devices[0].kind

    @property
    def them(self) -> str:
        """Return the pronoun for its devices."""
        return "them" if len(self.devices) > 1 or self.devices[0].is_several else "it"


@dataclass(frozen=True)
class Next:
    """What a user says next, what is called and returned, the answer, and what it was about."""

    kind: str
    text: str
    calls: tuple[Call, ...]
    results: tuple[str, ...]
    answer: str
    step: Step


def said(place: Place, block: str, **words: str) -> str:
    """Return a phrasing of the split from the bank of follow-ups."""
    return fill(bank("follow_ups")[block].pick(place.rng, place.split), **words)


def with_room(place: Place, block: str, area: str) -> str:
    """Return a phrasing with an area; "the Anna's room one" is no English."""
    while True:
        template = bank("follow_ups")[block].pick(place.rng, place.split)
        if "{room}" not in template or "'s " not in area:
            return fill(template, place=with_article(area.lower()), room=area.lower())


def words(step: Step) -> dict[str, str]:
    """Return the words that every phrasing may contain."""
    return {"them": step.them}


def done(place: Place, kind: str, text: str, step: Step) -> Next:
    """Return the request that the step's devices do what it means; a few of them fail."""
    rng = place.rng
    calls = tuple(place.toolbox.call(step.meaning, entity=each.name, **step.values) for each in step.devices)
    is_several = len(calls) > 1 or step.devices[0].is_several
    results = [rng.choice(SUCCESSES[:8])] * len(calls)
    if rng.random() < FAILS:
        results[rng.randrange(len(results))], reason = draw_error(rng)
        return Next(kind, text, calls, tuple(results), sorry(reason), replace(step, has_failed=True))
    answer = sentence(step.meaning, is_several, **step.values)
    return Next(kind, text, calls, tuple(results), answer, replace(step, has_failed=False, offered=()))


def read(place: Place, kind: str, text: str, device: Entity) -> Next:
    """Return the question how a device is."""
    rng = place.rng
    state = draw_state(rng, device)
    result = state if rng.random() < 0.65 else f'{{"state": "{state}"}}'
    step = Step(STATE, (device,), state=state)
    call = place.toolbox.call(STATE, entity=device.name)
    return Next(kind, text, (call,), (result,), f"{'They are' if device.is_several else 'It is'} {state}.", step)


def draw_state(rng: random.Random, device: Entity) -> str:
    """Return a state of a device, from which a next command may follow."""
    states = {
        "cover": ("open", "closed"),
        "lock": ("locked", "unlocked"),
        "sensor": ("high", "low", "21 degrees", "fine"),
        "climate": ("on", "off", "20 degrees", "heating"),
    }
    return rng.choice(states.get(device.kind, ("on", "off")))


def spoken_words(place: Place, kind: str, text: str, answer: str, step: Step) -> Next:
    """Return an exchange without a call."""
    return Next(kind, text, (), (), answer, step)


def opposite(place: Place, meaning: str) -> str:
    """Return the opposite of an action if there is a tool for it, else ""."""
    found = OPPOSITES.get(meaning, "")
    return found if found in place.toolbox.tools else ""


def others(place: Place, step: Step) -> list[Entity]:
    """Return the devices for which the same could be done, without those of the step."""
    kinds = {step.kind} if step.meaning == STATE else set(KINDS[step.meaning])
    return [each for each in place.house.entities if each.kind in kinds and each not in step.devices]


def alike(house: House, step: Step, area: str | None = None) -> list[Entity]:
    """Return the devices of the same kind; a door is not meant where a window was."""
    devices = house.of(step.kind, area=area)
    if step.kind not in VARIOUS:
        return devices
    return [each for each in devices if each.noun.split(" ")[-1] == step.devices[0].noun.split(" ")[-1]]


def same_kind(house: House, step: Step) -> list[Entity]:
    """Return the other devices of the same kind."""
    return [each for each in alike(house, step) if each not in step.devices]


def which_one(devices: Sequence[Entity]) -> str:
    """Return the question which of several devices is meant."""
    names = [with_article(each.name) for each in devices]
    return f"Which one do you mean: {', '.join(names[:-1])} or {names[-1]}?"
