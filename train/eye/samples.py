"""Batches for training: pictures, conversations about them, and what lies in which patch."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from train.batches import Batch, make_batch
from train.corpus.base import Message
from train.corpus.dialogue import PERSONAS, stream
from train.eye.canvas import Canvas, fit, fitted_box
from train.eye.colours import NAMES
from train.eye.drawing import draw
from train.eye.questions import Question, ask_about
from train.eye.scenes import DIGITS, LETTERS, SHAPES, Scene, draw_scene
from train.eye.slots import Array, slot_targets
from train.eye.text import Row, Tokens
from train.eye.vision import EyeShape

LABELS = (
    *SHAPES, *NAMES, *DIGITS, *LETTERS, "-", "display", "gauge", "lamp on", "lamp off", "texture", "empty",
)  # fmt: skip
LABEL_NUMBERS = {label: number for number, label in enumerate(LABELS)}
GAPS = ("", "", "\n", " ")
QUESTIONS = 3
SYSTEM_SHARE, AFTER_SHARE, OTHER_SHARE = 0.2, 0.15, 0.12
LONGEST_OTHER = 160
BATCHES = 3
EASY_SHARE = 0.4
"""The share of the first stage in which large and clean pictures become rarer and rarer."""
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True)
class Sight:
    """Pictures as bytes, the labels of their patches and the words that are due for them."""

    pixels: Tensor
    labels: Tensor
    words: Tensor


@dataclass(frozen=True)
class Talk:
    """Pictures and conversations about them: ids, the flat places whose prediction counts, and the ids due there."""

    sight: Sight
    text: Batch


def label_patches(canvas: Canvas, grid: int) -> Array:
    """Return for each patch which labels it shows a part of."""
    found = np.zeros((grid, grid, len(LABELS)), np.float32)
    for mark in canvas.marks:
        left, top, right, bottom = (value * grid for value in fitted_box(mark, canvas.image.size))
        for row in range(max(0, int(top)), min(grid, int(bottom) + 1)):
            for column in range(max(0, int(left)), min(grid, int(right) + 1)):
                wide = min(right, column + 1) - max(left, column)
                tall = min(bottom, row + 1) - max(top, row)
                if wide * tall > 0.2 * min(1.0, (right - left) * (bottom - top)):
                    found[row, column, LABEL_NUMBERS[mark.label]] = 1
    return found.reshape(grid * grid, -1)


def _exchanges(seed: int) -> Iterator[list[Message]]:
    """Yield exchanges from the text model's own corpus, for turns that are not about the picture."""
    for talk in stream(seed):
        for first, second in pairwise(talk):
            if (
                first.role == "user"
                and second.role == "assistant"
                and len(first.content + second.content) < LONGEST_OTHER
            ):
                yield [first, second]
                break


class _Seen:
    """Collects pictures."""

    def __init__(self, shape: EyeShape) -> None:
        self._shape = shape
        self._pixels: list[Bytes] = []
        self._labels: list[Array] = []
        self._words: list[Array] = []

    def add(self, canvas: Canvas, scene: Scene) -> None:
        """Add a drawn picture."""
        self._pixels.append(np.asarray(fit(canvas.image, self._shape.side)))
        self._labels.append(label_patches(canvas, self._shape.grid))
        self._words.append(slot_targets(scene, tuple(canvas.marks)))

    def sight(self, chosen: list[int] | None = None) -> Sight:
        """Return all pictures, or some, as tensors."""
        lists = (self._pixels, self._labels, self._words)
        picked = [rows if chosen is None else [rows[number] for number in chosen] for rows in lists]
        return Sight(*(torch.from_numpy(np.stack(rows)) for rows in picked))


class Sights(Dataset[Sight]):
    """Batches of pictures by their number, so that training can go on where it stopped."""

    def __init__(self, shape: EyeShape, *, size: int, steps: int, seed: int) -> None:
        self._shape, self._size, self._steps, self._seed = shape, size, steps, seed

    def __len__(self) -> int:
        return self._steps

    def __getitem__(self, number: int) -> Sight:
        rng = random.Random(f"{self._seed} {number}")
        seen = _Seen(self._shape)
        ease = max(0.0, 1 - number / (EASY_SHARE * self._steps))
        for _ in range(self._size):
            scene, style = draw_scene(rng, held=False, ease=ease)
            seen.add(draw(rng, scene, style), scene)
        return seen.sight()


class Talks(Dataset[list[Talk]]):
    """Conversations about pictures: each item is some batches of rows of about the same length."""

    def __init__(self, text_model: Path, shape: EyeShape, *, size: int, steps: int, seed: str) -> None:
        self._shape, self._size, self._steps, self._seed = shape, size, steps, seed
        self._tokens = Tokens(text_model, shape.tokens)

    def __len__(self) -> int:
        return self._steps

    @cached_property
    def _others(self) -> Iterator[list[Message]]:
        return _exchanges(crc32(self._seed.encode()))

    def __getitem__(self, number: int) -> list[Talk]:
        rng = random.Random(f"{self._seed} {number}")
        seen = _Seen(self._shape)
        rows: list[Row] = []
        for _ in range(self._size * BATCHES):
            scene, style = draw_scene(rng, held=False)
            canvas = draw(rng, scene, style)
            seen.add(canvas, scene)
            rows.append(self._row(rng, ask_about(rng, scene, tuple(canvas.marks), QUESTIONS)))
        order = sorted(range(len(rows)), key=lambda place: len(rows[place][0]))
        groups = [order[start : start + self._size] for start in range(0, len(order), self._size)]
        rng.shuffle(groups)
        return [Talk(seen.sight(group), make_batch([rows[place] for place in group])) for group in groups]

    def _row(self, rng: random.Random, questions: list[Question]) -> Row:
        system = rng.choice(PERSONAS) if rng.random() < SYSTEM_SHARE else ""
        others = {rng.randrange(len(questions)): next(self._others)} if rng.random() < OTHER_SHARE else {}
        is_first = rng.random() >= AFTER_SHARE
        return self._tokens.row(questions, rng.choice(GAPS), is_first=is_first, system=system, others=others)
