"""What the eye says first: words at fixed places among the embeddings of a picture.

The text model reads words, so the eye is first trained to write words: the embedding at each place is made of the text
model's own embeddings of the words that are due there. The first rows hold one group of shapes each (how many, colour,
form, row, column), the next one the kind of picture and its state, the last ones the characters that can be read.
This needs no text model, so it is many times as fast as training through one; training through it only refines it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from train.eye.canvas import Mark
from train.eye.colours import NAMES
from train.eye.questions import COUNTS
from train.eye.scenes import (
    DIGITS,
    LETTERS,
    MOST_THINGS,
    SHAPES,
    Display,
    Gauge,
    Group,
    Lamp,
    Scene,
    Shapes,
    Text,
    Unknown,
)

Array = np.ndarray[Any, np.dtype[np.float32]]

ROWS, COLUMNS = ("top", "middle", "bottom"), ("left", "center", "right")
LEVELS = tuple(f"{level}%" for level in range(0, 101, 10))
KINDS = ("shapes", "text", "display", "gauge", "lamp", "unknown")
STATES = ("on", "off")
WORDS = (*COUNTS[1:], *NAMES, *SHAPES, *ROWS, *COLUMNS, *LEVELS, *KINDS, *STATES, *DIGITS, *LETTERS, *"-.:")
NUMBERS = {word: number for number, word in enumerate(WORDS)}
MOST_GROUPS, GROUP_SLOTS = 3, 6
KIND_SLOT = MOST_GROUPS * GROUP_SLOTS
STATE_SLOT = KIND_SLOT + 1
TOTAL_SLOT = KIND_SLOT + 2
TEXT_SLOT = KIND_SLOT + 6
SLOTS = TEXT_SLOT + 12


def spoken(word: str) -> str:
    """Return the text whose embedding stands for a word."""
    return word if len(word) == 1 else f" {word.rstrip('%')}"


def _place(group: Group, marks: tuple[Mark, ...]) -> tuple[str, ...]:
    """Return the row and the column of a single thing."""
    boxes = [mark.box for mark in marks if mark.label == group.shape]
    if group.count != 1 or len(boxes) != 1:
        return ()
    (left, top, right, bottom) = boxes[0]
    row, column = (min(2, max(0, int(1.5 * (start + end)))) for start, end in ((top, bottom), (left, right)))
    return ROWS[row], COLUMNS[column]


def words_at(scene: Scene, marks: tuple[Mark, ...]) -> dict[int, str]:
    """Return the words that are due for a picture, by their place."""
    found = {KIND_SLOT: scene.kind}
    match scene:
        case Shapes():
            ordered = sorted(scene.groups, key=lambda group: (group.shape, group.colour))
            for position, group in enumerate(ordered):
                words = (COUNTS[group.count], group.colour, group.shape, *_place(group, marks))
                found |= {position * GROUP_SLOTS + slot: word for slot, word in enumerate(words)}
            found[TOTAL_SLOT] = COUNTS[min(MOST_THINGS, sum(group.count for group in scene.groups))]
        case Text() | Display():
            found |= {TEXT_SLOT + slot: character for slot, character in enumerate(scene.text)}
        case Gauge():
            found[STATE_SLOT] = f"{(scene.value + 5) // 10 * 10}%"
        case Lamp():
            found[STATE_SLOT] = "on" if scene.is_on else "off"
        case Unknown():
            pass
    return found


def slot_targets(scene: Scene, marks: tuple[Mark, ...]) -> Array:
    """Return for every place which word is due there."""
    found = np.zeros((SLOTS, len(WORDS)), np.float32)
    for slot, word in words_at(scene, marks).items():
        found[slot, NUMBERS[word]] = 1
    return found
