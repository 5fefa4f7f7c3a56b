"""The catalogue of model cards, and the rule that finds the card for a name that a client sends. Pure.

A card describes a model; its `parts` say where the files are fetched from, and `path` is set if the main file is on
this machine. If the model of a name is not installed, the bundled model of the same unit serves it, with a note in
lsmode and in the log. An unknown name is refused.
"""

import posixpath
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson

from unitd.core.models.gguf import Shape
from unitd.core.tasks.kinds import DEFAULT_NAME
from unitd.wire.errors import ConfigError, LoadFailed

VISION, SKILLS = "vision", "skills"
"""The capabilities of models that take pictures, and of those that have learned to call the board's skills."""


@dataclass(frozen=True)
class ModelFile:
    """One file to fetch: from a repository of the hub, or an archive from a URL."""

    path: str
    """The path in the repository, or the file name of an archive. It is relative and never leads outside."""

    repository: str = ""
    revision: str = "main"
    """A commit, if one is known."""

    url: str = ""
    """The address of an archive on a release page; "" if there is a repository."""

    size: int = 0
    """The size in bytes; 0 if it is not known."""

    sha256: str = ""
    """In lower case; "" if it is not known, and the hub's hash counts."""

    @property
    def label(self) -> str:
        """Its name for people."""
        return f"{self.path} of {self.repository}" if self.repository else self.url


@dataclass(frozen=True)
class Card:
    """One model: its names, the unit and engine that run it, its defaults for setup."""

    name: str
    unit: str
    engine: str = ""
    aliases: tuple[str, ...] = ()
    description: str = ""
    homepage: str = ""
    note: str = ""
    """What a user of this model should know; lsmode shows it, setup logs it."""

    exact: bool = False
    """Run in exact mode unless the configuration says otherwise (docs/design.md, "Exact mode")."""

    capabilities: tuple[str, ...] = ()
    input_type: tuple[str, ...] = ()
    output_type: tuple[str, ...] = ()
    defaults: dict[str, Any] = field(default_factory=dict)
    """Values for setup keys that a client leaves out; `mode_param` in lsmode."""

    engine_options: dict[str, str] = field(default_factory=dict)
    """Values that only the engine reads, such as the address of a remote model."""

    is_bundled: bool = False
    substitution: str = ""
    """A sentence if this card serves in place of a model that is not installed; else ""."""

    path: Path | None = None
    """The file that an engine loads; None if it is not on this machine."""

    place: Path | None = None
    """The folder or file of this model on disk, which rmmode deletes; None if it is not on this machine."""

    file: str = ""
    """The main file: one of the parts, a file of the archive, or a file beside an installed card."""

    parts: tuple[ModelFile, ...] = ()
    """The files to fetch."""

    projector: str = ""
    """The file (mmproj) with which a language model sees pictures: one of the parts, or a file beside the main one."""

    projector_path: Path | None = None
    """That file on this machine; None if there is none."""

    vision_lora: str = ""
    """The adapter (LoRA) that a model with vision needs for prompts with pictures, and for no others: a file as the
    projector is."""

    vision_lora_path: Path | None = None
    """That file on this machine; None if there is none."""

    licence: str = ""
    """An SPDX identifier if there is one, else the name that the owner of the model uses."""

    languages: tuple[str, ...] = ()
    """Tags such as en; empty if they are not known."""

    parameters: int = 0
    """The number of weights; 0 if it is not known."""

    good_for: str = ""
    """What it is good for, in a few words."""

    chat_template: str = ""
    """A chat template for a file that has none."""

    architecture: str = ""
    context_length: int = 0
    """The length of the context in tokens that it was trained with; 0 if it is not known."""

    shape: Shape | None = None
    """The size of a transformer, so that its memory is known before it is fetched."""

    sent_names: tuple[str, ...] = ()
    """The names that the original's clients send by themselves; they are listed before the model is installed."""

    stands_for: "Card | None" = None
    """The model that is not installed and that this one replaces; None if it replaces none."""

    @property
    def is_installed(self) -> bool:
        """True if the model is on this machine, or its card names a server."""
        return self.path is not None or self.place is not None or self.is_bundled or "base_url" in self.engine_options

    @property
    def has_vision(self) -> bool:
        """True if the installed model takes pictures, or its card says so of a server."""
        is_served = "base_url" in self.engine_options
        return self.projector_path is not None or (is_served and VISION in self.capabilities)

    @property
    def calls_skills(self) -> bool:
        """True if the model has learned to call the board's skills."""
        return SKILLS in self.capabilities

    @property
    def download_bytes(self) -> int:
        """The size of all parts in bytes; 0 if the size of any is not known."""
        sizes = [part.size for part in self.parts]
        return sum(sizes) if all(sizes) else 0

    @property
    def vision_bytes(self) -> int:
        """The size of the parts for vision alone in bytes; 0 if there are none, or their size is not known."""
        return sum(part.size for part in self.parts if part.path in (self.projector, self.vision_lora))

    @property
    def vision_files(self) -> dict[str, Path | None]:
        """The files for vision alone on this machine, as unit programs are told."""
        return {"projector": self.projector_path, "vision_lora": self.vision_lora_path}


