"""`installed.json`: what a model's folder should hold, and where it came from."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

RECORD = "installed.json"


@dataclass(frozen=True)
class Installed:
    """One file."""

    path: str
    """Inside the model's folder."""

    size: int
    sha256: str
    etag: str = ""


@dataclass(frozen=True)
class Record:
    """All of them, and where they came from."""

    files: Sequence[Installed]
    origin: Sequence[dict[str, Any]]
    """The parts that were fetched, as they were then; empty for what was imported."""


def write_record(folder: Path, record: Record) -> None:
    """Into the model's folder."""
    (folder / RECORD).write_text(json.dumps(asdict(record), indent=2, ensure_ascii=False) + "\n")


def read_record(folder: Path) -> Record | None:
    """None where there is none, or none that can be read."""
    try:
        document = json.loads((folder / RECORD).read_bytes())
        return Record([Installed(**each) for each in document["files"]], [dict(each) for each in document["origin"]])
    except (OSError, ValueError, TypeError, KeyError):
        return None


def sha256_of(path: Path) -> str:
    """In hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def git_hash_of(path: Path) -> str:
    """What git, and so the hub, calls a small file."""
    digest = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: digest).hexdigest()
