"""What the user told before, near or far: it is given back in the user's own words; what was not told is not known."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from train.corpus.banks import bank
from train.corpus.base import Scene, Split, Turn, draw_until, expects, is_held_combination, mentions, with_articles
from train.corpus.copying import asked
from train.corpus.everyday_words import COLORS, FOODS, JOBS, PET_NAMES, PLACES
from train.corpus.odd_words import code, foreign, number, odd_name, odd_word
from train.corpus.personal_words import HOBBIES

HIDING_PLACES = (
    "on the kitchen table", "under the sofa", "in the blue drawer", "behind the door", "in my coat", "on the shelf",
    "in the car", "under the mat", "in the red bag", "beside the phone", "in the bathroom", "on the piano", "in a shoe",
    "behind the flower pot", "in the top drawer", "on the window sill", "in the garage", "in my left pocket",
)  # fmt: skip
UNTOLD = "You haven't told me {} yet."


@dataclass(frozen=True)
class Kind:
    """Something that can be told: how a word for it is drawn, what is said to it, and the answer later."""

    draw: Callable[[random.Random], str]
    noted: tuple[str, ...]
    answer: str
    untold: str


def _or_rare(
    words: tuple[str, ...], rare: Callable[[random.Random], str], share: float
) -> Callable[[random.Random], str]:
    return lambda rng: rare(rng) if rng.random() < share else rng.choice(words)


KINDS: dict[str, Kind] = {
    "age": Kind(lambda rng: str(rng.randint(5, 95)), ("{} years, all right.", "So you are {} years old."),
                "You are {} years old.", "how old you are"),
    "color": Kind(_or_rare(COLORS, odd_word, 0.2), ("{} is a fine color.", "{}, I'll remember that."),
                  "Your favorite color is {}.", "your favorite color"),
    "food": Kind(_or_rare(FOODS, odd_word, 0.2), ("{}, I see!", "{} it is. I'll keep that in mind."),
                 "Your favorite food is {}.", "what you like to eat"),
    "city": Kind(_or_rare(PLACES, foreign, 0.4), ("{}, how nice!", "{}, I see. I'll remember it."),
                 "It's {}, you told me.", "where you live"),
    "pet": Kind(_or_rare(PET_NAMES, foreign, 0.4), ("{} is a nice name.", "{}, I'll remember that."),
                "Your pet is called {}.", "the name of your pet"),
    "number": Kind(number, ("{}, noted.", "I'll remember the number {}.", "All right: {}."),
                   "The number is {}.", "a number"),
    "code": Kind(code, ("{}, noted.", "I'll remember the code {}.", "All right: {}."), "The code is {}.", "a code"),
    "hobby": Kind(_or_rare(HOBBIES, odd_word, 0.2), ("{}, that's good to know.", "{}, I see!"),
                  "Your hobby is {}.", "your hobby"),
    "job": Kind(_or_rare(JOBS, odd_word, 0.1), ("A {}, interesting!", "A {}, I see."), "You work as a {}.", "your job"),
    "friend": Kind(odd_name, ("{} is a nice name.", "{}, I'll remember that."), "Your best friend is called {}.",
                   "the name of your best friend"),
    "place": Kind(lambda rng: rng.choice(HIDING_PLACES), ("All right, {}.", "Noted: {}."), "Your keys are {}.",
                  "where your keys are"),
    "word": Kind(odd_word, ("I'll remember the word {}.", "{}, noted."), "The word is {}.", "a word"),
}  # fmt: skip


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def tell(rng: random.Random, split: Split, scene: Scene, kind: str) -> Turn:
    """Return the turn in which the user tells something; the scene remembers it."""
    what = KINDS[kind]
    said = draw_until(
        lambda: what.draw(rng),
        lambda it: kind in ("age", "place") or is_held_combination(kind, it) == (split != "train"),
    )
    scene.memory[kind] = said
    question = asked(rng, with_articles(bank("recall")[f"tell {kind}"].pick(rng, "train").format(it=said)))
    return Turn(question, _upper(with_articles(rng.choice(what.noted).format(_shown(kind, said)))), expects(said))


def _shown(kind: str, said: str) -> str:
    """Return what was told; a word that was said in lower case keeps it, because its letters are the thing."""
    return f'"{said}"' if kind == "word" else said


def recall(rng: random.Random, split: Split, scene: Scene, kind: str) -> Turn:
    """Return the turn in which the user asks for what was told, or for what was not."""
    question = asked(rng, bank("recall")[f"ask {kind}"].pick(rng, split))
    what = KINDS[kind]
    if kind not in scene.memory:
        return Turn(question, UNTOLD.format(what.untold), lambda text: mentions(text, "haven't told me"))
    said = scene.memory[kind]
    return Turn(question, with_articles(what.answer.format(_shown(kind, said))), expects(said))


def once_more(rng: random.Random, split: Split, turn: Turn) -> Turn:
    """Return the turn in which the assistant is asked for its own last answer, or for the user's last words."""
    if rng.random() < 0.7:
        said = turn.reply
        return Turn(asked(rng, bank("recall")["what did you say"].pick(rng, split)), f"I said: {said}", expects(said))
    question = asked(rng, bank("recall")["what did I say"].pick(rng, split))
    return Turn(question, f'You said: "{turn.user}"', expects(turn.user))


def make_recall(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return turns in which some things are told, and asked for a little later."""
    kinds = rng.sample(list(KINDS), rng.choice((1, 1, 2, 3, 4)))
    if rng.random() < 0.06:
        return [recall(rng, split, scene, kinds[0])]
    turns = [tell(rng, split, scene, kind) for kind in kinds]
    if rng.random() < 0.15:
        return [*turns, once_more(rng, split, turns[-1])]
    rng.shuffle(kinds)
    return turns + [recall(rng, split, scene, kind) for kind in kinds[: rng.choice((1, 2, 3))]]
