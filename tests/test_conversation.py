"""Conversations through the whole daemon: several clients, pause and work, wake words, links.

Greedy text is compared word for word: the bundled model runs in exact mode.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.support.children import own_children
from tests.support.clients.wire_client import WireClient, text_of
from tests.support.setups import KWS_SETUP, LLM_SETUP, LONG_QUESTION
from unitd.app import App

MakeClient = Callable[[], Awaitable[WireClient]]

# About 3,000 tokens: the bundled model reads for some seconds.
LONG_PROMPT = "the fox and the hen went to the old mill by the river " * 230


@pytest.fixture
def daemon(shared_daemon: App) -> App:
    """One daemon for the tests that leave it as it was."""
    return shared_daemon


async def held_answer(client: WireClient, work_id: str, question: str, frames_before: int) -> tuple[str, list[int]]:
    """The text and indexes of an answer that was paused after some frames and resumed."""
    request_id = await client.infer(work_id, question)
    frames = [await client.receive() for _ in range(frames_before)]
    for action in ("pause", "work"):
        asked = await client.send(work_id=work_id, action=action)
        while (frame := await client.receive())["request_id"] != asked:
            frames.append(frame)
    frames += await client.frames(request_id)
    return text_of(frames), [frame["data"]["index"] for frame in frames]


async def test_a_stranger_sets_up_asks_and_reads_an_answer(client: WireClient) -> None:
    """The happy day."""
    work_id = await client.setup("llm", LLM_SETUP)

    frames = await client.frames(await client.infer(work_id, "hello"))

    assert len(frames) > 2
    assert text_of(frames).strip()


async def test_deltas_are_the_whole_text_cut_into_tokens(client: WireClient) -> None:
    """Streamed or not, the answer is the same."""
    streaming = await client.setup("llm", LLM_SETUP)
    whole = await client.setup("llm", LLM_SETUP, response_format="llm.utf-8")

    streamed = await client.answer(streaming, "who are you")
    reply = await client.ask(work_id=whole, action="inference", object="llm.utf-8", data="who are you")

    assert reply["data"] == streamed


async def test_two_clients_stream_at_once_without_mixing(clients: MakeClient) -> None:
    """Indexes, request_ids and words stay apart, though both use the same request_id."""
    first, second = await clients(), await clients()
    tasks = [await each.setup("llm", LLM_SETUP) for each in (first, second)]
    alone = [await first.answer(tasks[0], LONG_QUESTION), await second.answer(tasks[1], "hello")]

    for each, work_id, question in ((first, tasks[0], LONG_QUESTION), (second, tasks[1], "hello")):
        await each.infer(work_id, question, request_id="llm_inference")
    together = [await first.frames("llm_inference"), await second.frames("llm_inference")]

    assert [text_of(frames) for frames in together] == alone
    assert {frame["work_id"] for frame in together[0]} == {tasks[0]}
    assert [frame["data"]["index"] for frame in together[0]] == list(range(len(together[0])))


async def test_a_greedy_answer_is_the_same_in_any_company(clients: MakeClient) -> None:
    """More tasks than slots, long prompts among them, change no word."""
    asker, crowd = await clients(), await clients()
    work_id = await asker.setup("llm", LLM_SETUP)
    alone = await asker.answer(work_id, LONG_QUESTION)
    others = [await crowd.setup("llm", LLM_SETUP, max_token_len=40) for _ in range(6)]

    for number, other in enumerate(others):
        await crowd.infer(other, LONG_PROMPT[: 300 * (number + 1)])
    in_company = await asker.answer(work_id, LONG_QUESTION)

    assert in_company == alone


@pytest.mark.parametrize("frames_before", [1, 7, 20])
async def test_pause_and_work_change_no_word(client: WireClient, frames_before: int) -> None:
    """The held answer goes on exactly where it stopped."""
    work_id = await client.setup("llm", LLM_SETUP)
    uninterrupted = await client.answer(work_id, LONG_QUESTION)

    text, indexes = await held_answer(client, work_id, LONG_QUESTION, frames_before)

    assert text == uninterrupted
    assert indexes == list(range(len(indexes)))


@pytest.mark.own_daemon
async def test_no_frame_follows_the_answer_to_pause(client: WireClient) -> None:
    """After its reply a paused task is silent; a question put to it waits."""
    work_id = await client.setup("llm", LLM_SETUP)
    first = await client.infer(work_id, LONG_QUESTION)
    await client.receive()

    paused = await client.ask(work_id=work_id, action="pause")
    second = await client.infer(work_id, "hello")
    after = await client.ask(work_id="sys", action="lstask")
    pong = await client.send(work_id="sys", action="ping")

    assert paused["error"]["code"] == 0
    assert [(task["state"], task["queue"]) for task in after["data"]] == [("paused", 1)]
    assert (await client.receive())["request_id"] == pong
    await client.send(work_id=work_id, action="work")
    assert (await client.frames(first))[-1]["data"]["finish"]
    assert (await client.frames(second))[-1]["data"]["finish"]


@pytest.mark.own_daemon
async def test_a_held_answer_survives_losing_its_slot(clients: MakeClient) -> None:
    """Four others need all slots meanwhile; the cache is saved and comes back."""
    asker, crowd = await clients(), await clients()
    work_id = await asker.setup("llm", LLM_SETUP)
    uninterrupted = await asker.answer(work_id, LONG_QUESTION)
    others = [await crowd.setup("llm", LLM_SETUP, max_token_len=20) for _ in range(4)]
    request_id = await asker.infer(work_id, LONG_QUESTION)
    frames = [await asker.receive() for _ in range(5)]

    paused = await asker.send(work_id=work_id, action="pause")
    while (frame := await asker.receive())["request_id"] != paused:
        frames.append(frame)
    asked = [await crowd.infer(other, f"question {number}") for number, other in enumerate(others)]
    await all_finished(crowd, len(asked))
    await asker.send(work_id=work_id, action="work")

    assert text_of(frames + await asker.frames(request_id)) == uninterrupted


async def all_finished(client: WireClient, count: int) -> None:
    """Reads until so many answers have ended."""
    while count:
        count -= (await client.receive())["data"]["finish"]


async def test_the_original_ends_an_answer_at_pause(client: WireClient) -> None:
    """With on_pause "stop" the finish frame comes, then the reply, and the task is not held."""
    work_id = await client.setup("llm", LLM_SETUP, on_pause="stop")
    request_id = await client.infer(work_id, LONG_QUESTION)
    await client.receive()

    paused = await client.send(work_id=work_id, action="pause")
    frames = await client.frames(request_id)

    assert frames[-1]["data"]["finish"]
    assert (await client.receive())["request_id"] == paused
    assert await client.answer(work_id, "hello")


async def test_a_wake_stops_the_answer_and_its_queue(client: WireClient) -> None:
    """The trigger's frame, one finish frame for each prompt, and at most one more token."""
    kws = await client.setup("kws", KWS_SETUP)
    llm = await client.setup("llm", LLM_SETUP, input=["llm.utf-8", kws])
    asked = [await client.infer(llm, LONG_QUESTION) for _ in range(3)]
    for _ in range(5):
        await client.receive()

    triggered = await client.send(work_id=kws, action="trigger")
    wake, seen = None, dict[str, list[Any]]()
    while len(ended := [each for each in asked if seen.get(each, [{}])[-1].get("finish")]) < 3 or triggered not in seen:
        frame = await client.receive()
        wake = wake or (frame if frame["work_id"] == kws and frame["object"] == "kws.bool" else None)
        seen.setdefault(frame["request_id"], []).append(frame["data"])

    assert wake is not None and wake["data"] is True
    assert [seen[request_id][-1]["delta"] for request_id in ended] == ["", "", ""]
    assert [len(seen[request_id]) for request_id in asked[1:]] == [1, 1]
    assert await client.answer(llm, "hello")


