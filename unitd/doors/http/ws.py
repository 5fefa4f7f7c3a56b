"""`/ws`: two dialects at one address, distinguished by the first message.

`action` belongs to chunked streaming; `type`, `cancel` and the plain-text sentinels belong to barge-in inference.
Errors before that decision have the form of barge-in inference.
"""

import asyncio

from starlette.routing import BaseRoute
from starlette.websockets import WebSocket

from unitd.doors.http.admission import admitted_route
from unitd.doors.http.bargein import handler as bargein
from unitd.doors.http.bargein.session import Sessions
from unitd.doors.http.chunked import handler as chunked
from unitd.doors.http.context import HttpContext
from unitd.doors.http.sockets import close, object_in, receive, send


def routes(context: HttpContext) -> list[BaseRoute]:
    """Return the route of the socket."""
    sessions = Sessions(context.settings.http.barge_in)
    return [admitted_route("/ws", context, lambda ws: _serve_dialect(ws, context, sessions))]


async def _serve_dialect(ws: WebSocket, context: HttpContext, sessions: Sessions) -> None:
    """Wait for the message that decides, and serve its dialect."""
    barge_in = context.settings.http.barge_in
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
            await chunked.serve(ws, context, first)
            return
        if (isinstance(first, str) and first.strip() in sentinels) or "type" in fields or "cancel" in fields:
            await bargein.serve(ws, context, sessions, first)
            return
        message = "The first message must be a JSON object with 'action' or 'type'."
        await send(ws, {"type": "error", "error_code": "invalid_message", "message": message})
