"""One task at work: its queue of inferences, what it says and to whom, pause, interrupt, end.

States. At most one inference runs; `queue` more wait. A pause holds the running one inside the child at a token
boundary, and what arrives meanwhile waits. Whatever happens to an accepted inference (done, interrupted, dropped from
the queue, its child dead), exactly one finish frame goes out for it.

The child is told what to do at once, in the order of the calls; only answers are awaited. So two requests of one
client can never overtake each other.
"""

import asyncio
import itertools
import logging
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any

from unitd.core.access.grants import opaque
from unitd.core.tasks.deaths import Deaths, Part
from unitd.core.tasks.kinds import MICROPHONE
from unitd.core.tasks.table import Client, Task
from unitd.runtime.children.supervisor import Child, fail
from unitd.runtime.tasks.destinations import Destinations, Wake
from unitd.runtime.tasks.observers import TaskObservers
from unitd.runtime.tasks.output import (
    INTERRUPTED,
    End,
    Inference,
    TaskOutput,
)
from unitd.runtime.tasks.tool_loop import Toolbox, ToolUse
from unitd.runtime.tasks.uploads import Uploads
from unitd.wire.envelope import Envelope
from unitd.wire.errors import LoadFailed, RunFailed, Unavailable, UnitdError, error_of_code

log = logging.getLogger("unitd.work")

# A setup that takes longer is noted in the journal; most take milliseconds, and a disk has better things to do.
SLOW_SETUP_SECONDS = 1.0

INFERENCE = "inference"
"""The piece of work (`runtime.children.in_flight`) that the running inference is."""


