"""Ears and a voice through the whole daemon: real speech (flite speaks it), the bundled engines, files as devices."""

import base64
import io
import wave
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.setups import LLM_SETUP
from tests.support.units.spoken import RATE, Samples, joined, read_wav, silence, speak
from tests.support.units.voice_setups import (
    ASR,
    KWS,
    TTS,
    WAKE,
    StartDaemon,
    ask_audio,
    loud_parts,
    played,
    until,
    wav_of,
    write_wav,
)
from tests.support.waiting import eventually

pytestmark = pytest.mark.timeout(60)

# A voice


async def test_a_text_becomes_a_wav(start: StartDaemon) -> None:
    """One frame, with a header that the wave module believes, and speech in it."""
    _, client = await start()
    tts = await client.setup("tts", TTS)

    frame = await client.ask(work_id=tts, action="inference", object="tts.utf-8", data="The kitchen light is on.")

    with wave.open(io.BytesIO(base64.b64decode(frame["data"]))) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        assert (file.getframerate(), file.getnchannels()) == (RATE, 1)
    assert 0.8 < len(samples) / RATE < 4
    assert np.abs(samples).max() > 3000


async def test_a_stream_of_speech_comes_sentence_by_sentence(start: StartDaemon) -> None:
    """A delta for each sentence, one finish, all in the request's id."""
    _, client = await start()
    tts = await client.setup("melotts", TTS | {"response_format": "tts.base64.stream", "model": "melotts-en-default"})

    frames = await client.frames(
        await client.send(work_id=tts, action="inference", object="tts.utf-8", data="Good morning. It is 8 o'clock.")
    )

    assert [bool(frame["data"]["delta"]) for frame in frames] == [True, True, False]
    assert [frame["data"]["index"] for frame in frames] == [0, 1, 2]


async def test_the_loudspeaker_plays_what_is_said_and_says_when(start: StartDaemon, tmp_path: Path) -> None:
    """The frame tts.played comes when the last sample has left."""
    app, client = await start(playback=f"file:{tmp_path}/out.wav", pace="fast")
    tts = await client.setup("tts", TTS | {"response_format": "sys.pcm"})

    await client.send(work_id=tts, action="inference", object="tts.utf-8", data="The kitchen light is on.")
    frame = await until(client, lambda frame: frame["object"] == "tts.played")
    app.stop()
    await eventually(lambda: len(loud_parts(read_wav(tmp_path / "out.wav"))) == 1)

    assert frame["data"] is True


async def test_a_paused_voice_is_silent_and_goes_on_where_it_was(start: StartDaemon, tmp_path: Path) -> None:
    """The loudspeaker stops with the task; after work the rest is heard, and nothing twice."""
    output = tmp_path / "out.wav"
    _, client = await start(playback=f"file:{output}")
    tts = await client.setup("tts", TTS | {"response_format": "sys.pcm"})
    await client.send(work_id=tts, action="inference", object="tts.utf-8", data="one two three four five six seven")
    await eventually(lambda: bool(loud_parts(played(output))))

    await client.ask(work_id=tts, action="pause")
    silent_from = len(played(output)) / RATE
    await eventually(lambda: len(played(output)) / RATE > silent_from + 1)
    assert loud_parts(played(output))[-1][1] < silent_from + 0.15

    await client.ask(work_id=tts, action="work")
    assert (await until(client, lambda frame: frame["object"] == "tts.played"))["data"] is True
    spoken = sum(end - start for start, end in loud_parts(played(output)))
    assert 1.5 < spoken < 4


async def test_a_text_without_a_word_is_played_at_once(start: StartDaemon, tmp_path: Path) -> None:
    """Nobody waits for the end of a silence."""
    _, client = await start(playback=f"file:{tmp_path}/out.wav")
    tts = await client.setup("tts", TTS | {"response_format": "sys.pcm"})

    await client.send(work_id=tts, action="inference", object="tts.utf-8", data="🎉")

    assert (await until(client, lambda frame: frame["object"] == "tts.played", timeout=5))["data"] is True


