"""Covers process, supervisor and work: a whole daemon whose unit programs misbehave (bad_unit.py)."""

import asyncio
import base64
import logging
import os
import signal
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.conftest import running_app, tcp_client
from tests.helpers import KWS_SETUP, LLM_SETUP, MS, WireClient, eventually, text_of
from tests.runtime.bad_unit import LAST_WORDS, LOAD_REASON, bad_unit
from unitd.app import App
from unitd.core.kinds import BUILTIN_KINDS
from unitd.runtime import frames, process

ASR_SETUP = {
    "model": "sherpa-ncnn-streaming-zipformer-20M-2023-02-17",
    "response_format": "asr.utf-8.stream",
    "input": "asr.utf-8",
    "enoutput": True,
}


async def say_to(client: WireClient, ears: str, text: str) -> None:
    """What a bad unit hears is what it is sent."""
    audio = base64.b64encode(text.encode()).decode()
    await client.send(work_id=ears, action="inference", object="asr.base64", data=audio)


@pytest.fixture
def mode() -> str:
    """How every unit program behaves; tests parametrize it."""
    return "good"


@pytest.fixture
def document() -> dict[str, Any]:
    """The daemon's configuration; tests parametrize it."""
    return {}


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """The file whose presence lets a bad unit load."""
    return tmp_path / "gate"


@pytest.fixture
async def daemon(
    tmp_path: Path,
    no_blocking: None,
    caplog: pytest.LogCaptureFixture,
    mode: str,
    gate: Path,
    document: dict[str, Any],
) -> AsyncIterator[App]:
    """The daemon over bad units."""
    caplog.set_level(logging.INFO)
    async with running_app(tmp_path, document, argv_for=bad_unit(mode, gate)) as app:
        yield app


@pytest.fixture
def quick_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child is looked at twenty times a second and given up after one."""
    monkeypatch.setattr(process, "PING_INTERVAL_SECONDS", 50 * MS)
    monkeypatch.setattr(process, "PONG_TIMEOUT_SECONDS", 1000 * MS)
    monkeypatch.setattr(process, "STALL_TIMEOUT_SECONDS", 1000 * MS)
    monkeypatch.setattr(process, "READY_TIMEOUT_SECONDS", 1000 * MS)


@pytest.fixture
def impatient_setup(monkeypatch: pytest.MonkeyPatch) -> None:
    """Setup of an llm waits a fifth of a second for the load."""
    monkeypatch.setitem(BUILTIN_KINDS, "llm", replace(BUILTIN_KINDS["llm"], patience_seconds=200 * MS))


async def state_of(client: WireClient, work_id: str) -> str:
    """What sys.lstask says of a task."""
    rows = (await client.ask(work_id="sys", action="lstask"))["data"]
    return str(next(row["state"] for row in rows if row["work_id"] == work_id))


async def becomes(client: WireClient, work_id: str, state: str) -> None:
    """Returns when a task is in this state; the client must not wait for anything else."""
    async with asyncio.timeout(5):
        while await state_of(client, work_id) != state:
            await asyncio.sleep(0.005)


def ends(frames: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The frames that end an inference."""
    return [frame for frame in frames if frame["data"]["finish"]]


# The happy day


async def test_prompt_comes_back_word_by_word(client: WireClient) -> None:
    """What the child says arrives as frames with indexes from 0 and one finish."""
    task = await client.setup("llm", LLM_SETUP)

    frames = await client.frames(await client.infer(task, "one two three"))

    assert [frame["data"]["delta"] for frame in frames] == ["one ", "two ", "three", ""]
    assert [frame["data"]["index"] for frame in frames] == [0, 1, 2, 3]
    assert [frame["data"]["finish"] for frame in frames] == [False, False, False, True]


async def test_two_tasks_of_one_model_share_one_child(client: WireClient) -> None:
    """One child holds the weights for all tasks of its model."""
    first = await client.setup("llm", LLM_SETUP)
    second = await client.setup("llm", LLM_SETUP)

    assert await client.answer(first, "pid") == await client.answer(second, "pid")


