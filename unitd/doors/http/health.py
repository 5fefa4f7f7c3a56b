"""`/health`, `/healthz` and `/status`, and the state of the engine that serves the default llm.

A model of this machine is healthy when its card and its file exist. A server is asked for its `/health`; a server that
does not know this path has answered, too.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from unitd import __version__
from unitd.core.tasks.kinds import DEFAULT_NAME
from unitd.doors.chat_session import ChatSession
from unitd.doors.http.auth import grant_of
from unitd.doors.http.context import HttpContext
from unitd.doors.local_client import LocalClient
from unitd.wire.errors import LoadFailed

SLOT_COOLDOWN_MS = 0
"""The original waited so long between two requests to one slot of llama.cpp; this daemon need not wait."""

# A server on the same network answers within milliseconds; the client of `/health` gives up after some seconds.
PROBE_SECONDS = 2.0


def routes(context: HttpContext) -> list[BaseRoute]:
    """Return the routes of the probes and of the status page."""

    async def show_health(request: Request) -> JSONResponse:
        """Answer `/health`; for a client without a key, without asking the engine."""
        if grant_of(request).role is None:
            return JSONResponse({"status": "ok"})
        backend = await look_at_backend(context)
        return JSONResponse(
            {
                "status": "ok" if backend.is_healthy else "degraded",
                "llama_server": "healthy" if backend.is_healthy else "unreachable",
                "llama_url": backend.url,
                "active_streams": len(context.streams),
                "slot_cooldown_ms": SLOT_COOLDOWN_MS,
            }
        )

    async def show_life(_: Request) -> JSONResponse:
        """Answer `/healthz`."""
        return JSONResponse({"status": "ok"})

    async def show_status(_: Request) -> JSONResponse:
        """Answer `/status`: the sockets' capacity, and the queue of the turn-based chat."""
        status = {
            "status": "ok",
            "version": __version__,
            "capacity": context.slots.capacity,
            "queue": context.waiting_line.view,
        }
        return JSONResponse(status)

    return [
        Route("/health", show_health, methods=["GET"]),
        Route("/healthz", show_life, methods=["GET"]),
        Route("/status", show_status, methods=["GET"]),
    ]


@dataclass(frozen=True)
class Backend:
    """The state of an engine; `url` is a server's address, or engine and model, as in "llama:unitd-chat"."""

    url: str
    is_healthy: bool


async def look_at_backend(context: HttpContext) -> Backend:
    """Return the present backend of the default llm."""
    llm = context.settings.llm
    try:
        card = await context.models.resolve("llm", DEFAULT_NAME)
    except LoadFailed:
        return Backend(f"llama:{llm.model}", is_healthy=False)
    if (base_url := card.engine_options.get("base_url")) is not None:
        url = base_url.removesuffix("/v1")
        return Backend(url, is_healthy=await _answers(url))
    has_file = card.path is None or await asyncio.to_thread(card.path.is_file)
    return Backend(f"{card.engine}:{card.name}", is_healthy=has_file)


async def is_well(context: HttpContext, local_client: LocalClient, conversation: ChatSession) -> bool:
    """Return True when task and engine still work after a failure, so that the request itself was refused.

    Raises:
        UnitdError: the client may not ask for the tasks.
    """
    tasks = (await local_client.ask("sys", "lstask")).data
    is_idle = any(task["work_id"] == conversation.work_id and task["state"] == "idle" for task in tasks)
    return is_idle and (await look_at_backend(context)).is_healthy


async def _answers(url: str) -> bool:
    """Return True when the server answers with a status below 500; 503 means that its model is still loading."""
    parts = urlsplit(url)
    is_tls = parts.scheme == "https"
    request = f"GET {parts.path}/health HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n"
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            port = parts.port or (443 if is_tls else 80)
            reader, writer = await asyncio.open_connection(parts.hostname, port, ssl=is_tls or None)
            try:
                writer.write(request.encode())
                status = await reader.readline()
            finally:
                writer.close()
                with suppress(OSError):
                    await writer.wait_closed()
    except (OSError, ValueError):  # no connection, no answer in time, a line without an end
        return False
    words = status.split()
    return len(words) > 1 and words[1].isdigit() and int(words[1]) < 500