_TEXTS = (
    "name", "unit", "engine", "description", "homepage", "note", "file", "base_url", "remote_model", "api_key_file",
    "licence", "good_for", "chat_template", "architecture", "projector", "vision_lora",
)  # fmt: skip
_LISTS = ("aliases", "capabilities", "input_type", "output_type", "languages")
_CARD_KEYS: dict[str, type] = {
    **dict.fromkeys(_TEXTS, str),
    **dict.fromkeys(_LISTS, list),
    **{"exact": bool, "defaults": dict, "shape": dict, "parameters": int, "context_length": int},
}
_ENGINE_KEYS = ("base_url", "remote_model", "api_key_file")
_TYPE_NAMES = {str: "a text", list: "a list of texts", bool: "true or false", dict: "a table", int: "a whole number"}
_PART_KEYS = {"path": str, "repository": str, "revision": str, "url": str, "size": int, "sha256": str}
_SHAPE_KEYS: dict[str, type] = {each.name: int for each in fields(Shape)}
_SHA256 = re.compile("[0-9a-f]{64}|")


def read_card(document: dict[str, Any], where: str) -> Card:
    """Return the card of a parsed TOML document; the caller sets its `path`.

    Raises:
        ConfigError: a key is unknown, missing or cannot be used; `where` names the card.
    """
    _check_json(document, where)
    tables = document.get("files", [])
    if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
        raise ConfigError(f"{where}: files must be a list of tables, it is {tables!r}")
    values = _values({key: value for key, value in document.items() if key != "files"}, _CARD_KEYS, where)
    _require(values, ("name", "unit"), where)
    if "shape" in values:
        values["shape"] = _read_shape(values["shape"], f"{where}: shape")
    engine_options = {key: values.pop(key) for key in _ENGINE_KEYS if key in values}
    parts = tuple(_read_part(each, f"{where}: files[{at}]") for at, each in enumerate(tables))
    card = Card(**values, parts=parts, engine_options=engine_options)
    for key in ("file", "projector", "vision_lora"):
        if path := getattr(card, key):
            _check_file(card, key, path, where)
    return card


def _check_json(document: dict[str, Any], where: str) -> None:
    """Check that a card can be encoded as JSON, which takes 64 bits and 254 levels: it is listed and sent to units."""
    try:
        orjson.dumps([[[[document]]]])
    except orjson.JSONEncodeError as error:
        raise ConfigError(f"{where}: it holds what JSON cannot: {error}") from error


def _read_part(table: dict[str, Any], where: str) -> ModelFile:
    values = _values(table, _PART_KEYS, where)
    _require(values, ("path",), where)
    part = ModelFile(**values)
    _check_path(part.path, f"{where}: path")
    if bool(part.repository) == bool(part.url):
        raise ConfigError(f"{where}: either repository or url must be there")
    if not _SHA256.fullmatch(part.sha256):
        raise ConfigError(f"{where}: sha256 must be 64 hexadecimal digits in lower case, it is {part.sha256!r}")
    return part


