"""Turn-based chat: `/ws/chat` with one request for each connection, and the same request over `POST /api/chat`.

    request ──> (queued … queue_done) ──> prefill_done ──> chunk … ──> done        or error, at any point; then the end

Nothing is kept between requests. At the same time as many are served as the llm unit has slots; the others wait in the
order of arrival, but a client never waits only for others (`waiting_line`). A client that leaves gives up its place or
its slot at once.
"""

import asyncio
import logging
from contextlib import suppress
from dataclasses import replace
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.websockets import WebSocket, WebSocketDisconnect

from unitd.core.access.grants import Role
from unitd.doors.http.admission import admitted_route
from unitd.doors.http.auth import grant_of
from unitd.doors.http.context import HttpContext
from unitd.doors.http.errors import CLIENT_LEFT
from unitd.doors.http.responses import while_connected
from unitd.doors.http.sockets import NORMAL_CLOSURE, POLICY_VIOLATION, close, receive, send
from unitd.doors.http.turnchat.question import PreparedQuestion
from unitd.doors.http.turnchat.recording import RecordedChats
from unitd.doors.http.turnchat.request import ChatRequest, read_request
from unitd.doors.http.turnchat.turn import Outcome, Send, Turn
from unitd.doors.http.turnchat.voice import for_client
from unitd.doors.local_client import LocalClient
from unitd.runtime.children.video import VideoReader
from unitd.wire.errors import (
    EmptyInput,
    InternalError,
    NotJson,
    RequestError,
    RunFailed,
    Unavailable,
    UnitdError,
    UnitError,
    WireError,
)

log = logging.getLogger("unitd.doors")

# A silent client must not keep its connection slot. A request may be large and its line slow.
REQUEST_SECONDS = 120.0


def routes(context: HttpContext) -> list[BaseRoute]:
    """Return the routes: the socket, the same as one POST, the queue, and recorded sessions."""
    chat = TurnChat(context)
    return [
        admitted_route("/ws/chat", context, chat.serve_socket, lambda error, _: _error_message(error)),
        Route("/api/chat", chat.post, methods=["POST"]),
        Route("/api/queue", chat.show_queue, methods=["GET"]),
        Route("/api/sessions/{session_id}", chat.show_session, methods=["GET"]),
    ]


