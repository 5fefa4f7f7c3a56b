"""The names that clients of the original use for models, from configs/original-models.toml. Pure.

Each row of that table gives names to one model of the catalogue, or lists names of models that are in no catalogue.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from unitd.core.models.catalog import Card
from unitd.wire.errors import ConfigError

_KEYS: dict[str, type] = {
    "unit": str,
    "card": str,
    "sent": list,
    "names": list,
    "languages": list,
    "capabilities": list,
}


@dataclass(frozen=True)
class OriginalNames:
    """One row: names of a model in the original."""

    unit: str
    """The unit of its card: `asr` also for whisper, `tts` also for melotts."""

    card: str = ""
    """The model of the catalogue with these names; "" if there is none."""

    sent: tuple[str, ...] = ()
    """The names that client libraries send by themselves."""

    names: tuple[str, ...] = ()
    """All other names."""

    languages: tuple[str, ...] = ()
    """The languages of a model without a card."""

    capabilities: tuple[str, ...] = ()
    """What a model without a card can do: for one with `vision`, a model that has it answers."""

    @property
    def all(self) -> tuple[str, ...]:
        """Every name of the row."""
        return (*self.sent, *self.names)


def read_original_names(document: Mapping[str, Any], where: str) -> tuple[OriginalNames, ...]:
    """Return the rows of the parsed table.

    Raises:
        ConfigError: a row has an unknown key, a value of another type, or no unit; `where` names the file.
    """
    return tuple(_row(table, f"{where}: models[{at}]") for at, table in enumerate(document.get("models", ())))


def _row(table: Mapping[str, Any], where: str) -> OriginalNames:
    for key, value in table.items():
        wanted = _KEYS.get(key)
        is_texts = isinstance(value, list) and all(isinstance(each, str) for each in value)
        if wanted is None or not isinstance(value, wanted) or (wanted is list and not is_texts):
            raise ConfigError(f"{where}: {key} cannot be {value!r}")
    if not table.get("unit"):
        raise ConfigError(f"{where}: unit is missing")
    values: dict[str, Any] = {key: tuple(each) if isinstance(each, list) else each for key, each in table.items()}
    return OriginalNames(**values)


def with_original_names(card: Card, rows: Iterable[OriginalNames]) -> Card:
    """Return the card with the names that the original's clients use for its model."""
    for row in rows:
        if (row.unit, row.card) == (card.unit, card.name):
            new = tuple(name for name in row.all if name not in (card.name, *card.aliases))
            card = replace(card, aliases=(*card.aliases, *new), sent_names=(*card.sent_names, *row.sent))
    return card


def nameless_cards(rows: Iterable[OriginalNames], cards: Iterable[Card]) -> list[Card]:
    """Return a card for each name whose model is in no catalogue: it can be served, but not fetched."""
    there = {(card.unit, card.name) for card in cards}
    return [
        Card(
            name,
            row.unit,
            languages=row.languages,
            capabilities=row.capabilities,
            sent_names=(name,) if name in row.sent else (),
        )
        for row in rows
        if (row.unit, row.card) not in there
        for name in row.all
    ]
