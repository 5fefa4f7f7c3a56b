"""What clients do with tasks: setup, inference, link, unlink, pause, work, cancel, exit, taskinfo, trigger, warm.

Each handler decides on the registry's word, tells the task's work, and answers. The order of the words below is that
of docs/protocol.md.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, MutableMapping
from contextlib import suppress
from typing import Any, Protocol

from unitd.core.catalog import Card
from unitd.core.kinds import UnitKind
from unitd.core.links import check_link, effect_of
from unitd.core.registry import Client, Registry, Task
from unitd.runtime.dispatcher import Answer, Begun, Call, Handler
from unitd.runtime.frames import Asker, Inference
from unitd.runtime.supervisor import Supervisor
from unitd.runtime.switchboard import Switchboard
from unitd.runtime.tooluse import Toolbox
from unitd.runtime.watch import Watch
from unitd.runtime.work import Work
from unitd.wire.errors import (
    BadField,
    BadLink,
    EmptyInput,
    LoadFailed,
    NotAnInput,
    RunFailed,
    UnitdError,
)
from unitd.wire.messages import NONE, Reply, error_reply, is_task_id, unit_of

log = logging.getLogger("unitd.actions")


class Shelf(Protocol):
    """Where models are found; looked through anew for each setup, off the event loop."""

    async def resolve(self, unit: str, name: str) -> Card:
        """The card that serves a name, LoadFailed if none does."""


class Counter(Protocol):
    """Gives work_id numbers that survive a restart."""

    async def save(self, next_number: int) -> None:
        """Remembers the number that comes next."""


class Actions:
    """The handlers, over the registry and the children; `works` holds every task at work, by work_id."""

    def __init__(
        self,
        *,
        kinds: Mapping[str, UnitKind],
        registry: Registry,
        supervisor: Supervisor,
        shelf: Shelf,
        counter: Counter,
        clock: Callable[[], float],
        queue_limit: int,
        works: MutableMapping[str, Work],
        switchboard: Switchboard,
        watch: Watch,
        toolboxes: Mapping[str, Toolbox],
    ) -> None:
        self._kinds = kinds
        self._registry = registry
        self._supervisor = supervisor
        self._shelf = shelf
        self._counter = counter
        self._clock = clock
        self._queue_limit = queue_limit
        self._works = works
        self._switchboard = switchboard
        self._watch = watch
        self._toolboxes = toolboxes

    @property
    def handlers(self) -> dict[str, Handler]:
        """By action."""
        return {
            "setup": self._setup,
            "inference": self._inference,
            "link": self._link,
            "unlink": self._unlink,
            "pause": self._pause,
            "work": self._resume,
            "cancel": self._cancel,
            "exit": self._exit,
            "taskinfo": self._taskinfo,
            "trigger": self._unit_action,
            "warm": self._unit_action,
        }

    @property
    def works(self) -> list[Work]:
        """Every task at work, oldest first."""
        return list(self._works.values())

    # Setup

    def _setup(self, call: Call) -> Answer:
        kind = self._kinds[unit_of(call.request.work_id)]
        try:
            data = _setup_data(kind, call.request.data)
        except UnitdError as error:
            return call.ok(work_id=kind.name, code=error.code, message=str(error))
        return self._set_up(call, kind, data)

    async def _set_up(self, call: Call, kind: UnitKind, data: dict[str, Any]) -> Reply:
        """Answers errors under the unit's name, as the original does, so that no client takes them for a task."""
        try:
            task = await self._begin_task(call, kind, data)
        except UnitdError as error:
            return call.ok(work_id=kind.name, code=error.code, message=str(error))
        if call.client.is_gone and not call.client.keeps_tasks:
            await self._end(self._works[task.work_id])
        return call.ok(work_id=task.work_id)

    async def _begin_task(self, call: Call, kind: UnitKind, data: dict[str, Any]) -> Task:
        card = await self._card_for(kind, data)
        setup = _setup_data(kind, card.defaults | data)
        toolbox = self._toolbox_of(setup) if kind.name == "llm" else None
        if toolbox is not None:
            setup = await toolbox.prepare(setup)
        await self._make_room()
        task = self._new_task(call, kind, setup)
        if card.note:
            log.info("%s for %s: %s", task.work_id, call.client.name, card.note)
        child = self._supervisor.child_for(card)
        queue_limit = _queue_limit(setup, self._queue_limit)
        work = Work(task, child, self._switchboard, self._watch, queue_limit, toolbox)
        self._works[task.work_id] = work
        work.begin()
        if call.client.keeps_tasks:  # another one's number is never asked for after a restart
            await self._counter.save(self._registry.next_number)
        try:
            async with asyncio.timeout(kind.patience_seconds):
                await work.wait_set_up()
        except TimeoutError:
            log.warning("%s: the model still loads, prompts wait for it", task.work_id)
        except BaseException:
            if work in self.works:
                await self._end(work)
            raise
        return task

    def _toolbox_of(self, setup: dict[str, Any]) -> Toolbox | None:
        """The board's own tools, where the setup names them."""
        name = setup.get("tools")
        if not isinstance(name, str):
            return None
        if name not in self._toolboxes:
            raise LoadFailed(f"there are no tools {name!r} here; [home] tools names a file of them")
        return self._toolboxes[name]

    async def _card_for(self, kind: UnitKind, data: dict[str, Any]) -> Card:
        """A unit that needs no model (a third party's, say) runs without a card."""
        if "model" not in kind.required and "model" not in data:
            return Card(kind.name, kind.name, is_bundled=True)
        return await self._shelf.resolve(kind.serving, data["model"])

    def _new_task(self, call: Call, kind: UnitKind, data: dict[str, Any]) -> Task:
        inputs = _inputs(data.get("input"))
        work_id = f"{kind.name}.{self._registry.claim_number()}"
        task = Task(
            work_id=work_id,
            kind=kind,
            model=data.get("model", ""),
            response_format=data.get("response_format", f"{kind.name}.utf-8"),
            enoutput=data.get("enoutput", True),
            inputs=[],
            setup=data,
            request_id=call.request.request_id,
            owner=call.client,
            created=int(self._clock()),
        )
        for entry in inputs:
            if is_task_id(entry) and (self._registry.get(entry) is None or effect_of(entry, work_id) is None):
                log.warning("%s: input %s is no task it can listen to, left out", work_id, entry)
            else:
                task.inputs.append(entry)
        self._registry.add(task)
        return task

    async def _make_room(self) -> None:
        while (victim := self._registry.victim()) is not None:
            log.warning("%s is ended to make room: its client left longest ago", victim.work_id)
            await self._end(self._works[victim.work_id])

    # The other actions

    def _inference(self, call: Call) -> Answer:
        task = self._registry.get(call.request.work_id)
        if task is None:
            raise NotAnInput(f"there is no task {call.request.work_id}; set one up and use its work_id")
        if not task.takes_input:
            raise NotAnInput(f'{task.work_id} takes no input; set it up with "input": "{task.kind.name}.utf-8"')
        data = call.request.data
        if "messages" in call.request.options and data in (None, NONE):
            data = ""  # the conversation says it all
        elif not isinstance(data, str | bytes) or not (data.strip() if isinstance(data, str) else data):
            raise EmptyInput("nothing to infer from")
        self._registry.note_client(task, call.client)
        if task.kind.hears:
            return self._hear(call, self._works[task.work_id])
        self._works[task.work_id].submit(Inference(call.request.request_id, call.client, data, call.request.options))
        return None

    @staticmethod
    def _hear(call: Call, work: Work) -> None:
        """Uploaded audio is heard in its order and not answered; what it says is, and what is wrong with it."""
        request, client = call.request, call.client
        if not isinstance(request.data, bytes):
            raise RunFailed(
                f'audio travels as base64 ("object": "{work.task.kind.name}.base64") or behind a RAW header'
            )
        if "mp3" in request.object:
            raise RunFailed("MP3 is not understood; 16-bit PCM is (WAV or raw)")
        form = "wav" if "wav" in request.object else "pcm"
        is_whole = form == "wav" or "stream" in request.object
        heard = work.uploads.hear(Asker(client, request.request_id), request.data, form, is_whole=is_whole)

        def tell_fault(heard: asyncio.Future[Any]) -> None:
            if not heard.cancelled() and isinstance(error := heard.exception(), UnitdError):
                work.child.meter.errors[error.code] += 1
                client.send(error_reply(error, request.request_id, request.work_id))

        heard.add_done_callback(tell_fault)

    def _link(self, call: Call) -> Answer:
        task = self._addressed(call)
        source = call.request.data
        if not isinstance(source, str):
            raise BadLink('data must be a work_id such as "kws.1000"')
        if not task.kind.may_listen_to(source):
            check_link(source, task.work_id, self._registry.inputs)
        if source not in task.inputs:
            task.inputs.append(source)
            self._works[task.work_id].tell("linked", source=source)
            self._switchboard.on_change()
            self._watch.changed(task.work_id)
        return call.ok()

    def _unlink(self, call: Call) -> Answer:
        task = self._addressed(call)
        if call.request.data in task.inputs:
            task.inputs.remove(call.request.data)
            self._works[task.work_id].tell("unlinked", source=call.request.data)
            self._switchboard.on_change()
            self._watch.changed(task.work_id)
        return call.ok()

    def _pause(self, call: Call) -> Answer:
        return Begun(_when_stopped(call, self._work_of(call).pause()))

    def _resume(self, call: Call) -> Answer:
        work = self._work_of(call)
        if isinstance(call.request.data, dict) and "pause" in call.request.data:
            return Begun(self._resume_with(call, work, work.set_policy(call.request.data["pause"])))
        work.resume()
        return call.ok()

    @staticmethod
    async def _resume_with(call: Call, work: Work, policy: Awaitable[Any]) -> Reply:
        await policy
        work.resume()
        return call.ok()

    def _cancel(self, call: Call) -> Answer:
        """What runs, is held or waits ends, as at a wake; the task stays."""
        return Begun(_when_stopped(call, self._work_of(call).interrupt()))

    def _exit(self, call: Call) -> Answer:
        return Begun(_when_done(call, self._end(self._work_of(call))))

    def _taskinfo(self, call: Call) -> Answer:
        unit = unit_of(call.request.work_id)
        if call.request.work_id == unit:
            tasks = [task.work_id for task in self._registry.of_unit(unit)]
            return call.ok(object=f"{unit}.tasklist", data=tasks)
        task = self._registry.find(call.request.work_id)
        info = {
            "enoutput": task.enoutput,
            "inputs_": list(task.inputs),
            "model": task.model,
            "response_format": task.response_format,
        }
        return call.ok(object=f"{unit}.taskinfo", data=info)

    def _unit_action(self, call: Call) -> Answer:
        fields = {} if call.request.data in (None, "None") else {"data": call.request.data}
        return Begun(_when_done(call, self._work_of(call).ask(call.request.action, **fields)))

    # Ends

    def _end(self, work: Work) -> Coroutine[Any, Any, None]:
        """Begins the end of a task: nobody finds it any more. Awaiting the result sees it through."""
        self._registry.remove(work.task)
        self._works.pop(work.task.work_id, None)
        self._watch.changed(work.task.work_id)
        return self._finish_end(work, work.close())

    async def _finish_end(self, work: Work, closing: Coroutine[Any, Any, None]) -> None:
        """The task's memory is free at once, its child's when nobody else uses it or soon will."""
        await closing
        self._supervisor.release(work.child, for_a_while=not work.task.owner.keeps_tasks)

    def end_all(self) -> Coroutine[Any, Any, None]:
        """Begins the end of every task (sys.reset, and the end of the daemon); awaiting the result sees it through."""
        return _all_of([self._end(work) for work in self.works])

    def forget_client(self, client: Client) -> list[Coroutine[Any, Any, None]]:
        """A client is gone: its inferences are cut unless a link takes their output, its tasks stay if it keeps them.

        Returns what sees the others through to their ends.
        """
        leaving = [work for work in self.works if work.task.owner is client and not client.keeps_tasks]
        ends = [self._end(work) for work in leaving]
        for work in self.works:
            work.forget_client(client, keep=self._switchboard.is_listened_to(work.task))
        self._registry.note_departure(client, self._clock())
        return ends

    def _addressed(self, call: Call) -> Task:
        """The task that a request names; whoever addresses it may get its output later."""
        task = self._registry.find(call.request.work_id)
        self._registry.note_client(task, call.client)
        return task

    def _work_of(self, call: Call) -> Work:
        return self._works[self._addressed(call).work_id]


