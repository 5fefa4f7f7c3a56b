"""Conversation that is kept in data files: blocks of phrasings (``>``), nouns (``@``) and replies (``<``).

``#`` begins a block. Questions about a noun use the shared forms below; ``@+`` marks a plural. An answer is right when,
of all known replies, one of the block's own is by far the nearest.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib.resources import files

from train.corpus.base import (
    Category,
    Check,
    Phrasings,
    Scene,
    Split,
    Turn,
    draw_until,
    expand,
    is_held_combination,
    is_held_place,
    normal,
    pick_unused,
    words_of,
)

NEAR_ENOUGH = 0.75
# With so many replies, "another one" makes sense.
MANY = 4
SINGULAR_FORMS = Phrasings(
    [
        "what is {}",
        "what's {}",
        "tell me about {}",
        "explain {}",
        "what do you know about {}",
        "tell me what {} is",
        "can you explain {}",
        "do you know what {} is",
        "what can you tell me about {}",
        "explain to me what {} is",
        "[give me a|I'd like a] short explanation of {}",
        "how would you explain {}",
        "describe {}",
        "[can|could] you tell me [something|] about {}",
        "tell me something about {}",
        "what exactly is {}",
        "I want to know [about|what is] {}",
        "[could|can] you tell me what {} is",
        "teach me about {}",
        "I want to learn about {}",
        "can you describe {}",
        "what do you mean by {}",
        "do you know [something|anything] about {}",
        "in simple words, what is {}",
        "how does {} work",
        "define {}",
        "I don't know what {} is",
        "what does {} mean",
        "say something about {}",
        "explain {} [to a child|to me|in simple words|for kids]",
        "please explain what {} is",
        "I'd like to know more about {}",
        "have you heard of {}",
        "let's talk about {}",
        "please tell me about {}",
        "{}",
    ]
)
PLURAL_FORMS = Phrasings(
    [
        "what are {}",
        "tell me about {}",
        "explain {}",
        "what do you know about {}",
        "tell me what {} are",
        "what exactly are {}",
        "do you know what {} are",
        "describe {}",
        "can you explain {}",
        "what can you tell me about {}",
        "explain to me what {} are",
        "[can|could] you tell me [something|] about {}",
        "tell me something about {}",
        "I want to learn about {}",
        "teach me about {}",
        "do you know [something|anything] about {}",
        "I want to know about {}",
        "[could|can] you tell me what {} are",
        "say something about {}",
        "explain {} [to a child|to me|in simple words]",
        "I'd like to know more about {}",
        "can you describe {}",
        "please tell me about {}",
        "{}",
    ]
)
MORE = Phrasings(
    [
        "tell me more",
        "[can|could] you tell me more",
        "more about that",
        "what else do you know about [it|that]",
        "tell me more about [it|that]",
        "go on",
        "more please",
        "and what else",
        "anything else about [it|that]",
        "I want to know more",
        "more",
        "what else",
        "is there more",
        "do you know more about [it|that]",
        "give me more details",
    ]
)

ONE_MORE = Phrasings(
    [
        "another one",
        "one more",
        "again",
        "another",
        "tell me another one",
        "do you know another one",
        "another one please",
        "one more please",
        "and another one",
        "more",
        "more please",
        "next one",
        "a different one",
        "do you have another one",
    ]
)


@dataclass
class Intent:
    """One meaning: its questions and its possible answers."""

    key: str
    questions: list[str] = field(default_factory=list)
    nouns: list[tuple[str, Phrasings]] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    """What a reply leaves open until it is asked for: the answer to a riddle."""

    known_words: frozenset[str] = frozenset()

    @cached_property
    def phrasings(self) -> Phrasings:
        """Return the block's own questions, split into trained and held-out ones."""
        return Phrasings(self.questions, self.known_words)


def parse_intents(text: str) -> list[Intent]:
    """Return the blocks of a data file."""
    intents: list[Intent] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        mark, rest = line.split(" ", 1)
        if mark == "#":
            intents.append(Intent(rest))
        elif mark == ">":
            intents[-1].questions.append(rest)
        elif mark == "<":
            _add_reply(intents[-1], rest)
        elif mark in ("@", "@+"):
            forms = PLURAL_FORMS if mark == "@+" else SINGULAR_FORMS
            intents[-1].nouns += [(noun.strip(), forms) for noun in rest.split("|")]
        else:
            raise ValueError(f"a line of the data begins with {mark!r}")
    known = _trained_words(intents)
    for intent in intents:
        intent.known_words = known
    return intents


def _add_reply(intent: Intent, text: str) -> None:
    reply, _, answer = text.partition(" = ")
    intent.replies.append(reply)
    if answer:
        intent.answers[reply] = answer


def _trained_words(intents: list[Intent]) -> frozenset[str]:
    """Return every word that a trained question of the file can contain."""
    trained = [q for intent in intents for i, q in enumerate(intent.questions) if not is_held_place(i)]
    return frozenset(word for question in trained for word in words_of(question))


@cache
def load_intents(name: str) -> list[Intent]:
    """Return the intents of one data file."""
    return parse_intents(files("train.corpus").joinpath(f"data/{name}.txt").read_text("utf-8"))


