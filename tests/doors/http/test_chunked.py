"""Covers chunked and chunked_stream: the voice agent's socket, message by message."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import running_app
from tests.doors.http.voice_agent import (
    JOKE,
    SENTENCES,
    TOKENS,
    Agent,
    Message,
    agent_at,
    asking,
    health_of,
    kill_children,
    no_task_is_left,
    tasks_of,
)
from tests.helpers import LONG_QUESTION, eventually
from tests.runtime.bad_unit import bad_unit
from unitd.app import App
from unitd.doors.guest import Guest
from unitd.doors.http.chunked import MAX_STREAMS
from unitd.doors.http.chunked_stream import Refusal, read_pause

EXAMPLE = Path(__file__).with_name("chunked_example.py").read_text()


@pytest.fixture
async def agents(http_daemon: App) -> AsyncIterator[Callable[[], Any]]:
    """Makes agents of the daemon."""
    async with AsyncExitStack() as stack:

        async def make() -> Agent:
            return await stack.enter_async_context(agent_at(http_daemon))

        yield make


@pytest.fixture
async def agent(agents: Callable[[], Any]) -> Agent:
    """One agent."""
    made: Agent = await agents()
    return made


# The document


async def test_the_documents_client_runs_unchanged(address: str) -> None:
    """A first chunk of ten tokens, then sentences, and the whole text is what the tokens said."""
    client = EXAMPLE.replace("localhost:8002", address)

    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", client, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await process.communicate()
    said, _, full = out.decode().partition("\n\nFull response: ")

    assert (process.returncode, err) == (0, b"")
    assert "[Paused: max_tokens, 10 tokens]" in said
    assert re.search(r"\[Done: (stop_word|sentence_boundary_eos), \d+ tokens\]$", said)
    assert re.sub(r"\n\[[^]]*\]\n?", "", said) == full.removesuffix("\n")


async def test_token_streaming_says_each_token_and_then_the_chunk(agent: Agent) -> None:
    """Exactly the document's fields."""
    await agent.tell("start_stream", "a", **asking(JOKE, pause={"max_tokens": 3}, **TOKENS))
    tokens = [await agent.hear() for _ in range(3)]
    paused = await agent.hear()

    assert [token.keys() for token in tokens] == [{"type", "content"}] * 3
    assert paused["text"] == "".join(token["content"] for token in tokens)
    assert (paused["type"], paused["reason"], paused["tokens"]) == ("paused", "max_tokens", 3)
    assert set(paused) == {"type", "reason", "text", "tokens", "ttft_ms", "elapsed_ms"}
    assert 0 <= paused["ttft_ms"] <= paused["elapsed_ms"]


async def test_buffered_mode_says_each_chunk_whole(agent: Agent) -> None:
    """Start and continue, with exactly the document's fields."""
    started = await agent.ask("start_stream", "a", **asking(JOKE), **SENTENCES)
    continued = await agent.ask("continue_stream", "a")

    assert type(started.pop("ttft_ms")) is type(continued.pop("ttft_ms")) is int
    text, rest = started["text"], continued["text"]
    fields = {"stream_id": "a", "status": "started", "text": text, "tokens": started["tokens"], "full_text": text}
    assert started == fields | {"paused": True, "reason": "sentence_boundary", "done": False}
    fields = {"stream_id": "a", "text": rest, "tokens": continued["tokens"], "full_text": text + rest}
    assert continued == fields | {"paused": False, "reason": "stop_word", "done": True}
    assert text.endswith("?")


async def test_ping_and_end_are_answered(agent: Agent) -> None:
    """The two small ones."""
    assert await agent.ask("ping") == {"status": "pong"}
    await agent.ask("start_stream", "a", **asking("hello"))

    assert await agent.ask("end_stream", "a") == {"stream_id": "a", "status": "ended"}


# Pause and continue