async def test_another_model_gets_its_own_child(client: WireClient, tmp_path: Path) -> None:
    """A child serves one model only."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "other.gguf").touch()

    first = await client.setup("llm", LLM_SETUP)
    second = await client.setup("llm", LLM_SETUP, model="other")

    assert await client.answer(first, "pid") != await client.answer(second, "pid")


async def test_child_stays_while_one_task_uses_it(client: WireClient) -> None:
    """The exit of one task leaves the child to the other."""
    first = await client.setup("llm", LLM_SETUP)
    second = await client.setup("llm", LLM_SETUP)
    pid = await client.answer(first, "pid")

    await client.ask(work_id=first, action="exit")

    assert await client.answer(second, "pid") == pid


async def test_child_without_tasks_is_gone(client: WireClient) -> None:
    """The exit of the last task frees the child's memory."""
    task = await client.setup("llm", LLM_SETUP)
    pid = int(await client.answer(task, "pid"))

    farewell = await client.ask(work_id=task, action="exit")
    await eventually(lambda: not psutil.pid_exists(pid))

    assert (farewell["error"]["code"], psutil.Process().children()) == (0, [])


async def test_text_that_asr_heard_becomes_the_llms_prompt(clients: Callable[[], Any]) -> None:
    """The answer goes to whoever set the llm up, in its setup's request_id."""
    speaker, listener = await clients(), await clients()
    ears = await speaker.setup("asr", ASR_SETUP)
    data = LLM_SETUP | {"input": [ears]}
    await listener.ask(request_id="llm_setup", work_id="llm", action="setup", data=data)

    await say_to(speaker, ears, "what was that")

    frames = await listener.frames("llm_setup")
    assert text_of(frames) == "what was that"
    assert ends(frames) == frames[-1:]


async def test_heard_text_reaches_the_asrs_own_client_too(clients: Callable[[], Any]) -> None:
    """The event itself is a frame in the request_id of the asr's setup."""
    speaker = await clients()
    await speaker.send(request_id="asr_setup", work_id="asr", action="setup", data=ASR_SETUP)
    ears = (await speaker.receive())["work_id"]

    await say_to(speaker, ears, "good morning")

    [frame] = await speaker.frames("asr_setup")
    assert frame["object"] == "asr.utf-8.stream"
    assert frame["data"] == {"delta": "good morning", "finish": True, "index": 0}


async def test_pause_holds_and_work_goes_on(client: WireClient) -> None:
    """No frame follows the answer to pause; work resumes where it stopped."""
    task = await client.setup("llm", LLM_SETUP)
    question = await client.infer(task, "tick")
    last = await client.receive()
    await client.send(request_id="pause", work_id=task, action="pause")
    while (reply := await client.receive())["request_id"] != "pause":
        last = reply

    ping = await client.send(work_id="sys", action="ping")
    assert (await client.receive())["request_id"] == ping
    await client.ask(work_id=task, action="work")

    following = await client.receive()
    assert following["request_id"] == question
    assert following["data"]["index"] == last["data"]["index"] + 1


async def test_answer_to_work_comes_before_the_frames(client: WireClient) -> None:
    """No other line stands between a request and its reply (fact sheet, section 12b)."""
    task = await client.setup("llm", LLM_SETUP)
    await client.ask(work_id=task, action="pause")
    question = await client.infer(task, "one")

    resumed = await client.send(work_id=task, action="work")

    received = [(await client.receive())["request_id"] for _ in range(3)]
    assert received == [resumed, question, question]


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


# The limits


async def test_full_queue_refuses(client: WireClient) -> None:
    """One prompt more than `queue` gets a plain -10; those that wait are not disturbed."""
    task = await client.setup("llm", LLM_SETUP, queue=1)
    running = await client.infer(task, "linger")
    waiting = await client.infer(task, "patience")

    refused = await client.ask(work_id=task, action="inference", object="llm.utf-8", data="too much")
    await client.send(work_id=task, action="exit")

    assert (refused["error"]["code"], refused["object"], refused["data"]) == (-10, "None", "None")
    assert len(ends(await client.frames(running))) == 1
    assert len(ends(await client.frames(waiting))) == 1


async def test_wake_ends_every_prompt_with_its_own_finish(client: WireClient) -> None:
    """A wake cuts the running answer and drops the queue, in order, each in its own request_id."""
    ears = await client.setup("kws", KWS_SETUP)
    task = await client.setup("llm", LLM_SETUP, input=["llm.utf-8", ears])
    asked = [await client.infer(task, text) for text in ("hello linger", "second", "third")]
    assert (await client.receive())["data"]["delta"] == "hello "

    await client.send(work_id=ears, action="trigger")

    received = [await client.receive() for _ in range(5)]
    finishes = [frame for frame in received if frame["work_id"] == task]
    assert [frame["request_id"] for frame in finishes] == asked
    assert [frame["data"]["finish"] for frame in finishes] == [True, True, True]
    assert [frame["error"]["code"] for frame in finishes] == [0, 0, 0]


