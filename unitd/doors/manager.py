"""All doors: opened as the configuration says, each with its library only then, and closed in order.

What a door needs beside the daemon is made here: the certificate, the bridge to a broker, the board's own tools.
"""

import asyncio
import logging
import socket
import ssl
import time
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from unitd import __version__
from unitd.core.config.exposure import (
    is_encrypted,
    missing_locks,
    warnings_of,
    with_hosts,
)
from unitd.core.config.schema import (
    HomeSettings,
    MqttSettings,
    PipelineSettings,
    SerialSettings,
    Settings,
    WyomingSettings,
)
from unitd.doors.listening import Network
from unitd.doors.local_client import LocalClient
from unitd.doors.pipelines import Pipeline
from unitd.doors.server import Server
from unitd.doors.stream.door import TCP_IDLE_SECONDS, StreamDoor
from unitd.doors.stream.protocol import StreamSettings
from unitd.doors.tls import Tls
from unitd.doors.unfinished import Unfinished
from unitd.runtime.models.store import ModelStore
from unitd.runtime.status import Status
from unitd.runtime.sys.board import Line
from unitd.runtime.tasks.observers import TaskObservers
from unitd.runtime.tasks.tool_loop import Toolbox
from unitd.service.systemd import Activated
from unitd.wire.errors import ConfigError

if TYPE_CHECKING:
    from unitd.doors.home.toolbox import HomeToolbox
    from unitd.doors.http.door import HttpDoor
    from unitd.doors.mqtt.bridge import Bridge

log = logging.getLogger("unitd")

# A bridge says goodbye to its broker, which takes a second at the most.
GOODBYE_SECONDS = 1.5
# At 115200 baud this much output is under six seconds old when it arrives.
SERIAL_OUTBOX_BYTES = 64 * 1024


