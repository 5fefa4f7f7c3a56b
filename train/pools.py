"""The pools of the corpus as token ids."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from train.batches import Row
from train.corpus.mix import POOL, pool
from train.tokenizer import ChatEncoder, load_tokenizer


@dataclass(frozen=True)
class EncodedPools:
    """Makes pools of the corpus as token ids; other processes can do so, too."""

    tokenizer: Path
    seed: int
    size: int = POOL

    def __call__(self, number: int) -> list[Row]:
        """Return the rows of the pool with this number."""
        encoder = _encoder(self.tokenizer)
        rows = map(encoder.encode, pool(self.seed, number, self.size))
        return [(np.array(ids, np.uint16), np.array(weights, np.uint8)) for ids, weights in rows]


@cache
def _encoder(tokenizer: Path) -> ChatEncoder:
    return ChatEncoder(load_tokenizer(tokenizer))
