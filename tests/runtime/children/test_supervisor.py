"""Covers child, supervisor: children that die, hang or talk nonsense are replaced, and their tasks go on."""

import asyncio
import gc
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.runtime.children.conftest import becomes
from tests.support.clients.wire_client import WireClient, text_of
from tests.support.programs.bad_unit import LAST_WORDS, LOAD_REASON
from tests.support.setups import LLM_SETUP
from tests.support.waiting import MS
from unitd.runtime.children import process
from unitd.runtime.futures import fail
from unitd.runtime.sys import board
from unitd.wire.errors import RunFailed

# Death


@pytest.mark.parametrize("death", ["abort", "exit"])
async def test_death_in_mid_answer_ends_it_within_a_second(client: WireClient, death: str) -> None:
    """The client gets -11 with the child's last words in one last frame of its stream."""
    task = await client.setup("llm", LLM_SETUP)
    question = await client.infer(task, f"hello {death}")

    async with asyncio.timeout(1000 * MS):
        frames = await client.frames(question)

    assert text_of(frames[:-1]) == "hello "
    assert (frames[-1]["error"]["code"], frames[-1]["object"]) == (-11, "llm.utf-8.stream")
    assert frames[-1]["data"] == {"delta": "", "finish": True, "index": 1}
    assert LAST_WORDS in frames[-1]["error"]["message"]


async def test_death_ends_an_answer_only_once(client: WireClient) -> None:
    """Nothing of the dead inference follows its last frame, also when the next child is up."""
    task = await client.setup("llm", LLM_SETUP)
    await client.frames(await client.infer(task, "hello abort"))

    question = await client.infer(task, "next")

    received = [await client.receive(), await client.receive()]
    assert [frame["request_id"] for frame in received] == [question, question]


async def test_death_ends_a_plain_answer_with_the_text_so_far(client: WireClient) -> None:
    """Without a stream the failing frame carries what was said before."""
    task = await client.setup("llm", LLM_SETUP, response_format="llm.utf-8")

    reply = await client.ask(work_id=task, action="inference", object="llm.utf-8", data="one two abort")

    assert reply["error"]["code"] == -11
    assert (reply["object"], reply["data"]) == ("llm.utf-8", "one two ")


async def test_queued_prompts_run_in_the_next_child(client: WireClient) -> None:
    """Only what ran in the dead child is lost."""
    task = await client.setup("llm", LLM_SETUP)
    lost, first, second = [await client.infer(task, text) for text in ("abort", "still here", "me too")]

    assert (await client.frames(lost))[-1]["error"]["code"] == -11
    assert text_of(await client.frames(first)) == "still here"
    assert text_of(await client.frames(second)) == "me too"


async def test_death_of_a_shared_child_reaches_every_task(clients: Callable[[], Any]) -> None:
    """Both tasks of the child get their -11, and both go on."""
    one, other = await clients(), await clients()
    first, second = await one.setup("llm", LLM_SETUP), await other.setup("llm", LLM_SETUP)
    lost = await other.infer(second, "hello linger")
    await other.receive()

    await one.infer(first, "abort")

    assert (await other.frames(lost))[-1]["error"]["code"] == -11
    assert await other.answer(second, "back again") == "back again"


async def test_killed_child_is_replaced_under_the_same_work_id(client: WireClient) -> None:
    """kill -9 costs the running answer; the next question is answered by a new child."""
    task = await client.setup("llm", LLM_SETUP)
    pid = int(await client.answer(task, "pid"))
    question = await client.infer(task, "hello linger")
    await client.receive()

    os.kill(pid, signal.SIGKILL)

    [end] = await client.frames(question)
    assert end["error"]["code"] == -11
    assert "SIGKILL" in end["error"]["message"]
    assert int(await client.answer(task, "pid")) != pid


