"""The HTTP door: uvicorn and starlette, and the dialects on top of them.

Sockets are bound before the server starts, so that a used port is a configuration error and the port for 0 is known.
"""

import asyncio
import logging
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from unitd.core.config.schema import BODY_FRAMES, HttpSettings
from unitd.doors.base import Door, DoorContext
from unitd.doors.http import health, metrics, models, page, units, ws
from unitd.doors.http.context import ConnectionSlots, HttpContext
from unitd.doors.http.errors import ERROR_HANDLERS, error_response
from unitd.doors.http.guard import Guard
from unitd.doors.http.openai import api as openai_api
from unitd.doors.http.turnchat import handler as turnchat
from unitd.doors.http.websocket import bounded
from unitd.doors.listening import Connections, Listener, passed
from unitd.doors.small_reads import SmallReads
from unitd.wire.errors import ConfigError

log = logging.getLogger("unitd.doors")

DIALECTS = (ws, units, turnchat, openai_api, models, page, health, metrics)

# Connections of plain HTTP, and silent ones, besides the WebSockets. Each needs a file descriptor.
HTTP_CONNECTIONS = 256
# From the connection, or from the last answer, to the end of the next request's head.
REQUEST_SECONDS = 30.0
# Size of a request's head. Browsers send the cookies of every program on this machine.
HEAD_BYTES = 64 * 1024
GOODBYE_SECONDS = 1
PING_SECONDS = 30.0
UNREAD_SECONDS = 30


class HttpDoor(Door):
    """The server of all dialects on all ports."""

    name = "http"

    def __init__(self, shared: DoorContext) -> None:
        self._settings: HttpSettings = shared.settings.http
        self._activated = shared.activated.get(self.name, ())
        self._slots = ConnectionSlots(self._settings.connections)
        places, tls = self._slots.limit + HTTP_CONNECTIONS, shared.tls_for(self.name)
        self._accepted = Connections(
            self.name, places, shared.server.access, shared.network, is_encrypted=tls is not None
        )
        context = HttpContext(
            shared.server,
            shared.settings,
            self._slots,
            shared.clock,
            shared.models,
            shared.status,
            shared.unfinished,
        )
        self._server = _server_of(context, self._accepted, tls)
        self._listeners: list[socket.socket] = []
        self._is_over = asyncio.Event()
        self._is_over.set()

    @property
    def connections(self) -> Mapping[str, int]:
        """Return how many WebSockets are served, and how many other connections are open."""
        return {self.name: len(self._accepted) - self._slots.active, "ws": self._slots.active}

    async def open(self) -> list[Any]:
        """Take the ports, or sockets that were opened for the daemon. Return the address, or a list of several.

        Raises:
            ConfigError: an address cannot be listened on.
        """
        ports = () if self._activated else (self._settings.port, *self._settings.extra_ports)
        for port in ports:
            self._listeners.append(_listen(self._accepted, self._settings.host, port))
        for each in self._activated:
            _cut_off_deaf_clients(each)
            self._listeners.append(passed(self._accepted, each))
        self._is_over.clear()
        addresses = [list(each.getsockname()[:2]) for each in self._listeners]
        return addresses if len(addresses) > 1 else addresses[0]

    async def run(self) -> None:
        """Serve until `close`, then give the clients a moment to end."""
        try:
            await self._server.serve(sockets=self._listeners)
        finally:
            self._is_over.set()

    async def close(self) -> None:
        """Take no new clients, and return when `run` has ended the connections."""
        self._server.should_exit = True
        await self._is_over.wait()


def _server_of(context: HttpContext, accepted: Connections, tls: ssl.SSLContext | None) -> uvicorn.Server:
    """Return a server of all dialects, which counts its clients in `accepted`."""
    body_bytes = BODY_FRAMES * context.settings.limits.frame_bytes
    guard = Middleware(
        Guard,
        access=context.server.access,
        body_bytes=body_bytes,
        names=_names_of(context.settings.http.host),
        unfinished=context.unfinished,
    )
    routes: list[BaseRoute] = [route for dialect in DIALECTS for route in dialect.routes(context)]
    app = Starlette(routes=routes, middleware=[Middleware(_OneLength), guard], exception_handlers=ERROR_HANDLERS)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    return _Server(
        uvicorn.Config(
            app,
            http=_patient(accepted),
            ssl_context_factory=(lambda *_: tls) if tls else None,
            h11_max_incomplete_event_size=HEAD_BYTES,
            ws=bounded(context.unfinished, body_bytes),
            ws_max_size=body_bytes,
            ws_ping_interval=PING_SECONDS,
            ws_ping_timeout=PING_SECONDS,
            ws_per_message_deflate=False,
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=GOODBYE_SECONDS,
        )
    )


class _OneLength:
    """ASGI middleware that refuses requests with both Content-Length and Transfer-Encoding.

    A proxy before the daemon could use the other one, and pass on as a body what the daemon would take for the next
    request.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        names = {name for name, _ in scope.get("headers", ())}
        if scope["type"] == "http" and {b"content-length", b"transfer-encoding"} <= names:
            words = "a request has a Content-Length or a Transfer-Encoding"
            answer = error_response(400, words, "two_lengths", headers={"Connection": "close"})
            await answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class _Server(uvicorn.Server):
    """uvicorn's server without its signal handlers: the daemon has its own."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _patient(connections: Connections) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol with a time limit for requests; the only place that knows uvicorn's inner names."""

    class Patient(H11Protocol, SmallReads):
        _watching: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
            super().connection_made(transport)
            connections.settle(transport)
            # uvicorn asks the socket for the address, which fails when the client has left; the transport still has it.
            self.client = transport.get_extra_info("peername")[:2]
            self._look_again()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            if self._watching is not None:
                self._watching.cancel()

        def _look_again(self) -> None:
            self._watching = self.loop.call_later(REQUEST_SECONDS, self._watch, self.cycle)

        def _watch(self, last: object) -> None:
            """End a connection without a new request since the last look, also when it slowly sends a head, or the rest
            of a body that was answered before its end."""
            if self in self.connections:  # it has not become a WebSocket
                is_idle = self.conn.their_state is h11.IDLE or (self.cycle and self.cycle.response_complete)
                if is_idle and self.cycle is last:
                    self.transport.abort()
                else:
                    self._look_again()

    return Patient


def _names_of(host: str) -> frozenset[str]:
    """Return the names of this machine; its addresses are accepted anyway."""
    own = socket.gethostname().lower()
    return frozenset({"localhost", own, f"{own}.local", host})


def _listen(connections: Connections, host: str, port: int) -> Listener:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = Listener(connections, family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _cut_off_deaf_clients(listener)
        listener.bind(address)
        listener.listen()  # clients may connect now; they wait until the server accepts them
    except OSError as error:
        raise ConfigError(f"http: cannot listen on {host}:{port}: {error.strerror}") from error
    listener.setblocking(False)
    return listener


def _cut_off_deaf_clients(listener: socket.socket) -> None:
    """Let the kernel end connections whose client reads nothing for UNREAD_SECONDS; they inherit the option."""
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_SECONDS * 1000)
