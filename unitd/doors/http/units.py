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

from unitd.core.access import Grant
from unitd.doors.guest import Guest
from unitd.doors.http.desk import Desk
from unitd.doors.http.grants import GRANT
from unitd.doors.http.sockets import TRY_AGAIN_LATER, Message, close, receive, send_text
from unitd.doors.http.ws import refusal_message, seated_route
from unitd.wire.errors import NotAllowed, Unavailable, UnitdError
from unitd.wire.messages import Reply, error_reply
from unitd.wire.session import Session

log = logging.getLogger("unitd.doors")


def routes(desk: Desk) -> list[BaseRoute]:
    """The socket."""
    return [seated_route("/ws/units", desk, lambda ws: _talk(ws, desk), _explain)]


def _explain(error: UnitdError, desk: Desk) -> Message:
    """Returns the refusal; one for a missing or wrong key says what would do instead, for a page that asks for it."""
    message = refusal_message(error, desk)
    if not isinstance(error, NotAllowed):
        return message
    access = desk.server.access
    accepts = ["api_key"] * access.has_key + ["token"] * (access.token_count > 0 or not access.has_key)
    return message | {"accepts": accepts}


class _Client:
    """Lines that wait for the socket; a `registry.Client`."""

    keeps_tasks = False
    restores_tasks = False
    frame_interval = 0.0
    door = "ws"

    def __init__(self, guest: Guest, session: Session, desk: Desk) -> None:
        self.name = self.party = guest.name
        self.address = guest.address
        self._frame_bytes = desk.settings.limits.frame_bytes
        self.is_gone = False
        self.left = asyncio.Event()
        self._session = session
        self._clock = desk.clock
        self._limit = desk.settings.limits.outbox_bytes
        self._meters = desk.server.meters
        self._lines: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._changed = asyncio.Event()
        self._holds: set[str] = set()
        self._may_read = asyncio.Event()
        self._may_read.set()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self.admit(guest.grant)

    def send(self, reply: Reply) -> None:
        """Queues one line; a client that does not read is cut off."""
        if self.is_gone:
            return
        if self._waiting_bytes > self._limit:
            log.warning("%s does not read: %d bytes wait, it is disconnected", self.name, self._waiting_bytes)
            self._meters.dropped_frames[self.door] += len(self._lines) + 1
            self.leave()
            return
        line = self._session.encode(reply, int(self._clock()))
        self._lines.append(line)
        self._waiting_bytes += len(line)
        self._has_room.clear()
        self._changed.set()

    def admit(self, grant: Grant) -> None:
        """What it may do from now on, and how much it may send at a time."""
        self.grant = grant
        self._session.limit(min(grant.limits.frame_bytes or self._frame_bytes, self._frame_bytes))

    def hold(self, reason: str, *, is_held: bool) -> None:
        """While anything holds it, no more messages are read."""
        self._holds.add(reason) if is_held else self._holds.discard(reason)
        self._may_read.clear() if self._holds else self._may_read.set()

    async def wait_for_room(self) -> None:
        """Returns when everything has been taken."""
        await self._has_room.wait()

    async def wait_to_read(self) -> None:
        """Returns when nothing holds it."""
        await self._may_read.wait()

    @property
    def holder_name(self) -> str:
        """Who holds what is unfinished."""
        return self.name

    def give_up_unfinished(self) -> None:
        """Too much is held of all clients, and most of it here."""
        self._session.drop_unfinished()
        self.send(error_reply(Unavailable("too much is being sent at the same time"), "0", "sys"))

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
                    self._waiting_bytes -= len(line)
                self._has_room.set()


async def _talk(ws: WebSocket, desk: Desk) -> None:
    """Reads and writes side by side until one of them ends, or the client shall go."""
    session = Session(limit_bytes=desk.settings.limits.frame_bytes)
    client = _Client(desk.guest(ws, "ws"), session, desk)
    try:
        async with asyncio.TaskGroup() as group:
            writing = group.create_task(client.write(ws), name=f"writing to {client.name}")
            reading = group.create_task(_read(ws, desk, session, client), name=f"reading from {client.name}")
            leaving = group.create_task(client.left.wait(), name=f"end of {client.name}")
            running = (writing, reading, leaving)
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            was_cut = client.is_gone
            for each in running:
                each.cancel()
    finally:
        client.leave()
        ws.scope[GRANT] = client.grant  # whoever it is since `sys.auth` has one connection less
        desk.server.forget_client(client)
        desk.unfinished.hold(client, 0)
    if was_cut:
        await close(ws, TRY_AGAIN_LATER)


async def _read(ws: WebSocket, desk: Desk, session: Session, client: _Client) -> None:
    """Serves what the messages complete."""
    while True:
        await client.wait_to_read()
        try:
            message = await receive(ws)
        except WebSocketDisconnect:
            return
        data = message.encode() if isinstance(message, str) else message
        for meaning in session.receive_message(data):
            if isinstance(meaning, Reply):
                desk.server.meters.errors[meaning.code] += 1
                client.send(meaning)
            else:
                desk.server.serve(client, meaning)
        ws.scope[GRANT] = client.grant  # `sys.auth` may have changed it, and with it how long a message may be
        desk.unfinished.hold(client, session.unfinished_bytes)
