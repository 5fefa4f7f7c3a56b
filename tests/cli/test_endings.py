"""Covers how commands end: their tasks end with them, however that happens, and say who answers while they run."""

import asyncio
import fcntl
import os
import pty
import signal
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.command_line import STARTED, UNITD, serving, start, unitd
from tests.support.daemon import running_app
from tests.support.programs.bad_unit import bad_unit

pytestmark = pytest.mark.timeout(60)

SUBSTITUTED = "unitd: qwen2.5-0.5b is not installed, unitd-chat answers in its place\n"
READY = {"chain": "Listening for", "listen": "it is used as soon as it is there", "chat": "Talking to"}
"""By command, the words on the terminal once its tasks are set up; the daemon of `config` has no microphone."""


async def tasks_of(config: Path) -> list[str]:
    """The units of all tasks."""
    lines = (await unitd("tasks", "--config", str(config))).out.splitlines()
    return [line.partition(".")[0] for line in lines[1:]]


async def until_none(config: Path) -> None:
    """Returns when there is no task."""
    async with asyncio.timeout(30):
        while await tasks_of(config):
            pass


@asynccontextmanager
async def at_terminal(command: str, config: Path) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """A command that is ready, at a terminal of its own; the number is our end of the terminal."""
    ours, theirs = pty.openpty()

    def take_terminal() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests may ignore it (nohup)
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = await asyncio.create_subprocess_exec(
        UNITD,
        command,
        "--config",
        str(config),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=take_terminal,
    )
    STARTED.append(process)
    os.close(theirs)
    said = ""
    while READY[command] not in said:
        said += (await asyncio.to_thread(os.read, ours, 65536)).decode()
    yield process, ours


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGKILL])
async def test_a_chain_that_is_killed_listens_no_longer(
    served: asyncio.subprocess.Process, config: Path, number: signal.Signals
) -> None:
    """Its four tasks end with it, and with a signal that it cannot see as well."""
    async with at_terminal("chain", config) as (process, ours):
        before = await tasks_of(config)

        process.send_signal(number)
        await process.wait()

        await until_none(config)
        os.close(ours)
    assert before == ["kws", "asr", "llm", "tts"]


@pytest.mark.parametrize(("command", "unit"), [("listen", "asr"), ("chat", "llm")])
async def test_a_terminal_that_closes_takes_its_tasks_along(
    served: asyncio.subprocess.Process, config: Path, command: str, unit: str
) -> None:
    """As when its window is closed, or its connection lost."""
    async with at_terminal(command, config) as (process, ours):
        before = await tasks_of(config)

        os.close(ours)
        await process.wait()

        await until_none(config)
    assert before == [unit]


async def test_the_tasks_of_a_command_do_not_come_back(config: Path) -> None:
    """The daemon is killed under the chain: it says so, and the next daemon has nothing to listen to."""
    async with serving(config) as daemon:
        chain = await start("chain", "--config", str(config))
        assert chain.stdout is not None
        await chain.stdout.readline()
        daemon.kill()
        await daemon.wait()
        _, err = await chain.communicate()
    (config.parent / "state" / "endpoints.json").unlink(missing_ok=True)

    async with serving(config):
        left = await tasks_of(config)

    assert left == []
    assert (chain.returncode, err.decode().splitlines()[-1]) == (1, "unitd: the daemon closed the connection")


async def test_a_chat_whose_daemon_left_at_the_prompt_says_so(tmp_path: Path) -> None:
    """Once, and it fails."""
    async with running_app(tmp_path, argv_for=bad_unit()) as app:
        process = await start("chat", "--socket", str(app.endpoints["unix"]))
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"one\n")
        assert await process.stdout.readline() == b"one\n"

    out, err = await process.communicate(b"two\n")

    assert (process.returncode, out) == (1, b"")
    assert err == b"unitd: the daemon closed the connection\n"


async def test_chat_says_that_another_model_answers(served: asyncio.subprocess.Process, config: Path) -> None:
    """On stderr, so that a pipe has the answer alone."""
    done = await unitd("chat", "--config", str(config), "--model", "qwen2.5-0.5b", "hello")

    assert (done.code, done.err) == (0, SUBSTITUTED)
    assert done.out.endswith("\n")


async def test_chain_and_say_tell_which_model_answers(served: asyncio.subprocess.Process, config: Path) -> None:
    """The commands chain and say name the model that stands in for the one that was asked for."""
    chain = await start("chain", "--config", str(config), "--model", "qwen2.5-0.5b")
    assert chain.stderr is not None
    said = (await chain.stderr.readline()).decode()
    listed = await unitd("tasks", "--config", str(config))
    chain.send_signal(signal.SIGINT)
    await chain.communicate()
    wav = config.parent / "said.wav"
    spoken = await unitd("say", "--config", str(config), "--model", "melotts-en", "-o", str(wav), "hello")

    assert said == SUBSTITUTED
    assert listed.out.splitlines()[3].split("\t")[1::6] == ["qwen2.5-0.5b", "unitd-chat"]
    assert (spoken.code, spoken.err) == (0, "unitd: melotts-en is not installed, unitd-tts answers in its place\n")
