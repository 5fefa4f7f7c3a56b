"""The TCP and Unix socket doors."""

import asyncio
import itertools
import logging
import os
import socket
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from unitd.core.access.grants import TRUSTED, network_of
from unitd.doors.base import Door, DoorContext, Server
from unitd.doors.listening import Connections, bound, passed
from unitd.doors.small_reads import SmallReads
from unitd.doors.stream.protocol import StreamProtocol, StreamSettings
from unitd.wire.errors import ConfigError, NotJson, Unavailable
from unitd.wire.firstline import FirstLine
from unitd.wire.messages import error_reply

log = logging.getLogger("unitd.doors")

# A slow Wi-Fi link may stall for seconds in the middle of a message.
TCP_IDLE_SECONDS = 30.0
GOODBYE_SECONDS = 1.0
# So many clients beyond the limit get an error before they are disconnected; by TLS fewer, for each needs a handshake.
TOLD, TOLD_BY_TLS = 64, 8
# Connections that wait in the kernel; a client beyond them tries again only after a second.
BACKLOG = 1024
# A client without a token is disconnected after this time, one whose token has ended at most this time after the end.
STRANGER_SECONDS = 30.0
# As much as asyncio reads at once: the last bytes of a client that is gone must not delay the others.
_UNREAD_BYTES = 256 * 1024

# Python 3.13 and later remove the file of a socket when it stops listening; the file of a passed socket must stay.
_KEEP_FILE: dict[str, Any] = {"cleanup_socket": False} if sys.version_info >= (3, 13) else {}


class _StreamConnection(StreamProtocol, SmallReads):
    """One connection of a stream door; it is named after its peer."""

    def __init__(self, door: "StreamDoor", server: Server, settings: StreamSettings) -> None:
        super().__init__(server, settings)
        self._door = door
        self.network = ""
        self._is_encrypted = False
        self._first_line: FirstLine | None = FirstLine()
        """None as soon as the client is known to speak the daemon's protocol."""

        self._first_line_timer: asyncio.TimerHandle | None = None
        self._looking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer, number = transport.get_extra_info("peername"), self._door.enter(self)
        self._socket = transport.get_extra_info("socket")
        self._is_encrypted = transport.get_extra_info("sslcontext") is not None
        self.client.name = f"tcp {peer[0]}:{peer[1]}" if isinstance(peer, tuple) else f"unix {number}"
        if isinstance(peer, tuple):
            self.client.address, self.network = peer[0], network_of(peer[0])
            _notice_silence(self._socket)
        self.client.admit(self._server.access.grant_at(self._door.name, self.client.address))
        super().connection_made(transport)
        if self._door.accepted is not None:
            self._door.accepted.settle(transport)
        if refusal := self._door.refusal(self):
            log.warning("%s is refused: %s", self.client.name, refusal.reason)
            self.client.send(error_reply(refusal, "0", "sys"))
            self._door.leave(self)
            self.hang_up()
        elif self.client.grant is not TRUSTED:
            self._look_again_later()

    def data_received(self, data: bytes) -> None:
        """Serve bytes unless they belong to another protocol: a web page can make a browser send HTTP here."""
        if self._first_line is not None:
            data = self._harmless(self._first_line, data)
        if data:
            super().data_received(data)

    def _harmless(self, line: FirstLine, data: bytes) -> bytes:
        """Return the bytes that may be served, of these and of those that were held before."""
        if self.client.is_gone:
            return b""
        served = line.take(data)
        if line.protocol:
            log.warning("%s speaks %s, it is disconnected", self.client.name, line.protocol)
            self.cut_off()
        elif line.is_over:
            self._first_line = None
            self._stop_first_line_timer()
        elif line.holds_object and self._first_line_timer is None:
            loop = asyncio.get_running_loop()
            self._first_line_timer = loop.call_later(self._settings.idle_seconds, self._give_up_first_line)
        return served

    def _give_up_first_line(self) -> None:
        """Disconnect a client whose first line does not end, so that the request in it cannot be served."""
        log.warning("%s sends a first line without an end, it is disconnected", self.client.name)
        self._refuse(error_reply(NotJson("the first line does not end"), "0", "sys"))
        self.hang_up()

    def _stop_first_line_timer(self) -> None:
        if self._first_line_timer is not None:
            self._first_line_timer.cancel()
            self._first_line_timer = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._looking is not None:
            self._looking.cancel()
        self._stop_first_line_timer()
        if exc is not None and not self._is_encrypted and self._first_line is None:
            self._serve_unread()
        self._door.leave(self)
        self._server.access.leave(self.client.grant)
        super().connection_lost(exc)

    def give_up_unfinished(self) -> None:
        """Drop the unfinished message and disconnect, so that the rest of it is not parsed as another message."""
        super().give_up_unfinished()
        self.hang_up()

    def eof_received(self) -> bool:
        """Return True to keep the other direction open, which TLS cannot do. A held first line was no HTTP request."""
        if self._first_line is not None and (held := self._first_line.release()):
            super().data_received(held)
        return super().eof_received() and not self._is_encrypted

    def _serve_unread(self) -> None:
        """Serve the requests that the kernel received before the client reset the connection.

        A client that closes its socket with unread frames in it resets the connection. The next frame that is written
        then ends the transport before the loop has read the client's last requests, often its `exit`.
        """
        with suppress(OSError):  # nothing is left to read
            if unread := os.read(self._socket.fileno(), _UNREAD_BYTES):
                self._serve(unread)

    def _look_again_later(self) -> None:
        self._looking = asyncio.get_running_loop().call_later(STRANGER_SECONDS, self._look_again)

    def _look_again(self) -> None:
        """Disconnect a client without a valid token: it must neither take a place nor listen to its tasks."""
        if self._server.access.counts(self.client.grant):
            self._look_again_later()
        else:
            why = "has shown no token" if self.client.grant.role is None else "has a token that counts no more"
            log.warning("%s %s, it is disconnected", self.client.name, why)
            self.cut_off()


