"""Covers unitd.doors.wyoming: bad input, ears that do not get on or die, clients that leave."""

import asyncio
import gc
import signal
from collections.abc import AsyncIterator

import pytest
from wyoming.asr import Transcribe
from wyoming.audio import AudioChunk, AudioStart
from wyoming.client import AsyncTcpClient
from wyoming.event import Event
from wyoming.ping import Ping
from wyoming.wake import Detect

from tests.support.children import own_children
from tests.support.clients.satellite import eventually_no_task, hear, send_audio
from tests.support.units.spoken import RATE, joined, recording, silence
from tests.support.waiting import eventually
from unitd.app import App
from unitd.doors.wyoming import door, hearing


def sessions() -> list[str]:
    """The names of those that are served."""
    return [each.get_name() for each in asyncio.all_tasks() if each.get_name().startswith("wyoming 127.")]


def send_to_child(unit: str, signal: signal.Signals) -> None:
    """To the unit's process, by the kernel."""
    for process in own_children():
        if unit in process.cmdline():
            process.send_signal(signal)


@pytest.fixture
async def unheard(app: App) -> AsyncIterator[AsyncTcpClient]:
    """A client whose speech goes to a process that does not get on."""
    async with AsyncTcpClient(*app.endpoints["wyoming"]) as client:
        await client.write_event(Transcribe().event())
        await client.write_event(Ping().event())
        await hear(client, "pong")
        await asyncio.to_thread(send_to_child, "asr", signal.SIGSTOP)
        yield client
        await asyncio.to_thread(send_to_child, "asr", signal.SIGCONT)


@pytest.mark.own_daemon
async def test_audio_that_is_not_heard_in_time_is_an_error(
    monkeypatch: pytest.MonkeyPatch, unheard: AsyncTcpClient
) -> None:
    """Home Assistant has no limit of its own."""
    monkeypatch.setattr(hearing, "STOP_SECONDS", 0.3)
    await send_audio(unheard, silence(0.1))

    error = (await hear(unheard, "error"))[-1]

    assert "the audio was not heard within" in error.data["text"]
    assert await unheard.read_event() is None


@pytest.mark.own_daemon
async def test_a_client_that_closes_ends_a_session_that_waits(app: App, unheard: AsyncTcpClient) -> None:
    """At once; its task ends as soon as the process gets on."""
    await send_audio(unheard, silence(0.1))
    assert sessions()

    await unheard.disconnect()

    await eventually(lambda: not sessions())
    await asyncio.to_thread(send_to_child, "asr", signal.SIGCONT)
    await eventually_no_task(app)


@pytest.mark.parametrize(
    "event",
    [
        Transcribe(name="no-such-model").event(),
        Detect(names=["###"]).event(),
        Event("synthesize", {"text": 7}),
        Event("synthesize", {}),
        Event("audio-chunk", {}),
        AudioChunk(0, 2, 1, bytes(64)).event(),
        AudioChunk(1, 2, 1, bytes(6400)).event(),
        AudioChunk(1_000_000_000, 2, 1, bytes(64)).event(),
        AudioChunk(4000, 1, 1, bytes(61 * 4000)).event(),
        AudioChunk(48000, 2, 1, bytes(63)).event(),
        AudioChunk(16000, 2, 2, bytes(62)).event(),
        Event("transcript", {}),
    ],
)
async def test_what_cannot_be_done_is_an_error_and_the_end_of_the_connection(
    client: AsyncTcpClient, event: Event
) -> None:
    """With the reason in words; Home Assistant's speech reads on behind an error until it is hung up on."""
    if event.type == "audio-chunk":
        await client.write_event(Transcribe().event())
    await client.write_event(event)
    error = (await hear(client, "error"))[-1]

    assert error.type == "error" and error.data["text"]
    assert await client.read_event() is None


@pytest.mark.own_daemon
async def test_a_satellite_whose_ears_have_died_is_hung_up_on(app: App) -> None:
    """While it sends audio: it learns that nobody hears it any more, comes again, and is heard."""
    spoken = joined(silence(1.0), recording("wake/alexa/0.wav"), silence(0.5))
    async with AsyncTcpClient(*app.endpoints["wyoming"]) as deaf:
        await deaf.write_event(Detect(names=["alexa"]).event())
        await deaf.write_event(Ping().event())
        await hear(deaf, "pong")
        await asyncio.to_thread(send_to_child, "kws", signal.SIGKILL)

        told = asyncio.create_task(hear(deaf, "error"))
        while not told.done():
            await deaf.write_event(AudioChunk(RATE, 2, 1, bytes(2048)).event())
            await asyncio.wait([told], timeout=0.064)
        assert (await told)[-1].type == "error"
        assert await deaf.read_event() is None

    async with AsyncTcpClient(*app.endpoints["wyoming"]) as heard:
        await heard.write_event(Detect(names=["alexa"]).event())
        await send_audio(heard, spoken)
        assert (await hear(heard, "detection"))[-1].type == "detection"


@pytest.mark.parametrize(
    "junk",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"[]\n",
        b"[" * 50_000 + b"\n",
        b'{"data": {}}\n',
        b'{"type": []}\n',
        b'{"type": "audio-chunk", "payload_length": 10}\nhalf',
    ],
    ids=["http", "a list", "deep", "no type", "an odd type", "half an event"],
)
async def test_bytes_that_are_no_event_end_only_their_own_connection(
    app: App, client: AsyncTcpClient, caplog: pytest.LogCaptureFixture, junk: bytes
) -> None:
    """Others do not notice, and the log has no traceback."""
    reader, writer = await asyncio.open_connection(*app.endpoints["wyoming"])
    writer.write(junk)
    writer.write_eof()
    assert await reader.read() == b""
    writer.close()
    await writer.wait_closed()

    await client.write_event(Ping().event())
    assert (await hear(client, "pong"))[-1].type == "pong"
    gc.collect()
    assert "never retrieved" not in caplog.text


async def test_an_event_of_ten_gigabytes_is_not_waited_for(app: App) -> None:
    """Its sender is hung up on before the first of them."""
    reader, writer = await asyncio.open_connection(*app.endpoints["wyoming"])
    writer.write(b'{"type": "audio-chunk", "payload_length": 10000000000}\n')

    async with asyncio.timeout(5):
        assert await reader.read() == b""
    writer.close()


@pytest.mark.own_daemon
async def test_one_client_too_many_is_told_so(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the next one is served when there is room again."""
    monkeypatch.setattr(door, "MAX_CLIENTS", 1)
    host, port = app.endpoints["wyoming"]
    async with AsyncTcpClient(host, port) as first:
        await first.write_event(Ping().event())
        await hear(first, "pong")
        async with AsyncTcpClient(host, port) as second:
            refusal = (await hear(second, "error"))[-1]
    await eventually(lambda: not sessions())
    async with AsyncTcpClient(host, port) as third:
        await third.write_event(Ping().event())
        await hear(third, "pong")

    assert refusal.data["text"] == "1 clients are connected already"


@pytest.mark.own_daemon
async def test_a_client_that_leaves_takes_its_tasks_along(app: App) -> None:
    """In the middle of a sentence."""
    async with AsyncTcpClient(*app.endpoints["wyoming"]) as leaving:
        await leaving.write_event(Transcribe().event())
        await leaving.write_event(AudioStart(16000, 2, 1).event())
        await leaving.write_event(AudioChunk(16000, 2, 1, bytes(3200)).event())
        await leaving.write_event(Ping().event())
        await hear(leaving, "pong")

    await eventually_no_task(app)
