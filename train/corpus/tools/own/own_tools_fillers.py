"""What stands in the slots of requests to clients' tools: texts to copy, numbers, choices, and how they are said."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from train.corpus.banks import parse_bank
from train.corpus.base import Phrasings, Split, expand
from train.corpus.names import PEOPLE, invented
from train.corpus.numbers import spoken

Value = str | int | float | bool
NUMBER = re.compile(r"(int|num) (-?[\d.]+)-(-?[\d.]+)")
PLAIN = re.compile(r"(?:[\w '\-]|[,.!?;:](?=\s|$)|(?<=\d)[.:](?=\d))*")
EMOJI = ("😀", "🎉", "❤️", "👍", "😢", "🐱", "🌧", "🍕", "🚗", "🔧", "☕", "✅", "😅", "🎂", "🌻", "🤖")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
TEXTS = ("message", "note", "topic", "query", "sentence", "announcement")
"""Kinds of texts that are as long as people like, and end only where the sentence ends."""


@dataclass(frozen=True)
class Filled:
    """What stands in a slot: its words in the sentence, and its value in a call.

    The value of a text is its words in the final spelling of the sentence, so `value` is None.
    """

    said: str
    value: Value | None = None
    is_open: bool = False
    """Whether the text has no natural end, so that words after it could be taken for a part of it."""

    @property
    def is_typed(self) -> bool:
        """Return whether the text can only be typed: an address, a path, a text with an emoji."""
        return self.value is None and PLAIN.fullmatch(self.said) is None


@cache
def lists(name: str) -> Mapping[str, Phrasings]:
    """Return the lists of words of a data file; every eighth word of a list is kept out of training."""
    text = files("train.corpus").joinpath(f"data/{name}.txt").read_text("utf-8")
    return {block: Phrasings(lines) for block, lines in parse_bank(name, text).items()}


@cache
def _vocabulary() -> tuple[str, ...]:
    """Return all words of the texts, for texts without a meaning."""
    lines = [line for block in lists("own_texts").values() for line in block.train]
    return tuple(sorted({word for line in lines for word in re.findall(r"[a-z']+", re.sub(r"{\w+}", "", line))}))


def _digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choice(string.digits) for _ in range(count))


def _letters(rng: random.Random, count: int) -> str:
    return "".join(rng.choice(string.ascii_uppercase) for _ in range(count))


def code(rng: random.Random) -> str:
    """Return a code as orders, tickets and parcels have them."""
    draw = rng.random()
    if draw < 0.4:
        return f"{_letters(rng, rng.choice((1, 2, 2, 3)))}-{_digits(rng, rng.choice((2, 3, 4, 4, 5)))}"
    if draw < 0.6:
        return f"{_letters(rng, rng.choice((1, 2, 3)))}{_digits(rng, rng.choice((2, 3, 4, 6)))}"
    if draw < 0.85:
        return _digits(rng, rng.choice((3, 4, 4, 5, 6, 8)))
    if draw < 0.93:
        return f"{_digits(rng, 4)}-{_digits(rng, 3)}"
    return f"#{_digits(rng, 4)}" if draw < 0.97 else "".join(rng.choice("0123456789abcdef") for _ in range(7))


def person(rng: random.Random, split: Split) -> str:
    """Return somebody as people call them: a name, a full name, a foreign name, or "my boss"."""
    draw = rng.random()
    if draw < 0.4:
        return rng.choice(PEOPLE)
    if draw < 0.55:
        return invented(rng).capitalize()
    if draw < 0.68:
        return fullname(rng, split)
    if draw < 0.76:
        return lists("own_fillers")["foreign"].pick(rng, split)
    if draw < 0.8:
        title = rng.choice(("Mr", "Mrs", "Dr.", "Ms", "Professor", "Mr."))
        return f"{title} {lists('own_fillers')['surname'].pick(rng, split)}"
    return lists("own_fillers")["relation"].pick(rng, split)


def fullname(rng: random.Random, split: Split) -> str:
    """Return a first and a last name."""
    first = rng.choice((rng.choice(PEOPLE), lists("own_fillers")["foreign"].pick(rng, split)))
    last = lists("own_fillers")["surname"].pick(rng, split) if rng.random() < 0.75 else invented(rng).capitalize()
    return f"{first} {last}"


def clock(rng: random.Random) -> str:
    """Return a time of day as people say it."""
    hour, minute = rng.randint(1, 12), rng.choice(("00", "15", "30", "45", f"{rng.randint(0, 59):02}"))
    return rng.choice(
        (
            f"{hour}",
            f"{hour}:{minute}",
            f"{hour} pm",
            f"{hour}am",
            f"{hour}:{minute} pm",
            f"{rng.randint(13, 23)}:{minute}",
            f"half past {spoken(rng, hour)}",
            f"quarter to {spoken(rng, hour)}",
            "noon",
            "midnight",
            f"{hour} o'clock",
            f"{hour} in the morning",
            f"half {spoken(rng, hour)}",
            f"{spoken(rng, hour)} thirty",
            f"{hour}.{minute}",
        )
    )


def day(rng: random.Random) -> str:
    """Return a day as people say it."""
    number = rng.randint(4, 30)
    return rng.choice(
        (
            "today",
            "tomorrow",
            "tomorrow",
            rng.choice(DAYS),
            rng.choice(DAYS),
            f"next {rng.choice(DAYS)}",
            f"this {rng.choice(DAYS)}",
            "the day after tomorrow",
            "next week",
            f"the {number}th of {rng.choice(MONTHS)}",
            f"{rng.choice(MONTHS)} {number}",
            f"{rng.choice(MONTHS)} {number}th",
            f"{number}.{rng.randint(1, 12)}.",
            f"2025-{rng.randint(1, 12):02}-{number:02}",
            f"{rng.choice(DAYS)} in two weeks",
            "this weekend",
            f"{rng.choice(DAYS).capitalize()}",
            "christmas eve",
            f"the {number}th",
        )
    )


def when(rng: random.Random) -> str:
    """Return a point in time as people say it."""
    draw = rng.random()
    if draw < 0.35:
        return f"{day(rng)} at {clock(rng)}"
    if draw < 0.5:
        return f"at {clock(rng)}"
    if draw < 0.6:
        return f"on {rng.choice(DAYS)} at {clock(rng)}"
    if draw < 0.75:
        return f"in {spoken(rng, rng.randint(2, 50))} {rng.choice(('minutes', 'hours', 'days'))}"
    part = ("tonight", "this evening", "tomorrow morning", "tomorrow evening", "this afternoon", "in the morning")
    return rng.choice((day(rng), rng.choice(part), f"{rng.choice(DAYS)} {rng.choice(('morning', 'evening', 'night'))}"))


def _text(rng: random.Random, split: Split, kind: str) -> str:
    """Return a free text: a template with its words, or words without a meaning."""
    if rng.random() < 0.2:
        made = [rng.choice(_vocabulary()) for _ in range(rng.choice((2, 3, 3, 4, 5, 6, 8, 11)))]
        made = [invented(rng) if rng.random() < 0.15 else word for word in made]
        return " ".join(made)
    words = {
        "person": person(rng, split),
        "place": lists("own_fillers")["place"].pick(rng, split),
        "clock": clock(rng),
        "day": day(rng),
        "number": str(rng.choice((rng.randint(2, 12), rng.randint(2, 300)))),
        "code": code(rng),
        "thing": lists("own_fillers")["thing"].pick(rng, split),
        "word": invented(rng),
    }
    said = lists("own_texts")[kind].pick(rng, split).format(**words)
    if kind == "message" and rng.random() < 0.12:
        said += f", {lists('own_texts')[kind].pick(rng, split).format(**words)}"
    if kind in ("message", "note", "announcement") and rng.random() < 0.03:
        said += f" {rng.choice(EMOJI)}"
    return said


def _email(rng: random.Random) -> str:
    name = rng.choice((rng.choice(PEOPLE).lower(), invented(rng), f"{rng.choice(PEOPLE).lower()}.{invented(rng)}"))
    name += rng.choice(("", "", _digits(rng, 2), "_" + invented(rng)))
    host = rng.choice(("example.com", "mail.com", "gmail.com", "web.de", f"{invented(rng)}.org", f"{invented(rng)}.io"))
    return f"{name.replace(' ', '')}@{host}"


def _phone(rng: random.Random) -> str:
    return rng.choice(
        (
            f"{_digits(rng, 3)} {_digits(rng, 4)}",
            f"0{_digits(rng, 3)} {_digits(rng, 6)}",
            f"555-{_digits(rng, 4)}",
            f"+{_digits(rng, 2)} {_digits(rng, 3)} {_digits(rng, 4)}",
            f"+1 {_digits(rng, 3)} {_digits(rng, 3)} {_digits(rng, 4)}",
            f"0{_digits(rng, 9)}",
            f"({_digits(rng, 3)}) {_digits(rng, 3)}-{_digits(rng, 4)}",
            _digits(rng, 6),
        )
    )


def _url(rng: random.Random) -> str:
    host = rng.choice(
        ("example.com", f"{invented(rng)}.com", f"{invented(rng)}.local:8080", f"www.{invented(rng)}.org")
    )
    path = rng.choice(
        (
            "",
            "",
            f"/{invented(rng)}",
            f"/api/v{rng.randint(1, 3)}/{invented(rng)}",
            "/index.html",
            f"/{invented(rng)}.zip",
        )
    )
    return rng.choice(("", "https://", "http://", "https://")) + host + path


def _duration(rng: random.Random) -> str:
    number = rng.randint(2, 59)
    return rng.choice(
        (
            f"{number} minutes",
            f"{number} min",
            f"{rng.randint(1, 9)} h {number} min",
            f"{number} hours",
            f"{rng.randint(2, 9)} days",
            f"{number} seconds",
            f"1:{number:02}",
        )
    )


def _expression(rng: random.Random) -> str:
    first, second = rng.randint(2, 99), rng.randint(2, 99)
    return rng.choice(
        (
            f"{first} + {second}",
            f"{first} times {second}",
            f"{first} plus {second}",
            f"{first} * {second}",
            f"{first} divided by {second}",
            f"{first} minus {second}",
            f"{first}*({second}+1)",
            f"sqrt({first})",
            f"{first} percent of {second}",
            f"{first}^2",
        )
    )


def _handle(rng: random.Random) -> str:
    return rng.choice(("@", "", "@")) + invented(rng) + rng.choice(("", _digits(rng, 2), "_" + invented(rng)))


MADE: dict[str, Callable[[random.Random, Split], Value]] = {
    "person": person,
    "fullname": fullname,
    "email": lambda rng, _: _email(rng),
    "phone": lambda rng, _: _phone(rng),
    "code": lambda rng, _: code(rng),
    "when": lambda rng, _: when(rng),
    "day": lambda rng, _: day(rng),
    "clock": lambda rng, _: clock(rng),
    "url": lambda rng, _: _url(rng),
    "duration": lambda rng, _: _duration(rng),
    "money": lambda rng, _: rng.choice((rng.randint(1, 900), rng.randint(1, 99), round(rng.uniform(1, 300), 2))),
    "percent": lambda rng, _: rng.randint(0, 100),
    "year": lambda rng, _: rng.randint(1925, 2025),
    "degree": lambda rng, _: rng.choice((rng.randint(-12, 38), round(rng.uniform(-10, 38), 1))),
    "ph": lambda rng, _: round(rng.uniform(4, 9), 1),
    "km": lambda rng, _: f"{rng.randint(1, 900)} km",
    "spelled": lambda rng, _: "-".join(invented(rng).upper()),
    "small": lambda rng, _: str(rng.randint(1, 20)),
    "handle": lambda rng, _: _handle(rng),
    "room_number": lambda rng, _: str(rng.randint(1, 950)),
    "barcode": lambda rng, _: _digits(rng, rng.choice((8, 13))),
    "bpm": lambda rng, _: rng.choice(("bpm", "beats per minute")),
    "flightno": lambda rng, _: f"{_letters(rng, 2)}{rng.choice(('', ' '))}{rng.randint(20, 9400)}",
    "gate": lambda rng, _: f"{rng.choice('ABCDE')}{rng.randint(1, 60)}",
    "rating": lambda rng, _: round(rng.uniform(2, 9.8), 1),
    "plate": lambda rng, _: rng.choice(
        (
            f"{_letters(rng, 2)} {_digits(rng, 3)} {_letters(rng, 1)}",
            f"{_letters(rng, 1)}-{_letters(rng, 2)} {_digits(rng, 3)}",
            f"{_digits(rng, 3)} {_letters(rng, 3)}",
        )
    ),
    "pin": lambda rng, _: _digits(rng, rng.choice((4, 4, 6))),
    "ip": lambda rng, _: ".".join(str(rng.randint(1, 254)) for _ in range(4)),
    "version": lambda rng, _: f"{rng.randint(0, 9)}.{rng.randint(0, 20)}{rng.choice(('', f'.{rng.randint(0, 9)}'))}",
    "issue": lambda rng, _: f"#{rng.randint(2, 3000)}",
    "wifikey": lambda rng, _: f"{invented(rng)}{_digits(rng, 3)}",
    "httpstatus": lambda rng, _: rng.choice((200, 201, 204, 301, 400, 403, 404, 500, 503)),
    "ms": lambda rng, _: f"{rng.randint(1, 900)} ms",
    "filesize": lambda rng, _: f"{rng.randint(1, 900)} {rng.choice(('MB', 'GB', 'KB'))}",
    "expression": lambda rng, _: _expression(rng),
    "invented": lambda rng, _: invented(rng).capitalize(),
    "hexcolor": lambda rng, _: rng.choice(
        (f"#{rng.randrange(16**6):06x}", rng.choice(("red", "teal", "navy", "gold", "black")))
    ),
    "slotcode": lambda rng, _: rng.choice(
        (
            f"{rng.choice('ABCDEF')}{rng.randint(1, 40)}",
            f"{rng.choice('ABCDEF')}-{rng.randint(1, 40):02}-{rng.randint(1, 9)}",
            str(rng.randint(10, 60)),
        )
    ),
    "square": lambda rng, _: f"{rng.choice('abcdefgh')}{rng.randint(1, 8)}",
    "room": lambda rng, split: lists("own_fillers")["place"].pick(rng, split),
}
"""Fillers that are made; the others are lists in the data files."""


def is_number(filler: str) -> bool:
    """Return whether the values of a filler are numbers in a call."""
    return NUMBER.fullmatch(filler) is not None or filler == "money" or _has_numbers(filler)


def _has_numbers(filler: str) -> bool:
    return "|" in filler and all(option.isdigit() for option in filler.split("|"))


def choices(filler: str) -> tuple[Value, ...]:
    """Return the values that a parameter allows, or none if it is free."""
    if "|" not in filler:
        return ()
    return tuple(int(option) if _has_numbers(filler) else option for option in filler.split("|"))


def draw_value(rng: random.Random, split: Split, filler: str) -> Value:
    """Return a value of a filler."""
    if found := NUMBER.fullmatch(filler):
        low, high = float(found[2]), float(found[3])
        if found[1] == "num" and rng.random() < 0.5 and not (number := round(rng.uniform(low, high), 1)).is_integer():
            return number
        whole = rng.randint(int(low), int(high))
        return min(int(high), max(int(low), round(whole, -1))) if rng.random() < 0.35 else whole
    if options := choices(filler):
        return rng.choice(options)
    if filler == "flag":
        return rng.random() < 0.5
    if filler in TEXTS:
        return _text(rng, split, filler)
    if filler in MADE:
        return MADE[filler](rng, split)
    return expand(rng, _listed(filler).pick(rng, split))


def _listed(filler: str) -> Phrasings:
    return lists("own_fillers").get(filler) or lists("own_answers")[filler]


def draw_filled(rng: random.Random, split: Split, filler: str) -> Filled:
    """Return what stands in a slot of a sentence."""
    value = draw_value(rng, split, filler)
    if filler in TEXTS:
        return Filled(str(value), is_open=True)
    if isinstance(value, int) and not isinstance(value, bool):
        return Filled(spoken(rng, value) if 0 <= value < 1000 else str(value), value)
    if isinstance(value, str) and choices(filler):
        return Filled(value.replace("_", " "), value)
    return Filled(value) if isinstance(value, str) else Filled(str(value), value)
