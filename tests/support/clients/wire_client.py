"""A client of the wire over any stream: a socket or a pseudo-terminal."""

import asyncio
import itertools
import os
from typing import Any

import orjson


class WireClient:
    """A client on a stream: sends requests and receives lines in order."""

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
        """Send one request; return its request_id."""
        request_id = request_id or f"request-{next(self._numbers)}"
        await self.send_bytes(orjson.dumps({"request_id": request_id} | fields))
        return request_id

    async def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.writer.write(data)
        await self.writer.drain()

    async def receive(self, timeout: float = 10.0) -> dict[str, Any]:
        """Return the next message, whatever it is; raise EOFError at the end of the connection."""
        async with asyncio.timeout(timeout):
            line = await self.reader.readline()
        if not line:
            raise EOFError("the daemon closed the connection")
        reply: dict[str, Any] = orjson.loads(line)
        return reply

    async def ask(self, *, request_id: str | None = None, **fields: Any) -> dict[str, Any]:
        """Send a request; return the next message with its request_id and drop what comes before it."""
        sent = await self.send(request_id=request_id, **fields)
        while (reply := await self.receive())["request_id"] != sent:
            pass
        return reply

    async def receive_reply_to(self, request_id: str, *, never: str) -> dict[str, Any]:
        """Return the reply to a request; raise RuntimeError if a frame of the request `never` comes before it."""
        while (reply := await self.receive())["request_id"] != request_id:
            if reply["request_id"] == never:
                raise RuntimeError(f"a frame that must not come: {reply}")
        return reply

    async def setup(self, unit: str, data: dict[str, Any], **changes: Any) -> str:
        """Set a task up; return its work_id."""
        reply = await self.ask(work_id=unit, action="setup", object=f"{unit}.setup", data=data | changes)
        if reply["error"]["code"]:
            raise RuntimeError(reply["error"]["message"])
        return str(reply["work_id"])

    async def infer(self, work_id: str, text: str, *, request_id: str | None = None) -> str:
        """Send a question; return its request_id."""
        return await self.send(
            request_id=request_id, work_id=work_id, action="inference", object="llm.utf-8", data=text
        )

    async def frames(self, request_id: str) -> list[dict[str, Any]]:
        """Return the frames of a streamed answer, up to the last one."""
        frames = []
        while True:
            frame = await self.receive()
            if frame["request_id"] == request_id:
                frames.append(frame)
                if frame["error"]["code"] or frame["data"]["finish"]:
                    return frames

    async def answer(self, work_id: str, text: str) -> str:
        """Ask a question; return the whole text of the streamed answer."""
        return text_of(await self.frames(await self.infer(work_id, text)))

    async def close(self) -> None:
        """Close the connection."""
        if self._incoming is not None:
            self._incoming.close()
        self.writer.close()
        await asyncio.gather(self.writer.wait_closed(), return_exceptions=True)


def text_of(frames: list[dict[str, Any]]) -> str:
    """Return the joined deltas of a stream."""
    return "".join(frame["data"]["delta"] for frame in frames)


async def ask_sys(client: WireClient, action: str, **fields: Any) -> dict[str, Any]:
    """Send a sys action; return its reply."""
    return await client.ask(work_id="sys", action=action, **fields)


async def open_terminal(main_end: int) -> WireClient:
    """Return a client at the far end of a pseudo-terminal."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=32 * 1024 * 1024)
    # Two descriptors: each pipe transport closes its own.
    incoming = os.fdopen(os.dup(main_end), "rb", buffering=0)
    outgoing = os.fdopen(os.dup(main_end), "wb", buffering=0)
    read_end, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), incoming)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, outgoing)
    return WireClient(reader, asyncio.StreamWriter(transport, protocol, reader, loop), read_end)
