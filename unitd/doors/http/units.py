"""`/ws/units`: the wire of TCP 10001 over a WebSocket, one object per message.

PCM and other bytes come as a binary message after a text message with the RAW header, as on TCP. Tasks that are set up
here end with the socket.
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
    """Return the route of the socket."""
    return [admitted_route("/ws/units", context, lambda ws: SocketHandler(ws, context).run(), _explain)]


def _explain(error: UnitdError, context: HttpContext) -> Message:
    """Return the refusal; one for a missing or wrong key says what is accepted, for a page that asks for it."""
    message = refusal_message(error, context)
    if not isinstance(error, NotAllowed):
        return message
    access = context.server.access
    accepts = ["api_key"] * access.has_key + ["token"] * (access.token_count > 0 or not access.has_key)
    return message | {"accepts": accepts}


class _Lines:
    """The output that waits for a socket, and the reasons not to read from it."""

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
        """Add a line."""
        self._lines.append(line)
        self.waiting_bytes += len(line)
        self._has_room.clear()
        self._changed.set()

    def hold(self, reason: str, *, is_held: bool) -> None:
        """Add or remove a reason not to read messages."""
        self._holds.add(reason) if is_held else self._holds.discard(reason)
        self._may_read.clear() if self._holds else self._may_read.set()

    def release(self) -> None:
        """Remove all reasons not to read."""
        self._holds.clear()
        self._may_read.set()

    async def wait_for_room(self) -> None:
        """Return when all lines have been sent."""
        await self._has_room.wait()

    async def wait_to_read(self) -> None:
        """Return when there is no reason not to read."""
        await self._may_read.wait()

    def leave(self) -> None:
        """End the output: the socket is gone or must be closed."""
        self.is_gone = True
        self.left.set()
        self._has_room.set()
        self._changed.set()

    async def write(self, ws: WebSocket) -> None:
        """Send lines until the client is gone or cut off."""
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
    """The client of the socket, until another owner shows a token on it."""

    keeps_tasks = False

    def __init__(self, handler: "SocketHandler", name: str, address: str, grant: Grant) -> None:
        super().__init__(name, "ws", grant=STRANGER, address=address)
        self._handler = handler
        self._is_former = False
        self.admit(grant)

    @property
    def is_gone(self) -> bool:
        """Return True when nothing that is sent to this client arrives."""
        return self._is_former or self._handler.lines.is_gone

    def send(self, reply: Reply) -> None:
        """Queue one line."""
        if not self.is_gone:
            self._handler.send(self, reply)

    def admit(self, grant: Grant) -> "_Client":
        """Set the rights of the client and the size of its messages. Return the client that goes on from here."""
        if is_other_owner(self.grant, grant):
            self._is_former = True
            return self._handler.go_on_as(_Client(self._handler, self.name, self.address, grant))
        self.grant = grant
        self._handler.limit(grant)
        return self

    def hold(self, reason: str, *, is_held: bool) -> None:
        """Add or remove a reason not to read messages."""
        if not self._is_former:
            self._handler.lines.hold(reason, is_held=is_held)

    async def wait_for_room(self) -> None:
        """Return when all lines have been sent."""
        if not self._is_former:
            await self._handler.lines.wait_for_room()


class SocketHandler:
    """One socket: reads requests, writes replies."""

    def __init__(self, ws: WebSocket, context: HttpContext) -> None:
        self._ws = ws
        self._context = context
        self._frame_bytes = context.settings.limits.frame_bytes
        self._session = Session(limit_bytes=self._frame_bytes)
        self.lines = _Lines(context.settings.limits.outbox_bytes)
        local_client = context.local_client(ws, "ws")
        self.client = _Client(self, local_client.name, local_client.address, local_client.grant)

    def limit(self, grant: Grant) -> None:
        """Set the size limit of messages to the grant's."""
        self._session.limit(min(grant.limits.frame_bytes or self._frame_bytes, self._frame_bytes))

    def go_on_as(self, client: _Client) -> _Client:
        """Hand the socket over to this client, and return it."""
        self.client = client
        self.lines.release()
        return client

    def send(self, client: _Client, reply: Reply) -> None:
        """Queue one line; cut off a client that does not read."""
        metrics, waiting = self._context.server.metrics, self.lines.waiting_bytes
        if waiting > self.lines.limit_bytes:
            log.warning("%s does not read: %d bytes wait, it is disconnected", client.name, waiting)
            metrics.dropped_frames[client.door] += len(self.lines) + 1
            self.lines.leave()
        else:
            self.lines.add(self._session.encode(reply, int(self._context.clock())))

    @property
    def holder_name(self) -> str:
        """Return the name of the client whose message is unfinished."""
        return self.client.name

    def give_up_unfinished(self) -> None:
        """Drop the unfinished message, the largest of all clients, and tell the client."""
        self._session.drop_unfinished()
        self.client.send(error_reply(Unavailable("too much is being sent at the same time"), "0", "sys"))

    async def run(self) -> None:
        """Read and write at the same time, until one of them ends or the client is cut off."""
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
            self._ws.scope[GRANT] = self.client.grant  # the present grant, after a `sys.auth`, has one connection less
            self._context.server.forget_client(self.client)
            self._context.unfinished.hold(self, 0)
        if was_cut:
            await close(self._ws, TRY_AGAIN_LATER)

    async def _read(self) -> None:
        """Serve the requests that messages complete."""
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
            # `sys.auth` may have changed the grant, and with it the size limit of messages
            self._ws.scope[GRANT] = self.client.grant
            self._context.unfinished.hold(self, self._session.unfinished_bytes)
