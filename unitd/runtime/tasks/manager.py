"""Tasks come and go: set up by clients, restored after a restart, ended by exit, when their clients leave, or for room.

`set_up` answers errors under the unit's name, as the original does, so that no client takes them for a task.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from unitd.core.access.grants import Grant, opaque, sees
from unitd.core.home import NO_TOOLS, with_prompt_text
from unitd.core.models.catalog import Card
from unitd.core.models.stand_in import fitted
from unitd.core.tasks.deaths import Deaths
from unitd.core.tasks.kinds import MAX_INPUTS, Output, UnitKind
from unitd.core.tasks.links import check_link
from unitd.core.tasks.table import (
    ABSENT,
    Client,
    Task,
    TaskTable,
)
from unitd.runtime.children.supervisor import Supervisor
from unitd.runtime.dispatcher import Call
from unitd.runtime.models.adapters import with_files
from unitd.runtime.tasks.link_router import LinkRouter
from unitd.runtime.tasks.observers import TaskObservers
from unitd.runtime.tasks.runner import TaskRunner
from unitd.runtime.tasks.setup_probe import SetupProbe
from unitd.runtime.tasks.store import StoredTask
from unitd.runtime.tasks.tool_loop import AUTO, Toolbox
from unitd.wire.errors import BadField, BadLink, LoadFailed, Unavailable, UnitdError
from unitd.wire.framing import MAX_NAME_BYTES, is_too_long
from unitd.wire.messages import Reply, is_task_id

log = logging.getLogger("unitd.roster")

# Of what a setup names in vain, in the log: so many entries, and so many characters of each.
MAX_NAMED, MAX_ECHO = 4, 64


class Shelf(Protocol):
    """Where models are found; looked through anew for each setup, off the event loop."""

    folders: Sequence[Path]

    async def resolve(self, unit: str, name: str) -> Card:
        """The card that serves a name, LoadFailed if none does."""


class Counter(Protocol):
    """Gives work_id numbers that survive a restart."""

    async def save(self, next_number: int) -> None:
        """Remembers the number that comes next."""


class Settling(Protocol):
    """What an answer may have to wait for."""

    async def settled(self) -> None:
        """Returns when everything so far would survive the daemon."""


class _Plan(NamedTuple):
    """What a task is made of."""

    card: Card
    given: dict[str, Any]
    setup: dict[str, Any]
    toolbox: Toolbox | None
    warning: str
    """What the model that stands in for another leaves out of the setup; "" if nothing."""


class TaskManager:
    """All tasks at work, from their setup to their end."""

    def __init__(
        self,
        *,
        task_table: TaskTable,
        supervisor: Supervisor,
        model_store: Shelf,
        counter: Counter,
        clock: Callable[[], float],
        queue_limit: int,
        runners: MutableMapping[str, TaskRunner],
        link_router: LinkRouter,
        observers: TaskObservers,
        toolboxes: Mapping[str, Toolbox],
        task_store: Settling,
        kinds: Mapping[str, UnitKind],
        check_room: Callable[[Client], None],
    ) -> None:
        """`runners` holds every task at work, by work_id; `check_room` raises TaskFull for who has enough of them."""
        self._check_room = check_room
        self._kinds = kinds
        self._task_table = task_table
        self._supervisor = supervisor
        self._model_store = model_store
        self._counter = counter
        self._clock = clock
        self._queue_limit = queue_limit
        self._runners = runners
        self._link_router = link_router
        self._observers = observers
        self._toolboxes = toolboxes
        self._task_store = task_store
        self._is_closed = False

    def __getitem__(self, work_id: str) -> TaskRunner:
        return self._runners[work_id]

    @property
    def runners(self) -> list[TaskRunner]:
        """Every task at work, oldest first."""
        return list(self._runners.values())

    async def set_up(self, call: Call, kind: UnitKind, data: dict[str, Any]) -> Reply:
        """Answers errors under the unit's name, as the original does, so that no client takes them for a task."""
        try:
            task = await self._begin_task(call, kind, data)
        except UnitdError as error:
            return call.ok(work_id=kind.name, code=error.code, message=str(error))
        work = self._runners.get(task.work_id)  # another client may have ended it meanwhile
        if work is not None and call.client.is_gone and task.ends_with_owner:
            await self.end(work)
        return call.ok(work_id=task.work_id)

    async def _begin_task(self, call: Call, kind: UnitKind, data: dict[str, Any]) -> Task:
        plan = await self._plan(kind, data)
        await self._make_room(call.client)
        self._check_open()
        work_id = f"{kind.name}.{self._task_table.claim_number()}"
        task = _task(work_id, kind, plan, call.request.request_id, call.client, int(self._clock()))
        task.is_temporary = plan.setup.get("temporary", False)
        task.has_public_prompt |= call.client.door == "pipeline"
        self._listen_to(task, _inputs(plan.setup.get("input")), call.client.grant)
        self._task_table.add(task)
        if call.client.is_gone:  # it left while this waited for its turn
            self._task_table.note_departure(call.client, self._clock())
        if plan.card.note:
            log.info("%s for %s: %s", task.work_id, call.client.name, plan.card.note)
        work = self._start(task, plan)
        if call.client.keeps_tasks:  # another one's number is never asked for after a restart
            await self._counter.save(self._task_table.next_number)
        try:
            async with asyncio.timeout(kind.patience_seconds):
                await work.wait_set_up()
        except TimeoutError:
            log.warning("%s: the model still loads, prompts wait for it", task.work_id)
        except BaseException:
            if work in self.runners:
                await self.end(work)
            raise
        work.acknowledge()
        await self._task_store.settled()
        return task

    async def change(self, call: Call, work: TaskRunner, data: dict[str, Any]) -> Reply:
        """Another model or other settings for a task, which goes on as it is until they are known to work.

        However long the load takes: an answer before its end could not say whether the task has changed.

        Raises:
            LoadFailed: no such model, it does not load, or a value cannot be used; nothing has changed.
            Unavailable: the task was ended meanwhile.
        """
        async with work.changing:
            before, plan = work.child, await self._plan(work.task.kind, data)
            self._check_open()
            setup = plan.setup | {"input": _inputs(plan.setup.get("input"))}
            probe = SetupProbe(
                work.task.work_id,
                self._supervisor.child_for(plan.card),
                setup,
                work.ending,
                owner=opaque(work.task.holder),
                has_public_prompt=_has_public_prompt(plan),
            )
            try:
                await probe.passed()
                change = partial(self._resettle, work.task, plan, call.client.grant)
                await work.move(probe.child, change, _queue_limit(plan.setup, self._queue_limit), plan.toolbox)
            finally:
                probe.end()
                for child in (before, probe.child):
                    self._supervisor.release(child, for_a_while=work.task.ends_with_owner)
            log.info("%s is served by %s from now on, for %s", work.task.work_id, plan.card.name, call.client.name)
        await self._task_store.settled()
        return call.ok()

    def _resettle(self, task: Task, plan: "_Plan", grant: Grant) -> None:
        """The settings of a new setup; owner and links stay, new ones may come."""
        _warn(task, plan)
        vars(task).update(_settings(task.kind, plan))
        self._listen_to(task, _inputs(plan.setup.get("input")), grant)
        self._observers.changed(task.work_id)

    async def restore(self, entries: Iterable[StoredTask]) -> None:
        """The tasks of the last run are back under their work_ids; their models load while clients come back.

        What cannot be (its unit or model is gone) is told in the log, and forgotten, and so are links from it.
        """
        back: list[tuple[Task, _Plan, StoredTask]] = []
        for entry in entries:
            self._task_table.next_number = max(self._task_table.next_number, int(entry.work_id.rpartition(".")[2]) + 1)
            try:
                kind = self._kinds[entry.unit]
                plan = await self._plan(kind, entry.data)
            except (KeyError, UnitdError) as error:
                log.error("%s is not restored: %s", entry.work_id, error)
                self._observers.changed(entry.work_id)
                continue
            task = _task(entry.work_id, kind, plan, entry.request_id, ABSENT, entry.created)
            task.holder = entry.holder
            task.abandoned_at = self._clock()
            task.inputs = list(entry.inputs)
            back.append((task, plan, entry))
        there = {task.work_id for task, _, _ in back}
        for task, plan, entry in back:
            task.inputs = [each for each in task.inputs if not is_task_id(each) or each in there]
            self._task_table.add(task)
            self._start(task, plan, entry)

    def entry_of(self, work_id: str) -> StoredTask | None:
        """What the journal keeps of a task; None of one that is gone, or that would not be missed."""
        work = self._runners.get(work_id)
        if work is None or not work.task.is_restored or not work.is_acknowledged:
            return None
        task = work.task
        return StoredTask(
            work_id=work_id,
            unit=task.kind.name,
            request_id=task.request_id,
            created=task.created,
            data=task.given,
            inputs=list(task.inputs),
            memory=work.memory,
            holder=task.holder,
            setup_deaths=work.deaths.setups,
            inference_deaths=work.deaths.inferences,
            is_being_set_up=work.is_slow_to_set_up,
            failure=work.failure,
        )

    async def _plan(self, kind: UnitKind, data: dict[str, Any]) -> "_Plan":
        """Raises UnitdError: no such model, or a value that cannot be used."""
        card = await self._card_for(kind, data)
        tools = (card.defaults | data).get("tools") if kind.output is Output.ANSWER else None
        toolbox = await self._toolbox_of(tools) if isinstance(tools, str) else None
        given = {**card.defaults, **(toolbox.defaults if toolbox else {}), **data}
        setup, warning = fitted(card, setup_data(kind, given))
        if toolbox is not None:
            setup = await toolbox.prepare(setup)
        elif tools == AUTO:
            setup = with_prompt_text(setup, NO_TOOLS) | {"tools": None}
        if kind.output is Output.ANSWER and "lora" in setup:
            setup = await with_files(setup, self._model_store.folders)
        return _Plan(card, data, setup, toolbox, warning)

    def _start(self, task: Task, plan: "_Plan", entry: StoredTask | None = None) -> TaskRunner:
        """Sets a task to work; with an entry it is one of the last run, which stays failed if it was."""
        _warn(task, plan)
        child = self._supervisor.child_for(plan.card)
        queue_limit = _queue_limit(plan.setup, self._queue_limit)
        work = TaskRunner(task, child, self._link_router, self._observers, queue_limit, plan.toolbox)
        self._runners[task.work_id] = work
        if entry is not None:
            deaths = Deaths(entry.setup_deaths, entry.inference_deaths)
            work.deaths = deaths.after_interrupted_setup() if entry.is_being_set_up else deaths
            work.memory, work.is_acknowledged = entry.memory, True
        if entry is not None and entry.failure:
            log.warning("%s stays failed: %s", task.work_id, entry.failure)
            work.fail(entry.failure)
        else:
            work.begin()
        return work

    def _listen_to(self, task: Task, inputs: Iterable[str], grant: Grant) -> None:
        """What its setup names, without what means nothing and without what is somebody else's."""
        left_out = []
        for entry in inputs:
            if entry in task.inputs:
                continue
            if len(task.inputs) < MAX_INPUTS and self._may_listen_to(entry, task, grant):
                task.inputs.append(entry)
            else:
                left_out.append(entry)
        if left_out:
            named = ", ".join(ascii(entry[:MAX_ECHO]) for entry in left_out[:MAX_NAMED])
            more = f" and {len(left_out) - MAX_NAMED} more" if len(left_out) > MAX_NAMED else ""
            log.warning("%s: left out of its input, nothing it can listen to: %s%s", task.work_id, named, more)

    def _may_listen_to(self, entry: str, task: Task, grant: Grant) -> bool:
        if is_too_long(entry):
            return False
        if not is_task_id(entry):
            return task.kind.may_listen_to(entry)
        source = self._task_table.get(entry)
        if source is not None and sees(grant, source.holder):
            with suppress(BadLink):
                check_link(entry, task.work_id, self._task_table.inputs)
                return True
        return False

    async def _toolbox_of(self, name: str) -> Toolbox | None:
        """Return the tools that a setup names; None where "auto" finds none.

        Raises:
            LoadFailed: there are none of this name.
        """
        if name == AUTO:
            found = [each for each in self._toolboxes.values() if await each.listing()]
            return next(iter(found), None)
        if name not in self._toolboxes:
            raise LoadFailed(f"there are no tools {name!r} here; [home] tools names a file of them")
        return self._toolboxes[name]

    async def _card_for(self, kind: UnitKind, data: dict[str, Any]) -> Card:
        """A unit that needs no model (a third party's, say) runs without a card."""
        if "model" not in kind.required and "model" not in data:
            return Card(kind.name, kind.name, is_bundled=True)
        return await self._model_store.resolve(kind.serving, data["model"])

    async def _make_room(self, client: Client) -> None:
        self._check_room(client)
        while (victim := self._task_table.victim(client.grant.name)) is not None:
            log.warning("%s is ended to make room: its client left longest ago", victim.work_id)
            await self.end(self._runners[victim.work_id])
            self._check_room(client)  # another connection of its token may have been quicker

    # Ends

    def end(self, work: TaskRunner) -> Coroutine[Any, Any, None]:
        """Begins the end of a task: nobody finds it or listens to it any more. Awaiting the result sees it through."""
        work_id = work.task.work_id
        targets = self._task_table.targets_of(work_id)
        self._task_table.remove(work.task)
        self._runners.pop(work_id, None)
        self._observers.changed(work_id)
        for target in targets:
            self._runners[target.work_id].tell("unlinked", source=work_id)
            self._observers.changed(target.work_id)
        return self._finish_end(work, work.close())

    async def _finish_end(self, work: TaskRunner, closing: Coroutine[Any, Any, None]) -> None:
        """The task's memory is free at once, its child's when nobody else uses it or soon will."""
        await closing
        self._supervisor.release(work.child, for_a_while=work.task.ends_with_owner)
        await self._task_store.settled()  # whoever hears that it has ended does not find it again after a crash

    def close(self) -> None:
        """Refuses further setups: the daemon stops, and what began now would be ended by nobody."""
        self._is_closed = True

    def _check_open(self) -> None:
        if self._is_closed:
            raise Unavailable("the daemon is stopping")

    def end_all(self, holder: str | None = None) -> Coroutine[Any, Any, None]:
        """Begins the end of every task, or of all of one holder; awaiting the result sees it through."""
        return _all_of([self.end(work) for work in self.runners if holder in (None, work.task.holder)])

    def forget_client(self, client: Client) -> list[Coroutine[Any, Any, None]]:
        """A client is gone: its inferences are cut unless a link takes their output, its tasks stay if it keeps them.

        Returns what sees the others through to their ends.
        """
        leaving = [work for work in self.runners if work.task.owner is client and work.task.ends_with_owner]
        ends = [self.end(work) for work in leaving]
        for work in self.runners:
            work.forget_client(client, keep=self._link_router.is_listened_to(work.task))
        self._task_table.note_departure(client, self._clock())
        return ends


