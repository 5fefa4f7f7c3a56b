"""Covers what no client does: disks that are full, descriptors that run out, clocks that jump, plugs that are loose."""

import asyncio
import resource
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import psutil
import pytest

from bench.cable import Cable
from bench.daemon import Daemon, StreamClient
from tests.support.clients.wire_client import text_of
from tests.support.daemon import running_app, tcp_client
from tests.support.programs.bad_unit import bad_unit
from tests.support.setups import LLM_SETUP
from tests.support.waiting import MS, eventually
from unitd.app import App
from unitd.core.config.loader import read_settings
from unitd.settings import find_program_folders

PING = {"work_id": "sys", "action": "ping"}
KWS = {"model": "unitd-kws", "response_format": "kws.bool", "input": "kws.base64", "enoutput": True, "kws": "alexa"}
# Nothing of a journal fits in less than two of them; a line in the log does.
PAGE_BYTES = 4096
YEAR_SECONDS = 365 * 24 * 3600
CYCLES, OVER, UNPLUGS = 200, 20, 3


@pytest.fixture
async def real(tmp_path: Path) -> AsyncIterator[Daemon]:
    """A daemon in a process of its own, whose limits can be changed."""
    async with Daemon(tmp_path) as daemon:
        yield daemon


# Wear


async def test_tasks_that_come_and_go_leave_nothing(tmp_path: Path) -> None:
    """No task, no descriptor, no program beside that of the task that stays."""
    async with running_app(tmp_path, argv_for=bad_unit()) as app, tcp_client(app) as client:
        await client.setup("llm", LLM_SETUP)
        await client.ask(work_id=await client.setup("llm", LLM_SETUP), action="exit")
        before = psutil.Process().num_fds()

        for _ in range(CYCLES):
            await client.ask(work_id=await client.setup("llm", LLM_SETUP), action="exit")

        listed = (await client.ask(work_id="llm", action="taskinfo"))["data"]
        await eventually(lambda: psutil.Process().num_fds() <= before)
        assert listed == ["llm.1000"]
        assert len(psutil.Process().children()) == 1


async def test_a_crowd_at_a_full_door_is_told_so(tmp_path: Path) -> None:
    """Each of them, and who is inside is served beside them."""
    async with running_app(tmp_path, {"tcp": {"max_connections": 1}}) as app, AsyncExitStack() as stack:
        inside = await stack.enter_async_context(tcp_client(app))
        await inside.ask(**PING)
        crowd = [await stack.enter_async_context(tcp_client(app)) for _ in range(OVER)]

        codes = [(await each.receive())["error"]["code"] for each in crowd]

        assert codes == [-10] * OVER
        assert (await inside.ask(**PING))["error"]["code"] == 0


@pytest.mark.timeout(60)
async def test_a_loose_plug_ends_no_task(tmp_path: Path) -> None:
    """The line is opened again each time, and keeps no descriptor of the last one."""
    cable = Cable(tmp_path / "ttyUSB0")
    line = await cable.plug()
    async with Daemon(tmp_path, f'[serial]\ndevice = "{cable.device}"\n') as daemon:
        work_id = (await line.ask(work_id="kws", action="setup", data=KWS))["work_id"]
        descriptors = daemon.descriptors()
        for _ in range(UNPLUGS):
            cable.unplug()
            line = await cable.plug()
            await until_answered(line)

        assert daemon.descriptors() == descriptors
        assert (await line.ask(work_id="kws", action="taskinfo"))["data"] == [work_id]
        cable.unplug()


async def until_answered(line: StreamClient) -> None:
    """What is written before the daemon has opened the line is lost."""
    async with asyncio.timeout(10):
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(200 * MS):
                    await line.ask(**PING)
                    return


# A clock that jumps