async def test_a_wake_stops_the_reading_of_a_long_prompt(client: WireClient) -> None:
    """The next question does not wait until the prompt is read."""
    kws = await client.setup("kws", KWS_SETUP)
    llm = await client.setup("llm", LLM_SETUP, input=["llm.utf-8", kws])
    request_id = await client.infer(llm, LONG_PROMPT)
    await client.ask(work_id="sys", action="ping")

    await client.send(work_id=kws, action="trigger")
    frames = await client.frames(request_id)

    assert text_of(frames) == ""
    assert len(frames) == 1


async def test_an_interrupted_neighbour_changes_no_word(clients: MakeClient) -> None:
    """The rest of an aborted batch is computed again."""
    asker, other = await clients(), await clients()
    mine, theirs = await asker.setup("llm", LLM_SETUP), await other.setup("llm", LLM_SETUP)
    alone = await asker.answer(mine, LONG_QUESTION)

    request_id = await asker.infer(mine, LONG_QUESTION)
    for _ in range(5):
        await other.infer(theirs, LONG_PROMPT)
        await other.ask(work_id="sys", action="ping")
        await other.ask(work_id=theirs, action="exit")
        theirs = await other.setup("llm", LLM_SETUP)

    assert text_of(await asker.frames(request_id)) == alone


