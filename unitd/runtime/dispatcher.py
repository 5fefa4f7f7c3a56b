"""Requests from every door: each finds its handler, and is answered whatever happens.

A handler answers at once (a Reply), not at all (None: an accepted inference), or later. Later has two kinds, and both
keep the order of one client's requests: `Begun` has taken effect already and only waits for its end; a coroutine has
everything before it, so the coroutines of one client run one after the other.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from unitd.core.tasks.kinds import UnitKind
from unitd.core.tasks.table import Client
from unitd.runtime.log_context import LogContext, about
from unitd.runtime.metrics import NOT_UNDERSTOOD, Metrics
from unitd.runtime.waiting import Waiting, size_of
from unitd.wire.errors import (
    InternalError,
    NotAnInput,
    Unavailable,
    UnitdError,
    UnknownAction,
    UnknownSysAction,
    UnknownTask,
    UnknownUnit,
)
from unitd.wire.messages import Reply, Request, error_reply, unit_of

log = logging.getLogger("unitd.dispatcher")

# Far more than a client can use, and little enough that one cannot occupy the daemon.
MAX_PENDING = 64


class Call(NamedTuple):
    """One request and its sender."""

    client: Client
    request: Request
    size: int = 0
    """How many bytes it holds."""

    has_earlier: bool = False
    """True while earlier requests of its client are being worked on."""

    def ok(self, **fields: Any) -> Reply:
        """Return the plain answer: code 0, object and data "None" unless given."""
        work_id = fields.pop("work_id", self.request.work_id)
        return Reply(self.request.request_id, work_id, **fields)


Later = Coroutine[Any, Any, Reply | None]


class Begun(NamedTuple):
    """What was asked is under way; the reply comes when it is done."""

    end: Later


Answer = Reply | Begun | Later | None
Handler = Callable[[Call], Answer]


@dataclass(eq=False)
class _Pending:
    """What one client waits for."""

    count: int = 0
    last: asyncio.Future[None] | None = None
    """Done when the newest coroutine has run."""

    then: Callable[[], None] | None = None


class Dispatcher:
    """Routes requests to handlers by (unit, action)."""

    def __init__(
        self,
        kinds: Mapping[str, UnitKind],
        unit_handlers: Mapping[str, Handler],
        sys_handlers: Mapping[str, Handler],
        audio_handlers: Mapping[str, Handler],
        check: Callable[[Client, Request], None],
        metrics: Metrics,
        waiting: Waiting,
    ) -> None:
        """`check` raises UnitdError for what a client may not do."""
        self._kinds = kinds
        self._unit_handlers = unit_handlers
        self._sys_handlers = sys_handlers
        self._audio_handlers = audio_handlers
        self._check = check
        self._metrics = metrics
        self._waiting = waiting
        self._pending: dict[Client, _Pending] = {}
        self._answers: set[asyncio.Task[None]] = set()
        self._group: asyncio.TaskGroup | None = None

    def open(self, group: asyncio.TaskGroup) -> None:
        """Work out slow answers in this group from now on."""
        self._group = group

    def serve(self, client: Client, request: Request) -> None:
        """Serve one request; never raises."""
        with about(LogContext(request.work_id, client.door, client.name, request.request_id)):
            self._serve(client, request)

    def _serve(self, client: Client, request: Request) -> None:
        pending = self._pending.get(client)
        if pending is not None and pending.count >= MAX_PENDING:
            busy = Unavailable(f"{MAX_PENDING} requests of this connection are being worked on")
            self._send(client, error_reply(busy, request.request_id, request.work_id))
            return
        try:
            self._check_request(client, request)
            call = Call(client, request, size_of(request), pending is not None)
            self._waiting.check(client, call.size)
            answer = self._counted_handler_for(request)(call)
            if isinstance(answer, Reply):
                self._send(client, answer)
            elif answer is not None:
                self._answer_later(call, answer)
        except UnitdError as error:
            self._send(client, error_reply(error, request.request_id, request.work_id))
        except Exception:
            self._report_bug(client, request)

    def _check_request(self, client: Client, request: Request) -> None:
        """Call `check`; a task of another owner gets the same answer as one that is not there."""
        try:
            self._check(client, request)
        except UnknownTask:
            self._handler_for(request)
            raise

    def when_answered(self, client: Client, then: Callable[[], None]) -> None:
        """Call back once no request of this client is being worked on: at once, or after the last reply."""
        if (pending := self._pending.get(client)) is None:
            then()
        else:
            pending.then = then

    async def wait_answered(self, seconds: float) -> None:
        """Wait until every request is answered, or for so many seconds."""
        if self._answers:
            await asyncio.wait(self._answers, timeout=seconds)

    def _answer_later(self, call: Call, answer: Begun | Later) -> None:
        assert self._group is not None
        client, release = call.client, self._waiting.hold(call.client, call.size)
        pending = self._pending.setdefault(client, _Pending())
        pending.count += 1
        name = f"{call.request.action} {client.name}"
        if isinstance(answer, Begun):
            task = self._group.create_task(self._finish(call, answer.end), name=name)
        else:
            before, pending.last = pending.last, asyncio.get_running_loop().create_future()
            task = self._group.create_task(self._in_turn(call, answer, before, pending.last), name=name)
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)
        task.add_done_callback(lambda _: release())
        task.add_done_callback(lambda _: self._note_answered(client, pending))

    async def _in_turn(
        self, call: Call, answer: Later, before: asyncio.Future[None] | None, done: asyncio.Future[None]
    ) -> None:
        try:
            if before is not None:
                await asyncio.wait([before])
            await self._finish(call, answer)
        finally:
            answer.close()
            done.set_result(None)

    def _note_answered(self, client: Client, pending: "_Pending") -> None:
        pending.count -= 1
        if pending.count == 0:
            del self._pending[client]
            if pending.then is not None:
                pending.then()

    async def _finish(self, call: Call, answer: Later) -> None:
        try:
            if (reply := await answer) is not None:
                self._send(call.client, reply)
        except UnitdError as error:
            self._send(call.client, error_reply(error, call.request.request_id, call.request.work_id))
        except Exception:  # a reply that cannot be encoded, too: it would end the daemon
            self._report_bug(call.client, call.request)

    def _send(self, client: Client, reply: Reply) -> None:
        if reply.code:
            self._metrics.errors[reply.code] += 1
        client.send(reply)

    def _counted_handler_for(self, request: Request) -> Handler:
        """Return the handler; count the request by unit and action, or as one that is not understood."""
        try:
            handler = self._handler_for(request)
        except UnitdError:
            self._metrics.requests[NOT_UNDERSTOOD] += 1
            raise
        self._metrics.requests[unit_of(request.work_id), request.action] += 1
        return handler

    def _handler_for(self, request: Request) -> Handler:
        unit = unit_of(request.work_id)
        if unit == "sys":
            if request.action == "inference":
                raise NotAnInput("sys takes no inference")
            handler = self._sys_handlers.get(request.action)
            if handler is None:
                raise UnknownSysAction(f"sys has no action {request.action!r}")
            return handler
        if unit == "audio":  # a unit without tasks
            if (handler := self._audio_handlers.get(request.action)) is None:
                raise UnknownAction(f"audio has no action {request.action!r}")
            return handler
        kind = self._kinds.get(unit)
        if kind is None:
            raise UnknownUnit(f"there is no unit {unit!r}; units here: {', '.join(sorted({*self._kinds, 'audio'}))}")
        handler = self._unit_handlers.get(request.action) if request.action in kind.actions else None
        if handler is None:
            raise UnknownAction(f"{unit} has no action {request.action!r}")
        return handler

    def _report_bug(self, client: Client, request: Request) -> None:
        log.exception("a bug in %s on %s for %s", request.action, request.work_id, client.name)
        self._send(client, error_reply(InternalError(), request.request_id, request.work_id))
