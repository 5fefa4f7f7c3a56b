"""Covers unitd.doors.http.turnchat: the document of the turn-based chat, its queue and its recordings."""

import asyncio
import sys
import wave
from pathlib import Path

import httpx
import numpy as np
import orjson
import pytest

from tests.doors.http.conftest import Start
from tests.support.clients.onlooker import tasks_of, until_no_task_is_left
from tests.support.clients.turnchat_client import (
    ENDLESS,
    GREEDY,
    STORY,
    ask,
    chat,
    chat_socket,
    everything,
    get,
    post,
    receive,
    sound_in,
    types_of,
    url,
)
from tests.support.daemon import tcp_client
from tests.support.programs import PROGRAMS
from tests.support.servers.far_server import far_server
from tests.support.units.spoken import RATE, silence
from tests.support.waiting import MS
from unitd.app import App

pytestmark = pytest.mark.timeout(60)

EXAMPLE = PROGRAMS / "turnchat_example.py"


# Text


async def test_an_answer_comes_token_by_token(http_daemon: App) -> None:
    """prefill_done, the chunks, done with all of it, and the connection is closed."""
    async with chat_socket(http_daemon) as ws:
        await ws.send(orjson.dumps(ask("Hello!")).decode())
        messages = await everything(ws)

    first, *chunks, done = messages
    assert types_of(messages) == ["prefill_done", "chunk", "done"]
    assert done == {
        "type": "done",
        "text": "".join(chunk["text_delta"] for chunk in chunks),
        "generated_tokens": done["generated_tokens"],
        "input_tokens": first["input_tokens"],
        "audio_data": None,
        "recording_session_id": None,
        "warnings": [],
    }
    assert {chunk["audio_data"] for chunk in chunks} == {None}
    assert len(chunks) <= done["generated_tokens"] <= 60
    assert ws.close_code == 1000


async def test_a_server_behind_the_engine_does_not_tell_how_long_the_prompt_is(start: Start) -> None:
    """Not before its answer: null, and not that there was none."""
    async with far_server() as (_, address):
        first, *_ = await chat(await start(llm={"url": address}), ask("3"))

    assert first == {"type": "prefill_done", "input_tokens": None}


async def test_without_streaming_only_the_result_comes(http_daemon: App) -> None:
    """The same text, in one piece; over POST, too."""
    streamed = await chat(http_daemon, ask("Hello!"))

    whole = await chat(http_daemon, ask("Hello!", streaming=False))
    posted = await post(http_daemon, ask("Hello!"))

    assert types_of(whole) == ["prefill_done", "done"]
    assert whole[-1] == streamed[-1]
    assert (posted.status_code, posted.json()) == (200, streamed[-1])


async def test_nothing_is_remembered_between_requests(http_daemon: App) -> None:
    """The history is what the client says it is, nothing else."""
    history = [*STORY, {"role": "assistant", "content": "Once upon a time."}, {"role": "user", "content": "Hello!"}]

    first = await chat(http_daemon, ask("Hello!"))
    longer = await chat(http_daemon, {"messages": history, "generation": GREEDY})
    again = await chat(http_daemon, ask("Hello!"))

    assert again == first
    assert longer[-1]["input_tokens"] > first[-1]["input_tokens"]
    assert await tasks_of(http_daemon) == []


async def test_texts_of_a_content_list_are_one_text(http_daemon: App) -> None:
    """A list with one text is that text; two stand below each other."""
    plain = await chat(http_daemon, ask("Hello!\nHow are you?"))

    listed = await chat(http_daemon, ask([{"type": "text", "text": each} for each in ("Hello!", "How are you?")]))

    assert listed == plain


async def test_the_length_penalty_decides_where_an_answer_ends(http_daemon: App) -> None:
    """Over 1 it grows longer, below 1 shorter."""
    usual, longest, shortest = [
        (await chat(http_daemon, ask("Hello!", generation=GREEDY | {"length_penalty": penalty})))[-1]
        for penalty in (1.0, 100, 0.01)
    ]

    assert longest["generated_tokens"] == 60 > usual["generated_tokens"]
    assert shortest["generated_tokens"] < usual["generated_tokens"]


async def test_every_chat_is_a_task_while_it_runs(http_daemon: App) -> None:
    """With a work_id that other clients see, and may interrupt: then `done` comes early and says so."""
    async with chat_socket(http_daemon) as ws:
        await ws.send(orjson.dumps({"messages": STORY, "generation": ENDLESS}).decode())
        await receive(ws)

        (task,) = await tasks_of(http_daemon)
        async with tcp_client(http_daemon) as client:
            await client.ask(work_id=task["work_id"], action="exit")
        *_, done = await everything(ws)

    assert (task["unit"], task["door"], task["state"]) == ("llm", "ws", "running")
    assert done["generated_tokens"] < ENDLESS["max_new_tokens"]
    assert done["warnings"] == ["the answer was interrupted"]


# The document's example


async def run_example(app: App, *arguments: str) -> list[str]:
    """The lines that the document's client prints."""
    command = (sys.executable, str(EXAMPLE), url(app, "/ws/chat", "ws"), *arguments)
    running = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    printed, _ = await running.communicate()
    assert running.returncode == 0
    return printed.decode().splitlines()


