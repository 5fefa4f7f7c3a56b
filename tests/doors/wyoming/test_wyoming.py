"""Covers unitd.doors.wyoming: each service as Home Assistant's pipeline and a satellite use it."""

import asyncio
import socket

import numpy as np
import pytest
from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk
from wyoming.client import AsyncTcpClient
from wyoming.handle import Handled
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop
from wyoming.wake import Detect, Detection

from tests.support.clients.satellite import eventually_no_task, hear, send_audio
from tests.support.units.spoken import joined, recording, silence, speak
from unitd.app import App


async def test_the_info_offers_all_four_services(client: AsyncTcpClient) -> None:
    """The reply to `describe`, which Home Assistant reads first, lists all four."""
    await client.write_event(Describe().event())
    info = Info.from_event((await hear(client, "info"))[-1])

    assert {each.name for each in (*info.asr, *info.tts, *info.handle, *info.wake)} == {socket.gethostname()}
    assert info.asr[0].models[0].name == "unitd-asr" and info.asr[0].installed
    assert info.tts[0].supports_synthesize_streaming and info.tts[0].voices[0].languages[0] == "en"
    assert info.handle[0].supports_handled_streaming and info.handle[0].models
    assert not info.handle[0].supports_home_control
    assert "hey jarvis" in [model.phrase for model in info.wake[0].models]


async def test_speech_becomes_text(client: AsyncTcpClient) -> None:
    """Transcribe, audio, transcript."""
    spoken = speak("turn on the kitchen light")
    await client.write_event(Transcribe(language="en").event())
    await send_audio(client, spoken)

    events = await hear(client, "transcript")

    assert [each.type for each in events] == [
        "transcript-start",
        "transcript-chunk",
        "transcript-stop",
        "transcript",
    ]
    words = Transcript.from_event(events[-1]).text.split()
    assert len({"turn", "on", "the", "kitchen", "light"} & set(words)) >= 2


SENTENCE = "turn on the kitchen light"


async def transcribe(app: App, seconds: float) -> str:
    """A turn of Home Assistant's pipeline: its own connection, chunks of 2,048 bytes, silence after the sentence."""
    async with AsyncTcpClient(*app.endpoints["wyoming"]) as client:
        await client.write_event(Transcribe(language="en").event())
        await send_audio(client, joined(speak(SENTENCE), silence(seconds)))
        return Transcript.from_event((await hear(client, "transcript"))[-1]).text


@pytest.mark.own_daemon
@pytest.mark.timeout(60)
async def test_every_turn_of_home_assistant_is_answered(app: App) -> None:
    """Whatever silence follows the sentence; nothing of it is left."""
    await asyncio.to_thread(speak, SENTENCE)

    texts = [await transcribe(app, seconds) for seconds in (0, 1.2, 3, 0, 1.2, 3)]

    assert len(set(texts)) == 1 and "turn on the kitchen" in texts[0]
    await eventually_no_task(app)


async def test_a_wake_word_is_told_at_once(client: AsyncTcpClient) -> None:
    """While the audio still comes, as a satellite needs it."""
    heard = joined(silence(1.0), recording("wake/alexa/0.wav"), silence(0.5))
    await client.write_event(Detect(names=["alexa"]).event())
    await send_audio(client, heard)

    events = await hear(client, "detection")

    assert Detection.from_event(events[-1]).name == "alexa"


@pytest.mark.parametrize(
    ("name", "said"),
    [("hey_jarvis", "hey jarvis"), ("ok_nabu", "okay nabu"), ("okay_nabu", "okay nabu"), ("alexa", "alexa")],
)
async def test_a_wake_word_is_heard_by_the_name_that_satellites_use(
    client: AsyncTcpClient, name: str, said: str
) -> None:
    """And told by that name: Home Assistant passes over the detection of any other."""
    heard = joined(silence(1.0), speak(said), silence(0.5))
    await client.write_event(Detect(names=[name]).event())
    await send_audio(client, heard)

    assert Detection.from_event((await hear(client, "detection"))[-1]).name == name


