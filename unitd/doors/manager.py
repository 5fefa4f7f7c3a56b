"""The owner of all doors: it makes, opens and closes the doors of `registry` that the configuration opens.

It also makes the objects that doors share: the certificate, the budget for unfinished input, the board's own tools.
"""

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unitd.core.config.exposure import (
    is_encrypted,
    unprotected_doors,
    warnings_of,
    with_hosts,
)
from unitd.core.config.schema import HomeSettings, PipelineSettings, Settings
from unitd.doors.base import Door, DoorContext, Server
from unitd.doors.listening import Network
from unitd.doors.pipelines import Pipeline
from unitd.doors.registry import DOORS
from unitd.doors.tls import Tls
from unitd.doors.unfinished import Unfinished
from unitd.runtime.models.store import ModelStore
from unitd.runtime.skills.actions import Action
from unitd.runtime.skills.lists import Lists
from unitd.runtime.status import Status
from unitd.runtime.sys.board import Line
from unitd.runtime.tasks.board_tools import Toolbox
from unitd.runtime.tasks.observers import TaskObservers
from unitd.runtime.tasks.skill_toolbox import NAME, SKILLS, SkillToolbox
from unitd.service.systemd import Activated
from unitd.wire.errors import ConfigError

if TYPE_CHECKING:
    from unitd.doors.home.opening import OpenHome

log = logging.getLogger("unitd")

# The door to a broker says goodbye when it is cancelled, which takes at most a second.
GOODBYE_SECONDS = 1.5


