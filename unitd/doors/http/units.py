"""`/ws/units`: the wire of TCP 10001 over a WebSocket, one object per message.

PCM and other bytes come as a binary message behind a text message with the RAW header, as on TCP. Tasks that are set
up here end with the socket.
"""

import asyncio
import logging
from collections import deque
from contextlib import suppress

from starlette.routing import BaseRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from unitd.core.access.grants import STRANGER, Grant, is_other_owner
from unitd.doors.base import BaseClient
from unitd.doors.http.admission import admitted_route, refusal_message
from unitd.doors.http.auth import GRANT
from unitd.doors.http.context import HttpContext
from unitd.doors.http.sockets import TRY_AGAIN_LATER, Message, close, receive, send_text
from unitd.wire.errors import NotAllowed, Unavailable, UnitdError
from unitd.wire.messages import Reply, error_reply
from unitd.wire.session import Session

log = logging.getLogger("unitd.doors")


def routes(context: HttpContext) -> list[BaseRoute]:
    """The socket."""
    return [admitted_route("/ws/units", context, lambda ws: SocketHandler(ws, context).run(), _explain)]


def _explain(error: UnitdError, context: HttpContext) -> Message:
    """Returns the refusal; one for a missing or wrong key says what would do instead, for a page that asks for it."""
    message = refusal_message(error, context)
    if not isinstance(error, NotAllowed):
        return message
    access = context.server.access
    accepts = ["api_key"] * access.has_key + ["token"] * (access.token_count > 0 or not access.has_key)
    return message | {"accepts": accepts}


class _Lines:
    """What waits for the socket, and what holds its reading."""

    def __init__(self, limit_bytes: int) -> None:
        self.is_gone = False
        self.left = asyncio.Event()
        self.limit_bytes = limit_bytes
        self._lines: deque[bytes] = deque()
        self.waiting_bytes = 0
        self._changed = asyncio.Event()
        self._holds: set[str] = set()
        self._may_read = asyncio.Event()
        self._may_read.set()
        self._has_room = asyncio.Event()
        self._has_room.set()

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, line: bytes) -> None:
        """One more line."""
        self._lines.append(line)
        self.waiting_bytes += len(line)
        self._has_room.clear()
        self._changed.set()

    def hold(self, reason: str, *, is_held: bool) -> None:
        """While anything holds it, no more messages are read."""
        self._holds.add(reason) if is_held else self._holds.discard(reason)
        self._may_read.clear() if self._holds else self._may_read.set()

    def release(self) -> None:
        """Nothing holds it any more."""
        self._holds.clear()
        self._may_read.set()

    async def wait_for_room(self) -> None:
        """Returns when everything has been taken."""
        await self._has_room.wait()

    async def wait_to_read(self) -> None:
        """Returns when nothing holds it."""
        await self._may_read.wait()

    def leave(self) -> None:
        """The socket is gone, or shall go."""
        self.is_gone = True
        self.left.set()
        self._has_room.set()
        self._changed.set()

    async def write(self, ws: WebSocket) -> None:
        """Sends what waits, until the client is gone or is cut off."""
        with suppress(WebSocketDisconnect):
            while not self.is_gone:
                await self._changed.wait()
                self._changed.clear()
                while self._lines and not self.is_gone:
                    line = self._lines.popleft()
                    await send_text(ws, line.decode().rstrip("\n"))
                    self.waiting_bytes -= len(line)
                self._has_room.set()


