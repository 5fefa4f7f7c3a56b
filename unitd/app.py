"""The composition root: builds every object, opens the doors, and takes everything down in order.

One task group holds whatever runs: children, slow answers, the serial line. What escapes from one of its tasks stops
the daemon with a traceback; a service manager starts it again.
"""

import asyncio
import importlib.metadata
import logging
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unitd import __version__
from unitd.core.catalog import Card
from unitd.core.config import HomeSettings, MqttSettings, Settings, WyomingSettings
from unitd.core.kinds import BUILTIN_KINDS, UnitKind, third_party_kind
from unitd.core.openness import warnings_of
from unitd.core.registry import Client, Registry
from unitd.doors.guest import Guest
from unitd.doors.logs import set_level
from unitd.doors.pipelines import Pipeline
from unitd.doors.streams import TCP_IDLE_SECONDS, StreamDoor
from unitd.doors.systemd import Activated, Service
from unitd.doors.talk import TalkSettings
from unitd.runtime.actions import Actions
from unitd.runtime.desk import AudioDesk
from unitd.runtime.dispatcher import Dispatcher
from unitd.runtime.journal import Journal
from unitd.runtime.live import Live
from unitd.runtime.logbook import Logbook
from unitd.runtime.meters import Meters
from unitd.runtime.reload import Apply, take_over
from unitd.runtime.roster import Roster
from unitd.runtime.shelf import Shelf
from unitd.runtime.sound import Sound
from unitd.runtime.state import StateDir
from unitd.runtime.supervisor import Supervisor
from unitd.runtime.switchboard import Switchboard
from unitd.runtime.system import System
from unitd.runtime.tooluse import Toolbox
from unitd.runtime.turns import Turns
from unitd.runtime.watch import Watch
from unitd.runtime.work import Work
from unitd.wire.envelope import ENTRY_POINT_GROUP
from unitd.wire.errors import ConfigError
from unitd.wire.messages import Request

if TYPE_CHECKING:
    from unitd.doors.http.door import HttpDoor
    from unitd.doors.mqtt.bridge import Bridge
    from unitd.doors.toolbox import HomeToolbox

log = logging.getLogger("unitd")

STOP_TIMEOUT_SECONDS = 5.0
# A bridge says goodbye to its broker, which takes a second at the most.
GOODBYE_SECONDS = 1.5
# At 115200 baud this much output is under six seconds old when it arrives.
SERIAL_OUTBOX_BYTES = 64 * 1024


def unit_argv(unit: str) -> Sequence[str]:
    """The command line of a unit program; the channel's file descriptor is appended."""
    return (sys.executable, "-m", "units", unit)


@dataclass(frozen=True)
class Places:
    """Folders that come with the program."""

    bundled_models: Path
    model_cards: Path


class _Stopped(Exception):
    """Raised in the task group's body to end what still runs in it."""


