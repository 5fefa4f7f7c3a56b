"""Questions of fact that the model cannot answer: it says that it does not know, and names the topic.

A frame belongs to one kind of topic, such as "who won {contest}". Frames about things that the model does know, such as
"what is the capital of France", belong to the tables of facts.
"""

from __future__ import annotations

import random

from train.corpus.base import Check, Scene, Split, Turn, draw_until, is_held_combination, mentions, normal
from train.corpus.everyday import SLOT, Topic, ask, load_topics, reply_to
from train.corpus.unknown_words import UNKNOWN_POOLS

NOT_KNOWING = (
    "don't know", "no idea", "know nothing", "can't say", "can't tell", "not know", "can't explain", "no opinion",
    "unknown to me", "no figures", "no facts", "never learned", "no information", "no knowledge", "can't translate",
    "can't advise", "not among", "means nothing to me", "know hardly any", "too small to know", "not in what I know",
    "not something I know", "have no news",
)  # fmt: skip


def admits_not_knowing(*topic: str) -> Check:
    """Return the rule that a reply says that it does not know, and names the topic."""
    return lambda reply: (
        mentions(reply, *topic) and any(f" {normal(each)} " in f" {normal(reply)} " for each in NOT_KNOWING)
    )


def _topics() -> list[Topic]:
    return load_topics("unknown")


def make_unknown(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return one question that the model cannot answer, sometimes followed by another one."""
    turns = [_unknown_turn(rng, split, scene)]
    while split == "train" and rng.random() < 0.3:
        turns.append(_unknown_turn(rng, split, scene))
    return turns


def _unknown_turn(rng: random.Random, split: Split, scene: Scene) -> Turn:
    topic = draw_until(lambda: rng.choice(_topics()), lambda each: split != "heldout" or each.can_hold_out)
    held_form = split == "heldout" and rng.random() < 0.5

    def draw() -> tuple[str, dict[str, str]]:
        words: dict[str, str] = {}
        return ask(rng, "heldout" if held_form else "train", topic.opening, UNKNOWN_POOLS, words), words

    question, words = draw_until(
        draw, lambda drawn: held_form or is_held_combination(topic.key, *drawn[1].values()) == (split != "train")
    )
    named = {slot for reply in topic.opening.replies for slot in SLOT.findall(reply)}
    reply = reply_to(rng, topic.opening, words, scene.told)
    return Turn(question, reply, admits_not_knowing(*(words[slot] for slot in sorted(named) if slot in words)))
