"""A client of the turn-based chat: its requests, over the socket or by POST, and the answers."""

import asyncio
import base64
from typing import Any

import httpx
import numpy as np
import orjson
from numpy.typing import NDArray
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from unitd.app import App

Message = dict[str, Any]

GREEDY = {"temperature": 0, "max_new_tokens": 60}
# At a length penalty of 100 an answer does not end by itself.
ENDLESS = {"temperature": 0, "max_new_tokens": 3000, "length_penalty": 100}
STORY = [{"role": "user", "content": "tell me a very long story"}]
CLIENT_RATE = 24000


def url(app: App, path: str, scheme: str = "http") -> str:
    """Return the URL of a path of the HTTP door."""
    host, port = app.endpoints["http"]
    return f"{scheme}://{host}:{port}{path}"


def chat_socket(app: App) -> connect:
    """Return a connection for one chat."""
    return connect(url(app, "/ws/chat", "ws"), max_size=None)


async def receive(ws: ClientConnection) -> Message:
    """Return the next message."""
    async with asyncio.timeout(30):
        message: Message = orjson.loads(await ws.recv())
    return message


async def everything(ws: ClientConnection) -> list[Message]:
    """Return all messages until the server closes the connection."""
    messages = []
    try:
        while True:
            messages.append(await receive(ws))
    except ConnectionClosed:
        return messages


async def chat(app: App, request: Message | str | bytes) -> list[Message]:
    """Send a request over a socket; return all messages."""
    async with chat_socket(app) as ws:
        await ws.send(orjson.dumps(request).decode() if isinstance(request, dict) else request)
        return await everything(ws)


async def post(app: App, request: Message | bytes) -> httpx.Response:
    """Send a request by POST; return the response."""
    content = orjson.dumps(request) if isinstance(request, dict) else request
    async with httpx.AsyncClient(timeout=30) as client:
        return await client.post(url(app, "/api/chat"), content=content)


async def get(app: App, path: str) -> httpx.Response:
    """Return the response to a GET request."""
    async with httpx.AsyncClient() as client:
        return await client.get(url(app, path))


def ask(question: str | list[Message], **fields: Any) -> Message:
    """Return a request with this question and greedy sampling."""
    return {"messages": [{"role": "user", "content": question}], "generation": GREEDY} | fields


def sound_in(*messages: Message) -> NDArray[np.float32]:
    """Return the joined sound of these messages."""
    heard = [base64.b64decode(each["audio_data"]) for each in messages if each.get("audio_data")]
    return np.frombuffer(b"".join(heard), "<f4")


def types_of(messages: list[Message]) -> list[str]:
    """Return the types in order; a type that is repeated counts once."""
    types = [each["type"] for each in messages]
    return [each for at, each in enumerate(types) if at == 0 or types[at - 1] != each]