async def test_the_documents_client_hears_an_answer(http_daemon: App) -> None:
    """It prints what the document says that it prints."""
    lines = await run_example(http_daemon)

    streamed = [line.removeprefix("Streaming: ") for line in lines if line.startswith("Streaming: ")]
    assert lines[0].startswith("Prefill done, ")
    assert lines[-3:-1] == [f"Final: {streamed[-1]}", lines[-2]]
    assert lines[-2].startswith("Tokens: ")
    assert float(lines[-1].removeprefix("Received ").removesuffix("s of audio")) > 0.3


async def test_the_documents_client_may_send_a_voice_sample(http_daemon: App, tmp_path: Path) -> None:
    """Its words are not taken for the prompt's, so nothing else changes."""
    file = tmp_path / "ref.wav"
    with wave.open(str(file), "wb") as writer:
        writer.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
        writer.writeframes(silence(1).tobytes())

    lines = await run_example(http_daemon, str(file))

    assert lines[0].startswith("Prefill done, ")
    assert "s of audio" in lines[-1]


# The queue


async def test_who_finds_all_slots_taken_waits_for_a_turn(start: Start) -> None:
    """First come, first served; each hears its place, and every one nearer."""
    app = await start(llm={"slots": 1})
    async with chat_socket(app) as first, chat_socket(app) as second, chat_socket(app) as third:
        await first.send(orjson.dumps({"messages": STORY, "generation": ENDLESS}).decode())
        assert (await receive(first))["type"] == "prefill_done"

        await second.send(orjson.dumps(ask("Hello!")).decode())
        assert await receive(second) == {"type": "queued", "position": 1}
        await third.send(orjson.dumps(ask("Hello!")).decode())
        assert await receive(third) == {"type": "queued", "position": 2}
        queue = (await get(app, "/api/queue")).json()
        await first.close()
        served, then = await everything(second), await everything(third)

    assert queue == {"slots": 1, "active": 1, "queued": 2}
    assert types_of(served) == ["queue_done", "prefill_done", "chunk", "done"]
    assert then[0] == {"type": "queued", "position": 1}
    assert types_of(then[1:]) == types_of(served)
    assert (await get(app, "/api/queue")).json() == {"slots": 1, "active": 0, "queued": 0}


async def test_who_vanishes_frees_the_slot_at_once(start: Start) -> None:
    """In the middle of an answer, and also one that is fetched by POST."""
    app = await start(llm={"slots": 1})
    async with chat_socket(app) as ws:
        await ws.send(orjson.dumps({"messages": STORY, "generation": ENDLESS, "tts": {}}).decode())
        await receive(ws)
        ws.transport.abort()
    with pytest.raises(httpx.ReadTimeout):
        async with httpx.AsyncClient(timeout=0.5) as client:
            await client.post(url(app, "/api/chat"), json={"messages": STORY, "generation": ENDLESS})

    async with asyncio.timeout(2000 * MS):  # to its end the first answer would take ten times as long
        messages = await chat(app, ask("Hello!"))

    assert types_of(messages)[-1] == "done"
    await until_no_task_is_left(app)


async def test_as_many_as_there_are_slots_are_served_together(start: Start) -> None:
    """Nobody waits, no stream is mixed up."""
    app = await start(llm={"slots": 2})
    alone = await chat(app, ask("Hello!"))

    first, second = await asyncio.gather(chat(app, ask("Hello!")), chat(app, ask("Hello!")))

    assert first == second == alone


# Recording


async def test_a_recorded_session_can_be_fetched_again(start: Start) -> None:
    """Where the administrator wants it; with the request, and all of the sound."""
    app = await start(http={"record_sessions": True})
    request = ask("Hello!", tts={})

    messages = await chat(app, request)
    session_id = messages[-1]["recording_session_id"]
    session = (await get(app, f"/api/sessions/{session_id}")).json()

    assert session["id"] == session_id
    assert session["request"] == request
    assert session["answer"]["text"] == messages[-1]["text"]
    assert np.array_equal(sound_in(session["answer"]), sound_in(*messages))


@pytest.mark.parametrize("session_id", ["chat_" + "0" * 32, "..%2f..%2fcounter", "%2e%2e", "chat_%00", "x" * 4000])
async def test_no_other_file_is_fetched_as_a_session(start: Start, session_id: str) -> None:
    """A path is no id."""
    app = await start(http={"record_sessions": True})

    response = await get(app, f"/api/sessions/{session_id}")

    assert response.status_code == 404
    assert "error" in response.json()


async def test_nothing_is_recorded_unless_it_is_wanted(http_daemon: App, tmp_path: Path) -> None:
    """No session is written, and the answer names no session."""
    await chat(http_daemon, ask("Hello!"))

    response = await get(http_daemon, "/api/sessions/chat_" + "0" * 32)

    assert (response.status_code, response.json()["error"]) == (404, "recording is off ([http] record_sessions)")
    assert not (tmp_path / "sessions").exists()
