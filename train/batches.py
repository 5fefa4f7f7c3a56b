"""Make batches for training: conversations of similar length are together, so that there is hardly any padding.

The corpus comes in numbered pools, each made from the seed and its own number alone. So training can continue in the
middle of the corpus without making what came before, and other processes can make pools in advance.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from train.config import Recipe

WIDTH_STEP = 16
PLACES_STEP = 256
NOT_LEARNED = -100
Ids = Sequence[int] | NDArray[np.uint16] | NDArray[np.uint8]
Row = tuple[Ids, Ids]
"""The token ids of a conversation, and for each how often its prediction counts."""

PoolMaker = Callable[[int], list[Row]]
"""Returns the pool of this number."""


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

    def to(self, device: str) -> Batch:
        """Return the batch on a device."""
        return Batch(self.inputs.to(device), self.places.to(device), self.targets.to(device))


def round_up(number: int, step: int) -> int:
    """Return the next multiple of a step."""
    return -(-number // step) * step


def make_batch(rows: Sequence[Row]) -> Batch:
    """Pad the rows to one length and return the batch.

    Padding is never learned. It comes last, so no other position attends to it.
    """
    width = round_up(max(len(ids) for ids, _ in rows) - 1, WIDTH_STEP) + 1
    ids = np.zeros((len(rows), width), np.int64)
    weights = np.zeros((len(rows), width), np.int64)
    for at, (row, marks) in enumerate(rows):
        ids[at, : len(row)] = row
        weights[at, : len(marks)] = marks
    # A position that counts twice is contained twice.
    places = np.repeat(np.arange(len(rows) * (width - 1)), weights[:, 1:].ravel())
    missing = round_up(len(places), PLACES_STEP) - len(places)
    targets = torch.from_numpy(ids[:, 1:].ravel()[places])
    return Batch(
        torch.from_numpy(np.ascontiguousarray(ids[:, :-1])),
        functional.pad(torch.from_numpy(places), (0, missing)),
        functional.pad(targets, (0, missing), value=NOT_LEARNED),
    )


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


def groups_of(pool: list[Row], number: int, recipe: Recipe) -> list[list[Row]]:
    """Return the groups of a pool, shuffled."""
    rows = [row for row in pool if len(row[0]) <= recipe.max_tokens]
    groups = list(group_rows(rows, recipe.batch_tokens))
    random.Random(f"{recipe.seed} {number}").shuffle(groups)
    return groups


def made_ahead(make_pool: PoolMaker, first: int, workers: int) -> Iterator[list[Row]]:
    """Yield the pools from a number on for ever; so many other processes make the next ones meanwhile."""
    if workers == 0:
        while True:
            yield make_pool(first)
            first += 1
    with ProcessPoolExecutor(workers, get_context("spawn")) as executor:
        coming: deque[Future[list[Row]]] = deque()
        try:
            while True:
                while len(coming) <= workers:
                    coming.append(executor.submit(make_pool, first))
                    first += 1
                yield coming.popleft().result()
        finally:
            for future in coming:
                future.cancel()


def stream_batches(
    make_pool: PoolMaker, recipe: Recipe, *, pool: int = 0, done: int = 0, workers: int = 0
) -> Generator[tuple[int, int, Batch], None, None]:
    """Yield batches for ever, each after its place: the number of its pool and its number in that pool.

    Begin after the first `done` batches of the pool `pool`.
    """
    for number, rows in enumerate(made_ahead(make_pool, pool, workers), start=pool):
        groups = groups_of(rows, number, recipe)
        skipped = done if number == pool else 0
        for at, group in enumerate(groups[skipped:], start=skipped):
            yield number, at, make_batch(group)
