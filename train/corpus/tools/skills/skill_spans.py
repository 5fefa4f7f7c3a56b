"""Sentences of which some words are arguments, and their spelling: the arguments are read back from what was written.

A phrasing is made of parts. Those that are arguments stand between marks while the sentence gets the spelling of people
or of speech recognition, so an argument is exactly what the user wrote.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from train.corpus import surface
from train.corpus.base import Split, expand

CLOSE = "\ue000"
COLON = "\ue001"
"""Stands for the colon of a time of day, which no spelling takes away."""

FIRST = 0xE100
PIECE = re.compile(r"\{([a-z_]+)(\d*)\}|<([a-z]+)(\d*):([^<>]*)>")
MARKED = re.compile(f"([{chr(FIRST)}-{chr(FIRST + 99)}])([^{CLOSE}]*){CLOSE}")
DAYS = re.compile(r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|christmas|easter|halloween|thanksgiving)\b")
HESITATIONS = ("uh", "um", "er", "erm", "uhm", "like", "well", "you know")


@dataclass(frozen=True)
class Span:
    """Words of a user, and their meaning in the words of the daemon's answers."""

    said: str
    meaning: str = ""

    @property
    def told(self) -> str:
        """Return the words for an answer."""
        return self.meaning or self.said


@dataclass(frozen=True)
class Part:
    """A part of a sentence; `calls` are the numbers of the calls of which it is an argument."""

    said: str
    parameter: str = ""
    calls: tuple[int, ...] = ()
    told: str = ""


@dataclass(frozen=True)
class Draw:
    """What a phrasing's slots are filled from; slots that belong together share `shared`."""

    rng: random.Random
    split: Split
    shared: dict[str, str]


Filler = Callable[[Draw], Span]
LEADS: Mapping[str, str] = {
    "day": r"(on |at |for )?(the )?", "which": r"(on |at |for )?(the )?", "place": "(the )?",
    "when": r"(on |at |for |by )?(the )?",
    "item": "(the |some )?", "name": "(the |my )?",
}  # fmt: skip
"""Small words at the beginning of an argument that are said but are no part of it, by parameter."""

NO_ON = re.compile(r"\b(?:for|about|of|is|does|will|was|on|at|and|or|the|my)\s$")
ARTICLE = re.compile(r"\b(an?|another|the|my|extra|one|full)\s$")
VOWEL = re.compile(r"(?:[aeio]|8|11\b|18\b|hour)", re.IGNORECASE)


def parts_of(template: str, draw: Draw, slots: Mapping[str, tuple[str, Filler]], kept: str = "") -> list[Part]:
    """Return the parts of a phrasing: `{slot}` is filled, `<parameter:words>` are an argument as they stand.

    The digits after a slot are the calls of which it is an argument; without digits it is one of the first. Of the
    parameter `kept` small words at its beginning are a part.
    """
    template = expand(draw.rng, template)
    parts: list[Part] = []
    place = 0
    for found in PIECE.finditer(template):
        parts.append(Part(template[place : found.start()]))
        place = found.end()
        slot, calls, parameter, its_calls, literal = found.groups()
        span = Span(literal or "")
        if slot:
            parameter, fill = slots[slot]
            span = fill(draw)
        if not parameter:
            parts.append(Part(span.said))
            continue
        numbers = tuple(int(digit) - 1 for digit in calls or its_calls or "1")
        before, said = _joined(draw.rng, parts, span.said, "" if parameter == kept else parameter)
        parts[-1:] = [*before, Part(said, parameter, numbers, span.told)]
    return [part for part in (*parts, Part(template[place:])) if part.said]


def _joined(rng: random.Random, parts: Sequence[Part], said: str, parameter: str) -> tuple[list[Part], str]:
    """Return the text before an argument, and the argument, as they stand beside each other."""
    text = parts[-1].said
    if (article := ARTICLE.search(text)) and re.match("an? ", said) and parameter != "item":
        said = said.split(" ", 1)[1]
        if article[1] in ("a", "an"):
            text = text[: article.start()]
            text += "an " if VOWEL.match(said) else "a "
    elif re.search(r"\ba $", text) and VOWEL.match(said) and parameter in ("length", "name"):
        text = f"{text[:-2]}an "
    if re.match(r"[A-Z]\w*'s\b|(?:my|our) ", said):
        text = re.sub(r"\b(?:the|my|our|an?) $", "", text)
    if said.startswith("in "):
        text = re.sub(r"\b(?:for|on|at) $", "", text)
    lead = re.match(LEADS.get(parameter, ""), said)
    small = lead.group() if lead else ""
    is_left_out = small.startswith("on ") and (
        NO_ON.search(text) or (len(parts) == 1 and not text and rng.random() < 0.5)
    )
    is_left_out = is_left_out or (small == "the " and bool(re.search(r"\b(?:the|my|our) $", text)))
    return [Part(text + ("" if is_left_out else small))], said[len(small) :]


