"""Work for a client, for as long as the client is there."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.types import Receive

log = logging.getLogger("unitd.doors")

T = TypeVar("T")


class _ClientLeft(Exception):
    """Ends what is done for it."""


async def while_connected(receive: Receive, work: Coroutine[Any, Any, T]) -> T | None:
    """What the work comes to; None when the client leaves before, at which the work is given up.

    Whatever else the client sends meanwhile is not looked at.
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
