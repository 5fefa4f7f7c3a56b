"""Covers unitd.doors.http.openai's recordings and speech as OpenAI's own client package sees them."""

import io
import wave
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import soundfile
from openai import AsyncOpenAI

from tests.support.daemon import shared_app
from tests.support.setups import ASR_SETUP, LLM_SETUP, TTS_SETUP
from tests.support.units.spoken import RATE, Samples, joined, silence, speak
from unitd.app import App


@pytest.fixture(scope="module")
def module_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """With an ear and a voice besides."""
    setups = {"llm": LLM_SETUP, "asr": ASR_SETUP, "tts": TTS_SETUP}
    with shared_app(tmp_path_factory.mktemp("daemon"), {"http": {"enabled": True}}, setups) as app:
        yield app


@pytest.fixture
def http_daemon(shared_daemon: App) -> App:
    """One daemon for the tests that leave it as it was."""
    return shared_daemon


@pytest.fixture
async def client(address: str) -> AsyncIterator[AsyncOpenAI]:
    """OpenAI's own client; a failure is not tried again."""
    async with AsyncOpenAI(base_url=f"http://{address}/v1", api_key="any", max_retries=0) as made:
        yield made


def wav_of(samples: Samples) -> tuple[str, bytes]:
    """A file to be sent."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
        writer.writeframes(samples.tobytes())
    return "question.wav", file.getvalue()


async def test_a_recording_becomes_text(client: AsyncOpenAI) -> None:
    """Under the model's name that clients send without asking."""
    heard = await client.audio.transcriptions.create(
        model="whisper-1", file=wav_of(speak("what is the capital of france"))
    )

    assert heard.text.rstrip(".") == "what is the capital of france"


async def test_a_recording_may_be_told_in_full(client: AsyncOpenAI) -> None:
    """How long it is, and all that was said, also behind a pause."""
    question = speak("what is the capital of france")
    sound = joined(question, silence(2), question)

    heard = await client.audio.transcriptions.create(
        model="unitd-asr", file=wav_of(sound), response_format="verbose_json", language="en"
    )
    plain = await client.audio.transcriptions.create(model="unitd-asr", file=wav_of(sound), response_format="text")

    assert heard.text.count("capital of france") == 2
    assert heard.duration == pytest.approx(len(sound) / RATE, abs=0.001)
    assert heard.segments and heard.segments[0].text == heard.text
    assert str(plain).strip() == heard.text


async def test_a_text_becomes_sound(client: AsyncOpenAI) -> None:
    """WAV of 24 kHz; faster when told so."""
    fields: Any = {"model": "tts-1", "voice": "alloy", "input": "The light is on.", "response_format": "wav"}

    sound = await client.audio.speech.create(**fields)
    fast = await client.audio.speech.create(**fields, speed=2.0)

    with wave.open(io.BytesIO(sound.content)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (24000, 1, 2)
        assert 0.5 < file.getnframes() / 24000 < 3
    assert len(fast.content) < 0.7 * len(sound.content)


@pytest.mark.parametrize(
    ("form", "content_type", "found"),
    [
        ("mp3", "audio/mpeg", "MP3"),
        ("opus", "audio/ogg", "OGG"),
        ("flac", "audio/flac", "FLAC"),
        ("", "audio/mpeg", "MP3"),
    ],
)
async def test_sound_comes_in_the_format_that_was_asked_for(
    client: AsyncOpenAI, form: str, content_type: str, found: str
) -> None:
    """24 kHz, as long as the WAV; without a format it is an MP3, as OpenAI has it."""
    fields: Any = {"model": "tts-1", "voice": "alloy", "input": "The light is on. The heating is off."}
    wanted: Any = {"response_format": form} if form else {}

    wav = await client.audio.speech.create(**fields, response_format="wav")
    sound = await client.audio.speech.create(**fields, **wanted)

    assert sound.response.headers["content-type"] == content_type
    assert soundfile.info(io.BytesIO(sound.content)).format == found
    samples, rate = soundfile.read(io.BytesIO(sound.content))
    assert len(samples) / rate == pytest.approx((len(wav.content) - 44) / 48000, abs=0.15)
    assert abs(samples).max() > 0.1
    assert len(sound.content) < 0.7 * len(wav.content)


async def test_pcm_is_streamed_while_it_is_spoken(client: AsyncOpenAI) -> None:
    """The same sound without a header, in more than one piece."""
    fields: Any = {"model": "tts-1", "voice": "alloy", "input": "One sentence. And another one. And a third."}

    async with client.audio.speech.with_streaming_response.create(**fields, response_format="pcm") as answer:
        pieces = [piece async for piece in answer.iter_bytes()]
    whole = await client.audio.speech.create(**fields, response_format="wav")

    assert answer.headers["content-type"] == "audio/pcm"
    assert len(pieces) > 1
    assert len(b"".join(pieces)) == pytest.approx(len(whole.content) - 44, rel=0.01)


@pytest.mark.parametrize("language", ["en-US", "en_US", "EN"])
async def test_a_language_may_have_a_region(client: AsyncOpenAI, language: str) -> None:
    """English is English."""
    file = wav_of(speak("what is the capital of france"))

    heard = await client.audio.transcriptions.create(model="whisper-1", file=file, language=language)

    assert "capital" in heard.text
