"""Who may use a WebSocket: clients with a key, for each of whom there is a seat. Others are told why and sent away."""

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
"""Serves one client; whatever it sends to one that has left may raise WebSocketDisconnect."""

Explain = Callable[[UnitdError, HttpContext], Message]
"""What a client is told that may not come in, NotAllowed, or finds no seat, Unavailable."""

LOOK_SECONDS = 30.0
NOT_ALLOWED = "Authentication required. Provide valid API key via 'api_key' query parameter or 'X-API-Key' header."


def refusal_message(error: UnitdError, context: HttpContext) -> Message:
    """Returns what a client is told that may not come in, in the form of barge-in inference."""
    if isinstance(error, NotAllowed):
        return {"type": "error", "error_code": "authentication_failed", "message": error.reason}
    refusal = {"type": "error", "error_code": "server_at_capacity", "message": error.reason}
    return refusal | {"capacity": context.slots.capacity}


def admitted_route(path: str, context: HttpContext, serve: Serve, explain: Explain = refusal_message) -> BaseRoute:
    """A socket whose clients have a key and a seat while `serve` talks to them; others are told why and sent away."""

    async def admit(ws: WebSocket) -> None:
        with suppress(WebSocketDisconnect):  # whoever was here, or waited for a seat, has left
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
    """Whose token is revoked or over hears no more of what its tasks say, even if it asks for nothing."""
    while context.server.access.counts(grant_of(ws)):  # noqa: ASYNC110  nobody tells when a token is over
        await asyncio.sleep(LOOK_SECONDS)
    log.warning("a client of %s has a token that counts no more, it is disconnected", ws.url.path)
    with suppress(WebSocketDisconnect):
        await close(ws, POLICY_VIOLATION)


async def _enter(ws: WebSocket, context: HttpContext) -> None:
    """A key, then a seat."""
    if grant_of(ws).role is None:
        raise NotAllowed(ws.scope.get(REFUSAL, NOT_ALLOWED))
    await context.take_slot(ws)
