"""Every door comes in here: a request finds its handler, and whatever happens it is answered.

A handler answers at once (a Reply), not at all (None: an accepted inference), or later. Later has two kinds, and both
keep the order of one client's requests: `Begun` has taken effect already and only waits for its end; a coroutine has
everything before it, so the coroutines of one client run one after the other.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from unitd.core.kinds import UnitKind
from unitd.core.registry import Client
from unitd.wire.errors import (
    InternalError,
    NotAnInput,
    Unavailable,
    UnitdError,
    UnknownAction,
    UnknownSysAction,
    UnknownUnit,
)
from unitd.wire.messages import Reply, Request, error_reply, unit_of

log = logging.getLogger("unitd.dispatcher")

# Far more than a client can use, and little enough that one cannot occupy the daemon.
MAX_PENDING = 64


class Call(NamedTuple):
    """One request and who sent it."""

    client: Client
    request: Request

    def ok(self, **fields: Any) -> Reply:
        """The plain answer: code 0, object and data "None" unless given."""
        work_id = fields.pop("work_id", self.request.work_id)
        return Reply(self.request.request_id, work_id, **fields)


class Begun(NamedTuple):
    """What was asked is under way; the reply comes when it is done."""

    end: Coroutine[Any, Any, Reply | None]


Answer = Reply | Begun | Coroutine[Any, Any, Reply | None] | None
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
    ) -> None:
        self._kinds = kinds
        self._unit_handlers = unit_handlers
        self._sys_handlers = sys_handlers
        self._audio_handlers = audio_handlers
        self._pending: dict[Client, _Pending] = {}
        self._group: asyncio.TaskGroup | None = None

    def open(self, group: asyncio.TaskGroup) -> None:
        """Slow answers are worked out in this group from now on."""
        self._group = group

    def serve(self, client: Client, request: Request) -> None:
        """Serves one request; never raises."""
        pending = self._pending.get(client)
        if pending is not None and pending.count >= MAX_PENDING:
            busy = Unavailable(f"{MAX_PENDING} requests of this connection are being worked on")
            client.send(error_reply(busy, request.request_id, request.work_id))
            return
        try:
            answer = self._handler_for(request)(Call(client, request))
        except UnitdError as error:
            client.send(error_reply(error, request.request_id, request.work_id))
        except Exception:
            self._report_bug(client, request)
        else:
            if isinstance(answer, Reply):
                client.send(answer)
            elif answer is not None:
                self._answer_later(client, request, answer)

    def when_answered(self, client: Client, then: Callable[[], None]) -> None:
        """Calls back once nothing of this client is being worked on: at once, or behind the last reply."""
        if (pending := self._pending.get(client)) is None:
            then()
        else:
            pending.then = then

    def _answer_later(
        self, client: Client, request: Request, answer: Begun | Coroutine[Any, Any, Reply | None]
    ) -> None:
        assert self._group is not None
        pending = self._pending.setdefault(client, _Pending())
        pending.count += 1
        name = f"{request.action} {client.name}"
        if isinstance(answer, Begun):
            task = self._group.create_task(self._finish(client, request, answer.end), name=name)
        else:
            before, pending.last = pending.last, asyncio.get_running_loop().create_future()
            turn = self._in_turn(before, pending.last, client, request, answer)
            task = self._group.create_task(turn, name=name)
        task.add_done_callback(lambda _: self._note_answered(client, pending))

    async def _in_turn(
        self,
        before: asyncio.Future[None] | None,
        done: asyncio.Future[None],
        client: Client,
        request: Request,
        answer: Coroutine[Any, Any, Reply | None],
    ) -> None:
        try:
            if before is not None:
                await asyncio.wait([before])
            await self._finish(client, request, answer)
        finally:
            answer.close()
            done.set_result(None)

    def _note_answered(self, client: Client, pending: "_Pending") -> None:
        pending.count -= 1
        if pending.count == 0:
            del self._pending[client]
            if pending.then is not None:
                pending.then()

    async def _finish(self, client: Client, request: Request, answer: Coroutine[Any, Any, Reply | None]) -> None:
        try:
            reply = await answer
        except UnitdError as error:
            reply = error_reply(error, request.request_id, request.work_id)
        except Exception:
            self._report_bug(client, request)
            return
        if reply is not None:
            client.send(reply)

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

    @staticmethod
    def _report_bug(client: Client, request: Request) -> None:
        log.exception("a bug in %s on %s for %s", request.action, request.work_id, client.name)
        client.send(error_reply(InternalError(), request.request_id, request.work_id))
