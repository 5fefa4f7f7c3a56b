"""Words that have to be copied from the question, among them names that nobody has heard before.

Copying is the skill that makes a small model useful at home, and it is only learned from words that
cannot be learned by heart; so a part of all names is put together from syllables.
"""

from __future__ import annotations

import random
from contextvars import ContextVar

PEOPLE = (
    "Anna", "Ben", "Clara", "David", "Emma", "Felix", "Grace", "Henry", "Ida", "Jack", "Kate", "Leo",
    "Mia", "Noah", "Olivia", "Paul", "Rosa", "Sam", "Tina", "Tom", "Uma", "Victor", "Wendy", "Zoe",
    "Alex", "Bella", "Carlos", "Diana", "Erik", "Fatima", "George", "Hannah", "Ivan", "Julia", "Karim",
    "Lucy", "Max", "Nina", "Oscar", "Peter", "Rita", "Simon", "Theo", "Vera", "William", "Yuki", "Ahmed",
    "Maria", "John", "Sarah", "Michael", "Lisa", "Robert", "Laura", "James", "Sophie", "Daniel", "Emily",
    "Thomas", "Alice", "Bob", "Charlie", "José", "Zoë", "Chloé", "Jürgen", "Andrea", "Marco", "Priya",
    "Ravi", "Mei", "Chen", "Omar", "Leila", "Hugo", "Elsa", "Oliver", "Amy", "Nick", "Steve", "Linda",
    "Karen", "Mark", "Kevin", "Susan", "Martin", "Eva", "Lena", "Jonas", "Lukas", "Mohammed", "Ali",
)  # fmt: skip
STARTS = (
    "ba", "be", "bo", "da", "do", "fa", "fi", "ga", "go", "ha", "jo", "ka", "ki", "la", "li", "lo", "ma",
    "mi", "mo", "na", "ni", "pa", "pe", "ra", "ri", "ro", "sa", "si", "ta", "ti", "to", "va", "vi", "wa",
    "xa", "ya", "ze", "zo", "bra", "cle", "dri", "fro", "gra", "kla", "ple", "pru", "sta", "tri", "sho",
)  # fmt: skip
ENDS = (
    "n", "r", "l", "s", "m", "nd", "rt", "ck", "x", "ph", "lin", "ra", "na", "ton", "by", "vik", "dor",
    "mus", "bert", "ley", "no", "la", "go", "zz", "st", "ne", "ric", "sha", "ta", "wyn",
)  # fmt: skip


# Real words that nobody would expect there, for questions without made-up ones.
RARE = (
    "marble", "copper", "violet", "harbor", "maple", "amber", "cedar", "coral", "meadow", "willow", "saffron", "velvet",
    "walnut", "pebble", "thunder", "lantern", "orchid", "pepper", "silver", "canyon",
)  # fmt: skip
only_real_words = ContextVar("only_real_words", default=False)
"""True while questions are made that hold no made-up word."""


def invented(rng: random.Random) -> str:
    """A word that does not exist, easy to say."""
    if only_real_words.get():
        return rng.choice(RARE)
    middle = rng.choice(STARTS) if rng.random() < 0.5 else ""
    return rng.choice(STARTS) + middle + rng.choice(ENDS)


def person(rng: random.Random) -> str:
    """A first name; every third one is made up."""
    return rng.choice(PEOPLE) if rng.random() < 0.67 else invented(rng).capitalize()