def _read_shape(table: dict[str, Any], where: str) -> Shape:
    values = _values(table, _SHAPE_KEYS, where)
    _require(values, tuple(_SHAPE_KEYS), where)
    return Shape(**values)


def _check_file(card: Card, key: str, path: str, where: str) -> None:
    """Check the path of a file that a key of the card names."""
    _check_path(path, f"{where}: {key}")
    is_in_an_archive = any(part.url for part in card.parts)
    if card.parts and not is_in_an_archive and path not in {part.path for part in card.parts}:
        raise ConfigError(f"{where}: {key} is {path}, which is none of files")


def _check_path(path: str, where: str) -> None:
    """Refuse a path that leads outside by its name; links in a model's folder are the administrator's choice."""
    if not path or posixpath.isabs(path) or posixpath.normpath(path).split("/")[0] in (".", ".."):
        raise ConfigError(f"{where} lies outside the model's folder")


def _require(values: Mapping[str, Any], keys: Iterable[str], where: str) -> None:
    for key in keys:
        if key not in values:
            raise ConfigError(f"{where}: {key} is missing")


def _values(table: Mapping[str, Any], keys: Mapping[str, type], where: str) -> dict[str, Any]:
    """Return the table's values after a check of their keys and types; lists become tuples."""
    return {key: _value(key, value, keys.get(key), where) for key, value in table.items()}


def _value(key: str, value: Any, wanted: type | None, where: str) -> Any:
    if wanted is None:
        raise ConfigError(f"{where}: unknown key {key}")
    if wanted is list and isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    if wanted is list or type(value) is not wanted:
        raise ConfigError(f"{where}: {key} must be {_TYPE_NAMES[wanted]}, it is {value!r}")
    if isinstance(value, int) and value < 0:
        raise ConfigError(f"{where}: {key} must not be below 0, it is {value}")
    return value


def remote_card(url: str, model: str) -> Card:
    """Return the card of an OpenAI-compatible server; its name is the host and port of the URL."""
    root = url.rstrip("/").removesuffix("/v1")
    return Card(
        name=urlsplit(url).netloc,
        unit="llm",
        engine="openai",
        description=f"the server at {url}",
        engine_options={"base_url": root + "/v1", "remote_model": model},
    )


