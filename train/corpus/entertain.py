"""What goes on: one joke after the other, riddles and their answers, stories that get longer or shorter."""

from __future__ import annotations

import random
from collections.abc import Callable

from train.corpus import story_words
from train.corpus.banks import bank
from train.corpus.base import Check, Phrasings, Scene, Split, Turn, expects, mentions, normal, with_articles
from train.corpus.everyday_words import RELATIVES
from train.corpus.intents import Intent, answers_intent, load_intents, next_reply
from train.corpus.stories import Cast, count_sentences, draw_cast, tell, tell_on
from train.corpus.story_plots import SUMMARIES
from train.corpus.story_words import PLACES

KINDS = ("joke", "riddle", "fun fact", "poem", "tongue twister")
WRONG_GUESSES = (
    "a cat", "the wind", "a banana", "my brother", "a car", "a tree", "the moon", "a fish", "a chair", "a ghost",
    "time",
    "an elephant", "a door", "snow", "a clock", "water", "the sun", "a shoe", "a bird", "nothing", "a phone", "fire",
)  # fmt: skip
RIGHT = ("Right! {}", "Yes, very good! {}", "Correct! {}", "Well done! {}")
WRONG = ("No, it's not that. The answer is: {}", "Good try, but no. {}", "Not quite. {}")
SOLVED = ("{}", "The answer is: {}", "It's easy: {}")
FEWEST_WORDS_OF_A_PART = 40
MOST_WORDS_OF_A_SUMMARY = 45


def _forms(block: str) -> Phrasings:
    return bank("entertain")[block]


def _intent(kind: str) -> Intent:
    return next(intent for intent in load_intents("smalltalk") if intent.key == kind)


def _told_first(told: str) -> Callable[[str], bool]:
    return lambda text: normal(told) not in normal(text)


def _another(rng: random.Random, split: Split, intent: Intent, scene: Scene) -> Turn:
    question = _forms("another").pick(rng, split).format(relative=f"my {rng.choice(RELATIVES)}")
    question = question.replace("my my", "my")
    last = scene.last.get(intent.key, "")
    reply = next_reply(rng, intent, scene)
    fits, is_new = answers_intent(f"smalltalk/{intent.key}"), _told_first(last)
    return Turn(question, reply, lambda text: fits(text) and is_new(text))


def riddle_answer(rng: random.Random, split: Split, answer: str) -> Turn:
    """Return the turn in which the user guesses or gives up, and gets the answer."""
    draw = rng.random()
    core = answer.rstrip("!").split(",")[0]
    if draw < 0.6:
        return Turn(_forms("give up").pick(rng, split), rng.choice(SOLVED).format(answer), expects(core))
    guess = core[:1].lower() + core[1:] if draw < 0.8 else rng.choice(WRONG_GUESSES)
    is_right = normal(guess) == normal(core)
    reply = rng.choice(RIGHT if is_right else WRONG).format(answer)
    return Turn(_forms("guess").pick(rng, split).format(guess=guess), reply, _judges(core, is_right))


def _judges(core: str, is_right: bool) -> Check:
    marks = ("right", "yes", "correct", "well done") if is_right else ("no", "not")
    return lambda text: mentions(text, core) and any(mentions(text, mark) for mark in marks)


def _series(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return some jokes (or poems, riddles, …), one after the other; none comes twice."""
    intent = _intent(rng.choice(KINDS))
    first = next_reply(rng, intent, scene)
    turns = [Turn(intent.phrasings.pick(rng, "train"), first, answers_intent(f"smalltalk/{intent.key}"))]
    for number in reversed(range(rng.choice((1, 1, 2, 3, 5)))):
        told = turns[-1].reply
        last = split if number == 0 else "train"
        if told in intent.answers:
            turns.append(riddle_answer(rng, last, intent.answers[told]))
        else:
            turns.append(_another(rng, last, intent, scene))
    return turns


def _request(rng: random.Random, cast: Cast) -> str:
    about = with_articles(f" about a {cast.kind}") if cast.asked_kind else ""
    about += f" called {cast.name}" if cast.asked_name else ""
    return story_words.FORMS.pick(rng, "train") + about


def is_a_part(name: str) -> Check:
    """Return the rule that a text about somebody goes on for some sentences and ends."""
    return lambda text: (
        len(text.split()) >= FEWEST_WORDS_OF_A_PART and count_sentences(text) >= 4 and mentions(text, name)
    )


def is_a_summary(name: str) -> Check:
    """Return the rule that a text about somebody is short."""
    return lambda text: len(text.split()) <= MOST_WORDS_OF_A_SUMMARY and mentions(text, name)


def _summary(scene: Scene, slots: dict[str, str]) -> str:
    text = SUMMARIES[scene.last_plot or ""].format(**slots)
    return text[:1].upper() + text[1:]


def _story_on(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return a story that is continued, cut short, or asked about."""
    cast = draw_cast(rng, scene, rng.choice(("", "k", "k", "kn")))
    text, slots = tell(rng, cast, scene)
    turns = [Turn(_request(rng, cast), text, is_a_part(cast.name))]
    for number in reversed(range(rng.choice((1, 1, 2, 3)))):
        form = split if number == 0 else "train"
        kind = rng.choices(("continue", "shorter", "who"), (5, 4, 2))[0]
        question = _forms(kind).pick(rng, form).format(name=cast.name, kind=cast.kind)
        if kind == "continue":
            text, slots = tell_on(rng, cast, scene)
            turns.append(Turn(question, text, is_a_part(cast.name)))
        elif kind == "shorter":
            turns.append(Turn(question, _summary(scene, slots), is_a_summary(cast.name)))
        else:
            reply = f"It was about {cast.name} the {cast.kind}."
            turns.append(Turn(question, reply, expects(cast.name, cast.kind)))
    return turns


def _sentence_story(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return a story of one sentence."""
    cast = draw_cast(rng, scene, "")
    _, slots = tell(rng, cast, scene)
    question = _forms("one sentence story").pick(rng, split)
    check = is_a_summary("the")
    return [
        Turn(question, _summary(scene, slots), lambda text: check(text) and any(mentions(text, p) for p in _places()))
    ]


def _places() -> tuple[str, ...]:
    return tuple(PLACES.values())


def make_entertainment(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return turns of entertainment that go on; what is asked last is of the split."""
    maker = rng.choices((_series, _story_on, _sentence_story), (6, 5, 1))[0]
    return maker(rng, split, scene)
