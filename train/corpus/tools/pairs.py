"""The same words as a command and as none: "turn on the lamp" and "I already turned on the lamp"."""

from __future__ import annotations

import re
from dataclasses import replace

from train.corpus.tools.house import Entity
from train.corpus.tools.phrases import fill_for, form, reply, someone, words_chat
from train.corpus.tools.requests import KINDS, SAID, Asked, Place, order, values_of
from train.corpus.verb_forms import VERBS

CONTRAST = "contrast"
BLOCKS = (
    ("not", 24),
    ("mine", 14),
    ("others", 14),
    ("said", 7),
    ("if", 6),
    ("should", 10),
    ("wonder", 6),
    ("will", 14),
)
IMPERATIVE = re.compile(
    r"^(please |just |no, |wait, |better |let's |I said )?(leave|keep|let|don't|hands|forget)\b| stay "
)
UNDOES = {
    "turn_on": "turn_off", "turn_off": "turn_on", "open": "close", "close": "open", "lock": "unlock", "unlock": "lock",
}  # fmt: skip
"""The action that ends a state, by the action that makes it."""


def drawn_command(place: Place) -> tuple[Asked, dict[str, str], str, Entity] | None:
    """Return a plain command, the forms of its verb with the device, its meaning and the device."""
    rng, house = place.rng, place.house
    possible = [meaning for meaning in VERBS if meaning in place.toolbox.tools and house.of(*KINDS[meaning])]
    if not possible:
        return None
    meaning = rng.choices(possible, [4 if each.startswith("turn") else 1 for each in possible])[0]
    entity = rng.choice(house.of(*KINDS[meaning]))
    values, said = values_of(place, meaning)
    forms = rng.choice(VERBS[meaning]).of(it=place.mention(entity), **said)
    return order(place, meaning, entity, forms["do"], values, CONTRAST), forms, meaning, entity


def pair(place: Place) -> tuple[Asked, Asked] | None:
    """Return a command and a sentence of the same words that is none, in any order."""
    drawn = drawn_command(place)
    if not drawn:
        return None
    command, forms, meaning, entity = drawn
    if meaning in UNDOES and place.rng.random() < 0.2:
        return _left(place, meaning, entity)
    people = {"who": someone(place), "who2": someone(place)}
    asked = fill_for(place, form(place, "pairs", "do"), entity, **forms, **people)
    block = place.rng.choices([name for name, _ in BLOCKS], [share for _, share in BLOCKS])[0]
    told = fill_for(place, form(place, "pairs", block), entity, **forms, **people)
    if not asked or not told:
        return None
    state = SAID[meaning].format(**dict(command.values))
    answer = reply(place, "pairs", f"{block} answers", state=state)
    if entity.is_several:
        answer = answer.replace("it would be", "they would be").replace("It would be", "They would be")
    both = (replace(command, text=asked), words_chat(told, answer))
    return both if place.rng.random() < 0.5 else (both[1], both[0])


def _left(place: Place, meaning: str, entity: Entity) -> tuple[Asked, Asked] | None:
    """Return "leave it on", which is no command, and "don't leave it on", which is one."""
    undoing = UNDOES[meaning]
    if undoing not in place.toolbox.tools:
        return None
    words = {"it": place.mention(entity), "state": SAID[meaning]}
    left = fill_for(place, form(place, "pairs", "leave"), entity, **words)
    text = fill_for(place, form(place, "pairs", "do not leave"), entity, **words)
    if not left or not text:
        return None
    told = words_chat(left, reply(place, "pairs", "not answers" if IMPERATIVE.search(left) else "will answers"))
    both = (order(place, undoing, entity, text, {}, CONTRAST), told)
    return both if place.rng.random() < 0.5 else (both[1], both[0])


def contrast(place: Place) -> Asked | None:
    """Return one of such two sentences alone."""
    both = pair(place)
    return both[place.rng.random() < 0.35] if both else None


def refrained(place: Place) -> Asked | None:
    """Return one of such two sentences, the one that is no command."""
    both = pair(place)
    return next((each for each in both if not each.calls), None) if both else None
