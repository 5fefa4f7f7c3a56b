"""`/ws`: two dialects on one address, told apart by their first message.

`action` belongs to chunked streaming; `type`, `cancel` and the plain-text sentinels to barge-in inference, whose form
all errors have before that is decided.
"""

import asyncio
from typing import Any

import orjson
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from unitd.doors.http import bargein, chunked
from unitd.doors.http.desk import Desk

POLICY_VIOLATION, TRY_AGAIN_LATER = 1008, 1013
NOT_ALLOWED = "Authentication required. Provide valid API key via 'api_key' query parameter or 'X-API-Key' header."


def routes(desk: Desk) -> list[BaseRoute]:
    """The socket."""

    async def serve(ws: WebSocket) -> None:
        await ws.accept()
        if await has_entered(ws, desk):
            try:
                await _serve_dialect(ws, desk)
            except WebSocketDisconnect:
                pass  # whoever was here has left; the dialect has cleaned up
            finally:
                desk.seats.leave()

    return [WebSocketRoute("/ws", serve)]


async def has_entered(ws: WebSocket, desk: Desk) -> bool:
    """True with a seat taken; without a valid key or a free seat the client is told and sent away."""
    if not desk.is_allowed(ws):
        await ws.send_json({"type": "error", "error_code": "authentication_failed", "message": NOT_ALLOWED})
        await ws.close(POLICY_VIOLATION)
        return False
    if not await desk.seats.take(desk.settings.http.barge_in.acquire_timeout_s):
        refusal = {"type": "error", "error_code": "server_at_capacity", "message": "Server is at capacity."}
        await ws.send_json(refusal | {"capacity": desk.seats.capacity})
        await ws.close(TRY_AGAIN_LATER)
        return False
    return True


async def receive(ws: WebSocket) -> str | bytes:
    """The next message.

    Raises:
        WebSocketDisconnect: the client has left.
    """
    message = await ws.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1005), message.get("reason"))
    text, data = message.get("text"), message.get("bytes")
    return data or b"" if text is None else text


async def _serve_dialect(ws: WebSocket, desk: Desk) -> None:
    """Waits for the message that decides."""
    barge_in = desk.settings.http.barge_in
    sentinels = {barge_in.end_sentinel, barge_in.cancel_sentinel} - {""}
    while True:
        try:
            async with asyncio.timeout(barge_in.idle_timeout_s):
                first = await receive(ws)
        except TimeoutError:
            await ws.close(barge_in.idle_close_code)
            return
        fields = _object_in(first)
        if "action" in fields:
            await chunked.serve(ws, desk, first)
            return
        if (isinstance(first, str) and first.strip() in sentinels) or "type" in fields or "cancel" in fields:
            await bargein.serve(ws, desk, first)
            return
        message = "The first message must be a JSON object with 'action' or 'type'."
        await ws.send_json({"type": "error", "error_code": "invalid_message", "message": message})


def _object_in(message: str | bytes) -> dict[str, Any]:
    """The JSON object of a text message; nothing for everything else."""
    if isinstance(message, bytes):
        return {}
    try:
        value = orjson.loads(message)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}
