"""Covers unitd.doors.wyoming: each service as Home Assistant's pipeline and a satellite use it."""

import asyncio
import gc
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.event import Event
from wyoming.handle import Handled
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop
from wyoming.wake import Detect, Detection

from tests.support.children import own_children
from tests.support.daemon import running_app, shared_app, tcp_client
from tests.support.home.toolboxes import TOOLS
from tests.support.servers.assistant_server import TOKEN, AssistantServer
from tests.support.servers.calling_server import CallingServer
from tests.support.setups import ASR_SETUP, LLM_SETUP, TTS_SETUP
from tests.support.units.spoken import RATE, Samples, joined, recording, silence, speak
from tests.support.waiting import eventually
from unitd.app import App
from unitd.doors.wyoming import door, hearing

DOOR: dict[str, Any] = {"wyoming": {"port": 0, "system_prompt": ""}}
WAKE_SETUP = {
    "model": "unitd-kws",
    "response_format": "kws.bool",
    "input": "kws.base64",
    "enoutput": True,
    "kws": "alexa",
}


@pytest.fixture
async def own_daemon(tmp_path: Path) -> AsyncIterator[App]:
    """A daemon with its Wyoming door on a free port."""
    async with running_app(tmp_path, DOOR) as app:
        yield app


@pytest.fixture(scope="module")
def module_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The same for all tests here, with every program that the door uses."""
    setups = {"llm": LLM_SETUP, "kws": WAKE_SETUP, "asr": ASR_SETUP, "tts": TTS_SETUP}
    with shared_app(tmp_path_factory.mktemp("daemon"), DOOR, setups) as app:
        yield app


@pytest.fixture
def app(shared_daemon: App) -> App:
    """One daemon for the tests that leave it as it was."""
    return shared_daemon


@pytest.fixture
async def client(app: App) -> AsyncIterator[AsyncTcpClient]:
    """The package's own client."""
    host, port = app.endpoints["wyoming"]
    async with AsyncTcpClient(host, port) as client:
        yield client


async def hear(client: AsyncTcpClient, last: str) -> list[Event]:
    """Events up to the one of this type, or an error."""
    events: list[Event] = []
    while not events or events[-1].type not in (last, "error"):
        event = await client.read_event()
        assert event is not None, f"hung up after {[each.type for each in events]}"
        events.append(event)
    return events


async def send_audio(client: AsyncTcpClient, samples: Samples, milliseconds: int = 64) -> None:
    """Start, chunks as a satellite sends them, stop."""
    audio, size = samples.tobytes(), RATE * 2 * milliseconds // 1000
    await client.write_event(AudioStart(RATE, 2, 1).event())
    for start in range(0, len(audio), size):
        await client.write_event(AudioChunk(RATE, 2, 1, audio[start : start + size]).event())
    await client.write_event(AudioStop().event())


async def test_the_info_offers_all_four_services(client: AsyncTcpClient) -> None:
    """What Home Assistant reads when it adds us."""
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


async def eventually_no_task(app: App) -> None:
    """Returns as soon as there is none."""
    async with tcp_client(app) as observer, asyncio.timeout(5):
        while (await observer.ask(work_id="sys", action="lstask"))["data"]:
            await asyncio.sleep(0.005)


@pytest.mark.own_daemon
@pytest.mark.timeout(60)
async def test_every_turn_of_home_assistant_is_answered(app: App) -> None:
    """Whatever silence follows the sentence; nothing of it is left."""
    await asyncio.to_thread(speak, SENTENCE)

    texts = [await transcribe(app, seconds) for seconds in (0, 1.2, 3, 0, 1.2, 3)]

    assert len(set(texts)) == 1 and "turn on the kitchen" in texts[0]
    await eventually_no_task(app)


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


# Tools of the board


def with_tools(tmp_path: Path, tools: str, assistant: AssistantServer) -> dict[str, Any]:
    """Return the configuration of a board with these tools, the devices of which are those of Home Assistant."""
    (tmp_path / "tools.toml").write_text(tools)
    (tmp_path / "token").write_text(TOKEN)
    home = {
        "tools": str(tmp_path / "tools.toml"),
        "homeassistant_url": assistant.url,
        "homeassistant_token_file": str(tmp_path / "token"),
    }
    return {"wyoming": {"port": 0, "system_prompt": "Be brief."}, "llm": {"model": "caller"}, "home": home}


