"""The network: a llama-architecture decoder, written so that its weights are exported without reordering.

Rotary embedding rotates neighbouring pairs of channels, as llama.cpp does for this architecture.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from train.config import ModelShape

STRIPE = 128


def rotary_table(shape: ModelShape, length: int, device: torch.device | None = None) -> Tensor:
    """Return the rotation of every pair of channels at every position, as complex numbers of length one."""
    exponents = torch.arange(0, shape.head_dim, 2, dtype=torch.float32, device=device) / shape.head_dim
    angles = torch.outer(torch.arange(length, dtype=torch.float32, device=device), shape.rope_base**-exponents)
    return torch.polar(torch.ones_like(angles), angles)


def rotate(heads: Tensor, turns: Tensor) -> Tensor:
    """Return the channels with each neighbouring pair rotated by its position's angle."""
    pairs = torch.view_as_complex(heads.float().reshape(*heads.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns).flatten(-2).to(heads.dtype)


def attend(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Return causal attention, computed one stripe of positions at a time, without the positions after the stripe.

    Queries have the shape ``(batch, heads, length, head_dim)``, keys and values have fewer heads; the result has the
    shape of the queries. On processors this is two to ten times as fast as torch's fused attention, which is made for
    wider heads; an accelerator uses that.
    """
    if queries.device.type != "cpu":
        return functional.scaled_dot_product_attention(
            queries.to(values.dtype), keys.to(values.dtype), values, is_causal=True, enable_gqa=True
        )
    batch, heads, length, head_dim = queries.shape
    kv_heads = keys.shape[1]
    shared = heads // kv_heads
    keys = keys.flatten(0, 1).mT
    values = values.flatten(0, 1)
    grouped = (queries * head_dim**-0.5).reshape(batch * kv_heads, shared, length, head_dim)
    stripes = []
    for start in range(0, length, STRIPE):
        end = min(start + STRIPE, length)
        stripe = grouped[:, :, start:end].reshape(batch * kv_heads, -1, head_dim)
        scores = (stripe @ keys[..., :end]).view(-1, shared, end - start, end)
        ahead = torch.full((end - start, end), float("-inf"), dtype=scores.dtype).triu(start + 1)
        weights = (scores + ahead).softmax(-1).flatten(1, 2)
        mixed = weights.to(values.dtype) @ values[:, :end]
        stripes.append(mixed.view(-1, shared, end - start, head_dim))
    return torch.cat(stripes, dim=2).reshape(batch, heads, length, head_dim)


class Norm(nn.Module):
    """Root-mean-square normalisation with a learned gain."""

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self._eps = eps

    def forward(self, states: Tensor) -> Tensor:
        """Return the input with every position scaled to unit mean square."""
        return functional.rms_norm(states, self.weight.shape, self.weight, self._eps)


class Attention(nn.Module):
    """Causal attention in which several query heads share one key and value head."""

    def __init__(self, shape: ModelShape) -> None:
        super().__init__()
        self._shape = shape
        kv_width = shape.kv_heads * shape.head_dim
        self.query = nn.Linear(shape.width, shape.width, bias=False)
        self.key = nn.Linear(shape.width, kv_width, bias=False)
        self.value = nn.Linear(shape.width, kv_width, bias=False)
        self.output = nn.Linear(shape.width, shape.width, bias=False)

    def _split(self, states: Tensor, heads: int) -> Tensor:
        return states.reshape(*states.shape[:-1], heads, self._shape.head_dim).transpose(1, 2)

    def forward(self, states: Tensor, turns: Tensor) -> Tensor:
        """Return the states after every position has attended to itself and to earlier positions."""
        queries = rotate(self._split(self.query(states), self._shape.heads), turns)
        keys = rotate(self._split(self.key(states), self._shape.kv_heads), turns)
        values = self._split(self.value(states), self._shape.kv_heads)
        mixed = attend(queries, keys, values)
        joined: Tensor = self.output(mixed.transpose(1, 2).flatten(-2))
        return joined


class FeedForward(nn.Module):
    """The gated two-layer network between attentions (SwiGLU)."""

    def __init__(self, shape: ModelShape) -> None:
        super().__init__()
        self.gate = nn.Linear(shape.width, shape.hidden, bias=False)
        self.up = nn.Linear(shape.width, shape.hidden, bias=False)
        self.down = nn.Linear(shape.hidden, shape.width, bias=False)

    def forward(self, states: Tensor) -> Tensor:
        """Return the states after every position has been processed separately."""
        result: Tensor = self.down(functional.silu(self.gate(states)) * self.up(states))
        return result


class Block(nn.Module):
    """One layer: attention, then feed-forward, each added to its input."""

    def __init__(self, shape: ModelShape) -> None:
        super().__init__()
        self.attention_norm = Norm(shape.width, shape.norm_eps)
        self.attention = Attention(shape)
        self.feed_norm = Norm(shape.width, shape.norm_eps)
        self.feed = FeedForward(shape)

    def forward(self, states: Tensor, turns: Tensor) -> Tensor:
        """Return the states after this layer."""
        states = states + self.attention(self.attention_norm(states), turns)
        result: Tensor = states + self.feed(self.feed_norm(states))
        return result


class Decoder(nn.Module):
    """The whole network; the embedding is also the output layer."""

    def __init__(self, shape: ModelShape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocab, shape.width)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.final_norm = Norm(shape.width, shape.norm_eps)
        self._initialise()

    def _initialise(self) -> None:
        nn.init.normal_(self.embedding.weight, std=0.02)
        for name, weight in self.blocks.named_parameters():
            if weight.ndim == 2:
                quiet = name.endswith(("output.weight", "down.weight"))
                scale = (2 * self.shape.layers) ** -0.5 if quiet else 1.0
                nn.init.normal_(weight, std=scale * weight.shape[1] ** -0.5)

    def hidden(self, ids: Tensor) -> Tensor:
        """Return the final states of every position of a batch of id rows."""
        turns = rotary_table(self.shape, ids.shape[1], ids.device)
        states: Tensor = self.embedding(ids)
        for block in self.blocks:
            states = block(states, turns)
        result: Tensor = self.final_norm(states)
        return result

    def logits(self, states: Tensor) -> Tensor:
        """Return the scores of every vocabulary entry for the given states."""
        return functional.linear(states, self.embedding.weight)

    def forward(self, ids: Tensor) -> Tensor:
        """Return the scores for every position of a batch of id rows."""
        return self.logits(self.hidden(ids))

    def parameter_count(self) -> int:
        """Return the number of trained parameters."""
        return sum(weight.numel() for weight in self.parameters())
