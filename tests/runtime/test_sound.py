"""Covers hub: the microphone's way to ears that do not keep up with it, real ones, and to those that need not."""

import asyncio
import logging
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.programs import PROGRAMS
from tests.support.units.spoken import RATE, joined, silence, speak
from tests.support.units.voice_setups import ASR, KWS, WAKE, until, write_wav
from tests.support.waiting import eventually
from unitd.app import App, unit_argv

pytestmark = pytest.mark.timeout(60)

StartDaemon = Callable[..., Any]
COMMANDS_IN_A_MINUTE = 10
FLOOD = PROGRAMS / "flooding_microphone.py"


@pytest.fixture
async def start(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[StartDaemon]:
    """Starts a daemon that hears this file, and a client on it."""
    caplog.set_level(logging.INFO)
    async with AsyncExitStack() as stack:

        async def make(argv_for: Callable[[str], Sequence[str]] = unit_argv, **audio: str) -> tuple[App, WireClient]:
            app = await stack.enter_async_context(running_app(tmp_path, {"audio": audio}, argv_for))
            return app, await stack.enter_async_context(tcp_client(app))

        yield make


def program(unit: str) -> psutil.Process:
    """The unit's program."""
    children = psutil.Process().children()
    return next(child for child in children if child.cmdline()[-3:-1] == ["units", unit])


@contextmanager
def stopped(process: psutil.Process) -> Iterator[None]:
    """It gets no processor meanwhile, as on a board that is far too busy."""
    os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process.pid, signal.SIGCONT)


def shed_so_far(log: str) -> int:
    """The last count that was logged."""
    return max(map(int, re.findall(r"kws/unitd-kws does not keep up with the microphone: (\d+) periods shed", log)))


@pytest.mark.alone
async def test_ears_that_stand_still_lose_periods_and_hear_again(
    start: StartDaemon, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Counted in the log; other ears lose nothing, and what is said later wakes."""
    sound = joined(silence(4), speak("turn on the kitchen light"), silence(2), speak(WAKE), silence(60))
    _, client = await start(capture=write_wav(tmp_path / "in.wav", sound))
    kws = await client.setup("kws", KWS | {"input": "sys.pcm"})
    await client.setup("asr", ASR | {"response_format": "asr.utf-8", "input": "sys.pcm"})

    with stopped(program("kws")):
        await eventually(lambda: "periods shed so far" in caplog.text, timeout=14)
        asr = await client.receive(timeout=20)
        assert shed_so_far(caplog.text) >= 64
    wake = await until(client, lambda frame: frame["work_id"] == kws)

    assert asr["data"] == "turn on the kitchen light."
    assert wake["data"] is True


async def test_what_stands_still_does_not_fill_the_memory(start: StartDaemon, caplog: pytest.LogCaptureFixture) -> None:
    """Ten minutes at once are 20 MB; two seconds of them are kept, one line of the log tells of many."""

    def argv_for(unit: str) -> Sequence[str]:
        return (sys.executable, str(FLOOD)) if unit == "audio" else unit_argv(unit)

    app, client = await start(argv_for, capture="default")
    kws = await client.setup("kws", KWS | {"input": "kws.base64"})
    me = psutil.Process()

    with stopped(program("kws")):
        before = me.memory_info().rss
        await client.ask(work_id=kws, action="link", data="sys.pcm")
        await eventually(lambda: "16384 periods shed so far" in caplog.text, timeout=14)
        grown = me.memory_info().rss - before

    assert grown < 5e6
    assert app.metrics.model("kws", "unitd-kws").shed_periods >= 16384
    assert caplog.text.count("does not keep up") == 15


async def test_a_file_that_is_read_fast_is_heard_wholly(
    start: StartDaemon, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It waits for the slower of two ears: a minute, every word and every command, in less time than they last."""
    command = joined(speak(WAKE), silence(1.5), speak("turn on the kitchen light"), silence(2.5))
    sound = joined(*[command] * COMMANDS_IN_A_MINUTE)
    _, client = await start(capture=write_wav(tmp_path / "in.wav", sound), pace="fast")
    kws = await client.setup("kws", KWS | {"input": []})
    asr = await client.setup("asr", ASR | {"response_format": "asr.utf-8", "input": kws})
    began = asyncio.get_running_loop().time()

    for task in (asr, kws):
        await client.send(work_id=task, action="link", data="sys.pcm")
    frames = [await client.receive(timeout=40) for _ in range(2 + 2 * COMMANDS_IN_A_MINUTE)]

    said = [frame["data"] for frame in frames if frame["work_id"] == asr and frame["data"] != "None"]
    woken = [frame["data"] for frame in frames if frame["work_id"] == kws and frame["data"] != "None"]
    assert said == ["turn on the kitchen light."] * COMMANDS_IN_A_MINUTE
    assert woken == [True] * COMMANDS_IN_A_MINUTE
    assert asyncio.get_running_loop().time() - began < len(sound) / RATE
    assert "shed" not in caplog.text
    assert "dropped" not in caplog.text
