"""Listening sockets that count their connections, from `accept` until the descriptor is closed.

asyncio tells a protocol of a TLS client only after the handshake, which the client may delay; so the doors to the
network cannot count their own clients. A client that is refused here costs neither a descriptor nor the 80 KiB of a
handshake.

Some descriptors are reserved for this machine: for clients of the Unix socket and for child programs.
"""

import asyncio
import errno
import gc
import logging
import resource
import socket
import sys
import time
from collections.abc import Sequence
from typing import Any
from weakref import WeakSet

from unitd.core.access.grants import network_of
from unitd.core.repeats import is_doubling
from unitd.doors.tls import HANDSHAKE_SECONDS
from unitd.runtime.sys.access import Access

log = logging.getLogger("unitd.doors")

RESERVED_DESCRIPTORS = 384
"""For 256 clients of the Unix socket, several for each of 30 programs, and those of the daemon itself."""

HANDSHAKES = 128
"""At most so many may be unfinished at a door: twice as many as arrive at once after a restart."""

COLLECT_EVERY = 64
"""After so many failed handshakes the garbage collector frees their memory."""

PATIENCE_SECONDS = 1.0
"""A handshake that takes longer is ended when a new client finds no place."""


class Network:
    """The connections of all doors to the network."""

    def __init__(self) -> None:
        most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._most = sys.maxsize if most == resource.RLIM_INFINITY else max(most - RESERVED_DESCRIPTORS, most // 2)
        self.connections: WeakSet[Connection] = WeakSet()

    @property
    def is_full(self) -> bool:
        """Return True when the descriptors that are left are reserved for this machine."""
        return len(self.connections) >= self._most


class Connections:
    """The connections of one door, and its limits."""

    def __init__(
        self, door: str, limit: int, access: Access, network: Network, *, is_encrypted: bool = False, told: int = 0
    ) -> None:
        """Accept up to `told` connections more than `limit`: the door tells those clients that they are refused."""
        self.limit = limit
        self._door = door
        self._access = access
        self._network = network
        self._is_encrypted = is_encrypted
        self._told = told
        self._connections: WeakSet[Connection] = WeakSet()
        self._unfinished: dict[int, Connection] = {}
        """Connections whose handshake has not ended, by descriptor, the oldest first."""

        self._refused = self._broken = 0

    def __len__(self) -> int:
        return len(self._connections)

    def count_from(self, address: str) -> int:
        """Return how many connections come from the same network as this address."""
        network = network_of(address)
        return sum(each.network == network for each in self._connections)

    def settle(self, transport: asyncio.BaseTransport) -> None:
        """Note that the handshake of a connection has ended."""
        if (connection := self._unfinished.get(transport.get_extra_info("socket").fileno())) is not None:
            self._forget_handshake(connection)

    def admit(self, accepted: socket.socket, address: str) -> "Connection | None":
        """Return the socket as a counted connection; None when it is refused."""
        open_there = self.count_from(address)
        if not self._access.may_connect(address, open_there - self._told) or not self._has_room():
            self._refused += 1
            if is_doubling(self._refused):
                words = "%s: %s is refused: %d are connected, %d from there; %d refused so far"
                log.warning(words, self._door, address, len(self), open_there, self._refused)
            return None
        connection = Connection(accepted, self, network_of(address))
        self._connections.add(connection)
        self._network.connections.add(connection)
        if self._is_encrypted:
            self._unfinished[connection.fileno()] = connection
            loop = asyncio.get_running_loop()
            connection.handshake_timer = loop.call_later(HANDSHAKE_SECONDS, self._end_handshake, connection)
        return connection

    def leave(self, connection: "Connection") -> None:
        """Stop counting a connection that is being closed."""
        self._connections.discard(connection)
        self._network.connections.discard(connection)
        if connection.handshake_timer is not None:
            self._forget_handshake(connection)
            self._note_broken()

    def _has_room(self) -> bool:
        """Return True when there is a place for one more; end the oldest slow handshake to make one."""
        is_full = len(self) >= self.limit + self._told or self._network.is_full
        if not is_full and len(self._unfinished) < HANDSHAKES:
            return True
        oldest = next(iter(self._unfinished.values()), None)
        if oldest is None or time.monotonic() - oldest.since < PATIENCE_SECONDS:
            return False
        self._end_handshake(oldest)
        return True

    def _end_handshake(self, connection: "Connection") -> None:
        """End a connection whose handshake has not ended; its transport reads the end from the socket."""
        log.debug("= %s: a client of %s has not shaken hands", self._door, connection.network)
        self._forget_handshake(connection)
        self._note_broken()
        connection.end()

    def _forget_handshake(self, connection: "Connection") -> None:
        assert connection.handshake_timer is not None
        connection.handshake_timer.cancel()
        connection.handshake_timer = None
        del self._unfinished[connection.fileno()]

    def _note_broken(self) -> None:
        """Count a failed handshake, and collect garbage after COLLECT_EVERY of them.

        asyncio's objects of such a connection are in a reference cycle with the error that ended it: 80 KiB each until
        a collection, which Python itself starts only after some thousands.
        """
        self._broken += 1
        if self._broken % COLLECT_EVERY == 0:
            asyncio.get_running_loop().call_later(PATIENCE_SECONDS, gc.collect)


class Connection(socket.socket):
    """A connected socket that is counted until it is closed."""

    def __init__(self, accepted: socket.socket, connections: Connections, network: str) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, accepted.detach())
        self.network = network
        self.since = time.monotonic()
        self.handshake_timer: asyncio.TimerHandle | None = None
        """Set until the handshake has ended."""

        self._open_connections = connections

    def close(self) -> None:
        """Close the descriptor and stop counting the connection."""
        self._open_connections.leave(self)
        super().close()

    def end(self) -> None:
        """Shut the connection down in both directions: its reader finds the end."""
        try:
            self.shutdown(socket.SHUT_RDWR)
        except OSError as error:  # the client has closed it already
            log.debug("= %s: %s", self.network, error)


class Listener(socket.socket):
    """A listening socket that accepts clients only while its door has room; asyncio calls `accept` for each."""

    def __init__(
        self, connections: Connections, family: int, type_: int, proto: int = 0, fileno: int | None = None
    ) -> None:
        super().__init__(family, type_, proto, fileno)
        self._open_connections = connections

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next client and its address.

        Raises:
            ConnectionAbortedError: the client is refused; asyncio treats it as one that has left by itself.
        """
        accepted, address = super().accept()
        connection = self._open_connections.admit(accepted, address[0])
        if connection is None:
            accepted.close()
            raise ConnectionAbortedError
        return connection, address


def passed(connections: Connections, activated: socket.socket) -> Listener:
    """Return a listener that takes over a socket that was opened for the daemon."""
    listener = Listener(connections, activated.family, activated.type, activated.proto, activated.detach())
    listener.setblocking(False)
    return listener


async def bound(connections: Connections, host: str, port: int) -> Sequence[Listener]:
    """Return a listener for each address of the host; for port 0, any free port, for the first address alone.

    Raises:
        OSError: an address cannot be listened on.
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    listeners: list[Listener] = []
    try:
        for family, kind, protocol, _, address in dict.fromkeys(found if port else found[:1]):
            listener = Listener(connections, family, kind, protocol)
            listeners.append(listener)
            listener.setblocking(False)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            try:
                listener.bind(address)
            except OSError as error:
                # A name such as localhost may stand for addresses that this machine does not have.
                if error.errno != errno.EADDRNOTAVAIL or address == found[-1][4]:
                    raise
                listeners.pop().close()
    except OSError:
        for each in listeners:
            each.close()
        raise
    return listeners