async def test_second_quick_crash_backs_off_and_is_answered(client: WireClient) -> None:
    """Crashes that follow each other closely wait longer each time, nothing is lost by that."""
    one, other = await client.setup("llm", LLM_SETUP), await client.setup("llm", LLM_SETUP)

    crash = await client.frames(await client.infer(one, "abort"))
    second_crash = await client.frames(await client.infer(other, "abort"))

    assert [crash[-1]["error"]["code"], second_crash[-1]["error"]["code"]] == [-11, -11]
    assert [await client.answer(task, "alive") for task in (one, other)] == ["alive", "alive"]


async def test_memory_of_a_task_survives_a_crash(client: WireClient) -> None:
    """What the child gave with its last finish, the next child gets with the setup."""
    task = await client.setup("llm", LLM_SETUP)
    await client.answer(task, "remember me")
    await client.frames(await client.infer(task, "recall abort"))

    assert await client.answer(task, "recall") == "remember me"


async def test_paused_task_stays_paused_over_a_crash(client: WireClient) -> None:
    """The held answer ends with -11; what comes afterwards waits for work."""
    task = await client.setup("llm", LLM_SETUP)
    pid = int(await client.answer(task, "pid"))
    held = await client.infer(task, "hello linger")
    await client.ask(work_id=task, action="pause")

    os.kill(pid, signal.SIGKILL)

    assert (await client.frames(held))[-1]["error"]["code"] == -11
    question = await client.infer(task, "after all that")
    await becomes(client, task, "paused")
    await client.send(work_id=task, action="work")
    assert text_of(await client.frames(question)) == "after all that"


@pytest.mark.parametrize("mode", ["cannot-load"])
async def test_child_that_cannot_come_back_ends_what_waits(client: WireClient, gate: Path) -> None:
    """A restart that fails gives its reason to each waiting prompt; a later prompt tries again."""
    gate.touch()
    task = await client.setup("llm", LLM_SETUP)
    lost = await client.infer(task, "linger")
    waiting = await client.infer(task, "and me")
    pid = next(child.pid for child in psutil.Process().children())
    gate.unlink()
    os.kill(pid, signal.SIGKILL)

    assert (await client.frames(lost))[-1]["error"]["code"] == -11
    end = (await client.frames(waiting))[-1]
    assert (end["error"]["code"], end["data"]["finish"]) == (-11, True)
    assert LOAD_REASON in end["error"]["message"]

    gate.touch()
    assert await client.answer(task, "well again") == "well again"


# Nonsense and silence


@pytest.mark.parametrize("garbage", ["garbage", "noise"])
async def test_child_that_sends_garbage_is_replaced(client: WireClient, garbage: str) -> None:
    """What is no message, or lacks its fields, costs the child its life."""
    task = await client.setup("llm", LLM_SETUP)

    end = (await client.frames(await client.infer(task, f"hello {garbage} linger")))[-1]

    assert end["error"]["code"] == -11
    assert "no message" in end["error"]["message"]
    assert await client.answer(task, "clean again") == "clean again"


async def test_child_whose_work_does_not_move_is_replaced(client: WireClient, quick_watch: None) -> None:
    """It answers pings and hangs in a step: that is a hung child."""
    task = await client.setup("llm", LLM_SETUP)

    end = (await client.frames(await client.infer(task, "hello hang")))[-1]

    assert end["error"]["code"] == -11
    assert "did not move" in end["error"]["message"]
    assert await client.answer(task, "moving again") == "moving again"


async def test_exit_from_a_hung_child_is_answered(client: WireClient, quick_watch: None) -> None:
    """Every request is answered, also one that the child never handles."""
    task = await client.setup("llm", LLM_SETUP)
    question = await client.infer(task, "hello hang")
    await client.receive()

    leaving = await client.send(work_id=task, action="exit")

    assert (await client.receive())["request_id"] == question
    reply = await client.receive()
    assert (reply["request_id"], reply["error"]["code"]) == (leaving, 0)