async def test_cancel_ends_what_runs_and_what_waits(client: WireClient) -> None:
    """Each with its own last frame, then the reply; the task takes the next question."""
    work_id = await client.setup("llm", LLM_SETUP | {"usage": True})
    running = await client.infer(work_id, LONG_QUESTION)
    waiting = await client.infer(work_id, LONG_QUESTION)
    await client.receive()

    asked = await client.send(work_id=work_id, action="cancel")
    frames = []
    while (frame := await client.receive())["request_id"] != asked:
        frames.append(frame)

    ends = {each["request_id"]: each["data"]["finish_reason"] for each in frames if each["data"]["finish"]}
    assert ends == {running: "interrupted", waiting: "interrupted"}
    assert frame["error"]["code"] == 0
    assert await client.answer(work_id, "hello")


async def test_a_whole_conversation_needs_no_data(client: WireClient) -> None:
    """`messages` say it all; the frame behind the prompt tells its length, the last one what ended the answer."""
    work_id = await client.setup("llm", LLM_SETUP | {"usage": True, "prompt_done": True})
    options = {"messages": [{"role": "user", "content": "hello"}]}

    asked = await client.send(work_id=work_id, action="inference", object="llm.utf-8", options=options)
    frames = await client.frames(asked)

    assert frames[0]["data"]["prompt_tokens"] == frames[-1]["data"]["usage"]["prompt_tokens"]
    assert frames[-1]["data"]["stop_word"] == "<|im_end|>"
    assert text_of(frames)


@pytest.mark.own_daemon
async def test_a_wake_ends_a_held_answer_and_the_task_stays_paused(client: WireClient) -> None:
    """Pause, wake, work: the next question is answered, the old answer is over."""
    kws = await client.setup("kws", KWS_SETUP)
    llm = await client.setup("llm", LLM_SETUP, input=["llm.utf-8", kws])
    request_id = await client.infer(llm, LONG_QUESTION)
    await client.receive()
    await client.ask(work_id=llm, action="pause")

    await client.send(work_id=kws, action="trigger")
    frames = await client.frames(request_id)
    state = (await client.ask(work_id="sys", action="lstask"))["data"][1]["state"]
    await client.ask(work_id=llm, action="work")

    assert frames[-1]["data"]["delta"] == ""
    assert state == "paused"
    assert await client.answer(llm, "hello")