class App:
    """The daemon. `run` serves until `stop` is called; `endpoints` is filled when `started` is set."""

    def __init__(
        self,
        settings: Settings,
        places: Places,
        *,
        argv_for: Callable[[str], Sequence[str]] = unit_argv,
        clock: Callable[[], float] = time.time,
        service: Service | None = None,
        activated: Activated | None = None,
    ) -> None:
        """`service` is told how the daemon stands; `activated` sockets are used where a door would open its own."""
        self._settings = settings
        self._service = service or Service()
        self._activated = dict(activated or {})
        self._clock = clock
        self.endpoints: dict[str, Any] = {}
        self.started = asyncio.Event()
        self._stopping = asyncio.Event()
        self._state = StateDir(settings.state.dir)
        self._kinds = _all_kinds()
        self._registry = Registry(settings.limits.tasks)
        self.meters = Meters()
        self._watch = Watch()
        self._toolboxes: dict[str, Toolbox] = {}
        self._journal = Journal(settings.state.dir / "journal.sqlite", lambda work_id: self._roster.entry_of(work_id))
        self._watch.follow(self._journal)
        self._supervisor = Supervisor(argv_for, self._load_for, self.meters, settings.models.idle_s)
        self._shelf = shelf = Shelf(
            folders=settings.models.dir,
            bundled_folder=places.bundled_models,
            cards_folder=places.model_cards,
            default_llm=settings.llm.model,
            llm_url=settings.llm.url,
        )
        works: dict[str, Work] = {}
        turns = Turns(self.meters)
        sound = Sound(self._supervisor, settings.audio, works.values, turns)
        self._desk = AudioDesk(sound)
        switchboard = Switchboard(self._registry, works, sound, turns)
        self._roster = Roster(
            kinds=self._kinds,
            registry=self._registry,
            supervisor=self._supervisor,
            shelf=shelf,
            counter=self._state,
            clock=clock,
            queue_limit=settings.llm.queue,
            works=works,
            switchboard=switchboard,
            watch=self._watch,
            toolboxes=self._toolboxes,
            journal=self._journal,
        )
        self._actions = Actions(self._kinds, self._registry, self._roster, switchboard, self._watch)
        self._system = System(
            roster=self._roster,
            registry=self._registry,
            supervisor=self._supervisor,
            sound=sound,
            desk=self._desk,
            models=shelf,
            files_dir=self._state.files,
            allowed=settings.sys.allow,
            unit_versions=lambda: [f"unitd_{kind}-{__version__}" for kind in sorted(self._kinds)],
        )
        self._logbook = Logbook()
        sys_handlers = self._system.handlers | self._logbook.handlers
        self._dispatcher = Dispatcher(
            self._kinds, self._actions.handlers, sys_handlers, self._desk.handlers, self.meters
        )
        self._doors: list[StreamDoor] = []
        self._http: HttpDoor | None = None
        self._home: HomeToolbox | None = None
        self._bridge: Bridge | None = None
        self._bridges: list[asyncio.Task[None]] = []
        """Doors that call others: they say goodbye when they are cancelled."""

        self._pipelines: list[asyncio.Task[None]] = []
        self._connections: dict[str, Callable[[], int]] = {}
        self._reloads: dict[str, Apply] = {
            "log.level": lambda new: set_level(new.log.level),
            "models.dir": lambda new: setattr(shelf, "folders", new.models.dir),
            "models.idle_s": lambda new: setattr(self._supervisor, "idle_seconds", new.models.idle_s),
            "limits.tasks": lambda new: setattr(self._registry, "limit", new.limits.tasks),
            "tcp.max_connections": self._change_connection_limit,
        }
        self._board_guest = Guest(self, "the board itself", "inside", keeps_tasks=True)
        self._began = time.monotonic()

    # What doors need behind them

    def serve(self, client: Client, request: Request) -> None:
        """Serves one request of a client."""
        self._dispatcher.serve(client, request)

    def forget_client(self, client: Client) -> None:
        """A client is gone."""
        for end in self._roster.forget_client(client):
            self._dispatcher.see_through(end)
        self._desk.forget_client(client)

    def entry_of(self, work_id: str) -> dict[str, Any] | None:
        """What sys.lstask says of a task; None when there is none."""
        return next((work.entry for work in self._roster.works if work.task.work_id == work_id), None)

    def when_answered(self, client: Client, then: Callable[[], None]) -> None:
        """Calls back once nothing of this client is being worked on."""
        self._dispatcher.when_answered(client, then)

    # Life

    def reload(self, settings: Settings) -> None:
        """Takes over what can change while the daemon runs; the log says what cannot."""
        self._settings = take_over(self._settings, settings, self._reloads)
        self._warn()
        self.tell_ready()

    def _change_connection_limit(self, settings: Settings) -> None:
        for door in self._doors:
            door.max_connections = settings.tcp.max_connections

    def tell_ready(self) -> None:
        """Tells the service manager that clients can come, and where."""
        self._service.ready(", ".join(f"{door} {at}" for door, at in self.endpoints.items()))

    def stop(self) -> None:
        """Asks for an ordered end; safe to call twice and from a signal handler."""
        self._stopping.set()

    async def run(self) -> None:
        """Serves until `stop`.

        Raises:
            ConfigError: a door cannot be opened or the state directory not be used.
        """
        self._registry.next_number = await asyncio.to_thread(self._state.open)
        self._logbook.open()
        try:
            async with asyncio.TaskGroup() as group:
                self._supervisor.open(group)
                self._dispatcher.open(group)
                watchdog = group.create_task(self._service.feed_watchdog(), name="watchdog")
                try:
                    await self._open_tools(group)  # tasks that come back may use them
                    if self._settings.state.restore:
                        await self._roster.restore(await self._journal.open())
                    await self._open_doors(group)
                    await self._state.write_endpoints(self.endpoints)
                    log.info("ready: %s", ", ".join(f"{door} {at}" for door, at in self.endpoints.items()))
                    self.started.set()
                    self.tell_ready()
                    await self._stopping.wait()
                    self._service.stopping()
                finally:
                    await self._shut_down()
                    watchdog.cancel()
                raise _Stopped
        except* _Stopped:
            log.info("stopped")
        except* ConfigError as errors:
            raise errors.exceptions[0] from None
        finally:
            self._logbook.close()
            self._state.close()

    async def _open_doors(self, group: asyncio.TaskGroup) -> None:
        settings = self._settings
        if settings.unix.enabled:
            path = settings.unix.path or settings.state.dir / "unitd.sock"
            self.endpoints["unix"] = await self._stream_door("unix").open_unix(path, self._activated.pop("unix", ()))
        if settings.tcp.enabled:
            host, port, activated = settings.tcp.host, settings.tcp.port, self._activated.pop("tcp", ())
            self.endpoints["tcp"] = list(await self._stream_door("tcp").open_tcp(host, port, activated))
        if settings.serial is not None:
            from unitd.doors.serial import SERIAL_IDLE_SECONDS, SerialDoor  # pyserial only where there is a line

            outbox_bytes = min(settings.limits.outbox_bytes, SERIAL_OUTBOX_BYTES)
            talk = self._talk_settings("serial", outbox_bytes, SERIAL_IDLE_SECONDS, is_raw_line=True)
            serial_door = SerialDoor(self, talk, settings.serial)
            self._system.line = serial_door
            self._connections["serial"] = lambda: int(serial_door.is_open)
            group.create_task(serial_door.run(), name="serial door")
            await serial_door.was_tried.wait()
            self.endpoints["serial"] = settings.serial.device
        if settings.http.enabled:
            self.endpoints["http"] = self._open_http(group)
        if settings.mqtt is not None:
            self._open_mqtt(settings.mqtt, group)
        if settings.wyoming is not None:
            self.endpoints["wyoming"] = await self._open_wyoming(settings.wyoming, group)
        for each in settings.pipeline:
            pipeline = Pipeline(self, each)
            self._watch.follow(pipeline)
            self._pipelines.append(group.create_task(pipeline.run(), name=f"pipeline {each.name}"))
        for name in self._activated:
            log.warning("a socket was passed for %s, a door that the configuration closes: nobody answers there", name)
        self._warn()

    def _warn(self) -> None:
        for words in warnings_of(self._settings):
            log.warning("%s", words)

    async def _open_wyoming(self, settings: WyomingSettings, group: asyncio.TaskGroup) -> list[str | int]:
        """The services of Home Assistant's voice pipeline."""
        try:
            from unitd.doors.wyoming.door import WyomingDoor  # the package only where it is wanted
        except ModuleNotFoundError as error:
            raise ConfigError(f"wyoming needs {error.name}: pip install 'unitd[wyoming]'") from error

        door = WyomingDoor(self, settings, self._node)
        self._connections["wyoming"] = lambda: door.connections
        address = await door.open()
        self._bridges.append(group.create_task(door.run(), name="wyoming door"))
        return address

    @property
    def _node(self) -> str:
        """What the board is called in its network."""
        return self._settings.mqtt.node if self._settings.mqtt else socket.gethostname()

    async def _open_tools(self, group: asyncio.TaskGroup) -> None:
        """The bridge to a broker, which is connected with the doors, and what can be switched by it."""
        if self._settings.mqtt is not None:
            self._bridge = self._make_bridge(self._settings.mqtt)
        if self._settings.home != HomeSettings():
            from unitd.doors.toolbox import NAME, open_toolbox, start_in

            self._home = toolbox = await open_toolbox(self._settings.home, self._bridge, start_in(group))
            self._toolboxes[NAME] = toolbox
            if self._bridge is not None:
                self._bridge.follow(toolbox.state_topics)

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
        bridge = Bridge(self, board, self._clock, self._settings.limits.frame_bytes)
        self._watch.follow(bridge)
        return bridge

    async def _stats(self) -> dict[str, Any]:
        """How the board is, for those who show it."""
        measured = (await self._board_guest.ask("sys", "hwinfo")).data
        return {
            "cpu_percent": measured["cpu_loadavg"],
            "memory_percent": measured["mem"],
            "temperature": measured["temperature"] / 1000,
            "uptime_s": round(time.monotonic() - self._began),
            "version": __version__,
        }

    def _open_http(self, group: asyncio.TaskGroup) -> list[Any]:
        """Opens the HTTP door; returns its address, or its addresses when it has several ports."""
        from unitd.doors.http.desk import Desk, Seats  # starlette and uvicorn only where the door is open
        from unitd.doors.http.door import HttpDoor

        settings, seats = self._settings, Seats(self._settings.http.connections)
        live = Live(lambda: self._roster.works, lambda: self._supervisor.children, self._connections)
        desk = Desk(self, settings, seats, self._clock, self._shelf, live)
        self._reloads["http.api_key"] = lambda new: desk.change_key(new.http.api_key)
        self._http = door = HttpDoor(desk)
        self._connections |= {"http": lambda: door.connections - seats.active, "ws": lambda: seats.active}
        addresses = door.bind(self._activated.pop("http", ()))
        group.create_task(door.run(), name="http door")
        return addresses if len(addresses) > 1 else addresses[0]

    def _stream_door(self, name: str) -> StreamDoor:
        talk = self._talk_settings(name, self._settings.limits.outbox_bytes, TCP_IDLE_SECONDS)
        door = StreamDoor(self, talk, self._settings.tcp.max_connections)
        self._doors.append(door)
        self._connections[name] = lambda: len(door.talks)
        return door

    def _talk_settings(
        self, door: str, outbox_bytes: int, idle_seconds: float, *, is_raw_line: bool = False
    ) -> TalkSettings:
        return TalkSettings(
            door=door,
            frame_bytes=self._settings.limits.frame_bytes,
            outbox_bytes=outbox_bytes,
            idle_seconds=idle_seconds,
            clock=self._clock,
            is_ascii=is_raw_line,
            is_lossy=is_raw_line,
        )

    async def _shut_down(self) -> None:
        """Stop accepting, finish what runs, stop the children, hang up."""
        await self._state.remove_endpoints()
        for door in self._doors:
            door.stop_listening()
        for pipeline in self._pipelines:
            pipeline.cancel()
        await self._journal.close()
        try:
            async with asyncio.timeout(STOP_TIMEOUT_SECONDS):
                await self._roster.end_all()
        except TimeoutError:
            log.warning("tasks did not end within %.0f s", STOP_TIMEOUT_SECONDS)
        await self._supervisor.stop()
        await _cancelled(self._bridges)
        for door in self._doors:
            await door.hang_up()
        if self._http is not None:
            await self._http.stop()
        if self._home is not None:
            await self._home.close()

    def _load_for(self, card: Card) -> dict[str, Any]:
        """What a unit program is told first: its model, and its unit's settings."""
        path = card.path or (None if card.is_bundled else card.place)
        load: dict[str, Any] = {"model": card.name, "engine": card.engine, "path": str(path or "")}
        load["engine_options"] = card.engine_options
        if card.unit == "llm":
            llm = self._settings.llm
            load |= {
                "slots": llm.slots,
                "context": llm.context,
                "threads": llm.threads,
                "cache_dir": str(self._state.cache),
                "exact": card.exact if llm.exact is None else llm.exact,
            }
        return load


async def _cancelled(tasks: list[asyncio.Task[None]]) -> None:
    """Ends them; again, where a library has swallowed the cancel (`wait_for` before Python 3.12 may)."""
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=GOODBYE_SECONDS)


def _all_kinds() -> dict[str, UnitKind]:
    """The built-in kinds and those that installed packages register."""
    found = importlib.metadata.entry_points(group=ENTRY_POINT_GROUP)
    return {point.name: third_party_kind(point.name) for point in found} | BUILTIN_KINDS
