"""Daemons whose Wyoming door is open, and a client of one."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from wyoming.client import AsyncTcpClient

from tests.support.daemon import running_app, shared_app
from tests.support.setups import ASR_SETUP, LLM_SETUP, TTS_SETUP
from unitd.app import App

DOOR: dict[str, Any] = {"wyoming": {"port": 0, "system_prompt": ""}}
INTENT_SETUP = {"response_format": "intent.utf-8", "input": "intent.utf-8", "enoutput": False}
WAKE_SETUP = {
    "model": "unitd-kws",
    "response_format": "kws.bool",
    "input": "kws.base64",
    "enoutput": True,
    "kws": "alexa",
}


@pytest.fixture
async def own_daemon(tmp_path: Path) -> AsyncIterator[App]:
    """A daemon with its Wyoming door on a free port."""
    async with running_app(tmp_path, DOOR) as app:
        yield app


@pytest.fixture(scope="module")
def module_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The same for all tests here, with every program that the door uses."""
    setups = {"llm": LLM_SETUP, "kws": WAKE_SETUP, "asr": ASR_SETUP, "tts": TTS_SETUP, "intent": INTENT_SETUP}
    with shared_app(tmp_path_factory.mktemp("daemon"), DOOR, setups) as app:
        yield app


@pytest.fixture
def app(shared_daemon: App) -> App:
    """One daemon for the tests that leave it as it was."""
    return shared_daemon


@pytest.fixture
async def client(app: App) -> AsyncIterator[AsyncTcpClient]:
    """The package's own client."""
    host, port = app.endpoints["wyoming"]
    async with AsyncTcpClient(host, port) as client:
        yield client