async def test_exit_cuts_the_answer_first(client: WireClient) -> None:
    """The finish frame comes before the reply, and the id is gone."""
    work_id = await client.setup("llm", LLM_SETUP)
    request_id = await client.infer(work_id, LONG_QUESTION)
    await client.receive()

    ending = await client.send(work_id=work_id, action="exit")
    frames = await client.frames(request_id)
    reply = await client.receive()

    assert frames[-1]["data"]["finish"]
    assert (reply["request_id"], reply["error"]["code"]) == (ending, 0)
    assert (await client.ask(work_id=work_id, action="taskinfo"))["error"]["code"] == -6


@pytest.mark.own_daemon
async def test_many_tasks_share_one_copy_of_the_weights(client: WireClient) -> None:
    """Three names that clients send are one child."""
    for name in ("qwen2.5-0.5B-prefill-20e", "unitd-chat", "default"):
        await client.setup("llm", LLM_SETUP, model=name)

    children = await asyncio.to_thread(own_children)

    assert len(children) == 1


@pytest.mark.own_daemon
async def test_a_leaving_client_cuts_its_answer_and_leaves_its_task(daemon: App, clients: MakeClient) -> None:
    """The task goes on for others, idle."""
    leaving, staying = await clients(), await clients()
    work_id = await leaving.setup("llm", LLM_SETUP)
    await leaving.infer(work_id, LONG_QUESTION)
    await leaving.receive()

    await leaving.close()
    states = []
    while "idle" not in states:
        states.append((await staying.ask(work_id="sys", action="lstask"))["data"][0]["state"])

    assert await staying.answer(work_id, "hello")


async def test_a_client_that_does_not_read_harms_nobody(clients: MakeClient) -> None:
    """Its own answers wait in its own buffers."""
    deaf, client = await clients(), await clients()
    work_id = await deaf.setup("llm", LLM_SETUP)
    for _ in range(4):
        await deaf.infer(work_id, LONG_QUESTION)

    mine = await client.setup("llm", LLM_SETUP)

    assert await client.answer(mine, "hello")


async def test_frames_go_to_the_asker_not_to_the_owner(clients: MakeClient) -> None:
    """Another client's question is answered to that client; taskinfo steals nothing."""
    owner, other = await clients(), await clients()
    work_id = await owner.setup("llm", LLM_SETUP)
    mine = await owner.infer(work_id, "hello")

    await other.ask(work_id=work_id, action="taskinfo")
    theirs = await other.infer(work_id, "who are you")

    assert (await owner.frames(mine))[-1]["data"]["finish"]
    assert (await other.frames(theirs))[-1]["data"]["finish"]


async def test_enoutput_false_keeps_the_client_in_peace(client: WireClient) -> None:
    """No frame comes, the task works and ends."""
    work_id = await client.setup("llm", LLM_SETUP, enoutput=False)
    request_id = await client.infer(work_id, "hello")

    rows: list[dict[str, Any]] = []
    while not rows or rows[-1]["state"] != "idle":
        reply = await client.receive_reply_to(await client.send(work_id="sys", action="lstask"), never=request_id)
        rows.append(reply["data"][0])

    assert rows[-1]["queue"] == 0


@pytest.mark.own_daemon
async def test_the_limit_of_tasks_ends_the_one_left_longest(clients: MakeClient) -> None:
    """See test_registry for the rule; here the daemon obeys it."""
    leaving, staying = await clients(), await clients()
    left = await leaving.setup("kws", KWS_SETUP)
    await leaving.close()

    kept = [await staying.setup("kws", KWS_SETUP) for _ in range(64)]
    listed = (await staying.ask(work_id="kws", action="taskinfo"))["data"]
    refused = await staying.ask(work_id="kws", action="setup", data=KWS_SETUP)

    assert left not in listed
    assert listed == kept
    assert refused["error"] == {"code": -21, "message": "task full: 64 tasks are set up; end one with exit"}
