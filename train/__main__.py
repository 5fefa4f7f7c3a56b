"""``python -m train`` makes the model file: corpus, tokenizer, training, export and evaluation.

``python -m train eye`` makes the eye of a finished model file.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

from train.batches import stream_batches
from train.config import ModelShape, Recipe
from train.corpus.dialogue import stream
from train.corpus.tool_samples import tool_samples
from train.corpus.tools.talk import mixed_stream
from train.evaluate import evaluate_file
from train.export import export_model
from train.eye.command import make_eye
from train.fit import train_model
from train.tokenizer import ChatEncoder, load_tokenizer, save_tokenizer, train_tokenizer

LOG = logging.getLogger("train")
TOKENIZER_CONVERSATIONS = 20_000


def parse_arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    recipe = Recipe()
    parser = argparse.ArgumentParser(prog="python -m train", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("units/models/unitd-chat/unitd-chat.gguf"))
    parser.add_argument("--work", type=Path, default=Path("build/train"), help="tokenizer and checkpoints")
    parser.add_argument("--steps", type=int, default=recipe.steps)
    parser.add_argument("--seed", type=int, default=recipe.seed)
    parser.add_argument("--threads", type=int, default=recipe.threads)
    parser.add_argument("--quantization", choices=("q8_0", "q4_0"), default="q8_0")
    return parser.parse_args()


def run(arguments: argparse.Namespace) -> bool:
    """Make the model; return whether it is good enough."""
    recipe = replace(Recipe(), steps=arguments.steps, seed=arguments.seed, threads=arguments.threads)
    arguments.work.mkdir(parents=True, exist_ok=True)
    tokenizer_file = arguments.work / "tokenizer.json"
    if not tokenizer_file.exists():
        LOG.info("training the tokenizer")
        talks = islice(stream(recipe.seed), TOKENIZER_CONVERSATIONS)
        texts = [message.content for talk in talks for message in talk]
        save_tokenizer(train_tokenizer([*texts, *tool_samples(recipe.seed)]), tokenizer_file)
    tokenizer = load_tokenizer(tokenizer_file)
    started = time.monotonic()
    batches = stream_batches(mixed_stream(recipe.seed), ChatEncoder(tokenizer), recipe)
    model, progress = train_model(ModelShape(), recipe, batches, arguments.work / "checkpoint.pt")
    minutes = (time.monotonic() - started) / 60
    LOG.info("%d parameters, %d tokens, %.0f minutes", model.parameter_count(), progress.tokens, minutes)
    export_model(model, tokenizer, arguments.out, arguments.quantization)
    return evaluate_file(arguments.out)


def main() -> int:
    """Make the model, or with `eye` as the first word its eye; return the exit code."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    if sys.argv[1:2] == ["eye"]:
        return 0 if make_eye(sys.argv[2:]) else 1
    return 0 if run(parse_arguments()) else 1


if __name__ == "__main__":
    sys.exit(main())
