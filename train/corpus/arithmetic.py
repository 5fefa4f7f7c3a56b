"""Arithmetic: exact answers for small numbers, and an honest refusal for large ones.

The reply first repeats the numbers in digits, so that the model copies them before it computes.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from train.corpus.base import Phrasings, Scene, Split, Turn, draw_until, is_held_combination, same_words
from train.corpus.names import person
from train.corpus.numbers import in_words, spoken

ASK = Phrasings(
    [
        "what is {}",
        "what's {}",
        "how much is {}",
        "{}",
        "calculate {}",
        "compute {}",
        "can you calculate {}",
        "tell me {}",
        "what does {} make",
        "[do|can] you know what {} is",
        "what is the result of {}",
        "how much does {} make",
        "please calculate {}",
        "work out {}",
        "{} is what",
        "{} equals",
        "I need to know {}",
        "what do you get for {}",
        "[can|could] you tell me what {} is",
        "how much would {} be",
        "solve {}",
        "do you know how much {} is",
        "help me with {}",
        "what comes out of {}",
        "{} makes how much",
        "give me the answer to {}",
        "I have to solve {}",
        "quick, what's {}",
        "my homework is {}",
        "[could|can] you work out {}",
        "what do I get for {}",
        "let me know what {} is",
        "what is {} equal to",
        "what's {} equal to",
        "what does {} equal",
        "{}=",
        "{} =",
        "{}=?",
        "{} = ?",
        "tell me the result of {}",
        "tell me the answer to {}",
        "what's the answer to {}",
        "what is the sum {}",
        "do the sum {}",
        "add this up: {}",
        "please compute {}",
        "can you compute {}",
        "compute {} for me",
        "[can|could] you figure out {}",
        "figure out {}",
        "find the result of {}",
        "give me the result of {}",
        "[and|so] what would {} be",
        "what would {} be equal to",
        "is it hard to work out {}",
        "I don't know what {} is, do you",
        "my kid asks what {} is",
        "the teacher asks what {} is",
        "do you know the answer to {}",
        "how many is {}",
        "how many are {}",
        "count {} together for me",
        "math question: {}",
        "maths: {}",
        "sum: {}",
        "here is a sum: {}",
        "try {}",
        "can you do {}",
        "what do {} come to",
        "what does {} come to",
        "{} comes to what",
        "{} is equal to what",
        "{} equals what",
        "{} equal",
        "{} is how much",
        "what number is {}",
        "which number do you get for {}",
        "hey, how much is {} again",
        "can you do math, what is {}",
        "I forgot how much {} is",
        "[could|can|would] you [please|] solve {}",
        "I wonder what {} is",
        "say what {} is",
        "answer: {}",
        "what is the value of {}",
        "what's the total of {}",
        "evaluate {}",
        "{}, what is the result",
        "{}, how much is that",
        "{}, what's that",
        "when I calculate {}, what do I get",
        "if I take {}, what comes out",
        "one question: what is {}",
        "so {} is",
        "{} is?",
        "quickly work out {}",
        "please tell me {}",
        "please tell me what {} is",
        "I'd like to know {}",
        "I'd like to know what {} is",
        "I'd like you to calculate {}",
        "hi, what is {}",
    ]
)
AGAIN = Phrasings(
    [
        "what about {}",
        "and {}",
        "how about {}",
        "and what is {}",
        "now {}",
        "and what's {}",
        "next, {}",
        "then {}",
        "{}",
        "and how much is {}",
        "ok, and {}",
        "what about {} then",
        "and {}=",
        "and {}?",
        "good, now {}",
        "and what does {} equal",
        "next one: {}",
        "and what would {} be",
        "one more: {}",
        "right, and {}",
        "correct, and {}",
        "and what do you get for {}",
        "then what is {}",
        "now what's {}",
        "and now {}",
        "so what is {} then",
    ]
)
MORE_TALES = Phrasings(
    [
        "I have {a} {things} and get {b} more, how many do I have",
        "if I have {a} {things} and buy {b} more, how many {things} do I have",
        "there are {a} {things} and {b} more come, how many are there",
        "I had {a} {things} and found {b} more, how many {things} do I have now",
        "{name} has {a} {things} and I have {b}, how many {things} do we have together",
        "{name} has {a} {things} and gets {b} more, how many does {name} have",
        "you have {a} {things} and I give you {b} more, how many do you have",
        "how many {things} are {a} {things} and {b} {things}",
        "{name} picks {a} {things} and then {b} more, how many {things} are in the basket",
        "{a} {things} are on the table and I put {b} {things} beside them, how many is that",
        "my sister gave me {a} {things} and my brother {b}, how many {things} do I have",
        "we bought {a} {things} on Monday and {b} on Tuesday, how many {things} did we buy",
        "{a} {things} plus {b} {things}, how many {things} are that",
        "I count {a} {things} here and {b} over there, how many altogether",
        "a box has {a} {things}, I add {b}, how many {things} are in the box now",
        "{name} ate {a} {things} in the morning and {b} at night, how many {things} were eaten",
    ]
)
LESS_TALES = Phrasings(
    [
        "I have {a} {things} and eat {b}, how many are left",
        "if I have {a} {things} and lose {b}, how many {things} do I have",
        "there are {a} {things} and {b} go away, how many are left",
        "I had {a} {things} and gave away {b}, how many {things} do I have now",
        "{name} has {a} {things} and gives me {b}, how many does {name} have left",
        "{name} has {a} {things} and loses {b}, how many are left",
        "you have {a} {things} and I take {b}, how many do you have left",
        "I take {b} {things} away from {a} {things}, how many remain",
        "{name} bought {a} {things} and gave {b} to a friend, how many {things} are left",
        "of {a} {things} {b} are broken, how many are whole",
        "from {a} {things} I sell {b}, how many {things} do I keep",
        "a box has {a} {things}, I take out {b}, how many are still in it",
        "{a} {things} were there, {b} were stolen, how many {things} are there now",
        "I need {a} {things} and already have {b}, how many {things} are missing",
        "{a} {things} minus {b} {things}, how many {things} are left",
        "we had {a} {things} and used {b}, how many {things} do we still have",
    ]
)
THINGS = (
    "apples", "balls", "books", "cookies", "eggs", "coins", "cats", "birds", "pens", "cups", "stones", "cars",
    "flowers", "candies", "oranges", "euros", "dollars", "marbles", "cards", "toys", "chairs", "pears",
)  # fmt: skip
LAST_TABLE = 12
TOO_BIG = "Sorry, that's too much for a small model like me. I can only do sums with small numbers."


@dataclass(frozen=True)
class Operation:
    """An operation: its words, its signs, and the numbers for which it is exact."""

    name: str
    said: tuple[str, ...]
    written: tuple[str, ...]
    draw: Callable[[random.Random], tuple[int, int]]
    result: Callable[[int, int], str]


def _draw_addition(rng: random.Random) -> tuple[int, int]:
    if rng.random() < 0.08:
        return 10 * rng.randint(1, 50), 10 * rng.randint(1, 50)
    top = rng.choice((10, 20, 50, 50, 99, 99, 150))
    return rng.randint(0, top), rng.randint(0, top)


def _draw_subtraction(rng: random.Random) -> tuple[int, int]:
    top = rng.choice((10, 20, 50, 99))
    first = rng.randint(0, top)
    return first, rng.randint(0, top if top < 50 and rng.random() < 0.3 else first)


def _draw_multiplication(rng: random.Random) -> tuple[int, int]:
    if rng.random() < 0.1:
        return 10 * rng.randint(1, 10), rng.randint(2, 10)
    return rng.randint(0, LAST_TABLE), rng.randint(0, LAST_TABLE)


def _draw_division(rng: random.Random) -> tuple[int, int]:
    divisor = rng.randint(1, 10)
    rest = rng.randrange(divisor) if rng.random() < 0.3 else 0
    return divisor * rng.randint(1, 10) + rest, divisor


def _difference(first: int, second: int) -> str:
    return str(first - second) if first >= second else f"minus {second - first}"


def _quotient(first: int, second: int) -> str:
    whole, rest = divmod(first, second)
    return f"{whole} with a remainder of {rest}" if rest else str(whole)


OPERATIONS = (
    Operation("plus", ("plus", "plus", "plus", "and", "added to"), ("+",), _draw_addition,
              lambda a, b: str(a + b)),
    Operation("minus", ("minus", "minus", "minus", "take away", "less"), ("-",), _draw_subtraction, _difference),
    Operation("times", ("times", "times", "multiplied by", "by"), ("*", "x", "\u00d7"), _draw_multiplication,
              lambda a, b: str(a * b)),
    Operation("divided by", ("divided by", "divided by", "over"), ("/", "\u00f7"), _draw_division, _quotient),
)  # fmt: skip
SHARES = (42, 26, 18, 14)


def _sum_text(rng: random.Random, operation: Operation, first: int, second: int) -> str:
    """Return the sum as a user asks it, in signs or in words."""
    if rng.random() < 0.4:
        gap = rng.choice(("", " ", " "))
        return f"{first}{gap}{rng.choice(operation.written)}{gap}{second}"
    if rng.random() < 0.5:
        return f"{in_words(first)} {rng.choice(operation.said)} {in_words(second)}"
    return f"{spoken(rng, first)} {rng.choice(operation.said)} {spoken(rng, second)}"


def is_held_pair(operation: Operation, first: int, second: int) -> bool:
    """Return whether this sum is kept out of training.

    Very small numbers and the multiplication tables are trained completely, as at school.
    """
    if operation.name == "times" and max(first, second) <= LAST_TABLE:
        return False
    commutes = operation.name in ("plus", "times")
    low, high = sorted((first, second)) if commutes else (first, second)
    return max(first, second) > 4 and is_held_combination(operation.name, str(low), str(high))


def _small_sum(rng: random.Random, split: Split, forms: Phrasings) -> Turn:
    operation = rng.choices(OPERATIONS, SHARES)[0]
    held_form = split == "heldout" and rng.random() < 0.4
    first, second = draw_until(
        lambda: operation.draw(rng),
        lambda pair: is_held_pair(operation, *pair) == (split != "train" and not held_form),
    )
    form = forms.pick(rng, "heldout" if held_form else "train")
    question = form.format(_sum_text(rng, operation, first, second))
    result = operation.result(first, second)
    reply = f"{first} {operation.name} {second} is {result}."
    return Turn(question, reply, same_words(reply))


def _tale(rng: random.Random, split: Split) -> Turn:
    """Return a sum told as a little story; the reply is the same as to the plain sum."""
    operation, forms = rng.choice(((OPERATIONS[0], MORE_TALES), (OPERATIONS[1], LESS_TALES)))
    first, second = draw_until(
        lambda: operation.draw(rng),
        lambda pair: 0 < pair[1] <= pair[0] <= 99 and is_held_pair(operation, *pair) == (split != "train"),
    )
    question = forms.pick(rng, "train").format(
        a=spoken(rng, first), b=spoken(rng, second), things=rng.choice(THINGS), name=person(rng)
    )
    result = operation.result(first, second)
    reply = f"{first} {operation.name} {second} is {result}."
    return Turn(question, reply, same_words(reply))


def _large_sum(rng: random.Random, forms: Phrasings) -> Turn:
    operation = rng.choice(OPERATIONS)
    if rng.random() < 0.3:
        operation = OPERATIONS[2]
        first, second = rng.randint(LAST_TABLE + 1, 99), rng.randint(LAST_TABLE + 1, 99)
    else:
        first = rng.choice((rng.randint(501, 999), rng.randint(1000, 99999), rng.randint(100000, 9999999)))
        second = rng.choice((rng.randint(13, 999), rng.randint(100, 99999)))
    text = f"{first} {rng.choice((operation.name, operation.written[0]))} {second}"
    return Turn(forms.pick(rng, "train").format(text), TOO_BIG, lambda reply: "too much" in reply)


def make_arithmetic(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return turns with one sum, sometimes followed by more."""
    if rng.random() < 0.1:
        return [_tale(rng, split)]
    if split != "train":
        follow_up = rng.random() < 0.25
        lead = [_small_sum(rng, "train", ASK)] if follow_up else []
        return [*lead, _small_sum(rng, split, AGAIN if follow_up else ASK)]
    turns = [_small_sum(rng, split, ASK)]
    while rng.random() < 0.55:
        large = rng.random() < 0.1
        turns.append(_large_sum(rng, AGAIN) if large else _small_sum(rng, split, AGAIN))
    if rng.random() < 0.05:
        turns.append(_large_sum(rng, ASK))
    return turns
