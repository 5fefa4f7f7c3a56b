"""A queue of frames for one WebSocket client.

`put` never waits, so several tasks can send to one client without mixing their frames. A task with much to send calls
`wait_for_room` first; so a client that does not read delays its own answers alone.
"""

import asyncio
import logging
from collections import deque
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from unitd.doors.http.sockets import close, send

log = logging.getLogger("unitd.doors")

# Frames that wait in the queue when the buffer of the socket is full.
WAITING_FRAMES = 16


class FrameQueue:
    """The sending half of a connection; `write` must run as a task."""

    def __init__(self, ws: WebSocket) -> None:
        self._ws = ws
        self._frames: deque[dict[str, Any]] = deque()
        self._close_code: int | None = None
        self._is_gone = False
        self._changed = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    def put(self, frame: dict[str, Any]) -> None:
        """Add a frame; drop it when the client is gone or being closed."""
        if self._is_gone or self._close_code is not None:
            return
        self._frames.append(frame)
        self._changed.set()
        if len(self._frames) >= WAITING_FRAMES:
            self._has_room.clear()

    def close(self, code: int) -> None:
        """Close the connection after all frames have been sent; a second call changes nothing."""
        if self._close_code is None:
            self._close_code = code
            self._changed.set()

    async def wait_for_room(self) -> None:
        """Return when the client has read most frames, or is gone."""
        await self._has_room.wait()

    async def write(self) -> None:
        """Send frames until the queue is closed or the client is gone."""
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
