"""Covers chunked and chunked_stream: the voice agent's socket, message by message, and why a chunk ends."""

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.onlooker import tasks_of
from tests.support.clients.voice_agent import JOKE, SENTENCES, TOKENS, Agent, Message, agent_at, asking, kill_children
from tests.support.daemon import running_app
from tests.support.programs import PROGRAMS
from tests.support.programs.bad_unit import bad_unit
from tests.support.setups import LONG_QUESTION
from tests.support.waiting import eventually
from unitd.app import App
from unitd.doors.http.chunked.stream import read_pause
from unitd.doors.local_client import LocalClient

EXAMPLE = (PROGRAMS / "chunked_example.py").read_text()


# The document


@pytest.fixture
def http_daemon(shared_daemon: App) -> App:
    """One daemon for the tests that leave it as it was."""
    return shared_daemon


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
    first = await agent.ask("start_stream", "a", **asking("good night"), **SENTENCES)

    chunks = await agent.sentences("a", first)

    assert not chunks[-1]["full_text"][-1].isascii()  # the only answer that it has learned ends with a moon
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


@pytest.mark.own_daemon
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


@pytest.mark.own_daemon
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


@pytest.mark.own_daemon
async def test_a_task_that_somebody_else_ends_is_a_connection_error(agent: Agent, http_daemon: App) -> None:
    """Whoever may talk to the daemon may end its tasks."""
    await agent.tell("start_stream", "a", **asking(LONG_QUESTION, **TOKENS))
    await agent.hear()

    (task,) = await tasks_of(http_daemon)
    await LocalClient(http_daemon, "administrator", "tcp").ask(task["work_id"], "exit")
    _, done = await agent.chunk()

    assert (done["type"], done["reason"]) == ("done", "connection_error")