class Clock:
    """The board's, which somebody sets."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


@pytest.mark.parametrize("jump", [YEAR_SECONDS, -YEAR_SECONDS], ids=["forward", "back"])
async def test_a_clock_that_jumps_a_year_disturbs_nobody(tmp_path: Path, jump: float) -> None:
    """An answer goes on, and what is said from now on carries the new time."""
    clock = Clock()
    document = {"state": {"dir": str(tmp_path)}, "tcp": {"port": 0}, "http": {"enabled": False}}
    document |= {"unix": {"enabled": False}, "audio": {"capture": "", "playback": ""}}
    settings = read_settings(document)
    app = await asyncio.to_thread(lambda: App(settings, find_program_folders(), argv_for=bad_unit(), clock=clock))
    running = asyncio.create_task(app.run())
    await app.started.wait()
    try:
        async with tcp_client(app) as client:
            work_id = await client.setup("llm", LLM_SETUP)
            question = await client.infer(work_id, "one two three")
            clock.ahead = jump

            answer = text_of(await client.frames(question))
            ping = await client.ask(**PING)

            assert answer == "one two three"
            assert abs(ping["created"] - clock()) < 10_000 * MS
            assert await client.answer(work_id, "still here") == "still here"
    finally:
        app.stop()
        await running


# A disk that is full


async def listed(daemon: Daemon) -> list[str]:
    """The kws tasks that are there."""
    client = await daemon.client()
    tasks: list[str] = (await client.ask(work_id="kws", action="taskinfo"))["data"]
    await client.close()
    return tasks


async def test_a_full_disk_stops_nobody_and_is_made_up_for(real: Daemon) -> None:
    """Tasks are set up, the log says once that they would not survive; with room again, all of them do."""
    client = await real.client()
    first = (await client.ask(work_id="kws", action="setup", data=KWS))["work_id"]
    limits = resource.prlimit(real.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(real.pid, resource.RLIMIT_FSIZE, (PAGE_BYTES, limits[1]))

    tasks = [first] + [(await client.ask(work_id="kws", action="setup", data=KWS))["work_id"] for _ in range(3)]
    push = await client.ask(work_id="sys", action="push", object="sys.file./a", data="x" * 2 * PAGE_BYTES)
    complaints = real.log.count("the journal cannot be written")
    resource.prlimit(real.pid, resource.RLIMIT_FSIZE, limits)
    tasks.append((await client.ask(work_id="kws", action="setup", data=KWS))["work_id"])
    await client.close()
    await real.kill()
    await real.start()

    assert (complaints, push["error"]["code"]) == (1, -17)
    assert await listed(real) == tasks


# Descriptors that run out


def leave_descriptors(daemon: Daemon, count: int) -> tuple[int, int]:
    """It can open so many more; returns what the limits were."""
    limits = resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (daemon.descriptors() + count, limits[1]))
    return limits


@pytest.mark.parametrize("count", [1, 2, 4])
async def test_a_program_that_finds_no_descriptors_is_an_error(real: Daemon, count: int) -> None:
    """To whoever wants it; the next setup works."""
    client = await real.client()
    await client.ask(**PING)
    limits = leave_descriptors(real, count)

    refused = await client.ask(work_id="kws", action="setup", data=KWS)
    resource.prlimit(real.pid, resource.RLIMIT_NOFILE, limits)

    assert refused["error"]["code"] == -5
    assert (await client.ask(work_id="kws", action="setup", data=KWS))["error"]["code"] == 0
    await client.close()


async def test_descriptors_that_run_out_make_newcomers_wait(real: Daemon) -> None:
    """Who is connected is served, nothing spins, the log says it once; with descriptors free again they are let in."""
    client = await real.client()
    await client.ask(**PING)
    limits = leave_descriptors(real, 3)
    crowd = [await real.client() for _ in range(10)]
    newcomer = crowd[-1]
    await newcomer.send(**PING)
    await eventually(lambda: "new clients wait" in real.log)

    refused = await client.ask(work_id="kws", action="setup", data=KWS)
    busy_before = sum(psutil.Process(real.pid).cpu_times()[:2])
    pings = [(await client.ask(**PING))["error"]["code"] for _ in range(100)]
    await asyncio.sleep(2.5)  # two more tries of the loop to let them in
    busy = sum(psutil.Process(real.pid).cpu_times()[:2]) - busy_before
    resource.prlimit(real.pid, resource.RLIMIT_NOFILE, limits)

    async with asyncio.timeout(5):
        assert (await newcomer.receive())["error"]["code"] == 0
    assert refused["error"]["code"] == -5
    assert pings == [0] * 100
    assert real.log.count("new clients wait") == 1
    assert busy < 0.5
    assert (await client.ask(work_id="kws", action="setup", data=KWS))["error"]["code"] == 0
    for each in (client, *crowd):
        await each.close()
