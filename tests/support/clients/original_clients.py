"""The original's clients: what they send and how they read (docs/original-firmware.md, sections 1.5, 9, 10).

Both take the first message with their request_id for the answer, whatever it says. They differ in how they write JSON,
in how they find the end of a message, and in some keys and ids of their setups.
"""

import asyncio
import base64
import random
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from tests.support.clients.wire_client import WireClient


@dataclass(frozen=True)
class SetUp:
    """The setup that a client sends for a unit, and the seconds for which the client waits for the answer."""

    request_id: str
    seconds: float
    data: dict[str, Any]

    def but(self, request_id: str = "", **changes: Any) -> "SetUp":
        """Return this setup with other keys or another request_id."""
        return replace(self, request_id=request_id or self.request_id, data=self.data | changes)


ARDUINO = {
    "audio": SetUp(
        "audio_setup",
        5,
        {"capcard": 0, "capdevice": 0, "capVolume": 0.5, "playcard": 0, "playdevice": 1, "playVolume": 0.15},
    ),
    "kws": SetUp(
        "kws_setup",
        30,
        {
            "model": "sherpa-onnx-kws-zipformer-gigaspeech-3.3M-2024-01-01",
            "response_format": "kws.bool",
            "enoutput": True,
            "kws": "HELLO",
            "input": ["sys.pcm"],
        },
    ),
    "asr": SetUp(
        "asr_setup",
        10,
        {
            "model": "sherpa-ncnn-streaming-zipformer-20M-2023-02-17",
            "response_format": "asr.utf-8.stream",
            "enoutput": True,
            "enkws": True,
            "rule1": 2.4,
            "rule2": 1.2,
            "rule3": 30.0,
            "input": ["sys.pcm"],
        },
    ),
    "vad": SetUp(
        "vad_setup",
        30,
        {"model": "silero-vad", "response_format": "vad.bool", "enoutput": True, "input": ["sys.pcm"]},
    ),
    "whisper": SetUp(
        "whisper_setup",
        10,
        {
            "model": "whisper-tiny",
            "response_format": "asr.utf-8",
            "language": "en",
            "enoutput": True,
            "input": ["sys.pcm"],
        },
    ),
    "llm": SetUp(
        "llm_setup",
        30,
        {
            "model": "qwen2.5-0.5B-prefill-20e",
            "response_format": "llm.utf-8.stream",
            "input": ["llm.utf-8.stream"],
            "enoutput": True,
            "enkws": True,
            "max_token_len": 127,
            "prompt": "",
        },
    ),
    "vlm": SetUp(
        "vlm_setup",
        30,
        {
            "model": "internvl2.5-1B-364-ax630c",
            "response_format": "vlm.utf-8.stream",
            "input": ["vlm.utf-8.stream"],
            "enoutput": True,
            "enkws": True,
            "max_token_len": 255,
            "prompt": "",
        },
    ),
    "tts": SetUp(
        "tts_setup",
        10,
        {
            "model": "single-speaker-english-fast",
            "response_format": "sys.pcm",
            "enoutput": False,
            "enkws": True,
            "enaudio": True,
            "input": ["tts.utf-8.stream"],
        },
    ),
    "melotts": SetUp(
        "melotts_setup",
        15,
        {
            "model": "melotts-en-default",
            "response_format": "sys.pcm",
            "input": ["tts.utf-8.stream"],
            "enoutput": False,
            "enaudio": True,
        },
    ),
}
"""By unit; the model names are those that a client sends once it has read version v1.6."""

MICROPYTHON = ARDUINO | {
    "kws": ARDUINO["kws"].but(input="sys.pcm", enwake_audio=True),
    "asr": ARDUINO["asr"].but(enkws=False),
    "vad": ARDUINO["vad"].but("kws_setup", response_format="kws.bool"),
    "whisper": ARDUINO["whisper"].but("asr_setup"),
    "llm": ARDUINO["llm"].but(enkws=False),
    "vlm": SetUp(
        "vlm_setup",
        30,
        {
            "model": "internvl2.5-1B-364-ax630c",
            "response_format": "vlm.utf-8.stream",
            "input": ["vlm.utf-8"],
            "enoutput": True,
            "max_token_len": 256,
            "prompt": "",
        },
    ),
    "melotts": SetUp(
        "tts_setup",
        15,
        {
            "model": "melotts-en-default",
            "response_format": "sys.pcm",
            "input": ["tts.utf-8.stream"],
            "enoutput": False,
        },
    ),
}


