"""Every door comes in here: a request finds its handler, and whatever happens it is answered.

A handler answers at once (a Reply), later (a coroutine, run beside the connection), or not at all (None: an accepted
inference). It does what it does before its first await, so requests take effect in the order in which they came.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, NamedTuple

from unitd.core.kinds import UnitKind
from unitd.core.registry import Client
from unitd.wire.errors import (
    InternalError,
    NotAnInput,
    UnitdError,
    UnknownAction,
    UnknownSysAction,
    UnknownUnit,
)
from unitd.wire.messages import Reply, Request, error_reply, unit_of

log = logging.getLogger("unitd.dispatcher")


class Call(NamedTuple):
    """One request and who sent it."""

    client: Client
    request: Request

    def ok(self, **fields: Any) -> Reply:
        """The plain answer: code 0, object and data "None" unless given."""
        work_id = fields.pop("work_id", self.request.work_id)
        return Reply(self.request.request_id, work_id, **fields)


Answer = Reply | Coroutine[Any, Any, Reply | None] | None
Handler = Callable[[Call], Answer]


class Dispatcher:
    """Routes requests to handlers by (unit, action)."""

    def __init__(
        self, kinds: Mapping[str, UnitKind], unit_handlers: Mapping[str, Handler], sys_handlers: Mapping[str, Handler]
    ) -> None:
        self._kinds = kinds
        self._unit_handlers = unit_handlers
        self._sys_handlers = sys_handlers
        self._group: asyncio.TaskGroup | None = None

    def open(self, group: asyncio.TaskGroup) -> None:
        """Slow answers are worked out in this group from now on."""
        self._group = group

    def serve(self, client: Client, request: Request) -> None:
        """Serves one request; never raises."""
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
                assert self._group is not None
                self._group.create_task(self._finish(client, request, answer), name=f"{request.action} {client.name}")

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
        kind = self._kinds.get(unit)
        if kind is None:
            raise UnknownUnit(f"there is no unit {unit!r}; units here: {', '.join(sorted(self._kinds))}")
        handler = self._unit_handlers.get(request.action) if request.action in kind.actions else None
        if handler is None:
            raise UnknownAction(f"{unit} has no action {request.action!r}")
        return handler

    @staticmethod
    def _report_bug(client: Client, request: Request) -> None:
        log.exception("a bug in %s on %s for %s", request.action, request.work_id, client.name)
        client.send(error_reply(InternalError(), request.request_id, request.work_id))
