"""Judge a model file by questions that were written or chosen apart from the corpus.

``python -m train.judge [FILE]`` prints one table with 95 % intervals; tests/train/judge/README.md describes its lines.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from train.evaluate import DEFAULT_FILE
from train.judge.conversations import judge_conversation
from train.judge.files import FOLDER, PUBLISHED, read_rows
from train.judge.homes import judge_homes
from train.judge.model import Model
from train.judge.talk import Judged, judge_copies, judge_demo, judge_talk
from train.judge.turn_ends import judge_ends


def _talk(model: Model) -> Judged:
    figures, wrong = judge_talk(model, read_rows(FOLDER / "talk.jsonl"), "talk")
    if PUBLISHED.is_file():
        more, also_wrong = judge_talk(model, read_rows(PUBLISHED), "talk of others")
        figures, wrong = [*figures, *more], [*wrong, *also_wrong]
    return figures, wrong


def _long(model: Model) -> Judged:
    talks = [judge_conversation(model, row) for row in read_rows(FOLDER / "long.jsonl")]
    return [each for figures, _ in talks for each in figures], [each for _, wrong in talks for each in wrong]


PARTS: dict[str, Callable[[Model], Judged]] = {
    "talk": _talk,
    "ends": lambda model: (judge_ends(model.end_probability, read_rows(FOLDER / "turn_ends.jsonl")), []),
    "demo": lambda model: judge_demo(model, read_rows(FOLDER / "demo.jsonl")),
    "long": _long,
    "copies": lambda model: judge_copies(model, read_rows(FOLDER / "copies.jsonl")),
    "home": judge_homes,
}


def main() -> int:
    """Read the command line, and judge."""
    parser = argparse.ArgumentParser(prog="python -m train.judge", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=DEFAULT_FILE)
    parser.add_argument("--only", default=",".join(PARTS), help=f"some of {', '.join(PARTS)}, with commas between")
    parser.add_argument("--show-wrong", action="store_true", help="show each wrong answer")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",")
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"no part of the judge: {', '.join(sorted(unknown))}")
    model = Model(arguments.file)
    for name in chosen:
        figures, wrong = PARTS[name](model)
        lines = [*(wrong if arguments.show_wrong else []), *(figure.line for figure in figures)]
        sys.stdout.write("\n".join(lines) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
