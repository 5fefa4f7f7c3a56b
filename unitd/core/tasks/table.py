"""The tasks: who is set up, under which work_id, for whom.

Output that no request asked for goes to the client that set the task up; when that one is gone, to the last one that
addressed the task. A task outlives its client; at the limit the one that was left longest ago makes room.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from unitd.core.access.grants import TRUSTED, Grant
from unitd.core.tasks.kinds import UnitKind
from unitd.wire.errors import NotAnInput, TaskFull, UnknownTask
from unitd.wire.messages import Reply

FIRST_NUMBER = 1000
"""Where the original's counter starts (config_work_id; docs/original-firmware.md, section 6)."""


class Client(Protocol):
    """Whoever talks to the daemon, seen from behind its door."""

    @property
    def name(self) -> str:
        """For logs: "tcp 127.0.0.1:51234"."""

    @property
    def door(self) -> str:
        """ "tcp", "unix", "serial"."""

    @property
    def party(self) -> str:
        """Who counts as one where an engine's time is shared out: a connection, all HTTP requests of one address."""

    @property
    def grant(self) -> Grant:
        """What it may do, and in whose name."""

    @property
    def address(self) -> str:
        """Where it comes from, "" for a client that is no other machine."""

    @property
    def keeps_tasks(self) -> bool:
        """False when its tasks end with it: those of HTTP requests and WebSockets."""

    @property
    def restores_tasks(self) -> bool:
        """True when what it set up is there again after a restart of the daemon."""

    @property
    def frame_interval(self) -> float:
        """Seconds between two frames of a task, at least; 0 sends each as it comes."""

    @property
    def is_gone(self) -> bool:
        """True once nothing that is sent can arrive."""

    def admit(self, grant: Grant) -> "Client":
        """It has shown a token. Return who it is from now on: another client where it was somebody else's, so that
        nothing reaches the new one that the former one has asked for."""

    def send(self, reply: Reply) -> None:
        """Queues one line; never blocks, never raises."""

    def hold(self, reason: str, *, is_held: bool) -> None:
        """While anything holds it, no more requests are read from this client."""

    async def wait_for_room(self) -> None:
        """Returns when the client has taken what it was sent, or is gone."""


class _Absent:
    """Who set up a task in an earlier run of the daemon."""

    name = party = "an earlier run"
    door = "journal"
    grant = TRUSTED
    address = ""
    keeps_tasks = True
    restores_tasks = True
    frame_interval = 0.0
    is_gone = True

    def admit(self, grant: Grant) -> Client:
        """Nobody shows a token."""
        return self

    def send(self, reply: Reply) -> None:
        """Nobody is there."""

    def hold(self, reason: str, *, is_held: bool) -> None:
        """Nobody sends."""

    async def wait_for_room(self) -> None:
        """Nobody reads."""


ABSENT: Client = _Absent()


@dataclass(eq=False)
class Task:
    """One set-up unit. The settings are the wire's; what runs inside is the runtime's matter."""

    work_id: str
    kind: UnitKind
    model: str
    response_format: str
    enoutput: bool
    inputs: list[str]
    setup: dict[str, Any]
    request_id: str
    owner: Client
    created: int
    holder: str = ""
    """The name of the grant it was set up with."""

    given: dict[str, Any] = field(default_factory=dict)
    """The setup as the client said it."""

    has_public_prompt: bool = False
    """Its system prompt is the board's own (a card's, a pipeline's), and nothing that a client has made up."""

    served_by: str = ""
    """The name of the model that does the work; `model` is the name that the client asked for."""

    substitution: str = ""
    """A sentence when that is another model than the one asked for; else ""."""

    is_temporary: bool = False
    """True when the setup asked for a task that ends with its owner, whatever the owner's other tasks do."""

    last_client: Client | None = None
    abandoned_at: float | None = None

    @property
    def takes_input(self) -> bool:
        """True when clients may send inferences to it."""
        return self.kind.takes_itself(self.inputs)

    @property
    def ends_with_owner(self) -> bool:
        """True when the task does not outlive the client that set it up."""
        return self.is_temporary or not self.owner.keeps_tasks

    @property
    def is_restored(self) -> bool:
        """True when the task is there again after a restart of the daemon."""
        return self.owner.restores_tasks and not self.is_temporary

    @property
    def is_stream(self) -> bool:
        """The original decides by this substring (docs/original-firmware.md, section 2)."""
        return "stream" in self.response_format

    @property
    def listener(self) -> Client | None:
        """Who gets output that no request asked for."""
        for client in (self.owner, self.last_client):
            if client is not None and not client.is_gone:
                return client
        return None


