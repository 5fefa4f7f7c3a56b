"""A daemon with a folder of models."""

import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.daemon import running_app
from tests.support.programs.bad_unit import bad_unit
from unitd.app import App


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """The folder in which models are looked for."""
    folder = tmp_path / "models"
    folder.mkdir()
    return folder


@pytest.fixture
async def daemon(
    tmp_path: Path, models: Path, no_blocking: None, caplog: pytest.LogCaptureFixture
) -> AsyncIterator[App]:
    """A daemon whose units take any file for a model."""
    caplog.set_level(logging.INFO)
    async with running_app(tmp_path, argv_for=bad_unit()) as app:
        yield app
