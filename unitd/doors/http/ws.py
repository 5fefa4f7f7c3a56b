"""`/ws`: two dialects on one address, told apart by their first message.

`action` belongs to chunked streaming; `type`, `cancel` and the plain-text sentinels to barge-in inference, whose form
all errors have before that is decided.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from unitd.doors.http import bargein, chunked
from unitd.doors.http.desk import Desk, grant_of
from unitd.doors.http.sockets import close, object_in, receive, send

Talk = Callable[[WebSocket, Desk], Awaitable[None]]
"""Serves one client; whatever it sends to one that has left may raise WebSocketDisconnect."""

POLICY_VIOLATION, TRY_AGAIN_LATER = 1008, 1013
NOT_ALLOWED = "Authentication required. Provide valid API key via 'api_key' query parameter or 'X-API-Key' header."


def routes(desk: Desk) -> list[BaseRoute]:
    """The socket."""
    return [seated_route("/ws", desk, _serve_dialect)]


def seated_route(path: str, desk: Desk, talk: Talk) -> BaseRoute:
    """A socket whose clients have a key and a seat while `talk` serves them."""

    async def serve(ws: WebSocket) -> None:
        with suppress(WebSocketDisconnect):  # whoever was here, or waited for a seat, has left
            await ws.accept()
            if await _has_entered(ws, desk):
                try:
                    await talk(ws, desk)
                finally:
                    desk.leave_seat(ws)

    return WebSocketRoute(path, serve)


async def _has_entered(ws: WebSocket, desk: Desk) -> bool:
    """True with a seat taken; without a valid key or a free seat the client is told and sent away."""
    if grant_of(ws).role is None:
        await send(ws, {"type": "error", "error_code": "authentication_failed", "message": NOT_ALLOWED})
        await close(ws, POLICY_VIOLATION)
        return False
    if not await desk.take_seat(ws, desk.settings.http.barge_in.acquire_timeout_s):
        refusal = {"type": "error", "error_code": "server_at_capacity", "message": "Server is at capacity."}
        await send(ws, refusal | {"capacity": desk.seats.capacity})
        await close(ws, TRY_AGAIN_LATER)
        return False
    return True


async def _serve_dialect(ws: WebSocket, desk: Desk) -> None:
    """Waits for the message that decides."""
    barge_in = desk.settings.http.barge_in
    sentinels = {barge_in.end_sentinel, barge_in.cancel_sentinel} - {""}
    while True:
        try:
            async with asyncio.timeout(barge_in.idle_timeout_s):
                first = await receive(ws)
        except TimeoutError:
            await close(ws, barge_in.idle_close_code)
            return
        fields = object_in(first) or {}
        if "action" in fields:
            await chunked.serve(ws, desk, first)
            return
        if (isinstance(first, str) and first.strip() in sentinels) or "type" in fields or "cancel" in fields:
            await bargein.serve(ws, desk, first)
            return
        message = "The first message must be a JSON object with 'action' or 'type'."
        await send(ws, {"type": "error", "error_code": "invalid_message", "message": message})
