"""All tasks at run time: set up by clients, restored after a restart, ended by exit, with their clients, or for room.

Only the manager has their runners; other objects ask the manager for them.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from unitd.core.access.grants import Grant, sees
from unitd.core.tasks.deaths import Deaths
from unitd.core.tasks.kinds import MAX_INPUTS, UnitKind
from unitd.core.tasks.links import check_link
from unitd.core.tasks.table import ABSENT, Client, Task, TaskTable
from unitd.runtime.audio.hub import AudioHub
from unitd.runtime.audio.latency import TurnLatency
from unitd.runtime.children.supervisor import Supervisor
from unitd.runtime.dispatcher import Call
from unitd.runtime.skills.actions import SkillActions
from unitd.runtime.skills.board_timers import BoardTimers
from unitd.runtime.state_dir import StateDir
from unitd.runtime.tasks.conversations import Conversations
from unitd.runtime.tasks.destinations import Shared
from unitd.runtime.tasks.link_router import LinkRouter
from unitd.runtime.tasks.observers import TaskObservers
from unitd.runtime.tasks.plan import Plan, Planner
from unitd.runtime.tasks.recognizer import Recognizer
from unitd.runtime.tasks.runner import TaskRunner
from unitd.runtime.tasks.setup_probe import SetupProbe
from unitd.runtime.tasks.store import StoredTask, TaskStore
from unitd.wire.errors import BadLink, Unavailable, UnitdError
from unitd.wire.framing import is_too_long
from unitd.wire.messages import Reply, is_task_id

log = logging.getLogger("unitd.roster")

# The log shows so many of the inputs that a setup names in vain, and so many characters of each.
MAX_NAMED, MAX_ECHO = 4, 64


class TaskManager:
    """All tasks at work, from their setup to their end."""

    def __init__(
        self,
        *,
        kinds: Mapping[str, UnitKind],
        task_table: TaskTable,
        supervisor: Supervisor,
        planner: Planner,
        counter: StateDir,
        clock: Callable[[], float],
        audio: AudioHub,
        latency: TurnLatency,
        observers: TaskObservers,
        task_store: TaskStore,
        check_room: Callable[[Client], None],
        recognizer_for: Callable[[str, dict[str, Any]], Recognizer],
        timers: BoardTimers,
        skill_actions: SkillActions,
        conversations: Conversations,
        voice_options: Callable[[Mapping[str, Any]], dict[str, Any]],
    ) -> None:
        """`check_room` raises TaskFull for a client that has enough tasks; `recognizer_for` see `Shared`,
        `voice_options` see `LinkRouter`."""
        self._check_room = check_room
        self._kinds = kinds
        self._task_table = task_table
        self._supervisor = supervisor
        self._planner = planner
        self._counter = counter
        self._clock = clock
        self._observers = observers
        self._task_store = task_store
        self._runners: dict[str, TaskRunner] = {}
        self._links = LinkRouter(task_table, self.find, audio, latency, voice_options, timers.wake)
        shared = (self._links, audio, observers, self._begin, recognizer_for, timers)
        self._shared = Shared(*shared, conversations=conversations, skill_actions=skill_actions)
        self._is_closed = False
        self._group: asyncio.TaskGroup | None = None

    def open(self, group: asyncio.TaskGroup) -> None:
        """Run what belongs to tasks and to no request in this group from now on."""
        self._group = group

    def _begin(self, work: Coroutine[Any, Any, None], name: str) -> None:
        assert self._group is not None
        self._group.create_task(work, name=name)

    def __getitem__(self, work_id: str) -> TaskRunner:
        return self._runners[work_id]

    def find(self, work_id: str) -> TaskRunner | None:
        """Return the runner of a task, or None when there is no such task."""
        return self._runners.get(work_id)

    @property
    def runners(self) -> list[TaskRunner]:
        """Every task at work, oldest first."""
        return list(self._runners.values())

    async def set_up(self, call: Call, kind: UnitKind, data: dict[str, Any]) -> Reply:
        """Set a task up. Answer errors under the unit's name, as the original does: no client takes them for a task."""
        try:
            task = await self._begin_task(call, kind, data)
        except UnitdError as error:
            return call.ok(work_id=kind.name, code=error.code, message=str(error))
        runner = self._runners.get(task.work_id)  # another client may have ended it meanwhile
        if runner is not None and call.client.is_gone and task.ends_with_owner:
            await self.end(runner)
        elif runner is not None:
            runner.is_answered = True
        return call.ok(work_id=task.work_id)

    async def _begin_task(self, call: Call, kind: UnitKind, data: dict[str, Any]) -> Task:
        plan = await self._planner.plan(kind, data)
        await self._make_room(call.client)
        self._check_open()
        work_id = f"{kind.name}.{self._task_table.claim_number()}"
        task = _task(work_id, kind, plan, call.request.request_id, call.client, int(self._clock()))
        task.is_temporary = plan.setup.get("temporary", False)
        task.has_public_prompt |= call.client.door == "pipeline"
        self._listen_to(task, plan.inputs, call.client.grant)
        self._task_table.add(task)
        if call.client.is_gone:  # it left while this waited for its turn
            self._task_table.note_departure(call.client, self._clock())
        if plan.card.note:
            log.info("%s for %s: %s", task.work_id, call.client.name, plan.card.note)
        runner = self._start(task, plan)
        if call.client.keeps_tasks:  # another one's number is never asked for after a restart
            await self._counter.save(self._task_table.next_number)
        try:
            async with asyncio.timeout(kind.patience_seconds):
                await runner.wait_set_up()
        except TimeoutError:
            log.warning("%s: the model still loads, prompts wait for it", task.work_id)
        except BaseException:
            if runner in self.runners:
                await self.end(runner)
            raise
        runner.acknowledge()
        await self._task_store.settled()
        return task

    async def change(self, call: Call, runner: TaskRunner, data: dict[str, Any]) -> Reply:
        """Give a task another model or other settings; it goes on as it is until they are known to work.

        However long the load takes: an answer before its end could not say whether the task has changed.

        Raises:
            LoadFailed: there is no such model, it does not load, or a value cannot be used; nothing has changed.
            Unavailable: the task was ended meanwhile.
        """
        async with runner.changing:
            before, plan = runner.child, await self._planner.plan(runner.task.kind, data)
            self._check_open()
            probe = SetupProbe(runner, self._supervisor.child_for(plan.card), plan)
            try:
                await probe.passed()
                change = partial(self._resettle, runner.task, plan, call.client.grant)
                await runner.move(probe.child, plan, change)
            finally:
                probe.end()
                for child in (before, probe.child):
                    self._supervisor.release(child, for_a_while=runner.task.ends_with_owner)
            log.info("%s is served by %s from now on, for %s", runner.task.work_id, plan.card.name, call.client.name)
        await self._task_store.settled()
        return call.ok()

    def _resettle(self, task: Task, plan: Plan, grant: Grant) -> None:
        """Give a task the settings of a new setup; owner and links stay, new links may come."""
        _warn(task, plan)
        vars(task).update(plan.settings(task.kind))
        self._listen_to(task, plan.inputs, grant)
        self._observers.changed(task.work_id)

    async def restore(self) -> None:
        """Set the tasks of the last run up again under their work_ids; their models load while clients come back.

        One that cannot be set up, because its unit or model is gone, is logged and forgotten, and so are links from it.
        """
        back: list[tuple[Task, Plan, StoredTask]] = []
        for stored in await self._task_store.open(self.stored_task):
            self._task_table.next_number = max(self._task_table.next_number, int(stored.work_id.rpartition(".")[2]) + 1)
            try:
                kind = self._kinds[stored.unit]
                plan = await self._planner.plan(kind, stored.data)
            except (KeyError, UnitdError) as error:
                log.error("%s is not restored: %s", stored.work_id, error)
                self._observers.changed(stored.work_id)
                continue
            task = _task(stored.work_id, kind, plan, stored.request_id, ABSENT, stored.created)
            task.grant_name = stored.holder
            task.abandoned_at = self._clock()
            task.inputs = list(stored.inputs)
            back.append((task, plan, stored))
        there = {task.work_id for task, _, _ in back}
        for task, plan, stored in back:
            task.inputs = [each for each in task.inputs if not is_task_id(each) or each in there]
            self._task_table.add(task)
            self._start(task, plan, stored)

    def stored_task(self, work_id: str) -> StoredTask | None:
        """Return what must survive the daemon of a task; None for one that is gone, or that is not kept."""
        runner = self._runners.get(work_id)
        if runner is None or not runner.task.is_restored or not runner.is_acknowledged:
            return None
        task = runner.task
        return StoredTask(
            work_id=work_id,
            unit=task.kind.name,
            request_id=task.request_id,
            created=task.created,
            data=task.raw_setup,
            inputs=list(task.inputs),
            memory=runner.inferences.memory,
            holder=task.grant_name,
            setup_deaths=runner.deaths.setups,
            inference_deaths=runner.deaths.inferences,
            is_being_set_up=runner.is_slow_to_set_up,
            failure=runner.failure,
        )

    def _start(self, task: Task, plan: Plan, stored: StoredTask | None = None) -> TaskRunner:
        """Start a task; one that was stored in the last run stays failed if it was."""
        _warn(task, plan)
        child = self._supervisor.child_for(plan.card)
        runner = TaskRunner(task, child, plan, self._shared)
        self._runners[task.work_id] = runner
        if stored is not None:
            deaths = Deaths(stored.setup_deaths, stored.inference_deaths)
            runner.deaths = deaths.after_interrupted_setup() if stored.is_being_set_up else deaths
            runner.inferences.memory, runner.is_acknowledged, runner.is_answered = stored.memory, True, True
        if stored is not None and stored.failure:
            log.warning("%s stays failed: %s", task.work_id, stored.failure)
            runner.fail(stored.failure)
        else:
            child.attach(task.work_id, runner)
        return runner

    def _listen_to(self, task: Task, inputs: Iterable[str], grant: Grant) -> None:
        """Link what the setup names, without what means nothing and what belongs to another owner."""
        left_out = []
        for name in inputs:
            if name in task.inputs:
                continue
            if len(task.inputs) < MAX_INPUTS and self._may_listen_to(name, task, grant):
                task.inputs.append(name)
            else:
                left_out.append(name)
        if left_out:
            named = ", ".join(ascii(name[:MAX_ECHO]) for name in left_out[:MAX_NAMED])
            more = f" and {len(left_out) - MAX_NAMED} more" if len(left_out) > MAX_NAMED else ""
            log.warning("%s: left out of its input, nothing it can listen to: %s%s", task.work_id, named, more)

    def _may_listen_to(self, name: str, task: Task, grant: Grant) -> bool:
        if is_too_long(name):
            return False
        if not is_task_id(name):
            return task.kind.may_listen_to(name)
        source = self._task_table.get(name)
        if source is not None and sees(grant, source.grant_name):
            with suppress(BadLink):
                check_link(name, task.work_id, self._task_table.inputs)
                return True
        return False

    async def _make_room(self, client: Client) -> None:
        self._check_room(client)
        while (victim := self._task_table.victim(client.grant.name)) is not None:
            log.warning("%s is ended to make room: its client left longest ago", victim.work_id)
            await self.end(self._runners[victim.work_id])
            self._check_room(client)  # another connection of its token may have been quicker

    # Ends

    def end(self, runner: TaskRunner) -> Coroutine[Any, Any, None]:
        """Begin the end of a task: it is neither found nor listened to any more. Await the result for the end."""
        work_id = runner.task.work_id
        targets = self._task_table.targets_of(work_id)
        self._task_table.remove(runner.task)
        self._runners.pop(work_id, None)
        self._observers.changed(work_id)
        for target in targets:
            self._runners[target.work_id].note_link("unlinked", work_id)
        return self._finish_end(runner, runner.close())

    async def _finish_end(self, runner: TaskRunner, closing: Coroutine[Any, Any, None]) -> None:
        """Free the memory of the task at once, that of its child when no task uses it or soon will."""
        await closing
        self._supervisor.release(runner.child, for_a_while=runner.task.ends_with_owner)
        await self._task_store.settled()  # a task that was said to have ended is not there again after a crash

    def close(self) -> None:
        """Refuse further setups: the daemon stops, and nothing would end what began now."""
        self._is_closed = True

    def _check_open(self) -> None:
        if self._is_closed:
            raise Unavailable("the daemon is stopping")

    def end_all(self, grant_name: str | None = None) -> asyncio.Future[list[None]]:
        """Begin the end of every task, or of all of one grant. Await the result for their ends."""
        return asyncio.gather(*[self.end(each) for each in self.runners if grant_name in (None, each.task.grant_name)])

    def forget_client(self, client: Client) -> None:
        """End the tasks that end with a client that is gone, and cut its inferences, unless a link takes the output."""
        for runner in self.runners:
            if runner.task.owner is client and runner.task.ends_with_owner:
                self._begin(self.end(runner), "end of a client's tasks")
        for runner in self.runners:
            if not self._links.is_listened_to(runner.task):
                runner.inferences.forget_client(client)
        self._task_table.note_departure(client, self._clock())


def _task(work_id: str, kind: UnitKind, plan: Plan, request_id: str, owner: Client, created: int) -> Task:
    """Return a task that listens to nothing yet."""
    return Task(
        work_id=work_id,
        kind=kind,
        inputs=[],
        request_id=request_id,
        owner=owner,
        grant_name=owner.grant.name,
        created=created,
        **plan.settings(kind),
    )


def _warn(task: Task, plan: Plan) -> None:
    if plan.warning:
        log.warning("%s, set up with model %s: %s", task.work_id, plan.setup.get("model"), plan.warning)
