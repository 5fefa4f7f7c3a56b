"""Wishes for calls, orders, bookings and the like, and for skills that a conversation does not have."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from train.corpus.banks import bank
from train.corpus.base import Split, draw_until, is_held_combination
from train.corpus.home_words import things
from train.corpus.honest import Wish, echoed
from train.corpus.names import person
from train.corpus.numbers import spoken

CLOCK_ENDS = ("", ":30", ":15", " am", " pm", " o'clock")


@dataclass(frozen=True)
class Errand:
    """A kind of wish: the words in its phrasings, how an answer names it, and which of the words it has to name."""

    slot: str
    do: str
    share: int = 1


ERRANDS = {
    "call": Errand("who", "call {who}", 5), "message": Errand("who", "send a message to {who}", 5),
    "book": Errand("booking", "book {booking}", 5), "order": Errand("food", "order {food}", 4),
    "ride": Errand("ride", "call {ride}", 2), "buy": Errand("goods", "buy {goods}", 4),
    "pay": Errand("", "pay or transfer anything", 1), "calendar": Errand("event", "put {event} in a calendar", 4),
    "app": Errand("app", "open {app}", 3), "chore": Errand("chore", "{chore}", 4),
    "navigate": Errand("place", "guide you to {place}", 2),
}  # fmt: skip
SKILLS = {
    "time": ("tell you the time", "time", "time and date", 5),
    "date": ("tell you the date", "date", "time and date", 4),
    "timer": ("set a timer for {length}", "timer", "timers", 4), "alarm": ("set an alarm", "alarm", "alarms", 3),
    "remind": ("remind you to {task}", "remind", "reminders", 4), "list": ("keep a list", "list", "lists", 3),
    "volume": ("change the volume", "volume", "volume", 3),
    "weather": ("tell you the weather", "weather", "weather and calendar", 4),
    "agenda": ("read your calendar", "calendar", "weather and calendar", 3),
    "board": ("read the values of this board", "board", "values of the board", 2),
}  # fmt: skip
"""The skills: the wish as a command, the word that an answer names, what the board would need, and their shares."""


def words_for(rng: random.Random, split: Split, kind: str, slots: frozenset[str]) -> dict[str, str]:
    """Return words for the slots of a phrasing."""
    made: dict[str, Callable[[], str]] = {
        "length": lambda: f"{spoken(rng, rng.randint(2, 60))} {rng.choice(('minutes', 'minutes', 'seconds', 'hours'))}",
        "clock": lambda: f"{rng.randint(1, 12)}{rng.choice(CLOCK_ENDS)}",
        "n": lambda: spoken(rng, rng.randint(0, 100)),
        "item": lambda: rng.choice(things.GROCERIES),
    }
    found: dict[str, str] = {}
    for slot in sorted(slots):
        if slot in made:
            found[slot] = draw_until(made[slot], lambda word: is_held_combination(kind, word) == (split != "train"))
        else:
            found[slot] = person(rng) if slot == "who" and rng.random() < 0.3 else _listed(rng, split, kind, slot)
    return found


def _listed(rng: random.Random, split: Split, kind: str, slot: str) -> str:
    """Return a word of a list that belongs to the split; of a short list perhaps none is held out."""
    forms = bank("wish_words")[slot]
    words = [*forms.train, *forms.heldout]
    return rng.choice([word for word in words if is_held_combination(kind, word) == (split != "train")] or words)


def slots_of(template: str) -> frozenset[str]:
    """Return the names of the slots in a phrasing."""
    return frozenset(part.partition("}")[0] for part in template.split("{")[1:])


def asked_for(rng: random.Random, split: Split, kind: str) -> tuple[str, dict[str, str]]:
    """Return a phrasing of the kind with its words, and the words."""
    template = bank("wishes")[kind].pick(rng, split)
    words = words_for(rng, split, kind, slots_of(template))
    return template.format(**words), words


def errand_wish(rng: random.Random, split: Split) -> tuple[str, Wish]:
    """Return a wish that no tool can do."""
    kind = rng.choices(list(ERRANDS), [errand.share for errand in ERRANDS.values()])[0]
    errand = ERRANDS[kind]
    question, words = asked_for(rng, split, kind)
    said = {slot: echoed(word) for slot, word in words.items()}
    named = said.get(errand.slot, "")
    return question, Wish("errand", errand.do.format(**said), named, (named,) if named else ("pay",))


def skill_wish(rng: random.Random, split: Split) -> tuple[str, Wish]:
    """Return a wish for a skill of the board."""
    kind = rng.choices(list(SKILLS), [share for *_, share in SKILLS.values()])[0]
    do, name, skills, _ = SKILLS[kind]
    question, words = asked_for(rng, split, kind)
    do = do.format(**{slot: echoed(word) for slot, word in words.items()}) if slots_of(do) <= set(words) else do
    return question, Wish("skill", do, name, (name,), skills)
