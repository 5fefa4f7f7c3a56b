"""What tests share: a client of the wire, a waiting that is no sleep, small fakes that behave."""

import asyncio
import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

from unitd.core.access.grants import TRUSTED, Grant
from unitd.wire.messages import Reply

MS = 0.001 * float(os.environ.get("UNITD_TEST_SLOWNESS", "1"))
"""A millisecond, stretched on slow machines."""

LLM_SETUP = {
    "model": "qwen2.5-0.5B-prefill-20e",
    "response_format": "llm.utf-8.stream",
    "input": "llm.utf-8",
    "enoutput": True,
    "max_token_len": 256,
    "prompt": "You are a knowledgeable assistant capable of answering various questions and providing information.",
    "temperature": 0.0,
    "frame_interval_ms": 0,  # each token in a frame of its own; tests/runtime/test_pacing.py has the spacing
}
KWS_SETUP = {
    "model": "sherpa-onnx-kws-zipformer-gigaspeech-3.3M-2024-01-01",
    "response_format": "kws.bool",
    "input": "sys.pcm",
    "enoutput": True,
    "kws": "HELLO",
}
# The bundled model has learnt to go on for a while when asked so.
LONG_QUESTION = "tell me a very long story"


async def eventually(condition: Callable[[], bool], timeout: float = 5.0) -> None:
    """Returns as soon as the condition holds."""
    async with asyncio.timeout(timeout):
        while not condition():
            await asyncio.sleep(0.001)


class WireClient:
    """One client on a stream: requests out, lines in, in order."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        incoming: asyncio.BaseTransport | None = None,
    ) -> None:
        self.reader = reader
        self.writer = writer
        self._incoming = incoming
        self._numbers = itertools.count(1)

    async def send(self, *, request_id: str | None = None, **fields: Any) -> str:
        """Sends one request; returns its request_id."""
        request_id = request_id or f"request-{next(self._numbers)}"
        await self.send_bytes(orjson.dumps({"request_id": request_id} | fields))
        return request_id

    async def send_bytes(self, data: bytes) -> None:
        """Sends bytes as they are."""
        self.writer.write(data)
        await self.writer.drain()

    async def receive(self, timeout: float = 10.0) -> dict[str, Any]:
        """The next line, whatever it is."""
        async with asyncio.timeout(timeout):
            line = await self.reader.readline()
        if not line:
            raise EOFError("the daemon closed the connection")
        reply: dict[str, Any] = orjson.loads(line)
        return reply

    async def ask(self, *, request_id: str | None = None, **fields: Any) -> dict[str, Any]:
        """Sends a request and returns the next line of its id, passing over what else comes."""
        sent = await self.send(request_id=request_id, **fields)
        while (reply := await self.receive())["request_id"] != sent:
            pass
        return reply

    async def receive_reply_to(self, request_id: str, *, never: str) -> dict[str, Any]:
        """The reply to one request; a frame of the request `never` on the way is an error."""
        while (reply := await self.receive())["request_id"] != request_id:
            if reply["request_id"] == never:
                raise RuntimeError(f"a frame that nobody wanted: {reply}")
        return reply

    async def setup(self, unit: str, data: dict[str, Any], **changes: Any) -> str:
        """Sets a task up; returns its work_id."""
        reply = await self.ask(work_id=unit, action="setup", object=f"{unit}.setup", data=data | changes)
        if reply["error"]["code"]:
            raise RuntimeError(reply["error"]["message"])
        return str(reply["work_id"])

    async def infer(self, work_id: str, text: str, *, request_id: str | None = None) -> str:
        """Sends a question; returns its request_id."""
        return await self.send(
            request_id=request_id, work_id=work_id, action="inference", object="llm.utf-8", data=text
        )

    async def frames(self, request_id: str) -> list[dict[str, Any]]:
        """The frames of one streamed answer, up to the last one."""
        frames = []
        while True:
            frame = await self.receive()
            if frame["request_id"] == request_id:
                frames.append(frame)
                if frame["error"]["code"] or frame["data"]["finish"]:
                    return frames

    async def answer(self, work_id: str, text: str) -> str:
        """The whole text of a streamed answer."""
        return text_of(await self.frames(await self.infer(work_id, text)))

    async def close(self) -> None:
        """Hangs up."""
        if self._incoming is not None:
            self._incoming.close()
        self.writer.close()
        await asyncio.gather(self.writer.wait_closed(), return_exceptions=True)


def text_of(frames: list[dict[str, Any]]) -> str:
    """What a stream's deltas say."""
    return "".join(frame["data"]["delta"] for frame in frames)


@dataclass(eq=False)
class FakeClient:
    """A client behind no door: keeps what it is sent."""

    name: str = "fake"
    party: str = "fake"
    door: str = "test"
    is_gone: bool = False
    keeps_tasks: bool = True
    restores_tasks: bool = True
    frame_interval: float = 0.0
    grant: Grant = TRUSTED
    address: str = ""
    received: list[Reply] = field(default_factory=list)

    def admit(self, grant: Grant) -> "FakeClient":
        """It has shown a token."""
        self.grant = grant
        return self

    def send(self, reply: Reply) -> None:
        """Keeps it."""
        self.received.append(reply)

    def hold(self, reason: str, *, is_held: bool) -> None:
        """Nothing is read from it anyway."""

    async def wait_for_room(self) -> None:
        """There is always room."""


async def open_terminal(main_end: int) -> WireClient:
    """A client at the far end of a pseudo-terminal."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=32 * 1024 * 1024)
    # Two descriptors: each pipe transport closes its own.
    incoming = os.fdopen(os.dup(main_end), "rb", buffering=0)
    outgoing = os.fdopen(os.dup(main_end), "wb", buffering=0)
    read_end, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), incoming)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, outgoing)
    return WireClient(reader, asyncio.StreamWriter(transport, protocol, reader, loop), read_end)
