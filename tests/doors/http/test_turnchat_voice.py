"""Covers turnchat.voice and speech of unitd.doors.http: questions that are spoken, answers that are heard."""

import asyncio
import base64
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import orjson
import pytest
import soxr

from tests.doors.http.conftest import Start
from tests.support.children import own_children
from tests.support.clients.onlooker import tasks_of
from tests.support.clients.turnchat_client import (
    CLIENT_RATE,
    ENDLESS,
    GREEDY,
    STORY,
    Message,
    ask,
    chat,
    chat_socket,
    everything,
    post,
    receive,
    sound_in,
    types_of,
)
from tests.support.daemon import shared_app, tcp_client
from tests.support.setups import LLM_SETUP
from tests.support.units.spoken import RATE, Samples, joined, silence, speak
from tests.support.units.voice_setups import EARS
from tests.support.waiting import MS
from unitd.app import App, unit_argv

pytestmark = pytest.mark.timeout(60)

TTS = {"model": "unitd-tts", "response_format": "tts.base64", "input": "tts.utf-8", "enoutput": True}


def task_of(unit: str, seen: list[Message]) -> Message:
    """The task of this unit, nothing when there is none."""
    return next((task for task in seen if task["unit"] == unit), {})


def floats_of(samples: Samples, rate: int = RATE) -> str:
    """As a browser sends what it heard, at its own rate."""
    floats = samples.astype(np.float32) / 32768
    if rate != RATE:
        floats = soxr.resample(floats, RATE, rate)
    return base64.b64encode(floats.astype("<f4").tobytes()).decode()


@pytest.fixture(scope="module")
def module_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """One daemon with the programs that most tests need, whose start takes longer than these."""
    setups = {"llm": LLM_SETUP, "asr": EARS | {"model": "unitd-asr"}, "tts": TTS}
    with shared_app(tmp_path_factory.mktemp("daemon"), {"http": {"enabled": True}}, setups) as app:
        yield app


@pytest.fixture
def http_daemon(shared_daemon: App) -> App:
    """The daemon of this file, for the tests that leave it as it was."""
    return shared_daemon


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


@pytest.mark.own_daemon
async def test_a_voice_that_dies_takes_no_text_away(http_daemon: App) -> None:
    """`done` says what happened to it."""
    async with chat_socket(http_daemon) as ws:
        request = {"messages": STORY, "generation": ENDLESS | {"max_new_tokens": 400}, "tts": {}}
        await ws.send(orjson.dumps(request).decode())
        while not (await receive(ws)).get("audio_data"):
            pass
        (child,) = [each for each in own_children() if "tts" in each.cmdline()]
        child.kill()
        *_, done = await everything(ws)

    assert done["generated_tokens"] == 400
    assert done["warnings"][0].startswith("the voice failed: Model run failed.")


@pytest.mark.own_daemon
async def test_a_voice_may_be_ended_in_the_middle(http_daemon: App) -> None:
    """Somebody ends its task; the text goes on."""
    async with chat_socket(http_daemon) as ws:
        request = {"messages": STORY, "generation": ENDLESS | {"max_new_tokens": 400}, "tts": {}}
        await ws.send(orjson.dumps(request).decode())
        await receive(ws)
        seen = await tasks_of(http_daemon)
        async with tcp_client(http_daemon) as client:
            await client.ask(work_id=task_of("tts", seen)["work_id"], action="exit")
        *_, done = await everything(ws)

    assert task_of("tts", seen)["inputs_"] == [task_of("llm", seen)["work_id"]]
    assert done["generated_tokens"] == 400


@pytest.mark.own_daemon
async def test_a_voice_may_be_ended_before_its_first_word(http_daemon: App) -> None:
    """While a long prompt is read: the answer does not wait for a voice that is not there."""
    async with chat_socket(http_daemon) as ws, tcp_client(http_daemon) as client:
        await ws.send(orjson.dumps(ask("tell me a story " * 800, tts={})).decode())
        while task_of("llm", seen := await tasks_of(http_daemon)).get("state") != "running":
            await asyncio.sleep(MS)
        await client.ask(work_id=task_of("tts", seen)["work_id"], action="exit")
        first, *_, done = await everything(ws)

    assert first["type"] == "prefill_done"
    assert done["text"]
    assert done["warnings"] == ["the voice was ended while the answer was written"]
