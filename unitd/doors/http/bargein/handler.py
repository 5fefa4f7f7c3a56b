"""Barge-in text inference: a person talks to a persona, and a new utterance interrupts the running answer.

A connection has at most one turn at a time, and so has a session, on whatever connection: `start` cuts the running
turns of both, notifies their clients, and begins a new turn. Reading, answering and warming are separate tasks; their
frames go through one `FrameQueue` in order. So a ping is answered while a prompt is read, and a cut never waits.

A connection is idle when it has no turn and has sent nothing for a while.
"""

import asyncio
import logging
import math
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from unitd.core.access.rate_limit import SlidingWindow
from unitd.doors.chat_session import ChatSession, home_tools
from unitd.doors.http.auth import grant_of
from unitd.doors.http.bargein.request import (
    Cancel,
    ChatPrompt,
    End,
    Message,
    Ping,
    Pong,
    Refusal,
    Start,
    Warm,
    read_message,
)
from unitd.doors.http.bargein.session import Persona, Session, Sessions
from unitd.doors.http.bargein.turn import CANCELLED, Turn, error_frame, question_of, system_message
from unitd.doors.http.context import HttpContext
from unitd.doors.http.frame_queue import FrameQueue
from unitd.doors.http.health import is_well
from unitd.doors.http.sockets import NORMAL_CLOSURE, receive
from unitd.wire.errors import InternalError, RunFailed, UnitdError

log = logging.getLogger("unitd.doors")

TOO_MANY_REQUESTS = 429


async def serve(ws: WebSocket, context: HttpContext, sessions: Sessions, first: str | bytes) -> None:
    """Serve one client until it leaves or is silent for too long; then end its turn."""
    out = FrameQueue(ws)
    async with asyncio.TaskGroup() as group:
        group.create_task(out.write(), name="writing to a barge-in client")
        caller = Caller(ws, context, sessions, out, group)
        try:
            await caller.listen(first)
        finally:
            caller.hang_up()


