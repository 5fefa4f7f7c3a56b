"""Covers how commands end: their tasks end with them, however that happens, and say who answers while they run."""

import asyncio
import fcntl
import os
import pty
import signal
import termios
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.children import kept_children
from tests.support.clients.wire_client import WireClient, ask_sys
from tests.support.command_line import (
    STARTED,
    UNITD,
    client_of,
    killed,
    serving,
    start,
    unitd,
    unitd_in_process,
)
from tests.support.daemon import running_app, shared_app, start_audio, tcp_client
from tests.support.programs.bad_unit import bad_unit
from tests.support.setups import ASR_SETUP, KWS_SETUP, LLM_SETUP, TTS_SETUP
from unitd.app import App

pytestmark = pytest.mark.timeout(60)

SUBSTITUTED = "unitd: qwen2.5-0.5b is not installed, unitd-chat answers in its place\n"
READY = {"chain": "Listening for", "listen": "it is used as soon as it is there", "chat": "Talking to"}
"""By command, the words on the terminal once its tasks are set up; the daemon has no microphone."""

KEPT = {"kws": KWS_SETUP, "asr": ASR_SETUP, "llm": LLM_SETUP | {"tools": "auto"}, "tts": TTS_SETUP}
"""Tasks of somebody else, with the programs of which the commands' own begin at once."""


@pytest.fixture(scope="module")
def module_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The daemon for all tests of this file, with these tasks."""
    with shared_app(tmp_path_factory.mktemp("daemon"), {}, KEPT) as app:
        asyncio.run(start_audio(app))
        with kept_children():
            yield app


@pytest.fixture
async def others(shared_daemon: App) -> AsyncIterator[WireClient]:
    """Somebody else at that daemon."""
    async with tcp_client(shared_daemon) as client:
        yield client


@pytest.fixture
def at_socket(shared_daemon: App) -> tuple[str, str]:
    """The option that leads to that daemon."""
    return ("--socket", str(shared_daemon.endpoints["unix"]))


async def tasks_of(client: WireClient) -> list[str]:
    """The units of all tasks but the first ones."""
    tasks = (await ask_sys(client, "lstask"))["data"]
    return [task["work_id"].partition(".")[0] for task in tasks[len(KEPT) :]]


async def until_none(client: WireClient) -> None:
    """Returns when there are only the first ones."""
    async with asyncio.timeout(30):
        while await tasks_of(client):
            await asyncio.sleep(0.01)


@asynccontextmanager
async def at_terminal(command: str, *options: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """A command that is ready, at a terminal of its own; the number is our end of the terminal."""
    ours, theirs = pty.openpty()

    def take_terminal() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests may ignore it (nohup)
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = await asyncio.create_subprocess_exec(
        UNITD,
        command,
        *options,
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
    others: WireClient, at_socket: tuple[str, str], number: signal.Signals
) -> None:
    """Its four tasks end with it, and with a signal that it cannot see as well."""
    async with at_terminal("chain", *at_socket) as (process, ours):
        before = await tasks_of(others)

        process.send_signal(number)
        await process.wait()

        await until_none(others)
        os.close(ours)
    assert before == ["kws", "asr", "llm", "tts"]


@pytest.mark.parametrize(("command", "unit"), [("listen", "asr"), ("chat", "llm")])
async def test_a_terminal_that_closes_takes_its_tasks_along(
    others: WireClient, at_socket: tuple[str, str], command: str, unit: str
) -> None:
    """As when its window is closed, or its connection lost."""
    async with at_terminal(command, *at_socket) as (process, ours):
        before = await tasks_of(others)

        os.close(ours)
        await process.wait()

        await until_none(others)
    assert before == [unit]


async def test_the_tasks_of_a_command_do_not_come_back(config: Path) -> None:
    """The daemon is killed under a command: it says so, and the next daemon has nothing to listen to."""
    async with serving(config) as daemon, at_terminal("listen", "--config", str(config)) as (process, ours):
        await killed(daemon, config)
        await process.wait()
    said = os.read(ours, 65536).decode()
    os.close(ours)

    async with serving(config), client_of(config) as client:
        left = (await ask_sys(client, "lstask"))["data"]

    assert left == []
    assert (process.returncode, said.splitlines()[-1]) == (1, "unitd: the daemon closed the connection")


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


async def test_chat_says_that_another_model_answers(at_socket: tuple[str, str]) -> None:
    """On stderr, so that a pipe has the answer alone."""
    done = await unitd("chat", *at_socket, "--model", "qwen2.5-0.5b", "hello")

    assert (done.code, done.err) == (0, SUBSTITUTED)
    assert done.out.endswith("\n")


async def test_chain_and_say_tell_which_model_answers(at_socket: tuple[str, str], tmp_path: Path) -> None:
    """The commands chain and say name the model that stands in for the one that was asked for."""
    chain = await start("chain", *at_socket, "--model", "qwen2.5-0.5b")
    assert chain.stderr is not None
    said = (await chain.stderr.readline()).decode()
    listed = await unitd("tasks", *at_socket)
    chain.send_signal(signal.SIGINT)
    await chain.communicate()
    wav = tmp_path / "said.wav"
    spoken = await unitd_in_process("say", *at_socket, "--model", "melotts-en", "-o", str(wav), "hello")

    assert said == SUBSTITUTED
    _, *rows = [line.split("\t") for line in listed.out.splitlines()]
    assert rows[len(KEPT) + 2][1::6] == ["qwen2.5-0.5b", "unitd-chat"]
    assert (spoken.code, spoken.err) == (0, "unitd: melotts-en is not installed, unitd-tts answers in its place\n")
