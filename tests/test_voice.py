"""Ears and a voice through the whole daemon: real speech (flite speaks it), the bundled engines, files as devices."""

import asyncio
import base64
import io
import logging
import wave
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.setups import LLM_SETUP
from tests.support.units.spoken import RATE, VOICES, Samples, joined, read_wav, silence, speak
from tests.support.waiting import eventually
from unitd.app import App

pytestmark = pytest.mark.timeout(60)

WAKE = "hey jarvis"
COMMANDS = """#JSGF V1.0;
grammar home;
public <command> = turn (on | off) the (kitchen | bedroom) light | tell me a story | what time is it;
"""
KWS = {"model": "unitd-kws", "response_format": "kws.bool", "enoutput": True, "kws": WAKE}
ASR = {"model": "unitd-asr", "response_format": "asr.utf-8.stream", "enoutput": True, "grammar": COMMANDS}
TTS = {"model": "unitd-tts", "response_format": "tts.base64.wav", "input": "tts.utf-8", "enoutput": True}

EARS = {"response_format": "asr.utf-8", "input": "asr.base64", "enoutput": True}
ANY_EAR = {
    "asr": EARS,
    "whisper": EARS | {"input": "whisper.base64", "language": "en"},
    "vad": EARS | {"response_format": "vad.bool", "input": "vad.base64"},
    "kws": EARS | {"response_format": "kws.bool", "input": "kws.base64", "kws": WAKE},
}
EMPTY = {"asr": "", "whisper": "", "vad": False, "kws": False}
"""The answer of each unit to a recording in which there is nothing to hear."""

StartDaemon = Callable[..., Any]