@pytest.mark.parametrize("pause", [{"max_tokens": 7}, {"sentence_boundary": True}], ids=["tokens", "sentences"])
async def test_chunks_make_the_uninterrupted_answer(agent: Agent, pause: Message) -> None:
    """Whatever it is cut by: nothing is said twice, nothing is left out."""
    whole = await agent.ask("start_stream", "whole", **asking(LONG_QUESTION))
    chunks = [await agent.ask("start_stream", "cut", **asking(LONG_QUESTION, pause=pause))]

    while not chunks[-1]["done"]:
        chunks.append(await agent.ask("continue_stream", "cut", pause=pause))

    assert len(chunks) > 10
    assert chunks[-1]["full_text"] == "".join(chunk["text"] for chunk in chunks) == whole["text"]
    assert sum(chunk["tokens"] for chunk in chunks) == whole["tokens"]


async def test_no_chunk_is_blank(agent: Agent) -> None:
    """What follows a sentence (a blank, half an emoji) is no sentence because one ended before it."""
    first = await agent.ask("start_stream", "a", **asking(JOKE), **SENTENCES)

    chunks = await agent.sentences("a", first)

    assert "🔋" in chunks[-1]["full_text"]
    assert [chunk["reason"] for chunk in chunks] == ["sentence_boundary", "sentence_boundary", "stop_word"]


async def test_whichever_policy_comes_first(agent: Agent) -> None:
    """Both given: "Hello!" ends a sentence before the third token."""
    started = await agent.ask(
        "start_stream", "a", **asking("hello", pause={"max_tokens": 3, "sentence_boundary": True})
    )
    continued = await agent.ask("continue_stream", "a", pause={"max_tokens": 3, "sentence_boundary": True})

    assert (started["reason"], started["text"]) == ("sentence_boundary", "Hello!")
    assert (continued["reason"], continued["tokens"]) == ("max_tokens", 3)


async def test_a_continue_reads_no_prompt(agent: Agent) -> None:
    """Its first token comes from what the engine holds, however long the conversation is."""
    started = await agent.ask("start_stream", "a", **asking("x " * 1500, pause={"max_tokens": 2}))

    continued = await agent.ask("continue_stream", "a", pause={"max_tokens": 2})

    assert continued["ttft_ms"] * 5 < started["ttft_ms"]


@pytest.mark.parametrize(
    ("pause", "policy"),
    [
        (None, (500, False)),
        ({}, (500, False)),
        ({"sentence_boundary": True}, (200, True)),
        ({"max_tokens": 10}, (10, False)),
        ({"max_tokens": 700, "sentence_boundary": True}, (700, True)),
        ({"max_tokens": None, "sentence_boundary": False}, (500, False)),
    ],
)
def test_caps_are_the_documents(pause: Any, policy: tuple[int, bool]) -> None:
    """200 tokens for a sentence, 500 for everything, unless the client says how many."""
    assert tuple(read_pause({"pause": pause}).values()) == policy


# Stop reasons: max_tokens, sentence_boundary and stop_word are above


async def test_the_last_sentence_is_known_as_the_last(agent: Agent) -> None:
    """The token behind it is looked at, so that nobody continues in vain."""
    done = await agent.ask("start_stream", "a", **asking("What is your name?"), **SENTENCES)

    assert (done["reason"], done["done"], done["paused"]) == ("sentence_boundary_eos", True, False)


async def test_a_continue_at_the_very_end_is_empty(agent: Agent) -> None:
    """After exactly as many tokens as the answer has."""
    whole = await agent.ask("start_stream", "whole", **asking("hello"))
    await agent.ask("start_stream", "a", **asking("hello", pause={"max_tokens": whole["tokens"]}))

    done = await agent.ask("continue_stream", "a")

    assert (done["reason"], done["done"], done["text"], done["tokens"]) == ("empty_response", True, "", 0)
    assert done["full_text"] == whole["text"]


async def test_a_continue_after_the_end_says_so(agent: Agent) -> None:
    """In both modes, as often as it is asked."""
    await agent.ask("start_stream", "a", **asking("hello"))
    await agent.tell("start_stream", "b", **asking("hello", **TOKENS))
    await agent.chunk()

    buffered = [await agent.ask("continue_stream", "a") for _ in range(2)]
    done = await agent.ask("continue_stream", "b")

    assert [(each["reason"], each["done"], each["text"]) for each in buffered] == [("already_done", True, "")] * 2
    figures = {"text": "", "tokens": 0, "ttft_ms": 0, "elapsed_ms": done["elapsed_ms"]}
    assert done == {"type": "done", "reason": "already_done", **figures}


