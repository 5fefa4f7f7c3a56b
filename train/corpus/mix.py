"""The corpus as a whole: which kinds of conversations it has, in which shares, in numbered pools."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from functools import cache

from train.corpus.bare import make_bare_talk
from train.corpus.base import Message
from train.corpus.dialogue import banned_questions as banned_in_talk
from train.corpus.dialogue import make_conversation, make_text
from train.corpus.long_talk import make_long_conversation
from train.corpus.tools.follow_ups.follow_ups import make_follow_up_probes, make_follow_up_talk
from train.corpus.tools.more_devices import make_device_probes, make_device_talk
from train.corpus.tools.own.own_tools import make_own_tool_probes, make_own_tool_talk
from train.corpus.tools.skills.skill_talk import make_skill_probes, make_skill_talk
from train.corpus.tools.talk import make_home_probes, make_tool_probes, make_tool_talk

Maker = Callable[[random.Random, frozenset[str]], list[Message]]

POOL = 3000
CHECKED_POOLS, CHECKED = (0, 1000, 1_000_000), 700


def _text(rng: random.Random, _: frozenset[str]) -> list[Message]:
    return make_text(rng)


MAKERS: tuple[tuple[Maker, float], ...] = (
    (_text, 0.04),
    (make_conversation, 0.34),
    (make_bare_talk, 0.06),
    (make_long_conversation, 0.012),
    (make_tool_talk, 0.23),
    (make_skill_talk, 0.17),
    (make_own_tool_talk, 0.07),
    (make_device_talk, 0.025),
    (make_follow_up_talk, 0.053),
)
"""The kinds of conversations and their shares. Those with tools are longer, so most of the learned text is theirs."""


@cache
def banned_questions() -> frozenset[str]:
    """Return the questions of the evaluation, which no training conversation contains."""
    probes = [
        *make_tool_probes(),
        *make_home_probes(),
        *make_skill_probes(),
        *make_own_tool_probes(),
        *make_device_probes(),
        *make_follow_up_probes(),
    ]
    return banned_in_talk() | frozenset(probe.asked for probe in probes)


def make_sample(rng: random.Random) -> list[Message]:
    """Return a conversation, or a text, for training."""
    makers, shares = zip(*MAKERS, strict=True)
    made: list[Message] = rng.choices(makers, shares)[0](rng, banned_questions())
    return made


def pool(seed: int, number: int, size: int = POOL) -> Iterator[list[Message]]:
    """Yield the conversations of a pool; they depend on seed and number alone."""
    rng = random.Random(f"{seed} {number}")
    for _ in range(size):
        yield make_sample(rng)


def checksum(seed: int) -> str:
    """Return the SHA-256 of conversations of this seed; what changes the corpus at all changes some of so many."""
    digest = hashlib.sha256()
    for number in CHECKED_POOLS:
        for talk in pool(seed, number, CHECKED):
            digest.update("".join(f"{message.role}\n{message.content}\n" for message in talk).encode())
    return digest.hexdigest()