class DoorManager:
    """Every door of one daemon; `endpoints` has their addresses."""

    def __init__(
        self,
        server: Server,
        settings: Settings,
        *,
        observers: TaskObservers,
        live: Status,
        models: ModelStore,
        clock: Callable[[], float],
        activated: Activated,
    ) -> None:
        """Make the manager; a door with `activated` sockets opens none of its own."""
        self._server = server
        self.settings = settings
        self._observers = observers
        self._live = live
        live.count_connections(lambda: self.connections)
        self._models = models
        self._clock = clock
        self._activated = activated
        self._passed_hosts = {
            door: [each.getsockname()[0] for each in sockets if each.family != socket.AF_UNIX]
            for door, sockets in activated.items()
        }
        self.endpoints: dict[str, Any] = {}
        self._tls: Tls | None = None
        self._doors: Sequence[Door] = ()
        self._running: list[asyncio.Task[None]] = []
        self._home: OpenHome | None = None
        self.skill_actions: Mapping[str, Action] = {}
        """What skills may do with the home."""

        self.lists: Lists | None = None
        """Who keeps lists besides the board."""

        self._pipelines: dict[str, tuple[Pipeline, asyncio.Task[None]]] = {}
        self._group: asyncio.TaskGroup | None = None

    @property
    def connections(self) -> Mapping[str, int]:
        """Return how many clients are connected, by door."""
        return {name: count for door in self._doors for name, count in door.connections.items()}

    @property
    def line(self) -> Line | None:
        """Return the serial line; None without a serial door."""
        return next((door.line for door in self._doors if door.line is not None), None)

    # Before any task is there

    async def lock(self) -> None:
        """Load the tokens and the certificate, and check that no door is exposed more than the configuration permits.

        Raises:
            ConfigError: a door is, or a file cannot be used.
        """
        if missing := [f"{key} {words}" for key, words in unprotected_doors(self._reached)]:
            raise ConfigError("\n".join(missing))
        await self._server.access.load(self.settings)
        if (cert := self.settings.auth.tls_cert) and (key := self.settings.auth.tls_key):
            self._tls = await asyncio.to_thread(Tls, cert, key)

    async def open_tools(self) -> dict[str, Toolbox]:
        """Make the doors, which `open` opens. Return the board's own tools by name; they may use the door to a broker.

        Raises:
            ConfigError: a file cannot be used.
        """
        self._doors = self._made()
        if self.settings.home == HomeSettings():
            skills = SkillToolbox(self.settings.home)
            return {NAME: skills, SKILLS: skills}
        from unitd.doors.home.opening import open_home  # httpx and Jinja only where there are tools

        broker = next((door.broker for door in self._doors if door.broker is not None), None)
        self._home = home = await open_home(self.settings.home, broker)
        if broker is not None:
            broker.follow(home.state_topics)
        self.skill_actions, self.lists = home.skill_actions, home.lists
        return {NAME: home.toolbox, SKILLS: home.skills}

    def _made(self) -> Sequence[Door]:
        context = DoorContext(
            server=self._server,
            settings=self.settings,
            clock=self._clock,
            models=self._models,
            status=self._live,
            observers=self._observers,
            network=Network(),
            unfinished=Unfinished(self.settings.limits.unfinished),
            activated=self._activated,
            tls_for=self._context_for,
        )
        return [row.make(context) for row in DOORS.values() if row.is_open(self.settings)]

    # Opening

    async def open(self, group: asyncio.TaskGroup) -> None:
        """Open every door.

        Raises:
            ConfigError: one of them cannot be opened.
        """
        for door in self._doors:
            if (endpoint := await door.open()) is not None:
                self.endpoints[door.name] = endpoint
            self._running.append(group.create_task(door.run(), name=f"{door.name} door"))
        self._group = group
        self.change_pipelines(self.settings.pipeline)
        for name in self._activated.keys() - {door.name for door in self._doors}:
            log.warning("a socket was passed for %s, a door that the configuration closes: nobody answers there", name)
        self.warn()

    # While they are open

    async def reload(self, settings: Settings) -> None:
        """Read the tokens and the certificate again.

        Raises:
            ConfigError: a file cannot be used; the tokens and certificate from before stay.
        """
        auth = settings.auth
        if self._tls is not None and auth.tls_cert and auth.tls_key:
            await asyncio.to_thread(self._tls.load, auth.tls_cert, auth.tls_key)
        await self._server.access.load(settings)

    def change_connection_limit(self, limit: int) -> None:
        """Take at most so many clients of TCP and of the Unix socket from now on; those that are connected stay."""
        for door in self._doors:
            door.change_limit(limit)

    def change_pipelines(self, wanted: Sequence[PipelineSettings]) -> None:
        """End the pipelines that are no longer wanted, with their tasks, and start new ones; the others stay."""
        assert self._group is not None
        for name, (pipeline, running) in list(self._pipelines.items()):
            if pipeline.settings not in wanted:
                running.cancel()
                self._observers.leave(pipeline)
                pipeline.end()
                del self._pipelines[name]
        for settings in wanted:
            if settings.name not in self._pipelines:
                pipeline = Pipeline(self._server, settings)
                self._observers.follow(pipeline)
                running = self._group.create_task(pipeline.run(), name=f"pipeline {settings.name}")
                self._pipelines[settings.name] = (pipeline, running)

    def warn(self) -> None:
        """Log warnings about exposed doors, and when the certificate ends."""
        expiry = self._tls.warning(self._clock()) if self._tls else ""
        for words in (*warnings_of(self._reached, self._server.access.token_count), *filter(None, [expiry])):
            log.warning("%s", words)

    @property
    def _reached(self) -> Settings:
        """Return the settings with the addresses of the sockets that were passed."""
        return with_hosts(self.settings, self._passed_hosts)

    def _context_for(self, door: str) -> ssl.SSLContext | None:
        return self._tls.context if self._tls and is_encrypted(self._reached, door) else None

    # Closing

    def stop_listening(self) -> None:
        """Take no new clients and renew no pipelines; clients that are connected stay."""
        for door in self._doors:
            door.stop_accepting()
        for _, running in self._pipelines.values():
            running.cancel()

    async def close(self) -> None:
        """Close all doors at the same time, then the tools."""
        async with asyncio.TaskGroup() as group:
            for door in self._doors:
                group.create_task(door.close(), name=f"end of the {door.name} door")
        await _cancelled(self._running)
        if self._home is not None:
            await self._home.close()


async def _cancelled(tasks: Iterable[asyncio.Task[None]]) -> None:
    """End these tasks; cancel again where a library has swallowed it (`wait_for` before Python 3.12 may)."""
    pending = {task for task in tasks if not task.done()}
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=GOODBYE_SECONDS)
