"""A voice agent on the chunked streaming socket."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import orjson
import psutil
from websockets.asyncio.client import ClientConnection, connect

from tests.support.children import own_children
from unitd.app import App

Message = dict[str, Any]
TOKENS = {"stream_tokens": True}
SENTENCES = {"pause": {"sentence_boundary": True}}
JOKE = "Tell me a joke."


def asking(text: str, **options: Any) -> Message:
    """Return the fields of a start that every test needs; sampling is greedy, so that texts can be compared."""
    return {"messages": [{"role": "user", "content": text}], "temperature": 0, **options}


class Agent:
    """A voice agent on one socket."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def tell(self, action: str, stream_id: str | None = None, **fields: Any) -> None:
        """Send one message."""
        ids = {} if stream_id is None else {"stream_id": stream_id}
        await self.socket.send(orjson.dumps({"action": action, **ids, **fields}).decode())

    async def hear(self) -> Message:
        """Return the next message."""
        async with asyncio.timeout(10):
            message: Message = orjson.loads(await self.socket.recv())
        return message

    async def ask(self, action: str, stream_id: str | None = None, **fields: Any) -> Message:
        """Send one message; return the next that comes."""
        await self.tell(action, stream_id, **fields)
        return await self.hear()

    async def chunk(self) -> tuple[str, Message]:
        """Return the joined tokens of a chunk and the message that ends it."""
        text = ""
        while (message := await self.hear())["type"] == "token":
            text += message["content"]
        return text, message

    async def sentences(self, stream_id: str, chunk: Message) -> list[Message]:
        """Continue a buffered answer sentence by sentence; return `chunk` and all that follow."""
        chunks = [chunk]
        while not chunks[-1]["done"]:
            chunks.append(await self.ask("continue_stream", stream_id, **SENTENCES))
        return chunks


@asynccontextmanager
async def agent_at(app: App, query: str = "") -> AsyncIterator[Agent]:
    """Connect an agent to a daemon."""
    host, port = app.endpoints["http"]
    async with connect(f"ws://{host}:{port}/ws{query}") as socket:
        yield Agent(socket)


async def health_of(app: App) -> Message:
    """Return the body of /health."""
    host, port = app.endpoints["http"]
    async with httpx.AsyncClient() as client:
        body: Message = (await client.get(f"http://{host}:{port}/health")).json()
    return body


def kill_children() -> list[psutil.Process]:
    """Kill the unit programs of the test's own daemon; return them."""
    children = own_children()
    for child in children:
        child.kill()
    return children
