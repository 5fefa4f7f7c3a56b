"""Training: one pass over an endless corpus, in bfloat16 arithmetic, in pieces that continue from a checkpoint."""

from __future__ import annotations

import ctypes
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from train.batches import NOT_LEARNED, Batch, PoolMaker, stream_batches
from train.config import ModelShape, Recipe
from train.model import Decoder
from train.optimizer import Optimizer

LOG = logging.getLogger(__name__)
LOG_EVERY = 20
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
"""Options of glibc's mallopt."""


class OtherRunError(RuntimeError):
    """The checkpoint belongs to another corpus, seed, shape or recipe."""


@dataclass
class Progress:
    """The progress of training, and the place in the corpus where it goes on."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    pool: int = 0
    done: int = 0
    """The batches of the pool that were learned."""


@dataclass(frozen=True)
class Run:
    """What a run is made of. Training continues from a checkpoint only if all of it is the same."""

    shape: ModelShape
    recipe: Recipe
    corpus: str
    """A checksum of everything that makes the corpus."""

    def identity(self) -> dict[str, object]:
        """Return what a checkpoint tells about the run. Threads and times do not change the weights."""
        recipe = {key: value for key, value in vars(self.recipe).items() if key not in ("threads", "checkpoint_every")}
        return {**vars(self.shape), **recipe, "corpus": self.corpus}


def usable_device() -> str:
    """Return "cuda" where there is an accelerator, else "cpu"."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def keep_memory() -> None:
    """Keep freed memory in the process, which saves a quarter of the time: glibc gives large blocks back at once."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(M_TRIM_THRESHOLD, 2**31 - 1)
        libc.mallopt(M_MMAP_MAX, 0)


def batch_loss(model: Decoder, batch: Batch) -> Tensor:
    """Return the mean loss over the positions that count; only those pass through the output layer."""
    with torch.autocast(batch.inputs.device.type, dtype=torch.bfloat16):
        states = model.hidden(batch.inputs).flatten(0, 1)[batch.places]
        logits = model.logits(states)
    return functional.cross_entropy(logits.float(), batch.targets, ignore_index=NOT_LEARNED)


def save_checkpoint(path: Path, model: Decoder, optimizer: Optimizer, progress: Progress, run: Run) -> None:
    """Write everything that training needs to continue; replace the old file only by a complete one."""
    content = {
        "model": model.state_dict(),
        "optimizer": optimizer.state(),
        "progress": vars(progress),
        "run": run.identity(),
    }
    temporary = path.with_suffix(".new")
    torch.save(content, temporary)
    temporary.replace(path)


def load_checkpoint(path: Path, model: Decoder, optimizer: Optimizer, run: Run) -> Progress:
    """Restore what :func:`save_checkpoint` wrote; return the progress.

    Raises:
        OtherRunError: The checkpoint belongs to another run.
    """
    content, progress = _load(path, model, run)
    optimizer.restore(content["optimizer"])
    return progress


def save_hand_over(path: Path, model: Decoder, progress: Progress, run: Run, tokenizer: str) -> None:
    """Write the weights in half precision, so that training can go on on another machine.

    It has a sixth of a checkpoint's size. The optimizers start anew there; they remember some 20 steps.
    """
    weights = {name: weight.half() for name, weight in model.state_dict().items()}
    torch.save({"model": weights, "progress": vars(progress), "run": run.identity(), "tokenizer": tokenizer}, path)


def tokenizer_handed_over(path: Path) -> str:
    """Return the tokenizer with which a run was handed over, as JSON text."""
    tokenizer = torch.load(path, weights_only=True)["tokenizer"]
    assert isinstance(tokenizer, str)
    return tokenizer


def load_hand_over(path: Path, model: Decoder, run: Run) -> Progress:
    """Restore what :func:`save_hand_over` wrote; return the progress.

    Raises:
        OtherRunError: The weights belong to another run.
    """
    return _load(path, model, run)[1]


def _load(path: Path, model: Decoder, run: Run) -> tuple[dict[str, Any], Progress]:
    """Restore the weights of a file; return its content and the progress."""
    content = torch.load(path, weights_only=True, map_location=usable_device())
    its, ours = content["run"], run.identity()
    if changed := sorted(key for key in its.keys() | ours.keys() if its.get(key) != ours.get(key)):
        raise OtherRunError(f"{path} is of another run ({', '.join(changed)}): delete it, or name another file")
    model.load_state_dict(content["model"])
    return content, Progress(**content["progress"])


def train_model(
    run: Run,
    make_pool: PoolMaker,
    checkpoint: Path,
    *,
    begin: Callable[[Decoder], None] | None = None,
    hand_over: Path | None = None,
    workers: int = 0,
    stops: Callable[[Progress], bool] = lambda _: False,
) -> tuple[Decoder, Progress]:
    """Train to the recipe's last step, or until `stops` is true after a step; return the network and the progress.

    Training continues from the checkpoint if there is one, with the same result as if it had never been interrupted;
    else from what another machine handed over. `begin` gives a new network its first weights.
    """
    recipe = run.recipe
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(recipe.threads)
    keep_memory()
    device = usable_device()
    model = Decoder(run.shape).to(device)
    optimizer = Optimizer(model, recipe)
    progress = Progress()
    if checkpoint.exists():
        progress = load_checkpoint(checkpoint, model, optimizer, run)
        LOG.info("going on from step %d", progress.step)
    elif hand_over and hand_over.exists():
        progress = load_hand_over(hand_over, model, run)
        LOG.info("going on from step %d of another machine", progress.step)
    elif begin:
        begin(model)
    batches = stream_batches(make_pool, recipe, pool=progress.pool, done=progress.done, workers=workers)
    while progress.step < recipe.steps:
        pool, at, batch = next(batches)
        _advance(model, optimizer, batch.to(device), progress)
        progress.pool, progress.done = pool, at + 1
        if stops(progress):
            break
        if progress.step % recipe.checkpoint_every == 0:
            save_checkpoint(checkpoint, model, optimizer, progress, run)
    batches.close()
    save_checkpoint(checkpoint, model, optimizer, progress, run)
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
