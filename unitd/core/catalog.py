"""Cards: which models exist under which names, and which of them serves a name that a client sends.

A card describes a model; `path` is set when its file lies on this machine. A name whose real model is not installed is
served by the bundled model of the same unit, with a note that lsmode and the log show. An unknown name is refused.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from unitd.wire.errors import ConfigError, LoadFailed

DEFAULT_NAME = "default"
"""The model name that stands for the configured one."""


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
    """Shown by lsmode and logged at setup: what a user of this model should know."""

    exact: bool = False
    """Run in exact mode unless the configuration says otherwise (DESIGN.md section 4 in docs/design.md)."""

    capabilities: tuple[str, ...] = ()
    input_type: tuple[str, ...] = ()
    output_type: tuple[str, ...] = ()
    defaults: dict[str, Any] = field(default_factory=dict)
    """Values for setup keys that a client leaves out; `mode_param` in lsmode."""

    engine_options: dict[str, str] = field(default_factory=dict)
    """What only the engine reads: where a remote model is, say."""

    is_bundled: bool = False
    path: Path | None = None
    """The file that an engine loads."""

    place: Path | None = None
    """The folder or file that is this model on the disk: what rmmode deletes."""

    @property
    def is_installed(self) -> bool:
        """True when it is on this machine, if only as a card that says where it is served."""
        return self.path is not None or self.place is not None or self.is_bundled or "base_url" in self.engine_options


_CARD_KEYS: dict[str, type] = {
    "name": str,
    "unit": str,
    "engine": str,
    "description": str,
    "homepage": str,
    "note": str,
    "file": str,
    "aliases": list,
    "capabilities": list,
    "input_type": list,
    "output_type": list,
    "exact": bool,
    "defaults": dict,
    "base_url": str,
    "remote_model": str,
    "api_key_file": str,
}
_ENGINE_KEYS = ("base_url", "remote_model", "api_key_file")
_TYPE_NAMES = {str: "a text", list: "a list of texts", bool: "true or false", dict: "a table"}


def read_card(document: dict[str, Any], where: str) -> Card:
    """A card from its parsed TOML; where its `file` lies is the caller's matter.

    Raises:
        ConfigError: a key is unknown, missing or of the wrong type; `where` names the card.
    """
    for key in ("name", "unit"):
        if key not in document:
            raise ConfigError(f"{where}: {key} is missing")
    values = {key: _card_value(key, value, where) for key, value in document.items()}
    values.pop("file", None)
    engine_options = {key: values.pop(key) for key in _ENGINE_KEYS if key in values}
    return Card(**values, engine_options=engine_options)


def _card_value(key: str, value: Any, where: str) -> Any:
    wanted = _CARD_KEYS.get(key)
    if wanted is None:
        raise ConfigError(f"{where}: unknown key {key}")
    if wanted is list and isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    if wanted is list or type(value) is not wanted:
        raise ConfigError(f"{where}: {key} must be {_TYPE_NAMES[wanted]}, it is {value!r}")
    return value


def remote_card(url: str, model: str) -> Card:
    """The card of an OpenAI-compatible server, by its address alone; its name is its host and port."""
    root = url.rstrip("/").removesuffix("/v1")
    return Card(
        name=urlsplit(url).netloc,
        unit="llm",
        engine="openai",
        description=f"the server at {url}",
        engine_options={"base_url": root + "/v1", "remote_model": model},
    )


class Catalog:
    """All cards, and the rule by which a name becomes one."""

    def __init__(
        self, known: Iterable[Card], installed: Iterable[Card], default_llm: str, damaged: Iterable[str] = ()
    ) -> None:
        """Takes the cards; `damaged`: a sentence for each that could not be read, for who misses a model."""
        self._damaged = list(damaged)
        self._installed = list(installed)
        self._known = [card for card in known if card.name not in {each.name for each in self._installed}]
        self._default_llm = default_llm

    def resolve(self, unit: str, name: str) -> Card:
        """The card that serves this name for this unit; its `note` tells when it is a substitute.

        Raises:
            LoadFailed: no card has this name.
        """
        wanted = self._default_llm if name == DEFAULT_NAME and unit == "llm" else name
        cards = [card for card in (*self._installed, *self._known) if card.unit == unit]
        by_name = [card for card in cards if wanted == card.name]
        by_alias = [card for card in cards if wanted in card.aliases]
        for card in (*by_name, *by_alias):
            return self._serving(card, wanted)
        names = sorted({card.name for card in cards})
        missing = f"there is no {unit} model {wanted!r}{self._hint(wanted)} here"
        raise LoadFailed(f"{missing}; sys.lsmode lists {', '.join(names) or 'none'}")

    def _hint(self, name: str) -> str:
        """What may have been meant by a name that is not there."""
        others = {card.unit for card in (*self._installed, *self._known) if name in (card.name, *card.aliases)}
        hints = [f"it is one for {unit}" for unit in sorted(others)] or self._damaged
        return f" ({'; '.join(hints)})" if hints else ""

    def _substitute(self, card: Card, name: str) -> Card:
        bundled = next((each for each in self._installed if each.unit == card.unit and each.is_bundled), None)
        if bundled is None:
            raise LoadFailed(f"the model {name!r} is not installed")
        note = f"{name} is not installed, {bundled.name} answers in its place"
        return replace(bundled, note=f"{note}; {bundled.note}" if bundled.note else note)

    def find_installed(self, name: str) -> Card | None:
        """The installed card of exactly this name."""
        return next((card for card in self._installed if card.name == name), None)

    def listing(self) -> list[dict[str, Any]]:
        """The body of sys.lsmode: every name a client may send, in the original's shape (fact sheet, section 12)."""
        rows = [_mode(card, name) for card in self._installed for name in (card.name, *card.aliases)]
        for card in self._known:
            with suppress(LoadFailed):
                rows += [_mode(self._serving(card, name), name, card) for name in (card.name, *card.aliases)]
        return rows

    def _serving(self, card: Card, name: str) -> Card:
        return card if card.is_installed else self._substitute(card, name)


def _mode(card: Card, name: str, about: Card | None = None) -> dict[str, Any]:
    about = about or card
    row: dict[str, Any] = {
        "mode": name,
        "type": card.unit,
        "homepage": about.homepage,
        "capabilities": list(about.capabilities or card.capabilities),
        "input_type": list(card.input_type),
        "output_type": list(card.output_type),
        "mode_param": dict(card.defaults),
        "model": card.name,
        "installed": about is card,
    }
    return row | ({"note": card.note} if card.note else {})
