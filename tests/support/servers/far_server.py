"""A chat server of the OpenAI protocol that says `la` as often as the question demands.

The last message is a number: the answer has so many pieces and ends. A negative number ends it with an error instead.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import orjson

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one request."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    writer.write(HEAD)
    if head.startswith(b"post /v1/chat/completions "):
        body = await reader.readexactly(int(head.split(b"content-length:")[1].split()[0]))
        count = int(orjson.loads(body)["messages"][-1]["content"])
        for _ in range(abs(count)):
            writer.write(_event({"choices": [{"delta": {"content": "la "}}]}))
        if count >= 0:
            writer.write(_event({"choices": [{"delta": {}, "finish_reason": "stop"}]}) + b"data: [DONE]\n\n")
        else:
            writer.write(b'data: {"error": {"message": "out of memory"}}\n\n')
    await writer.drain()
    writer.close()


def _event(fields: object) -> bytes:
    return b"data: " + orjson.dumps(fields) + b"\n\n"


@asynccontextmanager
async def far_server() -> AsyncIterator[tuple[asyncio.Server, str]]:
    """Run a server on a free port; yield it and its URL."""
    server = await asyncio.start_server(_serve, "127.0.0.1", 0)
    async with server:
        yield server, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
