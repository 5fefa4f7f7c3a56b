"""The eye: a vision transformer and a projector, written so that llama.cpp's `mlp` projector computes the same."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

NORM_EPS = 1e-6
MEAN, DEVIATION = 0.5, 0.5
RARE_LOGIT = -4.0
"""The first score of every word: at most places hardly any word is due."""
WORD_SHARE = 0.3
"""The weight of a word's embedding: a clear score is three to six."""


@dataclass(frozen=True)
class EyeShape:
    """Sizes of the eye; widths are multiples of 32, which quantizing requires."""

    side: int = 96
    patch: int = 16
    width: int = 192
    layers: int = 6
    heads: int = 6
    hidden: int = 768
    projector: int = 384

    @property
    def grid(self) -> int:
        """Return the number of patches in a row."""
        return self.side // self.patch

    @property
    def tokens(self) -> int:
        """Return the number of embeddings of a picture."""
        return self.grid**2


class EyeBlock(nn.Module):
    """One layer: attention of all patches to all, then feed-forward, each added to its input."""

    def __init__(self, shape: EyeShape) -> None:
        super().__init__()
        self._heads = shape.heads
        self.ln1 = nn.LayerNorm(shape.width, NORM_EPS)
        self.attn_q = nn.Linear(shape.width, shape.width)
        self.attn_k = nn.Linear(shape.width, shape.width)
        self.attn_v = nn.Linear(shape.width, shape.width)
        self.attn_out = nn.Linear(shape.width, shape.width)
        self.ln2 = nn.LayerNorm(shape.width, NORM_EPS)
        self.ffn_up = nn.Linear(shape.width, shape.hidden)
        self.ffn_down = nn.Linear(shape.hidden, shape.width)

    def _split(self, states: Tensor) -> Tensor:
        return states.reshape(*states.shape[:-1], self._heads, -1).transpose(1, 2)

    def forward(self, states: Tensor) -> Tensor:
        """Return the states after this layer."""
        normed = self.ln1(states)
        queries, keys, values = (self._split(layer(normed)) for layer in (self.attn_q, self.attn_k, self.attn_v))
        # Faster than the fused attention on so few and so narrow heads.
        weights = (queries * queries.shape[-1] ** -0.5 @ keys.mT).softmax(-1).to(values.dtype)
        states = states + self.attn_out((weights @ values).transpose(1, 2).flatten(-2))
        opened = functional.gelu(self.ffn_up(self.ln2(states)), approximate="tanh")
        result: Tensor = states + self.ffn_down(opened)
        return result


class Eye(nn.Module):
    """The whole network from pixels to embeddings of the text model."""

    def __init__(self, shape: EyeShape, words: Tensor) -> None:
        """Make a network whose first hidden units of the projector stand for words, given by their embeddings."""
        super().__init__()
        self._words = len(words)
        self.shape = shape
        self.patch_embd = nn.Linear(3 * shape.patch**2, shape.width)
        self.position_embedding = nn.Parameter(torch.randn(shape.tokens, shape.width) * 0.3)
        self.blocks = nn.ModuleList(EyeBlock(shape) for _ in range(shape.layers))
        self.post_ln = nn.LayerNorm(shape.width, NORM_EPS)
        self.mm_0 = nn.Linear(shape.width, shape.projector)
        self.mm_2 = nn.Linear(shape.projector, words.shape[1])
        with torch.no_grad():
            self.mm_2.bias.zero_()
            self.mm_2.weight.mul_(0.1 * words.std() / self.mm_2.weight.std())
            self.mm_2.weight[:, : len(words)] = WORD_SHARE * words.T
            self.mm_0.bias[: len(words)] = RARE_LOGIT

    def patches(self, pixels: Tensor) -> Tensor:
        """Return the normalized patches of pictures ``(batch, side, side, 3)`` of bytes, row by row."""
        grid, patch = self.shape.grid, self.shape.patch
        scaled = (pixels.float() / 255 - MEAN) / DEVIATION
        tiles = scaled.reshape(-1, grid, patch, grid, patch, 3)
        return tiles.permute(0, 1, 3, 5, 2, 4).flatten(1, 2).flatten(2)

    def look(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states of every patch after two thirds of the layers, and the hidden units of the projector."""
        states = self.patch_embd(self.patches(pixels)) + self.position_embedding
        early = states
        for number, block in enumerate(self.blocks, 1):
            states = block(states)
            if number == len(self.blocks) * 2 // 3:
                early = states
        return early, self.mm_0(self.post_ln(states))

    def words(self, units: Tensor) -> Tensor:
        """Return the scores of all words at every place, from the hidden units."""
        return units[..., : self._words]

    def project(self, units: Tensor) -> Tensor:
        """Return the embeddings for the text model, from the hidden units."""
        result: Tensor = self.mm_2(functional.gelu(units, approximate="tanh"))
        return result

    def forward(self, pixels: Tensor) -> Tensor:
        """Return the embeddings ``(batch, tokens, text width)`` of pictures."""
        return self.project(self.look(pixels)[1])

    def parameter_count(self) -> int:
        """Return the number of trained parameters."""
        return sum(weight.numel() for weight in self.parameters())