@pytest.fixture
async def switching(tmp_path: Path, caller: CallingServer, assistant: AssistantServer) -> AsyncIterator[AsyncTcpClient]:
    """A client of a board whose tools are services of Home Assistant."""
    tables = with_tools(tmp_path, TOOLS, assistant)
    async with running_app(tmp_path, tables) as app, AsyncTcpClient(*app.endpoints["wyoming"]) as client:
        yield client


async def test_what_is_asked_through_assist_switches_things(
    switching: AsyncTcpClient, caller: CallingServer, assistant: AssistantServer
) -> None:
    """The answer is what came of the call, word for word; the model was told which devices there are."""
    await switching.write_event(Transcript(text='please turn [["turn_off", {"entity": "kitchen light"}]]').event())

    answer = Handled.from_event((await hear(switching, "handled"))[-1])

    assert answer.text == "The kitchen light is off."
    assert assistant.calls[1:] == [("/api/services/light/turn_off", {"entity_id": "light.kitchen"})]
    assert (
        caller.bodies[0]["messages"][0]["content"] == 'Be brief.\n\nDevices:\n- kitchen light; light: "kitchen light"'
    )


async def test_home_assistant_is_told_that_things_can_be_switched(switching: AsyncTcpClient) -> None:
    """It asks whether an agent controls the home."""
    await switching.write_event(Describe().event())

    info = Info.from_event((await hear(switching, "info"))[-1])

    assert info.handle[0].supports_home_control


async def test_a_conversation_goes_on_after_something_was_switched(
    switching: AsyncTcpClient, caller: CallingServer
) -> None:
    """What was asked and said is remembered, how it was done is not."""
    context = {"conversation_id": "1"}
    wish = 'please turn [["turn_off", {"entity": "kitchen light"}]]'
    await switching.write_event(Transcript(text=wish, context=context).event())
    await hear(switching, "handled")

    await switching.write_event(Transcript(text="thank you", context=context).event())
    answer = Handled.from_event((await hear(switching, "handled"))[-1])

    assert answer.text == "thank you"
    said = [(each["role"], each["content"]) for each in caller.bodies[-1]["messages"][1:]]
    assert said == [("user", wish), ("assistant", "The kitchen light is off."), ("user", "thank you")]


async def test_a_question_back_is_answered_in_the_next_sentence(
    tmp_path: Path, caller: CallingServer, assistant: AssistantServer
) -> None:
    """Which has a task of its own; in another conversation it is no answer."""
    rooms = TOOLS.replace('id = "kitchen"', 'id = "kitchen"\narea = "kitchen"', 1)
    lamp = '[[entity]]\nname = "hall lamp"\nkind = "light"\narea = "hall"\n'
    tables = with_tools(tmp_path, f'confirm = ["turn_off"]\n{rooms}\n{lamp}', assistant)
    said = []
    async with running_app(tmp_path, tables) as app, AsyncTcpClient(*app.endpoints["wyoming"]) as client:
        for text, conversation in (
            ("turn off the lights", "1"),
            ("the kitchen", "2"),
            ("the kitchen", "1"),
            ("yes", "2"),
            ("yes", "1"),
        ):
            await client.write_event(Transcript(text=text, context={"conversation_id": conversation}).event())
            said.append(Handled.from_event((await hear(client, "handled"))[-1]).text)

    assert said == [
        "Which one do you mean: the kitchen or the hall?",
        "the kitchen",
        "Shall I turn off the kitchen light?",
        "yes",
        "The kitchen light is off.",
    ]
    assert assistant.calls[1:] == [("/api/services/light/turn_off", {"entity_id": "light.kitchen"})]


async def test_what_cannot_be_switched_is_said(switching: AsyncTcpClient, assistant: AssistantServer) -> None:
    """Home Assistant has taken the token back."""
    assistant.status = 401
    await switching.write_event(Transcript(text='please turn [["turn_off", {"entity": "kitchen light"}]]').event())

    answer = Handled.from_event((await hear(switching, "handled"))[-1])

    assert answer.text == "That did not work for the kitchen light: Home Assistant refuses the token."


# Bad input


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
