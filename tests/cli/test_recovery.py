"""Covers unitd.runtime.tasks.store from outside: a daemon that is killed, and the one that comes after it."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.support.command_line import KWS, serving, unitd


async def lines_of(config: Path, request: str) -> dict[str, object]:
    """One request by the command line."""
    done = await unitd("send", request, "--config", str(config))
    line: dict[str, object] = orjson.loads(done.out.splitlines()[0])
    return line


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


SETUP_OF_HARMFUL = '{"request_id":"1","work_id":"harmful","action":"setup","data":{}}'


async def tasks_of(config: Path) -> dict[str, dict[str, Any]]:
    """What sys.lstask says, by work_id."""
    listed = await lines_of(config, '{"request_id":"1","work_id":"sys","action":"lstask"}')
    rows: Any = listed["data"]
    return {row["work_id"]: row for row in rows}


async def state_becomes(config: Path, work_id: str, state: str) -> None:
    """Returns when a task is in this state."""
    async with asyncio.timeout(15):
        while (await tasks_of(config))[work_id]["state"] != state:
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
async def test_a_task_that_failed_is_not_set_up_by_the_next_daemon(
    config: Path, harmful: dict[str, str], end: signal.Signals
) -> None:
    """However the last one ended; the others of its program come back."""
    async with serving(config, harmful) as daemon:
        good = (await lines_of(config, SETUP_OF_HARMFUL))["work_id"]
        poison = (await lines_of(config, SETUP_OF_HARMFUL))["work_id"]
        daemon.send_signal(end)
        await daemon.wait()
    (config.parent / "state" / "endpoints.json").unlink(missing_ok=True)
    # The next version of the unit does not bear the second task.
    fatal = HARMFUL.replace("pass", f'envelope.fields["task"] == "{poison}" and os.abort()')
    Path(harmful["PYTHONPATH"], "harmful.py").write_text(fatal)
    async with serving(config, harmful) as daemon:
        await state_becomes(config, str(poison), "failed")
        reason = (await tasks_of(config))[str(poison)]["reason"]
        daemon.send_signal(end)
        await daemon.wait()
    (config.parent / "state" / "endpoints.json").unlink(missing_ok=True)

    async with serving(config, harmful) as daemon:
        tasks = await tasks_of(config)
        await state_becomes(config, str(good), "idle")
        daemon.terminate()
        assert daemon.stderr is not None
        log = (await daemon.stderr.read()).decode()

    assert (tasks[str(poison)]["state"], tasks[str(poison)]["reason"]) == ("failed", reason)
    assert "SIGABRT" in reason
    assert "died" not in log.replace(reason, "")


async def test_a_task_that_was_acknowledged_survives_kill_9(config: Path) -> None:
    """Five daemons, each killed at once when it has acknowledged one more task."""
    acknowledged = []
    for _ in range(5):
        async with serving(config) as daemon:
            acknowledged.append((await lines_of(config, KWS))["work_id"])
            daemon.kill()
            await daemon.wait()
        (config.parent / "state" / "endpoints.json").unlink(missing_ok=True)

    async with serving(config):
        listed = await lines_of(config, '{"request_id":"1","work_id":"kws","action":"taskinfo"}')

    assert listed["data"] == acknowledged
    assert acknowledged == [f"kws.{number}" for number in range(1000, 1005)]


async def test_a_daemon_that_is_killed_over_and_over_starts_each_time(config: Path) -> None:
    """At any moment of its start."""
    for delay in range(10):
        async with serving(config) as daemon:
            await asyncio.sleep(delay * 0.01)
            daemon.kill()
            await daemon.wait()
        (config.parent / "state" / "endpoints.json").unlink(missing_ok=True)

    async with serving(config):
        assert (await lines_of(config, '{"request_id":"1","work_id":"sys","action":"ping"}'))["error"] == {
            "code": 0,
            "message": "",
        }


async def test_a_task_whose_end_was_acknowledged_stays_ended(config: Path) -> None:
    """Also when the daemon is killed at once."""
    async with serving(config) as daemon:
        work_id = (await lines_of(config, KWS))["work_id"]
        await lines_of(config, f'{{"request_id":"2","work_id":"{work_id}","action":"exit"}}')
        daemon.kill()
        await daemon.wait()
    (config.parent / "state" / "endpoints.json").unlink(missing_ok=True)

    async with serving(config):
        listed = await lines_of(config, '{"request_id":"1","work_id":"kws","action":"taskinfo"}')

    assert listed["data"] == []
