"""A small model on a hub on this machine, a catalogue that lists it, and a daemon with this catalogue."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.daemon import running_app
from tests.support.models.model_files import gguf
from tests.support.programs.bad_unit import bad_unit
from tests.support.servers.local_hub import BLOCK, HubFile, LocalHub, local_hub
from tests.support.waiting import eventually
from unitd.app import App

CARD = """
name = "small"
unit = "llm"
engine = "llama"
file = "small.gguf"
aliases = ["small-from-the-original", "small-too"]
description = "a small model"
[[files]]
path = "small.gguf"
repository = "me/model"
size = SIZE
"""
CONTENT = gguf(64 * 1024)
HALF = len(CONTENT) // 2 // BLOCK * BLOCK
FETCHED = "cdn/me/model/small.gguf"


@contextmanager
def small_hub(patch: pytest.MonkeyPatch) -> Iterator[LocalHub]:
    """Run a hub that has the small model, with HF_ENDPOINT set to its URL."""
    with local_hub() as hub:
        patch.setenv("HF_ENDPOINT", hub.url)
        hub.files["me/model/small.gguf"] = HubFile(CONTENT)
        yield hub


def small_catalogue(folder: Path, size: int = len(CONTENT)) -> Path:
    """Write two cards: one of the small model with this size, one of a model without a source. Return their folder."""
    cards = folder / "cards"
    cards.mkdir(exist_ok=True)
    (cards / "small.toml").write_text(CARD.replace("SIZE", str(size)))
    (cards / "elsewhere.toml").write_text('name = "elsewhere"\nunit = "llm"\nengine = "llama"\n')
    return cards


@asynccontextmanager
async def board(
    folder: Path,
    document: dict[str, Any] | None = None,
    cards: Path | None = None,
    argv_for: Callable[[str], Sequence[str]] | None = None,
) -> AsyncIterator[App]:
    """Run a daemon with this catalogue; by default its units are stand-ins that take any file for a model."""
    cards = cards or small_catalogue(folder)
    async with running_app(folder, document, argv_for=argv_for or bad_unit(), model_cards=cards) as app:
        yield app


async def held_at_half(hub: LocalHub) -> None:
    """Return when half of the model has been sent; the hub's `holds_at` keeps the rest back."""
    await eventually(lambda: hub.sent == HALF)
