"""Frames on their way to one WebSocket client, in the order in which they were put.

Putting never waits, so several tasks can speak to one client and none of them can be caught half-way. Whoever has much
to say waits for room first; then a client that does not read makes its own answers wait, and nobody else's.
"""

import asyncio
import logging
from collections import deque
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from unitd.doors.http.sockets import close, send

log = logging.getLogger("unitd.doors")

# The socket's own buffer comes first; these wait for it.
WAITING_FRAMES = 16


class FrameQueue:
    """The sending half of a connection; `write` runs as long as it lives."""

    def __init__(self, ws: WebSocket) -> None:
        self._ws = ws
        self._frames: deque[dict[str, Any]] = deque()
        self._close_code: int | None = None
        self._is_gone = False
        self._changed = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    def put(self, frame: dict[str, Any]) -> None:
        """One more frame; dropped when nobody is there to read it."""
        if self._is_gone or self._close_code is not None:
            return
        self._frames.append(frame)
        self._changed.set()
        if len(self._frames) >= WAITING_FRAMES:
            self._has_room.clear()

    def close(self, code: int) -> None:
        """The last thing that is sent, behind all frames; a second call changes nothing."""
        if self._close_code is None:
            self._close_code = code
            self._changed.set()

    async def wait_for_room(self) -> None:
        """Returns when the client has taken most of what it was sent, or is gone."""
        await self._has_room.wait()

    async def write(self) -> None:
        """Sends until it is closed or the client is gone."""
        try:
            while self._close_code is None or self._frames:
                await self._changed.wait()
                self._changed.clear()
                await self._send_all()
            await close(self._ws, self._close_code)
        except WebSocketDisconnect:
            log.debug("= a client is gone, %d frames were on their way to it", len(self._frames))
        finally:
            self._is_gone = True
            self._frames.clear()
            self._has_room.set()

    async def _send_all(self) -> None:
        while self._frames:
            await send(self._ws, self._frames.popleft())
            if len(self._frames) < WAITING_FRAMES:
                self._has_room.set()
