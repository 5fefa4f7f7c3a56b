"""Training: one pass over an endless corpus, in bfloat16 arithmetic, resumable from its checkpoint."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from train.batches import NOT_LEARNED, Batch
from train.config import ModelShape, Recipe
from train.model import Decoder
from train.optimizer import Optimizer

LOG = logging.getLogger(__name__)
LOG_EVERY = 20


@dataclass
class Progress:
    """How far training has come."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0


def batch_loss(model: Decoder, batch: Batch) -> Tensor:
    """Mean loss over the positions that count; only those go through the output layer."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        states = model.hidden(batch.inputs).flatten(0, 1)[batch.places]
        logits = model.logits(states)
    return functional.cross_entropy(logits.float(), batch.targets, ignore_index=NOT_LEARNED)


def save_checkpoint(path: Path, model: Decoder, optimizer: Optimizer, progress: Progress) -> None:
    """Write everything needed to go on; the old file is only replaced by a complete one."""
    content = {"model": model.state_dict(), "optimizer": optimizer.state(), "progress": vars(progress)}
    temporary = path.with_suffix(".new")
    torch.save(content, temporary)
    temporary.replace(path)


def load_checkpoint(path: Path, model: Decoder, optimizer: Optimizer) -> Progress:
    """Restore what :func:`save_checkpoint` wrote."""
    content = torch.load(path, weights_only=True)
    model.load_state_dict(content["model"])
    optimizer.restore(content["optimizer"])
    return Progress(**content["progress"])


def train_model(
    shape: ModelShape, recipe: Recipe, batches: Iterator[Batch], checkpoint: Path
) -> tuple[Decoder, Progress]:
    """Train to the recipe's last step, going on from the checkpoint when there is one."""
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(recipe.threads)
    model = Decoder(shape)
    optimizer = Optimizer(model, recipe)
    progress = Progress()
    if checkpoint.exists():
        progress = load_checkpoint(checkpoint, model, optimizer)
        LOG.info("going on from step %d", progress.step)
    # The stream is deterministic, so what an earlier run has used up is passed over.
    for batch in islice(batches, progress.step, recipe.steps):
        _advance(model, optimizer, batch, progress)
        if progress.step % recipe.checkpoint_every == 0 or progress.step == recipe.steps:
            save_checkpoint(checkpoint, model, optimizer, progress)
    return model, progress


def _advance(model: Decoder, optimizer: Optimizer, batch: Batch, progress: Progress) -> None:
    """One step, counted and now and then reported."""
    started = time.monotonic()
    loss = batch_loss(model, batch)
    model.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]  # torch's has no types
    optimizer.step(progress.step)
    progress.step += 1
    progress.tokens += batch.tokens
    progress.seconds += time.monotonic() - started
    if progress.step % LOG_EVERY == 0:
        rate = progress.tokens / progress.seconds
        values = (progress.step, float(loss.detach()), progress.tokens, rate)
        LOG.info("step %d loss %.4f, %d tokens, %.0f tokens/s", *values)