class _Client(BaseClient):
    """Whoever uses the socket, until it becomes another owner's."""

    keeps_tasks = False

    def __init__(self, handler: "SocketHandler", name: str, address: str, grant: Grant) -> None:
        super().__init__(name, "ws", grant=STRANGER, address=address)
        self._handler = handler
        self._is_former = False
        self.admit(grant)

    @property
    def is_gone(self) -> bool:
        """True when nothing of what is sent to this one arrives."""
        return self._is_former or self._handler.lines.is_gone

    def send(self, reply: Reply) -> None:
        """Queues one line; a client that does not read is cut off."""
        if not self.is_gone:
            self._handler.send(self, reply)

    def admit(self, grant: Grant) -> "_Client":
        """What it may do from now on, and how much it may send at a time."""
        if is_other_owner(self.grant, grant):
            self._is_former = True
            return self._handler.go_on_as(_Client(self._handler, self.name, self.address, grant))
        self.grant = grant
        self._handler.limit(grant)
        return self

    def hold(self, reason: str, *, is_held: bool) -> None:
        """While anything holds it, no more messages are read."""
        if not self._is_former:
            self._handler.lines.hold(reason, is_held=is_held)

    async def wait_for_room(self) -> None:
        """Returns when everything has been taken."""
        if not self._is_former:
            await self._handler.lines.wait_for_room()


class SocketHandler:
    """One socket."""

    def __init__(self, ws: WebSocket, context: HttpContext) -> None:
        self._ws = ws
        self._context = context
        self._frame_bytes = context.settings.limits.frame_bytes
        self._session = Session(limit_bytes=self._frame_bytes)
        self.lines = _Lines(context.settings.limits.outbox_bytes)
        local_client = context.local_client(ws, "ws")
        self.client = _Client(self, local_client.name, local_client.address, local_client.grant)

    def limit(self, grant: Grant) -> None:
        """How much may be sent at a time."""
        self._session.limit(min(grant.limits.frame_bytes or self._frame_bytes, self._frame_bytes))

    def go_on_as(self, client: _Client) -> _Client:
        """From now on the socket is this client's."""
        self.client = client
        self.lines.release()
        return client

    def send(self, client: _Client, reply: Reply) -> None:
        """Queues one line; a client that does not read is cut off."""
        metrics, waiting = self._context.server.metrics, self.lines.waiting_bytes
        if waiting > self.lines.limit_bytes:
            log.warning("%s does not read: %d bytes wait, it is disconnected", client.name, waiting)
            metrics.dropped_frames[client.door] += len(self.lines) + 1
            self.lines.leave()
        else:
            self.lines.add(self._session.encode(reply, int(self._context.clock())))

    @property
    def holder_name(self) -> str:
        """Who holds what is unfinished."""
        return self.client.name

    def give_up_unfinished(self) -> None:
        """Too much is held of all clients, and most of it here."""
        self._session.drop_unfinished()
        self.client.send(error_reply(Unavailable("too much is being sent at the same time"), "0", "sys"))

    async def run(self) -> None:
        """Reads and writes side by side until one of them ends, or the client shall go."""
        name = self.client.name
        try:
            async with asyncio.TaskGroup() as group:
                writing = group.create_task(self.lines.write(self._ws), name=f"writing to {name}")
                reading = group.create_task(self._read(), name=f"reading from {name}")
                leaving = group.create_task(self.lines.left.wait(), name=f"end of {name}")
                running = (writing, reading, leaving)
                await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                was_cut = self.client.is_gone
                for each in running:
                    each.cancel()
        finally:
            self.lines.leave()
            self._ws.scope[GRANT] = self.client.grant  # whoever it is since `sys.auth` has one connection less
            self._context.server.forget_client(self.client)
            self._context.unfinished.hold(self, 0)
        if was_cut:
            await close(self._ws, TRY_AGAIN_LATER)

    async def _read(self) -> None:
        """Serves what the messages complete."""
        while True:
            await self.lines.wait_to_read()
            try:
                message = await receive(self._ws)
            except WebSocketDisconnect:
                return
            data = message.encode() if isinstance(message, str) else message
            for meaning in self._session.receive_message(data):
                if isinstance(meaning, Reply):
                    self._context.server.metrics.errors[meaning.code] += 1
                    self.client.send(meaning)
                else:
                    self._context.server.serve(self.client, meaning)
            # `sys.auth` may have changed it, and with it how long a message may be
            self._ws.scope[GRANT] = self.client.grant
            self._context.unfinished.hold(self, self._session.unfinished_bytes)