class Catalog:
    """All cards, and the rule that finds the card for a name."""

    def __init__(
        self, known: Iterable[Card], installed: Iterable[Card], default_llm: str, damaged: Iterable[str] = ()
    ) -> None:
        """Take the cards; `damaged` has a sentence for each card that could not be read, for error messages."""
        self._damaged = list(damaged)
        self._installed = list(installed)
        self._known = [card for card in known if card.name not in {each.name for each in self._installed}]
        self._default_llm = default_llm

    def resolve(self, unit: str, name: str) -> Card:
        """Return the card that serves this name for this unit; its `note` says if it is a substitute.

        Raises:
            LoadFailed: no card has this name.
        """
        wanted = self._default_llm if name == DEFAULT_NAME and unit == "llm" else name
        cards = [card for card in (*self._installed, *self._known) if card.unit == unit]
        by_name = [card for card in cards if wanted == card.name]
        by_alias = [card for card in cards if wanted in card.aliases]
        by_package = [card for card in cards if wanted in map(_package, (card.name, *card.aliases))]
        for card in sorted([*by_name, *by_alias, *by_package], key=lambda card: not card.is_installed):
            return self._serving(card, wanted)
        names = sorted({card.name for card in cards})
        missing = f"there is no {unit} model {wanted!r}{self._hint(wanted)} here"
        raise LoadFailed(f"{missing}; sys.lsmode lists {', '.join(names) or 'none'}")

    def _hint(self, name: str) -> str:
        """Return a hint about an unknown name in parentheses; "" if there is none."""
        others = {card.unit for card in (*self._installed, *self._known) if name in (card.name, *card.aliases)}
        hints = [f"it is one for {unit}" for unit in sorted(others)] or self._damaged
        return f" ({'; '.join(hints)})" if hints else ""

    def _substitute(self, card: Card, name: str) -> Card:
        there = [each for each in self._installed if each.unit == card.unit]
        bundled = [each for each in there if each.is_bundled]
        wants_vision = card.projector or VISION in card.capabilities
        # A fetched one sees more than what is small enough to be bundled.
        seeing = [each for each in sorted(there, key=lambda each: each.is_bundled) if each.has_vision and wants_vision]
        other = next(iter([*seeing, *bundled]), None)
        if other is None:
            raise LoadFailed(f"the model {name!r} is not installed")
        words = f"{name} is not installed, {other.name} answers in its place"
        note = f"{words}; {other.note}" if other.note else words
        return replace(other, note=note, substitution=words, stands_for=card)

    def find_installed(self, name: str) -> Card | None:
        """Return the installed card of exactly this name, or None."""
        return next((card for card in self._installed if card.name == name), None)

    @property
    def cards(self) -> list[Card]:
        """Every card once, the installed ones first."""
        found: dict[str, Card] = {}
        for card in (*self._installed, *self._known):
            found.setdefault(card.name, card)
        return list(found.values())

    def find(self, name: str) -> Card | None:
        """Return the card of a name or alias, of any unit, installed or not; None if there is none.

        A bundled card is returned only if there is no other.
        """
        by_name = [card for card in self.cards if card.name == name]
        by_alias = [card for card in self.cards if name in card.aliases]
        return next(iter(sorted([*by_name, *by_alias], key=lambda card: card.is_bundled)), None)

    def listing(self, *, is_whole: bool) -> list[dict[str, Any]]:
        """Return the rows of sys.lsmode, one for each name (docs/original-firmware.md, section 12).

        The short list has the installed models and the names that the original's clients send by themselves, because
        they wait only two seconds for it over a serial line. The whole list has every name.
        """
        rows: dict[tuple[str, str], dict[str, Any]] = {}
        for card in (*self._installed, *self._known):
            for name in (card.name, *card.aliases):
                if is_whole or card.is_installed or name in card.sent_names:
                    with suppress(LoadFailed):
                        rows.setdefault((card.unit, name), self._mode(card, name, is_whole=is_whole))
        return list(rows.values())

    def _mode(self, card: Card, name: str, *, is_whole: bool) -> dict[str, Any]:
        serving = self.resolve(card.unit, name)
        is_real = name in (serving.name, *serving.aliases)
        is_described = name == (serving if is_real else card).name and (is_whole or is_real)
        return _mode(serving, name, serving if is_real else card, is_described=is_described)

    def _serving(self, card: Card, name: str) -> Card:
        return card if card.is_installed else self._substitute(card, name)


def _package(name: str) -> str:
    """Return the name of a model in the original's list of packages."""
    return f"llm-model-{name.lower()}"


_TOLD_ONCE = ("description", "homepage", "licence", "architecture", "context_length")


def _mode(card: Card, name: str, about: Card, *, is_described: bool) -> dict[str, Any]:
    """Return the row of a name, for the card that serves it and the card that it belongs to (`about`)."""
    row: dict[str, Any] = {
        "mode": name,
        "card": about.name,
        "type": card.unit,
        "capabilities": list(about.capabilities or card.capabilities),
        "input_type": list(card.input_type),
        "output_type": list(card.output_type),
        "mode_param": dict(card.defaults),
        "model": card.name,
        "installed": about is card,
    }
    told: dict[str, Any] = {"note": card.note}
    if is_described:  # once for each model, for a serial line is slow
        told |= {key: getattr(about, key) for key in _TOLD_ONCE}
    return row | {key: value for key, value in told.items() if value}