class TaskRunner:
    """The runtime of one task in one child."""

    def __init__(
        self,
        task: Task,
        child: Child,
        outlets: Destinations,
        observers: TaskObservers,
        queue_limit: int,
        toolbox: Toolbox | None = None,
    ) -> None:
        """With a toolbox, what the model calls is done here and not by the client."""
        self.task = task
        self.child = child
        self._outlets = outlets
        self._queue_limit = queue_limit
        self._numbers = itertools.count(1)
        self._running: Inference | None = None
        self._waiting: deque[Inference] = deque()
        self._dropped: list[Inference] = []
        self._is_set_up = False
        self._setting_up: asyncio.Future[dict[str, Any]] | None = None
        self._is_slow = False
        self._is_paused = False
        self._held_by_policy: Inference | None = None
        self._refusal: UnitdError | None = None
        self._load_failure = ""
        self.frames = TaskOutput(task, child.meter, observers)
        self._observers = observers
        self._toolbox = toolbox
        self._tool_use: ToolUse | None = None
        self.uploads = Uploads(task.work_id, self.ask, self._end_upload)
        self._outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._handlers: Mapping[str, Callable[[Inference, Envelope], None]] = {
            "delta": self._on_delta,
            "speak": self._on_speak,
            "read": self._on_read,
            "tool_call": self._on_tool_call,
            "paused": self._on_paused,
            "finish": self._on_finish,
        }
        self.changing = asyncio.Lock()
        """Held by whoever gives the task another model."""

        self.ending: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done as soon as the task is being ended."""

        self.memory: Any = None
        """What the unit remembers of a conversation, to be given back to the next child."""

        self.deaths = Deaths()
        """Those of its child that count against it."""

        self.failure = ""
        """Why it is not set up in its child again; "" for a task that has not failed."""

        self.is_acknowledged = False
        """True once somebody was told its work_id: from then on it must survive the daemon."""

    @property
    def state(self) -> str:
        """For sys.lstask: loading, failed, paused, running or idle."""
        if self._refusal is not None:
            return "failed"
        if not self.child.is_ready:
            return self.child.state
        if not self._is_set_up:
            return "loading"
        if self._is_paused:
            return "paused"
        return "running" if self._running else "idle"

    @property
    def entry(self) -> dict[str, Any]:
        """What sys.lstask says of it."""
        task = self.task
        entry = {
            "work_id": task.work_id,
            "unit": task.kind.name,
            "model": task.model,
            "served_by": task.served_by,
            "state": self.state,
            "queue": self.queued,
            "inputs_": list(task.inputs),
            "door": task.owner.door,
            "created": task.created,
        }
        if self.state == "failed":
            entry["reason"] = self.failure or str(self._refusal or self._load_failure)
        return entry | ({"note": task.substitution} if task.substitution else {})

    @property
    def hears_microphone(self) -> bool:
        """True while periods of the board's own microphone are wanted."""
        return MICROPHONE in self.task.inputs and self._is_set_up and not self._is_paused and not self._is_closing

    @property
    def is_suspect(self) -> bool:
        """True when a death of the child counts against the task."""
        return self.deaths.is_suspect

    @property
    def is_slow_to_set_up(self) -> bool:
        """True while the child is busy with a setup that takes long, or was acknowledged before its end."""
        return self._is_slow and self._setting_up is not None and not self._setting_up.done()

    @property
    def _is_closing(self) -> bool:
        return self.ending.done()

    @property
    def queued(self) -> int:
        """How many inferences wait."""
        return len(self._waiting)

    # What clients and links ask for

    def begin(self) -> None:
        """Moves into the child; `wait_set_up` tells how that went."""
        self.child.admit(self.task.work_id, self)

    def acknowledge(self) -> None:
        """Somebody is about to be told of the task: it is worth being remembered."""
        self.is_acknowledged = self._is_slow = True
        self._changed()

    def fail(self, failure: str) -> None:
        """Ends everything accepted and stays out of the child until a new setup."""
        self.failure = failure
        self._refusal = RunFailed(f"{failure}; set {self.task.work_id} up anew, or end it")
        self._is_set_up, self._setting_up = False, None
        if not self._outcome.done():
            fail(self._outcome, RunFailed(failure))
        self.uploads.close()
        self._fail_all(RunFailed(failure))
        self.child.dismiss(self.task.work_id)
        self._changed()

    async def wait_set_up(self) -> None:
        """Waits for the child and for its judgement of the setup data.

        Raises:
            LoadFailed: the model does not load.
            Unavailable: the task was ended meanwhile.
            UnitdError: the unit refuses a value.
        """
        await asyncio.shield(self._outcome)

    def submit(self, inference: Inference) -> None:
        """Runs an inference now or queues it.

        Raises:
            Unavailable: the queue is full, or the task is ending.
        """
        if self._is_closing:
            raise Unavailable(f"{self.task.work_id} is ending")
        if self._refusal is not None:
            raise self._refusal if self.failure else RunFailed(str(self._refusal))
        must_wait = self._running is not None or self._is_paused
        if must_wait and len(self._waiting) >= self._queue_limit:
            raise Unavailable(f"{self._queue_limit} prompts wait already")
        inference.number = next(self._numbers)
        self._waiting.append(inference)
        self._start_next()
        self._changed()

    def pause(self) -> asyncio.Future[Any]:
        """Holds the task; done when it has stopped, and no frame of it follows.

        With `"on_pause": "stop"` at setup the running inference ends instead, and the next one may run: the
        behaviour of the original firmware.
        """
        if self.task.setup.get("on_pause") == "stop":
            return self._cut_running()
        self._is_paused, self._held_by_policy = True, None
        self._changed()
        self.frames.hold()
        self._outlets.on_hold(self.task, is_held=True)
        if not self._is_set_up:
            return _done()
        held = self.child.ask("pause", task=self.task.work_id)
        held.add_done_callback(self._on_held)
        return held

    def _on_held(self, held: asyncio.Future[Any]) -> None:
        """What is held computes nothing."""
        if self._is_paused and not held.cancelled() and held.exception() is None:
            self.child.in_flight.end(self.task.work_id, INFERENCE)

    def set_policy(self, pause: Any) -> asyncio.Future[dict[str, Any]]:
        """Where the held answer stops next; RunFailed when the unit cannot make sense of it."""
        return self.child.ask("policy", task=self.task.work_id, pause=pause)

    def resume(self) -> None:
        """Goes on exactly where pause stopped. Needs no answer: the child takes messages in their order."""
        if not self._is_paused:
            return
        self._is_paused, self._held_by_policy = False, None
        if self._is_set_up:
            self.child.send("work", task=self.task.work_id)
            if self._running and self._running.is_sent:
                self.child.in_flight.begin(self.task.work_id, INFERENCE)
        self._outlets.on_hold(self.task, is_held=False)
        self._go_on()
        self._changed()

    def feed(self, inference: Inference, text: str, *, is_last: bool = False) -> None:
        """More text for an open inference; one that is over takes no more."""
        if inference.is_over or not inference.is_open:
            return
        inference.is_open = not is_last
        if inference.is_sent:
            self.child.send("more", text.encode(), task=self.task.work_id, inference=inference.number, is_last=is_last)
        else:
            assert isinstance(inference.data, str)
            inference.data += text

    def ask(self, action: str, payload: bytes = b"", **fields: Any) -> asyncio.Future[dict[str, Any]]:
        """An action that only the child understands (trigger, warm).

        Raises:
            Unavailable: the task is paused or its model still loads.
            RunFailed: the task has failed.
        """
        if self.failure and self._refusal is not None:
            raise self._refusal
        if self._is_paused or not self._is_set_up:
            raise Unavailable(f"{self.task.work_id} is {self.state}")
        answer = self.child.ask(action, payload, task=self.task.work_id, **fields)
        if action == "warm" or fields.get("is_whole"):  # the hardest part of a recording is its end
            answer.add_done_callback(self._on_worked)
        return answer

    def _on_worked(self, answer: asyncio.Future[dict[str, Any]]) -> None:
        """Work that ended well speaks for the task."""
        if not answer.cancelled() and answer.exception() is None:
            self._clear(Deaths())

    def _clear(self, deaths: Deaths) -> None:
        if deaths != self.deaths:
            self.deaths = deaths
            self._changed()

    def _end_upload(self) -> asyncio.Future[Any]:
        """Ends the audio that came in pieces, also of a paused task; done when its child has heard that."""
        if not self._is_set_up:
            return _done()
        ended = self.child.ask("idle", task=self.task.work_id)
        ended.add_done_callback(self._on_worked)
        return ended

    def tell(self, message: str, **fields: Any) -> None:
        """What a link has to say to the child; nothing before it is set up."""
        if self._is_set_up:
            self.child.send(message, task=self.task.work_id, **fields)

    def interrupt(self) -> asyncio.Future[Any]:
        """A wake: what runs or is held ends, the queue is dropped; a paused task stays paused.

        Done when the last finish frame has been sent.
        """
        self._outlets.on_hush(self.task)
        self._drop(lambda _: True)
        return self._cut_running()

    def forget_client(self, client: Client, *, keep: bool) -> None:
        """A client is gone: what it asked for is cut, unless (`keep`) a link takes the output."""
        if keep:
            return
        self._drop(lambda inference: inference.client is client)
        if self._running and self._running.client is client:
            self._cut_running()

    def close(self) -> Coroutine[Any, Any, None]:
        """Begins the end of the task in its child; awaiting the result sees it through, finish frames first."""
        if not self._is_closing:
            self.ending.set_result(None)
        self.uploads.close()
        self._outlets.on_hush(self.task)
        self._outlets.on_hold(self.task, is_held=False)
        if not self._outcome.done():
            fail(self._outcome, Unavailable(f"{self.task.work_id} was ended while its model loaded"))
        self._drop(lambda _: True)
        return self._leave(self._exit())

    def _exit(self) -> asyncio.Future[Any]:
        """Of what is on its way from the child nothing counts any more: no sound is heard, no call is done."""
        if self.failure:
            return _done()
        if self._running and self._running.is_sent:
            self._running.is_cut = True
        return self.child.ask("exit", task=self.task.work_id)

    async def _leave(self, left: asyncio.Future[Any]) -> None:
        """Moves out of the child; what it has of an answer ends, what it has not got yet only with the task."""
        try:
            await left
        except UnitdError as error:
            log.debug("= %s leaves without its child: %s", self.task.work_id, error)
        finally:
            if self._running and (self._running.is_sent or self._is_closing):
                self._finish(self._running, INTERRUPTED)
            self.frames.flush()
            self.child.dismiss(self.task.work_id)

    async def move(self, child: Child, change: Callable[[], None], queue_limit: int, toolbox: Toolbox | None) -> None:
        """Goes on in `child`, or in the same one, with what `change` makes of the task's settings.

        What runs or is held ends as at a wake; what waits, a pause, and what the unit remembers stay.

        Raises:
            Unavailable: the task was ended meanwhile.
        """
        if not self._is_closing:
            await self._stop_here()
        if self._is_closing:
            raise Unavailable(f"{self.task.work_id} was ended while its model changed")
        change()
        self.frames.hold()
        self.frames = TaskOutput(self.task, child.meter, self._observers)
        self.child, self._queue_limit, self._toolbox, self._refusal = child, queue_limit, toolbox, None
        self.failure, self.deaths = "", Deaths()
        self.begin()

    async def _stop_here(self) -> None:
        """What has begun ends; what is next in the queue waits for the new child."""
        self.uploads.close()
        self._outlets.on_hush(self.task)
        self._is_set_up, self._setting_up = False, None
        if self._running and self._tool_use is not None and not self._running.is_sent:
            self._finish(self._running, INTERRUPTED)
        await self._leave(self._exit())

    # What the child says

    def on_output(self, envelope: Envelope) -> None:
        """A delta or finish of the running inference, or an event of the task itself."""
        fields = envelope.fields
        if envelope.type == "event":
            self._on_event(fields)
            return
        inference = self._running
        if inference is None or fields.get("inference") != inference.number:
            log.debug("= %s: output of an inference that is over", self.task.work_id)
        elif (handler := self._handlers.get(envelope.type)) is not None:
            handler(inference, envelope)

    def _on_delta(self, inference: Inference, envelope: Envelope) -> None:
        text = "" if envelope.payload else str(envelope.fields["text"])
        if self._tool_use is not None:  # what was done is told by its outcomes, and not by what a model says of them
            if text and self._tool_use.has_outcomes:
                self.child.ask("cancel", task=self.task.work_id, inference=inference.number)
            return
        self.frames.delta(inference, text, envelope.payload)
        self._outlets.on_delta(self.task, inference, text)

    def _on_speak(self, inference: Inference, envelope: Envelope) -> None:
        if not inference.is_cut:
            self._outlets.on_sound(self.task, inference, envelope.payload)

    def _on_read(self, inference: Inference, envelope: Envelope) -> None:
        self.frames.prompt_read(inference, envelope.fields["prompt_tokens"])

    def _on_paused(self, inference: Inference, envelope: Envelope) -> None:
        """The answer stopped by its policy."""
        self._is_paused, self._held_by_policy = True, inference
        self.child.in_flight.end(self.task.work_id, INFERENCE)
        self._changed()
        self.frames.paused(inference, envelope.fields["reason"], envelope.fields["tokens"])

    def _on_finish(self, inference: Inference, envelope: Envelope) -> None:
        """The end, unless it is only the end of a round of calls."""
        fields = envelope.fields
        self.memory = fields.get("memory", self.memory)
        usage = fields.get("usage") or inference.usage or None
        end = End(fields.get("reason", "stop"), usage, fields.get("stop_word", ""), _error_of(fields))
        if end.reason != INTERRUPTED.reason and end.error is None:
            self._clear(Deaths())
        self.child.in_flight.end(self.task.work_id, INFERENCE)
        use = self._tool_use
        if use is None or inference.is_cut or (end.error and not use.has_outcomes):
            self._finish(inference, end)
            return
        use.count(fields.get("usage") or {})
        inference.is_sent = False  # the child has nothing of it until the calls are done
        if use.is_calling and not end.error:
            go_on = partial(self._go_on_after_calls, inference, use)
            use.run(self.memory, go_on, lambda: inference is self._running and not self._is_closing)
        else:
            self._tell_outcomes(inference, use)

    def _on_tool_call(self, inference: Inference, envelope: Envelope) -> None:
        """Told to the client; done here if the tools are the board's own and not the inference's."""
        call = {key: envelope.fields[key] for key in ("id", "name", "arguments")}
        if self._toolbox is None or "tools" in inference.options:
            self.frames.tool_call(inference, call)
            return
        if self._tool_use is None:
            options = self.task.setup | inference.options
            prompt = str(options.get("prompt", ""))
            self._tool_use = ToolUse(self._toolbox, prompt, str(inference.data), options.get("messages"))
        if self._tool_use.note(call):
            self.frames.tool_call(inference, call)

    def _go_on_after_calls(self, inference: Inference, use: ToolUse) -> None:
        """The model may call again, knowing what came of its calls, unless the answer was cut meanwhile."""
        if inference is not self._running:
            return
        if not use.may_call_again:
            self._tell_outcomes(inference, use)
            return
        inference.data = ""  # the question stands in the messages; nothing of this round is remembered
        inference.options = inference.options | {"messages": use.messages}
        self._go_on()

    def _tell_outcomes(self, inference: Inference, use: ToolUse) -> None:
        """The unit says the outcomes as its answer, and remembers them as such."""
        self._tool_use = None
        inference.usage = use.usage
        inference.data = use.question
        space = " " if inference.last_character.strip() else ""
        inference.answer = space + use.answer
        self._go_on()

    def on_child_ready(self) -> None:
        """Sets the task up, with what the child remembered of it before a crash; then goes on."""
        data = self.task.setup | {"input": list(self.task.inputs)}  # with the links that were made since
        self._setting_up = self.child.ask(
            "setup",
            task=self.task.work_id,
            data=data,
            memory=self.memory,
            owner=opaque(self.task.holder),
            has_public_prompt=self.task.has_public_prompt,
        )
        self._setting_up.add_done_callback(self._on_set_up)
        self._load_failure, self._is_slow = "", False
        asyncio.get_running_loop().call_later(SLOW_SETUP_SECONDS, self._note_slow_setup, self._setting_up)

    def _note_slow_setup(self, setting_up: asyncio.Future[dict[str, Any]]) -> None:
        """The next daemon must know of it, should this one end over it."""
        if setting_up is self._setting_up and not setting_up.done():
            self._is_slow = True
            if self.is_acknowledged:
                self._changed()

    def _on_set_up(self, answer: asyncio.Future[dict[str, Any]]) -> None:
        if answer is not self._setting_up:
            return  # of a setup that is not this task's any more
        error = answer.exception()
        if isinstance(error, RunFailed) and not self.child.is_ready:
            return  # the child died over it; the next one, or its failure, decides
        if not self._outcome.done():
            fail(self._outcome, error) if error else self._outcome.set_result(None)
        if isinstance(error, UnitdError):
            self._refusal = error
            self._fail_all(RunFailed(str(error)))
            self._changed()
            return
        self._is_set_up = True
        self.deaths = self.deaths.after_setup()
        self._changed()
        if self._is_paused:
            self.child.send("pause", task=self.task.work_id)
        self._outlets.on_change()
        self._go_on()

    def on_turn(self) -> None:
        """An inference that waited for the work of others may be sent now."""
        if self._is_set_up and self._running and not self._running.is_sent:
            self._go_on()

    def on_child_lost(self, reason: str, part: Part) -> None:
        """What ran or was held is over; what waits stays for the next child, unless the task has failed."""
        self.deaths = self.deaths.after(part, in_setup=not self._is_set_up)
        self._is_set_up, self._setting_up = False, None
        if self._running and self._running.is_sent:
            self._finish(self._running, End("error", error=RunFailed(f"{self.child.name} died: {reason}")))
        if self.deaths.are_too_many and not self._is_closing:
            self.child.meter.failed_tasks += 1
            failure = f"{self.child.name} died twice while it worked on this task: {reason}"
            log.error("%s has failed and is not set up again: %s", self.task.work_id, failure)
            self.fail(failure)
        self._changed()

    def on_child_failed(self, error: LoadFailed) -> None:
        """There is no next child: everything accepted ends with the reason, whoever waits for setup is told."""
        self._is_set_up = False
        self._load_failure = error.reason
        if not self._outcome.done():
            fail(self._outcome, error)
        self._fail_all(RunFailed(error.reason))
        self._changed()

    # Inside

    def _changed(self) -> None:
        self._observers.changed(self.task.work_id)

    def _start_next(self) -> None:
        if self._running or self._is_paused or not self._waiting:
            return
        self._running = self._waiting.popleft()
        self._go_on()
        self.child.revive()

    def _go_on(self) -> None:
        """Sends the running inference if its child has not got it yet, else takes the next one."""
        if self._is_paused:
            return
        if self._running is None:
            self._start_next()
            return
        self.frames.begin(self._running)
        is_at_tools = self._tool_use is not None and self._tool_use.is_at_work
        is_due = self._is_set_up and not self._running.is_sent and not is_at_tools
        if is_due and self.child.may_begin(self.task.work_id):
            self._send(self._running)

    def _send(self, inference: Inference) -> None:
        inference.is_sent = True
        self.child.in_flight.begin(self.task.work_id, INFERENCE)
        is_text = isinstance(inference.data, str)
        self.child.send(
            "infer",
            inference.data.encode() if isinstance(inference.data, str) else inference.data,
            is_text=is_text,
            task=self.task.work_id,
            inference=inference.number,
            is_open=inference.is_open,
            # What a link asks for is somebody speaking: before background jobs of clients.
            priority=int(inference.client is None),
            client=opaque((inference.client or self.task.owner).party),
            options=inference.options,
            **({"answer": inference.answer} if inference.answer else {}),
        )

    def _cut_running(self) -> asyncio.Future[Any]:
        """Ends the running or held inference; the future is done when its finish frame has been sent."""
        inference = self._running
        if inference is not None and inference.is_sent:
            inference.is_cut = True
            return self.child.ask("cancel", task=self.task.work_id, inference=inference.number)
        if inference is not None:
            self._finish(inference, INTERRUPTED)
        return _done()

    def _drop(self, is_unwanted: Callable[[Inference], bool]) -> None:
        """Takes inferences out of the queue; their finish frames follow that of the running one."""
        self._dropped += [each for each in self._waiting if is_unwanted(each)]
        self._waiting = deque(each for each in self._waiting if not is_unwanted(each))
        if self._running is None:
            self._finish_dropped()

    def _finish_dropped(self) -> None:
        dropped, self._dropped = self._dropped, []
        for inference in dropped:
            inference.is_cut = True
            self._say_finish(inference, INTERRUPTED)

    def _fail_all(self, error: RunFailed) -> None:
        """Everything accepted ends with the same reason."""
        everything = [*([self._running] if self._running else []), *self._waiting]
        self._waiting.clear()
        for inference in everything:
            self._finish(inference, End("error", error=error))

    def _on_event(self, fields: dict[str, Any]) -> None:
        """Links first (a wake must not wait for a slow client), then the task's own frame."""
        at = fields.get("heard_at") or time.monotonic()
        if fields.get("is_wake") or fields.get("is_repeat"):
            self._outlets.on_wake(self.task, _wake_of(fields, at))
        if fields.get("is_unheard"):
            self._outlets.on_unheard(self.task)
        if "is_speech" in fields:
            self._outlets.on_speech(self.task, fields["is_speech"], at)
        if fields.get("text"):
            self._outlets.on_text(self.task, fields["text"], fields.get("speech_ended_at"))
        if "data" in fields:
            self.frames.event(fields["data"], self.uploads.asker if fields.get("source") == "upload" else None)

    def _finish(self, inference: Inference, end: End) -> None:
        """The one end of an accepted inference; then the links, then whatever waits."""
        if inference is self._running:
            self._running = None
            self.child.in_flight.end(self.task.work_id, INFERENCE)
        self._tool_use = None
        if inference is self._held_by_policy:  # it was the answer that stopped, not the task
            self._is_paused, self._held_by_policy = False, None
        self._say_finish(inference, end)
        self._finish_dropped()
        if not self._is_closing:
            self._start_next()
            self._changed()

    def _say_finish(self, inference: Inference, end: End) -> None:
        self.frames.finish(inference, end)
        self._outlets.on_end(self.task, inference)
        if inference.when_over is not None:
            inference.when_over()


def _done() -> asyncio.Future[Any]:
    """A future for what needed no child."""
    done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    done.set_result(None)
    return done


def _wake_of(fields: dict[str, Any], at: float) -> Wake:
    """The wake of a kws event; a word whose end is not told ended when it was recognised."""
    return Wake(
        at,
        word_ended_at=float(fields.get("word_ended_at", at)),
        phrase=str(fields.get("phrase", "")),
        chimes=bool(fields.get("chime")),
        is_repeat=bool(fields.get("is_repeat")),
    )


def _error_of(fields: dict[str, Any]) -> UnitdError | None:
    """The error that a finish carries."""
    return error_of_code(fields["code"], str(fields.get("message", ""))) if fields.get("code") else None
