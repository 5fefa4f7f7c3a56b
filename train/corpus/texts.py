"""Texts without a frame, for `/v1/completions` to continue: paragraphs, stories, explanations, lists."""

from __future__ import annotations

import random
from functools import cache
from importlib.resources import files

from train.corpus.base import Scene, expand
from train.corpus.intents import load_intents
from train.corpus.persona import draw_place
from train.corpus.stories import draw_cast, write_story

SHARES = {"paragraph": 50, "story": 30, "fact": 12, "place": 8}
MOST_PARAGRAPHS = 3


@cache
def paragraphs() -> list[str]:
    """Return the paragraphs of the data file, which has one a line."""
    lines = files("train.corpus").joinpath("data/texts.txt").read_text("utf-8").splitlines()
    return [line for line in map(str.strip, lines) if line and not line.startswith(";")]


def _fact(rng: random.Random) -> str:
    intents = load_intents(rng.choice(("facts", "howto")))
    return rng.choice(rng.choice(intents).replies)


def _story(rng: random.Random) -> str:
    scene = Scene()
    return write_story(rng, draw_cast(rng, scene, ""), scene, rng.choice((1, 1, 1, 2, 3)))


def draw_text(rng: random.Random) -> str:
    """Return a text of one of the kinds."""
    kind = rng.choices(list(SHARES), list(SHARES.values()))[0]
    if kind == "story":
        return _story(rng)
    if kind == "fact":
        return _fact(rng)
    if kind == "place":
        return draw_place(rng).prompt(rng)
    chosen = rng.sample(paragraphs(), rng.choice((1, 1, 2, MOST_PARAGRAPHS)))
    return "\n\n".join(expand(rng, text) for text in chosen)
