"""Covers process: how a child begins, and how it ends."""

import asyncio
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.runtime.children.conftest import becomes, ends, state_of
from tests.support.clients.wire_client import WireClient, text_of
from tests.support.daemon import running_app, tcp_client
from tests.support.programs.bad_unit import LAST_WORDS, LOAD_REASON, bad_unit
from tests.support.setups import LLM_SETUP
from tests.support.waiting import MS, eventually
from unitd.core.tasks.kinds import BUILTIN_KINDS
from unitd.runtime.children import process


@pytest.fixture
def impatient_setup(monkeypatch: pytest.MonkeyPatch) -> None:
    """Setup of an llm waits a fifth of a second for the load."""
    monkeypatch.setitem(BUILTIN_KINDS, "llm", replace(BUILTIN_KINDS["llm"], patience_seconds=200 * MS))


# Loading


@pytest.mark.parametrize("mode", ["slow"])
async def test_loading_may_take_long_while_it_moves(client: WireClient, quick_watch: None) -> None:
    """Each sign of progress starts the deadline anew."""
    task = await client.setup("llm", LLM_SETUP)

    assert await client.answer(task, "ready at last") == "ready at last"


@pytest.mark.parametrize("mode", ["never-ready"])
async def test_loading_without_progress_is_given_up(client: WireClient, quick_watch: None) -> None:
    """A child that never gets ready is killed, and setup says why."""
    reply = await client.ask(work_id="llm", action="setup", data=LLM_SETUP)

    assert reply["error"]["code"] == -5
    assert "no progress" in reply["error"]["message"]


@pytest.mark.parametrize("mode", ["gated"])
async def test_setup_answers_while_the_model_still_loads(impatient_setup: None, client: WireClient, gate: Path) -> None:
    """A slow load answers within the client's patience; prompts wait for the model."""
    task = await client.setup("llm", LLM_SETUP)
    assert await state_of(client, task) == "loading"
    question = await client.infer(task, "are you there")

    gate.touch()

    assert text_of(await client.frames(question)) == "are you there"


@pytest.mark.parametrize("mode", ["gated"])
async def test_pause_before_the_model_is_ready(impatient_setup: None, client: WireClient, gate: Path) -> None:
    """What was paused while loading is paused when loaded, and answers after work."""
    task = await client.setup("llm", LLM_SETUP)
    paused = await client.ask(work_id=task, action="pause")
    question = await client.infer(task, "are you there")
    gate.touch()
    await becomes(client, task, "paused")

    await client.send(work_id=task, action="work")

    assert paused["error"]["code"] == 0
    assert text_of(await client.frames(question)) == "are you there"


@pytest.mark.parametrize(
    ("mode", "reason"), [("dies-loading", LAST_WORDS), ("cannot-load", LOAD_REASON)], ids=["dies", "refuses"]
)
async def test_child_that_does_not_start_fails_setup(client: WireClient, gate: Path, reason: str) -> None:
    """Setup says why, leaves no task, and is tried anew when somebody asks again."""
    refused = await client.ask(work_id="llm", action="setup", data=LLM_SETUP)
    tasks = await client.ask(work_id="llm", action="taskinfo")

    gate.touch()
    task = await client.setup("llm", LLM_SETUP)

    assert (refused["error"]["code"], refused["work_id"], tasks["data"]) == (-5, "llm", [])
    assert reason in refused["error"]["message"]
    assert await client.answer(task, "well again") == "well again"


@pytest.mark.parametrize("mode", ["cannot-load"])
async def test_load_error_is_one_clean_sentence(client: WireClient) -> None:
    """The one line that the child wrote is the reason, with no exit status around it."""
    reply = await client.ask(work_id="llm", action="setup", data=LLM_SETUP)

    assert reply["error"]["message"] == f"Model loading failed. llm/unitd-chat: {LOAD_REASON}"


async def test_program_that_cannot_be_started_fails_setup(tmp_path: Path, no_blocking: None) -> None:
    """A missing program is a reason like any other."""
    async with running_app(tmp_path, argv_for=lambda unit: ["/no/such/program"]) as app, tcp_client(app) as client:
        reply = await client.ask(work_id="llm", action="setup", data=LLM_SETUP)

    assert reply["error"]["code"] == -5
    assert "could not be started" in reply["error"]["message"]