def _task(work_id: str, kind: UnitKind, plan: _Plan, request_id: str, owner: Client, created: int) -> Task:
    """A task that listens to nothing yet."""
    return Task(
        work_id=work_id,
        kind=kind,
        inputs=[],
        request_id=request_id,
        owner=owner,
        holder=owner.grant.name,
        created=created,
        **_settings(kind, plan),
    )


def _settings(kind: UnitKind, plan: _Plan) -> dict[str, Any]:
    """What a task has from its setup."""
    setup = plan.setup
    return {
        "model": setup.get("model", ""),
        "response_format": setup.get("response_format", f"{kind.name}.utf-8"),
        "enoutput": setup.get("enoutput", True),
        "setup": setup,
        "given": plan.given,
        "has_public_prompt": _has_public_prompt(plan),
        "served_by": plan.card.name,
        "substitution": plan.card.substitution,
    }


def _has_public_prompt(plan: _Plan) -> bool:
    """True when a client said nothing of what a prompt begins with, or only what the model's card says itself."""
    given, own = plan.given, plan.card.defaults
    has_tools = isinstance(given.get("tools"), list)  # else they are the board's, or none
    keys = ("prompt", "system_prompt", "messages")
    return not has_tools and not any(given.get(key) and given[key] != own.get(key) for key in keys)


