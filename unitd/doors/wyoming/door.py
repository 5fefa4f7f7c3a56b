"""Listens for Wyoming clients."""

import asyncio
import itertools
import logging
from functools import partial

from wyoming.info import Info

from unitd.core.config import HomeSettings, WyomingSettings
from unitd.doors.guest import Guest
from unitd.doors.server import Server
from unitd.doors.wyoming.announcing import announce
from unitd.doors.wyoming.answering import Mind
from unitd.doors.wyoming.info import describe
from unitd.doors.wyoming.session import Session
from unitd.wire.errors import ConfigError, TooLong

log = logging.getLogger("unitd.wyoming")

NO_EVENT = (EOFError, ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What the package's reader, which trusts its bytes, makes of those that are no event, or of half of one."""


class _Reader(asyncio.StreamReader):
    """Reads no event that is longer than a frame may be: the package takes a header's word for the length."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__()
        self._limit_bytes = limit_bytes

    async def readexactly(self, n: int) -> bytes:
        """Raises TooLong before the first byte."""
        if n > self._limit_bytes:
            raise TooLong(f"an event of {n} bytes")
        return await super().readexactly(n)


class WyomingDoor:
    """Serves until cancelled."""

    def __init__(
        self, server: Server, settings: WyomingSettings, home: HomeSettings, node: str, frame_bytes: int
    ) -> None:
        self._server = server
        self._settings = settings
        self._node = node
        self._frame_bytes = frame_bytes
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
            self._listener = await asyncio.get_running_loop().create_server(self._protocol, host, port)
        except OSError as error:
            raise ConfigError(f"wyoming: cannot listen on {host}:{port}: {error.strerror}") from error
        return list(self._listener.sockets[0].getsockname()[:2])

    async def run(self) -> None:
        """Announces itself, and stays until cancelled; then everybody is sent away."""
        assert self._listener is not None
        try:
            await announce(self._node, self._listener)
        finally:
            self._listener.close()
            for task in list(self._sessions):
                task.cancel()
            if self._sessions:
                await asyncio.wait(self._sessions)

    def _protocol(self) -> asyncio.StreamReaderProtocol:
        return asyncio.StreamReaderProtocol(_Reader(self._frame_bytes), self._serve)

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
        except (OSError, TooLong, *NO_EVENT) as error:
            log.info("%s is sent away: %r", guest.name, error)

    async def _describe(self, guest: Guest) -> Info:
        models = (await guest.ask("sys", "lsmode")).data
        return describe(models, self._settings.wake_words, switches_things=self._mind.switches_things)
