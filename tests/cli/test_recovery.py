"""Covers unitd.runtime.tasks.store from outside: a daemon that is killed, and the one that comes after it."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.command_line import client_of, killed, serving
from tests.support.setups import KWS_SETUP

HARMFUL = """
import os

from units.base import Unit


class Harmful(Unit):
    def __init__(self, host):
        self.handlers = {"setup": self.setup, "exit": lambda envelope: None}

    def load(self, load):
        return {}

    def setup(self, envelope):
        pass
"""
"""A unit of another package, good as it is."""


@pytest.fixture
def harmful(tmp_path: Path) -> dict[str, str]:
    """The environment of a daemon that finds this unit."""
    package = tmp_path / "site"
    (package / "harmful-1.0.dist-info").mkdir(parents=True)
    (package / "harmful-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: harmful\nVersion: 1.0\n")
    (package / "harmful-1.0.dist-info" / "entry_points.txt").write_text("[unitd.units]\nharmful = harmful:Harmful\n")
    (package / "harmful.py").write_text(HARMFUL)
    return {"PYTHONPATH": str(package)}


async def tasks_of(client: WireClient) -> dict[str, dict[str, Any]]:
    """What sys.lstask says, by work_id."""
    return {row["work_id"]: row for row in (await client.ask(work_id="sys", action="lstask"))["data"]}


async def state_becomes(client: WireClient, work_id: str, state: str) -> dict[str, Any]:
    """The row of a task that is in this state, as soon as it is."""
    async with asyncio.timeout(15):
        while (row := (await tasks_of(client))[work_id])["state"] != state:
            await asyncio.sleep(0.01)
    return row


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
async def test_a_task_that_failed_is_not_set_up_by_the_next_daemon(
    config: Path, harmful: dict[str, str], end: signal.Signals
) -> None:
    """However the last one ended; the others of its program come back."""
    async with serving(config, harmful) as daemon, client_of(config) as client:
        good, poison = [await client.setup("harmful", {}) for _ in range(2)]
        await killed(daemon, config, end)
    # The next version of the unit does not bear the second task.
    fatal = HARMFUL.replace("pass", f'envelope.fields["task"] == "{poison}" and os.abort()')
    Path(harmful["PYTHONPATH"], "harmful.py").write_text(fatal)
    async with serving(config, harmful) as daemon, client_of(config) as client:
        reason = (await state_becomes(client, poison, "failed"))["reason"]
        await client.setup("harmful", {})  # once it is acknowledged all before it is on the disk
        await killed(daemon, config, end)

    async with serving(config, harmful) as daemon:
        async with client_of(config) as client:
            tasks = await tasks_of(client)
            await state_becomes(client, good, "idle")
        daemon.terminate()
        assert daemon.stderr is not None
        log = (await daemon.stderr.read()).decode()

    assert (tasks[poison]["state"], tasks[poison]["reason"]) == ("failed", reason)
    assert "SIGABRT" in reason
    assert "died" not in log.replace(reason, "")


async def test_a_task_that_was_acknowledged_survives_kill_9(config: Path) -> None:
    """Three daemons, each killed at once when it has acknowledged one more task."""
    acknowledged = []
    for _ in range(3):
        async with serving(config) as daemon, client_of(config) as client:
            acknowledged.append(await client.setup("kws", KWS_SETUP))
            await killed(daemon, config)

    async with serving(config), client_of(config) as client:
        listed = await client.ask(work_id="kws", action="taskinfo")

    assert listed["data"] == acknowledged
    assert acknowledged == [f"kws.{number}" for number in range(1000, 1003)]


async def test_a_daemon_that_is_killed_over_and_over_starts_each_time(config: Path) -> None:
    """At any moment of its start."""
    for delay in range(5):
        async with serving(config) as daemon:
            await asyncio.sleep(delay * 0.02)
            await killed(daemon, config)

    async with serving(config), client_of(config) as client:
        assert (await client.ask(work_id="sys", action="ping"))["error"] == {"code": 0, "message": ""}


async def test_a_task_whose_end_was_acknowledged_stays_ended(config: Path) -> None:
    """Also when the daemon is killed at once."""
    async with serving(config) as daemon, client_of(config) as client:
        work_id = await client.setup("kws", KWS_SETUP)
        await client.ask(work_id=work_id, action="exit")
        await killed(daemon, config)

    async with serving(config), client_of(config) as client:
        listed = await client.ask(work_id="kws", action="taskinfo")

    assert listed["data"] == []
