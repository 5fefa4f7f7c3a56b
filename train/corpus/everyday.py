"""Everyday talk from the files of `data/talk`: what people say to a device on the kitchen shelf, and what follows.

A block has phrasings (``>``) and replies (``<``). Where the replies ask something back, groups of answers (``>>``)
with reactions (``<<``) follow; a conversation has one of the groups. Words in ``{slots}`` are drawn from lists, and a
reply may repeat them. ``=`` names a block of the other data files that means the same.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib.resources import files

from train.corpus.base import (
    Check,
    Phrasings,
    Scene,
    Split,
    Turn,
    draw_until,
    expand,
    is_held_place,
    normal,
    pick_unused,
    with_articles,
    words_of,
)
from train.corpus.everyday_words import POOLS, Pool
from train.corpus.intents import NEAR_ENOUGH, best_likenesses, likeness, likenesses
from train.corpus.names import invented

SLOT = re.compile(r"\{([a-z]+)\}")
BEGINNING = re.compile(r"(?:^|[.!?] )[a-z]")
IDEA = "idea"
"""The slot of a suggestion, which only replies have."""

Pools = Mapping[str, Pool]
RARE_SHARE = 0.15
"""How often a word of a slot is an invented one."""


@dataclass
class Exchange:
    """Sentences of one meaning and the replies that fit all of them."""

    questions: list[str] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    known_words: frozenset[str] = frozenset()

    @cached_property
    def phrasings(self) -> Phrasings:
        """Return the sentences, split into trained and held-out ones."""
        return Phrasings(self.questions, self.known_words)


@dataclass
class Topic:
    """An opening, and the groups of sentences with which the user may go on."""

    key: str
    opening: Exchange
    follow_ups: list[Exchange] = field(default_factory=list)
    same_as: list[str] = field(default_factory=list)
    """Blocks of the other data files that mean the same: their replies are right here, and these there."""

    @property
    def can_hold_out(self) -> bool:
        """Return whether an opening is kept out of training."""
        return bool(self.opening.phrasings.heldout)


class TalkError(ValueError):
    """A line of a file of everyday talk that has no mark, or stands in a wrong place."""

    def __init__(self, name: str, line: int) -> None:
        super().__init__(f"data/talk/{name}, line {line}: no mark, or a mark in a wrong place")


def parse_topics(name: str, text: str) -> list[Topic]:
    """Return the blocks of a file."""
    topics: list[Topic] = []
    last = ""
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line or line.startswith(";"):
            continue
        mark, _, rest = line.partition(" ")
        if mark == "#":
            topics.append(Topic(rest, Exchange()))
        elif mark == "=" and topics:
            topics[-1].same_as.append(rest)
        elif not topics or mark not in (">", "<", ">>", "<<") or (mark == "<<" and last not in (">>", "<<")):
            raise TalkError(name, number)
        else:
            _add_line(topics[-1], mark, rest, last)
        last = mark
    return topics


def _add_line(topic: Topic, mark: str, rest: str, last: str) -> None:
    if mark == ">>" and last != ">>":
        topic.follow_ups.append(Exchange())
    exchange = topic.follow_ups[-1] if len(mark) == 2 else topic.opening
    (exchange.questions if mark[0] == ">" else exchange.replies).append(rest)


@cache
def load_topics(folder: str = "talk") -> list[Topic]:
    """Return the blocks of all files of a folder, in the order of their names."""
    topics: list[Topic] = []
    for path in sorted(files("train.corpus").joinpath(f"data/{folder}").iterdir(), key=lambda each: each.name):
        topics += parse_topics(path.name, path.read_text("utf-8"))
    exchanges = [each for topic in topics for each in (topic.opening, *topic.follow_ups)]
    trained = [q for each in exchanges for i, q in enumerate(each.questions) if not is_held_place(i)]
    known = frozenset(word for question in trained for word in words_of(question))
    for exchange in exchanges:
        exchange.known_words = known
    return topics


@cache
def _own_replies() -> list[tuple[str, Counter[str]]]:
    """Return every reply of the topics as a bag of words."""
    return [
        (f"talk/{topic.key}", Counter(normal(reply).split()))
        for topic in load_topics()
        for each in (topic.opening, *topic.follow_ups)
        for reply in each.replies
    ]


@lru_cache(maxsize=4096)
def _likenesses(text: str) -> dict[str, float]:
    """Return for each topic, and each block of the other data files, how like the text its best reply is."""
    return best_likenesses(Counter(text.split()), _own_replies()) | likenesses(text)


def replies_like(key: str) -> list[Counter[str]]:
    """Return the replies of the topics that mean the same as a block of another data file, as bags of words."""
    topics = (topic for topic in load_topics() if key in topic.same_as)
    return [Counter(normal(reply).split()) for topic in topics for reply in topic.opening.replies]


def fill_slots(template: str, words: dict[str, str]) -> str:
    """Return the template with the words in its slots, and a capital letter where one begins a sentence."""
    text = with_articles(SLOT.sub(lambda slot: words.get(slot.group(1), slot.group(0)), template))
    return BEGINNING.sub(lambda letter: letter.group(0).upper(), text)


def answers_exchange(topic: Topic, exchange: Exchange, words: dict[str, str]) -> Check:
    """Return the rule that, of all replies, those of this exchange are the nearest, and near enough.

    For an opening these are also the replies of blocks that mean the same.
    """
    filled = [Counter(normal(fill_slots(each, words)).split()) for each in exchange.replies]
    same = topic.same_as if exchange is topic.opening else []

    def check(reply: str) -> bool:
        known = _likenesses(normal(reply))
        own = max(likeness(Counter(normal(reply).split()), each) for each in filled)
        best = max((own, *(known[name] for name in same)))
        others = max(like for name, like in known.items() if name != f"talk/{topic.key}" and name not in same)
        return best >= max(NEAR_ENOUGH, others)

    return check


def draw_words(rng: random.Random, template: str, pools: Pools, words: dict[str, str]) -> None:
    """Draw a word for each slot of the template that has none yet."""
    for slot in SLOT.findall(template):
        if slot not in words:
            words[slot] = draw_word(rng, pools[slot])


def draw_word(rng: random.Random, pool: Pool) -> str:
    """Return a word for a slot, sometimes an invented one."""
    if rng.random() < RARE_SHARE and pool.may_be_invented:
        word = invented(rng)
        return word.capitalize() if pool.words[0][0].isupper() else word
    return rng.choice(pool.words)


def ask(rng: random.Random, split: Split, exchange: Exchange, pools: Pools, words: dict[str, str]) -> str:
    """Return one of the sentences; the words of its slots are kept for the turns after it."""
    forms = exchange.phrasings
    chosen = forms.heldout if split == "heldout" and forms.heldout else forms.train
    template = expand(rng, rng.choice(chosen))
    draw_words(rng, template, pools, words)
    return with_articles(SLOT.sub(lambda slot: words[slot.group(1)], template))


def reply_to(rng: random.Random, exchange: Exchange, words: dict[str, str], used: set[str]) -> str:
    """Return a reply that uses no other words than those that were said; a suggestion is the model's own."""
    if IDEA not in words:
        words[IDEA] = rng.choice(POOLS["food"].words)
    usable = [reply for reply in exchange.replies if all(slot in words for slot in SLOT.findall(reply))]
    return fill_slots(pick_unused(rng, usable, used), words)


def _turn(
    rng: random.Random, split: Split, topic: Topic, exchange: Exchange, words: dict[str, str], used: set[str]
) -> Turn:
    question = ask(rng, split, exchange, POOLS, words)
    reply = reply_to(rng, exchange, words, used)
    return Turn(question, reply, answers_exchange(topic, exchange, words))


def make_everyday(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return a topic's opening and, mostly, what follows."""
    topics = load_topics()
    topic = draw_until(lambda: rng.choice(topics), lambda each: split != "heldout" or each.can_hold_out)
    words: dict[str, str] = {}
    following = [each for each in topic.follow_ups if split != "heldout" or each.phrasings.heldout]
    if not following or rng.random() > (0.65 if split == "train" else 0.25):
        return [_turn(rng, split, topic, topic.opening, words, scene.told)]
    first = _turn(rng, "train", topic, topic.opening, words, scene.told)
    return [first, _turn(rng, split, topic, rng.choice(following), words, scene.told)]