async def test_a_full_context_ends_the_answer(tmp_path: Path) -> None:
    """There is nothing to continue with: done, max_tokens."""
    settings = {"http": {"enabled": True}, "llm": {"context": 128}}
    async with running_app(tmp_path, settings) as app, agent_at(app) as agent:
        done = await agent.ask("start_stream", "a", **asking(LONG_QUESTION))

    assert (done["reason"], done["done"]) == ("max_tokens", True)
    assert done["tokens"] <= 128


async def test_an_engine_that_dies_is_a_connection_error(agent: Agent) -> None:
    """The stream is over with what it said; the next one is served by a new engine."""
    await agent.tell("start_stream", "a", **asking(LONG_QUESTION, **TOKENS))
    await agent.hear()

    kill_children()
    text, done = await agent.chunk()

    assert (done["type"], done["reason"]) == ("done", "connection_error")
    assert done["text"].endswith(text)
    assert (await agent.ask("continue_stream", "a"))["reason"] == "already_done"
    assert (await agent.ask("start_stream", "b", **asking("hello")))["reason"] == "stop_word"


async def test_an_engine_that_dies_while_a_stream_is_held_is_told_at_the_continue(agent: Agent) -> None:
    """Nobody waits for a message before."""
    await agent.ask("start_stream", "a", **asking(LONG_QUESTION, pause={"max_tokens": 3}))

    killed = kill_children()
    await eventually(lambda: not any(child.is_running() for child in killed))

    assert await agent.ask("ping") == {"status": "pong"}
    assert (await agent.ask("continue_stream", "a"))["reason"] == "connection_error"


async def test_an_engine_that_cannot_start_is_a_connection_error(tmp_path: Path) -> None:
    """In the form that the client waits for."""
    argv_for = bad_unit("cannot-load")
    async with running_app(tmp_path, {"http": {"enabled": True}}, argv_for) as app, agent_at(app) as agent:
        done = await agent.ask("start_stream", "a", **asking("hello"))

    assert (done["status"], done["reason"], done["done"]) == ("started", "connection_error", True)


async def test_a_task_that_somebody_else_ends_is_a_connection_error(agent: Agent, http_daemon: App) -> None:
    """Whoever may talk to the daemon may end its tasks."""
    await agent.tell("start_stream", "a", **asking(LONG_QUESTION, **TOKENS))
    await agent.hear()

    (task,) = await tasks_of(http_daemon)
    await Guest(http_daemon, "administrator", "tcp").ask(task["work_id"], "exit")
    _, done = await agent.chunk()

    assert (done["type"], done["reason"]) == ("done", "connection_error")


# Several streams


async def test_streams_of_one_connection_run_side_by_side(agent: Agent) -> None:
    """The second is done while the first still generates; no text is mixed up."""
    story = (await agent.ask("start_stream", "story", **asking(LONG_QUESTION)))["text"]
    hello = (await agent.ask("start_stream", "hello", **asking("hello")))["text"]
    await agent.tell("start_stream", "a", **asking(LONG_QUESTION))

    second = await agent.ask("start_stream", "b", **asking("hello"))
    first = await agent.hear()

    assert (second["stream_id"], second["text"]) == ("b", hello)
    assert (first["stream_id"], first["text"]) == ("a", story)


async def test_tokens_of_two_streams_say_whose_they_are(agent: Agent) -> None:
    """Only while more than one speaks: the document knows no id in them."""
    await agent.tell("start_stream", "a", **asking(LONG_QUESTION, **TOKENS))
    alone = await agent.hear()

    await agent.tell("start_stream", "b", **asking(JOKE, **TOKENS))
    said = [alone, *[await agent.hear() for _ in range(40)]]
    while not (said[-1]["type"] == "done" and said[-1].get("stream_id") != "b"):
        said.append(await agent.hear())

    assert "stream_id" not in alone
    of_b = [each for each in said if each.get("stream_id") == "b"]
    assert "".join(each.get("content", "") for each in of_b) == of_b[-1]["text"]
    of_a = [each for each in said if each.get("stream_id") != "b"]
    assert "".join(each.get("content", "") for each in of_a) == of_a[-1]["text"]


