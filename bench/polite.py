"""Polite clients, one class for each door: they ask, read everything that comes, and check every frame.

A client of the JSON protocol that keeps a task checks that the frames of an answer carry its request_id and its
work_id, are numbered from 0 without a gap, and end once. The caller compares the words: the bundled model answers
exactly, whatever other clients ask.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import aiomqtt
import httpx
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from bench import crowd
from bench.daemon import Client, Daemon

TOKENS = 24
NODE = "soak"


class Wrong(Exception):
    """A reply that must not come, or not in this form."""


class Polite(ABC):
    """A client that asks one question after the other."""

    @abstractmethod
    async def open(self) -> None:
        """Connect."""

    @abstractmethod
    async def ask(self, question: str) -> str:
        """Return the whole answer.

        Raises:
            Wrong: a frame was not as it must be.
        """

    @abstractmethod
    async def close(self) -> None:
        """Disconnect."""

    async def give_up(self) -> None:
        """Disconnect without waiting for an answer."""
        await self.close()


class SocketClient(Client):
    """The JSON protocol on /ws/units."""

    def __init__(self, ws: ClientConnection) -> None:
        super().__init__()
        self.ws = ws

    async def write(self, data: bytes) -> None:
        await self.ws.send(data.decode(errors="replace"))

    async def read(self) -> bytes:
        try:
            return await self.ws.recv(decode=False)
        except ConnectionClosed as error:
            raise EOFError(str(error)) from error

    async def close(self) -> None:
        await self.ws.close()


class TopicClient(Client):
    """The JSON protocol over a broker."""

    def __init__(self, client: aiomqtt.Client, topic: str) -> None:
        """Take the topic for the answers."""
        super().__init__()
        self._client = client
        self._topic = topic
        self._messages = aiter(client.messages)

    @classmethod
    async def enter(cls, port: int, topic: str) -> "TopicClient":
        """Open a connection to the broker; return the client itself."""
        client = aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5)
        await client.__aenter__()
        await client.subscribe(topic, qos=1)
        return cls(client, topic)

    async def write(self, data: bytes) -> None:
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        properties.ResponseTopic = self._topic
        await self._client.publish(f"unitd/{NODE}/request", data, qos=1, properties=properties)

    async def read(self) -> bytes:
        message = await anext(self._messages)
        return bytes(message.payload)

    async def close(self) -> None:
        await self._client.__aexit__(None, None, None)


class OnTheWire(Polite):
    """A client on TCP, Unix, /ws/units or MQTT, with a task of its own."""

    def __init__(self, door: str, daemon: Daemon, number: int, broker_port: int) -> None:
        self._door = door
        self._daemon = daemon
        self._number = number
        self._broker_port = broker_port

    async def open(self) -> None:
        self._client = await self._connected()
        data = {"model": "default", "response_format": "llm.utf-8.stream", "input": "llm.utf-8", "enoutput": True}
        data |= {"prompt": "", "max_token_len": TOKENS, "temperature": 0.0, "frame_interval_ms": 0}
        reply = await self._client.ask(work_id="llm", action="setup", data=data)
        if reply["error"]["code"]:
            raise Wrong(f"setup: {reply['error']}")
        self._work_id = reply["work_id"]

    async def _connected(self) -> Client:
        if self._door == "mqtt":
            return await TopicClient.enter(self._broker_port, f"soak/answers/{self._number}")
        if self._door == "ws/units":
            host, port = self._daemon.endpoints["http"]
            return SocketClient(await connect(f"ws://{host}:{port}/ws/units"))
        return await self._daemon.client(self._door)

    async def ask(self, question: str) -> str:
        request = {"work_id": self._work_id, "action": "inference", "object": "llm.utf-8", "data": question}
        request_id = await self._client.send(**request)
        text, index = "", 0
        while True:
            frame = await self._client.receive()
            _check(frame, request_id=request_id, work_id=self._work_id, object="llm.utf-8.stream")
            data = frame["data"]
            if frame["error"]["code"] or data["index"] != index:
                raise Wrong(f"frame {index} is {frame}")
            text, index = text + data["delta"], index + 1
            if data["finish"]:
                return str(text)

    async def close(self) -> None:
        reply = await self._client.ask(work_id=self._work_id, action="exit")
        await self._client.close()
        if reply["error"]["code"]:
            raise Wrong(f"exit: {reply['error']}")

    async def give_up(self) -> None:
        await self._client.send(work_id=self._work_id, action="exit")
        await self._client.close()


class Completions(Polite):
    """A client of /v1/chat/completions."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon

    async def open(self) -> None:
        host, port = self._daemon.endpoints["http"]
        self._http = httpx.AsyncClient(base_url=f"http://{host}:{port}", timeout=None)

    async def ask(self, question: str) -> str:
        body = {"messages": [{"role": "user", "content": question}], "temperature": 0, "max_tokens": TOKENS}
        text, is_done = "", False
        ids: set[str] = set()
        reasons: list[str] = []
        async with self._http.stream("POST", "/v1/chat/completions", json=body | {"stream": True}) as answer:
            if answer.status_code != 200:
                raise Wrong(f"status {answer.status_code}")
            async for line in answer.aiter_lines():
                if line == "data: [DONE]":
                    is_done = True
                elif line.startswith("data: "):
                    chunk = json.loads(line.removeprefix("data: "))
                    ids.add(chunk["id"])
                    text += chunk["choices"][0]["delta"].get("content") or ""
                    reasons += filter(None, [chunk["choices"][0]["finish_reason"]])
        if len(ids) != 1 or len(reasons) != 1 or not is_done:
            raise Wrong(f"ids {ids}, ends {reasons}, done {is_done}")
        return text

    async def close(self) -> None:
        await self._http.aclose()


class Chunked(Polite):
    """A client of /ws with chunked streaming."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._streams = 0

    async def open(self) -> None:
        host, port = self._daemon.endpoints["http"]
        self._ws = await connect(f"ws://{host}:{port}/ws")

    async def ask(self, question: str) -> str:
        self._streams += 1
        text, _ = await crowd.ask(self._ws, f"stream {self._streams}", question)
        return text

    async def close(self) -> None:
        await self._ws.close()


def polite(door: str, daemon: Daemon, number: int, broker_port: int) -> Polite:
    """Return the client of a door."""
    if door == "http":
        return Completions(daemon)
    if door == "ws":
        return Chunked(daemon)
    return OnTheWire(door, daemon, number, broker_port)


def _check(frame: Mapping[str, Any], **wanted: str) -> None:
    """Raise Wrong when the condition does not hold."""
    found = {key: frame.get(key) for key in wanted}
    if found != wanted:
        raise Wrong(f"{found} came, {wanted} was wanted")