async def test_a_chime_says_that_the_wake_was_heard(start: StartDaemon, tmp_path: Path) -> None:
    """As the original's clients ask for; a quarter of a second, right behind the word."""
    capture = write_wav(tmp_path / "in.wav", joined(silence(1), speak(WAKE), silence(3)))
    _, client = await start(capture=capture, playback=f"file:{tmp_path}/out.wav")
    await client.setup("kws", KWS | {"input": "sys.pcm", "enwake_audio": True})

    await until(client, lambda frame: frame["object"] == "kws.bool")
    await eventually(lambda: bool(loud_parts(played(tmp_path / "out.wav"))))
    woken_at = len(played(tmp_path / "out.wav")) / RATE
    await eventually(lambda: len(played(tmp_path / "out.wav")) / RATE > woken_at + 1)

    [(begin, end)] = loud_parts(played(tmp_path / "out.wav"))
    assert 0.1 < end - begin < 0.3


async def test_a_lower_chime_says_that_nothing_was_heard_after_it(start: StartDaemon, tmp_path: Path) -> None:
    """With an empty frame for the client, and the microphone listens for the next wake."""
    question = joined(speak(WAKE), silence(0.5), speak("turn on the kitchen light"), silence(2))
    capture = write_wav(tmp_path / "in.wav", joined(silence(1), speak(WAKE), silence(4), question))
    _, client = await start(capture=capture, playback=f"file:{tmp_path}/out.wav")
    asr = await client.setup("asr", ASR | {"input": [], "response_format": "asr.utf-8"})
    kws = await client.setup("kws", KWS | {"input": [], "enwake_audio": True})
    for target, source in ((asr, kws), (asr, "sys.pcm"), (kws, "sys.pcm")):
        await client.ask(work_id=target, action="link", data=source)

    said = [(await until(client, lambda frame: frame["work_id"] == asr))["data"] for _ in range(2)]

    assert said == ["", "turn on the kitchen light."]
    heard = played(tmp_path / "out.wav")
    pitches = [_pitch_of(heard[round(begin * RATE) :][: RATE // 10]) for begin, _ in loud_parts(heard)]
    assert pitches == pytest.approx([659, 587, 659], abs=15)


def _pitch_of(note: Samples) -> float:
    """The loudest frequency in it."""
    return float(np.argmax(np.abs(np.fft.rfft(note, RATE))))


# The board's own devices, asked for by clients


async def test_a_client_plays_a_wav_and_stops_it(start: StartDaemon, tmp_path: Path) -> None:
    """Play interrupts what plays, queue_play waits, play_stop ends both."""
    output = tmp_path / "out.wav"
    _, client = await start(playback=f"file:{output}")
    wav = {"object": "audio.wav.base64", "data": wav_of(np.tile(speak("one two three"), 20))}

    replies = [await ask_audio(client, "play", **wav), await ask_audio(client, "queue_play", **wav)]
    status = (await ask_audio(client, "audio_status"))["data"]
    await eventually(lambda: bool(loud_parts(played(output))))
    await ask_audio(client, "play_stop")
    after = (await ask_audio(client, "audio_status"))["data"]

    assert [reply["error"]["code"] for reply in replies] == [0, 0]
    assert status["is_playing"] and status["queued_seconds"] > 10
    assert after["queued_seconds"] == 0


async def test_a_client_captures_what_the_microphone_hears(start: StartDaemon, tmp_path: Path) -> None:
    """Tenths of a second until cap_stop, whose last frame ends the stream."""
    _, client = await start(capture=write_wav(tmp_path / "in.wav", joined(speak("one two three"), silence(2))))
    await ask_audio(client, "cap", request_id="capture")

    frames = [await until(client, lambda frame: frame["request_id"] == "capture") for _ in range(5)]
    await client.send(work_id="audio", action="cap_stop")
    last = await until(client, lambda frame: frame["request_id"] == "capture" and frame["data"]["finish"])

    heard = b"".join(base64.b64decode(frame["data"]["delta"]) for frame in frames)
    assert [frame["data"]["index"] for frame in frames] == [0, 1, 2, 3, 4]
    assert len(heard) == 5 * 3200
    assert np.abs(np.frombuffer(heard, "<i2")).max() > 1000
    assert last["object"] == "audio.pcm.base64.stream"


@pytest.mark.parametrize(
    ("action", "fields", "code", "words"),
    [
        ("play", {"object": "audio.wav.base64", "data": "SUQzBAAA"}, -11, "MP3"),
        ("play", {"object": "audio.wav", "data": "hello"}, -11, "audio travels as base64"),
        ("setup", {"data": {"playback_volume": 7}}, -5, "playback"),
        ("link", {"data": "kws.1000"}, -18, "audio has no action 'link'"),
    ],
)
async def test_what_audio_cannot_do_is_refused(
    start: StartDaemon, tmp_path: Path, action: str, fields: dict[str, Any], code: int, words: str
) -> None:
    """With the reason; the original's own setup, which changes nothing, is acknowledged."""
    _, client = await start(playback=f"file:{tmp_path}/out.wav")

    reply = await ask_audio(client, action, **fields)
    setup = await ask_audio(client, "setup", object="audio.setup", data={"capVolume": 0.5, "playVolume": 0.15})

    assert (reply["error"]["code"], words in reply["error"]["message"]) == (code, True)
    assert (setup["error"]["code"], setup["work_id"]) == (0, "audio")


# The chain


@dataclass(frozen=True)
class Chain:
    """The tasks of a chain that hears a file and speaks into one."""

    client: WireClient
    kws: str
    asr: str
    llm: str
    tts: str
    output: Path

    def played_seconds(self) -> float:
        """How much sound the loudspeaker has had by now."""
        return len(played(self.output)) / RATE

    async def woken(self) -> float:
        """Waits for a wake; returns where the loudspeaker was then."""
        await until(self.client, lambda frame: frame["work_id"] == self.kws)
        return self.played_seconds()

    async def heard(self) -> str:
        """Waits for the end of an utterance; its text."""
        frame = await until(self.client, lambda frame: frame["work_id"] == self.asr and frame["data"]["finish"])
        return str(frame["data"]["delta"])

    async def answered(self) -> dict[str, Any]:
        """Waits for the last frame of an answer."""
        return await until(self.client, lambda frame: frame["work_id"] == self.llm and frame["data"]["finish"])

    async def spoken(self) -> bool:
        """Waits until an answer is silent; whether it was heard to its end."""
        frame = await until(self.client, lambda frame: frame["object"] == "tts.played")
        return bool(frame["data"])


@pytest.fixture
async def chain(start: StartDaemon, tmp_path: Path) -> Chain:
    """Wake, a question, silence for its answer, a wake in the middle of that, another question."""
    first = joined(silence(1), speak(WAKE), silence(0.3), speak("tell me a story"))
    second = joined(speak(WAKE), silence(0.3), speak("turn on the kitchen light"))
    capture = write_wav(tmp_path / "in.wav", joined(first, silence(5), second))
    output = tmp_path / "out.wav"
    _, client = await start(capture=capture, playback=f"file:{output}", echo="hear")
    llm = await client.setup("llm", LLM_SETUP | {"input": []})
    tts = await client.setup("tts", TTS | {"response_format": "sys.pcm", "input": llm})
    asr = await client.setup("asr", ASR | {"input": []})
    kws = await client.setup("kws", KWS | {"input": []})
    links = ((asr, kws), (llm, asr), (llm, kws), (tts, kws), (asr, "sys.pcm"), (kws, "sys.pcm"))
    for target, source in links:
        await client.ask(work_id=target, action="link", data=source)
    return Chain(client, kws, asr, llm, tts, output)


async def test_a_wake_word_interrupts_a_spoken_answer(chain: Chain) -> None:
    """The old answer is silent 150 ms after the second wake; the next question is answered to its end."""
    await chain.woken()
    assert await chain.heard() == "tell me a story."
    await chain.answered()

    woken_at = await chain.woken()
    assert not await chain.spoken()
    assert await chain.heard() == "turn on the kitchen light."
    assert await chain.spoken()

    heard = loud_parts(played(chain.output))
    assert heard[0][0] < woken_at
    assert [end for start, end in heard if start < woken_at][-1] < woken_at + 0.15
    assert heard[-1][0] > woken_at + 1
