"""The spelling of a request whose words are copied into a call: what the call has is what the sentence shows.

The words of the slots are kept apart while the sentence around them gets its spelling, so a typing error never stands
in what is to be copied; lower case and lost punctuation of a speech recogniser do.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass

from train.corpus import surface
from train.corpus.tools.own.own_tools_catalog import SLOT
from train.corpus.tools.own.own_tools_fillers import Filled, Value

FIRST_MARK = 0xE000
QUOTES = ('"{}"', '"{}"', "'{}'", "“{}”")
SPOKEN_MARKS = re.compile(r"[,!?;:.](?=\s|$)|[\"“”]")
STYLES = (("written", 40), ("recognised", 33), ("clipped", 5), ("shouted", 2), ("chatty", 10), ("mistyped", 10))


@dataclass(frozen=True)
class Said:
    """A sentence as it is typed or heard, and the values of its slots as a call has them."""

    text: str
    values: Mapping[str, Value]


def say(rng: random.Random, template: str, filled: Mapping[str, Filled], is_bare: bool = False) -> Said:
    """Return the sentence of a template in one of the spellings; a bare one gets no small words around it."""
    used = {slot: filled[slot] for slot in SLOT.findall(template)}
    style = _style(rng, used)
    quoted = {slot for slot, each in used.items() if each.is_open and style != "recognised" and rng.random() < 0.12}
    words = {slot: _spelled(each, style) for slot, each in used.items()}
    shown = {slot: rng.choice(QUOTES).format(text) if slot in quoted else text for slot, text in words.items()}
    marks = {slot: chr(FIRST_MARK + index) for index, slot in enumerate(used)}
    frame = template.format(**marks)
    open_end = next((slot for slot in used if used[slot].is_open and frame.endswith(marks[slot])), None)
    is_open = open_end is not None and open_end not in quoted
    text = frame if is_bare else _wrapped(rng, frame, is_open)
    text = _framed(rng, text, style)
    if is_open and open_end is not None:
        text = _ended(rng, text, marks[open_end], words[open_end], style)
    for slot, mark in marks.items():
        text = text.replace(mark, shown[slot])
    values: dict[str, Value] = {}
    for slot, each in used.items():
        values[slot] = words[slot] if each.value is None else each.value
    return Said(text, values)


def _style(rng: random.Random, used: Mapping[str, Filled]) -> str:
    names, shares = zip(*STYLES, strict=True)
    style = str(rng.choices(names, shares)[0])
    is_typed = any(each.is_typed for each in used.values())
    return rng.choice(("written", "written", "chatty", "lower")) if is_typed and style != "mistyped" else style


def _spelled(filled: Filled, style: str) -> str:
    """Return the words of a slot in the spelling of the sentence."""
    if style in ("recognised", "clipped"):
        return " ".join(SPOKEN_MARKS.sub("", filled.said.lower()).split()) or filled.said
    return filled.said.upper() if style == "shouted" else filled.said


def _wrapped(rng: random.Random, text: str, is_open: bool) -> str:
    draw = rng.random()
    if draw < 0.1:
        return rng.choice(surface.PREFIXES) + text
    return text + rng.choice(surface.SUFFIXES) if draw < 0.15 and not is_open else text


def _framed(rng: random.Random, text: str, style: str) -> str:
    """Return the sentence around the slots in a spelling."""
    spellings = {
        "written": surface.written, "recognised": surface.recognised, "clipped": surface.clipped,
        "shouted": surface.shouted, "chatty": surface.chatty, "mistyped": surface.mistyped,
    }  # fmt: skip
    return spellings[style](rng, text) if style in spellings else text


def _ended(rng: random.Random, text: str, mark: str, words: str, style: str) -> str:
    """Return the sentence with the end of a free text: at most a stop, which is no part of the text."""
    before, _, after = text.rpartition(mark)
    asks = "?" in after and before.lower().lstrip().startswith(("can ", "could "))
    if asks and words[-1:].isalnum():
        return f"{before}{mark}?"
    stop = "." if style in ("written", "mistyped") and words[-1:].isalnum() and rng.random() < 0.3 else ""
    return before + mark + stop