async def _all_of(endings: list[Coroutine[Any, Any, None]]) -> None:
    await asyncio.gather(*endings)


async def _when_done(call: Call, doing: Awaitable[Any]) -> Reply:
    """The plain answer, once what the call has begun is done."""
    await doing
    return call.ok()


async def _when_stopped(call: Call, stopped: Awaitable[Any]) -> Reply:
    """The plain answer to pause and cancel; a child that died over it has stopped too."""
    with suppress(RunFailed):
        await stopped
    return call.ok()


def _setup_data(kind: UnitKind, data: Any) -> dict[str, Any]:
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
    for key, wanted in (("model", str), ("response_format", str), ("enoutput", bool)):
        if key in data and type(data[key]) is not wanted:
            raise LoadFailed(f"{key} must be {'true or false' if wanted is bool else 'a text'}, it is {data[key]!r}")
    _inputs(data.get("input"))
    if data.get("on_pause", "hold") not in ("hold", "stop"):
        raise LoadFailed('on_pause must be "hold" or "stop"')
    _queue_limit(data, 0)
    return data


def _queue_limit(data: dict[str, Any], default: int) -> int:
    limit = data.get("queue", default)
    if type(limit) is not int or not 0 <= limit <= 1024:
        raise LoadFailed(f"queue must be a whole number from 0 to 1024, it is {limit!r}")
    return limit


def _inputs(value: Any) -> list[str]:
    """`input` is a text or a list of texts; without it there is none."""
    entries = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(entries, list) or not all(isinstance(each, str) for each in entries):
        raise LoadFailed("input must be a text or a list of texts")
    return list(dict.fromkeys(entries))
