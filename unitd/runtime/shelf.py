"""The shelf: which model files lie on this machine. Looked through anew for each setup, in a thread.

A model is a folder with a `card.toml` or a GGUF file in it, or a GGUF file by itself; its name is the card's, the
folder's, the file's. Known cards (configs/models) lend their names and defaults to a file of their name.
"""

import asyncio
import logging
import os
import shutil
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from unitd.core.catalog import Card, Catalog, read_card, remote_card
from unitd.wire.errors import BadFile, ConfigError, Unavailable

log = logging.getLogger("unitd.shelf")

Stamp = tuple[int, int, int]
"""Inode, size and time of change: another stamp, another file."""


class Shelf:
    """Finds, lists and removes models."""

    def __init__(
        self,
        *,
        folders: Sequence[Path],
        bundled_folder: Path,
        cards_folder: Path,
        default_llm: str,
        llm_url: str = "",
    ) -> None:
        """`llm_url`: a server that is the default llm; `default_llm` is then what it is asked for."""
        self.folders = folders
        self._bundled_folder = bundled_folder
        self._cards_folder = cards_folder
        self._served = [remote_card(llm_url, default_llm)] if llm_url else []
        self._default_llm = self._served[0].name if self._served else default_llm
        self._complained_about: set[Path] = set()
        self._cards_read: dict[Path, tuple[Stamp, Card]] = {}
        """By file, with what the file was when it was read: parsing them all takes longer than setting a task up."""

    async def resolve(self, unit: str, name: str) -> Card:
        """The card that serves a name; LoadFailed if none does."""
        return (await self._catalog()).resolve(unit, name)

    async def listing(self) -> list[dict[str, Any]]:
        """The body of sys.lsmode."""
        return (await self._catalog()).listing()

    async def remove(self, name: str) -> None:
        """Deletes an installed model.

        Raises:
            Unavailable: it came with unitd.
            BadFile: nothing of this name is installed, or it cannot be deleted.
        """
        card = (await self._catalog()).find_installed(name)
        if card is None or card.place is None:
            raise BadFile(f"no model {name} is installed")
        if card.is_bundled:
            raise Unavailable(f"{name} came with unitd")
        try:
            await asyncio.to_thread(_delete, card.place)
        except OSError as error:
            raise BadFile(f"{name} cannot be removed: {error.strerror}") from error
        log.info("the model %s is removed", name)

    async def _catalog(self) -> Catalog:
        return await asyncio.to_thread(self._look)

    def _look(self) -> Catalog:
        damaged: list[str] = []
        known = [card for path in self._files(self._cards_folder, ".toml") if (card := self._read(path, damaged))]
        by_name = {card.name: card for card in known}
        found = [card for folder in self.folders for card in self._cards_in(folder, damaged)]
        installed = [_completed(card, by_name.get(card.name)) for card in found]
        bundled = [replace(card, is_bundled=True) for card in self._cards_in(self._bundled_folder, damaged)]
        return Catalog(known, [*self._served, *installed, *bundled], self._default_llm, damaged)

    def _cards_in(self, folder: Path, damaged: list[str]) -> Iterator[Card]:
        """Every model of one folder; a folder that is not there holds none. Says which cards are `damaged`."""
        for entry in self._entries(folder):
            if entry.suffix == ".gguf":
                yield Card(entry.stem, "llm", "llama", path=entry, place=entry)
            elif (entry / "card.toml").exists():
                if card := self._read(entry / "card.toml", damaged):
                    yield replace(card, place=entry)
            elif files := self._files(entry, ".gguf"):
                yield Card(entry.name, "llm", "llama", path=files[0], place=entry)

    def _files(self, folder: Path, suffix: str) -> list[Path]:
        return [each for each in self._entries(folder) if each.suffix == suffix]

    def _entries(self, folder: Path) -> list[Path]:
        try:
            return sorted(folder.iterdir()) if folder.is_dir() else []
        except OSError as error:
            self._complain(folder, f"cannot be read: {error.strerror}")
            return []

    def _complain(self, path: Path, words: str) -> None:
        """Once for each path: the folders are looked through at every setup."""
        if path not in self._complained_about:
            self._complained_about.add(path)
            log.warning("%s %s", path, words)

    def _read(self, path: Path, damaged: list[str]) -> Card | None:
        """A card; one that cannot be read is logged once and left out."""
        try:
            return self._read_if_new(path)
        except (OSError, ValueError, ConfigError) as error:
            self._complain(path, f"is no model card, it is left out: {error}")
            damaged.append(f"{path} is no model card: {error}")
            return None

    def _read_if_new(self, path: Path) -> Card:
        status = path.stat()
        stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
        if (known := self._cards_read.get(path)) is None or known[0] != stamp:
            known = self._cards_read[path] = (stamp, _read_card_file(path))
        return known[1]


def _completed(card: Card, known: Card | None) -> Card:
    """What is known of a model of this name, where the card of the installed one does not say otherwise."""
    if known is None:
        return card
    said = {each.name: value for each in fields(card) if (value := getattr(card, each.name))}
    return replace(known, **(said | {"defaults": known.defaults | card.defaults}))


def _read_card_file(path: Path) -> Card:
    document = tomllib.loads(path.read_text())
    card = read_card(document, str(path))
    if "file" not in document:
        return card
    file = Path(os.path.normpath(path.parent / document["file"]))
    # By its name: what a link in the folder points to is the administrator's choice.
    if not file.is_relative_to(os.path.normpath(path.parent)):
        raise ConfigError(f"{path}: file lies outside the model's folder")
    return replace(card, path=file)


def _delete(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink()
