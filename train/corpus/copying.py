"""What has to be given back as it was said: words, codes, numbers, spelled words, lists.

The letters decide, so these questions are spelled here and stay as they are.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from train.corpus.banks import bank
from train.corpus.base import Scene, Split, Turn, draw_until, expects, is_held_combination, normal, same_words
from train.corpus.everyday_words import ANIMALS, COLORS, DRINKS, FOODS, PET_NAMES, PLACES, THINGS
from train.corpus.numbers import SMALL
from train.corpus.odd_words import code, foreign, number, odd_name, odd_word, phone
from train.corpus.personal_words import SAYINGS
from train.corpus.surface import Verbatim

SHOPPING = (
    "milk", "eggs", "bread", "butter", "apples", "bananas", "flour", "sugar", "cheese", "rice", "noodles", "tomatoes",
    "onions", "soap", "batteries", "toothpaste", "candles", "coffee", "tea", "honey", "salt", "pepper", "carrots",
    "oranges",
    "yogurt", "ham", "beans", "lemons", "garlic", "paper towels", "matches", "dog food", "light bulbs", "shampoo",
)  # fmt: skip
POSITIONS = {"list first": 0, "list last": -1}
REPEATED_TIMES = {"twice": 2, "thrice": 3}


def _some_word(rng: random.Random) -> str:
    draw = rng.random()
    if draw < 0.35:
        return odd_word(rng)
    if draw < 0.5:
        return odd_name(rng).split()[0]
    if draw < 0.6:
        return foreign(rng)
    return rng.choice((*FOODS, *DRINKS, *COLORS, *ANIMALS, *PLACES, *PET_NAMES, *THINGS)).split()[-1]


def _some_words(rng: random.Random) -> str:
    draw = rng.random()
    if draw < 0.25:
        return _some_word(rng)
    if draw < 0.5:
        return " ".join(_some_word(rng) for _ in range(rng.choice((2, 2, 3, 4))))
    if draw < 0.6:
        return code(rng)
    if draw < 0.7:
        return number(rng)
    if draw < 0.8:
        return f"{odd_name(rng)} {rng.choice(('is', 'likes', 'sees', 'has', 'and'))} {_some_word(rng)}"
    return rng.choice(SAYINGS)


def _drawn(rng: random.Random, split: Split, kind: str, draw: Callable[[random.Random], str]) -> tuple[str, str]:
    """Return a form and what is to be copied; together they are held out, or else the form is."""
    held_form = split == "heldout" and rng.random() < 0.5
    forms = bank("copying")[kind]
    return draw_until(
        lambda: (forms.pick(rng, "heldout" if held_form else "train"), draw(rng)),
        lambda pair: held_form or is_held_combination(kind, pair[1]) == (split != "train"),
    )


def asked(rng: random.Random, text: str) -> Verbatim:
    """Return the request, sometimes with a capital at its beginning; its words stay as they are."""
    return Verbatim(text[:1].upper() + text[1:] if rng.random() < 0.4 else text)


def sentence(words: str) -> str:
    """Return the words as a sentence; a code stays as it is."""
    if any(c.isdigit() for c in words):
        return words
    return f"{words[:1].upper()}{words[1:]}."


def _repeat(rng: random.Random, split: Split) -> list[Turn]:
    form, words = _drawn(rng, split, "repeat", _some_words)
    return [Turn(asked(rng, form.format(words=words)), sentence(words), same_words(words))]


def _times(rng: random.Random, split: Split) -> list[Turn]:
    kind, times = rng.choice(list(REPEATED_TIMES.items()))
    form, words = _drawn(rng, split, kind, _some_words)
    reply = sentence(", ".join([words] * times))
    return [Turn(asked(rng, form.format(words=words)), reply, same_words(reply))]


def _spell(rng: random.Random, split: Split) -> list[Turn]:
    form, word = _drawn(rng, split, "spell", _some_word)
    reply = "-".join(word.upper()) + "."
    return [Turn(asked(rng, form.format(word=word)), reply, same_words(reply))]


def _write(rng: random.Random, split: Split) -> list[Turn]:
    form, word = _drawn(rng, split, "write", _some_word)
    reply = word.upper() if "capitals" in form else word
    return [Turn(asked(rng, form.format(word=word)), f"You write it like this: {reply}.", expects(word))]


def _number(rng: random.Random, split: Split) -> list[Turn]:
    form, said = _drawn(rng, split, "note number", lambda r: r.choice((code, number, number, phone))(r))
    return [Turn(asked(rng, form.format(code=said)), f"{said}.", same_words(said))]


def _items(rng: random.Random) -> list[str]:
    draw = rng.random()
    pool: tuple[str, ...] = SHOPPING if draw < 0.5 else ()
    length = rng.choice((2, 3, 3, 4, 5, 6))
    if pool:
        return rng.sample(pool, length)
    if draw < 0.7:
        return [odd_name(rng).split()[0] for _ in range(length)]
    return [_some_word(rng) for _ in range(length)]


def joined(items: list[str], last: str = " and ") -> str:
    """Return the items as an enumeration."""
    return ", ".join(items[:-1]) + last + items[-1]


def _list(rng: random.Random, split: Split) -> list[Turn]:
    items = draw_until(
        lambda: _items(rng),
        lambda drawn: (
            len({normal(each) for each in drawn}) == len(drawn)
            and is_held_combination("list", *drawn[:2]) == (split != "train")
        ),
    )
    text = joined(items, rng.choice((" and ", ", ", " and ")))
    first = bank("copying")["list"].pick(rng, "train" if rng.random() < 0.6 else split).format(list=text)
    reply = sentence(joined(items)) if not any(c.isdigit() for c in text) else f"{joined(items)}."
    turns = [Turn(asked(rng, first), reply, same_words(reply))]
    while rng.random() < 0.55:
        turns.append(_about_list(rng, split, items, reply))
    return turns


def _about_list(rng: random.Random, split: Split, items: list[str], whole: str) -> Turn:
    kind = rng.choice(("list again", "list first", "list last", "list count"))
    question = asked(rng, bank("copying")[kind].pick(rng, split))
    if kind == "list again":
        return Turn(question, whole, same_words(whole))
    if kind == "list count":
        reply = f"There are {SMALL[len(items)]}."
        return Turn(question, reply, expects(SMALL[len(items)]))
    item = items[POSITIONS[kind]]
    return Turn(question, sentence(item), same_words(item))


MAKERS: tuple[tuple[Callable[[random.Random, Split], list[Turn]], int], ...] = (
    (_repeat, 8), (_spell, 5), (_write, 2), (_times, 2), (_number, 4), (_list, 5),
)  # fmt: skip


def make_copying(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return turns in which something is given back as it was said."""
    maker = rng.choices([maker for maker, _ in MAKERS], [share for _, share in MAKERS])[0]
    return maker(rng, split)