@pytest.fixture
async def start(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[StartDaemon]:
    """Starts a daemon with these audio settings and a client on it."""
    caplog.set_level(logging.INFO)
    async with AsyncExitStack() as stack:

        async def make(**audio: str) -> tuple[App, WireClient]:
            app = await stack.enter_async_context(running_app(tmp_path, {"audio": audio}))
            return app, await stack.enter_async_context(tcp_client(app))

        yield make


def write_wav(path: Path, samples: Samples) -> str:
    """Writes a recording; returns the name of the device that plays it to the daemon."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
        file.writeframes(samples.tobytes())
    return f"file:{path}"


def wav_of(samples: Samples) -> str:
    """A WAV file as clients send it."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
        writer.writeframes(samples.tobytes())
    return base64.b64encode(file.getvalue()).decode()


def played(path: Path) -> Samples:
    """What a loudspeaker that is a file has played so far."""
    return np.fromfile(path, "<i2", offset=44) if path.exists() and path.stat().st_size > 44 else silence(0)


def base64_of(samples: Samples) -> str:
    """As clients send it."""
    return base64.b64encode(samples.tobytes()).decode()


def loud_parts(samples: Samples, threshold: int = 200) -> list[tuple[float, float]]:
    """From when to when (seconds) something is heard; silences of under 0.4 s are parts of it."""
    loud = np.flatnonzero(np.abs(samples) > threshold) / RATE
    if not len(loud):
        return []
    breaks = np.flatnonzero(np.diff(loud) > 0.4)
    starts, ends = [0, *(breaks + 1)], [*breaks, len(loud) - 1]
    return [(float(loud[start]), float(loud[end])) for start, end in zip(starts, ends, strict=True)]


async def until(client: WireClient, is_wanted: Callable[[dict[str, Any]], bool], timeout: float = 30) -> dict[str, Any]:
    """The next frame that is wanted."""
    async with asyncio.timeout(timeout):
        while not is_wanted(frame := await client.receive(timeout)):
            pass
    return frame


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


async def ask_audio(client: WireClient, action: str, **fields: Any) -> dict[str, Any]:
    """A request to `audio` itself."""
    return await client.ask(work_id="audio", action=action, **fields)


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


# Ears


async def test_a_microphone_hears_the_wake_word(start: StartDaemon, tmp_path: Path) -> None:
    """A file is the microphone; a trigger does the same without one."""
    heard = joined(silence(1), speak(WAKE), silence(2))
    _, client = await start(capture=write_wav(tmp_path / "in.wav", heard))

    kws = await client.setup("kws", KWS | {"input": "sys.pcm"})

    wake = await until(client, lambda frame: frame["object"] == "kws.bool")
    assert (wake["work_id"], wake["data"]) == (kws, True)


@pytest.mark.parametrize("voice", VOICES)
async def test_a_command_in_the_same_breath_as_the_wake_word_is_understood(
    start: StartDaemon, tmp_path: Path, voice: str
) -> None:
    """Without a pause between "hey jarvis" and the question."""
    heard = joined(silence(1), speak(f"{WAKE} turn on the kitchen light", voice), silence(2))
    _, client = await start(capture=write_wav(tmp_path / "in.wav", heard), pace="fast")
    asr = await client.setup("asr", ASR | {"input": [], "response_format": "asr.utf-8"})
    kws = await client.setup("kws", KWS | {"input": []})
    for target, source in ((asr, kws), (asr, "sys.pcm"), (kws, "sys.pcm")):
        await client.ask(work_id=target, action="link", data=source)

    frame = await until(client, lambda frame: frame["work_id"] == asr)

    assert frame["data"] == "turn on the kitchen light."


async def test_a_client_is_the_microphone(start: StartDaemon) -> None:
    """Small chunks of base64, no acknowledgement, and a wake in the id of the last chunk."""
    _, client = await start()
    kws = await client.setup("kws", KWS | {"input": "kws.base64"})
    audio = joined(silence(0.5), speak(WAKE), silence(1))

    for at in range(0, len(audio), 1000):
        chunk = base64_of(audio[at : at + 1000])
        await client.send(request_id="chunk", work_id=kws, action="inference", object="kws.base64", data=chunk)

    frame = await client.receive()
    assert (frame["request_id"], frame["object"], frame["data"]) == ("chunk", "kws.bool", True)


async def test_a_wav_is_an_utterance(start: StartDaemon) -> None:
    """It is answered at its end, without silence behind it."""
    _, client = await start()
    asr = await client.setup("asr", ASR | {"input": "asr.base64"})

    data = wav_of(speak("turn on the kitchen light"))
    frames = await client.frames(await client.send(work_id=asr, action="inference", object="asr.base64.wav", data=data))

    assert frames[-1]["data"]["delta"] == "turn on the kitchen light."
    assert all(frame["object"] == "asr.utf-8.stream" for frame in frames)


async def test_each_upload_is_answered_in_its_own_id(start: StartDaemon) -> None:
    """Also when the second one has nothing to say and comes right behind the first."""
    _, client = await start()
    asr = await client.setup("asr", ASR | {"input": "asr.base64", "response_format": "asr.utf-8"})
    spoken = wav_of(speak("turn off the bedroom light"))

    for request_id, data in (("first", spoken), ("second", wav_of(silence(0)))) * 5:
        await client.send(request_id=request_id, work_id=asr, action="inference", object="asr.base64.wav", data=data)
    frames = [await client.receive() for _ in range(10)]

    said = {"first": "turn off the bedroom light.", "second": ""}
    assert [(frame["request_id"], frame["data"]) for frame in frames] == [*said.items()] * 5


@pytest.mark.parametrize("unit", ["asr", "whisper", "vad", "kws"])
async def test_every_whole_upload_is_answered(start: StartDaemon, unit: str) -> None:
    """Also when an utterance has ended in the pieces before it, which have no answer of their own."""
    _, client = await start()
    task = await client.setup(unit, {"model": f"unitd-{'asr' if unit == 'whisper' else unit}", **ANY_EAR[unit]})
    chunk = {"index": 0, "delta": base64_of(silence(0.5)), "finish": True}
    sentence = joined(silence(0.5), speak("hey jarvis"), silence(1.5))

    await client.send(request_id="1", work_id=task, action="inference", object="x.base64", data=base64_of(sentence))
    await client.send(request_id="2", work_id=task, action="inference", object="x.base64.stream", data=chunk)
    await client.send(request_id="3", work_id=task, action="inference", object="x.base64.wav", data=wav_of(silence(1)))
    frames = [frame async for frame in frames_until(client, "3")]

    answers = [(frame["request_id"], frame["data"]) for frame in frames]
    assert {request_id for request_id, _ in answers[:-2]} == {"1"}
    assert answers[-2:] == [("2", EMPTY[unit]), ("3", EMPTY[unit])]


async def test_uploads_of_one_connection_are_answered_in_their_order(start: StartDaemon) -> None:
    """One that cannot be used too: its error waits for the answers before it."""
    _, client = await start()
    asr = await client.setup("asr", ASR | {"input": "asr.base64", "response_format": "asr.utf-8"})
    long, short = (wav_of(joined(silence(each), speak("tell me a story"))) for each in (10, 0))

    for request_id, data in (("1", long), ("2", "SUQzBAAA"), ("3", short)):
        await client.send(request_id=request_id, work_id=asr, action="inference", object="asr.base64.wav", data=data)
    answers = [await client.receive() for _ in range(3)]

    assert [(each["request_id"], each["error"]["code"]) for each in answers] == [("1", 0), ("2", -11), ("3", 0)]


async def frames_until(client: WireClient, request_id: str) -> AsyncIterator[dict[str, Any]]:
    """Frames up to the first of this request."""
    async with asyncio.timeout(20):
        while True:
            yield (frame := await client.receive())
            if frame["request_id"] == request_id:
                return


async def test_who_stops_sending_has_said_all(start: StartDaemon) -> None:
    """Raw pieces without silence behind them: two idle seconds end the utterance."""
    _, client = await start()
    asr = await client.setup("asr", ASR | {"input": "asr.base64", "response_format": "asr.utf-8"})

    await _send_in_seconds(client, asr, speak("turn off the bedroom light"))
    frame = await client.receive()

    assert (frame["object"], frame["data"]) == ("asr.utf-8", "turn off the bedroom light.")


async def test_who_sends_faster_than_is_heard_waits_and_loses_nothing(start: StartDaemon) -> None:
    """Four minutes of sound at once; the wake word at its end is heard, the daemon answers meanwhile."""
    _, client = await start()
    kws = await client.setup("kws", KWS | {"input": "kws.base64"})
    audio = joined(silence(240), speak(WAKE), silence(1))

    sending = asyncio.create_task(_send_in_seconds(client, kws, audio))
    frame = await client.receive(timeout=50)
    await sending

    assert frame["object"] == "kws.bool"


async def _send_in_seconds(client: WireClient, task: str, audio: Samples) -> None:
    for at in range(0, len(audio), RATE):
        chunk = base64_of(audio[at : at + RATE])
        await client.send(work_id=task, action="inference", object="kws.base64", data=chunk)


async def test_a_board_without_a_microphone_says_so(start: StartDaemon, caplog: pytest.LogCaptureFixture) -> None:
    """The task is set up and waits; the log names what is missing, a trigger still wakes."""
    _, client = await start(capture="no such device")

    kws = await client.setup("kws", KWS | {"input": "sys.pcm"})
    await eventually(lambda: "audio capture: missing" in caplog.text, timeout=15)
    await client.send(work_id=kws, action="trigger")

    assert (await client.receive())["data"] is True


@pytest.mark.parametrize(
    ("unit", "setup", "request_", "words"),
    [
        ("kws", KWS | {"input": "kws.base64"}, {"object": "kws.utf-8", "data": "hello"}, "audio travels as base64"),
        ("kws", KWS | {"input": "kws.base64"}, {"object": "kws.base64.mp3", "data": "SUQzBAAA"}, "MP3"),
        ("asr", ASR | {"input": "asr.base64"}, {"object": "asr.base64.wav", "data": "SUQzBAAA"}, "MP3"),
    ],
)
async def test_what_is_no_usable_audio_is_refused(
    start: StartDaemon, unit: str, setup: dict[str, Any], request_: dict[str, Any], words: str
) -> None:
    """The sender is told why; the task lives."""
    _, client = await start()
    task = await client.setup(unit, setup)

    reply = await client.ask(work_id=task, action="inference", **request_)

    assert reply["error"]["code"] == -11
    assert words in reply["error"]["message"]


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
