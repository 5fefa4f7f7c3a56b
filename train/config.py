"""The shipped model's shape and training recipe, with every number that decides the result."""

from __future__ import annotations

from dataclasses import dataclass

VOCAB_SIZE = 4096
CONTEXT_LENGTH = 4096


@dataclass(frozen=True)
class ModelShape:
    """Sizes of a llama-architecture decoder, all of them multiples of 32, which quantizing requires."""

    vocab: int = VOCAB_SIZE
    width: int = 256
    layers: int = 8
    heads: int = 8
    kv_heads: int = 4
    hidden: int = 704
    rope_base: float = 10000.0
    norm_eps: float = 1e-5

    @property
    def head_dim(self) -> int:
        """Return the width of one attention head."""
        return self.width // self.heads


@dataclass(frozen=True)
class Recipe:
    """The length and the speed of training."""

    steps: int = 24_000
    seed: int = 7
    begins_with: str = ""
    """The SHA-256 of the model file whose weights it begins with, "" to begin with nothing."""

    batch_tokens: int = 6144
    max_tokens: int = CONTEXT_LENGTH
    warmup: int = 60
    fall: float = 0.45
    """The share of the steps, at the end, in which the rates fall to zero."""

    matrix_rate: float = 0.02
    other_rate: float = 3e-3
    weight_decay: float = 0.01
    threads: int = 2
    checkpoint_every: int = 200
