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
from functools import partial
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
from unitd.runtime.skills.actions import SkillActions
from unitd.runtime.skills.board_timers import BoardTimers
from unitd.runtime.skills.clocks import Clocks
from unitd.runtime.skills.device import DeviceActions
from unitd.runtime.state_dir import StateDir
from unitd.runtime.status import Status
from unitd.runtime.sys.access import Access, AccessActions
from unitd.runtime.sys.board import System, row_of
from unitd.runtime.sys.log_stream import LogStream
from unitd.runtime.sys.models import ModelActions
from unitd.runtime.sys.timer_requests import TimerRequests
from unitd.runtime.tasks.actions import Actions
from unitd.runtime.tasks.conversations import Conversations
from unitd.runtime.tasks.delayed import DelayedCommands
from unitd.runtime.tasks.manager import TaskManager
from unitd.runtime.tasks.observers import TaskObservers
from unitd.runtime.tasks.plan import Planner
from unitd.runtime.tasks.recognizer import Recognizer
from unitd.runtime.tasks.skill_toolbox import NAME
from unitd.runtime.tasks.store import TaskStore
from unitd.runtime.waiting import Waiting
from unitd.service.log_setup import set_level
from unitd.service.systemd import Activated, Service
from unitd.wire.envelope import ENTRY_POINT_GROUP
from unitd.wire.errors import ConfigError, Unavailable
from unitd.wire.messages import Reply, Request

log = logging.getLogger("unitd")

STOP_TIMEOUT_SECONDS = 5.0
# The tasks are over and the children gone by then; what is left is replies on their way.
LAST_ANSWERS_SECONDS = 1.0


def unit_argv(unit: str) -> Sequence[str]:
    """Return the command line of a unit program; the channel's file descriptor is appended."""
    return (sys.executable, "-m", "units", unit)


