"""The table of tasks: work_ids, owners and links.

Output that belongs to no request goes to the client that set the task up; if that client is gone, to the last client
that addressed the task. A task outlives its client; at the limit the task that was left longest ago is removed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from unitd.core.access.grants import TRUSTED, Grant
from unitd.core.tasks.kinds import UnitKind
from unitd.wire.errors import NotAnInput, TaskFull, UnknownTask
from unitd.wire.messages import Reply

FIRST_NUMBER = 1000
"""The first number of the original's counter (config_work_id; docs/original-firmware.md, section 6)."""


class Client(Protocol):
    """A client as the daemon sees it, whatever door it came by."""

    @property
    def name(self) -> str:
        """Its name in logs: "tcp 127.0.0.1:51234"."""

    @property
    def door(self) -> str:
        """The name of its door: "tcp", "unix", "serial"."""

    @property
    def party(self) -> str:
        """The party that gets one share of an engine's time: a connection, or all HTTP requests of one address."""

    @property
    def grant(self) -> Grant:
        """Its role, and the name of the owner of its tasks."""

    @property
    def address(self) -> str:
        """The address of its machine; "" for a client on this machine."""

    @property
    def keeps_tasks(self) -> bool:
        """False if its tasks end with it, as those of HTTP requests and WebSockets do."""

    @property
    def restores_tasks(self) -> bool:
        """True if its tasks are restored after a restart of the daemon."""

    @property
    def frame_interval(self) -> float:
        """The least number of seconds between two frames of a task; 0 sends each frame at once."""

    @property
    def is_gone(self) -> bool:
        """True once nothing that is sent can arrive."""

    def admit(self, grant: Grant) -> "Client":
        """Take the grant of a token that was shown, and return the client that the connection is from now on.

        It is another client if the owner changes, so that the new owner gets no output of the former one.
        """

    def send(self, reply: Reply) -> None:
        """Queue one line; never block, never raise."""

    def hold(self, reason: str, *, is_held: bool) -> None:
        """Begin or end a hold; while there is any, no requests are read from this client."""

    async def wait_for_room(self) -> None:
        """Return when the client has read its output, or is gone."""


class _Absent:
    """The client of a task that was set up in an earlier run of the daemon; it takes no output and sends nothing."""

    name = party = "an earlier run"
    door = "journal"
    grant = TRUSTED
    address = ""
    keeps_tasks = True
    restores_tasks = True
    frame_interval = 0.0
    is_gone = True

    def admit(self, grant: Grant) -> Client:
        """Return this client."""
        return self

    def send(self, reply: Reply) -> None:
        """Drop the line."""

    def hold(self, reason: str, *, is_held: bool) -> None:
        """Do nothing."""

    async def wait_for_room(self) -> None:
        """Return at once."""


ABSENT: Client = _Absent()


@dataclass(eq=False)
class Task:
    """One task as the wire describes it; `runtime.tasks.runner` has what runs in it."""

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
    grant_name: str = ""
    """The name of the grant it was set up with."""

    raw_setup: dict[str, Any] = field(default_factory=dict)
    """The setup as the client sent it."""

    has_public_prompt: bool = False
    """True if its system prompt is that of a card or a pipeline, and not a client's."""

    served_by: str = ""
    """The name of the model that does the work; `model` is the name that the client asked for."""

    substitution: str = ""
    """A sentence if that is not the model that the client asked for; else ""."""

    is_temporary: bool = False
    """True if the setup asked for a task that ends with its owner, even if the owner's other tasks do not."""

    last_client: Client | None = None
    abandoned_at: float | None = None

    @property
    def takes_input(self) -> bool:
        """True if clients may send inferences to it."""
        return self.kind.takes_itself(self.inputs)

    @property
    def ends_with_owner(self) -> bool:
        """True if the task ends with the client that set it up."""
        return self.is_temporary or not self.owner.keeps_tasks

    @property
    def is_restored(self) -> bool:
        """True if the task is restored after a restart of the daemon."""
        return self.owner.restores_tasks and not self.is_temporary

    @property
    def is_stream(self) -> bool:
        """True if output is streamed; the original decides by this substring (docs/original-firmware.md, section 2)."""
        return "stream" in self.response_format

    @property
    def listener(self) -> Client | None:
        """The client that gets output that belongs to no request; None if both candidates are gone."""
        for client in (self.owner, self.last_client):
            if client is not None and not client.is_gone:
                return client
        return None