class DoorManager:
    """Every door of one daemon; `endpoints` is where they are."""

    def __init__(
        self,
        server: Server,
        settings: Settings,
        *,
        observers: TaskObservers,
        live: Status,
        connections: MutableMapping[str, Callable[[], int]],
        models: ModelStore,
        clock: Callable[[], float],
        activated: Activated,
    ) -> None:
        """`activated` sockets are used where a door would open its own; `connections` is told how to count them."""
        self._server = server
        self.settings = settings
        self._observers = observers
        self._live = live
        self._connections = connections
        self._models = models
        self._clock = clock
        self._activated = dict(activated)
        self._passed_hosts = {
            door: [each.getsockname()[0] for each in sockets if each.family != socket.AF_UNIX]
            for door, sockets in activated.items()
        }
        self._network = Network()
        self._unfinished = Unfinished(settings.limits.unfinished)
        self.endpoints: dict[str, Any] = {}
        self.line: Line | None = None
        self._tls: Tls | None = None
        self._streams: list[StreamDoor] = []
        self._http: HttpDoor | None = None
        self._home: HomeToolbox | None = None
        self._bridge: Bridge | None = None
        self._bridges: list[asyncio.Task[None]] = []
        """Doors that call others: they say goodbye when they are cancelled."""

        self._pipelines: dict[str, tuple[Pipeline, asyncio.Task[None]]] = {}
        self._group: asyncio.TaskGroup | None = None
        self._board_guest = LocalClient(server, "the board itself", "inside", keeps_tasks=True)
        self._began = time.monotonic()

    # Before any task is there

    async def lock(self) -> None:
        """The tokens, and the certificate; no door opens wider than the configuration says.

        Raises:
            ConfigError: one would, or a file cannot be used.
        """
        if missing := [f"{key} {words}" for key, words in missing_locks(self._reached)]:
            raise ConfigError("\n".join(missing))
        await self._server.access.load(self.settings)
        if (cert := self.settings.auth.tls_cert) and (key := self.settings.auth.tls_key):
            self._tls = await asyncio.to_thread(Tls, cert, key)

    async def open_tools(self, toolboxes: MutableMapping[str, Toolbox], group: asyncio.TaskGroup) -> None:
        """The bridge to a broker, which is connected with the doors, and what can be switched by it."""
        if self.settings.mqtt is not None:
            self._bridge = self._make_bridge(self.settings.mqtt)
        if self.settings.home != HomeSettings():
            from unitd.doors.home.toolbox import NAME, open_toolbox, start_in

            self._home = toolbox = await open_toolbox(self.settings.home, self._bridge, start_in(group))
            toolboxes[NAME] = toolbox
            if self._bridge is not None:
                self._bridge.follow(toolbox.state_topics)

    # Opening

    async def open(self, group: asyncio.TaskGroup) -> None:
        """Opens every door.

        Raises:
            ConfigError: one of them cannot be opened.
        """
        settings = self.settings
        if settings.unix.enabled:
            path = settings.unix.path or settings.state.dir / "unitd.sock"
            door = self._stream_door("unix", settings.unix.frame_interval_ms)
            self.endpoints["unix"] = await door.open_unix(path, self._activated.pop("unix", ()))
        if settings.tcp.enabled:
            host, port, activated = settings.tcp.host, settings.tcp.port, self._activated.pop("tcp", ())
            door = self._stream_door("tcp", settings.tcp.frame_interval_ms)
            tls = self._context_for("tcp")
            self.endpoints["tcp"] = list(await door.open_tcp(host, port, self._network, activated, tls))
        if settings.serial is not None:
            await self._open_serial(settings.serial, group)
        if settings.http.enabled:
            self.endpoints["http"] = self._open_http(group)
        if settings.mqtt is not None:
            self._open_mqtt(settings.mqtt, group)
        if settings.wyoming is not None:
            self.endpoints["wyoming"] = await self._open_wyoming(settings.wyoming, group)
        self._group = group
        self.change_pipelines(settings.pipeline)
        for name in self._activated:
            log.warning("a socket was passed for %s, a door that the configuration closes: nobody answers there", name)
        self.warn()

    async def _open_serial(self, settings: SerialSettings, group: asyncio.TaskGroup) -> None:
        """The line is tried before anybody is told that the daemon is ready."""
        from unitd.doors.stream.serial import SERIAL_IDLE_SECONDS, SerialDoor  # pyserial only where there is a line

        outbox_bytes = min(self.settings.limits.outbox_bytes, SERIAL_OUTBOX_BYTES)
        talk = self._talk_settings("serial", outbox_bytes, SERIAL_IDLE_SECONDS, is_raw_line=True)
        self.line = door = SerialDoor(self._server, talk, settings)
        self._connections["serial"] = lambda: int(door.is_open)
        group.create_task(door.run(), name="serial door")
        await door.was_tried.wait()
        self.endpoints["serial"] = settings.device

    def _open_http(self, group: asyncio.TaskGroup) -> list[Any]:
        """Returns the door's address, or its addresses when it has several ports."""
        from unitd.doors.http.context import (  # starlette and uvicorn only where the door is open
            ConnectionSlots,
            HttpContext,
        )
        from unitd.doors.http.door import HttpDoor

        seats = ConnectionSlots(self.settings.http.connections)
        context = HttpContext(
            self._server, self.settings, seats, self._clock, self._models, self._live, self._unfinished
        )
        self._http = door = HttpDoor(context, self._network, self._context_for("http"))
        self._connections.update(http=lambda: door.connections - seats.active, ws=lambda: seats.active)
        addresses = door.bind(self._activated.pop("http", ()))
        group.create_task(door.run(), name="http door")
        return addresses if len(addresses) > 1 else addresses[0]

    def _open_mqtt(self, settings: MqttSettings, group: asyncio.TaskGroup) -> None:
        """Connects when the broker is there."""
        from unitd.doors.mqtt.door import MqttDoor  # aiomqtt only where there is a broker

        assert self._bridge is not None
        door = MqttDoor(settings, self._bridge, self._stats)
        self._connections["mqtt"] = lambda: int(door.is_connected)
        self._bridges.append(group.create_task(door.run(), name="mqtt door"))

    def _make_bridge(self, settings: MqttSettings) -> "Bridge":
        from unitd.doors.mqtt.bridge import Bridge
        from unitd.doors.mqtt.homeassistant import Board

        board = Board(settings.node, f"unitd/{settings.node}", settings.discovery_prefix, __version__)
        frame_bytes = self.settings.limits.frame_bytes
        bridge = Bridge(self._server, board, self._clock, frame_bytes, self._unfinished)
        self._observers.follow(bridge)
        return bridge

    async def _open_wyoming(self, settings: WyomingSettings, group: asyncio.TaskGroup) -> list[str | int]:
        """The services of Home Assistant's voice pipeline."""
        from unitd.doors.wyoming.door import EventReader, WyomingDoor  # the package only where it is wanted

        node = self.settings.mqtt.node if self.settings.mqtt else socket.gethostname()
        reader = partial(EventReader, self.settings.limits.frame_bytes, self._unfinished)
        door = WyomingDoor(self._server, self._models, settings, self.settings.home, node, reader, self._network)
        self._connections["wyoming"] = lambda: door.connections
        address = await door.open()
        self._bridges.append(group.create_task(door.run(), name="wyoming door"))
        return address

    def _stream_door(self, name: str, frame_interval_ms: int) -> StreamDoor:
        talk = self._talk_settings(name, self.settings.limits.outbox_bytes, TCP_IDLE_SECONDS)
        talk = replace(talk, frame_interval=frame_interval_ms / 1000)
        door = StreamDoor(self._server, talk, self.settings.tcp.max_connections)
        self._streams.append(door)
        self._connections[name] = lambda: len(door.talks)
        return door

    def _talk_settings(
        self, door: str, outbox_bytes: int, idle_seconds: float, *, is_raw_line: bool = False
    ) -> StreamSettings:
        return StreamSettings(
            door=door,
            frame_bytes=self.settings.limits.frame_bytes,
            outbox_bytes=outbox_bytes,
            idle_seconds=idle_seconds,
            clock=self._clock,
            unfinished=self._unfinished,
            is_ascii=is_raw_line,
            is_lossy=is_raw_line,
        )

    # While they are open

    async def reload(self, settings: Settings) -> None:
        """The tokens and the certificate are read again.

        Raises:
            ConfigError: one of the files cannot be used; what counted before counts on.
        """
        auth = settings.auth
        if self._tls is not None and auth.tls_cert and auth.tls_key:
            await asyncio.to_thread(self._tls.load, auth.tls_cert, auth.tls_key)
        await self._server.access.load(settings)

    def change_connection_limit(self, limit: int) -> None:
        """So many clients of TCP and of the Unix socket from now on; who is in stays in."""
        for door in self._streams:
            door.change_limit(limit)

    def change_pipelines(self, wanted: Sequence[PipelineSettings]) -> None:
        """Those that are no longer wanted end with their tasks, new ones begin, the others stay as they are."""
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
        """Says in the log what is open, and when the certificate ends."""
        expiry = self._tls.warning(self._clock()) if self._tls else ""
        for words in (*warnings_of(self._reached, self._server.access.token_count), *filter(None, [expiry])):
            log.warning("%s", words)

    @property
    def _reached(self) -> Settings:
        """The settings with the addresses of the sockets that were passed."""
        return with_hosts(self.settings, self._passed_hosts)

    def _context_for(self, door: str) -> ssl.SSLContext | None:
        return self._tls.context if self._tls and is_encrypted(self._reached, door) else None

    async def _stats(self) -> dict[str, Any]:
        """How the board is, for those who show it."""
        measured = (await self._board_guest.ask("sys", "hwinfo")).data
        return {
            "cpu_percent": measured["cpu_loadavg"],
            "memory_percent": measured["mem"],
            "temperature": measured["temperature"] / 1000 or None,  # 0: there is no sensor
            "uptime_s": round(time.monotonic() - self._began),
            "version": __version__,
        }

    # Closing

    def stop_listening(self) -> None:
        """No new clients, no more boot pipelines; who is here stays."""
        for door in self._streams:
            door.stop_listening()
        for _, running in self._pipelines.values():
            running.cancel()
        if self._bridge is not None:
            self._bridge.close()

    async def close(self) -> None:
        """Everybody is told what there is to tell, and hung up on."""
        await _cancelled(self._bridges)
        for door in self._streams:
            await door.hang_up()
        if self._http is not None:
            await self._http.stop()
        if self._home is not None:
            await self._home.close()


async def _cancelled(tasks: list[asyncio.Task[None]]) -> None:
    """Ends them; again, where a library has swallowed the cancel (`wait_for` before Python 3.12 may)."""
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=GOODBYE_SECONDS)