async def test_a_daemon_that_stood_still_blames_no_child(client: WireClient, quick_watch: None) -> None:
    """What a board sleeps through is nobody's silence."""
    task = await client.setup("llm", LLM_SETUP)
    pid = await client.answer(task, "pid")

    time.sleep(2000 * MS)  # noqa: ASYNC251  # the event loop stands still

    assert [await client.answer(task, "pid") for _ in range(3)] == [pid] * 3


async def test_child_that_does_not_answer_is_replaced(client: WireClient, quick_watch: None) -> None:
    """A stopped process answers no ping."""
    task = await client.setup("llm", LLM_SETUP)
    pid = int(await client.answer(task, "pid"))
    os.kill(pid, signal.SIGSTOP)

    end = (await client.frames(await client.infer(task, "hello")))[-1]

    assert end["error"]["code"] == -11
    assert "did not answer" in end["error"]["message"]
    assert int(await client.answer(task, "pid")) != pid


@pytest.mark.parametrize("habit", ["print", "flood"])
async def test_printing_harms_nothing(client: WireClient, habit: str) -> None:
    """What a child prints on stdout or stderr is no message, and never blocks it."""
    task = await client.setup("llm", LLM_SETUP)

    assert await client.answer(task, f"before {habit} after") == "before after"


async def test_last_words_behind_a_flood_are_found(client: WireClient) -> None:
    """Megabytes of noise do not push the reason of a death away."""
    task = await client.setup("llm", LLM_SETUP)

    end = (await client.frames(await client.infer(task, "flood abort")))[-1]

    assert LAST_WORDS in end["error"]["message"]
    assert len(end["error"]["message"]) < 8 * 1024


# A new beginning


@pytest.mark.parametrize("mode", ["slow-exit"])
async def test_setup_beside_a_reset_is_answered(client: WireClient) -> None:
    """A setup that arrives while everything is being restarted yields a working task or an error."""
    await client.setup("llm", LLM_SETUP)
    await client.send(request_id="reset", work_id="sys", action="reset")

    task = await client.setup("llm", LLM_SETUP)

    async with asyncio.timeout(5):
        assert await client.answer(task, "here I am") == "here I am"


@pytest.mark.parametrize("mode", ["gated"])
async def test_setup_that_a_reset_ends_is_answered_as_failed(clients: Callable[[], Any]) -> None:
    """Whoever waits for a load when everything is reset learns that there is no task."""
    waiter, resetter = await clients(), await clients()
    setup = await waiter.send(work_id="llm", action="setup", data=LLM_SETUP)
    while not (await resetter.ask(work_id="llm", action="taskinfo"))["data"]:
        await asyncio.sleep(0.005)

    await resetter.ask(work_id="sys", action="reset")

    reply = await waiter.receive(timeout=5)
    assert reply["request_id"] == setup
    assert reply["error"]["code"] != 0


async def test_whoever_waits_for_a_hung_program_hears_of_the_reset(
    client: WireClient, clients: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the program was asked is answered when it is stopped."""
    monkeypatch.setattr(board, "RESET_TIMEOUT_SECONDS", 100 * MS)
    monkeypatch.setattr(process, "STOP_TIMEOUT_SECONDS", 100 * MS)
    task = await client.setup("llm", LLM_SETUP)
    await client.infer(task, "hello hang")
    await client.receive()
    asked = await client.send(work_id=task, action="pause")

    await (await clients()).ask(work_id="sys", action="reset")

    assert (await client.receive_reply_to(asked, never=""))["error"]["code"] == 0


def test_an_error_that_comes_with_the_end_of_the_loop_is_not_reported(caplog: pytest.LogCaptureFixture) -> None:
    """Nobody could look at it any more: that is no accident."""
    loop = asyncio.new_event_loop()
    answer = loop.create_future()

    fail(answer, RunFailed("was stopped"))
    loop.close()
    del answer
    gc.collect()

    assert "never retrieved" not in caplog.text
