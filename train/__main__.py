"""``python -m train`` makes the model file: corpus, tokenizer, training, export and evaluation.

``python -m train eye`` makes the eye of a finished model file.
"""

from __future__ import annotations

import argparse
import logging
import math
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from train.config import ModelShape, Recipe
from train.corpus.mix import checksum, pool
from train.corpus.tool_samples import tool_samples
from train.evaluate import evaluate_file
from train.export import export_model
from train.eye.command import make_eye
from train.fit import Run, save_hand_over, tokenizer_handed_over, train_model
from train.model import Decoder
from train.pools import EncodedPools
from train.reading import begin_with, file_checksum
from train.tokenizer import load_tokenizer, save_tokenizer, train_tokenizer

LOG = logging.getLogger("train")
TOKENIZER_CONVERSATIONS = 20_000


def parse_arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    recipe = Recipe()
    parser = argparse.ArgumentParser(prog="python -m train", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("units/models/unitd-chat/unitd-chat.gguf"))
    parser.add_argument("--work", type=Path, default=Path("build/train"), help="tokenizer and checkpoints")
    parser.add_argument("--begin-with", type=Path, help="a model file whose weights to begin with")
    parser.add_argument("--hand-over", type=Path, default=Path("train/unfinished.pt"), help="for another machine")
    parser.add_argument("--rate", type=float, default=1.0, help="a share of the usual learning rates")
    parser.add_argument("--steps", type=int, default=recipe.steps)
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after so long; the next call goes on")
    parser.add_argument("--batch-tokens", type=int, default=recipe.batch_tokens, help="more suits an accelerator")
    parser.add_argument("--workers", type=int, default=1, help="processes that make the corpus meanwhile")
    parser.add_argument("--seed", type=int, default=recipe.seed)
    parser.add_argument("--threads", type=int, default=recipe.threads)
    parser.add_argument("--quantization", choices=("q8_0", "q4_0"), default="q8_0")
    return parser.parse_args()


def run(arguments: argparse.Namespace) -> bool:
    """Train, and make the model once training is complete; return whether it is good enough."""
    recipe = replace(
        Recipe(),
        steps=arguments.steps,
        seed=arguments.seed,
        threads=arguments.threads,
        batch_tokens=arguments.batch_tokens,
        begins_with=file_checksum(arguments.begin_with) if arguments.begin_with else "",
        matrix_rate=Recipe().matrix_rate * arguments.rate,
        other_rate=Recipe().other_rate * arguments.rate,
    )
    arguments.work.mkdir(parents=True, exist_ok=True)
    tokenizer_file = arguments.work / "tokenizer.json"
    checkpoint, hand_over = arguments.work / "checkpoint.pt", arguments.hand_over
    if hand_over.exists() and not checkpoint.exists():
        tokenizer_file.write_text(tokenizer_handed_over(hand_over))
    if not tokenizer_file.exists():
        LOG.info("training the tokenizer")
        texts = [message.content for talk in pool(recipe.seed, 0, TOKENIZER_CONVERSATIONS) for message in talk]
        save_tokenizer(train_tokenizer([*texts, *tool_samples(recipe.seed)]), tokenizer_file)
    run = Run(ModelShape(), recipe, checksum(recipe.seed))
    pools = EncodedPools(tokenizer_file, recipe.seed)
    end = time.monotonic() + 60 * arguments.minutes
    signals: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _: signals.append(received))
    model, progress = train_model(
        run,
        pools,
        checkpoint,
        begin=_beginning(arguments.begin_with, tokenizer_file),
        hand_over=hand_over,
        workers=arguments.workers,
        stops=lambda _: bool(signals) or time.monotonic() > end,
    )
    minutes = progress.seconds / 60
    LOG.info("%d parameters, %d tokens, %.0f minutes", model.parameter_count(), progress.tokens, minutes)
    if progress.step < recipe.steps:
        save_hand_over(hand_over, model, progress, run, tokenizer_file.read_text())
        LOG.info("%d of %d steps are done; the same command goes on", progress.step, recipe.steps)
        return True
    export_model(model, load_tokenizer(tokenizer_file), arguments.out, arguments.quantization)
    return evaluate_file(arguments.out)


def _beginning(file: Path | None, tokenizer_file: Path) -> Callable[[Decoder], None] | None:
    return (lambda model: begin_with(model, file, load_tokenizer(tokenizer_file))) if file else None


def main() -> int:
    """Make the model, or with `eye` as the first word its eye; return the exit code."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    if sys.argv[1:2] == ["eye"]:
        return 0 if make_eye(sys.argv[2:]) else 1
    return 0 if run(parse_arguments()) else 1


if __name__ == "__main__":
    sys.exit(main())
