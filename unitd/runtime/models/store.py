"""Which model files lie on this machine. The folders are looked through anew for each setup, in a thread.

A model is a folder with a `card.toml` or with files that a unit knows, or a GGUF file by itself; its name is the
card's, the folder's, the file's. What its card leaves open is said by the original's mode file of its name, by the
known card (configs/models) of its name, and by its GGUF's header, in this order.
"""

import asyncio
import fcntl
import logging
import shutil
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path

import orjson

from unitd.core.models.card_text import MAX_CARD_BYTES, read_document
from unitd.core.models.catalog import VISION, Card, Catalog, read_card, remote_card
from unitd.core.models.detect import described_card, family_of, read_mode
from unitd.core.models.gguf import Description, read_description
from unitd.core.models.original_names import nameless_cards, read_original_names, with_original_names
from unitd.core.models.progress import INCOMING
from unitd.runtime.models.adapters import ADAPTERS
from unitd.wire.errors import BadFile, ConfigError, Unavailable, reason_of

log = logging.getLogger("unitd.shelf")

Stamp = tuple[int, int, int]
"""Inode, size and time of change: another stamp, another file."""


class ModelStore:
    """Finds, lists and removes models."""

    def __init__(
        self,
        *,
        folders: Sequence[Path],
        bundled_folder: Path,
        cards_folder: Path,
        default_llm: str,
        llm_url: str = "",
        original_models: Path | None = None,
    ) -> None:
        """`llm_url` is a server that is the default llm; `default_llm` is then the model that it is asked for.

        `original_models` is the table of the names that the original's clients use (core.models.original_names).
        """
        self.folders = folders
        self._bundled_folder = bundled_folder
        self._cards_folder = cards_folder
        text = original_models.read_text() if original_models else ""
        self._original_names = read_original_names(tomllib.loads(text), str(original_models)) if text else ()
        self._served = [remote_card(llm_url, default_llm)] if llm_url else []
        self._default_llm = self._served[0].name if self._served else default_llm
        self._complained_about: set[Path] = set()
        self._files_read: dict[Path, tuple[Stamp, Card | Description | None]] = {}
        """By file, with what the file was when it was read: parsing them all takes longer than setting a task up."""

    def change_folders(self, folders: Sequence[Path]) -> None:
        """Look for models in these folders from now on."""
        self.folders = folders

    async def resolve(self, unit: str, name: str) -> Card:
        """Return the card that serves a name; raise LoadFailed if none does."""
        return (await self.catalog()).resolve(unit, name)

    async def remove(self, name: str) -> None:
        """Delete an installed model, or what has come of one whose download was cut.

        Raises:
            Unavailable: the model came with unitd, or is being fetched.
            BadFile: nothing of this name is here, or it cannot be deleted.
        """
        card = (await self.catalog()).find_installed(name)
        if card is None or card.place is None:
            if not await self.remove_incoming(name):
                raise BadFile(f"no model {name} is installed")
            return
        if card.is_bundled:
            raise Unavailable(f"{name} came with unitd")
        try:
            await asyncio.to_thread(_delete, card.place)
        except OSError as error:
            raise BadFile(f"{name} cannot be removed: {error.strerror}") from error
        log.info("the model %s is removed", name)

    async def remove_incoming(self, name: str) -> bool:
        """Delete what has come of a model. Return False when there is nothing.

        Raises:
            Unavailable: another program is fetching the model.
            BadFile: it cannot be deleted.
        """
        try:
            return any([await asyncio.to_thread(_delete_incoming, folder, name) for folder in self.folders])
        except BlockingIOError as error:
            raise Unavailable(f"{name} is being fetched by another program") from error
        except OSError as error:
            raise BadFile(f"what has come of {name} cannot be removed: {error.strerror}") from error

    async def catalog(self) -> Catalog:
        """Return all cards, as the folders are now."""
        return await asyncio.to_thread(self._look)

    def _look(self) -> Catalog:
        damaged: list[str] = []
        cards = [self._card_in(path, damaged) for path in self._files(self._cards_folder, ".toml")]
        known = {card.name: with_original_names(card, self._original_names) for card in cards if card}
        for name, mode in self._modes(damaged).items():
            known[name] = _completed(mode, known.get(name))
        found = [card for folder in self.folders for card in self._cards_of(folder, damaged)]
        bundled = [
            replace(with_original_names(card, self._original_names), is_bundled=True)
            for card in self._cards_of(self._bundled_folder, damaged)
        ]
        for card in nameless_cards(self._original_names, (*known.values(), *bundled)):
            known.setdefault(card.name, card)
        installed = [self._described(_completed(card, known.get(card.name))) for card in (*found, *bundled)]
        return Catalog(known.values(), [*self._served, *installed], self._default_llm, damaged)

    def _cards_of(self, folder: Path, damaged: list[str]) -> Iterator[Card]:
        """Yield every model of one folder; note which cards are `damaged`."""
        for entry in self._entries(folder):
            if entry.name == ADAPTERS:
                continue
            if _is_file(entry / "card.toml"):
                if card := self._card_in(entry / "card.toml", damaged):
                    yield replace(card, place=entry, path=entry / card.file if card.file else None)
            elif card := self._cardless(entry):
                yield card

    def _cardless(self, entry: Path) -> Card | None:
        """Return the card of a model that came without one; None for what is no model."""
        if entry.suffix == ".gguf":
            return Card(entry.stem, "llm", "llama", path=entry, place=entry) if self._is_model(entry) else None
        family = family_of(entry.name, [each.name for each in self._entries(entry)])
        if family is None:
            return None
        unit, engine = family
        ggufs = [each for each in self._files(entry, ".gguf") if self._is_model(each)]
        if unit == "llm" and not ggufs:
            return None
        return Card(entry.name, unit, engine, path=ggufs[0] if ggufs else None, place=entry)

    def _is_model(self, path: Path) -> bool:
        """Return False for a GGUF that only adds to another model."""
        description = self._description_in(path)
        return description is None or description.is_model

    def _described(self, card: Card) -> Card:
        """Return a card with what its files say."""
        description = self._description_in(card.path) if card.path and card.path.suffix == ".gguf" else None
        card = _completed(card, described_card(card.name, description)) if description else card
        return self._with_projector(card) if card.unit == "llm" and card.engine == "llama" else card

    def _with_projector(self, card: Card) -> Card:
        """Return a card with the files for vision that its folder has; without them the model has no vision."""
        folder = card.path.parent if card.path and card.path != card.place else None
        path = folder / card.projector if folder and card.projector else None
        adapter = folder / card.vision_lora if folder and card.vision_lora else None
        if folder and path is None:
            path = next((each for each in self._files(folder, ".gguf") if self._is_projector(each)), None)
        others = tuple(each for each in card.capabilities if each != VISION)
        if path is None or not all(_is_file(each) for each in (path, adapter) if each):
            return replace(card, capabilities=others)
        return replace(card, projector_path=path, vision_lora_path=adapter, capabilities=(*others, VISION))

    def _is_projector(self, path: Path) -> bool:
        description = self._description_in(path)
        return description is not None and description.is_projector

    def _description_in(self, path: Path) -> Description | None:
        try:
            found = self._read(path, _read_header)
        except OSError:
            return None
        return found if isinstance(found, Description) else None

    def _modes(self, damaged: list[str]) -> dict[str, Card]:
        """Return the cards that the original's mode files make, by name; of several for one name the first counts."""
        modes: dict[str, Card] = {}
        for folder in self.folders:
            for name, path in self._mode_files(folder):
                if name not in modes and (mode := self._card_in(path, damaged)):
                    modes[name] = replace(mode, name=name, sent_names=(name,))
        return modes

    def _mode_files(self, folder: Path) -> Iterator[tuple[str, Path]]:
        """Yield the places where the original looks for a model's file: the folder of its name, then beside it."""
        for entry in self._entries(folder):
            within = (entry / f"{entry.name}.json", entry / f"{_MODE_PREFIX}{entry.name}.json")
            yield from ((entry.name, path) for path in within if _is_file(path))
        beside = [path for path in self._files(folder, ".json") if _is_file(path)]
        for path in sorted(beside, key=lambda path: path.name.startswith(_MODE_PREFIX)):
            yield path.stem.removeprefix(_MODE_PREFIX), path

    def _files(self, folder: Path, suffix: str) -> list[Path]:
        return [each for each in self._entries(folder) if each.suffix == suffix]

    def _entries(self, folder: Path) -> list[Path]:
        """Return what is not hidden, as a download is, and has a name that JSON and a terminal can take."""
        try:
            entries = sorted(folder.iterdir()) if folder.is_dir() else []
        except OSError as error:
            self._complain(folder, f"cannot be read: {error.strerror}")
            return []
        for each in entries:
            if not each.name.isprintable():
                self._complain(folder / ascii(each.name), "is left out: its name cannot be shown")
        return [each for each in entries if each.name.isprintable() and not each.name.startswith(".")]

    def _complain(self, path: Path, words: str) -> None:
        """Warn once for each path: the folders are looked through at every setup."""
        if path not in self._complained_about:
            self._complained_about.add(path)
            log.warning("%s %s", path, words)

    def _card_in(self, path: Path, damaged: list[str]) -> Card | None:
        """Return a card; one that cannot be read is logged once and left out."""
        try:
            found = self._read(path, _READERS[path.suffix])
        except (OSError, ValueError, RecursionError, ConfigError) as error:
            self._complain(path, f"is no model card, it is left out: {reason_of(error)}")
            damaged.append(f"{path} is no model card: {reason_of(error)}")
            return None
        return found if isinstance(found, Card) else None

    def _read(self, path: Path, read: Callable[[Path], Card | Description | None]) -> Card | Description | None:
        """Return what a file says, read only once as long as it stays the same."""
        status = path.stat()
        stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
        if (known := self._files_read.get(path)) is None or known[0] != stamp:
            known = self._files_read[path] = (stamp, read(path))
        return known[1]