async def test_exit_ends_every_prompt_before_its_answer(client: WireClient) -> None:
    """exit sends the finish frames first, then its own answer."""
    task = await client.setup("llm", LLM_SETUP)
    asked = [await client.infer(task, text) for text in ("linger", "second", "third")]

    leaving = await client.send(work_id=task, action="exit")

    received = [(await client.receive())["request_id"] for _ in range(4)]
    assert received == [*asked, leaving]


async def test_wake_while_paused_ends_the_held_answer(client: WireClient) -> None:
    """A wake ends what is held and what waits, and the task stays paused."""
    ears = await client.setup("kws", KWS_SETUP)
    task = await client.setup("llm", LLM_SETUP, input=["llm.utf-8", ears])
    held = await client.infer(task, "hello linger")
    await client.ask(work_id=task, action="pause")
    waiting = await client.infer(task, "second")

    await client.send(work_id=ears, action="trigger")

    assert [(await client.frames(each))[-1]["data"]["finish"] for each in (held, waiting)] == [True, True]
    assert await state_of(client, task) == "paused"


async def test_lost_clients_inference_is_cut(clients: Callable[[], Any]) -> None:
    """One client leaves in mid-answer; the other's answer goes on."""
    leaver, stayer = await clients(), await clients()
    cut = await leaver.setup("llm", LLM_SETUP)
    kept = await stayer.setup("llm", LLM_SETUP)
    await leaver.infer(cut, "tick")
    await leaver.receive()

    await leaver.close()
    await becomes(stayer, cut, "idle")

    question = await stayer.infer(kept, "tick")
    assert (await stayer.receive())["request_id"] == question
    assert (await stayer.receive())["data"]["index"] == 1


async def test_queue_goes_on_behind_a_lost_client(clients: Callable[[], Any]) -> None:
    """The prompt of another client gets its turn when the running one's client is gone."""
    leaver, stayer = await clients(), await clients()
    task = await leaver.setup("llm", LLM_SETUP)
    await leaver.infer(task, "hello linger")
    await leaver.receive()
    question = await stayer.infer(task, "my turn")

    await leaver.close()

    assert text_of(await stayer.frames(question)) == "my turn"


async def test_lost_clients_inference_goes_on_for_a_link(clients: Callable[[], Any]) -> None:
    """An answer whose output a link takes is not cut with its client."""
    speaker, listener = await clients(), await clients()
    ears = await speaker.setup("asr", ASR_SETUP)
    data = LLM_SETUP | {"input": [ears]}
    await listener.ask(request_id="llm_setup", work_id="llm", action="setup", data=data)

    await say_to(speaker, ears, "last words")
    await speaker.close()

    assert text_of(await listener.frames("llm_setup")) == "last words"


async def test_silent_stream_sends_an_empty_delta(client: WireClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients give up after five silent seconds, so a running stream shows signs of life."""
    monkeypatch.setattr(frames, "KEEPALIVE_SECONDS", 50 * MS)
    task = await client.setup("llm", LLM_SETUP)

    question = await client.infer(task, "linger")

    signs = [await client.receive(), await client.receive()]
    assert [sign["request_id"] for sign in signs] == [question, question]
    assert [sign["data"] for sign in signs] == [{"delta": "", "finish": False, "index": n} for n in (0, 1)]


async def test_paused_stream_sends_no_sign_of_life(client: WireClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """No frame of a paused task follows the answer to pause."""
    monkeypatch.setattr(frames, "KEEPALIVE_SECONDS", 50 * MS)
    task = await client.setup("llm", LLM_SETUP)
    await client.infer(task, "linger")
    await client.ask(work_id=task, action="pause")

    with pytest.raises(TimeoutError):
        await client.receive(timeout=200 * MS)


# The damage


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
    task = await client.setup("llm", LLM_SETUP)
    prompts = ("abort", "abort", "alive")
    crash, second_crash, question = [await client.infer(task, text) for text in prompts]

    assert (await client.frames(crash))[-1]["error"]["code"] == -11
    assert (await client.frames(second_crash))[-1]["error"]["code"] == -11
    assert text_of(await client.frames(question)) == "alive"


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
