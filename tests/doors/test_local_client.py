"""Covers unitd.doors.local_client and unitd.doors.chat_session: doors inside the daemon ask as TCP clients do."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from tests.support.daemon import running_app
from tests.support.setups import LONG_QUESTION
from tests.support.waiting import eventually
from unitd.app import App
from unitd.doors.chat_session import (
    ChatSession,
    Ended,
    Event,
    Held,
    Read,
    Said,
)
from unitd.doors.local_client import LIMIT_FRAMES, LocalClient, ReplyStream
from unitd.wire.errors import BadField, LoadFailed, RunFailed, Unavailable
from unitd.wire.messages import Reply

QUESTION = [{"role": "user", "content": "What is your name?"}]
LONG = [{"role": "user", "content": LONG_QUESTION}]


@pytest.fixture
async def local_client(daemon: App) -> AsyncIterator[LocalClient]:
    """A guest of the daemon."""
    local_client = LocalClient(daemon, "test", "http")
    yield local_client
    local_client.close()


async def text_of(answer: AsyncIterator[Event]) -> str:
    """Everything that is said."""
    return "".join([event.text async for event in answer if isinstance(event, Said)])


async def tasks_of(daemon: App) -> list[str]:
    """The work_ids that everybody sees."""
    listed = await LocalClient(daemon, "observer", "http").ask("sys", "lstask")
    return [task["work_id"] for task in listed.data]


async def test_an_answer_is_read_said_and_ended(local_client: LocalClient) -> None:
    """Prompt tokens first, then the text, then one end with its figures."""
    talk = await ChatSession.open(local_client)

    events = [event async for event in talk.answer(QUESTION)]

    first, *said, end = events
    assert isinstance(first, Read) and first.prompt_tokens > 5
    assert said and all(isinstance(event, Said) for event in said)
    assert end == Ended("stop", "<|im_end|>", first.prompt_tokens, len(said))


async def test_a_held_answer_goes_on_where_it_stopped(local_client: LocalClient) -> None:
    """Three tokens, then the rest: together they are the uninterrupted answer."""
    talk = await ChatSession.open(local_client)
    whole = await text_of(talk.answer(QUESTION))

    texts, holds = [], []
    async for event in talk.answer(QUESTION, pause={"max_tokens": 3}):
        if isinstance(event, Said):
            texts.append(event.text)
        elif isinstance(event, Held):
            holds.append(event)
            await talk.resume()

    assert "".join(texts) == whole
    assert holds == [Held("max_tokens", 3)]


async def test_a_cancelled_answer_ends_and_the_next_one_runs(local_client: LocalClient) -> None:
    """Also when it was held by its policy: it was the answer that stopped, not the task."""
    talk = await ChatSession.open(local_client)

    ends = []
    async for event in talk.answer(LONG, pause={"max_tokens": 2}):
        if isinstance(event, Held):
            await local_client.ask(talk.work_id, "cancel")
        if isinstance(event, Ended):
            ends.append(event.reason)

    assert ends == ["interrupted"]
    assert await text_of(talk.answer(QUESTION))


async def test_the_whole_conversation_is_the_prompt(local_client: LocalClient) -> None:
    """Nothing is remembered: what was said before counts only when it is said again."""
    talk = await ChatSession.open(local_client)
    alone = [event async for event in talk.answer(QUESTION)]

    before = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello! How can I help?"}]
    behind = [event async for event in talk.answer([*before, *QUESTION])]

    assert isinstance(alone[0], Read) and isinstance(behind[0], Read)
    assert behind[0].prompt_tokens > alone[0].prompt_tokens + 5


async def test_a_bias_on_the_end_makes_an_answer_longer(local_client: LocalClient) -> None:
    """With the end as good as forbidden it runs to its limit."""
    talk = await ChatSession.open(local_client)

    events = [event async for event in talk.answer(QUESTION, end_bias=-100.0, max_token_len=64)]

    assert isinstance(events[-1], Ended)
    assert (events[-1].reason, events[-1].completion_tokens) == ("length", 64)


async def test_a_stop_string_is_named_at_the_end(local_client: LocalClient) -> None:
    """So that a dialect can say why."""
    talk = await ChatSession.open(local_client)
    whole = await text_of(talk.answer(QUESTION))
    word = whole.split()[2]

    events = [event async for event in talk.answer(QUESTION, stop=[word])]

    assert isinstance(events[-1], Ended)
    assert events[-1].stop_word == word


@pytest.mark.parametrize(
    "messages",
    [
        [],
        "hello",
        [{"role": "robot", "content": "hi"}],
        [{"role": "user", "content": 7}],
        [{"role": "user"}],
        ["hi"],
    ],
)
async def test_messages_that_are_none_are_refused(local_client: LocalClient, messages: list[dict[str, str]]) -> None:
    """The error names what is wrong; the task lives."""
    talk = await ChatSession.open(local_client)

    with pytest.raises(RunFailed, match="messages"):
        await text_of(talk.answer(messages))

    assert await text_of(talk.answer(QUESTION))


async def test_an_unknown_model_is_refused(local_client: LocalClient) -> None:
    """With the reason alone, for dialects that have words of their own."""
    with pytest.raises(LoadFailed) as refused:
        await ChatSession.open(local_client, "no-such-model")

    assert "no-such-model" in refused.value.reason
    assert not refused.value.reason.startswith(LoadFailed.words)


async def test_a_conversation_is_a_task_until_it_is_closed(daemon: App, local_client: LocalClient) -> None:
    """Seen by everybody while it lives."""
    talk = await ChatSession.open(local_client)
    assert await tasks_of(daemon) == [talk.work_id]

    talk.close()

    assert await tasks_of(daemon) == []


async def test_a_peer_that_leaves_takes_its_tasks_along(daemon: App, local_client: LocalClient) -> None:
    """In the middle of an answer; the slot is free for others."""
    talk = await ChatSession.open(local_client)
    answer = talk.answer(LONG)
    await anext(answer)

    local_client.close()

    observer = LocalClient(daemon, "observer", "http")
    other = await ChatSession.open(observer)
    assert await text_of(other.answer(QUESTION))
    assert await tasks_of(daemon) == [other.work_id]
    await answer.aclose()
    observer.close()


async def test_a_peer_that_leaves_while_its_model_loads_leaves_no_task(daemon: App) -> None:
    """Setup ends behind its back."""
    hasty = LocalClient(daemon, "hasty", "http")
    opening = asyncio.ensure_future(ChatSession.open(hasty))
    await asyncio.sleep(0)  # the request is on its way

    hasty.close()
    opening.cancel()

    observer = LocalClient(daemon, "observer", "http")
    talk = await ChatSession.open(observer)  # waits for the same model
    async with asyncio.timeout(5):
        while await tasks_of(daemon) != [talk.work_id]:
            await asyncio.sleep(0.001)
    assert await tasks_of(daemon) == [talk.work_id]
    observer.close()


async def test_a_reader_that_does_not_keep_up_is_cut() -> None:
    """The replies that wait for a reader are bounded."""
    forgotten: list[bool] = []
    replies = ReplyStream(lambda: forgotten.append(True))
    for _ in range(LIMIT_FRAMES + 1):
        replies.put(Reply("1", "llm.1000"))

    with pytest.raises(Unavailable, match="nobody reads"):
        async for _ in replies:
            pass

    assert forgotten == [True]


async def test_a_question_that_is_nested_too_deeply_is_refused(local_client: LocalClient) -> None:
    """What a parser takes cannot always be passed on; the next question is answered."""
    nested: list[object] = []
    for _ in range(400):
        nested = [nested]
    talk = await ChatSession.open(local_client)

    with pytest.raises(BadField, match="too deeply"):
        await text_of(talk.answer([{"role": "user", "content": nested}]))

    assert await text_of(talk.answer(QUESTION))


async def test_the_model_stays_for_the_next_request(local_client: LocalClient) -> None:
    """Its weights and what it has read: the beginning of a conversation is read once."""
    persona = [{"role": "system", "content": "You are a careful assistant, and you answer in one sentence. " * 20}]
    first = await ChatSession.open(local_client)
    whole = await text_of(first.answer([*persona, *QUESTION]))
    first.close()
    children = {each.pid for each in psutil.Process().children(recursive=True)}

    second = await ChatSession.open(local_client)
    again = await text_of(second.answer([*persona, *QUESTION]))

    assert again == whole
    assert {each.pid for each in psutil.Process().children(recursive=True)} == children != set()


async def test_a_model_that_nobody_asks_for_leaves(tmp_path: Path) -> None:
    """After `[models] idle_s`."""
    async with running_app(tmp_path, {"models": {"idle_s": 0.05}}) as app:
        local_client = LocalClient(app, "test", "http")
        talk = await ChatSession.open(local_client)
        assert psutil.Process().children(recursive=True)

        talk.close()

        await eventually(lambda: not psutil.Process().children(recursive=True))
        assert await tasks_of(app) == []
        local_client.close()
