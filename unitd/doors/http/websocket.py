"""uvicorn's WebSocket connection, with limits; the only place that knows its inner names.

uvicorn answers each ping at once, whether or not its answers are read; it parses all input before another client is
served, keeps every fragment of a message, and waits without limit for the end of a message. Here pings of a client that
does not read are not answered, little is parsed at a time, and a message must end in time and fit in the budget that
all clients share. Input of a client that has been sent away is ignored.
"""

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame
from websockets.http11 import Request
from websockets.protocol import State

from unitd.core.access.grants import Grant
from unitd.doors.http.auth import GRANT
from unitd.doors.http.sockets import POLICY_VIOLATION, TRY_AGAIN_LATER
from unitd.doors.unfinished import Unfinished

if TYPE_CHECKING:  # of what is overridden; there are no public ones
    from uvicorn._types import ASGIReceiveEvent, ASGISendEvent

log = logging.getLogger("unitd.doors")

MESSAGE_SECONDS = 120.0
"""From the first byte of a message to its last. A message may be large and its line slow."""

MAX_FRAGMENTS = 16_384
"""At most so many in one message; of 32 MiB each would have 2 KiB."""

PIECE_BYTES, FRAMES_AT_ONCE = 2048, 64
"""Bytes are parsed in such pieces until there are so many frames; then others are served. A frame may have 6 bytes."""

BAD_REQUEST = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

SENT_AWAY = frozenset({POLICY_VIOLATION, TRY_AGAIN_LATER})
"""Close codes after which the input of a client is ignored."""

UNCOUNTED_BYTES = 4096
"""So many unfinished bytes of a connection are not counted: its objects take as much anyway."""

LAST_SECONDS = 1.0
"""Time for a client that is sent away to read the reason."""


def bounded(unfinished: Unfinished, message_bytes: int) -> type[asyncio.Protocol]:
    """Return a class of connections whose messages may have so many bytes, or fewer by the client's token."""
    return type("Bounded", (BoundedConnection,), {"unfinished": unfinished, "message_bytes": message_bytes})


