"""The original's clients, as the fact sheet describes them (sections 1.5, 9 and 10), work unchanged."""

import asyncio
import os
import pty
import tty
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.conftest import running_app
from tests.helpers import WireClient, open_terminal


class ArduinoClient:
    """M5Module-LLM: writes JSON without an end, counts braces (also inside strings), a newline starts anew."""

    def __init__(self, line: WireClient) -> None:
        self._line = line
        self._buffer = ""
        self._depth = 0

    async def send(self, request: dict[str, Any]) -> None:
        """Serial.print of a JSON document."""
        await self._line.send_bytes(orjson.dumps(request))

    async def message(self) -> dict[str, Any]:
        """The next object by counting braces."""
        while True:
            character = (await self._line.reader.readexactly(1)).decode("ascii")
            if character == "\n":
                self._buffer, self._depth = "", 0
                continue
            self._buffer += character
            self._depth += (character == "{") - (character == "}")
            if character == "}" and self._depth == 0:
                text, self._buffer = self._buffer, ""
                message: dict[str, Any] = orjson.loads(text)
                return message

    async def wait_for(self, request_id: str, seconds: float) -> dict[str, Any]:
        """Any message of this id counts as the answer."""
        async with asyncio.timeout(seconds):
            while (message := await self.message())["request_id"] != request_id:
                pass
            return message

    async def call(self, request_id: str, work_id: str, action: str, seconds: float, **fields: Any) -> dict[str, Any]:
        """One request with the fields that every sys call of the client has."""
        request = {"request_id": request_id, "work_id": work_id, "action": action, "object": "None", "data": "None"}
        await self.send(request | fields)
        return await self.wait_for(request_id, seconds)

    async def begin(self) -> None:
        """checkConnection, then reset."""
        assert (await self.call("sys_ping", "sys", "ping", 2))["error"]["code"] == 0
        version = (await self.call("sys_version", "sys", "version", 2))["data"]
        assert float(version[1:]) >= 1.6
        assert (await self.call("sys_reset", "sys", "reset", 2))["error"]["code"] == 0
        assert (await self.wait_for("0", 15))["error"]["code"] == 0

    async def setup(self, request_id: str, unit: str, seconds: float, data: dict[str, Any]) -> str:
        """The work_id of the answer, whatever its code."""
        reply = await self.call(request_id, unit, "setup", seconds, object=f"{unit}.setup", data=data)
        return str(reply["work_id"])


LLM = {
    "model": "qwen2.5-0.5B-prefill-20e",
    "response_format": "llm.utf-8.stream",
    "input": ["llm.utf-8.stream"],
    "enoutput": True,
    "enkws": True,
    "max_token_len": 127,
    "prompt": "",
}
KWS = {
    "model": "sherpa-onnx-kws-zipformer-gigaspeech-3.3M-2024-01-01",
    "response_format": "kws.bool",
    "input": ["sys.pcm"],
    "enoutput": True,
    "kws": "HELLO",
}


@pytest.fixture
async def arduino(tmp_path: Path) -> AsyncIterator[ArduinoClient]:
    """The client behind a serial line of a daemon."""
    main_end, line_end = pty.openpty()
    tty.setraw(main_end)
    tty.setraw(line_end)
    async with running_app(tmp_path, {"serial": {"device": os.ttyname(line_end)}}):
        line = await open_terminal(main_end)
        yield ArduinoClient(line)
        await line.close()
    os.close(main_end)
    os.close(line_end)


async def test_the_text_assistant_example(arduino: ArduinoClient) -> None:
    """Connect, reset, setup, and two questions under the same request_id."""
    await arduino.begin()
    work_id = await arduino.setup("llm_setup", "llm", 30, LLM)

    for question in ("hello", "what is your name"):
        data = {"delta": question, "index": 0, "finish": True}
        await arduino.send(
            {
                "request_id": "llm_inference",
                "work_id": work_id,
                "action": "inference",
                "object": "llm.utf-8.stream",
                "data": data,
            }
        )
        answer, is_finished = "", False
        while not is_finished:
            message = await arduino.wait_for("llm_inference", 5)
            answer, is_finished = answer + message["data"]["delta"], message["data"]["finish"]
        assert answer


async def test_the_voice_assistant_example(arduino: ArduinoClient) -> None:
    """Connect twice, reset, audio, kws, asr and llm: all are answered in time, the llm listens to both."""
    await arduino.begin()
    audio = {"capcard": 0, "capdevice": 0, "capVolume": 0.5, "playcard": 0, "playdevice": 1, "playVolume": 0.15}
    await arduino.setup("audio_setup", "audio", 5, audio)
    kws = await arduino.setup("kws_setup", "kws", 30, KWS)
    asr = await arduino.setup(
        "asr_setup",
        "asr",
        10,
        {
            "model": "sherpa-ncnn-streaming-zipformer-20M-2023-02-17",
            "response_format": "asr.utf-8.stream",
            "input": ["sys.pcm", kws],
            "enoutput": True,
            "enkws": True,
            "rule1": 2.4,
            "rule2": 1.2,
            "rule3": 30.0,
        },
    )
    llm = await arduino.setup("llm_setup", "llm", 30, LLM | {"input": [asr, kws]})

    info = await arduino.call("info", llm, "taskinfo", 2)
    await arduino.send({"request_id": "button", "work_id": kws, "action": "trigger"})
    detected = await arduino.wait_for("kws_setup", 2)

    assert info["data"]["inputs_"] == [asr, kws]
    assert (detected["work_id"], detected["object"], detected["data"]) == (kws, "kws.bool", True)


async def test_the_micropython_client(client: WireClient) -> None:
    """uiflow: ujson's spacing, keys in any order, input as text; every message is read without a guard."""
    requests = [
        b'{"data": "None", "object": "None", "action": "ping", "work_id": "sys", "request_id": "sys_ping"}',
        b'{"object": "kws.setup", "request_id": "kws_setup", "data": {"enoutput": true, "kws": "HELLO", "input": '
        b'"sys.pcm", "enwake_audio": true, "model": "sherpa-onnx-kws-zipformer-gigaspeech-3.3M-2024-01-01", '
        b'"response_format": "kws.bool"}, "work_id": "kws", "action": "setup"}',
    ]

    answers = []
    for request in requests:
        await client.send_bytes(request)
        answers.append(await client.receive())

    assert [(each["request_id"], each["error"]["code"]) for each in answers] == [("sys_ping", 0), ("kws_setup", 0)]
    assert answers[1]["work_id"] == "kws.1000"


async def test_the_benchmark_client(client: WireClient) -> None:
    """It reads one chunk and parses everything in it: exactly one line may come for a setup and an exit."""
    setup = {"request_id": "llm_001", "work_id": "llm", "action": "setup", "object": "llm.setup", "data": LLM}

    await client.send_bytes(orjson.dumps(setup))
    reply = orjson.loads(await client.reader.read(4096))
    work_id = reply["work_id"]
    frames = await client.frames(await client.infer(work_id, "hello"))
    await client.send_bytes(orjson.dumps({"request_id": "llm_exit", "work_id": work_id, "action": "exit"}))
    farewell = orjson.loads(await client.reader.read(4096))

    assert all(set(frame["data"]) == {"delta", "finish", "index"} for frame in frames)
    assert (farewell["request_id"], farewell["error"]["code"]) == ("llm_exit", 0)
