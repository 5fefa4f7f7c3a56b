"""Words that must be copied from the question, among them names that do not exist.

Copying is the skill that makes a small model useful at home. It is only learned from words that cannot be learned by
heart, so a part of all names is made of syllables.
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
    "Aaron", "Abigail", "Adam", "Adele", "Agnes", "Aisha", "Alan", "Albert", "Amanda", "Amelia", "Amira", "Andrew",
    "Angela", "Anita", "Anton", "Arthur", "Astrid", "Audrey", "Barbara", "Beatrice", "Benjamin", "Bianca", "Boris",
    "Brian", "Bruno", "Camila", "Carla", "Caroline", "Cecilia", "Chris", "Christina", "Claire", "Claudia", "Connor",
    "Cora", "Daisy", "Dennis", "Diego", "Dmitri", "Dora", "Edward", "Elena", "Elias", "Elizabeth", "Ella", "Enzo",
    "Esther", "Ethan", "Fabian", "Fiona", "Florence", "Frank", "Franz", "Frida", "Gabriel", "Gina", "Gloria", "Greta",
    "Gustav", "Hamza", "Harry", "Hassan", "Heidi", "Helen", "Igor", "Ines", "Irene", "Isabella", "Jacob", "Jasmine",
    "Jennifer", "Jessica", "Joseph", "Judith", "Kenji", "Klaus", "Lara", "Layla", "Liam", "Louis", "Luca", "Lucia",
    "Luis", "Magnus", "Margaret", "Matteo", "Matthew", "Miriam", "Monica", "Nadia", "Naomi", "Natalie", "Nora",
    "Patrick", "Pedro", "Philip", "Quinn", "Rachel", "Raj", "René", "Richard", "Ruby", "Ruth", "Sakura", "Samuel",
    "Sandra", "Sebastian", "Sofia", "Stella", "Sven", "Teresa", "Tim", "Valentina", "Walter", "Yasmin", "Yusuf",
    "Zara",
)  # fmt: skip
ONSETS = (
    "b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "q", "r", "s", "t", "v", "w", "x", "y", "z", "bl", "br",
    "ch", "cl", "cr", "dr", "fl", "fr", "gl", "gr", "kl", "kn", "ph", "pl", "pr", "qu", "sc", "sh", "sk", "sl", "sm",
    "sn", "sp", "st", "str", "sw", "th", "tr", "tw", "wh", "wr", "",
)  # fmt: skip
VOWELS = ("a", "e", "i", "o", "u", "a", "e", "i", "o", "y", "ai", "au", "ea", "ee", "ei", "ie", "oa", "oo", "ou", "ow")
CODAS = (
    "", "", "", "b", "ck", "d", "f", "g", "l", "ll", "m", "n", "nd", "ng", "nk", "nt", "p", "pp", "r", "rd", "rt", "s",
    "ss", "st", "t", "th", "tt", "v", "x", "z", "le", "er", "el", "en", "et", "on", "or", "ing", "ert", "by", "a", "o",
)  # fmt: skip


# Real words that are unexpected there, for questions without invented ones.
RARE = (
    "marble", "copper", "violet", "harbor", "maple", "amber", "cedar", "coral", "meadow", "willow", "saffron", "velvet",
    "walnut", "pebble", "thunder", "lantern", "orchid", "pepper", "silver", "canyon",
)  # fmt: skip
stand_ins: ContextVar[tuple[str, ...]] = ContextVar("stand_ins", default=())
"""Real words that are used in place of invented ones, as long as there are any."""


def invented(rng: random.Random) -> str:
    """Return a word that does not exist and is easy to say."""
    if words := stand_ins.get():
        return rng.choice(words)
    syllables = [rng.choice(ONSETS) + rng.choice(VOWELS) for _ in range(rng.choice((1, 2, 2)))]
    return "".join(syllables) + rng.choice(CODAS)


def person(rng: random.Random) -> str:
    """Return a first name; every third one is invented."""
    return rng.choice(PEOPLE) if rng.random() < 0.67 else invented(rng).capitalize()
