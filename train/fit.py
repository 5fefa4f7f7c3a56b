"""Training: one pass over an endless corpus, in bfloat16 arithmetic, which can continue from its checkpoint."""

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
    """The progress of training."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0


def batch_loss(model: Decoder, batch: Batch) -> Tensor:
    """Return the mean loss over the positions that count; only those pass through the output layer."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        states = model.hidden(batch.inputs).flatten(0, 1)[batch.places]
        logits = model.logits(states)
    return functional.cross_entropy(logits.float(), batch.targets, ignore_index=NOT_LEARNED)


def save_checkpoint(path: Path, model: Decoder, optimizer: Optimizer, progress: Progress) -> None:
    """Write everything that training needs to continue; replace the old file only by a complete one."""
    content = {"model": model.state_dict(), "optimizer": optimizer.state(), "progress": vars(progress)}
    temporary = path.with_suffix(".new")
    torch.save(content, temporary)
    temporary.replace(path)


def load_checkpoint(path: Path, model: Decoder, optimizer: Optimizer) -> Progress:
    """Restore what :func:`save_checkpoint` wrote; return the progress."""
    content = torch.load(path, weights_only=True)
    model.load_state_dict(content["model"])
    optimizer.restore(content["optimizer"])
    return Progress(**content["progress"])


def train_model(
    shape: ModelShape, recipe: Recipe, batches: Iterator[Batch], checkpoint: Path
) -> tuple[Decoder, Progress]:
    """Train to the recipe's last step, from the checkpoint if there is one; return the network and the progress."""
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(recipe.threads)
    model = Decoder(shape)
    optimizer = Optimizer(model, recipe)
    progress = Progress()
    if checkpoint.exists():
        progress = load_checkpoint(checkpoint, model, optimizer)
        LOG.info("going on from step %d", progress.step)
    # The stream is deterministic, so skip what an earlier run has used.
    for batch in islice(batches, progress.step, recipe.steps):
        _advance(model, optimizer, batch, progress)
        if progress.step % recipe.checkpoint_every == 0 or progress.step == recipe.steps:
            save_checkpoint(checkpoint, model, optimizer, progress)
    return model, progress


def _advance(model: Decoder, optimizer: Optimizer, batch: Batch, progress: Progress) -> None:
    """Do one step, count it, and report from time to time."""
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