class TaskTable:
    """All tasks by work_id, and the counter of work_ids."""

    def __init__(self, limit: int, next_number: int = FIRST_NUMBER) -> None:
        self._limit = limit
        self._tasks: dict[str, Task] = {}
        self.next_number = next_number

    def __iter__(self) -> Iterator[Task]:
        return iter(list(self._tasks.values()))

    def find(self, work_id: str) -> Task:
        """Return the task of this work_id.

        Raises:
            UnknownTask: there is none.
        """
        task = self._tasks.get(work_id)
        if task is None:
            raise missing_task(work_id)
        return task

    def get(self, work_id: str) -> Task | None:
        """Return the task of this work_id, or None."""
        return self._tasks.get(work_id)

    def of_unit(self, unit: str) -> list[Task]:
        """Return all tasks of one unit kind, oldest first."""
        return [task for task in self._tasks.values() if task.kind.name == unit]

    def targets_of(self, work_id: str) -> list[Task]:
        """Return the tasks that have this one as an input."""
        return [task for task in self._tasks.values() if work_id in task.inputs]

    @property
    def inputs(self) -> dict[str, list[str]]:
        """The inputs of every task, for `check_link`."""
        return {work_id: task.inputs for work_id, task in self._tasks.items()}

    def change_limit(self, limit: int) -> None:
        """Take in so many tasks from now on; those that are there stay."""
        self._limit = limit

    def claim_number(self) -> int:
        """Return a number that no task had before and none will have again."""
        number = self.next_number
        self.next_number += 1
        return number

    def add(self, task: Task) -> None:
        """Add a task; the caller has made room for it."""
        self._tasks[task.work_id] = task

    def remove(self, task: Task) -> None:
        """Remove a task and the links from it; safe to call twice."""
        self._tasks.pop(task.work_id, None)
        for target in self.targets_of(task.work_id):
            target.inputs.remove(task.work_id)

    def victim(self, grant_name: str = "") -> Task | None:
        """Return the task to end before one more of this grant fits, one of its own first; None if there is room.

        Raises:
            TaskFull: every task still has a client.
        """
        if len(self._tasks) < self._limit:
            return None
        abandoned = [task for task in self._tasks.values() if task.abandoned_at is not None and task.listener is None]
        if not abandoned:
            raise TaskFull(f"{self._limit} tasks are set up; end one with exit")
        own = [task for task in abandoned if task.grant_name == grant_name]
        return min(own or abandoned, key=lambda task: task.abandoned_at or 0.0)

    def note_client(self, task: Task, client: Client) -> None:
        """Note that a client addressed a task; not to be called for taskinfo."""
        task.last_client = client
        if task.listener is not None:
            task.abandoned_at = None

    def note_departure(self, client: Client, now: float) -> None:
        """Note that a client is gone: its tasks stay, and those without another client count as abandoned."""
        for task in self._tasks.values():
            if client in (task.owner, task.last_client) and task.listener is None and task.abandoned_at is None:
                task.abandoned_at = now


def missing_task(work_id: str) -> UnknownTask:
    """Return the error for a task that does not exist or belongs to another owner; a client must not see which."""
    return UnknownTask(f"no task {work_id}")


def missing_input(work_id: str) -> NotAnInput:
    """Return the error for an inference on a task that does not exist or belongs to another owner."""
    return NotAnInput(f"there is no task {work_id}; set one up and use its work_id")
