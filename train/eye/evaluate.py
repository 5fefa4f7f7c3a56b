"""Evaluate the eye as it will be used: its files in llama.cpp, on pictures that were not in training.

``python -m train.eye.evaluate [FOLDER]`` reports the share of right answers for each kind of question about held-out
pictures, and for the pictures in tests/ that another program drew.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from train.corpus.base import Check, mentions
from train.evaluate import DEFAULT_FILE
from train.eye.drawing import draw
from train.eye.questions import ask_about, is_near, is_place, says
from train.eye.scenes import draw_scene
from train.eye.watcher import ADAPTER_FILE, EYE_FILE, Watcher

FOLDER = Path("units/models/unitd-chat")
FOREIGN = Path("tests/train/eye_pictures")
PROBES = 100
PROBE_SEED = 40_000
KINDS = (
    "colour", "shape", "count", "place", "yes or no", "text", "display", "gauge", "lamp", "caption", "absent",
    "unknown",
)  # fmt: skip
SCENES_OF = {"text": "text", "display": "display", "gauge": "gauge", "lamp": "lamp", "unknown": "unknown"}
FROM_ANY = ("caption", "absent")


@dataclass(frozen=True)
class Probe:
    """A picture, a question about it and the rule for a right answer."""

    kind: str
    image: Image.Image
    asked: str
    expected: str
    check: Check


def held_out(per_kind: int, seed: int = PROBE_SEED) -> Iterator[Probe]:
    """Yield questions about pictures whose combination of contents and style was never trained."""
    for kind in KINDS:
        rng = random.Random(f"{seed} {kind}")
        for _ in range(per_kind):
            yield _draw_probe(rng, kind)


def _draw_probe(rng: random.Random, kind: str) -> Probe:
    while True:
        scene, style = draw_scene(rng, held=True, kind=SCENES_OF.get(kind, None if kind in FROM_ANY else "shapes"))
        canvas = draw(rng, scene, style)
        for question in ask_about(rng, scene, tuple(canvas.marks), 4):
            if question.kind == kind:
                return Probe(kind, canvas.image, question.asked, question.answer, question.check)


def foreign(folder: Path = FOREIGN) -> Iterator[Probe]:
    """Yield questions about the pictures that another program drew."""
    for row in json.loads((folder / "questions.json").read_text()):
        with Image.open(folder / row["file"]) as image:
            yield Probe(row["kind"], image.convert("RGB"), row["asked"], row["right"], _rule(row["kind"], row["right"]))


def _rule(kind: str, right: str) -> Check:
    if kind == "gauge":
        return is_near(int(right))
    if kind in ("text", "display"):
        return says(right)
    if kind == "place":
        return is_place(right)
    return lambda reply: any(mentions(reply, *each.split("+")) for each in right.split("|"))


def ask(watcher: Watcher, probes: Iterable[Probe]) -> tuple[dict[str, list[bool]], list[str]]:
    """Return for each kind which answers were right, and a description of each wrong one."""
    right: dict[str, list[bool]] = defaultdict(list)
    wrong: list[str] = []
    for probe in probes:
        answer = watcher.answer(watcher.embeddings(probe.image), probe.asked)
        right[probe.kind].append(probe.check(answer))
        if not right[probe.kind][-1]:
            wrong.append(f"{probe.kind}: {probe.asked!r}: {answer!r} not {probe.expected!r}")
    return right, wrong


def report(title: str, right: dict[str, list[bool]], wrong: list[str]) -> float:
    """Print a table; return the share of right answers over all kinds."""
    lines = [title, *wrong]
    lines += [f"{kind:10} {sum(results) / len(results):6.1%} of {len(results)}" for kind, results in right.items()]
    everything = [result for results in right.values() for result in results]
    share = sum(everything) / len(everything)
    sys.stdout.write("\n".join([*lines, f"{'all':10} {share:6.1%} of {len(everything)}", ""]) + "\n")
    sys.stdout.flush()
    return share


def evaluate_folder(
    folder: Path, text_model: Path = DEFAULT_FILE, per_kind: int = PROBES, show_wrong: bool = False
) -> float:
    """Print both tables; return the share of right answers about held-out pictures."""
    adapter = folder / ADAPTER_FILE
    watcher = Watcher(text_model, folder / EYE_FILE, adapter if adapter.exists() else None)
    right, wrong = ask(watcher, held_out(per_kind))
    share = report("held-out pictures", right, wrong if show_wrong else [])
    if FOREIGN.is_dir():
        right, wrong = ask(watcher, foreign())
        report("pictures drawn by another program", right, wrong if show_wrong else [])
    watcher.close()
    return share


def main() -> int:
    """Read the command line, and evaluate; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m train.eye.evaluate", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--text-model", type=Path, default=DEFAULT_FILE)
    parser.add_argument("--per-kind", type=int, default=PROBES)
    parser.add_argument("--show-wrong", action="store_true")
    arguments = parser.parse_args()
    evaluate_folder(arguments.folder, arguments.text_model, arguments.per_kind, arguments.show_wrong)
    return 0


if __name__ == "__main__":
    sys.exit(main())
