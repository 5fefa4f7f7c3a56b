"""Fixtures: a hub, a folder of models, and a pull from the one into the other."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.servers.local_hub import LocalHub, local_hub
from unitd.core.models.catalog import Card
from unitd.core.models.progress import Progress
from unitd.fetch.pull import pull
from unitd.fetch.sources import Hub

Pull = Callable[[Card], Path]


@pytest.fixture
def hub() -> Iterator[LocalHub]:
    """A hub with nothing in it."""
    with local_hub() as hub:
        yield hub


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder for models, which is not there yet."""
    return tmp_path / "models"


@pytest.fixture
def told() -> list[Progress]:
    """What the pull has told so far."""
    return []


@pytest.fixture
def pulled(hub: LocalHub, models: Path, told: list[Progress]) -> Pull:
    """Pulls a card's model from the hub, as a person without a token."""
    return lambda card: pull(card, models, told.append, Hub(hub.url, token=None))
