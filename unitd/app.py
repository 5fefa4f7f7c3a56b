"""The composition root: builds every object, opens the doors, and takes everything down in order.

One task group holds whatever runs: children, slow answers, the serial line. What escapes from one of its tasks stops
the daemon with a traceback; a service manager starts it again.
"""

import asyncio
import importlib.metadata
import logging
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unitd import __version__
from unitd.core.config.schema import Settings
from unitd.core.models.catalog import Card
from unitd.core.tasks.kinds import BUILTIN_KINDS, UnitKind, third_party_kind
from unitd.core.tasks.table import Client, TaskTable
from unitd.doors.manager import DoorManager
from unitd.runtime.audio.actions import AudioActions
from unitd.runtime.audio.hub import AudioHub
from unitd.runtime.audio.latency import TurnLatency
from unitd.runtime.children.memory_budget import Budget, memory_of_board
from unitd.runtime.children.supervisor import Supervisor
from unitd.runtime.dispatcher import Call, Dispatcher
from unitd.runtime.metrics import Metrics
from unitd.runtime.models.downloads import FETCH_ARGV, Downloads
from unitd.runtime.models.inventory import Inventory
from unitd.runtime.models.measuring import measure_board
from unitd.runtime.models.store import ModelStore
from unitd.runtime.reload import Apply, take_over
from unitd.runtime.state_dir import StateDir
from unitd.runtime.status import Status
from unitd.runtime.sys.access import Access
from unitd.runtime.sys.board import System
from unitd.runtime.sys.log_stream import LogStream
from unitd.runtime.sys.models import ModelActions
from unitd.runtime.tasks.actions import Actions
from unitd.runtime.tasks.link_router import LinkRouter
from unitd.runtime.tasks.manager import TaskManager
from unitd.runtime.tasks.observers import TaskObservers
from unitd.runtime.tasks.runner import TaskRunner
from unitd.runtime.tasks.store import TaskStore
from unitd.runtime.tasks.tool_loop import Toolbox
from unitd.runtime.waiting import Waiting
from unitd.service.log_setup import set_level
from unitd.service.systemd import Activated, Service
from unitd.wire.envelope import ENTRY_POINT_GROUP
from unitd.wire.errors import ConfigError, Unavailable
from unitd.wire.messages import Reply, Request

log = logging.getLogger("unitd")

STOP_TIMEOUT_SECONDS = 5.0


def unit_argv(unit: str) -> Sequence[str]:
    """The command line of a unit program; the channel's file descriptor is appended."""
    return (sys.executable, "-m", "units", unit)


