"""Covers cli.chat: questions and answers through pipes, Ctrl-C, and daemons that fail."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest

from tests.support.command_line import Finished, start, unitd, unitd_here
from tests.support.daemon import shared_app
from tests.support.models.projector import BLIND, blind_model, vision_model
from tests.support.pictures import file_of, square
from tests.support.setups import LLM_SETUP
from unitd.app import App

EYE = "unitd-eye-test"


@pytest.fixture(scope="module")
def module_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """A daemon whose models answer: the bundled one, one that sees, and one that does not."""
    folder = tmp_path_factory.mktemp("daemon")
    vision_model(folder / "models", EYE)
    blind_model(folder / "models")
    setup = LLM_SETUP | {"tools": "auto"}
    others = [("llm", setup | {"model": model}) for model in (EYE, BLIND)]
    with shared_app(folder, {}, {"llm": setup}, *others) as app:
        yield app


@pytest.fixture
def at_models(module_app: App) -> Sequence[str]:
    """The option that leads to that daemon."""
    return ("--socket", str(module_app.endpoints["unix"]))


async def test_chat_answers_one_question(at_socket: Sequence[str]) -> None:
    """The answer and a newline on stdout, nothing else anywhere; the task is ended."""
    done = await unitd("chat", *at_socket, "hello there")

    assert done == Finished(0, "hello there\n", "")
    assert (await unitd("tasks", *at_socket)).out.count("\n") == 1


async def test_chat_speaks_with_the_bundled_model(at_models: Sequence[str]) -> None:
    """From the console script to the weights and back."""
    done = await unitd("chat", *at_models, "--max-tokens", "8", "hello")

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


def test_chat_shows_pictures(module_app: App, at_models: Sequence[str], tmp_path: Path) -> None:
    """They go with the question: 16 tokens each."""
    pictures: list[str] = []
    tokens = []
    read = module_app.metrics.model("llm", EYE).tokens
    for color in ("red", "blue", "green"):
        before = read["prompt"]
        done = unitd_here("chat", *at_models, "--model", EYE, "--max-tokens", "8", *pictures, "what is this?")
        tokens.append(read["prompt"] - before)
        assert (done.code, done.err) == (0, "")
        (tmp_path / f"{color}.png").write_bytes(file_of(square(color)))
        pictures += ["--image", str(tmp_path / f"{color}.png")]

    assert [more - tokens[0] for more in tokens] == [0, 16, 32]


def test_chat_says_why_it_cannot_show_a_picture(at_models: Sequence[str], tmp_path: Path) -> None:
    """The model has no vision, or there is no such file."""
    (tmp_path / "red.png").write_bytes(file_of(square("red")))

    blind, missing = [
        unitd_here("chat", *at_models, "--model", BLIND, "--image", str(tmp_path / name), "what is this?")
        for name in ("red.png", "blue.png")
    ]

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
