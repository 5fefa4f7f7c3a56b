"""The doors as a fuzzer uses them: after damaged data a valid request must be answered.

Damage can leave an object open that includes all data after it. The daemon drops such an object after a silence (2 s on
a serial line, 30 s on TCP). So a connection that does not answer is left alone for that time and must answer then.
After a RAW header a message of /ws/units or MQTT may be taken for its payload; the next message counts again.
"""

import asyncio
import json
import random
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Any

import aiomqtt
from websockets.asyncio.client import ClientConnection, connect

from bench.daemon import Client, Daemon, StreamClient
from bench.damage import VALID, damaged, sliced
from bench.polite import SocketClient, TopicClient

ANSWER_SECONDS = 1.0
PATIENCE_SECONDS = 10.0
TCP_SILENCE_SECONDS, SERIAL_SILENCE_SECONDS = 31.0, 2.5
PING = {"work_id": "sys", "action": "ping"}
SETUP = {"model": "default", "response_format": "llm.utf-8.stream", "input": "llm.utf-8", "enoutput": True}
SETUP |= {"prompt": "", "max_token_len": 4, "temperature": 0.0}
ACTIONS = ("pause", "work", "taskinfo", "cancel", "exit", "trigger", "unlink")
SYS_ACTIONS = ("lstask", "lsmode", "version", "cmminfo", "pull", "uartsetup", "rmmode", "bashexec")


class Unanswered(Exception):
    """A valid request got no answer."""


def requests_to(work_id: str) -> list[bytes]:
    """Return valid requests, many of them to an existing task."""
    own = [each.replace(b"llm.1002", work_id.encode()) for each in VALID]
    common: list[dict[str, Any]] = [{"work_id": work_id, "action": each, "data": "kws.1000"} for each in ACTIONS]
    common += [{"work_id": "sys", "action": each, "object": "sys.file./a", "data": {}} for each in SYS_ACTIONS]
    common += [{"work_id": "llm", "action": "setup", "object": "llm.setup", "data": SETUP}]
    return own + [json.dumps({"request_id": "8"} | fields).encode() + b"\n" for fields in common]


class Door(ABC):
    """One door to fuzz."""

    name = ""

    def __init__(self, daemon: Daemon, rng: random.Random) -> None:
        self.daemon = daemon
        self.rng = rng
        self.waiting: list[asyncio.Task[None]] = []
        """Connections that are left alone for a while and must answer then."""

    @abstractmethod
    async def batch(self, frames: int, requests: list[bytes]) -> None:
        """Send so many damaged frames on one connection, which must answer after them.

        Raises:
            Unanswered: the connection did not answer.
        """

    def talks(self, frames: int, requests: list[bytes]) -> list[bytes]:
        """Return damaged streams with so many frames in all."""
        streams = []
        while frames > 0:
            count = self.rng.randint(1, 8)
            streams.append(damaged(self.rng.choices(requests, k=count), self.rng))
            frames -= count
        return streams

    async def close(self) -> None:
        """Wait for the connections that were left alone.

        Raises:
            Unanswered: one of them did not answer.
        """
        await asyncio.gather(*self.waiting)


