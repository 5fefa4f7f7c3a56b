"""Sentences that sound like commands and are none: the answer is words, although device and tool are there."""

from __future__ import annotations

from train.corpus.tools.house import with_article
from train.corpus.tools.phrases import devices, fill_for, form, listed, reply, words_chat
from train.corpus.tools.requests import Asked, Place

STATEMENTS = (
    ("broken elsewhere", "sorry answers", 12), ("broken here", "broken here answers", 10), ("nice", "nice answers", 16),
    ("others did", "told answers", 14), ("said", "told answers", 9), ("daily", "told answers", 16),
)  # fmt: skip
"""Blocks of statements, their answers, and how frequent each is."""

QUESTIONS = (
    ("how device", "unknown answers", 12),
    ("why called", "called answers", 5),
    ("unsafe", "unsafe answers", 5),
)
IDIOMS = (
    "kind", "fan", "open question", "close friend", "lock screen", "play by ear", "turn", "switch", "heat",
    "light talk", "dim", "door", "volume talk", "music talk", "power", "on off", "timer talk", "list talk", "cover",
)  # fmt: skip
FACTS = (
    "dimmer", "thermostat", "led", "bulb", "smart plug", "motion sensor", "fan device", "air conditioner", "heat pump",
    "radiator", "mqtt", "home assistant", "tools toml", "switch it", "blinds", "smart lock", "smoke", "humidity",
    "speaker", "fridge", "kettle", "scene",
)  # fmt: skip
SPELLING = (
    "how do you spell",
    "how do you write",
    "what does",
    "what is",
    "what rhymes",
    "is it",
    "is switch",
    "say the",
)


def _told(place: Place, blocks: tuple[tuple[str, str, int], ...]) -> Asked | None:
    block, answers, _ = place.rng.choices(blocks, [share for *_, share in blocks])[0]
    text = fill_for(place, form(place, "not_commands", block))
    if not text:
        return None
    if block == "said" and text.startswith(SPELLING):
        return words_chat(text, "I'm sorry, I don't know that.")
    return words_chat(text, reply(place, "not_commands", answers))


def statement(place: Place) -> Asked | None:
    """Return something that the user tells: about a device here or elsewhere, about other people, about the day."""
    return _told(place, STATEMENTS)


def device_question(place: Place) -> Asked | None:
    """Return a question or a wish about a device that no tool answers: its age, its name, what is dangerous."""
    return _told(place, QUESTIONS)


def where_is(place: Place) -> Asked | None:
    """Return the question where a device is; the list knows it, or does not."""
    if not devices(place):
        return None
    entity = place.rng.choice(devices(place))
    text = fill_for(place, form(place, "not_commands", "where"), entity)
    if not text:
        return None
    if not entity.area:
        return words_chat(text, reply(place, "not_commands", "where unknown answers"))
    words = {"it": with_article(entity.name), "area": with_article(entity.area.lower())}
    answer = reply(place, "not_commands", "where answers", **words)
    return words_chat(text, answer.replace("It is", "They are") if entity.is_several else answer, "where")


def idiom(place: Place) -> Asked | None:
    """Return talk that has the words of devices in it ("I'm a big fan")."""
    block = place.rng.choices(IDIOMS, [len(listed("idioms", each)) for each in IDIOMS])[0]
    text = fill_for(place, form(place, "idioms", block))
    return words_chat(text, reply(place, "idioms", f"{block} answers")) if text else None


def explanation(place: Place) -> Asked | None:
    """Return a question how a device works, with the one answer to it."""
    block = place.rng.choice(FACTS)
    return words_chat(form(place, "device_facts", block), listed("device_facts", f"{block} answer")[0], "explanation")