class BoundedConnection(WebSocketsSansIOProtocol):
    """One client's WebSocket. uvicorn creates the instances, so the limits are class attributes (see `bounded`)."""

    unfinished: Unfinished
    message_bytes: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._limit_bytes = self.message_bytes
        self._rest = b""
        """Bytes that have been read and not parsed."""

        self._waiting_bytes = 0
        """Size of the messages that the dialect has not received."""

        self._handled = self._fragments = 0
        self._going_on: asyncio.Handle | None = None
        self._message_timer: asyncio.TimerHandle | None = None
        self._is_sent_away = False

    # Input

    def data_received(self, data: bytes) -> None:
        if not self._is_sent_away:
            self._parse(self._rest + data if self._rest else data)

    def handle_events(self) -> None:
        self._handled += len(self.conn.events)
        super().handle_events()

    def handle_connect(self, event: Request) -> None:
        """Read nothing until the dialect asks for the first message: it may send the client away."""
        super().handle_connect(event)
        self.read_paused = True

    def handle_ping(self) -> None:
        """Answer a ping, unless the client does not read; RFC 6455 permits that."""
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()

    def handle_text(self, event: Frame) -> None:
        self._fragments = 0
        super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        self._fragments = 0
        super().handle_bytes(event)

    def handle_cont(self, event: Frame) -> None:
        """Join a fragment to the message, in one piece of memory, and limit the number of fragments."""
        if self._is_sent_away:
            return
        self._fragments += 1
        if self._fragments > MAX_FRAGMENTS:
            self._refuse(CloseCode.MESSAGE_TOO_BIG, f"a message may have {MAX_FRAGMENTS} fragments")
            return
        if not isinstance(self.frames[0], bytearray):
            self.frames[0] = bytearray(self.frames[0])  # type: ignore[call-overload]  # a list of bytes, it says
        self.frames[0] += event.data
        if event.fin:
            self.frames[0] = bytes(self.frames[0])
            self.send_receive_event_to_app()

    def send_receive_event_to_app(self) -> None:
        if self._is_sent_away:
            return
        size = len(self.frames[0])
        self._stop_message_timer()
        if size > self._limit_bytes:
            self._refuse_long()
            return
        self._waiting_bytes += size
        super().send_receive_event_to_app()

    def _parse(self, data: bytes) -> None:
        """Parse until there is a reason to wait; the rest is parsed later."""
        self._handled = at = 0
        while at < len(data) and self._may_parse and self._handled < FRAMES_AT_ONCE:
            super().data_received(data[at : at + PIECE_BYTES])
            at += PIECE_BYTES
        if not self.handshake_initiated:
            self._refuse_handshake()
        self._rest = b"" if self._is_sent_away else data[at:]
        self._account()
        if self._rest and self._may_parse and self._going_on is None:
            self._going_on = self.loop.call_soon(self._parse_rest)
        self._update_reading()

    def _refuse_handshake(self) -> None:
        """Answer a handshake that the library cannot read (another method than GET, say); the library would not."""
        self.transport.write(b"".join(self.conn.data_to_send()) or BAD_REQUEST)
        self.transport.close()

    def _parse_rest(self) -> None:
        self._going_on = None
        self._parse(self._rest)

    @property
    def _may_parse(self) -> bool:
        return not (self.read_paused or self._is_sent_away or self.transport.is_closing())

    def _update_reading(self) -> None:
        """Let the transport read while nothing else must be done first."""
        if self._may_parse and not self._rest:
            self.transport.resume_reading()
        else:
            self.transport.pause_reading()

    # Unfinished messages

    @property
    def holder_name(self) -> str:
        return f"ws {self.client[0] if self.client else '?'}"

    def give_up_unfinished(self) -> None:
        self._refuse(TRY_AGAIN_LATER, "too much is being sent at the same time")

    def _account(self) -> None:
        begun = sum(map(len, self.frames)) + len(self.conn.reader.buffer)
        if begun > self._limit_bytes + PIECE_BYTES and self.handshake_complete and not self._is_sent_away:
            self._refuse_long()
        if self._is_sent_away or self.transport.is_closing():
            begun = self._waiting_bytes = 0
        if begun and self._message_timer is None:
            self._message_timer = self.loop.call_later(MESSAGE_SECONDS, self._end_late_message)
        elif not begun:
            self._stop_message_timer()
        size = begun + self._waiting_bytes + len(self._rest)
        self.unfinished.hold(self, size if size > UNCOUNTED_BYTES else 0)

    def _end_late_message(self) -> None:
        """Send the client away; time in which the daemon does not read does not count."""
        self._message_timer = None
        if self._may_parse:
            self._refuse(POLICY_VIOLATION, f"a message did not end within {MESSAGE_SECONDS:g} s")
        self._account()

    def _stop_message_timer(self) -> None:
        if self._message_timer is not None:
            self._message_timer.cancel()
            self._message_timer = None

    def _refuse_long(self) -> None:
        self._refuse(CloseCode.MESSAGE_TOO_BIG, f"a message may have {self._limit_bytes} bytes")

    def _refuse(self, code: int, words: str) -> None:
        """End the connection because of the client's input; the dialect receives a disconnection."""
        if self._is_sent_away or self.transport.is_closing():
            return
        log.warning("%s is disconnected: %s", self.holder_name, words)
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": words})
        if self.conn.state is State.OPEN:
            self.conn.send_close(code, words)
            self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self._send_away()

    def _send_away(self) -> None:
        """Ignore further input, and end the connection soon, whether or not the client has read the reason."""
        self._is_sent_away = True
        self.stop_keepalive()
        self._rest, self.frames = b"", []
        self.conn.reader.discard()
        self._account()
        self._update_reading()
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.loop.call_later(LAST_SECONDS, self.transport.abort)

    # Output

    async def send(self, message: "ASGISendEvent") -> None:
        """Send a message after the transport's buffer has room; at most one message waits beside it."""
        is_last = message["type"] == "websocket.close" and message.get("code") in SENT_AWAY
        if is_last and not self.writable.is_set():  # the client does not read the reason
            self.transport.abort()
            return
        while not self.writable.is_set():  # another waiting sender may have filled it again
            await self.writable.wait()
        await super().send(message)
        if message["type"] == "websocket.accept":
            self.read_paused = True
        if message["type"] != "websocket.close" or self.transport.is_closing():
            self._update_reading()
        elif is_last:
            self._send_away()
        else:
            self._go_on()

    async def receive(self) -> "ASGIReceiveEvent":
        grant: Grant | None = self.scope.get(GRANT)  # type: ignore[assignment]  # a key of ours
        of_token = grant.limits.frame_bytes if grant is not None else 0
        self._limit_bytes = min(self.message_bytes, of_token or self.message_bytes)
        if self.queue.empty() and (self.read_paused or self._rest):
            self.read_paused = False
            self._go_on()
        message = await super().receive()
        if self.queue.empty():
            was_counted = self._waiting_bytes > UNCOUNTED_BYTES
            self._waiting_bytes = 0
            if was_counted or self._rest or self._is_sent_away:
                self._go_on()
        return message

    def _go_on(self) -> None:
        if not self._rest:
            self._account()
            self._update_reading()
        elif self._going_on is None:
            self._going_on = self.loop.call_soon(self._parse_rest)

    def keepalive_timeout(self) -> None:
        """Wait longer for an answer to a ping while the daemon does not read."""
        if self.read_paused:
            self.pong_timer = self.loop.call_later(self.ping_timeout or 0.0, self.keepalive_timeout)
        else:
            super().keepalive_timeout()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_message_timer()
        self.unfinished.hold(self, 0)
