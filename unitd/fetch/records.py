"""`installed.json`: the files of a model's folder, and their origin."""

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
    """Its path in the model's folder."""

    size: int
    sha256: str
    etag: str = ""


@dataclass(frozen=True)
class Record:
    """All files of a model, and their origin."""

    files: Sequence[Installed]
    origin: Sequence[dict[str, Any]]
    """The card's parts at the time of the pull; empty for an imported model."""


def write_record(folder: Path, record: Record) -> None:
    """Write a record into a model's folder."""
    (folder / RECORD).write_text(json.dumps(asdict(record), indent=2, ensure_ascii=False) + "\n")


def read_record(folder: Path) -> Record | None:
    """Return the record of a model's folder; None if there is none, or it cannot be read."""
    try:
        document = json.loads((folder / RECORD).read_bytes())
        return Record([Installed(**each) for each in document["files"]], [dict(each) for each in document["origin"]])
    except (OSError, ValueError, TypeError, KeyError):
        return None


def sha256_of(path: Path) -> str:
    """Return a file's SHA-256 in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def git_hash_of(path: Path) -> str:
    """Return the hash of a file as git, and the hub for small files, computes it."""
    digest = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: digest).hexdigest()
