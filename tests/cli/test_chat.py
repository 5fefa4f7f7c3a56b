"""Covers cli.chat: questions and answers through pipes, Ctrl-C, and daemons that fail."""

import asyncio
import signal
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from tests.support.command_line import Finished, start, unitd
from tests.support.daemon import running_app
from tests.support.models.projector import BLIND, blind_model, vision_model
from tests.support.pictures import file_of, square
from unitd.app import App


async def test_chat_answers_one_question(at_socket: Sequence[str]) -> None:
    """The answer and a newline on stdout, nothing else anywhere; the task is ended."""
    done = await unitd("chat", *at_socket, "hello there")

    assert done == Finished(0, "hello there\n", "")
    assert (await unitd("tasks", *at_socket)).out.count("\n") == 1


async def test_chat_speaks_with_the_bundled_model(served: asyncio.subprocess.Process, config: Path) -> None:
    """From the console script to the weights and back."""
    done = await unitd("chat", "--config", str(config), "--max-tokens", "8", "hello")

    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("\n")


async def test_chat_reads_questions_from_a_pipe(at_socket: Sequence[str]) -> None:
    """A question per line, empty lines are none, an answer per line, no prompt in between."""
    done = await unitd("chat", *at_socket, stdin="one two\n\nthree\n")

    assert done == Finished(0, "one two\nthree\n", "")


async def test_chat_reports_a_failure(at_socket: Sequence[str]) -> None:
    """A child that dies is a sentence on stderr and exit code 1."""
    done = await unitd("chat", *at_socket, "hello abort")

    assert (done.code, done.out) == (1, "hello \n")
    assert "died" in done.err
    assert "Traceback" not in done.err


async def test_chat_with_an_unknown_model_fails(at_socket: Sequence[str]) -> None:
    """The daemon's reason is shown."""
    done = await unitd("chat", *at_socket, "--model", "no-such-model", "hello")

    assert (done.code, done.out) == (1, "")
    assert "no-such-model" in done.err


@pytest.mark.timeout(60)
async def test_chat_shows_pictures(tmp_path: Path) -> None:
    """They go with the question: 16 tokens each."""
    await asyncio.to_thread(vision_model, tmp_path / "models")
    pictures: list[str] = []
    tokens = []
    async with running_app(tmp_path / "state", {"models": {"dir": [str(tmp_path / "models")]}}) as app:
        usual = ["chat", "--socket", str(app.endpoints["unix"]), "--model", "unitd-eye-test", "--max-tokens", "8"]
        read = app.metrics.model("llm", "unitd-eye-test").tokens
        for color in ("red", "blue"):
            before = read["prompt"]
            done = await unitd(*usual, *pictures, "what is this?")
            tokens.append(read["prompt"] - before)
            assert (done.code, done.err) == (0, "")
            (tmp_path / f"{color}.png").write_bytes(file_of(square(color)))
            pictures += ["--image", str(tmp_path / f"{color}.png")]
        before = read["prompt"]
        await unitd(*usual, *pictures, "what is this?")

    assert tokens[1] - tokens[0] == 16
    assert read["prompt"] - before - tokens[1] == 16


async def test_chat_says_why_it_cannot_show_a_picture(tmp_path: Path) -> None:
    """The model has no vision, or there is no such file."""
    (tmp_path / "red.png").write_bytes(file_of(square("red")))
    await asyncio.to_thread(blind_model, tmp_path / "models")
    async with running_app(tmp_path / "state", {"models": {"dir": [str(tmp_path / "models")]}}) as app:
        usual = ["chat", "--socket", str(app.endpoints["unix"]), "--model", BLIND]
        blind = await unitd(*usual, "--image", str(tmp_path / "red.png"), "what is this?")
        missing = await unitd(*usual, "--image", str(tmp_path / "blue.png"), "what is this?")

    assert (blind.code, missing.code) == (1, 1)
    assert "this model has no vision" in blind.err
    assert "blue.png: No such file or directory" in missing.err


async def test_chat_survives_output_that_is_not_read(at_socket: Sequence[str]) -> None:
    """`unitd chat | head` ends quietly."""
    process = await start("chat", *at_socket, "tick")
    assert process.stdout is not None
    assert process.stderr is not None
    await process.stdout.readexactly(5)

    process.stdout._transport.close()  # type: ignore[attr-defined]  # the only way to hang up a pipe in asyncio

    assert await process.stderr.read() == b""
    assert await process.wait() == 1


@pytest.fixture
async def endless(at_socket: Sequence[str]) -> AsyncIterator[asyncio.subprocess.Process]:
    """A chat in the middle of an answer that never ends by itself."""
    process = await start("chat", *at_socket, "tick")
    assert process.stdout is not None
    await process.stdout.readexactly(5)
    yield process


async def test_ctrl_c_interrupts_the_answer(endless: asyncio.subprocess.Process, at_socket: Sequence[str]) -> None:
    """What was said stays, the line is ended, the task too; exit code 130."""
    endless.send_signal(signal.SIGINT)
    out, err = await endless.communicate()

    assert (endless.returncode, err) == (130, b"")
    assert (b"tick " + out).endswith(b"tick \n")
    assert (await unitd("tasks", *at_socket)).out.count("\n") == 1


async def test_ctrl_c_in_a_piped_conversation_goes_on(at_socket: Sequence[str]) -> None:
    """The interrupted answer ends, the next question is asked."""
    process = await start("chat", *at_socket)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"tick\nand now\n")
    await process.stdout.readexactly(5)

    process.send_signal(signal.SIGINT)

    out, err = await process.communicate(b"")
    assert (process.returncode, err) == (0, b"")
    assert out.endswith(b"\nand now\n")


async def test_chat_of_a_daemon_that_stops_ends(endless: asyncio.subprocess.Process, echo_daemon: App) -> None:
    """It does not wait for ever, and shows no traceback."""
    echo_daemon.stop()

    _, err = await endless.communicate()

    assert endless.returncode == 1
    assert b"Traceback" not in err