class TurnChat:
    """The endpoints of the turn-based chat."""

    def __init__(self, context: HttpContext) -> None:
        self._context = context
        self._is_recording = context.settings.http.record_sessions
        self._recorded = RecordedChats(context.settings.state.dir / "sessions", context.clock)
        self._videos = VideoReader()

    async def serve_socket(self, ws: WebSocket) -> None:
        """Serve `/ws/chat`: answer the first message; later messages are ignored."""
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                data = await receive(ws)
        except TimeoutError:
            await send(ws, {"type": "error", "error": f"no request came within {REQUEST_SECONDS:g} s"})
            await close(ws, POLICY_VIOLATION)
            return
        await while_connected(ws.receive, self._reply(ws, data))
        await close(ws, NORMAL_CLOSURE)

    async def post(self, request: Request) -> Response:
        """Serve `POST /api/chat`: one answer, never streamed."""
        body = await request.body()
        try:
            await self._context.take_slot(request)
        except Unavailable as error:
            return _json(_error_message(error), _status_of(error))
        try:
            response = await while_connected(request.receive, self._respond(request, body))
        finally:
            self._context.leave_slot(request)
        return response or Response(status_code=CLIENT_LEFT)

    async def show_queue(self, _: Request) -> Response:
        """Serve `GET /api/queue`."""
        return _json(self._context.waiting_line.view)

    async def show_session(self, request: Request) -> Response:
        """Serve `GET /api/sessions/{id}` while recording is on; only an administrator gets sessions of other tokens."""
        session_id = request.path_params["session_id"]
        if not self._is_recording:
            return _json({"type": "error", "error": "recording is off ([http] record_sessions)"}, 404)
        grant = grant_of(request)
        if grant.role is Role.OBSERVE:
            return _json({"type": "error", "error": "what was said is not for the role 'observe'"}, 403)
        holder = None if grant.role is Role.ADMIN else grant.name
        if session := await asyncio.to_thread(self._recorded.read, session_id, holder):
            return Response(session, media_type="application/json")
        return _json({"type": "error", "error": "there is no session of this id"}, 404)

    # One request

    async def _reply(self, ws: WebSocket, data: str | bytes) -> None:
        async def tell(message: dict[str, Any]) -> None:
            with suppress(WebSocketDisconnect):  # `while_connected` notices that the client is gone
                await send(ws, message)

        try:
            if isinstance(data, bytes):
                raise NotJson("the request must be a text message, this one is binary")
            await tell(await self._answer(self._context.local_client(ws, "ws"), data, tell))
        except UnitdError as error:
            await tell(_error_message(error))

    async def _respond(self, connection: Request, body: bytes) -> Response:
        async def tell(message: dict[str, Any]) -> None:
            """Drop messages before the last one."""

        try:
            return _json(await self._answer(self._context.local_client(connection), body, tell, may_stream=False))
        except UnitdError as error:
            return _json(_error_message(error), _status_of(error))

    async def _answer(
        self, local_client: LocalClient, data: str | bytes, tell: Send, *, may_stream: bool = True
    ) -> dict[str, Any]:
        """Send messages on the way and return the last one, `done`.

        Raises:
            UnitdError: there is no answer. After a bug, whose traceback is in the log: InternalError.
        """
        try:
            request = await asyncio.to_thread(read_request, data)
            if not may_stream:
                request = replace(request, is_streaming=False)
            outcome = await self._take_turn(local_client, request, tell)
            return await self._done(data, request, outcome, local_client.grant.name)
        except UnitdError:
            raise
        except Exception as bug:
            log.exception("a bug in the chat of %s", local_client.name)
            raise InternalError from bug

    async def _take_turn(self, local_client: LocalClient, request: ChatRequest, tell: Send) -> Outcome:
        """Wait for a slot, and answer; the slot is free again after the answer."""

        async def tell_position(position: int) -> None:
            await tell({"type": "queued", "position": position})

        party = local_client.grant.name, local_client.address
        question = PreparedQuestion(local_client, request, self._context.models, self._videos)
        try:
            async with self._context.waiting_line.turn(tell_position, party) as has_waited:
                if has_waited:
                    await tell({"type": "queue_done"})
                return await Turn(local_client, request, question, tell, is_recorded=self._is_recording).run()
        finally:
            local_client.close()

    async def _done(self, data: str | bytes, request: ChatRequest, outcome: Outcome, holder: str) -> dict[str, Any]:
        """Record the session if that is on. Return the last message."""
        whole = await asyncio.to_thread(for_client, outcome.sound)
        done = {
            "type": "done",
            "text": outcome.text,
            "generated_tokens": outcome.generated_tokens,
            "input_tokens": outcome.input_tokens,
            "audio_data": whole,
            "recording_session_id": None,
            "warnings": outcome.warnings,
        }
        if self._is_recording:
            done = await asyncio.to_thread(self._recorded.keep, data, done, holder)
        return done | {"audio_data": for_client(outcome.last_segment)} if request.is_streaming else done


def _error_message(error: UnitdError) -> dict[str, str]:
    """Return the message for an error. A unit's error needs the wire's words before the reason, others do not."""
    return {"type": "error", "error": str(error) if isinstance(error, UnitError) else error.reason or str(error)}


def _status_of(error: UnitdError) -> int:
    """Return the HTTP status of an error."""
    for kind, status in _STATUSES.items():
        if isinstance(error, kind):
            return status
    return 500


_STATUSES = {WireError: 400, EmptyInput: 400, RunFailed: 422, RequestError: 503, UnitError: 503}


def _json(content: dict[str, Any], status: int = 200) -> Response:
    return Response(orjson.dumps(content), status, media_type="application/json")
