"""A whole daemon whose unit programs do what they are told (bad_unit.py), and how its tasks look from outside."""

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app
from tests.support.programs.bad_unit import bad_unit
from tests.support.waiting import MS
from unitd.app import App
from unitd.runtime.children import process


@pytest.fixture
def mode() -> str:
    """How every unit program behaves; tests parametrize it."""
    return "good"


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """The file whose presence lets a bad unit load."""
    return tmp_path / "gate"


@pytest.fixture
async def daemon(
    tmp_path: Path, no_blocking: None, caplog: pytest.LogCaptureFixture, mode: str, gate: Path
) -> AsyncIterator[App]:
    """The daemon over bad units."""
    caplog.set_level(logging.INFO)
    async with running_app(tmp_path, argv_for=bad_unit(mode, gate)) as app:
        yield app


@pytest.fixture
def quick_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child is looked at twenty times a second and given up after one."""
    monkeypatch.setattr(process, "PING_INTERVAL_SECONDS", 50 * MS)
    monkeypatch.setattr(process, "PONG_TIMEOUT_SECONDS", 1000 * MS)
    monkeypatch.setattr(process, "STALL_TIMEOUT_SECONDS", 1000 * MS)
    monkeypatch.setattr(process, "READY_TIMEOUT_SECONDS", 1000 * MS)


async def state_of(client: WireClient, work_id: str) -> str:
    """What sys.lstask says of a task."""
    rows = (await client.ask(work_id="sys", action="lstask"))["data"]
    return str(next(row["state"] for row in rows if row["work_id"] == work_id))


async def becomes(client: WireClient, work_id: str, state: str) -> None:
    """Returns when a task is in this state; the client must not wait for anything else."""
    async with asyncio.timeout(5):
        while await state_of(client, work_id) != state:
            await asyncio.sleep(0.005)


def ends(frames: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The frames that end an inference."""
    return [frame for frame in frames if frame["data"]["finish"]]
