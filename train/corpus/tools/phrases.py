"""Phrasings and answers of the text files for a house: their slots are filled with its devices, rooms and people."""

from __future__ import annotations

from collections.abc import Mapping

from train.corpus.banks import bank
from train.corpus.home_words import things
from train.corpus.names import person
from train.corpus.numbers import spoken
from train.corpus.tools.house import Entity, draw_area, with_article
from train.corpus.tools.requests import Asked, Place
from train.corpus.wishes import CLOCK_ENDS, slots_of

FIRST_ANSWER_SHARE = 0.4
"""One answer of each block is more frequent than the others, and it is the one that the evaluation expects."""

NO_COMMAND = "no command"
"""The kind of what needs no call; its answer may be worded in many ways."""


def form(place: Place, name: str, block: str) -> str:
    """Return a phrasing of the split with its choices made."""
    return bank(name)[block].pick(place.rng, "train" if place.split == "train" else "heldout")


def listed(name: str, block: str) -> list[str]:
    """Return all lines of a block of words or answers."""
    lines = bank(name)[block]
    return [*lines.train, *lines.heldout]


def reply(place: Place, name: str, block: str, **words: str) -> str:
    """Return an answer of a block, filled and with a capital letter."""
    answers = listed(name, block)
    is_first = place.split != "train" or place.rng.random() < FIRST_ANSWER_SHARE
    text = (answers[0] if is_first else place.rng.choice(answers)).format(**words)
    return text[:1].upper() + text[1:]


def words_chat(text: str, answer: str, kind: str = NO_COMMAND) -> Asked:
    """Return an exchange without a call."""
    return Asked(kind, text, (), (), answer)


def named_back(said: str) -> str:
    """Return a device in the user's words as an answer names it: "my lamp" is "your lamp"."""
    lower = said.lower()
    if lower.startswith("my "):
        return f"your {said[3:]}"
    return said if lower.startswith("the ") or "'s " in said else f"the {said}"


def someone(place: Place) -> str:
    """Return a person as the user names one."""
    return person(place.rng) if place.rng.random() < 0.3 else place.rng.choice(listed("not_commands", "relatives"))


def fill_for(place: Place, template: str, entity: Entity | None = None, /, **words: str) -> str | None:
    """Return the template with its slots filled, or None if the house has no words for them."""
    rng, found = place.rng, dict(words)
    for slot in sorted(slots_of(template) - found.keys()):
        if slot in ("it", "name"):
            entity = entity or next(iter(rng.sample(devices(place), min(1, len(devices(place))))), None)
            if not entity:
                return None
            found[slot] = place.mention(entity) if slot == "it" else entity.name.lower()
        elif slot == "room":
            rooms = sorted({each.place for each in place.house.entities if each.place})
            found[slot] = with_article((rng.choice(rooms) if rooms else draw_area(rng, place.split)).lower())
        else:
            found[slot] = _word(place, slot)
    return template.format(**found)


def _word(place: Place, slot: str) -> str:
    rng = place.rng
    if slot in ("who", "who2"):
        return someone(place)
    if slot == "length":
        return f"{spoken(rng, rng.randint(2, 60))} {rng.choice(('minutes', 'minutes', 'hours', 'seconds'))}"
    made: Mapping[str, str] = {
        "person": person(rng),
        "place": rng.choice(listed("not_commands", "places")),
        "when": rng.choice(listed("pairs", "times")),
        "clock": f"{rng.randint(1, 12)}{rng.choice(CLOCK_ENDS)}",
        "n": spoken(rng, rng.randint(1, 100)),
        "colour": rng.choice(things.COLOURS),
    }
    return made[slot]


def devices(place: Place) -> list[Entity]:
    """Return the devices of the house without its scenes."""
    return [each for each in place.house.entities if each.kind != "scene"]
