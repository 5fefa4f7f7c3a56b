"""Questions beyond a small model: it refuses politely, in a way that fits the kind of question."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from importlib.resources import files

from train.corpus.base import (
    Phrasings,
    Scene,
    Split,
    Turn,
    draw_until,
    is_held_combination,
    normal,
)
from train.corpus.intents import SINGULAR_FORMS, load_intents
from train.corpus.names import invented, person

DONT_KNOW = "I'm sorry, I'm a small model and I don't know that."
SURNAMES = (
    "Smith", "Miller", "Einstein", "Newton", "Mozart", "Picasso", "Shakespeare", "Curie", "Darwin", "Lincoln",
    "Washington", "Napoleon", "Garcia", "Müller", "Rossi", "Kim", "Tanaka", "Novak", "Jackson", "Presley",
    "Beethoven", "Tesla", "Edison", "Gandhi", "Mandela", "Obama", "Merkel", "Ronaldo", "Messi", "Federer",
    "Swift", "Musk", "Gates", "Jobs", "Hanks", "Spielberg", "Tolkien", "Rowling", "Goethe", "Kafka", "Brown",
)  # fmt: skip
PERSON_FORMS = Phrasings(
    [
        "who is {}",
        "who was {}",
        "tell me about {}",
        "do you know {}",
        "what do you know about {}",
        "who's {}",
        "have you heard of {}",
        "tell me who {} is",
        "what did {} do",
        "when was {} born",
        "where does {} live",
        "how old is {}",
        "why is {} famous",
        "can you tell me who {} is",
        "what can you tell me about {}",
        "is {} still alive",
    ]
)


@cache
def unknown_things() -> list[str]:
    """Return things that the model is not taught."""
    text = files("train.corpus").joinpath("data/unknown_things.txt").read_text("utf-8")
    return text.split("\n")[:-1]


def refuses_like(expected: str) -> Callable[[str], bool]:
    """Return the rule that a reply says sorry and names the same reason as the expected one."""
    reason = " ".join(normal(expected).split()[-3:])
    return lambda reply: normal(reply).startswith("im sorry") and reason in normal(reply)


SKILLS = frozenset({"time", "weather", "actions", "higher math"})
"""Kinds of questions that a board with tools may well be able to answer."""


def _known_kind(rng: random.Random, split: Split, left_out: frozenset[str] = frozenset()) -> Turn:
    """Return a kind of question with a reason of its own, from the data file."""
    intents = [intent for intent in load_intents("refusals") if intent.key not in left_out]
    intent = rng.choices(intents, [len(i.questions) for i in intents])[0]
    return Turn(intent.phrasings.pick(rng, split), intent.replies[0], refuses_like(intent.replies[0]))


def _unknown_thing(rng: random.Random, split: Split) -> Turn:
    """Return a turn about a thing that the model was not taught; the facts contain what it was taught."""
    thing = draw_until(
        lambda: rng.choice(unknown_things()) if rng.random() < 0.85 else f"a {invented(rng)}",
        lambda word: is_held_combination("unknown", word) == (split != "train"),
    )
    return Turn(SINGULAR_FORMS.pick(rng, "train").format(thing), DONT_KNOW, refuses_like(DONT_KNOW))


def _unknown_person(rng: random.Random, split: Split) -> Turn:
    """Return a turn about a person whom the model cannot know."""
    name = draw_until(
        lambda: f"{person(rng)} {rng.choice(SURNAMES)}" if rng.random() < 0.7 else rng.choice(SURNAMES),
        lambda full: is_held_combination("person", full) == (split != "train"),
    )
    return Turn(PERSON_FORMS.pick(rng, "train").format(name), DONT_KNOW, refuses_like(DONT_KNOW))


def make_refusals_beside_tools(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return turns with one question that is refused whatever tools there are."""
    if rng.random() < 0.62:
        return [_known_kind(rng, split, SKILLS)]
    return [rng.choices((_unknown_thing, _unknown_person), (26, 12))[0](rng, split)]


def make_refusals(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return turns with one question that must be refused."""
    makers = (_known_kind, _unknown_thing, _unknown_person)
    return [rng.choices(makers, (62, 26, 12))[0](rng, split)]