async def test_ids_belong_to_their_connection(agents: Callable[[], Any]) -> None:
    """Two agents that call their streams alike do not meet."""
    one, other = await agents(), await agents()
    await one.ask("start_stream", "a", **asking(LONG_QUESTION, pause={"max_tokens": 5}))

    assert await other.ask("continue_stream", "a") == {"error": "Stream not found"}
    assert (await other.ask("start_stream", "a", **asking("hello")))["done"] is True
    assert (await one.ask("continue_stream", "a", pause={"max_tokens": 5}))["tokens"] == 5


async def test_a_ping_is_answered_while_a_stream_generates(agent: Agent) -> None:
    """The answer of the stream comes later."""
    await agent.tell("start_stream", "a", **asking(LONG_QUESTION))

    assert await agent.ask("ping") == {"status": "pong"}
    assert (await agent.hear())["status"] == "started"


# Bad input


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("{no json", {"error": "Invalid JSON"}),
        ("[1, 2]", {"error": "Invalid JSON"}),
        (b"\x00\xff", {"error": "Invalid JSON"}),
        (b'{"action": "ping"}', {"error": "Invalid JSON"}),
        ("{}", {"error": "Unknown action: None"}),
        ('{"action": "foo"}', {"error": "Unknown action: foo"}),
        ('{"action": ["ping"]}', {"error": "Unknown action: ['ping']"}),
        ('{"action": "start_stream"}', {"error": "stream_id required"}),
        ('{"action": "continue_stream", "stream_id": ""}', {"error": "stream_id required"}),
        ('{"action": "end_stream", "stream_id": 7}', {"error": "stream_id required"}),
        (f'{{"action": "start_stream", "stream_id": "{"x" * 257}"}}', {"error": "stream_id may have 256 characters"}),
        ('{"action": "continue_stream", "stream_id": "x"}', {"error": "Stream not found"}),
        ('{"action": "end_stream", "stream_id": "x"}', {"error": "Stream not found"}),
    ],
)
async def test_bad_messages_get_the_documents_errors(agent: Agent, message: str | bytes, reply: Message) -> None:
    """And the next message is served."""
    await agent.ask("ping")

    await agent.socket.send(message)

    assert await agent.hear() == reply
    assert await agent.ask("ping") == {"status": "pong"}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"messages": None}, "messages must be a list"),
        ({"messages": []}, "messages must be a list"),
        ({"messages": "hello"}, "messages must be a list"),
        ({"messages": ["hello"]}, "messages[0] must be an object"),
        ({"messages": [{"role": "robot", "content": "x"}]}, "role"),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0]"),
        ({"messages": [{"role": "user", "content": "x " * 20_000}]}, "the context holds 4096"),
        ({"temperature": "hot"}, "temperature must be a number"),
        ({"temperature": True}, "temperature must be a number"),
        ({"temperature": -1}, "temperature is -1"),
        ({"stream_tokens": "yes"}, "stream_tokens must be true or false"),
        ({"pause": 10}, "pause must be an object"),
        ({"pause": {"max_tokens": 0}}, "pause.max_tokens must be a whole number from 1"),
        ({"pause": {"max_tokens": "10"}}, "pause.max_tokens must be a whole number from 1"),
        ({"pause": {"sentence_boundary": "yes"}}, "pause.sentence_boundary must be true or false"),
    ],
)
async def test_a_start_that_cannot_be_served_starts_nothing(agent: Agent, fields: Message, words: str) -> None:
    """The error names the stream, whose id is free again."""
    reply = await agent.ask("start_stream", "a", **(asking("hello") | fields))

    assert set(reply) == {"stream_id", "error"}
    assert (reply["stream_id"], words in reply["error"]) == ("a", True)
    assert (await agent.ask("start_stream", "a", **asking("hello")))["done"] is True