class TaskTable:
    """All tasks by work_id, and the counter that never gives a number twice."""

    def __init__(self, limit: int, next_number: int = FIRST_NUMBER) -> None:
        self._limit = limit
        self._tasks: dict[str, Task] = {}
        self.next_number = next_number

    def __iter__(self) -> Iterator[Task]:
        return iter(list(self._tasks.values()))

    def find(self, work_id: str) -> Task:
        """The task of this work_id.

        Raises:
            UnknownTask: there is none.
        """
        task = self._tasks.get(work_id)
        if task is None:
            raise missing_task(work_id)
        return task

    def get(self, work_id: str) -> Task | None:
        """The task of this work_id, or None."""
        return self._tasks.get(work_id)

    def of_unit(self, unit: str) -> list[Task]:
        """All tasks of one unit kind, oldest first."""
        return [task for task in self._tasks.values() if task.kind.name == unit]

    def targets_of(self, work_id: str) -> list[Task]:
        """The tasks that listen to this one."""
        return [task for task in self._tasks.values() if work_id in task.inputs]

    @property
    def inputs(self) -> dict[str, list[str]]:
        """Who listens to what, for judging a link."""
        return {work_id: task.inputs for work_id, task in self._tasks.items()}

    def change_limit(self, limit: int) -> None:
        """Take in so many tasks from now on; those that are there stay."""
        self._limit = limit

    def claim_number(self) -> int:
        """A number that no task had and none will have again."""
        number = self.next_number
        self.next_number += 1
        return number

    def add(self, task: Task) -> None:
        """Takes a task in; the caller has made room."""
        self._tasks[task.work_id] = task

    def remove(self, task: Task) -> None:
        """Forgets a task and the links from it; safe to call twice."""
        self._tasks.pop(task.work_id, None)
        for target in self.targets_of(task.work_id):
            target.inputs.remove(task.work_id)

    def victim(self, holder: str = "") -> Task | None:
        """Who must leave before one more task of this holder fits: None when there is room; one of its own first.

        Raises:
            TaskFull: every task still has its owner.
        """
        if len(self._tasks) < self._limit:
            return None
        abandoned = [task for task in self._tasks.values() if task.abandoned_at is not None and task.listener is None]
        if not abandoned:
            raise TaskFull(f"{self._limit} tasks are set up; end one with exit")
        own = [task for task in abandoned if task.holder == holder]
        return min(own or abandoned, key=lambda task: task.abandoned_at or 0.0)

    def note_client(self, task: Task, client: Client) -> None:
        """A client addressed a task by an action that counts (taskinfo does not)."""
        task.last_client = client
        if task.listener is not None:
            task.abandoned_at = None

    def note_departure(self, client: Client, now: float) -> None:
        """A client is gone: its tasks stay, and those that nobody listens to begin to age."""
        for task in self._tasks.values():
            if client in (task.owner, task.last_client) and task.listener is None and task.abandoned_at is None:
                task.abandoned_at = now


def missing_task(work_id: str) -> UnknownTask:
    """The error for a task that is not there, or not there for this client: the one cannot be told from the other."""
    return UnknownTask(f"no task {work_id}")


def missing_input(work_id: str) -> NotAnInput:
    """The same for an inference."""
    return NotAnInput(f"there is no task {work_id}; set one up and use its work_id")
