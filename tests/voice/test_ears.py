"""Ears through the whole daemon: real speech (flite speaks it), the bundled engines, uploads of clients."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import shared_app
from tests.support.units.spoken import RATE, VOICES, Samples, joined, silence, speak
from tests.support.units.voice_setups import (
    ANY_EAR,
    ASR,
    EMPTY,
    KWS,
    WAKE,
    StartDaemon,
    base64_of,
    until,
    wav_of,
    write_wav,
)
from tests.support.waiting import eventually
from unitd.app import App

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(scope="module")
def module_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """One daemon without a microphone for all who upload, with a task of each ear, so that the programs stay."""
    setups = {unit: {"model": f"unitd-{unit}", **ANY_EAR[unit]} for unit in ("asr", "vad", "kws")}
    with shared_app(tmp_path_factory.mktemp("daemon"), {}, setups) as app:
        yield app


@pytest.fixture
def daemon(shared_daemon: App) -> App:
    """That daemon."""
    return shared_daemon


async def test_a_microphone_hears_the_wake_word(start: StartDaemon, tmp_path: Path) -> None:
    """A file is the microphone; a trigger does the same without one."""
    heard = joined(silence(1), speak(WAKE), silence(2))
    _, client = await start(capture=write_wav(tmp_path / "in.wav", heard))

    kws = await client.setup("kws", KWS | {"input": "sys.pcm"})

    wake = await until(client, lambda frame: frame["object"] == "kws.bool")
    assert (wake["work_id"], wake["data"]) == (kws, True)


async def test_a_command_in_the_same_breath_as_the_wake_word_is_understood(start: StartDaemon, tmp_path: Path) -> None:
    """Without a pause between "hey jarvis" and the question, whoever speaks."""
    spoken = [speak(f"{WAKE} turn on the kitchen light", voice) for voice in VOICES]
    heard = joined(*(piece for each in spoken for piece in (silence(1), each, silence(2))))
    _, client = await start(capture=write_wav(tmp_path / "in.wav", heard), pace="fast")
    asr = await client.setup("asr", ASR | {"input": [], "response_format": "asr.utf-8"})
    kws = await client.setup("kws", KWS | {"input": []})
    for target, source in ((asr, kws), (asr, "sys.pcm"), (kws, "sys.pcm")):
        await client.ask(work_id=target, action="link", data=source)

    frames = [await until(client, lambda frame: frame["work_id"] == asr) for _ in VOICES]

    assert [frame["data"] for frame in frames] == ["turn on the kitchen light."] * len(VOICES)


async def test_a_client_is_the_microphone(client: WireClient) -> None:
    """Small chunks of base64, no acknowledgement, and a wake in the id of the last chunk."""
    kws = await client.setup("kws", KWS | {"input": "kws.base64"})
    audio = joined(silence(0.5), speak(WAKE), silence(1))

    for at in range(0, len(audio), 1000):
        chunk = base64_of(audio[at : at + 1000])
        await client.send(request_id="chunk", work_id=kws, action="inference", object="kws.base64", data=chunk)

    frame = await client.receive()
    assert (frame["request_id"], frame["object"], frame["data"]) == ("chunk", "kws.bool", True)


async def test_a_wav_is_an_utterance(client: WireClient) -> None:
    """It is answered at its end, without silence behind it."""
    asr = await client.setup("asr", ASR | {"input": "asr.base64"})

    data = wav_of(speak("turn on the kitchen light"))
    frames = await client.frames(await client.send(work_id=asr, action="inference", object="asr.base64.wav", data=data))

    assert frames[-1]["data"]["delta"] == "turn on the kitchen light."
    assert all(frame["object"] == "asr.utf-8.stream" for frame in frames)


async def test_each_upload_is_answered_in_its_own_id(client: WireClient) -> None:
    """Also when the second one has nothing to say and comes right behind the first."""
    asr = await client.setup("asr", ASR | {"input": "asr.base64", "response_format": "asr.utf-8"})
    spoken = wav_of(speak("turn off the bedroom light"))

    for request_id, data in (("first", spoken), ("second", wav_of(silence(0)))) * 5:
        await client.send(request_id=request_id, work_id=asr, action="inference", object="asr.base64.wav", data=data)
    frames = [await client.receive() for _ in range(10)]

    said = {"first": "turn off the bedroom light.", "second": ""}
    assert [(frame["request_id"], frame["data"]) for frame in frames] == [*said.items()] * 5


@pytest.mark.parametrize("unit", ["asr", "whisper", "vad", "kws"])
async def test_every_whole_upload_is_answered(client: WireClient, unit: str) -> None:
    """Also when an utterance has ended in the pieces before it, which have no answer of their own."""
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


async def test_uploads_of_one_connection_are_answered_in_their_order(client: WireClient) -> None:
    """One that cannot be used too: its error waits for the answers before it."""
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


async def test_who_stops_sending_has_said_all(client: WireClient) -> None:
    """Raw pieces without silence behind them: two idle seconds end the utterance."""
    asr = await client.setup("asr", ASR | {"input": "asr.base64", "response_format": "asr.utf-8"})

    await _send_in_seconds(client, asr, speak("turn off the bedroom light"))
    frame = await client.receive()

    assert (frame["object"], frame["data"]) == ("asr.utf-8", "turn off the bedroom light.")


async def test_who_sends_faster_than_is_heard_waits_and_loses_nothing(client: WireClient) -> None:
    """Four minutes of sound at once; the wake word at its end is heard, the daemon answers meanwhile."""
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
    client: WireClient, unit: str, setup: dict[str, Any], request_: dict[str, Any], words: str
) -> None:
    """The sender is told why; the task lives."""
    task = await client.setup(unit, setup)

    reply = await client.ask(work_id=task, action="inference", **request_)

    assert reply["error"]["code"] == -11
    assert words in reply["error"]["message"]
