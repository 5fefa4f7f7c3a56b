"""Small facts to know by heart: capitals, opposites, animals, days and months, counting, comparing."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from train.corpus import knowledge_tables as tables
from train.corpus.base import (
    Phrasings,
    Scene,
    Split,
    Turn,
    draw_until,
    expects,
    is_held_combination,
    mentions,
    same_words,
)
from train.corpus.names import invented
from train.corpus.numbers import in_words, spoken
from train.corpus.refusals import DONT_KNOW

CAPITAL_FORMS = Phrasings(
    ["what is the capital of {}", "what's the capital of {}", "capital of {}", "name the capital of {}",
     "tell me the capital of {}", "which city is the capital of {}", "do you know the capital of {}",
     "the capital of {}", "what is the capital city of {}", "and the capital of {}",
     "[can|could] you tell me the capital of {}", "what city is the capital of {}",
     "I want to know the capital of {}", "which is the capital of {}", "and of {}, what is the capital"]
)  # fmt: skip
OPPOSITE_FORMS = Phrasings(
    ["what is the opposite of {}", "what's the opposite of {}", "opposite of {}", "tell me the opposite of {}",
     "the opposite of {}", "name the opposite of {}", "what is the contrary of {}",
     "do you know the opposite of {}", "give me the opposite of {}", "what's the contrary of {}"]
)  # fmt: skip
SOUND_FORMS = Phrasings(
    ["what sound does a {} make", "what does a {} say", "how does a {} sound", "what noise does a {} make",
     "make a {} sound", "which sound does a {} make", "what does the {} say", "how does a {} go",
     "sound like a {}", "what kind of sound does a {} make"]
)  # fmt: skip
COLOUR_FORMS = Phrasings(
    ["what color is {}", "which color is {}", "what is the color of {}", "what colour is {}",
     "tell me the color of {}", "what color does {} have", "which color does {} have", "the color of {}",
     "what's the color of {}", "do you know the color of {}"]
)  # fmt: skip
LEG_FORMS = Phrasings(
    ["how many legs does {} have", "how many legs has {}", "number of legs of {}", "tell me how many legs {} has",
     "{} has how many legs", "how many legs does {} have got", "do you know how many legs {} has",
     "how many legs do you find on {}"]
)  # fmt: skip
NEXT_FORMS = Phrasings(
    ["what comes after {}", "what {unit} comes after {}", "which {unit} is after {}",
     "what is the {unit} after {}", "which {unit} follows {}", "what {unit} is after {}",
     "tell me the {unit} after {}", "what follows after {}", "what's the next {unit} after {}"]
)  # fmt: skip
BEFORE_FORMS = Phrasings(
    ["what comes before {}", "what {unit} comes before {}", "which {unit} is before {}",
     "what is the {unit} before {}", "tell me the {unit} before {}", "what {unit} is before {}",
     "what's the {unit} before {}"]
)  # fmt: skip
COUNT_FORMS = Phrasings(
    ["count from {} to {}", "count {} to {}", "[can|could] you count from {} to {}", "please count from {} to {}",
     "start at {} and count to {}", "count up from {} to {}", "count from {} up to {}",
     "I want you to count from {} to {}"]
)  # fmt: skip
COUNT_TO_FORMS = Phrasings(
    ["count to {}", "[can|could] you count to {}", "please count to {}", "count up to {}",
     "how do you count to {}", "let's count to {}", "start counting to {}", "I want you to count to {}"]
)  # fmt: skip
COMPARE_FORMS = Phrasings(
    ["which is bigger, {} or {}", "what is more, {} or {}", "which number is bigger, {} or {}",
     "is {} or {} bigger", "what is bigger {} or {}", "which is greater, {} or {}", "which is larger, {} or {}",
     "what is larger, {} or {}", "tell me which is bigger, {} or {}"]
)  # fmt: skip
PARITY_FORMS = Phrasings(
    ["is {} even or odd", "is {} odd or even", "is {} an even number", "is {} an odd number", "{}, even or odd",
     "tell me if {} is even or odd", "is the number {} even or odd", "even or odd: {}",
     "is {} even", "is {} odd"]
)  # fmt: skip


def _look_up(rng: random.Random, split: Split, forms: Phrasings, keys: list[str], name: str) -> tuple[str, str]:
    """Return a key of a table and the question for it; the form, or form and key together, are held out."""
    held_form = split == "heldout" and rng.random() < 0.4
    form, key = draw_until(
        lambda: (forms.pick(rng, "heldout" if held_form else "train"), rng.choice(keys)),
        lambda pair: held_form or is_held_combination(name, *pair) == (split != "train"),
    )
    return key, form


def _table(
    forms: Phrasings, table: Mapping[str, object], reply: str, name: str
) -> Callable[[random.Random, Split], Turn]:
    """Return a maker for one table whose values must be known."""

    def make(rng: random.Random, split: Split) -> Turn:
        key, form = _look_up(rng, split, forms, list(table), name)
        value = str(table[key])
        text = reply.format(key, value)
        text = text.replace(" 0 legs", " no legs")
        return Turn(form.format(key), text[:1].upper() + text[1:], same_words(text))

    return make


def _unknown_capital(rng: random.Random, split: Split) -> Turn:
    """Return a turn about a country that is not in the table: the right answer is that it is not known."""
    country = draw_until(
        lambda: rng.choice(tables.UNKNOWN_COUNTRIES) if rng.random() < 0.8 else invented(rng).capitalize(),
        lambda name: is_held_combination("country", name) == (split != "train"),
    )
    question = CAPITAL_FORMS.pick(rng, "train").format(country)
    return Turn(question, DONT_KNOW, lambda reply: mentions(reply, "sorry", "don't know"))


def _neighbour(rng: random.Random, split: Split) -> Turn:
    """Return a turn about the day or month after or before another."""
    unit, names = rng.choice((("day", tables.DAYS), ("month", tables.MONTHS)))
    step, word, forms = rng.choice(((1, "after", NEXT_FORMS), (-1, "before", BEFORE_FORMS)))
    key, form = _look_up(rng, split, forms, list(names), f"{unit} {word}")
    found = names[(names.index(key) + step) % len(names)]
    reply = f"{found} comes {word} {key}."
    return Turn(form.format(key, unit=unit), reply, same_words(reply))


def _count(rng: random.Random, split: Split) -> Turn:
    held_form = split == "heldout" and rng.random() < 0.4
    first, last = draw_until(
        lambda: (1 if rng.random() < 0.4 else rng.randint(0, 30), rng.randint(2, 40)),
        lambda pair: (
            1 <= pair[1] - pair[0] <= 15
            and (held_form or is_held_combination("count", *map(str, pair)) == (split != "train"))
        ),
    )
    form_split: Split = "heldout" if held_form else "train"
    if first == 1 and rng.random() < 0.7:
        question = COUNT_TO_FORMS.pick(rng, form_split).format(spoken(rng, last))
    else:
        question = COUNT_FORMS.pick(rng, form_split).format(spoken(rng, first), spoken(rng, last))
    reply = ", ".join(str(number) for number in range(first, last + 1)) + "."
    return Turn(question, reply, same_words(reply))


def _compare(rng: random.Random, split: Split) -> Turn:
    top = rng.choice((10, 100, 100, 1000))
    first, second = draw_until(
        lambda: (rng.randrange(top), rng.randrange(top)),
        lambda pair: (
            pair[0] != pair[1] and is_held_combination("compare", *map(str, sorted(pair))) == (split != "train")
        ),
    )
    question = COMPARE_FORMS.pick(rng, "train").format(spoken(rng, first), spoken(rng, second))
    reply = f"{max(first, second)} is bigger than {min(first, second)}."
    return Turn(question, reply, same_words(reply))


def _parity(rng: random.Random, split: Split) -> Turn:
    number = draw_until(
        lambda: rng.randrange(100), lambda n: is_held_combination("parity", str(n)) == (split != "train")
    )
    said = str(number) if rng.random() < 0.6 else in_words(number)
    kind = "odd" if number % 2 else "even"
    return Turn(PARITY_FORMS.pick(rng, "train").format(said), f"{number} is {kind}.",
                expects(f"{number} is {kind}"))  # fmt: skip


FOLLOW_FORMS = Phrasings(
    ["and {}", "what about {}", "and of {}", "how about {}", "now {}", "and for {}", "and what about {}",
     "what about {} then", "ok, and {}"]
)  # fmt: skip


def _chain(rng: random.Random, split: Split) -> list[Turn]:
    """Return a question about a capital or an opposite, then others that consist of a name only."""
    forms, table, reply = rng.choice(
        (
            (CAPITAL_FORMS, tables.CAPITALS, "the capital of {} is {}."),
            (OPPOSITE_FORMS, tables.OPPOSITES, "the opposite of {} is {}."),
        )
    )
    keys = rng.sample(list(table), rng.choice((2, 2, 3)))
    turns = []
    for number, key in enumerate(keys):
        question = FOLLOW_FORMS.pick(rng, split) if number else forms.pick(rng, "train")
        text = reply.format(key, table[key])
        turns.append(Turn(question.format(key), text[:1].upper() + text[1:], same_words(text)))
    if forms is CAPITAL_FORMS and split == "train" and rng.random() < 0.2:
        question = FOLLOW_FORMS.pick(rng, split).format(rng.choice(tables.UNKNOWN_COUNTRIES))
        turns.append(Turn(question, DONT_KNOW, lambda answer: mentions(answer, "sorry", "don't know")))
    return turns


MAKERS: tuple[tuple[Callable[[random.Random, Split], Turn], int], ...] = (
    (_table(CAPITAL_FORMS, tables.CAPITALS, "the capital of {} is {}.", "capital"), 28),
    (_table(OPPOSITE_FORMS, tables.OPPOSITES, "the opposite of {} is {}.", "opposite"), 22),
    (_table(SOUND_FORMS, tables.SOUNDS, "a {} says {}!", "sound"), 7),
    (_table(COLOUR_FORMS, tables.COLOURS, "{} is {}.", "colour"), 8),
    (_table(LEG_FORMS, tables.LEGS, "{} has {} legs.", "legs"), 6),
    (_unknown_capital, 5),
    (_neighbour, 8),
    (_count, 9),
    (_compare, 8),
    (_parity, 4),
)


def make_knowledge(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return turns with questions from the tables."""
    if rng.random() < 0.15:
        return _chain(rng, split)
    maker = rng.choices([maker for maker, _ in MAKERS], [share for _, share in MAKERS])[0]
    return [maker(rng, split)]
