"""The base of all doors: their life cycle, the objects that they share, and their clients as the daemon sees them."""

import socket
import ssl
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from unitd.core.access.grants import TRUSTED, Grant
from unitd.core.config.schema import Settings
from unitd.core.tasks.table import Client
from unitd.doors.listening import Network
from unitd.doors.unfinished import Unfinished
from unitd.runtime.metrics import Metrics
from unitd.runtime.models.store import ModelStore
from unitd.runtime.status import Status
from unitd.runtime.sys.access import Access
from unitd.runtime.sys.board import Line
from unitd.runtime.tasks.observers import TaskObservers
from unitd.wire.messages import Reply, Request


class Server(Protocol):
    """The daemon as a door sees it: requests go in by `serve`, replies come back to the client named with them."""

    @property
    def metrics(self) -> Metrics:
        """Return the counters of the daemon."""

    @property
    def access(self) -> Access:
        """Return what decides who may come in."""

    def serve(self, client: Client, request: Request) -> None:
        """Serve one request."""

    def forget_client(self, client: Client) -> None:
        """Cut what a client has asked for: the client is gone."""

    def when_answered(self, client: Client, then: Callable[[], None]) -> None:
        """Call `then` as soon as no request of this client is being worked on."""

    def entry_of(self, work_id: str) -> dict[str, Any] | None:
        """Return the row of a task in sys.lstask; None when there is no such task."""

    def outlives_its_owner(self, work_id: str) -> bool:
        """Return False for a task that ends with the client that set it up, and when there is none."""


class Commands(Protocol):
    """MQTT, as the board's tools use it."""

    async def command(self, topic: str, payload: bytes) -> bool:
        """Publish a message now or never. Return True once the broker has it."""

    def last_on(self, topic: str) -> bytes | None:
        """Return the last message on a topic that is followed; None when there was none."""


class Broker(Commands, Protocol):
    """The same, with the topics that must be followed; the manager sets them before the connection is made."""

    def follow(self, topics: Iterable[str]) -> None:
        """Remember the last values on these topics from now on."""


@dataclass(frozen=True)
class DoorContext:
    """The objects and settings that doors share; each door takes what it needs."""

    server: Server
    settings: Settings
    clock: Callable[[], float]
    models: ModelStore
    status: Status
    observers: TaskObservers
    network: Network
    unfinished: Unfinished
    activated: Mapping[str, Sequence[socket.socket]]
    """Listening sockets that were opened for the daemon, by the name of their door."""

    tls_for: Callable[[str], ssl.SSLContext | None]
    """Returns the TLS context of a door; None for one that speaks in the clear."""


class Door:
    """One way into the daemon, or out of it.

    `DoorManager` awaits `open`, starts `run` as a task, and at the end calls `stop_accepting`, awaits `close` and
    cancels `run`. A door overrides what it needs.
    """

    name: str

    line: Line | None = None
    """The serial line that `sys.uartsetup` changes; None for a door without one."""

    broker: Broker | None = None
    """The broker of the board's tools; None for a door without one."""

    @property
    def connections(self) -> Mapping[str, int]:
        """Return how many clients are connected, by the name under which they are counted."""
        return {self.name: 0}

    async def open(self) -> Any:
        """Take the door's addresses. Return them as `endpoints.json` has them; None for a door that listens nowhere.

        Raises:
            ConfigError: an address cannot be used.
        """
        return None

    async def run(self) -> None:
        """Serve until `close` or until cancelled; return at once where the event loop calls the door by itself."""

    def change_limit(self, limit: int) -> None:
        """Take at most so many clients (`tcp.max_connections`) from now on; those that are connected stay."""

    def stop_accepting(self) -> None:
        """Take no new clients; those that are connected stay."""

    async def close(self) -> None:
        """Say goodbye to all clients, with a time limit, and end the connections."""


class BaseClient:
    """A `core.tasks.table.Client`; each door overrides what is different for its clients."""

    keeps_tasks = True
    restores_tasks = False
    frame_interval = 0.0

    def __init__(self, name: str, door: str, *, grant: Grant = TRUSTED, address: str = "", party: str = "") -> None:
        """Make a client; `party` is what it counts as one with, if it does not count for itself."""
        self.name = name
        self.door = door
        self.grant = grant
        self.address = address
        self._party = party

    @property
    def party(self) -> str:
        """Return the name under which the client gets its share of an engine's time."""
        return self._party or self.name

    @property
    def is_gone(self) -> bool:
        """Return True once nothing that is sent can arrive."""
        return False

    def send(self, reply: Reply) -> None:
        """Send or queue one reply; never block, never raise."""
        raise NotImplementedError

    def admit(self, grant: Grant) -> Client:
        """Return the client that goes on after a token was shown: this one, where clients cannot change their owner."""
        return self

    def hold(self, reason: str, *, is_held: bool) -> None:
        """Do nothing: no requests are read ahead from this client."""

    async def wait_for_room(self) -> None:
        """Return at once: what is sent never waits for this client."""
