"""The door for Wyoming clients."""

import asyncio
import itertools
import logging
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from wyoming.error import Error
from wyoming.event import async_write_event
from wyoming.info import Info

from unitd.core.access.grants import network_of
from unitd.doors.base import Door, DoorContext
from unitd.doors.listening import Connections, Listener, bound
from unitd.doors.local_client import LocalClient
from unitd.doors.unfinished import Unfinished
from unitd.doors.wyoming.announcing import announce
from unitd.doors.wyoming.answering import Assistant
from unitd.doors.wyoming.info import describe
from unitd.doors.wyoming.session import Session
from unitd.wire.errors import ConfigError, TooLong

log = logging.getLogger("unitd.wyoming")

MAX_CLIENTS, TOLD = 256, 64
"""More than any house has satellites; each takes a descriptor and some memory. TOLD more get an error."""

EVENT_SECONDS = 120.0
"""From an event's first line to its last byte."""

MAX_DATA_BYTES = 512 * 1024
"""JSON of one event; the longest is a text to speak. A quarter of a million values are read within milliseconds."""

CLOSED_SECONDS = 1.0
"""Requests before the end of a client's input are answered for so long: `nc -N` closes its half and reads on."""

NO_EVENT = (EOFError, ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""The errors of the package's reader, which does not check its input, for bytes that are no event or half of one."""


class EventReader(asyncio.StreamReader):
    """A reader that limits the size of events, because the package trusts the length in a header."""

    def __init__(self, limit_bytes: int, unfinished: Unfinished) -> None:
        super().__init__()
        self.holder_name = "wyoming"
        self._limit_bytes = limit_bytes
        self._unfinished = unfinished
        self._unread_bytes = 0
        self._has_data = False
        """True when the bytes that are read next are JSON."""

        self.ended = asyncio.Event()
        """Set as soon as the client sends no more, also while earlier input has not been read."""

    def feed_data(self, data: Any) -> None:
        """Take bytes that have arrived."""
        super().feed_data(data)
        self._note(len(data))

    def feed_eof(self) -> None:
        """Note that the client has closed the connection."""
        super().feed_eof()
        self.ended.set()

    def set_exception(self, exc: Exception) -> None:
        """Note that the connection has broken."""
        super().set_exception(exc)
        self.ended.set()

    async def readline(self) -> bytes:
        """Return an event's first line, after other clients have been served: thousands of events may come at once."""
        await asyncio.sleep(0)
        line = await super().readline()
        self._has_data = b'"data_length"' in line
        self._note(-len(line))
        return line

    async def readexactly(self, n: int) -> bytes:
        """Return n bytes.

        Raises:
            TooLong: they are more than an event may have.
            TimeoutError: they did not arrive within EVENT_SECONDS.
        """
        limit = min(self._limit_bytes, MAX_DATA_BYTES) if self._has_data else self._limit_bytes
        self._has_data = False  # after it comes audio
        if n > limit:
            raise TooLong(f"an event of {n} bytes")
        async with asyncio.timeout(EVENT_SECONDS):
            read = await super().readexactly(n)
        self._note(-n)
        return read

    def give_up_unfinished(self) -> None:
        """End the connection, whose unfinished event is the largest of all clients."""
        self.set_exception(TooLong("too much is being sent at the same time"))

    def close(self) -> None:
        """Release the budget for unfinished events."""
        self._unfinished.hold(self, 0)

    def _note(self, more: int) -> None:
        self._unread_bytes += more
        self._unfinished.hold(self, self._unread_bytes)


class WyomingDoor(Door):
    """The door, with a session for each client."""

    name = "wyoming"

    def __init__(self, context: DoorContext) -> None:
        settings = context.settings
        assert settings.wyoming is not None
        self._server = context.server
        self._models = context.models
        self._settings = settings.wyoming
        self._node = settings.mqtt.node if settings.mqtt else socket.gethostname()
        self._reader = partial(EventReader, settings.limits.frame_bytes, context.unfinished)
        self._assistant = Assistant(self._settings.system_prompt, settings.home)
        self._numbers = itertools.count(1)
        self._sessions: dict[asyncio.Task[None], str] = {}
        """Each with the network that its client came from."""

        self._accepted = Connections("wyoming", MAX_CLIENTS, context.server.access, context.network, told=TOLD)
        self._listeners: Sequence[Listener] = ()
        self._serving: list[asyncio.Server] = []

    @property
    def connections(self) -> Mapping[str, int]:
        """Return how many clients are connected."""
        return {self.name: len(self._sessions)}

    async def open(self) -> list[str | int]:
        """Listen. Return the real address.

        Raises:
            ConfigError: the address cannot be listened on.
        """
        host, port = self._settings.host, self._settings.port
        try:
            self._listeners = await bound(self._accepted, host, port)
            for each in self._listeners:
                self._serving.append(await asyncio.get_running_loop().create_server(self._protocol, sock=each))
        except OSError as error:
            raise ConfigError(f"wyoming: cannot listen on {host}:{port}: {error.strerror}") from error
        return list(self._listeners[0].getsockname()[:2])

    async def run(self) -> None:
        """Announce the door until cancelled; then end all sessions."""
        try:
            await announce(self._node, self._listeners)
        finally:
            for serving in self._serving:
                serving.close()
            for task in list(self._sessions):
                task.cancel()
            if self._sessions:
                await asyncio.wait(self._sessions)

    def _protocol(self) -> asyncio.StreamReaderProtocol:
        reader = self._reader()
        return asyncio.StreamReaderProtocol(reader, lambda _, writer: self._serve(reader, writer))

    async def _serve(self, reader: EventReader, writer: asyncio.StreamWriter) -> None:
        """Serve a client in a separate task: asyncio's own task of the connection must not be cancelled."""
        host, number = writer.get_extra_info("peername")[0], next(self._numbers)
        if refusal := self._refusal(host):
            with suppress(OSError):
                await async_write_event(Error(text=refusal, code="Unavailable").event(), writer)
            writer.close()
            reader.close()
            return
        local_client = LocalClient(self._server, f"wyoming {host} {number}", "wyoming")
        session = Session(reader, writer, local_client, self._settings, self._assistant, self._models, self._describe)
        task = asyncio.get_running_loop().create_task(self._talk(session, local_client), name=local_client.name)
        self._sessions[task] = network_of(host)
        ended = asyncio.get_running_loop().create_task(reader.ended.wait(), name=f"end of {local_client.name}")
        # A session that waits for an answer does not read, so it does not notice that its client has closed.
        await asyncio.wait([task, ended], return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        await asyncio.wait([task], timeout=CLOSED_SECONDS)
        task.cancel()
        await asyncio.wait([task])
        del self._sessions[task]
        reader.close()

    def _refusal(self, address: str) -> str:
        """Return the reason why a new client is refused; "" when it may stay."""
        if len(self._sessions) >= MAX_CLIENTS:
            return f"{MAX_CLIENTS} clients are connected already"
        open_now = list(self._sessions.values()).count(network_of(address))
        is_taken = self._server.access.may_connect(address, open_now)
        return "" if is_taken else f"{open_now} clients of this address are connected already"

    @staticmethod
    async def _talk(session: Session, local_client: LocalClient) -> None:
        try:
            await session.run()
        except (OSError, TooLong, *NO_EVENT) as error:
            log.info("%s is sent away: %r", local_client.name, error)

    async def _describe(self) -> Info:
        """Return the present offer: models are installed and removed."""
        catalog = await self._models.catalog()
        switches_things = self._assistant.switches_things
        return describe(self._node, catalog, self._settings.wake_words, switches_things=switches_things)
