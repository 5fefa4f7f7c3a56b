"""Names, codes and numbers that no text has taught, for what must be copied letter by letter."""

from __future__ import annotations

import random

from train.corpus.names import invented, person

SYLLABLES = {
    "slavic": (("Vla", "Mi", "Bo", "Sta", "Kra", "Dra", "Zbi", "Wo", "Ja", "Ol", "Iv", "Ti"),
               ("di", "ro", "ni", "sla", "gni", "je", "li", "ko", "mi", "za"), ("mir", "slav", "ka", "ko", "w", "ev",
               "ska", "jka", "nik")),
    "japanese": (("Ha", "Ka", "Yo", "Shi", "Ta", "Mi", "Ke", "Ryo", "Na", "Su", "Fu"), ("ru", "na", "ko", "shi", "ta",
    "mi", "sa", "to"),
                 ("ko", "mi", "to", "ro", "ka", "ri", "ne", "")),
    "arabic": (("Abd", "Kha", "Zay", "Ra", "Fa", "Nu", "Ja", "Ibr", "Su", "Ha"), ("ul", "li", "sh", "ri", "ma", "hi",
    "a", "ya"),
               ("d", "dah", "man", "na", "m", "ra", "q", "ir")),
    "nordic": (("Thor", "Sig", "Bjor", "Ing", "Gun", "Hal", "As", "Ei", "Ul", "Rag"), ("", "va", "ne", "ri", "de",
    "mu"),
               ("ild", "rik", "ar", "stein", "rid", "hild", "ulf", "mund", "borg")),
    "welsh": (("Llew", "Gwen", "Rhy", "Car", "Ang", "Bron", "My", "Ffi", "Ieu"), ("", "el", "dd", "wy", "ha"), ("yn",
    "ys", "ion", "wen", "an", "arad", "rys")),
    "igbo": (("Chi", "Nne", "Ob", "Ife", "Kele", "Uzo", "Ngo", "Ada", "Eme"), ("nye", "di", "oma", "ka", "ma", "chi",
    "so"), ("re", "ma", "ka", "nna", "chi", "")),
    "indian": (("Pra", "Ra", "Su", "Vi", "Ash", "Ni", "Man", "De", "Chan", "Lak"), ("ka", "je", "ni", "vi", "sh",
    "dra", "mi", "ra"), ("sh", "ni", "vendra", "ta", "k", "ya", "nath", "deep")),
    "greek": (("The", "Kon", "Ari", "Pa", "Eu", "Xe", "Kal", "Dio"), ("o", "sta", "sto", "pa", "no", "li", "ri"),
    ("doros", "ntinos", "phon", "nis", "polos", "ope", "kles")),
}  # fmt: skip
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "0123456789"


def foreign(rng: random.Random) -> str:
    """Return a name that sounds as from some language."""
    starts, middles, ends = rng.choice(list(SYLLABLES.values()))
    return rng.choice(starts) + rng.choice(middles) + rng.choice(ends)


def odd_name(rng: random.Random) -> str:
    """Return a first name, or a first and a last name; most of them do not exist."""
    draw = rng.random()
    if draw < 0.35:
        return foreign(rng)
    if draw < 0.6:
        return invented(rng).capitalize()
    if draw < 0.75:
        return person(rng)
    return f"{person(rng)} {foreign(rng) if rng.random() < 0.5 else invented(rng).capitalize()}"


def odd_word(rng: random.Random) -> str:
    """Return a word in lower case that most probably does not exist."""
    return foreign(rng).lower() if rng.random() < 0.3 else invented(rng)


def _drawn(rng: random.Random, letters: str, length: int) -> str:
    return "".join(rng.choice(letters) for _ in range(length))


def number(rng: random.Random) -> str:
    """Return a number of two to eight digits."""
    return rng.choice("123456789") + _drawn(rng, DIGITS, rng.choice((1, 2, 3, 3, 4, 5, 6, 7)))


def code(rng: random.Random) -> str:
    """Return a code of letters and digits, as on tickets, shelves and doors."""
    kind = rng.randrange(6)
    if kind == 0:
        return f"{_drawn(rng, LETTERS, rng.choice((1, 2, 3)))}{_drawn(rng, DIGITS, rng.choice((2, 3, 4)))}"
    if kind == 1:
        return f"{_drawn(rng, LETTERS, 2)}-{_drawn(rng, DIGITS, 4)}"
    if kind == 2:
        return f"{_drawn(rng, DIGITS, 3)}-{_drawn(rng, DIGITS, 3)}"
    if kind == 3:
        return "".join(rng.choice(LETTERS + LETTERS.lower() + DIGITS) for _ in range(rng.choice((4, 5, 6))))
    if kind == 4:
        return f"{_drawn(rng, LETTERS, 1)}{_drawn(rng, DIGITS, 1)}{_drawn(rng, LETTERS, 1)}{_drawn(rng, DIGITS, 1)}"
    return f"{invented(rng).capitalize()}{_drawn(rng, DIGITS, 2)}"


def phone(rng: random.Random) -> str:
    """Return a telephone number."""
    if rng.random() < 0.5:
        return f"0{_drawn(rng, DIGITS, 3)} {_drawn(rng, DIGITS, rng.choice((4, 5, 6)))}"
    return f"555-{_drawn(rng, DIGITS, 4)}"
