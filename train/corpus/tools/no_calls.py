"""All makers of exchanges in which no call is due, or in which the same words decide whether one is, with shares."""

from __future__ import annotations

from train.corpus.tools.aftermath import after_failure, after_success
from train.corpus.tools.missing import elsewhere, impossible, presence, strange, unknown
from train.corpus.tools.not_commands import device_question, explanation, idiom, statement, where_is
from train.corpus.tools.pairs import contrast, pair, refrained
from train.corpus.tools.requests import Asked, Maker, Place
from train.corpus.tools.skills.skill_gaps import ability, errand, missing_skill
from train.corpus.tools.unclear import Episode, EpisodeMaker, another, half, it_alone, later, which, wrong_value

NO_CALLS: tuple[tuple[Maker, int, int], ...] = (
    (unknown, 15, 32), (impossible, 6, 30), (presence, 0, 16), (strange, 4, 8), (elsewhere, 4, 8),
    (statement, 8, 16), (refrained, 6, 8), (device_question, 3, 6), (where_is, 2, 6), (idiom, 4, 9), (half, 3, 6),
    (explanation, 2, 4), (another, 2, 4), (missing_skill, 4, 9), (errand, 4, 7), (ability, 2, 5),
)  # fmt: skip
"""Single exchanges, with their shares in the evaluation and in training, in the units of `MAKERS` in talk.py."""

CONTRASTS: tuple[tuple[Maker, int, int], ...] = ((contrast, 10, 18),)
"""Either a command or a sentence of the same words that is none."""

EPISODES: tuple[tuple[EpisodeMaker, int], ...] = (
    (pair, 40), (after_failure, 16), (after_success, 14), (which, 16), (later, 8), (wrong_value, 8),
)  # fmt: skip
"""Exchanges that belong together, and their shares; their results are fixed and must not be drawn again."""

EPISODE_SHARE = 0.14
"""Suggested share of the steps of a conversation that are such an episode."""

FIRST: tuple[tuple[Maker, int], ...] = ((it_alone, 1),)
FIRST_SHARE = 0.06
"""Exchanges that are only right before anything was named, and the share of the conversations that begin so."""

NOT_WRAPPED = frozenset({"no command", "half", "after", "where", "ability", "explanation", "again"})
"""Kinds around which "please" and "for me" would change the meaning."""


def draw_episode(place: Place) -> Episode:
    """Return exchanges that belong together and are possible in this house."""
    makers, shares = [make for make, _ in EPISODES], [share for _, share in EPISODES]
    for _ in range(40):
        if episode := place.rng.choices(makers, shares)[0](place):
            return episode
    return (draw_first(place),)


def draw_first(place: Place) -> Asked:
    """Return an exchange that is only right at the beginning of a conversation."""
    while True:
        makers, shares = [make for make, _ in FIRST], [share for _, share in FIRST]
        if asked := place.rng.choices(makers, shares)[0](place):
            return asked
