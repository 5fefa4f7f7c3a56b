"""Responses that a unit computes: they end when the client leaves, errors get a status, tasks end with the response.

The end of the connection shows at once that a client has left, not a failed write. The headers of a stream are sent
with its first bytes, so an error before them still gets a status.
"""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from unitd.doors.http.context import HttpContext
from unitd.doors.http.errors import ApiError, api_error, unknown_model
from unitd.doors.local_client import LocalClient
from unitd.runtime.models.store import ModelStore
from unitd.wire.errors import LoadFailed, UnitdError

log = logging.getLogger("unitd.doors")

T = TypeVar("T")

EVENTS = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",  # no proxy may collect the events
}


class Stream:
    """The response to one request, written in pieces or as a whole."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._has_begun = False

    async def say(self, data: bytes, headers: Mapping[str, str] = EVENTS) -> None:
        """Send a piece now; the first one sends the headers, too."""
        if not self._has_begun:
            self._has_begun = True
            encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
            await self._send({"type": "http.response.start", "status": 200, "headers": encoded})
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self, data: bytes = b"", headers: Mapping[str, str] = EVENTS) -> None:
        """Send the last piece."""
        if not self._has_begun:
            await self.say(b"", headers)
        await self._send({"type": "http.response.body", "body": data, "more_body": False})

    async def whole(self, content: bytes, media_type: str = "application/json") -> None:
        """Send the whole response at once."""
        await Response(content, media_type=media_type)({"type": "http"}, _nothing, self._send)

    async def fail(self, error: ApiError) -> None:
        """Send an error instead of an answer; in the middle of a stream, as its last event."""
        if self._has_begun:
            await self.end(event(error.body))
        else:
            await error.response()({"type": "http"}, _nothing, self._send)


class Served(Response, ABC):
    """A response that the given unit and model compute."""

    unit = "llm"

    def __init__(self, context: HttpContext, request: Request, model: str) -> None:
        super().__init__()
        self._models: ModelStore = context.models
        self._model = model
        self._local_client: LocalClient = context.local_client(request)

    @abstractmethod
    async def serve(self, stream: Stream) -> None:
        """Ask the unit and write its answer.

        Raises:
            UnitdError: there is no answer, or it broke off.
        """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; end early when the client leaves."""
        try:
            await while_connected(receive, self._serve(Stream(send)))
        finally:
            self._local_client.close()

    async def _serve(self, stream: Stream) -> None:
        try:
            await self.serve(stream)
        except UnitdError as error:
            await stream.fail(await self._explained(error))
        except Exception:
            log.exception("a bug in an answer for %s", self._local_client.name)
            await stream.fail(ApiError(500, "internal error", code="internal_error"))

    async def _explained(self, error: UnitdError) -> ApiError:
        """Return the error as the client sees it; a model that does not load may be unknown."""
        if isinstance(error, LoadFailed) and not await is_known(self._models, self.unit, self._model):
            return unknown_model(self._model, self.unit)
        return api_error(error)


def event(data: dict[str, Any]) -> bytes:
    """Return a server-sent event."""
    return b"data: " + orjson.dumps(data) + b"\n\n"


async def is_known(models: ModelStore, unit: str, name: str) -> bool:
    """Return True when a card of this unit has the name."""
    try:
        await models.resolve(unit, name)
    except LoadFailed:
        return False
    return True


async def _nothing() -> dict[str, Any]:
    raise AssertionError("a finished response reads nothing")


class _ClientLeft(Exception):
    """The client has left."""


async def while_connected(receive: Receive, work: Coroutine[Any, Any, T]) -> T | None:
    """Return the result of the work; cancel it and return None when the client leaves before.

    Other messages of the client are ignored meanwhile.
    """
    result: T | None = None
    try:
        async with asyncio.TaskGroup() as group:
            watch = group.create_task(_watch(receive), name="client of an answer")
            result = await work
            watch.cancel()
    except* _ClientLeft:
        log.debug("= a client left before its answer was complete")
    return result


async def _watch(receive: Receive) -> None:
    while (await receive())["type"] not in ("http.disconnect", "websocket.disconnect"):
        pass
    raise _ClientLeft