class Caller:
    """One connection."""

    def __init__(
        self, ws: WebSocket, context: HttpContext, sessions: Sessions, out: FrameQueue, group: asyncio.TaskGroup
    ) -> None:
        self._ws = ws
        self._context = context
        self._sessions = sessions
        self._out = out
        self._group = group
        self._settings = settings = context.settings.http.barge_in
        self._messages = SlidingWindow(settings.messages, settings.message_window_s)
        self._cancels = SlidingWindow(settings.cancels, settings.cancel_window_s)
        self._session_id: str | None = None
        self._persona = Persona()
        """The last persona that was used; a history is read ahead after its prompt."""

        self._turn: Turn | None = None
        self._warmings: set[asyncio.Task[None]] = set()
        self._silence: asyncio.Timeout | None = None
        self._handlers: dict[type[Any], Any] = {
            Start: self._start,
            Cancel: self._cancel,
            Warm: self._warm,
            ChatPrompt: self._change_persona,
            Ping: lambda _: self._out.put({"type": "pong"}),
            Pong: lambda _: None,
            End: self._end,
        }

    async def listen(self, first: str | bytes) -> None:
        """Serve all messages, beginning with the first one, which has been received already."""
        message: str | bytes | None = first
        while message is not None and self._serve(message):
            message = await self._next()

    def hang_up(self) -> None:
        """End the turn and the warmings, and close the connection."""
        if self._turn is not None:
            self._turn.cut()
        for warming in self._warmings:
            warming.cancel()
        self._out.close(NORMAL_CLOSURE)

    async def _next(self) -> str | bytes | None:
        """Return the next message; None when there is no further one."""
        await self._out.wait_for_room()
        try:
            async with asyncio.timeout(None) as self._silence:
                self._watch_silence()
                return await receive(self._ws)
        except WebSocketDisconnect:
            return None
        except TimeoutError:
            self._out.close(self._settings.idle_close_code)
            return None
        finally:
            self._silence = None

    def _watch_silence(self) -> None:
        """Start the idle timeout anew; during a turn there is none."""
        if self._silence is not None and not self._silence.expired():
            now = asyncio.get_running_loop().time()
            self._silence.reschedule(None if self._turn else now + self._settings.idle_timeout_s)

    def _serve(self, data: str | bytes) -> bool:
        """Serve one message. Return False after the client's last one."""
        try:
            message = read_message(data, self._settings)
            self._check_pace(message)
            self._handlers[type(message)](message)
            return not isinstance(message, End)
        except Refusal as refusal:
            self._out.put(refusal.frame)
        except Exception:
            log.exception("a bug in the barge-in dialect")
            self._out.put(error_frame(InternalError()))
        return True

    def _check_pace(self, message: Message) -> None:
        """Apply the rate limits: one for cancels, one for other messages, none for ping, pong and end.

        Raises:
            Refusal: the limit is reached.
        """
        if isinstance(message, Ping | Pong | End):
            return
        kind, window = ("cancel", self._cancels) if isinstance(message, Cancel) else ("message", self._messages)
        if (retry_in := _take(window)) is not None:
            words = f"At most {window.limit} {kind} messages in {window.seconds:g} s; try again in {retry_in} s."
            raise Refusal(f"{kind}_rate_limited", words, retry_in=retry_in)

    # Messages of clients

    def _start(self, start: Start) -> None:
        session = self._session_of(start.session_id)
        for running in (self._turn, session.turn):
            if running is not None:
                running.cut()
        session.persona = self._persona = session.persona.changed(start.persona)
        if start.sampling is not None:
            session.sampling = start.sampling
        self._session_id = start.session_id
        self._out.put({"type": "ack", "for": "start", "ok": True, "session_id": start.session_id})
        question = question_of(start, session, self._settings)
        local_client = self._context.local_client(self._ws, "ws")
        turn = Turn(self._context, local_client, question, self._out, lambda turn: self._note_over(turn, session))
        self._turn = session.turn = turn
        turn.begin(self._group)

    def _session_of(self, session_id: str) -> Session:
        return self._sessions.of(grant_of(self._ws).name, session_id)

    def _note_over(self, turn: Turn, session: Session) -> None:
        if session.turn is turn:
            session.turn = None
        if self._turn is turn:
            self._turn = None
            self._watch_silence()

    def _cancel(self, cancel: Cancel) -> None:
        """Cut the turn; confirm also when there is none, for the client may have sent the cancel just too late."""
        echo = {} if cancel.request_id is None else {"request_id": cancel.request_id}
        if self._turn is None or not self._turn.cut(**echo):
            self._out.put(CANCELLED | echo)

    def _change_persona(self, request: ChatPrompt) -> None:
        if request.session_id is not None:
            self._session_id = request.session_id
        if self._session_id is None:
            raise Refusal("missing_session_id", "'session_id' is required before the first start.")
        session = self._session_of(self._session_id)
        answer = {"type": "ack", "for": "chat_prompt", "ok": True, "code": 200, "message": "updated"}
        if (retry_in := _take(session.updates)) is not None:
            limit, seconds = session.updates.limit, session.updates.seconds
            words = f"At most {limit} chat_prompt messages in {seconds:g} s; try again in {retry_in} s."
            answer |= {"ok": False, "code": TOO_MANY_REQUESTS, "message": words, "retry_in": retry_in}
        else:
            session.persona = self._persona = session.persona.changed(request.persona)
        self._out.put(answer)

    def _warm(self, request: Warm) -> None:
        self._persona = self._persona.changed(request.persona)
        history = request.text if request.segment == "history" else ""
        prompt = self._persona.prompt(self._settings.system_template, history)
        warming = self._group.create_task(self._read_ahead(request, prompt), name=f"warming a {request.segment}")
        self._warmings.add(warming)
        warming.add_done_callback(self._warmings.discard)

    async def _read_ahead(self, request: Warm, prompt: str) -> None:
        local_client = self._context.local_client(self._ws, "ws")
        try:
            tools = home_tools(self._context.settings.home)
            messages = system_message(prompt) or None
            conversation = await ChatSession.open(local_client, self._settings.model, messages=messages, **tools)
            try:
                await conversation.warm()
            except RunFailed as error:
                self._out.put(error_frame(error, is_refusal=await is_well(self._context, local_client, conversation)))
            else:
                self._out.put({"type": "warmed", "segment": request.segment, "bytes": len(request.text.encode())})
        except UnitdError as error:
            self._out.put(error_frame(error))
        except Exception:
            log.exception("a bug in a warming of %s", local_client.name)
            self._out.put(error_frame(InternalError()))
        finally:
            local_client.close()

    def _end(self, _: End) -> None:
        if self._turn is not None:
            self._turn.cut()
        self._out.put({"type": "connection_closed", "reason": "client_request"})
        self._out.close(NORMAL_CLOSURE)


def _take(window: SlidingWindow) -> int | None:
    """Count an event and return None; return the seconds until there is room when the limit is reached."""
    now = asyncio.get_running_loop().time()
    return None if window.take(now) else max(1, math.ceil(window.seconds_until_room(now)))
