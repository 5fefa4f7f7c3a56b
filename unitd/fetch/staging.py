"""Installation of a model's folder in one step.

    <models folder>/.incoming/<name>.lock     locked while the model is pulled or imported
    <models folder>/.incoming/<name>/partial  partial files, kept after a failure
    <models folder>/.incoming/<name>/model    becomes <models folder>/<name>

The files are synced to disk before the folder is renamed, so a power cut leaves no damaged model.
"""

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unitd.core.models.catalog import Card
from unitd.core.models.progress import INCOMING, Progress
from unitd.fetch.failures import PullFailed
from unitd.fetch.records import RECORD, Installed, Record, sha256_of, write_record
from unitd.fetch.reporter import Report

CARD = "card.toml"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]*")


class Staging:
    """A model that is being made; only one process makes it at a time."""

    def __init__(self, models: Path, name: str) -> None:
        self._folder = models / INCOMING / name
        self.target = models / name
        self.model = self._folder / "model"
        self.partial = self._folder / "partial"

    def begin(self) -> None:
        """Make an empty model folder, without the rest of an earlier pull; its partial files stay."""
        shutil.rmtree(self.model, ignore_errors=True)
        self.model.mkdir(parents=True)
        self.partial.mkdir(exist_ok=True)

    def finish(self) -> Path:
        """Move the model to its target, replace an older one there, and return the target."""
        _sync(self.model)
        older = self._folder / "older"
        shutil.rmtree(older, ignore_errors=True)
        if self.target.exists():
            self.target.rename(older)
        self.model.rename(self.target)
        _sync_folder(self.target.parent)
        shutil.rmtree(self._folder)
        return self.target


@contextmanager
def staging(models: Path, name: str, report: Report) -> Iterator[Staging]:
    """Wait until no other process makes this model, and yield its staging folder.

    Raises:
        PullFailed: the name cannot be one of a folder.
        OSError: the models folder cannot be written to.
    """
    if not _NAME.fullmatch(name):
        raise PullFailed(f"{name!r} cannot be a model's name: letters, digits, dots, dashes and spaces can")
    (models / INCOMING).mkdir(parents=True, exist_ok=True)
    with (models / INCOMING / f"{name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            report(Progress("waiting"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        stage = Staging(models, name)
        try:
            yield stage
        finally:
            shutil.rmtree(stage.model, ignore_errors=True)  # what `finish` did not move


def describe(model: Path, card: Card, origin: Sequence[dict[str, Any]], known: Mapping[str, Installed]) -> None:
    """Write `card.toml`, if there is none, and `installed.json`; `known` has files with known hashes, by path."""
    if not (model / CARD).exists():
        values = {"name": card.name, "unit": card.unit, "engine": card.engine, "file": card.file}
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items() if value]
        (model / CARD).write_text("".join(lines))
    files = [path for path in sorted(model.rglob("*")) if path.is_file() and path != model / RECORD]
    installed = [_installed(path, path.relative_to(model).as_posix(), known) for path in files]
    write_record(model, Record(installed, origin))


def _installed(path: Path, name: str, known: Mapping[str, Installed]) -> Installed:
    return known.get(name) or Installed(name, path.stat().st_size, sha256_of(path))


def _sync(folder: Path) -> None:
    """Sync a folder and everything in it to disk."""
    for path in folder.rglob("*"):
        _sync_folder(path)
    _sync_folder(folder)


def _sync_folder(path: Path) -> None:
    """Sync a folder, or a file, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