def _is_file(path: Path) -> bool:
    """Return False also for what may not be looked at, as in a disk's lost+found, and for a name that is too long."""
    try:
        return path.is_file()
    except OSError:
        return False


def _completed(card: Card, known: Card | None) -> Card:
    """Return a card with what is known of a model of this name, where the card itself does not say otherwise."""
    if known is None:
        return card
    said = {each.name: value for each in fields(card) if (value := getattr(card, each.name))}
    return replace(known, **(said | {"defaults": known.defaults | card.defaults}))


def _read_card_file(path: Path) -> Card:
    return read_card(read_document(_content_of(path)), str(path))


def _read_mode_file(path: Path) -> Card | None:
    """Return None also for what is too long for a mode file: it is other JSON."""
    content = _content_of(path)
    return None if len(content) > MAX_CARD_BYTES else read_mode(path.stem, orjson.loads(content), str(path))


def _content_of(path: Path) -> bytes:
    """Return the bytes of a file; of one that is too long for a card just enough to show that."""
    with path.open("rb") as file:
        return file.read(MAX_CARD_BYTES + 1)


def _read_header(path: Path) -> Description | None:
    """Return None for what is no regular file (a FIFO would never end) or makes no sense: setup says what is wrong."""
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            return read_description(file)
    except ValueError:
        return None


_READERS: dict[str, Callable[[Path], Card | None]] = {".toml": _read_card_file, ".json": _read_mode_file}
_MODE_PREFIX = "mode_"


def _delete_incoming(folder: Path, name: str) -> bool:
    """Raise BlockingIOError when a program that downloads holds the lock."""
    places = {place.name: place for place in (folder / INCOMING).glob("*/")}
    if name not in places:
        return False
    with (folder / INCOMING / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(places[name])
    return True


def _delete(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink()
