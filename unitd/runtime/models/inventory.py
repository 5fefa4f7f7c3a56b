"""Every model, here or not, with its size and whether this board can hold it.

What is here is measured on the disk and estimated by its header, what is not by its card. Headers are read once for
each file: they hold whole vocabularies.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from unitd.core.config.schema import LlmSettings
from unitd.core.models.catalog import Card
from unitd.core.models.memory import Need, need_to_come
from unitd.runtime.children.memory_budget import look_at, size_of
from unitd.wire.errors import LoadFailed

Stamp = tuple[Path, int, int, str]
"""Path, bytes, time of change, engine: another stamp, another need."""


@dataclass(frozen=True)
class ModelInfo:
    """One model."""

    card: Card
    size: int
    """Bytes on the disk, or to fetch; 0 where that is not known, or nothing."""

    need: Need | None
    """None where it cannot be told."""

    fits: bool | None
    """Whether the memory for models would hold it alone."""

    vision_size: int = 0
    """Bytes of the size that are read for pictures alone."""


class Inventory:
    """Measures and estimates the models of cards."""

    def __init__(self, llm: LlmSettings, limit: Callable[[], int]) -> None:
        """`limit` returns the bytes of memory for all models together."""
        self._llm = llm
        self._limit = limit
        self._needs: dict[Stamp, Need | None] = {}

    async def take(self, cards: Sequence[Card]) -> list[ModelInfo]:
        """Return each card with its figures."""
        return await asyncio.to_thread(lambda: [self._look(card) for card in cards])

    def _look(self, card: Card) -> ModelInfo:
        if "base_url" in card.engine_options:  # it is held elsewhere
            return ModelInfo(card, 0, None, True)
        weights = card.path or (None if card.is_bundled else card.place)
        need = self._need_here(card, weights) if card.is_installed else self._need_to_come(card)
        fits = None if need is None else need.total <= self._limit()
        if not card.is_installed:
            return ModelInfo(card, card.download_bytes, need, fits, card.vision_bytes)
        vision = sum(size_of(path) for path in card.vision_files.values() if path)
        place = None if card.is_bundled else card.place  # what is bundled lies beside its pages
        size = size_of(place) if place else vision + (size_of(weights) if weights else 0)
        return ModelInfo(card, size, need, fits, vision)

    def _need_here(self, card: Card, weights: Path | None) -> Need | None:
        try:
            status = weights.stat() if weights else None
        except OSError:
            return None
        stamp = (weights or Path(), status.st_size if status else 0, status.st_mtime_ns if status else 0, card.engine)
        if stamp not in self._needs:
            self._needs[stamp] = self._estimate(card, weights)
        return self._needs[stamp]

    def _estimate(self, card: Card, weights: Path | None) -> Need | None:
        """Return None for a file that cannot be a model: setup says what is wrong with it."""
        settings = {"slots": self._llm.slots, "context": self._llm.context, "exact": self._is_exact(card)}
        files = {"path": str(weights or "")} | {key: str(path or "") for key, path in card.vision_files.items()}
        try:
            return look_at(card.unit, {"engine": card.engine} | files | settings)
        except LoadFailed:
            return None

    def _need_to_come(self, card: Card) -> Need | None:
        return need_to_come(card, self._llm.slots, self._llm.context, exact=self._is_exact(card))

    def _is_exact(self, card: Card) -> bool:
        return card.exact if self._llm.exact is None else self._llm.exact