async def test_a_stream_is_started_once(agent: Agent) -> None:
    """Whether it is held or done; after its end the id may be used again."""
    await agent.ask("start_stream", "a", **asking(LONG_QUESTION, pause={"max_tokens": 3}))
    twice = await agent.ask("start_stream", "a", **asking("hello"))
    still_held = await agent.ask("continue_stream", "a")
    thrice = await agent.ask("start_stream", "a", **asking("hello"))

    assert twice == thrice == {"stream_id": "a", "error": "Stream already started"}
    assert still_held["done"] is True
    await agent.ask("end_stream", "a")
    assert (await agent.ask("start_stream", "a", **asking("hello")))["status"] == "started"


async def test_a_bad_continue_leaves_the_stream_held(agent: Agent) -> None:
    """A wrong policy, or one while it still generates."""
    await agent.ask("start_stream", "a", **asking(LONG_QUESTION, pause={"max_tokens": 3}))
    refused = await agent.ask("continue_stream", "a", pause="soon")
    await agent.tell("continue_stream", "a")
    impatient = await agent.ask("continue_stream", "a")

    assert refused == {"stream_id": "a", "error": 'pause must be an object such as {"max_tokens": 10}'}
    assert impatient == {"stream_id": "a", "error": "Stream is still generating"}
    assert (await agent.hear())["reason"] == "stop_word"


def test_a_policy_that_is_none_is_refused() -> None:
    """By name."""
    with pytest.raises(Refusal, match="pause must be an object"):
        read_pause({"pause": []})


async def test_a_connection_has_so_many_streams(agent: Agent) -> None:
    """An agent that never ends its streams is told, and may go on when it has ended one."""
    for number in range(MAX_STREAMS):
        await agent.ask("start_stream", str(number), **asking("hello", pause={"max_tokens": 1}))
        await agent.ask("continue_stream", str(number))

    refused = await agent.ask("start_stream", "more", **asking("hello"))
    await agent.ask("end_stream", "7")

    assert refused == {
        "stream_id": "more",
        "error": f"{MAX_STREAMS} streams are open on this connection, end one first",
    }
    assert (await agent.ask("start_stream", "more", **asking("hello")))["done"] is True


# Ends


async def test_an_end_cuts_what_is_generated(agent: Agent, http_daemon: App) -> None:
    """Its confirmation is the last that is heard of the stream; its task is gone."""
    await agent.tell("start_stream", "a", **asking(LONG_QUESTION, **TOKENS))
    await agent.hear()

    await agent.tell("end_stream", "a")
    while (message := await agent.hear()).get("type") == "token":
        pass

    assert message == {"stream_id": "a", "status": "ended"}
    assert await agent.ask("ping") == {"status": "pong"}
    assert await asyncio.wait_for(no_task_is_left(http_daemon), 5)


async def test_an_end_before_the_engine_is_there_leaves_nothing(tmp_path: Path) -> None:
    """The task that is born after all ends at once."""
    gate = tmp_path / "gate"
    argv_for = bad_unit("gated", gate)
    async with running_app(tmp_path, {"http": {"enabled": True}}, argv_for) as app, agent_at(app) as agent:
        await agent.tell("start_stream", "a", **asking("hello"))
        ended = await agent.ask("end_stream", "a")
        gate.touch()

        assert ended == {"stream_id": "a", "status": "ended"}
        assert await asyncio.wait_for(no_task_is_left(app), 5)


async def test_a_client_that_vanishes_frees_its_slot(http_daemon: App) -> None:
    """What it left running and held ends at once, seen by everybody."""
    async with agent_at(http_daemon) as agent:
        await agent.ask("start_stream", "held", **asking(LONG_QUESTION, pause={"max_tokens": 3}))
        await agent.tell("start_stream", "running", **asking(LONG_QUESTION, **TOKENS))
        await agent.hear()
        seen = await tasks_of(http_daemon)

        agent.socket.transport.abort()

        assert [(task["unit"], task["door"], task["state"]) for task in seen] == [
            ("llm", "ws", "paused"),
            ("llm", "ws", "running"),
        ]
        assert await asyncio.wait_for(no_task_is_left(http_daemon), 5)
        assert (await health_of(http_daemon))["active_streams"] == 0