def _warn(task: Task, plan: _Plan) -> None:
    if plan.warning:
        log.warning("%s, set up with model %s: %s", task.work_id, plan.setup.get("model"), plan.warning)


async def _all_of(endings: list[Coroutine[Any, Any, None]]) -> None:
    await asyncio.gather(*endings)


def setup_data(kind: UnitKind, data: Any) -> dict[str, Any]:
    """The data of a setup, with the types that every unit needs.

    Raises:
        BadField: there is no data object.
        LoadFailed: a required key is missing or of the wrong type.
    """
    if not isinstance(data, dict):
        raise BadField(f"setup of {kind.name} needs a data object")
    for key in kind.required:
        if key not in data:
            raise LoadFailed(f"{key} is missing")
    for key, wanted in (("model", str), ("response_format", str), ("enoutput", bool), ("temporary", bool)):
        if key in data and type(data[key]) is not wanted:
            raise LoadFailed(f"{key} must be {'true or false' if wanted is bool else 'a text'}, it is {data[key]!r}")
        if wanted is str and is_too_long(data.get(key, "")):
            raise LoadFailed(f"{key} may have {MAX_NAME_BYTES} bytes")
    _inputs(data.get("input"))
    if data.get("on_pause", "hold") not in ("hold", "stop"):
        raise LoadFailed('on_pause must be "hold" or "stop"')
    _queue_limit(data, 0)
    interval = data.get("frame_interval_ms", 0)
    if type(interval) not in (int, float) or not 0 <= interval <= 1000:
        raise LoadFailed(f"frame_interval_ms must be a number from 0 to 1000, it is {interval!r}")
    return data


def _queue_limit(data: dict[str, Any], default: int) -> int:
    limit = data.get("queue", default)
    if type(limit) is not int or not 0 <= limit <= 1024:
        raise LoadFailed(f"queue must be a whole number from 0 to 1024, it is {limit!r}")
    return limit


def _inputs(value: Any) -> list[str]:
    """`input` is a text or a list of texts; without it there is none."""
    entries = [] if value is None else [value] if isinstance(value, str) else value
    if isinstance(entries, list) and len(entries) > MAX_INPUTS:
        raise LoadFailed(f"input may name {MAX_INPUTS} sources, it names {len(entries)}")
    if not isinstance(entries, list) or not all(isinstance(each, str) for each in entries):
        raise LoadFailed("input must be a text or a list of texts")
    return list(dict.fromkeys(entries))