def shifted(parts: Sequence[Part], by: int) -> list[Part]:
    """Return the parts as those of later calls."""
    return [replace(part, calls=tuple(number + by for number in part.calls)) for part in parts]


def told_of(parts: Sequence[Part], call: int) -> dict[str, str]:
    """Return the arguments of a call in the words of answers."""
    told: dict[str, list[str]] = {}
    for part in parts:
        if call in part.calls:
            told.setdefault(part.parameter, []).append(part.told)
    return {parameter: " ".join(words) for parameter, words in told.items()}


def spell(rng: random.Random, parts: Sequence[Part], is_plain: bool = False) -> tuple[str, list[str]]:
    """Return the sentence as it is written, and the words of each part as they stand in it."""
    marked = "".join(f"{chr(FIRST + n)}{part.said}{CLOSE}" if part.calls else part.said for n, part in enumerate(parts))
    marked = re.sub(r"(?<=\d):(?=\d)", COLON, " ".join(marked.split()))
    marked = _spelled(rng, marked, is_plain).replace(COLON, ":")
    words = {ord(mark) - FIRST: said.strip() for mark, said in MARKED.findall(marked)}
    text = "".join(sign for sign in marked if sign != CLOSE and not FIRST <= ord(sign) < FIRST + 100)
    return " ".join(text.split()), [words.get(n, "") for n in range(len(parts))]


def arguments_of(parts: Sequence[Part], words: Sequence[str], call: int) -> dict[str, str]:
    """Return the arguments of a call; one that stands in two places of the sentence is both, in their order."""
    arguments: dict[str, str] = {}
    for part, said in zip(parts, words, strict=True):
        if call in part.calls:
            arguments[part.parameter] = f"{arguments.get(part.parameter, '')} {said}".strip()
    return arguments


def _spelled(rng: random.Random, marked: str, is_plain: bool) -> str:
    if is_plain:
        return _finished(surface.plain(rng, marked))
    draw = rng.random()
    if draw < 0.34:
        return _finished(_capitals(_named(rng, surface.written(rng, marked))))
    if draw < 0.62:
        return surface.recognised(rng, marked)
    if draw < 0.68:
        return surface.recognised(rng, _hesitating(rng, marked))
    if draw < 0.78:
        return marked.lower() if rng.random() < 0.6 else marked + rng.choice(("", "?", "!", "."))
    if draw < 0.83:
        return surface.clipped(rng, marked)
    if draw < 0.86:
        return surface.shouted(rng, marked)
    return surface.chatty(rng, marked) if draw < 0.93 else surface.mistyped(rng, marked)


def _finished(text: str) -> str:
    """Return the text with one end mark only: "7 a.m.." is "7 a.m."."""
    return re.sub(rf"\.({CLOSE})?\.$", r".\1", text)


def _named(rng: random.Random, text: str) -> str:
    """Return the text with the days and feasts in capitals, as careful writers do."""
    return DAYS.sub(lambda found: found.group().capitalize(), text) if rng.random() < 0.75 else text


def _capitals(text: str) -> str:
    """Return the text with its first letter in capitals, also where an argument stands first."""
    found = re.search(r"\w", text)
    if not found:
        return text
    return text[: found.start()] + text[found.start()].upper() + text[found.end() :]


def _hesitating(rng: random.Random, marked: str) -> str:
    """Return the sentence with a hesitation, a repeated word, or both, but none within an argument."""
    words = marked.split(" ")
    inside, free = False, []
    for place, word in enumerate(words):
        if not inside:
            free.append(place)
        inside = (inside or any(FIRST <= ord(sign) < FIRST + 100 for sign in word)) and CLOSE not in word
    for place in sorted(rng.sample(free, min(len(free), rng.choice((1, 1, 2)))), reverse=True):
        word = words[place]
        again = word.isalpha() and rng.random() < 0.4
        words.insert(place, word if again else rng.choice(HESITATIONS))
    return " ".join(words)
