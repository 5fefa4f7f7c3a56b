"""A board with tools, its broker, a Home Assistant, and a model that calls what it is told to.

The model is a server elsewhere, so that what is tested is unitd and not a model's wit.
"""

import importlib
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.daemon import running_app
from tests.support.home.boards import TOOLS
from tests.support.servers.assistant_server import TOKEN, AssistantServer, assistant_server
from tests.support.servers.brokers import Broker, Listener
from tests.support.servers.calling_server import CallingServer
from unitd.app import App

# The daemon imports these when its doors are opened; here they come first, for the guard against blocking calls.
for _module in ("unitd.doors.mqtt.door", "unitd.doors.home.toolbox", "jinja2.sandbox"):
    importlib.import_module(_module)


@pytest.fixture
async def assistant() -> AsyncIterator[AssistantServer]:
    """A Home Assistant."""
    async with assistant_server() as server:
        yield server


@pytest.fixture
def tables(tmp_path: Path, caller: CallingServer, broker: Broker, assistant: AssistantServer) -> dict[str, Any]:
    """The configuration of the board "kitchen", with its tools."""
    (tmp_path / "tools.toml").write_text(TOOLS)
    (tmp_path / "token").write_text(TOKEN)
    home = {
        "tools": str(tmp_path / "tools.toml"),
        "homeassistant_url": assistant.url,
        "homeassistant_token_file": str(tmp_path / "token"),
    }
    return {"mqtt": {"host": "127.0.0.1", "port": broker.port, "node": "kitchen"}, "home": home}


@pytest.fixture
async def home(
    tmp_path: Path, tables: dict[str, Any], listener: Listener, caplog: pytest.LogCaptureFixture
) -> AsyncIterator[App]:
    """That board, online."""
    caplog.set_level(logging.INFO)
    async with running_app(tmp_path, tables) as app:
        await listener.until(lambda: b"online" in listener.on("unitd/kitchen/status"))
        yield app


@pytest.fixture
def daemon(home: App) -> App:
    """Whose clients `client` and `clients` are."""
    return home
