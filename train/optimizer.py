"""Two optimizers in one: orthogonalised momentum for the layers' matrices, AdamW for the rest.

Orthogonalised momentum lets every direction of a matrix learn at the same speed, which needs far fewer training tokens
than AdamW. Embeddings and gains have no such structure.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from train.config import Recipe

NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)
MOMENTUM = 0.95


def orthogonalise(matrices: Tensor, rounds: int = 5) -> Tensor:
    """Bring all singular values of a stack of matrices near one, by Newton-Schulz iteration, and return the stack."""
    first, second, third = NEWTON_SCHULZ
    tall = matrices.shape[1] > matrices.shape[2]
    current = matrices.mT if tall else matrices
    current = (current / (current.norm(dim=(1, 2), keepdim=True) + 1e-7)).bfloat16()
    for _ in range(rounds):
        square = current @ current.mT
        current = first * current + (second * square + third * square @ square) @ current
    result: Tensor = (current.mT if tall else current).float()
    return result


class Muon:
    """Orthogonalised momentum over groups of equally shaped matrices."""

    def __init__(self, matrices: list[nn.Parameter], weight_decay: float) -> None:
        self._decay = weight_decay
        self._groups: dict[tuple[int, ...], list[nn.Parameter]] = {}
        for matrix in matrices:
            self._groups.setdefault(tuple(matrix.shape), []).append(matrix)
        self._momentum = {size: torch.stack([torch.zeros_like(m) for m in g]) for size, g in self._groups.items()}

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """Move every matrix one step."""
        for size, group in self._groups.items():
            gradient = torch.stack([m.grad for m in group if m.grad is not None])
            momentum = self._momentum[size].lerp_(gradient, 1 - MOMENTUM)
            update = orthogonalise(gradient.lerp(momentum, MOMENTUM))
            scale = rate * max(1.0, size[0] / size[1]) ** 0.5
            for matrix, move in zip(group, update, strict=True):
                matrix.mul_(1 - rate * self._decay).add_(move, alpha=-scale)

    def state(self) -> dict[str, Tensor]:
        """Return what a checkpoint must contain."""
        return {str(size): momentum for size, momentum in self._momentum.items()}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Continue from a checkpoint."""
        for size, momentum in self._momentum.items():
            momentum.copy_(state[str(size)])


class Optimizer:
    """Both optimizers under one learning-rate schedule."""

    def __init__(self, model: nn.Module, recipe: Recipe) -> None:
        named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
        matrices = [p for name, p in named if p.ndim == 2 and "embedding" not in name]
        chosen = {id(p) for p in matrices}
        rest = [p for _, p in named if id(p) not in chosen]
        self._recipe = recipe
        self._muon = Muon(matrices, recipe.weight_decay)
        self._adam = torch.optim.AdamW(rest, lr=recipe.other_rate, betas=(0.9, 0.95), weight_decay=0.0)

    def scale(self, step: int) -> float:
        """Return the share of the full learning rate: a short rise, a long level, then a linear fall to zero."""
        recipe = self._recipe
        left = max(0.0, 1.0 - step / recipe.steps)
        return min(1.0, (step + 1) / recipe.warmup, left / recipe.fall)

    def step(self, step: int) -> None:
        """Apply the gradients and clear them."""
        scale = self.scale(step)
        self._muon.step(self._recipe.matrix_rate * scale)
        for group in self._adam.param_groups:
            group["lr"] = self._recipe.other_rate * scale
        self._adam.step()

    def state(self) -> dict[str, object]:
        """Return what a checkpoint must contain."""
        return {"muon": self._muon.state(), "adam": self._adam.state_dict()}

    def restore(self, state: dict[str, object]) -> None:
        """Continue from a checkpoint."""
        muon, adam = state["muon"], state["adam"]
        assert isinstance(muon, dict) and isinstance(adam, dict)
        self._muon.restore(muon)
        self._adam.load_state_dict(adam)
