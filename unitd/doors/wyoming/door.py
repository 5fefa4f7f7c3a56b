"""Listens for Wyoming clients, and is announced in the local network where others may come."""

import asyncio
import itertools
import logging
import socket
from functools import partial

from wyoming.info import Info

from unitd.core.config import HomeSettings, WyomingSettings
from unitd.doors.guest import Guest
from unitd.doors.server import Server
from unitd.doors.wyoming.answering import Mind
from unitd.doors.wyoming.info import describe
from unitd.doors.wyoming.session import Session
from unitd.wire.errors import ConfigError

log = logging.getLogger("unitd.wyoming")

LOOPBACK = ("127.0.0.1", "::1", "localhost")


class WyomingDoor:
    """Serves until cancelled."""

    def __init__(self, server: Server, settings: WyomingSettings, home: HomeSettings, node: str) -> None:
        self._server = server
        self._settings = settings
        self._node = node
        self._mind = Mind(settings.system_prompt, home)
        self._numbers = itertools.count(1)
        self._sessions: set[asyncio.Task[None]] = set()
        self._listener: asyncio.Server | None = None

    @property
    def connections(self) -> int:
        """How many clients are connected."""
        return len(self._sessions)

    async def open(self) -> list[str | int]:
        """Listens; returns the real address.

        Raises:
            ConfigError: it cannot be listened on.
        """
        host, port = self._settings.host, self._settings.port
        try:
            self._listener = await asyncio.start_server(self._serve, host, port)
        except OSError as error:
            raise ConfigError(f"wyoming: cannot listen on {host}:{port}: {error.strerror}") from error
        return list(self._listener.sockets[0].getsockname()[:2])

    async def run(self) -> None:
        """Announces itself, and stays until cancelled; then everybody is sent away."""
        assert self._listener is not None
        port = self._listener.sockets[0].getsockname()[1]
        try:
            if self._settings.host in LOOPBACK:
                await self._listener.serve_forever()
            async with _Announcement(self._node, self._settings.host, port):
                await self._listener.serve_forever()
        finally:
            self._listener.close()
            for task in list(self._sessions):
                task.cancel()
            if self._sessions:
                await asyncio.wait(self._sessions)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """In a task of its own: asyncio's for the connection must not be cancelled."""
        host, number = writer.get_extra_info("peername")[0], next(self._numbers)
        guest = Guest(self._server, f"wyoming {host} {number}", "wyoming")
        session = Session(reader, writer, guest, self._settings, self._mind, partial(self._describe, guest))
        task = asyncio.get_running_loop().create_task(self._talk(session, guest), name=guest.name)
        self._sessions.add(task)
        await asyncio.wait([task])
        self._sessions.discard(task)

    @staticmethod
    async def _talk(session: Session, guest: Guest) -> None:
        try:
            await session.run()
        except (ConnectionError, ValueError) as error:  # the package's words for bytes that are no event
            log.info("%s is sent away: %s", guest.name, error)

    async def _describe(self, guest: Guest) -> Info:
        models = (await guest.ask("sys", "lsmode")).data
        return describe(models, self._settings.wake_words, switches_things=self._mind.switches_things)


class _Announcement:
    """`_wyoming._tcp` by multicast DNS, while it is entered; without a network nobody is told."""

    def __init__(self, node: str, host: str, port: int) -> None:
        self._node = node
        self._host = host
        self._port = port

    async def __aenter__(self) -> None:
        from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

        self._zeroconf = AsyncZeroconf()
        addresses = [socket.inet_aton(self._host)] if self._host not in ("0.0.0.0", "::", "") else None
        info = AsyncServiceInfo(
            "_wyoming._tcp.local.",
            f"{self._node}._wyoming._tcp.local.",
            addresses=addresses or await asyncio.to_thread(_own_addresses),
            port=self._port,
        )
        await self._zeroconf.async_register_service(info)
        log.info("announced as %s._wyoming._tcp", self._node)

    async def __aexit__(self, *_: object) -> None:
        await self._zeroconf.async_unregister_all_services()
        await self._zeroconf.async_close()


def _own_addresses() -> list[bytes]:
    """The IPv4 addresses of this board in its networks."""
    import psutil

    return [
        socket.inet_aton(address.address)
        for addresses in psutil.net_if_addrs().values()
        for address in addresses
        if address.family == socket.AF_INET and not address.address.startswith("127.")
    ]
