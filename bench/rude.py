"""Rude clients: slow, silent, vanishing, flooding, malformed. One call is one visit.

Such a client may be refused, disconnected or served; its own result does not matter. Each visit is bounded in bytes and
in time.
"""

import asyncio
import json
import random
import socket
import struct
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

import aiomqtt
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from bench.crowd import QUESTIONS
from bench.daemon import Client, Daemon, StreamClient
from bench.damage import VALID, damaged, sliced
from bench.polite import SocketClient, TopicClient

PING = b'{"request_id":"flood","work_id":"sys","action":"ping","object":"None","data":"None"}\n'
FLOOD, BROKER_FLOOD = 200, 50
"""Requests at once; a broker forwards them one by one, for all clients together."""
SMALL_BUFFER = 4096
SETUP = {"model": "default", "response_format": "llm.utf-8.stream", "input": "llm.utf-8", "enoutput": True}
SETUP |= {"prompt": "", "max_token_len": 200, "temperature": 0.0}
SHOWN_OUT = (OSError, EOFError, TimeoutError, WebSocketException, aiomqtt.MqttError)
"""Errors of a connection that is refused or closed by the daemon."""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass
class Place:
    """The daemon that a rude client visits."""

    daemon: Daemon
    door: str
    """tcp, unix, http, ws, ws/units or mqtt."""

    rng: random.Random
    broker_port: int = 0

    async def bytes_door(self) -> Streams:
        """Return a connection below every protocol; its buffer is small, so that not reading has an effect."""
        endpoints = self.daemon.endpoints
        if self.door == "unix":
            return await asyncio.open_unix_connection(endpoints["unix"])
        address = tuple(endpoints["tcp" if self.door == "tcp" else "http"])
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
        connection.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(connection, address)
        except OSError:
            connection.close()
            raise
        return await asyncio.open_connection(sock=connection, limit=SMALL_BUFFER)

    async def client(self) -> Client:
        """Return a client of the JSON protocol; doors with another protocol are entered through /ws/units."""
        if self.door in ("tcp", "unix"):
            return await self.daemon.client(self.door)
        if self.door == "mqtt":
            return await TopicClient.enter(self.broker_port, f"soak/rude/{self.rng.random()}")
        host, port = self.daemon.endpoints["http"]
        return SocketClient(await connect(f"ws://{host}:{port}/ws/units"))

    @property
    def question(self) -> bytes:
        """Return the HTTP request for a long answer."""
        body = {"messages": [{"role": "user", "content": self.rng.choice(QUESTIONS)}], "stream": True}
        return http_post(json.dumps(body).encode())


def http_post(body: bytes) -> bytes:
    """Return a request to /v1/chat/completions as bytes."""
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: here\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def slow(place: Place) -> None:
    """Ask for much and read a few bytes now and then."""
    reader, writer = await place.bytes_door()
    try:
        version = b'{"request_id":"slow","work_id":"sys","action":"version2"}\n'
        writer.write(place.question if place.door in ("http", "ws", "ws/units", "mqtt") else version * 500)
        for _ in range(place.rng.randint(20, 100)):
            await asyncio.sleep(0.1)
            async with asyncio.timeout(1):
                await reader.read(100)
    finally:
        await _leave(writer)


async def silent(place: Place) -> None:
    """Connect, send nothing or half of a request, and stay."""
    _, writer = await place.bytes_door()
    try:
        writer.write(place.rng.choice((b"", b"{", b'{"request_id":"1","wo', b"POST / HTTP/1.1\r\nHost: ", b"\n")))
        await asyncio.sleep(place.rng.uniform(2, 20))
    finally:
        await _leave(writer)


async def vanishing(place: Place) -> None:
    """Ask for a long answer and disconnect in the middle of it without a close."""
    if place.door == "http":
        _, writer = await place.bytes_door()
        try:
            writer.write(place.question)
            await asyncio.sleep(place.rng.uniform(0, 0.5))
        finally:
            _reset(writer)
        return
    client = await place.client()
    try:
        async with asyncio.timeout(20):
            work_id = (await client.ask(work_id="llm", action="setup", data=SETUP))["work_id"]
        question = place.rng.choice(QUESTIONS)
        await client.send(work_id=work_id, action="inference", object="llm.utf-8", data=question)
        await asyncio.sleep(place.rng.uniform(0, 0.5))
        if place.door == "mqtt":  # a task without an owner stays until it is ended
            await client.send(work_id=work_id, action="exit")
    finally:
        if isinstance(client, SocketClient):
            client.ws.transport.abort()
        elif isinstance(client, StreamClient):
            client.abort()
        else:
            await client.close()


async def flooding(place: Place) -> None:
    """Send many requests at once, then read all their answers; sometimes disconnect without reading."""
    if place.door not in ("http", "ws"):
        await _flood_wire(place)
        return
    reader, writer = await place.bytes_door()
    try:
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n" * 20)
        if place.rng.random() < 0.8:
            async with asyncio.timeout(5):
                await reader.readexactly(1000)
    finally:
        await _leave(writer)


async def _flood_wire(place: Place) -> None:
    client = await place.client()
    count = BROKER_FLOOD if place.door == "mqtt" else FLOOD
    try:
        if isinstance(client, SocketClient | TopicClient):
            for _ in range(count):
                await client.write(PING)
        else:
            await client.write(PING * count)
        if place.rng.random() < 0.8:
            async with asyncio.timeout(5):
                for _ in range(count):
                    await client.read()
    finally:
        await client.close()


async def malformed(place: Place) -> None:
    """Send, in slices, data that no client should send."""
    requests = [place.question, *VALID] if place.door in ("http", "ws") else VALID
    stream = damaged(place.rng.choices(requests, k=place.rng.randint(1, 8)), place.rng)
    if place.door in ("mqtt", "ws/units"):
        client = await place.client()
        try:
            await client.write(stream)
        finally:
            await client.close()
        return
    reader, writer = await place.bytes_door()
    try:
        for piece in sliced(stream, place.rng):
            writer.write(piece)
            await writer.drain()
        async with asyncio.timeout(0.2):
            await reader.read(1000)
    finally:
        await _leave(writer)


MANNERS: dict[str, Callable[[Place], Awaitable[None]]] = {
    each.__name__: each for each in (slow, silent, vanishing, flooding, malformed)
}

PAUSES = {"slow": 0.5, "silent": 0.5, "vanishing": 1.0, "flooding": 0.5, "malformed": 0.2}
"""Seconds between two visits, so that the load has a bound."""


async def visit(place: Place, manner: str) -> None:
    """Make one visit and the pause after it."""
    with suppress(*SHOWN_OUT):
        await MANNERS[manner](place)
    await asyncio.sleep(PAUSES[manner] * place.rng.uniform(0.5, 1.5))


async def _leave(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()
    await asyncio.gather(writer.wait_closed(), return_exceptions=True)


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close the connection so that the peer sees an error, not an end."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
