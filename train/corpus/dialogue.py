"""Whole conversations: possibly a system prompt, some exchanges of any categories, realistic spelling."""

from __future__ import annotations

import random
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

from train.corpus.arithmetic import make_arithmetic
from train.corpus.base import Category, Check, Message, Scene, Split, Turn, normal
from train.corpus.copying import make_copying
from train.corpus.entertain import make_entertainment
from train.corpus.everyday import make_everyday, replies_like
from train.corpus.home import make_home
from train.corpus.home_words.things import ADJECTIVES
from train.corpus.intents import intent_category
from train.corpus.knowledge import make_knowledge
from train.corpus.names import RARE, invented, person, stand_ins
from train.corpus.persona import make_persona
from train.corpus.personal import make_personal
from train.corpus.recall import make_recall
from train.corpus.refusals import make_refusals
from train.corpus.stories import make_stories
from train.corpus.surface import PREFIXES, plain, surface, wrap, wrap_twice
from train.corpus.texts import draw_text
from train.corpus.unknown import make_unknown

CATEGORIES = (
    Category("home", make_home, 20),
    Category("arithmetic", make_arithmetic, 17),
    intent_category("smalltalk", 20, replies_like),
    intent_category("identity", 10, replies_like),
    intent_category("howto", 8),
    intent_category("facts", 10),
    Category("refusal", make_refusals, 17),
    Category("story", make_stories, 6),
    Category("knowledge", make_knowledge, 9),
    Category("personal", make_personal, 13),
    Category("talk", make_everyday, 34),
    Category("unknown", make_unknown, 10),
    Category("fun", make_entertainment, 7),
    Category("copying", make_copying, 10),
    Category("recall", make_recall, 9),
    Category("persona", make_persona, 0),
)
"""The categories, whose first six may also come before the question of an evaluation.

A persona needs a system prompt of its own, so it is never drawn among others.
"""

PERSONA_SHARE = 0.08
"""Share of the conversations that are about what stands in their system prompt."""

PROBES = 100
PROBE_SEED = 20_000
# Categories in which one wrong letter changes the question, or the text to repeat.
EXACT = ("arithmetic", "story", "personal", "knowledge")
GENERAL_PROMPT = "You are a knowledgeable assistant capable of answering various questions and providing information."
PERSONAS = (
    "You are a helpful assistant.",
    "You are a friendly assistant.",
    "You are a voice assistant.",
    "You are a home assistant.",
    "You are unitd's assistant.",
    "You are a helpful and polite assistant. Answer briefly.",
    "You are an assistant on a small Linux board.",
    "Answer in short sentences.",
    "You are a smart home assistant that controls lights and devices.",
    "You are a friendly storyteller.",
    "You are a helpful AI.",
    "Be brief and polite.",
)
NAMED_PERSONAS = (
    "You are {}, a helpful assistant.",
    "You are {}, a friendly home assistant.",
    "Your name is {}.",
    "You are a voice assistant called {}.",
    "Your name is {}. You are a helpful assistant.",
)


@dataclass(frozen=True)
class Conversation:
    """Messages that end with the assistant's, the last category, and the rule for the last answer."""

    messages: list[Message]
    category: str
    check: Check
    asked: str


def system_messages(rng: random.Random, scene: Scene) -> list[Message]:
    """Return the system messages: mostly none, or one about the assistant."""
    draw = rng.random()
    if draw < 0.45:
        return []
    if draw < 0.72:
        return [Message("system", GENERAL_PROMPT)]
    if draw < 0.9:
        return [Message("system", rng.choice(PERSONAS))]
    scene.assistant_name = person(rng) if rng.random() < 0.6 else invented(rng).capitalize()
    return [Message("system", rng.choice(NAMED_PERSONAS).format(scene.assistant_name))]


def _messages(
    rng: random.Random, turn: Turn, category: Category, is_plain: bool = False, *, is_new: bool = False
) -> list[Message]:
    """Return the messages of an exchange; a held-out one gets a question that is like none in training."""
    exact = category.name in EXACT
    if is_new and category.name == "personal":
        text = rng.choice(PREFIXES) + turn.user
    elif category.name in ("personal", "arithmetic"):
        text = turn.user
    else:
        text = wrap_twice(rng, turn.user) if is_new else wrap(rng, turn.user)
    asked = plain(rng, text) if is_plain else surface(rng, text, exact)
    return [Message("user", asked), Message("assistant", turn.reply)]