async def test_unit_may_refuse_a_setup(client: WireClient) -> None:
    """The unit's code and words are the answer, and no task is left."""
    reply = await client.ask(work_id="llm", action="setup", data=LLM_SETUP | {"refuse": "top_k must not be odd"})
    tasks = await client.ask(work_id="llm", action="taskinfo")

    assert reply["error"] == {"code": -5, "message": "Model loading failed. top_k must not be odd"}
    assert tasks["data"] == []


# The goodbye


@pytest.mark.parametrize("mode", ["stubborn"])
async def test_exit_wins_over_a_child_that_ignores_it(client: WireClient) -> None:
    """A child that goes on talking is not heard any more: one finish, then the answer, then silence."""
    task = await client.setup("llm", LLM_SETUP)
    other = await client.setup("llm", LLM_SETUP)
    question = await client.infer(task, "hello tick")
    await client.receive()

    leaving = await client.send(work_id=task, action="exit")

    frames = await client.frames(question)
    assert (await client.receive())["request_id"] == leaving
    assert len(ends(frames)) == 1
    quick = await client.infer(other, "one")
    assert [(await client.receive())["request_id"] for _ in range(2)] == [quick, quick]


async def test_child_that_ignores_shutdown_is_killed(
    tmp_path: Path, no_blocking: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The daemon stops within its limits and leaves nobody behind."""
    monkeypatch.setattr(process, "STOP_TIMEOUT_SECONDS", 200 * MS)
    async with running_app(tmp_path, argv_for=bad_unit("immortal")) as app, tcp_client(app) as client:
        pid = int(await client.answer(await client.setup("llm", LLM_SETUP), "pid"))

        async with asyncio.timeout(3000 * MS):
            app.stop()
            await eventually(lambda: not psutil.pid_exists(pid))

    assert psutil.Process().children() == []


async def test_stopping_daemon_ends_running_answers(tmp_path: Path, no_blocking: None) -> None:
    """A client in mid-answer gets its finish frame before the line is closed."""
    async with running_app(tmp_path, argv_for=bad_unit()) as app, tcp_client(app) as client:
        question = await client.infer(await client.setup("llm", LLM_SETUP), "hello linger")
        await client.receive()

        app.stop()

        [end] = await client.frames(question)
        assert end["data"]["finish"] is True
        with pytest.raises(EOFError):
            await client.receive()


async def test_every_setup_is_answered_when_the_daemon_stops(tmp_path: Path, no_blocking: None) -> None:
    """Also those that wait for their turn behind the one that is being ended; none of them begins any more."""
    async with running_app(tmp_path, argv_for=bad_unit("gated")) as app, tcp_client(app) as client:
        asked = [await client.send(work_id="llm", action="setup", data=LLM_SETUP) for _ in range(3)]
        await eventually(lambda: len(psutil.Process().children()) == 1)

        app.stop()

        replies = [await client.receive() for _ in asked]
        assert [reply["request_id"] for reply in replies] == asked
        assert [reply["error"]["code"] for reply in replies] == [-10, -10, -10]


async def test_exit_while_a_child_is_being_started_again(client: WireClient) -> None:
    """The last task leaves in the moment of a restart: no process, no socket is left over."""
    task = await client.setup("llm", LLM_SETUP)
    question = await client.infer(task, "hello hang")
    await client.receive()
    leaving = await client.send(work_id=task, action="exit")

    psutil.Process().children()[0].kill()

    assert (await client.receive())["request_id"] == question
    assert (await client.receive())["request_id"] == leaving
    await eventually(lambda: not psutil.Process().children())


async def test_daemon_that_stops_while_a_child_loads_leaves_none(tmp_path: Path, no_blocking: None) -> None:
    """A child in mid-load is stopped like any other."""
    async with running_app(tmp_path, argv_for=bad_unit("gated")) as app, tcp_client(app) as client:
        await client.send(work_id="llm", action="setup", data=LLM_SETUP)
        await eventually(lambda: len(psutil.Process().children()) == 1)

    assert psutil.Process().children() == []
