"""Answers where nothing can be done: what was wished is named, nothing is claimed, and it is said how to add it.

This is what the model says in conversations without tools. The user's next words ("why not?", "do it anyway") are
answered in the same sense.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from train.corpus.banks import bank
from train.corpus.base import APOSTROPHES, Check, Split, Turn, expand, mentions

SHORT_SHARE = 0.2
FOLLOWED_SHARE = 0.3
NO_HOW_SHARE = 0.25
INABILITY = re.compile(
    r"\b(can'?t|cannot|could ?n'?t|couldn't|no way|not|unable|have no|has no|am no|there is no|there are no|no devices|"
    r"no device|nothing|don't|won't|didn't|no tools?|no internet|no phone|never|without|know no|no such)\b"
)
DOING = (
    "turning|switching|opening|closing|locking|unlocking|setting|starting|playing|adding|calling|ordering|booking|"
    "sending|cancelling|stopping|pausing|dimming|making|buying|paying|raising|lowering"
)
DID = "turned|switched|opened|closed|locked|unlocked|set|started|played|added|called|ordered|booked|sent|dimmed|bought"
STATES = (
    "on|off|open|closed|locked|unlocked|set(?! up)|playing|booked|ordered|sent|running|dimmed|started(?! without)|done"
)
CLAIMS = tuple(map(re.compile, (
    rf"^(?:(?:ok|okay|sure|yes|done|alright|all right|of course)\W+)?(?:i'?m |i am )?(?:{DOING})\b",
    r"^(?:(?:ok|okay|sure|yes|all right)\W+)?done\b",
    rf"\b(?:is|are|was|were) (?:now |already )?(?:{STATES})\b",
    rf"\bi(?:'ve| have|'ll have)? (?:just |now |already )?(?:{DID})\b",
    r"\bi(?:'ll| will) (?:turn|switch|open|close|lock|unlock|set|start|play|add|call|order|book|send|remind|wake)\b",
)))  # fmt: skip
DENIED = re.compile(r"\b(whether|if|nothing|not|no|never|once|started without)\b|n't\b")
"""Words before which a state is not claimed: "I can't see whether it is on", "nothing was sent"."""

CAUSES = re.compile(
    r"\b(devices?|tools?|tools\.toml|internet|phone|connected|reach|possible|pretend|board|yourself|couldn't|didn't|"
    r"nothing|made for|a way|connection|list|conversation|without|none|stories|explain|can't|no way)\b"
)
FOLLOW_UPS = (
    ("why", "why", 22), ("how", "how", 20), ("again", "refused", 16), ("sure", "refused", 12),
    ("anyway", "refused", 16), ("did", "did not", 14), ("but", "but", 14), ("else", "else", 5),
    ("accept", "accepted", 10),
)  # fmt: skip
"""What people say next, the answers to it, and how frequent it is."""


@dataclass(frozen=True)
class Wish:
    """What the user wants, and the words that an honest answer has to contain."""

    kind: str
    """device, state, skill or errand: an errand can be done by no tool at all."""

    do: str
    """The wish as a command: "turn on the kitchen light"."""

    it: str
    """What the wish is about: "the kitchen light"."""

    names: tuple[str, ...]
    skills: str = ""
    """What the board would need for it, in the plural: "timers"."""

    state: str = "on"

    @property
    def family(self) -> str:
        """Return the kind of wish as far as follow-ups distinguish it."""
        return "device" if self.kind == "state" else self.kind


def echoed(said: str) -> str:
    """Return the user's words as they are said back to the user: "my lamp" is "your lamp"."""
    words = {"my": "your", "me": "you", "our": "your", "us": "you", "i": "you", "myself": "yourself", "mine": "yours"}
    return " ".join(words.get(word.lower(), word) for word in said.split(" "))


def claims(reply: str) -> bool:
    """Return whether a reply says that something was done or is being done."""
    plain = reply.lower().translate(dict.fromkeys(map(ord, APOSTROPHES), "'"))
    sentences = re.split(r"[.!?:;]\s+|[.!]$", re.sub(r"[^.!?:;]*\?", "", plain))
    return any(
        (found := claim.search(sentence)) and not DENIED.search(sentence[: found.end()])
        for sentence in sentences
        for claim in CLAIMS
    )


def says_no(reply: str) -> bool:
    """Return whether a reply says that something can't be done, and claims nothing."""
    plain = reply.lower().translate(dict.fromkeys(map(ord, APOSTROPHES), "'"))
    return bool(INABILITY.search(plain)) and not claims(reply)


def refuses(*names: str) -> Check:
    """Return the rule that a reply names these things, says that it can't be done, and claims nothing."""
    return lambda reply: mentions(reply, *names) and says_no(reply)


def _explains(reply: str) -> bool:
    return bool(CAUSES.search(reply.lower())) and not claims(reply)


def _accepts(reply: str) -> bool:
    return bool(re.search(r"\b(all right|okay|sorry|welcome|thank)\b", reply.lower())) and not claims(reply)


def _all_of(block: str) -> list[str]:
    forms = bank("no_tools")[block]
    return [*forms.train, *forms.heldout]


def _filled(rng: random.Random, wish: Wish, template: str, *, with_how: bool) -> str:
    """Return an answer with its words filled in."""
    how = expand(rng, rng.choice(_all_of(f"{wish.family} how"))) if with_how and wish.kind != "errand" else ""
    template = expand(rng, template.replace("{how}", how))
    titled = wish.skills[:1].upper() + wish.skills[1:]
    return template.format(do=wish.do, it=wish.it, state=wish.state, skills=wish.skills, titled=titled).strip()


def answer(rng: random.Random, wish: Wish) -> str:
    """Return an answer to the wish."""
    if rng.random() < SHORT_SHARE and wish.kind != "errand":
        return _filled(rng, wish, rng.choice(_all_of(f"{wish.kind} short")), with_how=False)
    return _filled(rng, wish, rng.choice(_all_of(wish.kind)), with_how=rng.random() > NO_HOW_SHARE)


def refused(rng: random.Random, question: str, wish: Wish) -> Turn:
    """Return the turn with the wish and its answer."""
    return Turn(question, answer(rng, wish), refuses(*wish.names))


def follow_up(rng: random.Random, split: Split, wish: Wish) -> Turn:
    """Return what people say after such an answer, and an answer that stays honest."""
    said, block, _ = rng.choices(FOLLOW_UPS, [share for _, _, share in FOLLOW_UPS])[0]
    question = bank("no_tools")[said].pick(rng, split).format(do=wish.do)
    block = block if block == "accepted" else f"{block} {wish.family}"
    reply = _filled(rng, wish, rng.choice(_all_of(block)), with_how=rng.random() > 0.5)
    check = _accepts if block == "accepted" else _denies if said in ("again", "sure", "anyway", "did") else _explains
    return Turn(question, reply, check)


def _denies(reply: str) -> bool:
    return says_no(reply) and bool(CAUSES.search(reply.lower()) or re.search(r"\bcan'?t\b|\bno way\b", reply.lower()))


def with_follow_ups(rng: random.Random, split: Split, turns: list[Turn], wish: Wish) -> list[Turn]:
    """Return the turns with what people may say next; a question that is not in training may be the last of them."""
    share = FOLLOWED_SHARE if split == "train" else 0.12
    while rng.random() < share:
        turns.append(follow_up(rng, split, wish))
        if split != "train":
            break
    return turns