def draw_category(rng: random.Random, previous: Category | None) -> Category:
    """Return the next category; people tend to stay with their topic."""
    if previous and previous.name != "story" and rng.random() < 0.35:
        return previous
    return rng.choices(CATEGORIES, [category.weight for category in CATEGORIES])[0]


def _is_banned(turns: list[Turn], messages: list[Message], banned: frozenset[str]) -> bool:
    asked = {normal(turn.user) for turn in turns} | {normal(m.content) for m in messages if m.role == "user"}
    return not asked.isdisjoint(banned)


def draw_exchange(
    rng: random.Random, category: Category, scene: Scene, banned: frozenset[str]
) -> tuple[list[Message], list[Turn]]:
    """Return an exchange of a category for training; it is empty, and has never been, when it has a banned question."""
    before = deepcopy(scene)
    made = category.make(rng, "train", scene)
    exchange = [message for turn in made for message in _messages(rng, turn, category)]
    if _is_banned(made, exchange, banned):
        vars(scene).update(vars(before))
        return [], []
    return exchange, made


def make_conversation(rng: random.Random, banned: frozenset[str] = frozenset()) -> list[Message]:
    """Return a conversation for training, without any of the banned questions."""
    if rng.random() < PERSONA_SHARE:
        return make_persona_conversation(rng, banned)
    scene = Scene()
    messages = system_messages(rng, scene)
    wanted = rng.choices((1, 2, 3, 4, 5, 6, 12), (30, 20, 15, 12, 9, 8, 6))[0]
    category: Category | None = None
    turns = 0
    while turns < wanted:
        category = draw_category(rng, category)
        exchange, made = draw_exchange(rng, category, scene, banned)
        messages += exchange
        turns += len(made)
    return messages


def make_persona_conversation(rng: random.Random, banned: frozenset[str] = frozenset()) -> list[Message]:
    """Return a conversation about the facts of its system prompt."""
    persona = next(category for category in CATEGORIES if category.name == "persona")
    while True:
        scene = Scene()
        exchange, _ = draw_exchange(rng, persona, scene, banned)
        if exchange:
            return [Message("system", scene.prompt), *exchange]


def make_text(rng: random.Random) -> list[Message]:
    """Return a text without a frame, for `/v1/completions` to continue."""
    return [Message("text", draw_text(rng))]


def make_probe(
    rng: random.Random, category: Category, split: Split = "heldout", is_plain: bool = False
) -> Conversation:
    """Return a conversation whose last question is kept out of training, sometimes after small talk.

    A plain question is spelled as by a careful writer or a speech recogniser, and contains no invented word. A composed
    question contains no word that was never trained.
    """
    stand_ins.set(ADJECTIVES if split == "composed" else RARE if is_plain else ())
    scene = Scene()
    messages = system_messages(rng, scene)
    if rng.random() < 0.3:
        before = rng.choice(CATEGORIES[:6])
        for turn in before.make(rng, "train", scene):
            messages += _messages(rng, turn, before, is_plain)
    turns = category.make(rng, split, scene)
    if scene.prompt:
        messages = [Message("system", scene.prompt)]
    for turn in turns:
        messages += _messages(rng, turn, category, is_plain, is_new=split == "composed" and turn is turns[-1])
    stand_ins.set(())
    return Conversation(messages, category.name, turns[-1].check, normal(turns[-1].user))


def make_probes(
    per_category: int = PROBES, seed: int = PROBE_SEED, is_plain: bool = False, split: Split = "heldout"
) -> list[Conversation]:
    """Return the questions of the evaluation, the same in every run; none of them occurs in training."""
    rng = random.Random(seed)
    return [make_probe(rng, category, split, is_plain) for category in CATEGORIES for _ in range(per_category)]


def banned_questions() -> frozenset[str]:
    """Return the questions of the evaluation, which no training conversation may have.

    A composed one is banned with the small words around it; without them it is trained.
    """
    composed = make_probes(is_plain=True, split="composed")
    asked = [probe.asked for probe in (*make_probes(), *make_probes(is_plain=True))]
    return frozenset(asked) | frozenset(normal(probe.messages[-2].content) for probe in composed)


def stream(seed: int) -> Iterator[list[Message]]:
    """Yield training conversations for ever; the same seed gives the same ones."""
    rng = random.Random(seed)
    banned = banned_questions()
    while True:
        yield make_conversation(rng, banned)
