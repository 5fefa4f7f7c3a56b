"""A client of the barge-in protocol, and an engine on another server that says what a test wants."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import orjson
from websockets.asyncio.client import ClientConnection, connect

from tests.support.clients.onlooker import tasks_of
from tests.support.waiting import MS
from unitd.app import App

Frame = dict[str, Any]

GREEDY = {"temperature": 0}
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


class Person:
    """One connection of a person."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def say(self, **fields: Any) -> None:
        """Send one message."""
        await self.socket.send(orjson.dumps(fields).decode())

    async def start(self, utterance: str, session_id: str = "ann", **fields: Any) -> None:
        """Begin a turn; the same words get the same answer unless `fields` say otherwise."""
        turn = {"session_id": session_id, "user_utterance": utterance, "sampling": GREEDY}
        await self.say(type="start", **turn | fields)

    async def hear(self) -> Frame:
        """Return the next frame."""
        frame: Frame = orjson.loads(await self.socket.recv())
        return frame

    async def until(self, *types: str) -> list[Frame]:
        """Return all frames up to the first of one of these types."""
        frames = [await self.hear()]
        while frames[-1]["type"] not in types:
            frames.append(await self.hear())
        return frames

    async def turn(self, utterance: str, session_id: str = "ann", **fields: Any) -> list[Frame]:
        """Begin a turn; return its frames from the ack to the end."""
        await self.start(utterance, session_id, **fields)
        return await self.until("done", "error")


@asynccontextmanager
async def person_at(app: App, query: str = "") -> AsyncIterator[Person]:
    """Connect a person to this daemon."""
    host, port = app.endpoints["http"]
    async with connect(f"ws://{host}:{port}/ws{query}") as socket:
        yield Person(socket)


def kinds_of(frames: list[Frame]) -> list[str]:
    """Return the types in order; several tokens in a row count once."""
    kinds = [frame["type"] for frame in frames]
    return [kind for at, kind in enumerate(kinds) if kind != "token" or kinds[at - 1] != "token"]


def text_of(frames: list[Frame]) -> str:
    """Return the joined text of the tokens."""
    return "".join(frame["text"] for frame in frames if frame["type"] == "token")


async def capacity_of(app: App) -> dict[str, Any]:
    """Return the capacity that /status reports."""
    host, port = app.endpoints["http"]
    async with httpx.AsyncClient() as http:
        capacity: dict[str, Any] = (await http.get(f"http://{host}:{port}/status")).json()["capacity"]
        return capacity


async def until_nobody_is_left(app: App) -> None:
    """Return when there is no task and no socket left."""
    async with asyncio.timeout(5):
        while await tasks_of(app) or (await capacity_of(app))["active"]:
            await asyncio.sleep(MS)


@dataclass
class Script:
    """The answer of an engine on another server to every question, and the questions that it received."""

    pieces: list[str | None]
    """The pieces of the answer; None is an error."""

    pause_seconds: float = 0.0
    """The pause between two pieces."""

    asked: list[Frame] = field(default_factory=list)
    url: str = ""

    @property
    def system(self) -> str:
        """Return the system prompt of the last question, or "" if it had none."""
        message = self.asked[-1]["messages"][0]
        return message["content"] if message["role"] == "system" else ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        size = int(head.split(b"content-length:")[1].split()[0])
        self.asked.append(orjson.loads(await reader.readexactly(size)))
        writer.write(HEAD)
        for piece in self.pieces:
            event: Frame = {"error": {"message": "out of memory"}}
            if piece is not None:
                event = {"choices": [{"delta": {"content": piece}}]}
            writer.write(b"data: " + orjson.dumps(event) + b"\n\n")
            await asyncio.sleep(self.pause_seconds)
        writer.write(b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n')
        await writer.drain()
        writer.close()


@asynccontextmanager
async def engine_that_says(*pieces: str) -> AsyncIterator[Script]:
    """Run an engine that answers every question with these pieces."""
    script = Script(list(pieces))
    server = await asyncio.start_server(script.serve, "127.0.0.1", 0)
    async with server:
        script.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield script
