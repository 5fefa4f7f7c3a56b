"""Covers unitd.doors.http.turnchat, .turnchat_turn, .turnchat_voice and .hearing: the turn-based chat's document."""

import asyncio
import base64
import logging
import os
import sys
import wave
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import orjson
import psutil
import pytest
import soxr
from numpy.typing import NDArray
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.conftest import running_app, tcp_client
from tests.helpers import MS, WireClient
from tests.units.spoken import RATE, Samples, joined, silence, speak
from unitd.app import App, unit_argv

pytestmark = pytest.mark.timeout(60)

Message = dict[str, Any]
Start = Callable[..., Awaitable[App]]

EXAMPLE = Path(__file__).parent / "turnchat_example.py"
GREEDY = {"temperature": 0, "max_new_tokens": 60}
# At a length penalty of 100 an answer does not end by itself.
ENDLESS = {"temperature": 0, "max_new_tokens": 3000, "length_penalty": 100}
STORY = [{"role": "user", "content": "tell me a very long story"}]
CLIENT_RATE = 24000
TTS = {"model": "unitd-tts", "response_format": "tts.base64", "input": "tts.utf-8", "enoutput": True}


@pytest.fixture
async def start(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[Start]:
    """Starts a daemon with these tables of the configuration."""
    caplog.set_level(logging.INFO)
    async with AsyncExitStack() as stack:

        async def make(argv_for: Callable[[str], Sequence[str]] = unit_argv, **tables: Any) -> App:
            tables["http"] = {"enabled": True, "port": 0} | tables.get("http", {})
            return await stack.enter_async_context(running_app(tmp_path, tables, argv_for))

        yield make


def url(app: App, path: str, scheme: str = "http") -> str:
    """An address of the door."""
    host, port = app.endpoints["http"]
    return f"{scheme}://{host}:{port}{path}"


def chat_socket(app: App) -> connect:
    """A connection for one chat."""
    return connect(url(app, "/ws/chat", "ws"), max_size=None)


async def receive(ws: ClientConnection) -> Message:
    """The next message."""
    async with asyncio.timeout(30):
        message: Message = orjson.loads(await ws.recv())
    return message


async def everything(ws: ClientConnection) -> list[Message]:
    """All messages until the server closes."""
    messages = []
    try:
        while True:
            messages.append(await receive(ws))
    except ConnectionClosed:
        return messages


async def chat(app: App, request: Message | str | bytes) -> list[Message]:
    """One chat from its request to the end."""
    async with chat_socket(app) as ws:
        await ws.send(orjson.dumps(request).decode() if isinstance(request, dict) else request)
        return await everything(ws)


async def post(app: App, request: Message | bytes) -> httpx.Response:
    """The same by POST."""
    content = orjson.dumps(request) if isinstance(request, dict) else request
    async with httpx.AsyncClient(timeout=30) as client:
        return await client.post(url(app, "/api/chat"), content=content)


async def get(app: App, path: str) -> httpx.Response:
    """Something to look at."""
    async with httpx.AsyncClient() as client:
        return await client.get(url(app, path))


async def tasks(app: App) -> list[Message]:
    """What a client of TCP sees of it."""
    async with tcp_client(app) as client:
        return await listed(client)


async def listed(client: WireClient) -> list[Message]:
    """All tasks."""
    found: list[Message] = (await client.ask(work_id="sys", action="lstask"))["data"]
    return found


def task_of(unit: str, seen: list[Message]) -> Message:
    """The task of this unit, nothing when there is none."""
    return next((task for task in seen if task["unit"] == unit), {})


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Returns as soon as the condition holds."""
    async with asyncio.timeout(5):
        while not await condition():
            await asyncio.sleep(0.005)


def ask(question: str | list[Message], **fields: Any) -> Message:
    """A request that asks this, greedily."""
    return {"messages": [{"role": "user", "content": question}], "generation": GREEDY} | fields


def floats_of(samples: Samples, rate: int = RATE) -> str:
    """As a browser sends what it heard, at its own rate."""
    floats = samples.astype(np.float32) / 32768
    if rate != RATE:
        floats = soxr.resample(floats, RATE, rate)
    return base64.b64encode(floats.astype("<f4").tobytes()).decode()


def sound_in(*messages: Message) -> NDArray[np.float32]:
    """What these messages let a client hear."""
    heard = [base64.b64decode(each["audio_data"]) for each in messages if each.get("audio_data")]
    return np.frombuffer(b"".join(heard), "<f4")


def types_of(messages: list[Message]) -> list[str]:
    """Their types, repetitions left out."""
    types = [each["type"] for each in messages]
    return [each for at, each in enumerate(types) if at == 0 or types[at - 1] != each]


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
    assert await tasks(http_daemon) == []


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

        async with tcp_client(http_daemon) as client:
            (task,) = await listed(client)
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


# Ears


@pytest.mark.parametrize("rate", [16000, 44100])
async def test_a_spoken_question_is_answered_like_a_written_one(http_daemon: App, rate: int) -> None:
    """The asr unit hears it, at whatever rate the browser recorded."""
    audio = {"type": "audio", "data": floats_of(speak("what is the capital of france"), rate), "sample_rate": rate}

    spoken = await chat(http_daemon, ask([audio]))
    written = await chat(http_daemon, ask("what is the capital of france"))

    assert spoken == written


async def test_all_that_is_said_in_a_recording_counts(http_daemon: App) -> None:
    """Also behind a pause that ends an utterance; and the texts around it."""
    question = speak("what is the capital of france")
    content = [
        {"type": "text", "text": "Listen:"},
        {"type": "audio", "data": floats_of(joined(question, silence(2), question))},
    ]

    spoken = await chat(http_daemon, ask(content))
    written = await chat(http_daemon, ask("Listen:\nwhat is the capital of france what is the capital of france"))

    assert spoken == written


async def test_a_voice_sample_in_a_system_message_is_no_prompt(http_daemon: App) -> None:
    """Whatever its speaker says, it is there for its sound."""
    system = [
        {"type": "text", "text": "Mimic the voice from the audio sample."},
        {"type": "audio", "data": floats_of(silence(0.5))},
        {"type": "text", "text": "You are a helpful assistant."},
    ]
    plain = "Mimic the voice from the audio sample.\nYou are a helpful assistant."
    hello = {"role": "user", "content": "Hello!"}

    sampled, written = [
        (await chat(http_daemon, {"messages": [{"role": "system", "content": content}, hello], "generation": GREEDY}))[
            -1
        ]
        for content in (system, plain)
    ]

    assert sampled["warnings"].pop().startswith("messages[0].content[1] is a voice sample")
    assert sampled == written


async def test_a_recording_without_speech_is_told(http_daemon: App) -> None:
    """In an old turn it is a warning; where it is the question, there is nothing to answer."""
    quiet = [{"type": "audio", "data": floats_of(silence(0.5))}]
    turns = [{"role": "user", "content": quiet}, {"role": "assistant", "content": "Pardon?"}]

    *_, done = await chat(http_daemon, {"messages": [*turns, {"role": "user", "content": "Hello!"}]})
    messages = await chat(http_daemon, ask(quiet))

    assert done["warnings"] == ["messages[0].content[0]: no speech is understood in it"]
    assert messages == [{"type": "error", "error": "messages[0] says nothing that could be answered"}]


# A voice


async def test_an_answer_is_spoken_while_it_is_written(http_daemon: App) -> None:
    """Sound comes between the texts, sentence by sentence; the last segment with `done`."""
    request = {"messages": STORY, "generation": GREEDY | {"max_new_tokens": 200}, "tts": {"enabled": True}}

    messages = await chat(http_daemon, request)

    texts = [at for at, each in enumerate(messages) if each.get("text_delta")]
    sounds = [at for at, each in enumerate(messages) if each["type"] == "chunk" and each["audio_data"]]
    heard = sound_in(*messages)
    assert sounds[0] < texts[-1]
    assert len(sound_in(messages[-1])) == CLIENT_RATE // 10
    assert max(len(sound_in(messages[at])) for at in sounds) <= CLIENT_RATE
    assert 5 < len(heard) / CLIENT_RATE < 120
    assert 0.1 < np.abs(heard).max() <= 1.0


async def test_without_streaming_all_of_the_sound_comes_at_the_end(http_daemon: App) -> None:
    """As much as the stream has; espeak-ng does not speak twice in exactly the same way."""
    request = ask("tell me a story", tts={})

    streamed = await chat(http_daemon, request)
    whole = await chat(http_daemon, request | {"streaming": False})
    posted = (await post(http_daemon, request)).json()

    seconds = [len(sound_in(*each)) / CLIENT_RATE for each in (streamed, whole, [posted])]
    assert types_of(whole) == ["prefill_done", "done"]
    assert seconds == pytest.approx([seconds[0]] * 3, abs=0.1)
    assert posted["text"] == whole[-1]["text"]


async def test_speech_is_at_24_kilohertz(http_daemon: App) -> None:
    """It lasts as long as the same text that a client of TCP has spoken, and the pause behind it."""
    *_, done = await chat(http_daemon, ask("what is the capital of france", tts={}, streaming=False))

    async with tcp_client(http_daemon) as client:
        work_id = await client.setup("tts", TTS)
        frame = await client.ask(work_id=work_id, action="inference", object="tts.utf-8", data=done["text"])
    seconds = len(base64.b64decode(frame["data"])) / 2 / RATE

    assert "Paris" in done["text"]
    assert len(sound_in(done)) / CLIENT_RATE == pytest.approx(seconds + 0.1, abs=0.1)


async def test_the_language_picks_the_voice(http_daemon: App) -> None:
    """The same text sounds otherwise in German; a language that nobody speaks is spoken in the usual voice."""
    english, german, strange = [
        (await chat(http_daemon, ask("Hello!", tts={"language": language}, streaming=False)))[-1]
        for language in ("en", "de", "tlh-x")
    ]

    assert english["text"] == german["text"] == strange["text"]
    assert not np.array_equal(sound_in(english), sound_in(german))
    assert len(sound_in(strange)) > 0
    assert strange["warnings"][0].startswith("there is no voice for 'tlh-x'")


async def test_no_voice_is_imitated_and_no_path_is_opened(http_daemon: App, tmp_path: Path) -> None:
    """Opening a pipe that nobody writes to would wait forever."""
    os.mkfifo(tmp_path / "ref.wav")

    *_, done = await chat(http_daemon, ask("Hello!", tts={"ref_audio_path": str(tmp_path / "ref.wav")}))

    assert done["warnings"] == ["the voice of the reference audio cannot be imitated; this is the unit's own voice"]
    assert len(sound_in(done)) > 0


async def test_without_a_voice_the_text_comes_all_the_same(start: Start) -> None:
    """`done` says why nothing is heard."""
    app = await start(lambda unit: ("/no/such/program",) if unit == "tts" else unit_argv(unit))

    *chunks, done = await chat(app, ask("Hello!", tts={"enabled": True}))

    assert done["text"]
    assert len(sound_in(*chunks, done)) == 0
    assert done["warnings"][0].startswith("there is no voice: Model loading failed.")


async def test_a_voice_that_dies_takes_no_text_away(http_daemon: App) -> None:
    """`done` says what happened to it."""
    async with chat_socket(http_daemon) as ws:
        request = {"messages": STORY, "generation": ENDLESS | {"max_new_tokens": 400}, "tts": {}}
        await ws.send(orjson.dumps(request).decode())
        while not (await receive(ws)).get("audio_data"):
            pass
        (child,) = [each for each in psutil.Process().children(recursive=True) if "tts" in each.cmdline()]
        child.kill()
        *_, done = await everything(ws)

    assert done["generated_tokens"] == 400
    assert done["warnings"][0].startswith("the voice failed: Model run failed.")


async def test_a_voice_may_be_ended_in_the_middle(http_daemon: App) -> None:
    """Somebody ends its task; the text goes on."""
    async with chat_socket(http_daemon) as ws:
        request = {"messages": STORY, "generation": ENDLESS | {"max_new_tokens": 400}, "tts": {}}
        await ws.send(orjson.dumps(request).decode())
        await receive(ws)
        async with tcp_client(http_daemon) as client:
            seen = await listed(client)
            await client.ask(work_id=task_of("tts", seen)["work_id"], action="exit")
        *_, done = await everything(ws)

    assert task_of("tts", seen)["inputs_"] == [task_of("llm", seen)["work_id"]]
    assert done["generated_tokens"] == 400


async def test_a_voice_may_be_ended_before_its_first_word(http_daemon: App) -> None:
    """While a long prompt is read: the answer does not wait for a voice that is not there."""
    async with chat_socket(http_daemon) as ws, tcp_client(http_daemon) as client:
        await ws.send(orjson.dumps(ask("tell me a story " * 800, tts={})).decode())
        while task_of("llm", seen := await listed(client)).get("state") != "running":
            pass
        await client.ask(work_id=task_of("tts", seen)["work_id"], action="exit")
        first, *_, done = await everything(ws)

    assert first["type"] == "prefill_done"
    assert done["text"]
    assert done["warnings"] == ["the voice was ended while the answer was written"]


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
    await until(lambda: _is_empty(app))


async def _is_empty(app: App) -> bool:
    return await tasks(app) == []


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
    """Neither written nor told."""
    await chat(http_daemon, ask("Hello!"))

    response = await get(http_daemon, "/api/sessions/chat_" + "0" * 32)

    assert (response.status_code, response.json()["error"]) == (404, "recording is off ([http] record_sessions)")
    assert not (tmp_path / "sessions").exists()


# What cannot be answered


BAD_REQUESTS: list[tuple[bytes, str]] = [
    (b"hello", "the request is no JSON"),
    (orjson.dumps({"messages": []}), "messages is empty"),
    (orjson.dumps(ask([{"type": "audio", "data": "AAAAAAA="}])), "messages[0].content[0].data is no 32-bit float PCM"),
    (orjson.dumps(ask([{"type": "image", "data": "AAAA"}])), "messages[0].content[0].data is no image"),
    (orjson.dumps(ask("Hello!", generation={"temperature": "hot"})), "generation.temperature must be a number"),
    (orjson.dumps(ask(" ")), "messages[0] says nothing"),
]


@pytest.mark.parametrize(("request_", "words"), BAD_REQUESTS)
async def test_a_bad_request_is_told_what_is_wrong(http_daemon: App, request_: bytes, words: str) -> None:
    """One `error`, and the connection is closed; by POST it is status 400."""
    (error,) = await chat(http_daemon, request_.decode())
    response = await post(http_daemon, request_)

    assert error["type"] == "error"
    assert error["error"].startswith(words)
    assert (response.status_code, response.json()) == (400, error)


async def test_a_binary_message_is_no_request(http_daemon: App) -> None:
    """Not even one that holds JSON."""
    messages = await chat(http_daemon, orjson.dumps(ask("Hello!")))

    assert messages == [{"type": "error", "error": "the request must be a text message, this one is binary"}]


async def test_pictures_are_for_a_model_that_sees(http_daemon: App) -> None:
    """The error says what is missing."""
    picture = {"type": "image", "data": base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()}

    (error,) = await chat(http_daemon, ask([picture]))
    response = await post(http_daemon, ask([picture]))

    assert "needs a vision model, and none is installed" in error["error"]
    assert (response.status_code, response.json()) == (503, error)


async def test_a_prompt_that_does_not_fit_is_an_error(start: Start) -> None:
    """With the numbers; by POST it is status 422."""
    app = await start(llm={"context": 256})

    (error,) = await chat(app, ask("word " * 1000))
    response = await post(app, ask("word " * 1000))

    assert "the context holds 256" in error["error"]
    assert (response.status_code, response.json()) == (422, error)


async def test_a_message_of_100_megabytes_disturbs_nobody(http_daemon: App) -> None:
    """It is not even read: close code 1009, or status 413."""
    huge = "x" * 100_000_000
    async with chat_socket(http_daemon) as ws:
        with pytest.raises(ConnectionClosed):
            await ws.send(huge)
            await receive(ws)
    response = await post(http_daemon, huge.encode())

    assert ws.close_code == 1009
    assert response.status_code == 413
    assert types_of(await chat(http_daemon, ask("Hello!")))[-1] == "done"


async def test_what_comes_behind_the_request_changes_nothing(http_daemon: App) -> None:
    """One request for each connection."""
    async with chat_socket(http_daemon) as ws:
        await ws.send(orjson.dumps(ask("Hello!")).decode())
        await ws.send("and another thing")
        messages = await everything(ws)

    assert types_of(messages) == ["prefill_done", "chunk", "done"]


async def test_a_key_is_asked_for_where_there_is_one(start: Start) -> None:
    """Without it: an error and close code 1008, or status 401."""
    app = await start(http={"api_key": "secret"})

    async with chat_socket(app) as ws:
        messages = await everything(ws)
    async with connect(url(app, "/ws/chat?api_key=secret", "ws")) as allowed:
        await allowed.send(orjson.dumps(ask("Hello!")).decode())
        answered = await everything(allowed)
    response = await post(app, ask("Hello!"))

    assert [each["type"] for each in messages] == ["error"]
    assert (ws.close_code, response.status_code) == (1008, 401)
    assert types_of(answered)[-1] == "done"


async def test_there_are_only_so_many_seats(start: Start) -> None:
    """One more client is told so: close code 1013, or status 503."""
    app = await start(http={"connections": 1})

    async with chat_socket(app) as seated:
        await seated.ping()
        async with chat_socket(app) as ws:
            messages = await everything(ws)
        response = await post(app, ask("Hello!"))
        await seated.send(orjson.dumps(ask("Hello!")).decode())
        answered = await everything(seated)

    assert messages == [{"type": "error", "error": "1 clients are connected, no more are taken"}]
    assert (ws.close_code, response.status_code, response.json()) == (1013, 503, messages[0])
    assert types_of(answered)[-1] == "done"
