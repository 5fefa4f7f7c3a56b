"""A daemon whose HTTP door is open."""

import importlib
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.conftest import running_app
from unitd.app import App

# The daemon imports it when the door is opened; here it comes first, for the guard against blocking calls.
importlib.import_module("unitd.doors.http.door")


@pytest.fixture
async def http_daemon(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[App]:
    """The daemon with its defaults, on a free port."""
    caplog.set_level(logging.INFO)
    async with running_app(tmp_path, {"http": {"enabled": True}}) as app:
        yield app


@pytest.fixture
def address(http_daemon: App) -> str:
    """ "127.0.0.1:41234"."""
    host, port = http_daemon.endpoints["http"]
    return f"{host}:{port}"