@dataclass(frozen=True)
class Places:
    """Folders that come with the program."""

    bundled_models: Path
    model_cards: Path
    original_models: Path | None = None
    """The table of the names that the original's clients use for models."""


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
        read_again: Callable[[], Settings] | None = None,
    ) -> None:
        """`service` is told how the daemon stands; `activated` sockets are used where a door would open its own;
        `read_again` reads the configuration for a reload, in a thread.

        Long, because one look shall show how everything hangs together.
        """
        self._settings = settings
        self._service = service or Service()
        self._read_again = read_again
        self._reloading = asyncio.Lock()
        self.started = asyncio.Event()
        self._stopping = asyncio.Event()
        self._state = StateDir(settings.state.dir)
        self._kinds = all_kinds()
        self._task_table = TaskTable(settings.limits.tasks)
        self.metrics = Metrics()
        self._observers = TaskObservers()
        self._toolboxes: dict[str, Toolbox] = {}
        self._task_store = TaskStore(
            settings.state.dir / "journal.sqlite", lambda work_id: self._manager.entry_of(work_id)
        )
        self._observers.follow(self._task_store)
        self.access = Access(settings, self._task_table, self.metrics, clock)
        self._budget = Budget(memory_of_board(), settings.limits.memory)
        self._supervisor = Supervisor(argv_for, self._load_for, self.metrics, settings.models.idle_s, self._budget)
        self._model_store = model_store = shelf_of(settings, places)
        runners: dict[str, TaskRunner] = {}
        latency = TurnLatency(self.metrics)
        sound = AudioHub(self._supervisor, settings.audio, runners.values, latency)
        self._desk = AudioActions(sound)
        link_router = LinkRouter(self._task_table, runners, sound, latency)
        self._manager = TaskManager(
            kinds=self._kinds,
            task_table=self._task_table,
            supervisor=self._supervisor,
            model_store=model_store,
            counter=self._state,
            clock=clock,
            queue_limit=settings.llm.queue,
            runners=runners,
            link_router=link_router,
            observers=self._observers,
            toolboxes=self._toolboxes,
            task_store=self._task_store,
            check_room=self.access.check_room,
        )
        waiting = Waiting(settings.limits.waiting_bytes)
        self._actions = Actions(self._kinds, self._task_table, self._manager, link_router, self._observers, waiting)
        self._system = System(
            manager=self._manager,
            task_table=self._task_table,
            supervisor=self._supervisor,
            sound=sound,
            desk=self._desk,
            memory=self._budget.usage,
            files_dir=self._state.files,
            allowed=settings.sys.allow,
            unit_versions=lambda: [f"unitd_{kind}-{__version__}" for kind in sorted(self._kinds)],
            toolboxes=self._toolboxes,
        )
        self._downloads = Downloads(FETCH_ARGV, places.model_cards)
        inventory = Inventory(settings.llm, lambda: self._budget.limit_bytes)
        self._models = ModelActions(
            model_store,
            inventory,
            self._downloads,
            self._manager,
            lambda: measure_board(places.bundled_models, settings.llm.threads),
        )
        self._log_stream = LogStream()
        own = {"reload": self._answer_reload}
        sys_handlers = {
            **self._system.handlers,
            **self._models.handlers,
            **self._log_stream.handlers,
            **self.access.handlers,
            **own,
        }
        self._dispatcher = Dispatcher(
            self._kinds,
            self._actions.handlers,
            sys_handlers,
            self._desk.handlers,
            self.access.check,
            self.metrics,
            waiting,
        )
        self.access.is_awaiting, self.access.forget = self._dispatcher.is_awaited_by, self.forget_client
        live = Status(
            lambda: self._manager.runners,
            lambda: self._supervisor.children,
            lambda: self._doors.connections,
            self._budget.usage,
        )
        self._doors = DoorManager(
            self,
            settings,
            observers=self._observers,
            live=live,
            models=model_store,
            clock=clock,
            activated=activated or {},
        )

    @property
    def endpoints(self) -> dict[str, Any]:
        """Where each open door is."""
        return self._doors.endpoints

    # What doors need behind them

    def serve(self, client: Client, request: Request) -> None:
        """Serves one request of a client."""
        self._dispatcher.serve(client, request)

    def forget_client(self, client: Client) -> None:
        """A client is gone."""
        for end in self._manager.forget_client(client):
            self._dispatcher.see_through(end)
        self._desk.forget_client(client)

    def entry_of(self, work_id: str) -> dict[str, Any] | None:
        """What sys.lstask says of a task; None when there is none."""
        return next((work.entry for work in self._manager.runners if work.task.work_id == work_id), None)

    def outlives_its_owner(self, work_id: str) -> bool:
        """Return False for a task that ends with the client that set it up, and when there is none."""
        task = self._task_table.get(work_id)
        return task is not None and not task.ends_with_owner

    def when_answered(self, client: Client, then: Callable[[], None]) -> None:
        """Calls back once nothing of this client is being worked on."""
        self._dispatcher.when_answered(client, then)

    # Life

    async def reload(self) -> None:
        """Reads the configuration, the tokens and the certificate again, and takes over what can change while the
        daemon runs; the log says what cannot.

        Raises:
            ConfigError: something of it cannot be used; what counted before counts on.
        """
        assert self._read_again is not None
        async with self._reloading:
            settings = await asyncio.to_thread(self._read_again)
            await self._doors.reload(settings)
            self._settings = self._doors.settings = take_over(self._settings, settings, self._appliers)
            self._doors.warn()
            self.tell_ready()

    @property
    def _appliers(self) -> Mapping[str, Apply]:
        """What a reload can change, key by key."""
        return {
            "log.level": lambda new: set_level(new.log.level),
            "models.dir": lambda new: setattr(self._model_store, "folders", new.models.dir),
            "models.idle_s": lambda new: setattr(self._supervisor, "idle_seconds", new.models.idle_s),
            "limits.tasks": lambda new: setattr(self._task_table, "limit", new.limits.tasks),
            "limits.memory": lambda new: setattr(self._budget, "limit", new.limits.memory),
            "pipeline": lambda new: self._doors.change_pipelines(new.pipeline),
            "tcp.max_connections": lambda new: self._doors.change_connection_limit(new.tcp.max_connections),
            **dict.fromkeys(("http.api_key", "limits.address", "auth.trust_loopback", "auth.without_token"), _loaded),
        }

    async def _answer_reload(self, call: Call) -> Reply:
        if self._read_again is None:
            raise Unavailable("this daemon was started without a configuration to read again")
        try:
            await self.reload()
        except ConfigError as error:
            raise Unavailable(f"the configuration cannot be used, the old one stays: {error.reason}") from error
        return call.ok()

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
        self._task_table.next_number = await asyncio.to_thread(self._state.open)
        self._log_stream.open()
        try:
            async with asyncio.TaskGroup() as group:
                self._supervisor.open(group)
                self._dispatcher.open(group)
                self._downloads.open(group)
                watchdog = group.create_task(self._service.feed_watchdog(), name="watchdog")
                try:
                    await self._doors.lock()
                    await self._doors.open_tools(self._toolboxes, group)  # tasks that come back may use them
                    if self._settings.state.restore:
                        await self._manager.restore(await self._task_store.open())
                    await self._doors.open(group)
                    self._system.line = self._doors.line
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
            self._log_stream.close()
            self._state.close()

    async def _shut_down(self) -> None:
        """Stop accepting, stop what is fetched, finish what runs, stop the children, hang up."""
        await self._state.remove_endpoints()
        self._doors.stop_listening()
        self._manager.close()
        await self._downloads.stop()
        await self._task_store.close()
        try:
            async with asyncio.timeout(STOP_TIMEOUT_SECONDS):
                await self._manager.end_all()
        except TimeoutError:
            log.warning("tasks did not end within %.0f s", STOP_TIMEOUT_SECONDS)
        await self._supervisor.stop()
        await self._doors.close()

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
                "chat_template": card.chat_template,
                "trained_tokens": card.context_length,
            }
        return load


def _loaded(_: Settings) -> None:
    """What `Access.load` has taken over."""


def shelf_of(settings: Settings, places: Places) -> ModelStore:
    """Where this configuration's models are."""
    return ModelStore(
        folders=settings.models.dir,
        bundled_folder=places.bundled_models,
        cards_folder=places.model_cards,
        original_models=places.original_models,
        default_llm=settings.llm.model,
        llm_url=settings.llm.url,
    )


def all_kinds() -> dict[str, UnitKind]:
    """The built-in kinds and those that installed packages register."""
    found = importlib.metadata.entry_points(group=ENTRY_POINT_GROUP)
    return {point.name: third_party_kind(point.name) for point in found} | BUILTIN_KINDS
