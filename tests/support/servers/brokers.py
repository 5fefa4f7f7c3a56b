"""A Mosquitto that can be killed and started again, and a client of it."""

import asyncio
import shutil
import socket
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiomqtt
import orjson
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

MOSQUITTO = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
CONNECT = b"\x10\x0c\x00\x04MQTT\x04\x02\x00\x0a\x00\x00"
MISSING = "mosquitto is not installed: sudo apt-get install mosquitto"


def free_port() -> int:
    """Return a port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Broker:
    """Mosquitto on one port, with its state in a folder."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = free_port()
        self._folder = folder
        self._options = options
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start the broker; return when it answers."""
        lines = [
            f"listener {self.port} 127.0.0.1",
            *(self._options or ("allow_anonymous true",)),
            "persistence true",
            f"persistence_location {self._folder}/",
            "autosave_on_changes true",
            "autosave_interval 1",
            "max_queued_messages 10000",
            "user root",
        ]
        config = self._folder / "mosquitto.conf"
        config.write_text("\n".join(lines) + "\n")
        assert MOSQUITTO is not None
        self._process = await asyncio.create_subprocess_exec(
            MOSQUITTO, "-c", str(config), stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
        )
        while not await self._answers():
            await asyncio.sleep(0.005)

    async def _answers(self) -> bool:
        """Return True when the broker answers; before that a signal to end would be lost."""
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except ConnectionRefusedError:
            return False
        writer.write(CONNECT)
        with suppress(ConnectionResetError):  # it asks for TLS
            await reader.read(1)
        writer.close()
        with suppress(ConnectionResetError):
            await writer.wait_closed()
        return True

    async def stop(self, *, by_force: bool = False) -> None:
        """End the broker; a second call does nothing."""
        if self._process is not None:
            self._process.kill() if by_force else self._process.terminate()
            await self._process.wait()
            self._process = None


@dataclass
class Listener:
    """A client that keeps every message it receives."""

    client: aiomqtt.Client
    messages: list[aiomqtt.Message] = field(default_factory=list)
    _arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self) -> None:
        """Keep messages until cancelled."""
        async for message in self.client.messages:
            self.messages.append(message)
            self._arrived.set()

    async def until(self, condition: Callable[[], bool], limit: float = 10.0) -> None:
        """Return as soon as the messages make the condition true; raise TimeoutError after `limit` seconds."""
        async with asyncio.timeout(limit):
            while not condition():
                self._arrived.clear()
                await self._arrived.wait()

    async def caught_up(self) -> None:
        """Return when everything has arrived that the broker has taken so far."""
        mark = f"caught-up/{uuid.uuid4()}"
        await self.client.publish(mark, b"now", qos=1)
        await self.until(lambda: bool(self.on(mark)))

    def on(self, topic: str) -> list[bytes]:
        """Return the payloads of a topic in their order."""
        return [bytes(each.payload) for each in self.messages if str(each.topic) == topic]

    def objects_on(self, topic: str) -> list[Any]:
        """Return the payloads of a topic as JSON; an empty one is None."""
        return [orjson.loads(each) if each else None for each in self.on(topic)]

    async def request(self, node: str, *, answers: str = "my/answers", **fields: Any) -> bytes:
        """Send a request; return its correlation data, which no other request has."""
        correlation = uuid.uuid4().bytes
        await self.publish(f"unitd/{node}/request", orjson.dumps(fields), answers, correlation)
        return correlation

    async def publish(
        self, topic: str, payload: bytes | str, answers: str | None = None, correlation: bytes | None = None
    ) -> None:
        """Publish one message of QoS 1."""
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # paho's has no types
        if answers is not None:
            properties.ResponseTopic = answers
        if correlation is not None:
            properties.CorrelationData = correlation
        await self.client.publish(topic, payload, qos=1, properties=properties)

    def answers_to(self, correlation: bytes) -> list[dict[str, Any]]:
        """Return the replies with this correlation data."""
        return [
            orjson.loads(bytes(each.payload))
            for each in self.messages
            if getattr(each.properties, "CorrelationData", None) == correlation and "request" not in str(each.topic)
        ]

    async def ask(self, node: str, **fields: Any) -> dict[str, Any]:
        """Send a request; return its first answer."""
        correlation = await self.request(node, **fields)
        await self.until(lambda: bool(self.answers_to(correlation)))
        return self.answers_to(correlation)[0]


@asynccontextmanager
async def listening(broker: Broker, *topics: str) -> AsyncIterator[Listener]:
    """Run a listener on these topics, or on all if none is given."""
    async with aiomqtt.Client("127.0.0.1", broker.port, protocol=aiomqtt.ProtocolVersion.V5) as client:
        for topic in topics or ("#",):
            await client.subscribe(topic, qos=1)
        listener = Listener(client)
        listens = asyncio.create_task(listener.listen())
        try:
            yield listener
        finally:
            listens.cancel()
            await asyncio.wait([listens])


@asynccontextmanager
async def running_broker(folder: Path) -> AsyncIterator[Broker]:
    """Run a broker for one test; skip the test where Mosquitto is not installed."""
    if MOSQUITTO is None:
        pytest.skip(MISSING)
    folder.mkdir(parents=True)
    broker = Broker(folder)
    await broker.start()
    try:
        yield broker
    finally:
        await broker.stop()