class Answers:
    """Reads all output for a client and notices when a request is answered."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._answered: dict[str, asyncio.Event] = {}
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                line = await self._client.read()
                if event := self._answered.get(json.loads(line)["request_id"]):
                    event.set()

    async def come(self, seconds: float) -> bool:
        """Return True when a ping is answered in time."""
        request_id = await self._client.send(**PING)
        answered = self._answered[request_id] = asyncio.Event()
        try:
            async with asyncio.timeout(seconds):
                await answered.wait()
        except TimeoutError:
            return False
        return True

    async def close(self) -> None:
        """Stop reading."""
        self._reading.cancel()
        await asyncio.wait([self._reading])
        await self._client.close()


class Tcp(Door):
    """TCP, with a connection for each batch."""

    name = "TCP"

    async def batch(self, frames: int, requests: list[bytes]) -> None:
        client = await self.daemon.client()
        answers = Answers(client)
        for stream in self.talks(frames, requests):
            for piece in sliced(stream, self.rng):
                await client.write(piece)
        if await answers.come(ANSWER_SECONDS):
            await answers.close()
        else:
            self.waiting.append(asyncio.create_task(_answers_after(answers, TCP_SILENCE_SECONDS)))


class Serial(Door):
    """A serial line, one for all batches."""

    name = "serial"

    def __init__(self, daemon: Daemon, rng: random.Random, answers: Answers, client: StreamClient) -> None:
        super().__init__(daemon, rng)
        self._answers = answers
        self._client = client

    async def batch(self, frames: int, requests: list[bytes]) -> None:
        for stream in self.talks(frames, requests):
            for piece in sliced(stream, self.rng):
                await self._client.write(piece)
        if not await self._answers.come(ANSWER_SECONDS):
            await asyncio.sleep(SERIAL_SILENCE_SECONDS)
            if not await self._answers.come(PATIENCE_SECONDS):
                raise Unanswered("serial")

    async def close(self) -> None:
        await self._answers.close()


class Units(Door):
    """/ws/units: a stream is a message, text or binary."""

    name = "/ws/units"

    async def batch(self, frames: int, requests: list[bytes]) -> None:
        host, port = self.daemon.endpoints["http"]
        ws = await connect(f"ws://{host}:{port}/ws/units", max_size=None)
        answers = Answers(SocketClient(ws))
        for stream in self.talks(frames, requests):
            await ws.send(stream.decode(errors="replace") if self.rng.random() < 0.5 else stream)
        await answers.come(ANSWER_SECONDS)
        await _must_come(answers, self.name)
        await answers.close()


STREAM: dict[str, Any] = {"action": "start_stream", "stream_id": "a", "pause": {"max_tokens": 1}, "max_tokens": 3}
STREAM |= {"messages": [{"role": "user", "content": "hello"}], "temperature": 0, "stream_tokens": True}
CHUNKED = [
    json.dumps(fields).encode()
    for fields in (
        STREAM,
        STREAM | {"stream_id": "b"},
        {"action": "continue_stream", "stream_id": "a", "pause": {"sentence_boundary": True}},
        {"action": "end_stream", "stream_id": "a"},
        {"action": "end_stream", "stream_id": "b"},
        {"action": "cancel_stream", "stream_id": "b"},
        {"action": "ping"},
    )
]


class Chunked(Door):
    """/ws with chunked streaming, with a connection for each batch."""

    name = "/ws"

    async def batch(self, frames: int, requests: list[bytes]) -> None:
        host, port = self.daemon.endpoints["http"]
        async with connect(f"ws://{host}:{port}/ws", max_size=None) as ws:
            await ws.send('{"action": "ping"}')
            listening = asyncio.create_task(_listen(ws))
            for _ in range(frames):
                message = damaged([self.rng.choice(CHUNKED)], self.rng)
                await ws.send(message.decode(errors="replace") if self.rng.random() < 0.9 else message)
            listening.cancel()
            await asyncio.wait([listening])
            await self._must_answer(ws)

    async def _must_answer(self, ws: ClientConnection) -> None:
        """Send an unknown action, whose name must be in an answer among the answers to all others."""
        marker = f"marker-{self.rng.random()}"
        await ws.send(json.dumps({"action": marker}))
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while marker not in str(await ws.recv()):
                    pass
        except TimeoutError as error:
            raise Unanswered(self.name) from error


class Mqtt(Door):
    """The request topic and the topics of Home Assistant's entities."""

    name = "MQTT"

    def __init__(self, daemon: Daemon, rng: random.Random, client: TopicClient, raw: aiomqtt.Client, base: str) -> None:
        super().__init__(daemon, rng)
        self._client = client
        self._answers = Answers(client)
        self._raw = raw
        self._base = base

    async def batch(self, frames: int, requests: list[bytes]) -> None:
        for stream in self.talks(frames, requests):
            if self.rng.random() < 0.5:
                await self._client.write(stream)
            else:
                topic = self.rng.choice(
                    ("request", "llm.1000/ask", "llm.1000/work", "llm.x/say", "x/y/cancel", "+/wake")
                )
                await self._raw.publish(f"{self._base}/{topic.replace('+', '_')}", stream)
        await self._answers.come(ANSWER_SECONDS)
        await _must_come(self._answers, self.name)

    async def close(self) -> None:
        await self._answers.close()


async def _must_come(answers: Answers, what: str) -> None:
    if not await answers.come(PATIENCE_SECONDS):
        raise Unanswered(what)


async def _answers_after(answers: Answers, seconds: float) -> None:
    await asyncio.sleep(seconds)
    await _must_come(answers, "TCP after a silence")
    await answers.close()


async def _listen(ws: ClientConnection) -> None:
    """Read and discard all messages."""
    async for _ in ws:
        pass
