"""Stories made from plots: a character has a problem somewhere and, with a friend, finds a solution.

Characters are always named and never replaced by "he" or "she", so any combination reads well.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from train.corpus import story_words as words
from train.corpus.base import (
    Check,
    Scene,
    Split,
    Turn,
    draw_until,
    expand,
    fill,
    is_held_combination,
    mentions,
    pick_unused,
    with_articles,
)
from train.corpus.names import person

FEWEST_WORDS = 88
FEWEST_LONG_WORDS = 270
LONG_EPISODES = 4
FEWEST_SENTENCES = 5


@dataclass(frozen=True)
class Cast:
    """The characters and the place of a story."""

    kind: str
    name: str
    place: str
    asked_kind: bool = False
    asked_name: bool = False
    asked_place: bool = False

    def wishes(self) -> list[str]:
        """Return the words of the request that the story must use."""
        pairs = (
            (self.kind, self.asked_kind),
            (self.name, self.asked_name),
            (words.PLACES[self.place], self.asked_place),
        )
        return [word for word, asked in pairs if asked]


def _slots(rng: random.Random, cast: Cast, used: set[str]) -> dict[str, str]:
    friend_kind = pick_unused(rng, words.FRIENDS, used)
    friend = pick_unused(rng, words.NAMES, used)
    return {
        "kind": cast.kind,
        "name": cast.name,
        "place": words.PLACES[cast.place],
        "friend": friend,
        "fkind": friend_kind,
        "thing": rng.choice(words.THINGS),
        "food": rng.choice(words.FOODS),
    }


def _episode(rng: random.Random, plot: tuple[str, ...], slots: dict[str, str]) -> list[str]:
    return [fill(expand(rng, line), **slots) for line in plot]


def _next_plot(rng: random.Random, scene: Scene) -> str:
    """Return the next plot; plots have one fixed order, so that greedy decoding never repeats itself in a circle."""
    plots = list(words.PLOTS)
    if scene.last_plot is None:
        scene.last_plot = rng.choice(plots)
    else:
        scene.last_plot = plots[(plots.index(scene.last_plot) + 1) % len(plots)]
    return scene.last_plot


def tell(rng: random.Random, cast: Cast, scene: Scene, episodes: int = 1) -> tuple[str, dict[str, str]]:
    """Return a story of one or more episodes, and the words of its last episode."""
    used = {cast.name, cast.kind}
    opening = {"kind": cast.kind, "name": cast.name, "place": words.PLACES[cast.place]}
    sentences = [fill(expand(rng, rng.choice(lines)), **opening) for lines in (words.OPENINGS, words.HABITS)]
    slots: dict[str, str] = {}
    for number in range(episodes):
        plot = words.PLOTS[_next_plot(rng, scene)]
        slots = _slots(rng, cast, used)
        episode = _episode(rng, plot, slots)
        start = rng.choice(words.LATER if number else words.ONE_DAY)
        sentences += [f"{start} {episode[0]}", *episode[1:]]
    sentences.append(fill(expand(rng, rng.choice(words.ENDINGS)), **opening))
    return " ".join(with_articles(sentence) for sentence in sentences), slots


def tell_on(rng: random.Random, cast: Cast, scene: Scene) -> tuple[str, dict[str, str]]:
    """Return one more episode of a story, with an end, and the words of the episode."""
    plot = words.PLOTS[_next_plot(rng, scene)]
    slots = _slots(rng, cast, {cast.name, cast.kind})
    episode = _episode(rng, plot, slots)
    ending = fill(expand(rng, rng.choice(words.ENDINGS)), kind=cast.kind, name=cast.name)
    return with_articles(" ".join((f"{rng.choice(words.LATER)} {episode[0]}", *episode[1:], ending))), slots


def write_story(rng: random.Random, cast: Cast, scene: Scene, episodes: int = 1) -> str:
    """Return a story of one episode, or a longer one of several."""
    return tell(rng, cast, scene, episodes)[0]


def count_sentences(text: str) -> int:
    """Return the number of sentences of a text."""
    return sum(text.count(mark) for mark in ".!?")


def _repeats_itself(text: str) -> bool:
    """Return whether a longer sentence occurs twice."""
    sentences = [s for s in re.split(r"[.!?]\s", text) if len(s.split()) > 6]
    return len(set(sentences)) < len(sentences)


def _story_check(cast: Cast, fewest_words: int) -> Check:
    """Return the rule that a story is long enough, has the requested subject, and comes to an end."""

    def check(reply: str) -> bool:
        long_enough = len(reply.split()) >= fewest_words and count_sentences(reply) >= FEWEST_SENTENCES
        fits = mentions(reply, *cast.wishes()) and reply.strip()[-1] in ".!?"
        return long_enough and fits and not _repeats_itself(reply)

    return check


def draw_cast(rng: random.Random, scene: Scene, asked: str) -> Cast:
    """Return characters and a place; requested names may be unknown ones."""
    kind = pick_unused(rng, words.KINDS, scene.characters)
    names = words.GIRLS if kind in words.FEMALE else words.BOYS if kind in words.MALE else words.NAMES
    rare = "n" in asked and rng.random() < 0.3
    return Cast(
        kind=kind,
        name=person(rng) if rare else pick_unused(rng, names, scene.characters),
        place=rng.choice(list(words.PLACES)),
        asked_kind="k" in asked,
        asked_name="n" in asked,
        asked_place="p" in asked,
    )


def _an(word: str) -> str:
    return with_articles(f"a {word}")


def _request(rng: random.Random, split: Split, cast: Cast, asked: str, long: bool) -> str:
    forms = words.LONG_FORMS if long else words.FORMS
    lead = forms.pick(rng, split)
    kind = _an(cast.kind)
    topics = {
        "": "",
        "k": f" about {kind}",
        "n": f" about {cast.name}",
        "kn": rng.choice((f" about {kind} named {cast.name}", f" about {cast.name} the {cast.kind}",
                          f" about {kind} called {cast.name}")),
        "kp": f" about {kind} {words.PLACES[cast.place]}",
        "p": rng.choice((f" that happens {words.PLACES[cast.place]}", f" {words.PLACES[cast.place]}")),
    }  # fmt: skip
    return lead + topics[asked]


def _held_cast(cast: Cast, asked: str) -> bool:
    """Return whether this combination is kept out of training."""
    place = cast.place if "p" in asked else cast.name if "n" in asked else ""
    return bool(place) and is_held_combination("story", cast.kind, place)


def _story_turn(rng: random.Random, split: Split, scene: Scene) -> Turn:
    asked = rng.choices(("", "k", "n", "kn", "kp", "p"), (14, 30, 10, 20, 18, 8))[0]
    long = rng.random() < 0.17
    held_form = split == "heldout" and rng.random() < 0.5
    if split != "train" and not held_form:
        asked = rng.choice(("kn", "kp"))
    cast = draw_until(
        lambda: draw_cast(rng, scene, asked),
        lambda c: held_form or _held_cast(c, asked) == (split != "train"),
    )
    fewest = FEWEST_LONG_WORDS if long else FEWEST_WORDS
    request = _request(rng, "heldout" if held_form else "train", cast, asked, long)
    story = draw_until(
        lambda: write_story(rng, cast, scene, LONG_EPISODES if long else 1),
        lambda text: len(text.split()) >= fewest,
    )
    # The answer may be a little shorter than in training, but not shorter than promised.
    return Turn(request, story, _story_check(cast, 225 if long else 72))


def make_stories(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return turns with a story, sometimes followed by another one."""
    turns = [_story_turn(rng, split, scene)]
    if split == "train" and rng.random() < 0.15:
        asked = rng.choice(("", "", "k"))
        cast = draw_cast(rng, scene, asked)
        question = words.ANOTHER.pick(rng, split) + (f" about {_an(cast.kind)}" if asked else "")
        story = draw_until(lambda: write_story(rng, cast, scene), lambda text: len(text.split()) >= FEWEST_WORDS)
        turns.append(Turn(question, story, _story_check(cast, 72)))
    return turns
