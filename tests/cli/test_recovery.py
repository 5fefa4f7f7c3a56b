"""Covers unitd.runtime.journal from outside: a daemon that is killed, and the one that comes after it."""

import asyncio
from pathlib import Path

import orjson

from tests.cli.programs import KWS, serving, unitd


async def lines_of(config: Path, request: str) -> dict[str, object]:
    """One request by the command line."""
    done = await unitd("send", request, "--config", str(config))
    line: dict[str, object] = orjson.loads(done.out.splitlines()[0])
    return line


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
