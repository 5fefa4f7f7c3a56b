"""Chunked streaming for voice agents: answers in pieces that the client asks for, over `/ws`.

Each stream is one llm task, and one asyncio task of its connection's group. Messages are answered in order, and none
waits for the engine: streams of one connection generate at the same time, and pings are answered. Streams end with
their connection. `stream` has the logic of one stream.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from unitd.doors.chat_session import ChatSession
from unitd.doors.http.chunked.stream import Message, Refusal, Stream, read_pause, read_start
from unitd.doors.http.context import HttpContext
from unitd.doors.http.health import is_well
from unitd.doors.http.sockets import MAX_ECHO, object_in, receive, send
from unitd.doors.local_client import LocalClient
from unitd.wire.errors import InternalError, LoadFailed, UnitdError

log = logging.getLogger("unitd.doors")

# Far more than a voice agent uses at a time; each stream keeps its text until it is ended.
MAX_STREAMS = 64
# The id is sent with every message, and kept as long as the stream.
MAX_STREAM_ID = 256


async def serve(ws: WebSocket, context: HttpContext, first: str | bytes) -> None:
    """Serve one client until it leaves; then end its streams."""
    local_client = context.local_client(ws, "ws")
    try:
        async with asyncio.TaskGroup() as group:
            connection = _ChunkedConnection(ws, context, local_client, group)
            try:
                await connection.listen(first)
            finally:
                connection.hang_up()
    finally:
        local_client.close()


class _UnknownStream(Exception):
    """No stream of this connection has the id."""


class _ChunkedConnection:
    """One connection: its streams by their ids, and their tasks."""

    def __init__(
        self, ws: WebSocket, context: HttpContext, local_client: LocalClient, group: asyncio.TaskGroup
    ) -> None:
        self._ws = ws
        self._context = context
        self._local_client = local_client
        self._group = group
        self._is_gone = False
        self._streams: dict[str, Stream] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._actions: dict[Any, Callable[[str, Message], Awaitable[None]]] = {
            "start_stream": self._start,
            "continue_stream": self._continue,
            "end_stream": self._end,
        }

    async def listen(self, first: str | bytes) -> None:
        """Answer messages until the client leaves."""
        message: str | bytes | None = first
        while message is not None:
            await self._answer(object_in(message))
            message = await self._receive()

    def hang_up(self) -> None:
        """End all streams."""
        for task in self._tasks.values():
            task.cancel()
        self._context.streams.difference_update(self._streams.values())

    async def _receive(self) -> str | bytes | None:
        """Return the next message; None when the client has left."""
        try:
            return await receive(self._ws)
        except WebSocketDisconnect:
            return None

    async def _answer(self, fields: Message | None) -> None:
        if fields is None:
            await self._send({"error": "Invalid JSON"})
            return
        action, stream_id = fields.get("action"), fields.get("stream_id")
        if action == "ping":
            await self._send({"status": "pong"})
        elif not isinstance(action, str) or action not in self._actions:
            await self._send({"error": f"Unknown action: {str(action)[:MAX_ECHO]}"})
        elif not isinstance(stream_id, str) or not stream_id:
            await self._send({"error": "stream_id required"})
        elif len(stream_id) > MAX_STREAM_ID:
            await self._send({"error": f"stream_id may have {MAX_STREAM_ID} characters"})
        else:
            try:
                await self._actions[action](stream_id, fields)
            except _UnknownStream:
                await self._send({"error": "Stream not found"})
            except Refusal as refusal:
                await self._send({"stream_id": stream_id, "error": str(refusal)})

    # Actions

    async def _start(self, stream_id: str, fields: Message) -> None:
        if stream_id in self._streams:
            raise Refusal("Stream already started")
        if len(self._streams) >= MAX_STREAMS:
            raise Refusal(f"{MAX_STREAMS} streams are open on this connection, end one first")
        stream = Stream(read_start(stream_id, fields), self._send_for)
        self._streams[stream_id] = stream
        self._context.streams.add(stream)
        name = f"stream {stream_id[:MAX_ECHO]} of {self._local_client.name}"
        self._tasks[stream_id] = self._group.create_task(self._run(stream), name=name)

    async def _continue(self, stream_id: str, fields: Message) -> None:
        stream = self._known(stream_id)
        if stream.is_generating:
            raise Refusal("Stream is still generating")
        await stream.go_on(read_pause(fields))

    async def _end(self, stream_id: str, _: Message) -> None:
        """Cut and forget a stream: no message of it follows the confirmation."""
        self._known(stream_id)
        task = self._tasks[stream_id]
        task.cancel()
        await asyncio.wait([task])
        self._forget(stream_id)
        await self._send({"stream_id": stream_id, "status": "ended"})

    def _known(self, stream_id: str) -> Stream:
        try:
            return self._streams[stream_id]
        except KeyError:
            raise _UnknownStream from None

    def _forget(self, stream_id: str) -> None:
        self._context.streams.discard(self._streams.pop(stream_id))
        del self._tasks[stream_id]

    # A stream's own task

    async def _run(self, stream: Stream) -> None:
        """Run a stream; an error ends the stream, not its connection."""
        try:
            await self._generate(stream)
        except UnitdError as error:  # the client may not even ask why it failed: too many requests, say
            await self._refuse(stream, error)
        except Exception:
            log.exception("a bug in a stream of %s", self._local_client.name)
            await self._refuse(stream, InternalError())

    async def _generate(self, stream: Stream) -> None:
        conversation: ChatSession | None = None
        try:
            conversation = await ChatSession.open(self._local_client)
            await stream.run(conversation, self._context.settings.llm.context)
        except UnitdError as error:
            await self._tell_failure(stream, conversation, error)
        finally:
            if conversation is not None:
                conversation.close()

    async def _tell_failure(self, stream: Stream, conversation: ChatSession | None, error: UnitdError) -> None:
        """Refuse a conversation that the engine does not accept (one too long, say); else report the engine as lost."""
        if not stream.has_spoken and await self._is_refusal(conversation, error):
            await self._refuse(stream, error)
        else:
            log.warning("%s: stream %s fails: %s", self._local_client.name, stream.start.stream_id[:MAX_ECHO], error)
            await stream.fail()

    async def _refuse(self, stream: Stream, error: UnitdError) -> None:
        """Forget the stream and tell the client; the id is free again."""
        stream_id = stream.start.stream_id
        self._forget(stream_id)
        await self._send({"stream_id": stream_id, "error": error.reason or str(error)})

    async def _is_refusal(self, conversation: ChatSession | None, error: UnitdError) -> bool:
        """Return True when the engine works, so that the request itself was refused."""
        if conversation is None:
            return not isinstance(error, LoadFailed)
        return await is_well(self._context, self._local_client, conversation)

    # Output

    async def _send_for(self, stream: Stream, message: Message) -> None:
        """Send a message of a stream; with the stream's id when tokens of another one may come in between."""
        others = (each for each in self._streams.values() if each is not stream)
        if any(each.is_generating and each.start.is_streaming for each in others):
            message = {"stream_id": stream.start.stream_id} | message
        await self._send(message)

    async def _send(self, message: Message) -> None:
        """Send a message; do nothing when the client is gone, for the reading side ends the connection."""
        if self._is_gone:
            return
        try:
            await send(self._ws, message)
        except WebSocketDisconnect:
            self._is_gone = True