def _notice_silence(connection: socket.socket) -> None:
    """Let the kernel end connections whose peer has lost its power or its Wi-Fi."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in ((socket.TCP_KEEPIDLE, 60), (socket.TCP_KEEPINTVL, 15), (socket.TCP_KEEPCNT, 4)):
        connection.setsockopt(socket.IPPROTO_TCP, option, value)


class StreamDoor(Door):
    """Listening sockets and their clients."""

    def __init__(self, context: DoorContext, name: str, frame_interval_ms: int) -> None:
        self.name = name
        self.accepted: Connections | None = None
        """The counted connections of a network door; None for a Unix socket."""

        self._context = context
        self._server = context.server
        self._settings = StreamSettings.of(context, name, TCP_IDLE_SECONDS, frame_interval=frame_interval_ms / 1000)
        self._activated = context.activated.get(name, ())
        self._max_connections = context.settings.tcp.max_connections
        self._clients: set[_StreamConnection] = set()
        self._all_gone = asyncio.Event()
        self._all_gone.set()
        self._numbers = itertools.count(1)
        self._listeners: list[asyncio.Server] = []

    @property
    def connections(self) -> Mapping[str, int]:
        """Return how many clients are connected."""
        return {self.name: len(self._clients)}

    def refusal(self, newcomer: "_StreamConnection") -> Unavailable | None:
        """Return the reason why a new client is refused; None when it may stay."""
        if len(self._clients if self.accepted is None else self.accepted) > self._max_connections:
            return Unavailable(f"{self._max_connections} clients are connected already")
        open_now = 0 if self.accepted is None else self.accepted.count_from(newcomer.client.address) - 1
        if not self._server.access.may_connect(newcomer.client.address, open_now):
            return Unavailable(f"{open_now} clients of this address are connected already")
        return None

    def change_limit(self, limit: int) -> None:
        """Take at most so many clients from now on; those that are connected stay."""
        self._max_connections = limit
        if self.accepted is not None:
            self.accepted.limit = limit

    def enter(self, client: "_StreamConnection") -> int:
        """Add a connection. Return its number."""
        self._clients.add(client)
        self._all_gone.clear()
        return next(self._numbers)

    def leave(self, client: "_StreamConnection") -> None:
        """Remove a connection."""
        self._clients.discard(client)
        if not self._clients:
            self._all_gone.set()

    def _new_connection(self) -> "_StreamConnection":
        return _StreamConnection(self, self._server, self._settings)

    def stop_accepting(self) -> None:
        """Take no new clients; those that are connected stay."""
        for listener in self._listeners:
            listener.close()

    async def close(self) -> None:
        """End every connection after its output has been sent, or after GOODBYE_SECONDS."""
        for client in list(self._clients):
            client.hang_up()
        with suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_SECONDS):
                await self._all_gone.wait()


class TcpDoor(StreamDoor):
    """The door on a TCP address, or on sockets that were opened for the daemon."""

    def __init__(self, context: DoorContext) -> None:
        super().__init__(context, "tcp", context.settings.tcp.frame_interval_ms)

    async def open(self) -> list[str | int]:
        """Listen. Return the real address, also for port 0.

        Raises:
            ConfigError: the address cannot be listened on.
        """
        host, port = self._context.settings.tcp.host, self._context.settings.tcp.port
        loop, tls, secured = asyncio.get_running_loop(), self._context.tls_for(self.name), dict[str, Any]()
        if tls is not None:
            secured = {"ssl_shutdown_timeout": GOODBYE_SECONDS, "ssl": tls}
        self.accepted = accepted = Connections(
            self.name,
            self._max_connections,
            self._server.access,
            self._context.network,
            is_encrypted=tls is not None,
            told=TOLD if tls is None else TOLD_BY_TLS,
        )
        try:
            listeners = [passed(accepted, each) for each in self._activated] or await bound(accepted, host, port)
            for listener in listeners:
                serving = await loop.create_server(self._new_connection, sock=listener, backlog=BACKLOG, **secured)
                self._listeners.append(serving)
        except OSError as error:
            raise ConfigError(f"tcp: cannot listen on {host}:{port}: {error.strerror}") from error
        return list(self._listeners[0].sockets[0].getsockname()[:2])


class UnixDoor(StreamDoor):
    """The door on a path, where a dead socket file is replaced, or on sockets that were opened for the daemon."""

    def __init__(self, context: DoorContext) -> None:
        super().__init__(context, "unix", context.settings.unix.frame_interval_ms)

    async def open(self) -> str:
        """Listen. Return the path.

        Raises:
            ConfigError: another daemon listens there, the path is no socket, or it cannot be created.
        """
        loop, settings = asyncio.get_running_loop(), self._context.settings
        for each in self._activated:
            self._listeners.append(await loop.create_unix_server(self._new_connection, sock=each, **_KEEP_FILE))
        if self._activated:
            return str(self._activated[0].getsockname())
        path = settings.unix.path or settings.state.dir / "unitd.sock"
        await asyncio.to_thread(_clear_way, path)
        try:
            self._listeners.append(await loop.create_unix_server(self._new_connection, str(path)))
            await asyncio.to_thread(path.chmod, 0o660)
        except OSError as error:
            raise ConfigError(f"unix: cannot listen on {path}: {error}") from error
        return str(path)


def _clear_way(path: Path) -> None:
    """Remove a dead socket file and nothing else.

    Raises:
        ConfigError: another daemon listens on the path, or it cannot be used.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            return
        if not stat.S_ISSOCK(path.stat().st_mode):
            raise ConfigError(f"unix: {path} is there and is no socket")
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(path))
        raise ConfigError(f"unix: another daemon listens on {path}")
    except ConnectionRefusedError:
        path.unlink()
    except OSError as error:
        raise ConfigError(f"unix: cannot use {path}: {error.strerror}") from error
