"""The original's clients with ears and a voice: the sequences of their examples, over TCP, with real speech.

The microphone is a FIFO that a test speaks into, the loudspeaker a file. What the clients call "whisper-tiny" or
"melotts-en-default" is served by the bundled models.
"""

import asyncio
import base64
import json
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.clients.original_clients import (
    ARDUINO,
    MICROPYTHON,
    ArduinoClient,
    MicroPythonClient,
    OriginalClient,
)
from tests.support.clients.wire_client import WireClient, text_of
from tests.support.daemon import running_app, tcp_client
from tests.support.units.spoken import RATE, Samples, joined, silence, speak
from tests.support.waiting import eventually

pytestmark = pytest.mark.timeout(60)

LOUD = 1000
WAV_HEADER_BYTES = 44
# 0.7 s at 115,200 baud; the clients wait two seconds for lsmode.
LSMODE_BYTES = 8_192
COMMAND = "turn off the kitchen light"
# All clients wake with their usual word; "rms" is the voice of flite whose short words are understood best.
WAKE_AND_COMMAND = ("hello", COMMAND)

BOTH = pytest.mark.parametrize("make_client", [ArduinoClient, MicroPythonClient])
MakeClient = Callable[[WireClient], OriginalClient]


@dataclass(frozen=True)
class Room:
    """A daemon with a microphone and a loudspeaker, and a line to it."""

    line: WireClient
    microphone: Path
    loudspeaker: Path

    async def say(self, *texts: str) -> None:
        """Speaks, with pauses; the daemon takes it in real time."""
        spoken = joined(*(joined(silence(0.4), speak(text, "rms")) for text in texts))
        await asyncio.to_thread(self._write, spoken)

    def _write(self, samples: Samples) -> None:
        with self.microphone.open("wb") as fifo:
            fifo.write(samples.tobytes())

    @property
    def heard_seconds(self) -> float:
        """How long the loudspeaker has been loud until now, in tenths; a chime is four of them at the most."""
        if not self.loudspeaker.exists() or self.loudspeaker.stat().st_size <= WAV_HEADER_BYTES:
            return 0.0
        samples = np.abs(np.fromfile(self.loudspeaker, "<i2", offset=WAV_HEADER_BYTES))
        tenths = samples[: len(samples) // (RATE // 10) * (RATE // 10)].reshape(-1, RATE // 10)
        return float((tenths.max(axis=1, initial=0) > LOUD).sum()) / 10


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    """Nobody speaks yet."""
    microphone, loudspeaker = tmp_path / "microphone", tmp_path / "loudspeaker.wav"
    os.mkfifo(microphone)
    audio = {"capture": f"file:{microphone}", "playback": f"file:{loudspeaker}"}
    async with running_app(tmp_path, {"audio": audio}) as app, tcp_client(app) as line:
        yield Room(line, microphone, loudspeaker)


def of_task(work_id: str, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those messages that are this task's."""
    return [message for message in messages if message["work_id"] == work_id]


# Kws, vad, whisper, llm and melotts


@pytest.mark.alone
@BOTH
async def test_the_kws_vad_whisper_llm_tts_example(room: Room, make_client: MakeClient) -> None:
    """The client itself carries whisper's text to the llm; its link speaks the answer."""
    client = make_client(room.line)
    await client.begin()
    audio = await client.set_up("audio")
    kws = await client.set_up("kws")
    vad = await client.set_up("vad", input=["sys.pcm", kws])
    whisper = await client.set_up("whisper", input=["sys.pcm", kws, vad])
    llm = await client.set_up("llm")
    melotts = await client.set_up("melotts", input=["tts.utf-8.stream", llm])

    await room.say(*WAKE_AND_COMMAND)
    seen = await client.messages_until_last_of(whisper)
    answer = await client.ask(llm, seen[-1]["data"])
    await eventually(lambda: room.heard_seconds > 0.5)

    assert client.codes == [0] * 6
    assert [audio, kws, vad] == ["audio", "kws.1000", "vad.1001"]
    assert [whisper, llm, melotts] == ["whisper.1002", "llm.1003", "melotts.1004"]
    assert [(each["work_id"], each["data"]) for each in seen[:-1]] == [(kws, True), (vad, True), (vad, False)]
    assert (seen[-1]["object"], seen[-1]["data"]) == ("asr.utf-8", f"{COMMAND}.")
    assert "kitchen light" in answer


@BOTH
async def test_voices_and_ears_are_listed_and_ended(room: Room, make_client: MakeClient) -> None:
    """The links of the example stand in taskinfo; an exit without object and data ends each task."""
    client = make_client(room.line)
    kws = await client.set_up("kws")
    vad = await client.set_up("vad", input=["sys.pcm", kws])
    whisper = await client.set_up("whisper", input=["sys.pcm", kws, vad])
    melotts = await client.set_up("melotts")

    infos = [(await client.call("info", task, "taskinfo", 2))["data"] for task in (vad, whisper, melotts)]
    for task in (whisper, vad, kws, melotts):
        await client.exit(task)
    left = [(await client.call("list", unit, "taskinfo", 2))["data"] for unit in ("vad", "whisper", "melotts")]

    assert [info["inputs_"] for info in infos] == [["sys.pcm", kws], ["sys.pcm", kws, vad], ["tts.utf-8.stream"]]
    assert [info["model"] for info in infos] == ["silero-vad", "whisper-tiny", "melotts-en-default"]
    assert client.codes == [0] * 8
    assert left == [[], [], []]


# Kws, asr, llm and melotts: the voice assistant of both libraries


@pytest.mark.alone
@BOTH
async def test_the_voice_assistant_speaks(room: Room, make_client: MakeClient) -> None:
    """Every field that the callbacks get is there, the question is whole at its end, melotts itself says nothing."""
    client = make_client(room.line)
    await client.begin()
    await client.set_up("audio")
    kws = await client.set_up("kws")
    asr = await client.set_up("asr", input=["sys.pcm", kws])
    llm = await client.set_up("llm", input=[asr, kws])
    await client.set_up("melotts", request_id="tts_setup", input=[llm, kws])

    await room.say(*WAKE_AND_COMMAND)
    seen = await client.messages_until_last_of(llm)
    await eventually(lambda: room.heard_seconds > 0.5)

    wakes, questions, answers = of_task(kws, seen), of_task(asr, seen), of_task(llm, seen)
    assert client.codes == [0] * 5
    assert [(wake["request_id"], wake["object"], wake["data"]) for wake in wakes] == [("kws_setup", "kws.bool", True)]
    assert {each["object"] for each in questions} == {"asr.utf-8.stream"}
    assert [each["data"]["index"] for each in questions] == list(range(len(questions)))
    assert [each["data"]["finish"] for each in questions] == [False] * (len(questions) - 1) + [True]
    assert questions[-1]["data"]["delta"] == f"{COMMAND}."
    assert {each["object"] for each in answers} == {"llm.utf-8.stream"}
    assert [each["data"]["index"] for each in answers] == list(range(len(answers)))
    assert "kitchen light" in text_of(answers)
    assert len(wakes) + len(questions) + len(answers) == len(seen)


# A voice alone


@pytest.mark.parametrize(
    ("unit", "model", "text"),
    [
        ("tts", "single-speaker-english-fast", "1 plus 1 equals 2."),
        ("tts", "single-speaker-fast", "1 加 1 等于 2."),
        ("melotts", "melotts-en-default", "1 plus 1 equals 2."),
        ("melotts", "melotts-zh-cn", "1 加 1 等于 2."),
        ("melotts", "melotts-ja-jp", "1 足す 1 は 2 です。"),
        # What clients send that found a version below 1.6.
        ("tts", "single_speaker_english_fast", "1 plus 1 equals 2."),
        ("tts", "single_speaker_fast", "1 加 1 等于 2."),
        ("melotts", "melotts_zh-cn", "1 加 1 等于 2."),
    ],
)
async def test_the_tts_examples_are_heard(room: Room, unit: str, model: str, text: str) -> None:
    """Both send tts inferences, also to melotts; without enoutput nothing comes back, as the original does."""
    arduino = ArduinoClient(room.line)
    await arduino.set_up("audio")
    voice = await arduino.set_up(unit, model=model)

    await arduino.infer("tts", voice, text)
    await eventually(lambda: room.heard_seconds > 0.5)
    await arduino.send({"request_id": "sys_ping", "work_id": "sys", "action": "ping", "object": "None", "data": "None"})
    next_message = await arduino.message()

    assert arduino.codes == [0, 0]
    assert voice == f"{unit}.1000"
    assert next_message["request_id"] == "sys_ping"


EARLY_TTS = {"response_format": "tts.base64.wav", "input": "tts.utf-8.stream", "enoutput": True}
EARLY_MELOTTS = {"response_format": "sys.pcm", "input": ["tts.utf-8,stream"], "enoutput": True}


@pytest.mark.parametrize(
    ("unit", "model", "form", "index"),
    [
        ("tts", "single_speaker_english_fast", EARLY_TTS, 1),
        ("melotts", "melotts_zh-cn", EARLY_MELOTTS, 0),
    ],
    ids=["tts", "melotts"],
)
async def test_the_first_clients_get_their_sound(
    room: Room, unit: str, model: str, form: dict[str, Any], index: int
) -> None:
    """They number their only chunk 1, write a comma for a dot, and wait for any message of the id."""
    arduino = ArduinoClient(room.line)
    voice = await arduino.set_up(unit, model=model, **form)

    request = {"request_id": "tts_inference", "work_id": voice, "action": "inference"}
    data = {"delta": "1 plus 1 equals 2.", "index": index, "finish": True}
    await arduino.send(request | {"object": f"{unit}.utf-8.stream", "data": data})
    reply = await arduino.wait_for("tts_inference", 10)

    assert (reply["error"]["code"], reply["work_id"]) == (0, voice)
    assert reply["object"] == form["response_format"]
    assert len(base64.b64decode(reply["data"])) > RATE


# Names


async def test_every_model_of_the_clients_is_listed(room: Room) -> None:
    """A client that looks at lsmode first finds what it is going to ask for."""
    arduino = ArduinoClient(room.line)
    wanted = {setup.data["model"] for setup in (*ARDUINO.values(), *MICROPYTHON.values()) if "model" in setup.data}

    rows = (await arduino.call("sys_lsmode", "sys", "lsmode", 2))["data"]

    assert wanted <= {row["mode"] for row in rows if "type" in row}


@pytest.mark.parametrize("installed", [0, 10])
async def test_the_list_of_models_is_short_enough_for_a_serial_line(room: Room, tmp_path: Path, installed: int) -> None:
    """Also where many models are installed: each has its row then, with fewer details."""
    for number in range(installed):
        (tmp_path / "models").mkdir(exist_ok=True)
        (tmp_path / "models" / f"my-own-model-{number}.gguf").touch()
    await room.line.send(work_id="sys", action="lsmode", object="None", data="None")

    line = await room.line.reader.readline()

    rows = json.loads(line)["data"]
    assert len(line) < LSMODE_BYTES
    assert len([row for row in rows if row["mode"].startswith("my-own-model")]) == installed
    assert all({"mode", "type", "model", "installed"} <= row.keys() for row in rows)
