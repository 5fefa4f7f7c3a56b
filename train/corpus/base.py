"""What all corpus modules share: turns, the splits, and how phrasings are held out.

A phrasing or a combination of words belongs to exactly one split. Its position in a list or a checksum of its words
decides, never chance, so training cannot see what the evaluation asks.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar
from zlib import crc32

T = TypeVar("T")
Split = Literal["train", "composed", "heldout"]
"""train: what is learned. composed: trained templates and trained words that were never trained together. heldout: the
same, and for about half of the questions sentences that were never trained at all."""

Check = Callable[[str], bool]

HOLD_EVERY = 8
HOLD_AT = 5
APOSTROPHES = "'\u2019"
CHOICE = re.compile(r"\[([^\[\]]*)\]")
NO_NOUNS = "in|is|or|and|on|at|of|after|about|it|if|as|are|again|i"
ARTICLE = re.compile(rf"\b[Aa](?= (?!uni|uku|one|eu|us|(?:{NO_NOUNS})\b)[aeiou])")


@dataclass(frozen=True)
class Message:
    """One message of a conversation, or a text without a frame."""

    role: str
    """A text without a frame has the role `text` and is the only message."""

    content: str


@dataclass(frozen=True)
class Turn:
    """A user's text, a right answer, and the rule that decides whether another answer is right too."""

    user: str
    reply: str
    check: Check


@dataclass
class Scene:
    """What a conversation has established so far."""

    assistant_name: str | None = None
    user_name: str | None = None
    characters: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    last_plot: str | None = None
    last: dict[str, str] = field(default_factory=dict)
    """The last reply of each block of replies that are given one after the other."""

    prompt: str = ""
    """The system prompt that the conversation must have, because its questions are about it."""

    memory: dict[str, str] = field(default_factory=dict)
    """What the user told about himself, by the kind of thing: his name has a field of its own."""


Maker = Callable[[random.Random, Split, Scene], list[Turn]]


@dataclass(frozen=True)
class Category:
    """A kind of conversation: its maker, and its share of the corpus."""

    name: str
    make: Maker
    weight: float


def expand(rng: random.Random, template: str) -> str:
    """Return the template with every ``[one|other]`` choice replaced by one of its options, innermost first."""
    while found := CHOICE.search(template):
        choice = rng.choice(found.group(1).split("|"))
        template = template[: found.start()] + choice + template[found.end() :]
    return " ".join(template.split())


def fill(template: str, **words: str) -> str:
    """Return the template with its ``{slots}`` replaced by words."""
    return template.format(**words)


def with_articles(text: str) -> str:
    """Return the text with "an" where a word that begins with a vowel came into a slot after "a"."""
    return ARTICLE.sub(lambda found: f"{found.group(0)}n", text)


def is_held_place(index: int) -> bool:
    """Return whether the phrasing at this position of a list is kept out of training."""
    return index % HOLD_EVERY == HOLD_AT


def words_of(template: str) -> frozenset[str]:
    """Return all words that a template can contain, whatever its choices."""
    return frozenset(re.findall(r"[^\W_]+", template.lower()))


class Phrasings:
    """Templates of one meaning, of which every eighth is kept out of training."""

    def __init__(self, templates: Iterable[str], known: frozenset[str] | None = None) -> None:
        everything = list(templates)
        # A new arrangement of words can be understood, an unknown word cannot: with
        # ``known`` words given, a phrasing with any other word goes back to training.
        held = {
            i
            for i, template in enumerate(everything)
            if is_held_place(i) and (known is None or words_of(template) <= known)
        }
        self.heldout = [t for i, t in enumerate(everything) if i in held]
        self.train = [t for i, t in enumerate(everything) if i not in held]

    def pick(self, rng: random.Random, split: Split) -> str:
        """Return a template of the split with its choices made.

        If there are few phrasings, possibly none is held out.
        """
        chosen = self.heldout if split == "heldout" and self.heldout else self.train
        return expand(rng, rng.choice(chosen))


def is_held_combination(*words: str) -> bool:
    """Return whether this combination of words is kept out of training."""
    return crc32("|".join(words).lower().encode()) % 10 == 0


def draw_until(draw: Callable[[], T], wanted: Callable[[T], bool]) -> T:
    """Draw until a result is accepted, and return it."""
    while True:
        result = draw()
        if wanted(result):
            return result


def normal(text: str) -> str:
    """Return a text without case and punctuation, for comparisons."""
    kept = "".join(c if c.isalnum() or c.isspace() else "" if c in APOSTROPHES else " " for c in text.lower())
    return " ".join(kept.split())


def mentions(reply: str, *wanted: str) -> bool:
    """Return whether the reply contains all the wanted words or phrases, as whole words."""
    padded = f" {normal(reply)} "
    return all(f" {normal(phrase)} " in padded for phrase in wanted)


def expects(*wanted: str) -> Check:
    """Return the rule that a reply must mention all these phrases."""
    return lambda reply: mentions(reply, *wanted)


def same_words(expected: str) -> Check:
    """Return the rule that a reply must have exactly these words, apart from case and punctuation."""
    return lambda reply: normal(reply) == normal(expected)


def pick_unused(rng: random.Random, options: Sequence[str], used: set[str]) -> str:
    """Return one of the options, if possible one that has not been used."""
    fresh = [option for option in options if option not in used]
    choice = rng.choice(fresh or list(options))
    used.add(choice)
    return choice
