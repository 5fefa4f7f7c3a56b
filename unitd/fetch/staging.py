"""A model's folder, made aside and put into its place in one step.

    <models folder>/.incoming/<name>.lock     held while the model is pulled or imported
    <models folder>/.incoming/<name>/partial  what has come so far; outlives a cut
    <models folder>/.incoming/<name>/model    becomes <models folder>/<name>

The folder is made with care for power cuts: its files reach the disk before its name does.
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
    """One model in the making; only one process has it at a time."""

    def __init__(self, models: Path, name: str) -> None:
        self._folder = models / INCOMING / name
        self.target = models / name
        self.model = self._folder / "model"
        self.partial = self._folder / "partial"

    def begin(self) -> None:
        """An empty model folder, whatever a killed pull has left in it; what it has fetched stays."""
        shutil.rmtree(self.model, ignore_errors=True)
        self.model.mkdir(parents=True)
        self.partial.mkdir(exist_ok=True)

    def finish(self) -> Path:
        """Puts the model into its place, an older one of its name out of it, and clears up."""
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
    """Waits until no other process makes this model.

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
            # What is in its place by now is no longer here.
            shutil.rmtree(stage.model, ignore_errors=True)


def describe(model: Path, card: Card, origin: Sequence[dict[str, Any]], known: Mapping[str, Installed]) -> None:
    """Writes `card.toml`, if there is none, and `installed.json`; `known`: files whose hashes are known, by path."""
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
    """Everything in it reaches the disk."""
    for path in folder.rglob("*"):
        _sync_folder(path)
    _sync_folder(folder)


def _sync_folder(path: Path) -> None:
    """A file is synced the same way."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
