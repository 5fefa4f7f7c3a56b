"""Covers runner, inferences: prompts, their answers, the queue behind them, and what cuts them short."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.runtime.children.conftest import becomes, ends, state_of
from tests.support.clients.wire_client import WireClient, text_of
from tests.support.setups import KWS_SETUP, LLM_SETUP
from tests.support.waiting import MS, eventually
from unitd.runtime.tasks import output

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


# The happy day


async def test_prompt_comes_back_word_by_word(client: WireClient) -> None:
    """What the child says arrives as frames with indexes from 0 and one finish."""
    task = await client.setup("llm", LLM_SETUP)

    output = await client.frames(await client.infer(task, "one two three"))

    assert [frame["data"]["delta"] for frame in output] == ["one ", "two ", "three", ""]
    assert [frame["data"]["index"] for frame in output] == [0, 1, 2, 3]
    assert [frame["data"]["finish"] for frame in output] == [False, False, False, True]


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

    output = await listener.frames("llm_setup")
    assert text_of(output) == "what was that"
    assert ends(output) == output[-1:]


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
    """No other line stands between a request and its reply (docs/original-firmware.md, section 12.1)."""
    task = await client.setup("llm", LLM_SETUP)
    await client.ask(work_id=task, action="pause")
    question = await client.infer(task, "one")

    resumed = await client.send(work_id=task, action="work")

    received = [(await client.receive())["request_id"] for _ in range(3)]
    assert received == [resumed, question, question]


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


async def test_bug_over_a_prompt_ends_its_answer(client: WireClient) -> None:
    """A unit that raises over what it is asked has an end for it, too, and takes the next prompt."""
    task = await client.setup("llm", LLM_SETUP)
    no_text = base64.b64encode(b"\xff").decode()

    request_id = await client.send(work_id=task, action="inference", object="llm.base64", data=no_text)
    (end,) = await client.frames(request_id)

    assert end["error"]["code"] == -1
    assert "UnicodeDecodeError" in end["error"]["message"]
    assert await client.answer(task, "one two") == "one two"


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
    monkeypatch.setattr(output, "KEEPALIVE_SECONDS", 50 * MS)
    task = await client.setup("llm", LLM_SETUP)

    question = await client.infer(task, "linger")

    signs = [await client.receive(), await client.receive()]
    assert [sign["request_id"] for sign in signs] == [question, question]
    assert [sign["data"] for sign in signs] == [{"delta": "", "finish": False, "index": n} for n in (0, 1)]


async def test_paused_stream_sends_no_sign_of_life(client: WireClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """No frame of a paused task follows the answer to pause."""
    monkeypatch.setattr(output, "KEEPALIVE_SECONDS", 50 * MS)
    task = await client.setup("llm", LLM_SETUP)
    await client.infer(task, "linger")
    await client.ask(work_id=task, action="pause")

    with pytest.raises(TimeoutError):
        await client.receive(timeout=200 * MS)
