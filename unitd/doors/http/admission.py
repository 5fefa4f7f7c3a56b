"""Admission to WebSockets: a client needs a key and a free connection slot, else it gets the reason and is closed."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from unitd.doors.http.auth import REFUSAL, grant_of
from unitd.doors.http.context import HttpContext
from unitd.doors.http.sockets import POLICY_VIOLATION, TRY_AGAIN_LATER, Message, close, send
from unitd.wire.errors import NotAllowed, Unavailable, UnitdError

log = logging.getLogger("unitd.doors")

Serve = Callable[[WebSocket], Awaitable[None]]
"""Serves one client; it may raise WebSocketDisconnect when the client has left."""

Explain = Callable[[UnitdError, HttpContext], Message]
"""Returns the message for a client that has no key (NotAllowed) or finds no slot (Unavailable)."""

LOOK_SECONDS = 30.0
NOT_ALLOWED = "Authentication required. Provide valid API key via 'api_key' query parameter or 'X-API-Key' header."


def refusal_message(error: UnitdError, context: HttpContext) -> Message:
    """Return the message for a refused client, in the form of barge-in inference."""
    if isinstance(error, NotAllowed):
        return {"type": "error", "error_code": "authentication_failed", "message": error.reason}
    refusal = {"type": "error", "error_code": "server_at_capacity", "message": error.reason}
    return refusal | {"capacity": context.slots.capacity}


def admitted_route(path: str, context: HttpContext, serve: Serve, explain: Explain = refusal_message) -> BaseRoute:
    """Return the route of a socket whose clients are admitted before `serve` serves them."""

    async def admit(ws: WebSocket) -> None:
        with suppress(WebSocketDisconnect):  # the client has left
            await ws.accept()
            try:
                await _enter(ws, context)
            except (NotAllowed, Unavailable) as error:
                await send(ws, explain(error, context))
                await close(ws, POLICY_VIOLATION if isinstance(error, NotAllowed) else TRY_AGAIN_LATER)
                return
            looking = asyncio.create_task(_watch(ws, context), name="grant of a socket")
            try:
                await serve(ws)
            finally:
                looking.cancel()
                context.leave_slot(ws)

    return WebSocketRoute(path, admit)


async def _watch(ws: WebSocket, context: HttpContext) -> None:
    """Close the socket when its token is revoked or has ended, also if the client only listens."""
    while context.server.access.counts(grant_of(ws)):  # noqa: ASYNC110  there is no event for the end of a token
        await asyncio.sleep(LOOK_SECONDS)
    log.warning("a client of %s has a token that counts no more, it is disconnected", ws.url.path)
    with suppress(WebSocketDisconnect):
        await close(ws, POLICY_VIOLATION)


async def _enter(ws: WebSocket, context: HttpContext) -> None:
    """Check the key, then take a slot."""
    if grant_of(ws).role is None:
        raise NotAllowed(ws.scope.get(REFUSAL, NOT_ALLOWED))
    await context.take_slot(ws)
