"""The composition root: builds every object, opens the doors, and takes everything down in order.

One task group holds whatever runs: children, slow answers, the serial line. What escapes from one of its tasks stops
the daemon with a traceback; a service manager starts it again.
"""

import asyncio
import importlib.metadata
import logging
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unitd import __version__
from unitd.core.catalog import Card
from unitd.core.config import AuthSettings, Settings
from unitd.core.kinds import BUILTIN_KINDS, UnitKind, third_party_kind
from unitd.core.registry import Client, Registry
from unitd.doors.streams import TCP_IDLE_SECONDS, StreamDoor
from unitd.doors.talk import TalkSettings
from unitd.runtime.actions import Actions
from unitd.runtime.desk import AudioDesk
from unitd.runtime.dispatcher import Dispatcher
from unitd.runtime.shelf import Shelf
from unitd.runtime.sound import Sound
from unitd.runtime.state import StateDir
from unitd.runtime.supervisor import Supervisor
from unitd.runtime.switchboard import Switchboard
from unitd.runtime.system import System
from unitd.runtime.work import Work
from unitd.wire.envelope import ENTRY_POINT_GROUP
from unitd.wire.errors import ConfigError
from unitd.wire.messages import Request

log = logging.getLogger("unitd")

STOP_TIMEOUT_SECONDS = 5.0
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
    ) -> None:
        self._settings = settings
        self._clock = clock
        self.endpoints: dict[str, Any] = {}
        self.started = asyncio.Event()
        self._stopping = asyncio.Event()
        self._state = StateDir(settings.state.dir)
        self._kinds = _all_kinds()
        self._registry = Registry(settings.limits.tasks)
        self._supervisor = Supervisor(argv_for, self._load_for)
        shelf = Shelf(
            folders=settings.models.dir,
            bundled_folder=places.bundled_models,
            cards_folder=places.model_cards,
            default_llm=settings.llm.model,
        )
        works: dict[str, Work] = {}
        sound = Sound(self._supervisor, settings.audio, works.values)
        self._desk = AudioDesk(sound)
        self._actions = Actions(
            kinds=self._kinds,
            registry=self._registry,
            supervisor=self._supervisor,
            shelf=shelf,
            counter=self._state,
            clock=clock,
            queue_limit=settings.llm.queue,
            works=works,
            switchboard=Switchboard(self._registry, works, sound),
        )
        self._system = System(
            actions=self._actions,
            registry=self._registry,
            supervisor=self._supervisor,
            sound=sound,
            desk=self._desk,
            models=shelf,
            files_dir=self._state.files,
            allowed=settings.sys.allow,
            unit_versions=lambda: [f"unitd_{kind}-{__version__}" for kind in sorted(self._kinds)],
        )
        self._dispatcher = Dispatcher(self._kinds, self._actions.handlers, self._system.handlers, self._desk.handlers)
        self._doors: list[StreamDoor] = []

    # What doors need behind them

    def serve(self, client: Client, request: Request) -> None:
        """Serves one request of a client."""
        self._dispatcher.serve(client, request)

    def forget_client(self, client: Client) -> None:
        """A client is gone."""
        self._actions.forget_client(client)
        self._desk.forget_client(client)

    def when_answered(self, client: Client, then: Callable[[], None]) -> None:
        """Calls back once nothing of this client is being worked on."""
        self._dispatcher.when_answered(client, then)

    # Life

    def stop(self) -> None:
        """Asks for an ordered end; safe to call twice and from a signal handler."""
        self._stopping.set()

    async def run(self) -> None:
        """Serves until `stop`.

        Raises:
            ConfigError: a door cannot be opened or the state directory not be used.
        """
        self._registry.next_number = await asyncio.to_thread(self._state.open)
        try:
            async with asyncio.TaskGroup() as group:
                self._supervisor.open(group)
                self._dispatcher.open(group)
                try:
                    await self._open_doors(group)
                    await self._state.write_endpoints(self.endpoints)
                    log.info("ready: %s", ", ".join(f"{door} {at}" for door, at in self.endpoints.items()))
                    self.started.set()
                    await self._stopping.wait()
                finally:
                    await self._shut_down()
                raise _Stopped
        except* _Stopped:
            log.info("stopped")
        except* ConfigError as errors:
            raise errors.exceptions[0] from None
        finally:
            self._state.close()

    async def _open_doors(self, group: asyncio.TaskGroup) -> None:
        settings = self._settings
        if settings.unix.enabled:
            path = settings.unix.path or settings.state.dir / "unitd.sock"
            self.endpoints["unix"] = await self._stream_door("unix").open_unix(path)
        if settings.tcp.enabled:
            host, port = settings.tcp.host, settings.tcp.port
            self.endpoints["tcp"] = list(await self._stream_door("tcp").open_tcp(host, port))
        if settings.serial is not None:
            from unitd.doors.serial import SERIAL_IDLE_SECONDS, SerialDoor  # pyserial only where there is a line

            outbox_bytes = min(settings.limits.outbox_bytes, SERIAL_OUTBOX_BYTES)
            talk = self._talk_settings("serial", outbox_bytes, SERIAL_IDLE_SECONDS, is_raw_line=True)
            serial_door = SerialDoor(self, talk, settings.serial)
            self._system.line = serial_door
            group.create_task(serial_door.run(), name="serial door")
            await serial_door.was_tried.wait()
            self.endpoints["serial"] = settings.serial.device
        self._warn_of_what_comes_later()

    def _warn_of_what_comes_later(self) -> None:
        """Nobody shall believe in a door or a lock that is not there yet."""
        settings = self._settings
        later = {"mqtt": settings.mqtt, "wyoming": settings.wyoming, "[pipeline]": settings.pipeline}
        for name in (name for name, table in later.items() if table):
            log.warning("[%s] is configured, this version does nothing with it yet", name)
        if settings.auth != AuthSettings():
            log.warning("[auth] is configured, this version checks nothing yet: whoever reaches a port may use it")
        if settings.tcp.enabled and settings.tcp.host not in ("127.0.0.1", "::1", "localhost"):
            log.warning("tcp listens on %s: every machine that reaches it may use this device", settings.tcp.host)

    def _stream_door(self, name: str) -> StreamDoor:
        talk = self._talk_settings(name, self._settings.limits.outbox_bytes, TCP_IDLE_SECONDS)
        door = StreamDoor(self, talk, self._settings.tcp.max_connections)
        self._doors.append(door)
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
        try:
            async with asyncio.timeout(STOP_TIMEOUT_SECONDS):
                await self._actions.end_all()
        except TimeoutError:
            log.warning("tasks did not end within %.0f s", STOP_TIMEOUT_SECONDS)
        await self._supervisor.stop()
        for door in self._doors:
            await door.hang_up()

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


def _all_kinds() -> dict[str, UnitKind]:
    """The built-in kinds and those that installed packages register."""
    found = importlib.metadata.entry_points(group=ENTRY_POINT_GROUP)
    return {point.name: third_party_kind(point.name) for point in found} | BUILTIN_KINDS
