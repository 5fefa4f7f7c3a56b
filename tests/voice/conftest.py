"""Daemons whose microphone and loudspeaker are files."""

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.units.voice_setups import StartDaemon
from unitd.app import App


@pytest.fixture
async def start(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[StartDaemon]:
    """Starts a daemon with these audio settings and a client on it."""
    caplog.set_level(logging.INFO)
    async with AsyncExitStack() as stack:

        async def make(**audio: str) -> tuple[App, WireClient]:
            app = await stack.enter_async_context(running_app(tmp_path, {"audio": audio}))
            return app, await stack.enter_async_context(tcp_client(app))

        yield make