@dataclass(frozen=True)
class ProgramFolders:
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
        program_folders: ProgramFolders,
        *,
        argv_for: Callable[[str], Sequence[str]] = unit_argv,
        clock: Callable[[], float] = time.time,
        service: Service | None = None,
        activated: Activated | None = None,
        read_again: Callable[[], Settings] | None = None,
    ) -> None:
        """`service` is told how the daemon stands; `activated` sockets are used where a door would open its own;
        `read_again` reads the configuration for a reload, in a thread.

        Long, because one look must show how everything hangs together.
        """
        self._settings = settings
        self._service = service or Service()
        self._read_again = read_again
        self._reloading = asyncio.Lock()
        self.started = asyncio.Event()
        self._stopping = asyncio.Event()
        self._state = StateDir(settings.state.dir)
        kinds = all_kinds()
        self._task_table = TaskTable(settings.limits.tasks)
        self.metrics = Metrics()
        self.access = Access(settings, self._task_table, self.metrics, clock)
        self._budget = Budget(memory_of_board(), settings.limits.memory, settings.limits.waiting_bytes)
        self._supervisor = Supervisor(argv_for, self._load_for, self.metrics, settings.models.idle_s, self._budget)
        self._model_store = open_model_store(settings, program_folders)
        latency = TurnLatency(self.metrics)
        audio = AudioHub(self._supervisor, settings.audio, latency)
        self._audio_actions = AudioActions(audio)
        self._planner = Planner(self._model_store, settings.llm.queue)
        self._task_store = TaskStore(settings.state.dir / "journal.sqlite")
        observers = TaskObservers()
        observers.follow(self._task_store)
        recognizer_for = partial(Recognizer, self._supervisor)
        conversations = Conversations()
        self._device = DeviceActions(settings.state.dir, audio, conversations.last_answer)
        self._delayed = DelayedCommands(recognizer_for)
        self._timers = BoardTimers(settings.state.dir, Clocks(clock), audio, self.metrics, self._delayed.do)
        self._timer_requests = TimerRequests(self._timers.table, self._timers.commands)
        self._skill_actions = SkillActions({**self._device.actions, **self._timers.commands.actions})
        self._manager = TaskManager(
            kinds=kinds,
            task_table=self._task_table,
            supervisor=self._supervisor,
            planner=self._planner,
            counter=self._state,
            clock=clock,
            audio=audio,
            latency=latency,
            observers=observers,
            task_store=self._task_store,
            check_room=self.access.check_room,
            recognizer_for=recognizer_for,
            timers=self._timers,
            skill_actions=self._skill_actions,
            conversations=conversations,
            voice_options=self._device.voice_options,
        )
        live = Status(lambda: self._manager.runners, lambda: self._supervisor.children, self._budget.usage)
        self._doors = DoorManager(
            self,
            settings,
            observers=observers,
            live=live,
            models=self._model_store,
            clock=clock,
            activated=activated or {},
        )
        system = System(
            manager=self._manager,
            task_table=self._task_table,
            supervisor=self._supervisor,
            audio=audio,
            audio_actions=self._audio_actions,
            memory=self._budget.usage,
            files_dir=self._state.files,
            allowed=settings.sys.allow,
            unit_versions=lambda: [f"unitd_{kind}-{__version__}" for kind in sorted(kinds)],
            planner=self._planner,
            line=lambda: self._doors.line,
        )
        self._downloads = Downloads(FETCH_ARGV, program_folders.model_cards)
        models = ModelActions(
            self._model_store,
            Inventory(settings.llm, lambda: self._budget.limit_bytes),
            self._downloads,
            self._manager,
            lambda: measure_board(program_folders.bundled_models, settings.llm.threads),
        )
        self._log_stream = LogStream()
        waiting = Waiting(settings.limits.waiting_bytes)
        sys_handlers = {
            **system.handlers,
            **models.handlers,
            **self._log_stream.handlers,
            **self._timer_requests.handlers,
            **AccessActions(self.access, self.forget_client).handlers,
            "reload": self._answer_reload,
        }
        self._dispatcher = Dispatcher(
            kinds,
            Actions(kinds, self._task_table, self._manager, waiting).handlers,
            sys_handlers,
            self._audio_actions.handlers,
            self.access.check,
            self.metrics,
            waiting,
        )

    @property
    def endpoints(self) -> dict[str, Any]:
        """The address of each open door."""
        return self._doors.endpoints

    # What doors need

    def serve(self, client: Client, request: Request) -> None:
        """Serve one request of a client."""
        self._dispatcher.serve(client, request)

    def forget_client(self, client: Client) -> None:
        """End what belongs to a client that is gone."""
        self._manager.forget_client(client)
        self._audio_actions.forget_client(client)
        self._timer_requests.forget_client(client)

    def entry_of(self, work_id: str) -> dict[str, Any] | None:
        """Return a task's row of sys.lstask, or None when there is no such task."""
        runner = self._manager.find(work_id)
        return row_of(runner) if runner is not None else None

    def outlives_its_owner(self, work_id: str) -> bool:
        """Return False for a task that ends with the client that set it up, and when there is none."""
        task = self._task_table.get(work_id)
        return task is not None and not task.ends_with_owner

    def when_answered(self, client: Client, then: Callable[[], None]) -> None:
        """Call back once no request of this client is being worked on."""
        self._dispatcher.when_answered(client, then)

    # Life

    async def reload(self) -> None:
        """Read configuration, tokens and certificate again, and take over what can change; the log says what cannot.

        Raises ConfigError when something cannot be used; what counted before stays.
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
            "models.dir": lambda new: self._model_store.change_folders(new.models.dir),
            "models.idle_s": lambda new: self._supervisor.change_idle_time(new.models.idle_s),
            "limits.tasks": lambda new: self._task_table.change_limit(new.limits.tasks),
            "limits.memory": lambda new: self._budget.change_limit(new.limits.memory),
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
        """Tell the service manager that clients can come, and where."""
        self._service.ready(", ".join(f"{door} {at}" for door, at in self.endpoints.items()))

    def stop(self) -> None:
        """Ask for an ordered end; safe to call twice and from a signal handler."""
        self._stopping.set()

    async def run(self) -> None:
        """Serve until `stop`; raise ConfigError when a door or the state directory cannot be opened."""
        self._task_table.next_number = await asyncio.to_thread(self._state.open)
        self._log_stream.open()
        await self._device.open()
        try:
            async with asyncio.TaskGroup() as group:
                self._supervisor.open(group)
                self._manager.open(group)
                self._dispatcher.open(group)
                self._downloads.open(group)
                watchdog = group.create_task(self._service.feed_watchdog(), name="watchdog")
                running = [watchdog]
                try:
                    await self._doors.lock()
                    toolboxes = await self._doors.open_tools()
                    self._skill_actions.add(self._doors.skill_actions)
                    self._device.lists.elsewhere = self._doors.lists
                    self._planner.add_tools(toolboxes)  # tasks that come back may use them
                    self._delayed.use(toolboxes[NAME])
                    running.append(group.create_task(self._timers.run(), name="timers"))
                    if self._settings.state.restore:
                        await self._manager.restore()
                    await self._doors.open(group)
                    await self._state.write_endpoints(self.endpoints)
                    log.info("ready: %s", ", ".join(f"{door} {at}" for door, at in self.endpoints.items()))
                    self.started.set()
                    self.tell_ready()
                    await self._stopping.wait()
                    self._service.stopping()
                finally:
                    await self._shut_down()
                    for task in running:
                        task.cancel()
                raise _Stopped
        except* _Stopped:
            log.info("stopped")
        except* ConfigError as errors:
            raise errors.exceptions[0] from None
        finally:
            self._log_stream.close()
            self._state.close()

    async def _shut_down(self) -> None:
        """Stop accepting, stop downloads, finish what runs, stop the children, hang up."""
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
        await self._dispatcher.wait_answered(LAST_ANSWERS_SECONDS)
        await self._doors.close()

    def _load_for(self, card: Card) -> dict[str, Any]:
        """Return what a unit program is told first: its model, and the settings of its unit."""
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
            load |= {key: str(path or "") for key, path in card.vision_files.items()}
        return load


def _loaded(_: Settings) -> None:
    """Do nothing: `Access.load` has taken the key over."""


def open_model_store(settings: Settings, program_folders: ProgramFolders) -> ModelStore:
    """Return the store of this configuration's models."""
    return ModelStore(
        folders=settings.models.dir,
        bundled_folder=program_folders.bundled_models,
        cards_folder=program_folders.model_cards,
        original_models=program_folders.original_models,
        default_llm=settings.llm.model,
        llm_url=settings.llm.url,
    )


def all_kinds() -> dict[str, UnitKind]:
    """Return the built-in kinds and those that installed packages register."""
    found = importlib.metadata.entry_points(group=ENTRY_POINT_GROUP)
    return {point.name: third_party_kind(point.name) for point in found} | BUILTIN_KINDS
