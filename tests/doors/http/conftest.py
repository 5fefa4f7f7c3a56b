"""Daemons whose HTTP door is open, and voice agents at it."""

import importlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.voice_agent import Agent, agent_at
from tests.support.daemon import running_app, shared_app
from tests.support.setups import LLM_SETUP
from unitd.app import App, unit_argv

Start = Callable[..., Awaitable[App]]

# The daemon imports it when the door is opened; here it comes first, for the guard against blocking calls.
importlib.import_module("unitd.doors.http.door")


@pytest.fixture
async def own_daemon(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[App]:
    """The daemon with its defaults, on a free port, for one test."""
    caplog.set_level(logging.INFO)
    async with running_app(tmp_path, {"http": {"enabled": True}}) as app:
        yield app


@pytest.fixture
def http_daemon(own_daemon: App) -> App:
    """Return the daemon of one test; a file whose tests leave it as it was returns `shared_daemon` instead."""
    return own_daemon


@pytest.fixture(scope="module")
def module_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The daemon with an llm, for all tests of a file."""
    with shared_app(tmp_path_factory.mktemp("daemon"), {"http": {"enabled": True}}, {"llm": LLM_SETUP}) as app:
        yield app


@pytest.fixture
def address(http_daemon: App) -> str:
    """ "127.0.0.1:41234"."""
    host, port = http_daemon.endpoints["http"]
    return f"{host}:{port}"


@pytest.fixture
async def start(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[Start]:
    """Starts a daemon with these tables of the configuration."""
    caplog.set_level(logging.INFO)
    async with AsyncExitStack() as stack:

        async def make(argv_for: Callable[[str], Sequence[str]] = unit_argv, **tables: Any) -> App:
            tables["http"] = {"enabled": True, "port": 0} | tables.get("http", {})
            return await stack.enter_async_context(running_app(tmp_path, tables, argv_for))

        yield make


@pytest.fixture
async def agents(http_daemon: App) -> AsyncIterator[Callable[[], Any]]:
    """Makes agents of the daemon."""
    async with AsyncExitStack() as stack:

        async def make() -> Agent:
            return await stack.enter_async_context(agent_at(http_daemon))

        yield make


@pytest.fixture
async def agent(agents: Callable[[], Any]) -> Agent:
    """One agent."""
    made: Agent = await agents()
    return made
