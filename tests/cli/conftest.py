"""Fixtures of the commands: daemons to talk to, and an end for whatever a test leaves running."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from tests.support.command_line import STARTED, serving
from tests.support.daemon import running_app
from tests.support.programs.bad_unit import bad_unit
from unitd.app import App


@pytest.fixture(autouse=True)
async def no_programs() -> AsyncIterator[None]:
    """What a failing test leaves running does not spoil the next one."""
    yield
    for process in STARTED:
        if process.returncode is None:
            process.kill()
            await process.wait()
    STARTED.clear()


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration that keeps everything in the test's folder."""
    path = tmp_path / "unitd.toml"
    path.write_text(
        f'[state]\ndir = "{tmp_path}/state"\n[models]\ndir = []\n[tcp]\nport = 0\n[http]\nport = 0\n'
        f'[audio]\ncapture = ""\nplayback = "file:{tmp_path}/heard.wav"\npace = "fast"\n'
    )
    return path


@pytest.fixture
async def served(config: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """`unitd serve` with that configuration."""
    async with serving(config) as process:
        yield process


@pytest.fixture
async def echo_daemon(tmp_path: Path) -> AsyncIterator[App]:
    """A daemon whose llm says what it is told, so that words may be compared."""
    async with running_app(tmp_path / "state", argv_for=bad_unit()) as app:
        yield app


@pytest.fixture
def at_socket(echo_daemon: App) -> Sequence[str]:
    """The option that leads to the echoing daemon."""
    return ("--socket", str(echo_daemon.endpoints["unix"]))
