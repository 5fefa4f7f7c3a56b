"""Make batches for training: conversations of similar length are together, so that there is hardly any padding."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import torch
from torch import Tensor
from torch.nn import functional

from train.config import Recipe
from train.corpus.base import Message
from train.tokenizer import ChatEncoder

POOL = 3000
WIDTH_STEP = 16
PLACES_STEP = 256
NOT_LEARNED = -100
Row = tuple[list[int], list[int]]


@dataclass(frozen=True)
class Batch:
    """Input ids ``(rows, width)``, the flat positions at which a prediction counts, and the ids expected there.

    There are few possible sizes, because torch keeps a kernel for every shape, and ever new shapes would need
    gigabytes.
    """

    inputs: Tensor
    places: Tensor
    targets: Tensor

    @property
    def tokens(self) -> int:
        """Return the number of positions in the batch."""
        return self.inputs.numel()


def round_up(number: int, step: int) -> int:
    """Return the next multiple of a step."""
    return -(-number // step) * step


def make_batch(rows: list[Row]) -> Batch:
    """Pad the rows to one length and return the batch.

    Padding is never learned. It comes last, so no other position attends to it.
    """
    width = round_up(max(len(ids) for ids, _ in rows) - 1, WIDTH_STEP) + 1
    ids = torch.tensor([row + [0] * (width - len(row)) for row, _ in rows])
    weights = torch.tensor([marks + [0] * (width - len(marks)) for _, marks in rows])[:, 1:].flatten()
    # A position that counts twice is contained twice.
    places = torch.arange(len(weights)).repeat_interleave(weights)
    missing = round_up(len(places), PLACES_STEP) - len(places)
    targets = functional.pad(ids[:, 1:].flatten()[places], (0, missing), value=NOT_LEARNED)
    return Batch(ids[:, :-1], functional.pad(places, (0, missing)), targets)


def group_rows(rows: list[Row], batch_tokens: int) -> Iterator[list[Row]]:
    """Yield groups of rows, cut from rows that are sorted by length, that fill the token budget."""
    group: list[Row] = []
    for row in sorted(rows, key=lambda item: len(item[0])):
        if group and (len(group) + 1) * len(row[0]) > batch_tokens:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def stream_batches(conversations: Iterable[list[Message]], encoder: ChatEncoder, recipe: Recipe) -> Iterator[Batch]:
    """Yield batches for ever; each pool of conversations is sorted by length, cut into groups and shuffled."""
    source = iter(conversations)
    shuffler = random.Random(recipe.seed)
    while pool := [encoder.encode(conversation) for conversation in islice(source, POOL)]:
        rows = [row for row in pool if len(row[0]) <= recipe.max_tokens]
        groups = list(group_rows(rows, recipe.batch_tokens))
        shuffler.shuffle(groups)
        for group in groups:
            yield make_batch(group)