@cache
def all_replies() -> list[tuple[str, Counter[str]]]:
    """Return every reply of every data file as a bag of words, by the name of its block."""
    return [
        (f"{name}/{intent.key}", Counter(normal(reply).split()))
        for name in ("smalltalk", "identity", "howto", "facts")
        for intent in load_intents(name)
        for reply in intent.replies
    ]


def likeness(first: Counter[str], second: Counter[str]) -> float:
    """Return how many of the words of two bags are the same, from 0 to 1."""
    shared = sum((first & second).values())
    return 2 * shared / max(1, first.total() + second.total())


def best_likenesses(words: Counter[str], known: list[tuple[str, Counter[str]]]) -> dict[str, float]:
    """Return for the name of each block how like the words its best reply is."""
    best: dict[str, float] = {}
    for name, reply in known:
        best[name] = max(best.get(name, 0.0), likeness(words, reply))
    return best


@lru_cache(maxsize=4096)
def likenesses(text: str) -> dict[str, float]:
    """Return for each block of the data files how like the text its best reply is."""
    return best_likenesses(Counter(text.split()), all_replies())


def answers_intent(key: str, same: Callable[[], list[Counter[str]]] = list) -> Check:
    """Return the rule that the replies of this block are the nearest to a reply, and near enough.

    So are the replies that mean the same and stand in other files.
    """

    def check(reply: str) -> bool:
        words = Counter(normal(reply).split())
        best_likeness, best_key = max((like, name) for name, like in likenesses(normal(reply)).items())
        if best_key == key and best_likeness >= NEAR_ENOUGH:
            return True
        others = max((likeness(words, known) for known in same()), default=0.0)
        return others >= max(best_likeness, NEAR_ENOUGH)

    return check


def _ask(rng: random.Random, intent: Intent, split: Split) -> tuple[str, str | None]:
    """Return a question for the intent, and the noun if the question has one."""
    use_noun = intent.nouns and (not intent.questions or rng.random() < 0.7)
    if not use_noun:
        return intent.phrasings.pick(rng, split), None
    noun, forms = rng.choice(intent.nouns)
    held_out = [form for form in forms.train if is_held_combination(noun, form)]
    if split == "composed":
        usable = held_out or forms.train
    elif split == "train":
        usable = [form for form in forms.train if form not in held_out]
    else:
        usable = held_out if held_out and rng.random() < 0.5 else forms.heldout
    return expand(rng, rng.choice(usable)).format(noun), noun


def _can_hold_out(intent: Intent) -> bool:
    return bool(intent.nouns) or bool(intent.phrasings.heldout)


class IntentCategory:
    """Makes turns from one data file."""

    def __init__(self, name: str, same: Callable[[str], list[Counter[str]]] = lambda key: []) -> None:
        self._name = name
        self._same = same
        self._intents = load_intents(name)
        # People use intents with many phrasings most often.
        self._weights = [6 + min(len(i.questions) + 8 * len(i.nouns), 34) for i in self._intents]

    def make(self, rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
        """Return one exchange, or two when a request for more follows a fact."""
        intent = draw_until(
            lambda: rng.choices(self._intents, self._weights)[0],
            lambda i: split != "heldout" or _can_hold_out(i),
        )
        while True:
            question, noun = _ask(rng, intent, split)
            if split != "heldout" or noun or intent.phrasings.heldout:
                break
        reply = next_reply(rng, intent, scene)
        if intent.key == "who" and scene.assistant_name:
            name = scene.assistant_name
            return [Turn(question, f"I'm {name}, a small language model that runs on this board.",
                         lambda text: normal(name) in normal(text))]  # fmt: skip
        key = f"{self._name}/{intent.key}"
        check = answers_intent(key, lambda: self._same(key))
        turns = [Turn(question, reply, check)]
        while len(intent.replies) >= MANY and split == "train" and rng.random() < 0.3:
            turns.append(Turn(ONE_MORE.pick(rng, split), next_reply(rng, intent, scene), check))
        if noun and split == "train" and rng.random() < 0.12:
            more = f"I'm afraid that's all I know about {noun}."
            turns.append(Turn(MORE.pick(rng, split), more, lambda text: "all i know" in normal(text)))
        return turns


def next_reply(rng: random.Random, intent: Intent, scene: Scene) -> str:
    """Return a reply that has not been given.

    Of many replies, the one after the last is next, because a small model knows what comes after a thing better than
    what has not been told.
    """
    if len(intent.replies) < MANY:
        return pick_unused(rng, intent.replies, scene.told)
    last = scene.last.get(intent.key)
    place = rng.randrange(len(intent.replies)) if last is None else intent.replies.index(last) + 1
    scene.last[intent.key] = intent.replies[place % len(intent.replies)]
    return scene.last[intent.key]


def intent_category(name: str, weight: float, same: Callable[[str], list[Counter[str]]] = lambda key: []) -> Category:
    """Return the category of one data file; ``same`` gives the replies of other files that mean the same as a block."""
    return Category(name, IntentCategory(name, same).make, weight)
