"""The eye: a vision transformer and a projector, written so that llama.cpp's `mlp` projector computes the same."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

NORM_EPS = 1e-6
MEAN, DEVIATION = 0.5, 0.5


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
        return states.unflatten(-1, (self._heads, -1)).transpose(1, 2)

    def forward(self, states: Tensor) -> Tensor:
        """Return the states after this layer."""
        normed = self.ln1(states)
        queries, keys, values = (self._split(layer(normed)) for layer in (self.attn_q, self.attn_k, self.attn_v))
        mixed = functional.scaled_dot_product_attention(queries, keys, values)
        states = states + self.attn_out(mixed.transpose(1, 2).flatten(-2))
        opened = functional.gelu(self.ffn_up(self.ln2(states)), approximate="tanh")
        result: Tensor = states + self.ffn_down(opened)
        return result


class Eye(nn.Module):
    """The whole network from pixels to embeddings of the text model."""

    def __init__(self, shape: EyeShape, text_width: int, text_scale: float) -> None:
        super().__init__()
        self.shape = shape
        self.patch_embd = nn.Linear(3 * shape.patch**2, shape.width)
        self.position_embedding = nn.Parameter(torch.randn(shape.tokens, shape.width) * 0.1)
        self.blocks = nn.ModuleList(EyeBlock(shape) for _ in range(shape.layers))
        self.post_ln = nn.LayerNorm(shape.width, NORM_EPS)
        self.mm_0 = nn.Linear(shape.width, shape.projector)
        self.mm_2 = nn.Linear(shape.projector, text_width)
        with torch.no_grad():
            self.mm_2.weight.mul_(2 * text_scale / self.mm_2.weight.std() / shape.projector**0.5)

    def patches(self, pixels: Tensor) -> Tensor:
        """Return the normalized patches of pictures ``(batch, side, side, 3)`` of bytes, row by row."""
        grid, patch = self.shape.grid, self.shape.patch
        scaled = (pixels.float() / 255 - MEAN) / DEVIATION
        tiles = scaled.unflatten(1, (grid, patch)).unflatten(3, (grid, patch))
        return tiles.permute(0, 1, 3, 5, 2, 4).flatten(1, 2).flatten(2)

    def features(self, pixels: Tensor) -> Tensor:
        """Return the last states of every patch."""
        states = self.patch_embd(self.patches(pixels)) + self.position_embedding
        for block in self.blocks:
            states = block(states)
        result: Tensor = self.post_ln(states)
        return result

    def project(self, features: Tensor) -> Tensor:
        """Return the embeddings for the text model."""
        result: Tensor = self.mm_2(functional.gelu(self.mm_0(features), approximate="tanh"))
        return result

    def forward(self, pixels: Tensor) -> Tensor:
        """Return the embeddings ``(batch, tokens, text width)`` of pictures."""
        return self.project(self.features(pixels))

    def parameter_count(self) -> int:
        """Return the number of trained parameters."""
        return sum(weight.numel() for weight in self.parameters())
