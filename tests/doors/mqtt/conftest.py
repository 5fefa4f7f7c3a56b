"""A daemon with its bridge to a broker."""

import importlib
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.daemon import running_app
from tests.support.servers.brokers import Broker, Listener
from unitd.app import App

# The daemon imports these when its doors are opened; here they come first, for the guard against blocking calls.
for _module in ("unitd.doors.mqtt.door", "unitd.doors.home.toolbox", "jinja2.sandbox"):
    importlib.import_module(_module)


@pytest.fixture
async def bridged(
    tmp_path: Path, broker: Broker, listener: Listener, caplog: pytest.LogCaptureFixture
) -> AsyncIterator[App]:
    """The daemon "kitchen", online."""
    caplog.set_level(logging.INFO)
    mqtt = {"host": "127.0.0.1", "port": broker.port, "node": "kitchen"}
    async with running_app(tmp_path, {"mqtt": mqtt}) as app:
        await listener.until(lambda: b"online" in listener.on("unitd/kitchen/status"))
        yield app
