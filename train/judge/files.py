"""The files of sentences, with their checksums: a judge that changes with the model is none."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

Row = dict[str, Any]

FOLDER = Path(__file__).parents[2] / "tests" / "train" / "judge"
PUBLISHED = Path(__file__).parents[2] / "train" / "out" / "judge" / "talk.jsonl"
"""Turns of others, which `train.judge.published` chooses."""

README = FOLDER / "README.md"
_SUM = re.compile(r"^ {4}([0-9a-f]{64})  (\S+)$", re.MULTILINE)


def read_rows(path: Path) -> list[Row]:
    """Return the lines of a file.

    Raises:
        ValueError: its checksum is another than README.md says.
    """
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() not in checksums().values():
        raise ValueError(f"{path} is not the file whose checksum stands in {README}")
    return [json.loads(line) for line in data.decode().splitlines()]


def checksums() -> dict[str, str]:
    """Return the checksums of README.md by the name of the file."""
    return {name: digest for digest, name in _SUM.findall(README.read_text(encoding="utf-8"))}
