"""One child: a unit program across its restarts, and the tasks that live in it.

A child that dies before READY fails its tasks, and is not tried again until a task asks for it. One that dies later is
started anew after a back-off that grows while the crashes follow each other closely, and its tasks are set up in it
again, those that it may have died of one after the other (`core.tasks.deaths`). A child for which there is no memory
(`runtime.children.memory_budget`) counts as one that died before READY.
"""

import asyncio
import itertools
import logging
import math
import random
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from unitd.core.models.catalog import Card
from unitd.core.repeats import backoff_seconds
from unitd.core.tasks.deaths import Part
from unitd.runtime.children.in_flight import WORK, InFlight, Message
from unitd.runtime.children.process import Process
from unitd.runtime.futures import fail
from unitd.runtime.metrics import ModelMetrics
from unitd.wire.envelope import Envelope
from unitd.wire.errors import LoadFailed, RunFailed, error_of_code

log = logging.getLogger("unitd.supervisor")

FIRST_BACKOFF_SECONDS = 0.5
MAX_BACKOFF_SECONDS = 30.0
# A child that lived this long was healthy: its next crash is answered at once again.
HEALTHY_AFTER_SECONDS = 60.0


class ChildListener:
    """What has a place in a child, a task at run time say, and is told what becomes of the child."""

    @property
    def is_suspect(self) -> bool:
        """True when a death of the child counts against the task (`core.tasks.deaths`)."""
        return False

    def on_output(self, envelope: Envelope) -> None:
        """Take a delta, finish or event of this task."""

    def on_child_ready(self) -> None:
        """Set the task up in the child, which can work now."""

    def on_turn(self) -> None:
        """Ask `may_begin` again: work that waited for that of other tasks may begin."""

    def on_child_lost(self, reason: str, part: Part) -> None:
        """Note that the child died, and with it what was running there."""

    def on_child_failed(self, error: LoadFailed) -> None:
        """Note that the child could not be started."""


Room = Callable[["Child", dict[str, Any]], AbstractAsyncContextManager[None]]
"""Memory for what a child is told to load; LoadFailed on entering when there is none."""


DataLimit = Callable[["Child", int], int | None]
"""Returns how many bytes of private memory a child with so many tasks may have; None where that is not limited."""