async def test_a_wake_word_at_the_end_of_the_audio_is_a_detection(client: AsyncTcpClient) -> None:
    """One that only the end of the audio decides."""
    spoken = speak("hey jarvis")
    spoken = spoken[: np.flatnonzero(np.abs(spoken) > 300)[-1] + 1]
    await client.write_event(Detect(names=["hey jarvis"]).event())
    await send_audio(client, joined(silence(1.0), spoken))

    first = await client.read_event()

    assert first is not None and first.type == "detection"


async def test_audio_without_a_wake_word_is_told_too(client: AsyncTcpClient) -> None:
    """When it stops."""
    spoken = speak("nothing of interest")
    await client.write_event(Detect(names=["alexa"]).event())
    await send_audio(client, spoken)

    events = await hear(client, "not-detected")

    assert [each.type for each in events] == ["not-detected"]


async def test_a_text_is_spoken(client: AsyncTcpClient) -> None:
    """Start, chunks of one format, stop."""
    await client.write_event(Synthesize(text="Good morning. It is eight.").event())

    events = await hear(client, "audio-stop")

    sounds = [AudioChunk.from_event(each) for each in events if each.type == "audio-chunk"]
    assert events[0].type == "audio-start"
    assert {(each.rate, each.width, each.channels) for each in sounds} == {(22050, 2, 1)}
    assert sum(each.seconds for each in sounds) > 1.0


async def test_a_text_is_spoken_while_it_is_written(client: AsyncTcpClient) -> None:
    """The first sentence sounds before the second is there; the whole text behind it is not spoken again."""
    await client.write_event(SynthesizeStart().event())
    await client.write_event(SynthesizeChunk(text="Good morning. It is ").event())
    first = await hear(client, "audio-chunk")
    await client.write_event(SynthesizeChunk(text="eight o'clock.").event())
    await client.write_event(Synthesize(text="Good morning. It is eight o'clock.").event())
    await client.write_event(SynthesizeStop().event())
    rest = await hear(client, "synthesize-stopped")

    types = [each.type for each in (*first, *rest)]
    assert (types.count("audio-start"), types.count("audio-stop")) == (1, 1)
    assert types[-2:] == ["audio-stop", "synthesize-stopped"]


async def test_a_question_is_answered_and_remembered(client: AsyncTcpClient) -> None:
    """Streamed, then whole; the same conversation goes on, another one knows nothing."""
    context = {"conversation_id": "1"}
    await client.write_event(Transcript(text="My name is Anna.", context=context).event())
    first = await hear(client, "handled")
    await client.write_event(Transcript(text="What is my name?", context=context).event())
    second = Handled.from_event((await hear(client, "handled"))[-1])
    await client.write_event(Transcript(text="What is my name?", context={"conversation_id": "2"}).event())
    other = Handled.from_event((await hear(client, "handled"))[-1])

    types = [each.type for each in first]
    streamed = "".join(each.data["text"] for each in first if each.type == "handled-chunk")
    assert (types[0], types[-2], types[-1]) == ("handled-start", "handled-stop", "handled")
    assert streamed == Handled.from_event(first[-1]).text
    assert "Anna" in (second.text or "")
    assert "Anna" not in (other.text or "")


async def test_the_whole_pipeline_of_a_satellite(client: AsyncTcpClient) -> None:
    """Speech, answer, voice, on one connection in the order of a satellite."""
    spoken = speak("what is your name")
    await client.write_event(Ping(text="here").event())
    assert Pong.from_event((await hear(client, "pong"))[-1]).text == "here"
    await client.write_event(Transcribe().event())
    await send_audio(client, spoken)
    text = Transcript.from_event((await hear(client, "transcript"))[-1]).text
    await client.write_event(Transcript(text=text or "hello").event())
    answer = Handled.from_event((await hear(client, "handled"))[-1]).text
    await client.write_event(Synthesize(text=answer or "nothing").event())

    assert (await hear(client, "audio-stop"))[-2].type == "audio-chunk"
