"""``python -m train eye`` makes the bundled eye for a text model: training, export and evaluation."""

from __future__ import annotations

import argparse
import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from train.evaluate import DEFAULT_FILE
from train.eye.evaluate import FOLDER, evaluate_folder
from train.eye.export import export_eye
from train.eye.fit import EyeRecipe, train_eye
from train.eye.vision import EyeShape

LOG = logging.getLogger("train.eye")
NEEDED_SHARE = 0.9


def parse_arguments(words: Sequence[str]) -> argparse.Namespace:
    """Return the arguments after ``eye``."""
    recipe = EyeRecipe()
    parser = argparse.ArgumentParser(prog="python -m train eye", description=__doc__)
    parser.add_argument("--text-model", type=Path, default=DEFAULT_FILE, help="the model that the eye is for")
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder for the eye's files")
    parser.add_argument("--eye", type=Path, help="an eye for another text model; only the answers are learned anew")
    parser.add_argument("--work", type=Path, default=Path("build/train-eye"), help="checkpoints")
    parser.add_argument("--seed", type=int, default=recipe.seed)
    parser.add_argument("--threads", type=int, default=recipe.threads)
    return parser.parse_args(words)


def make_eye(words: Sequence[str]) -> bool:
    """Make the eye; return whether it is good enough."""
    arguments = parse_arguments(words)
    arguments.work.mkdir(parents=True, exist_ok=True)
    recipe = replace(EyeRecipe(), seed=arguments.seed, threads=arguments.threads)
    started = time.monotonic()
    talker = train_eye(arguments.text_model, EyeShape(), recipe, arguments.work, arguments.eye)
    eye = talker.sighted.eye
    LOG.info("%d parameters, %.0f minutes", eye.parameter_count(), (time.monotonic() - started) / 60)
    export_eye(eye, talker.text, arguments.out)
    return evaluate_folder(arguments.out, arguments.text_model) >= NEEDED_SHARE