class OriginalClient(ABC):
    """The common part of both clients; a wait that is too long raises TimeoutError."""

    def __init__(self, line: WireClient, setups: Mapping[str, SetUp]) -> None:
        self._line = line
        self._setups = setups
        self.codes: list[int] = []
        """Error codes of all setups and exits; the clients themselves never look at them."""

    @abstractmethod
    async def send(self, request: dict[str, Any]) -> None:
        """Send one request without a delimiter."""

    @abstractmethod
    async def show(self, vlm: str, jpeg: bytes) -> None:
        """Send a picture, which is not answered."""

    @abstractmethod
    async def message(self) -> dict[str, Any]:
        """Return the next message."""

    async def wait_for(self, request_id: str, seconds: float) -> dict[str, Any]:
        """Return the next message with this request_id."""
        async with asyncio.timeout(seconds):
            while (message := await self.message())["request_id"] != request_id:
                pass
            return message

    async def call(self, request_id: str, work_id: str, action: str, seconds: float, **fields: Any) -> dict[str, Any]:
        """Send a request with the fields of every sys call of the clients; return the answer."""
        request = {"request_id": request_id, "work_id": work_id, "action": action, "object": "None", "data": "None"}
        await self.send(request | fields)
        return await self.wait_for(request_id, seconds)

    async def begin(self) -> None:
        """Ask whether the module is there and which version it has, then reset it."""
        assert (await self.call("sys_ping", "sys", "ping", 2))["error"]["code"] == 0
        version = (await self.call("sys_version", "sys", "version", 2))["data"]
        assert float(version[1:]) >= 1.6
        assert (await self.call("sys_reset", "sys", "reset", 2))["error"]["code"] == 0
        assert (await self.wait_for("0", 15))["error"]["code"] == 0

    async def set_up(self, unit: str, request_id: str = "", **changes: Any) -> str:
        """Set a unit up; return the work_id of the answer, whatever its code."""
        setup = self._setups[unit].but(request_id, **changes)
        form = {"object": f"{unit}.setup", "data": setup.data}
        reply = await self.call(setup.request_id, unit, "setup", setup.seconds, **form)
        self.codes.append(reply["error"]["code"])
        return str(reply["work_id"])

    async def exit(self, work_id: str) -> None:
        """End a task with the three fields that the clients send."""
        request_id = f"{work_id.partition('.')[0]}_exit"
        await self.send({"request_id": request_id, "work_id": work_id, "action": "exit"})
        self.codes.append((await self.wait_for(request_id, 5))["error"]["code"])

    async def infer(self, unit: str, work_id: str, text: str) -> None:
        """Send a text as a stream of one chunk, under the unit's request_id."""
        request = {"request_id": f"{unit}_inference", "work_id": work_id, "action": "inference"}
        data = {"delta": text, "index": 0, "finish": True}
        await self.send(request | {"object": f"{unit}.utf-8.stream", "data": data})

    async def ask(self, work_id: str, question: str) -> str:
        """Ask an llm or vlm; return the whole answer. Five seconds without a message raise TimeoutError."""
        unit = work_id.partition(".")[0]
        await self.infer(unit, work_id, question)
        answer, is_finished = "", False
        while not is_finished:
            data = (await self.wait_for(f"{unit}_inference", 5))["data"]
            answer, is_finished = answer + data["delta"], data["finish"]
        return answer

    async def messages_until_last_of(self, work_id: str) -> list[dict[str, Any]]:
        """Return all messages up to the last one of this task, as the loop of a sketch sees them."""
        messages = []
        async with asyncio.timeout(30):
            while not _is_last_of(work_id, message := await self.message()):
                messages.append(message)
        return [*messages, message]


def _is_last_of(work_id: str, message: dict[str, Any]) -> bool:
    data = message["data"]
    return message["work_id"] == work_id and (not isinstance(data, dict) or data["finish"])


class ArduinoClient(OriginalClient):
    """M5Module-LLM: counts braces (also inside strings), a newline starts anew."""

    def __init__(self, line: WireClient) -> None:
        super().__init__(line, ARDUINO)
        self._buffer = b""
        self._depth = 0

    async def send(self, request: dict[str, Any]) -> None:
        """Send a request as Serial.print of a JSON document does."""
        await self._line.send_bytes(orjson.dumps(request))

    async def show(self, vlm: str, jpeg: bytes) -> None:
        """Send the header, and the bytes after it."""
        header = {"RAW": len(jpeg), "request_id": "vlm_inference", "work_id": vlm, "action": "inference"}
        await self.send(header | {"object": "cv.jpeg.base64"})
        await self._line.send_bytes(jpeg)

    async def message(self) -> dict[str, Any]:
        """Return the next object, found by counting braces."""
        while True:
            character = await self._line.reader.readexactly(1)
            if character == b"\n":
                self._buffer, self._depth = b"", 0
                continue
            self._buffer += character
            self._depth += (character == b"{") - (character == b"}")
            if character == b"}" and self._depth == 0:
                text, self._buffer = self._buffer, b""
                message: dict[str, Any] = orjson.loads(text)
                return message


class MicroPythonClient(OriginalClient):
    """uiflow: a dictionary has its keys in any order, a message is a line."""

    def __init__(self, line: WireClient) -> None:
        super().__init__(line, MICROPYTHON)
        self._rng = random.Random(10)

    async def send(self, request: dict[str, Any]) -> None:
        """Send a request as ujson.dumps writes it: with spaces after commas and colons."""
        await self._line.send_bytes(self._written(request).encode())

    async def show(self, vlm: str, jpeg: bytes) -> None:
        """Send base64 as a stream of one chunk."""
        data = {"delta": base64.b64encode(jpeg).decode(), "index": 0, "finish": True}
        request = {"request_id": "vlm_inference", "work_id": vlm, "action": "inference"}
        await self.send(request | {"object": "cv.jpeg.stream.base64", "data": data})

    async def message(self) -> dict[str, Any]:
        """Return the next line."""
        message: dict[str, Any] = orjson.loads(await self._line.reader.readline())
        return message

    def _written(self, value: Any) -> str:
        if not isinstance(value, dict):
            return orjson.dumps(value).decode()
        keys = self._rng.sample(sorted(value), len(value))
        return "{" + ", ".join(f'"{key}": {self._written(value[key])}' for key in keys) + "}"