class Child:
    """A unit program across its restarts, with the tasks that live in it."""

    def __init__(
        self,
        card: Card,
        argv: Sequence[str],
        load: dict[str, Any],
        meter: ModelMetrics,
        room: Room,
        data_limit: DataLimit,
    ) -> None:
        self.card = card
        self.meter = meter
        self.name = f"{card.unit}/{card.name}"
        self._argv = argv
        self._load = load
        self._room = room
        self._data_limit = data_limit
        self._process: Process | None = None
        self._listeners: dict[str, ChildListener] = {}
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._numbers = itertools.count(1)
        self._wanted = asyncio.Event()
        self.in_flight = InFlight(self._is_suspect, self._take_turns)
        self._to_set_up: deque[str] = deque()
        """Tasks that are set up one after the other; no other work begins meanwhile."""

        self._held: list[Message] = []
        """Messages that have to wait; the next program gets them too."""

        self._crashes = 0
        self._ready_at = 0.0
        self.is_ready = False

    @property
    def pid(self) -> int | None:
        """The process id of the present program; None before the first start."""
        return self._process.pid if self._process else None

    @property
    def state(self) -> str:
        """ "ready", "loading" or "failed"."""
        if self.is_ready:
            return "ready"
        return "loading" if self._wanted.is_set() else "failed"

    @property
    def backlog_bytes(self) -> int:
        """How many bytes were sent and not read yet."""
        return self._process.unread_bytes if self._process else 0

    @property
    def is_empty(self) -> bool:
        """True when no task lives here."""
        return not self._listeners

    def attach(self, work_id: str, listener: ChildListener) -> None:
        """Take a task in: set it up as soon as that may be, and pass its messages on from now."""
        self._listeners[work_id] = listener
        if self._process is not None and (size := self._data_limit(self, len(self._listeners))) is not None:
            self._process.allow_data(size)
        if self.is_ready:
            self._to_set_up.append(work_id)
            self._take_turns()
        else:
            self.start()

    def detach(self, work_id: str) -> None:
        """Let a task go; safe to call twice."""
        self._listeners.pop(work_id, None)
        self._to_set_up = deque(each for each in self._to_set_up if each != work_id)
        untold = {each.fields.get("seq", 0) for each in self._held if each.fields["task"] == work_id}
        self._held = [each for each in self._held if each.fields["task"] != work_id]
        self._end_answers("is not told any more", untold)
        self.in_flight.leave(work_id)

    def start(self) -> None:
        """Start a child that was given up once more; leave one alone that runs or is being started."""
        self._wanted.set()

    def may_begin(self, task: str) -> bool:
        """Return False while this task's inference has to wait for the work of others."""
        return not self._to_set_up and self.in_flight.may_begin(task)

    def send(self, type_: str, payload: bytes = b"", **fields: Any) -> None:
        """Send a message without an answer, after those of its task that have to wait."""
        self._tell(Message(type_, payload, fields))

    def ask(self, type_: str, payload: bytes = b"", **fields: Any) -> asyncio.Future[dict[str, Any]]:
        """Send a message, at once if its task may. Return the answer: fields, the unit's error, or RunFailed."""
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        if not self.is_ready:
            fail(answer, RunFailed(f"{self.name} is not running"))
            return answer
        number = next(self._numbers)
        self._answers[number] = answer
        answer.add_done_callback(lambda _: self._answers.pop(number, None))
        self._tell(Message(type_, payload, fields | {"seq": number}))
        return answer

    def _tell(self, message: Message) -> None:
        """Send a message and note what it makes the program compute, or hold it."""
        if self._must_wait(message):
            self._held.append(message)
            return
        answer = self._answers.get(message.fields.get("seq", 0))
        if message.type in WORK and "task" in message.fields and answer is not None:
            task, number = str(message.fields["task"]), int(message.fields["seq"])
            self.in_flight.begin(task, number, is_setup=message.type == "setup")
            # After what the task makes of the answer, which may clear it.
            loop = asyncio.get_running_loop()
            answer.add_done_callback(lambda _: loop.call_soon(self.in_flight.end, task, number))
        if self._process is not None:
            self._process.send(message.type, message.payload, **message.fields)

    def _must_wait(self, message: Message) -> bool:
        """Return True for work whose task has to wait, and for what follows it."""
        task = message.fields.get("task")
        if task is None or message.type == "setup":
            return False
        is_behind = any(each.fields["task"] == task for each in self._held)
        return is_behind or (message.type in WORK and not self.may_begin(task))

    def _is_suspect(self, task: str) -> bool:
        return task in self._listeners and self._listeners[task].is_suspect

    def _take_turns(self) -> None:
        """Let go on what had to wait and may go on; a setup comes before all other work."""
        if not self.is_ready:
            return
        while self._to_set_up and self.in_flight.may_begin(self._to_set_up[0]):
            self._listeners[self._to_set_up.popleft()].on_child_ready()
        if self._to_set_up:
            return
        held, self._held = self._held, []
        for message in held:
            self._tell(message)
        for listener in list(self._listeners.values()):
            listener.on_turn()

    async def live(self) -> None:
        """Start and restart the program until this is cancelled."""
        try:
            while True:
                await self._wanted.wait()
                try:
                    async with self._room(self, self._load):
                        await self._run()
                except LoadFailed as error:
                    self.on_exit(error.reason, was_ready=False)
        finally:
            self.is_ready = False
            self.in_flight.clear()
            self._held.clear()
            self._end_answers("was stopped", list(self._answers))

    async def _run(self) -> None:
        """Run the program, again after each death, until it is given up."""
        while self._wanted.is_set():
            self._process = Process(self.name, self, self._data_limit(self, len(self._listeners)))
            await self._process.run(self._argv, self._load)
            if self._wanted.is_set():
                await self._back_off()

    async def _back_off(self) -> None:
        if asyncio.get_running_loop().time() - self._ready_at > HEALTHY_AFTER_SECONDS:
            self._crashes = 0
        if self._crashes:
            delay = backoff_seconds(self._crashes, FIRST_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS)
            await asyncio.sleep(delay * random.uniform(0.8, 1.2))
        self._crashes += 1

    def on_ready(self, info: dict[str, Any]) -> None:
        """Set up again the tasks that were there before: the program can work."""
        log.info("%s is ready (pid %s)%s", self.name, self.pid, f", {info['about']}" if "about" in info else "")
        self._ready_at = asyncio.get_running_loop().time()
        self.is_ready = True
        # First all tasks that are no suspects, at once; then one suspect after the other.
        self._to_set_up = deque(sorted(self._listeners, key=self._is_suspect))
        self._take_turns()

    def on_message(self, envelope: Envelope) -> None:
        """Pass an answer on to the caller and output to its task; count losses."""
        if envelope.type == "result":
            self._on_result(envelope.fields)
        elif envelope.type == "shed":
            self.meter.shed_periods += envelope.fields["periods"]
        elif listener := self._listeners.get(str(envelope.fields.get("task", self.card.unit))):
            listener.on_output(envelope)
        else:
            log.debug("%s spoke for a task that is gone: %s", self.name, envelope.type)

    def _on_result(self, fields: dict[str, Any]) -> None:
        answer = self._answers.get(fields.pop("seq", 0))
        if answer is None or answer.done():
            return
        if code := fields.get("code"):
            fail(answer, error_of_code(code, fields.get("message", "")))
        else:
            answer.set_result(fields)

    def on_exit(self, reason: str, *, was_ready: bool, hung_since: float = math.inf) -> None:
        """End every open answer, and tell each task whether the program died of its work."""
        self.is_ready = False
        suspects = self.in_flight.at_work(hung_since)
        self.in_flight.clear()
        self._to_set_up.clear()
        if not was_ready:
            self._held.clear()
        self._end_answers(f"died: {reason}", self._answers.keys() - {each.fields.get("seq") for each in self._held})
        if was_ready:
            over = f" while it worked on {', '.join(sorted(suspects))}" if suspects else ""
            log.warning("%s died%s: %s; it is started again", self.name, over, reason)
            self.meter.restarts += 1
            part = Part.SOLE if len(suspects) == 1 else Part.SHARED
            for work_id, listener in list(self._listeners.items()):
                listener.on_child_lost(reason, part if work_id in suspects else Part.NONE)
            if self.is_empty:
                self._wanted.clear()  # no task needs it
            return
        log.error("%s did not start: %s", self.name, reason)
        self._wanted.clear()
        error = LoadFailed(f"{self.name}: {reason}")
        for listener in list(self._listeners.values()):
            listener.on_child_failed(error)

    def _end_answers(self, fate: str, numbers: Collection[int]) -> None:
        for number in numbers:
            if (answer := self._answers.get(number)) is not None and not answer.done():
                fail(answer, RunFailed(f"{self.name} {fate}"))
