"""The inferences of one task: sent to its child one at a time, paused, cut and finished.

Whatever happens to an accepted inference (it is done, interrupted, dropped from the queue, its child dies), exactly one
finish frame is sent for it.

The child is told what to do at once, in the order of the calls; only answers are awaited. So two requests of one client
never overtake each other.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

from unitd.core.access.grants import opaque
from unitd.core.tasks.kinds import MICROPHONE
from unitd.core.tasks.table import Client, Task
from unitd.runtime.children.child import Child
from unitd.runtime.futures import done, is_good
from unitd.runtime.tasks.destinations import Shared, is_voice
from unitd.runtime.tasks.output import INTERRUPTED, End, Inference, TaskOutput
from unitd.runtime.tasks.plan import Plan
from unitd.runtime.tasks.queue import InferenceQueue
from unitd.runtime.tasks.states import InferenceState, TaskState
from unitd.runtime.tasks.task_tools import TaskTools
from unitd.runtime.tasks.waiting_pictures import WaitingPictures
from unitd.wire.envelope import Envelope
from unitd.wire.errors import RunFailed, Unavailable, UnitdError, error_of_code

log = logging.getLogger("unitd.work")

INFERENCE = "inference"
"""The piece of work (`runtime.children.in_flight`) that the running inference is."""


class InferenceRunner:
    """What a task computes for its clients and links, in the child where the task is."""

    def __init__(
        self, task: Task, shared: Shared, state: Callable[[], TaskState], on_good_end: Callable[[], None]
    ) -> None:
        """`state` returns that of the task; `on_good_end` is called when an answer has ended well."""
        self.task = task
        self._shared = shared
        self._state = state
        self._on_good_end = on_good_end
        self.queue = InferenceQueue()
        self.pictures = WaitingPictures(lambda: self.child.meter)
        self._is_paused = False
        self.memory: Any = None
        """What the unit remembers of a conversation, to be given back to the next child."""

        self.tools = TaskTools(
            task,
            shared,
            memory=lambda: self.memory,
            tell=lambda inference, call: self.output.tool_call(inference, call),
            say=lambda inference, text: self._say(inference, text),
            compute=lambda _: self.go_on(),
        )

        self._handlers: Mapping[str, Callable[[Inference, Envelope], None]] = {
            "delta": self._on_delta,
            "speak": self._on_speak,
            "read": self._on_read,
            "tool_call": self._on_tool_call,
            "paused": self._on_paused,
            "finish": self._on_finish,
        }

    def settle_in(self, child: Child, plan: Plan) -> TaskOutput:
        """Work in this child and by this plan from now on. Return what sends the task's frames."""
        self.tools.settle_in(plan)
        self.child, self._queue_limit = child, plan.queue_limit
        self.output = TaskOutput(self.task, child.meter, self._shared.observers)
        return self.output

    @property
    def is_paused(self) -> bool:
        """True while the task is held, or the running answer is held by its own policy."""
        running = self.queue.running
        return self._is_paused or (running is not None and running.state is InferenceState.HELD)

    @property
    def hears_microphone(self) -> bool:
        """True while periods of the board's own microphone are wanted."""
        return MICROPHONE in self.task.inputs and self._is_ready and not self.is_paused

    @property
    def _is_ready(self) -> bool:
        return self._state() is TaskState.READY

    # What clients and links ask for

    def submit(self, inference: Inference) -> None:
        """Run an inference now or queue it; raise Unavailable when the queue is full."""
        must_wait = self.queue.running is not None or self.is_paused
        if must_wait and len(self.queue) >= self._queue_limit:
            raise Unavailable(f"{self._queue_limit} prompts wait already")
        if self.task.kind.sees:
            inference.options = self.pictures.go_with(inference.options)
        self.queue.add(inference)
        self._start_next()
        self._changed()

    def feed(self, inference: Inference, text: str, *, is_last: bool = False) -> None:
        """Add text to an open inference; one that is over takes no more."""
        if inference.is_over or not inference.is_open:
            return
        inference.is_open = not is_last
        if inference.is_in_child:
            self._tell("more", text.encode(), inference=inference.number, is_last=is_last)
        else:
            assert isinstance(inference.data, str)
            inference.data += text

    def pause(self) -> asyncio.Future[Any]:
        """Hold the task. The future is done when the task has stopped and no frame of it follows.

        With `"on_pause": "stop"` at setup the running inference ends instead, and the next one may run: the behaviour
        of the original firmware.
        """
        if self.task.setup.get("on_pause") == "stop":
            return self.cut()
        self._is_paused = True
        self.tools.pause()
        self._changed()
        self.output.hold()
        self.pass_on_hold(is_held=True)
        if not self._is_ready:
            return done()
        held = self._ask("pause")
        held.add_done_callback(self._on_held)
        return held

    def _on_held(self, held: asyncio.Future[Any]) -> None:
        if self.is_paused and is_good(held):  # what is held computes nothing
            self._note_end_of_work()

    def resume(self) -> None:
        """Go on exactly where the pause stopped. Needs no answer: the child takes messages in their order."""
        if not self.is_paused:
            return
        self._is_paused, running = False, self.queue.running
        self.tools.resume()
        if running is not None and running.state is InferenceState.HELD:
            running.advance(InferenceState.COMPUTING)
        if self._is_ready:
            self._tell("work")
            if running is not None and running.is_in_child:
                self.child.in_flight.begin(self.task.work_id, INFERENCE)
        self.pass_on_hold(is_held=False)
        self.go_on()
        self._changed()

    def pass_on_hold(self, *, is_held: bool) -> None:
        """Silence a voice at once, or let it go on where it stopped; open or close the microphone."""
        if is_voice(self.task):
            self._shared.audio.hold(self.task.work_id, is_held=is_held)
        self._shared.audio.attend(self)

    def interrupt(self) -> asyncio.Future[Any]:
        """End what runs or is held and drop the queue, as at a wake; a paused task stays paused.

        The future is done when the last finish frame has been sent.
        """
        self.hush()
        self.drop()
        return self.cut()

    def forget_client(self, client: Client) -> None:
        """Cut what a client that is gone asked for."""
        self.drop(lambda inference: inference.client is client)
        if self.queue.running is not None and self.queue.running.client is client:
            self.cut()

    def hush(self) -> None:
        """Stop what a voice has given to the loudspeaker."""
        if is_voice(self.task):
            self._shared.audio.stop(self.task.work_id)

    def drop(self, is_unwanted: Callable[[Inference], bool] = lambda _: True) -> None:
        """Take inferences out of the queue; their finish frames follow that of the running one."""
        self.queue.drop(is_unwanted)
        if self.queue.running is None:
            self._finish_dropped()

    def cut(self) -> asyncio.Future[Any]:
        """End the running or held inference. The future is done when its finish frame has been sent."""
        inference = self.queue.running
        if inference is not None and inference.is_in_child:
            inference.advance(InferenceState.CUT)
            return self._ask("cancel", inference=inference.number)
        if inference is not None:
            self._finish(inference, INTERRUPTED)
        return done()

    # What becomes of the task in its child

    def go_on(self) -> None:
        """Send the running inference if its child may have it now, or begin with the next one."""
        if self.is_paused:
            return
        if (running := self.queue.running) is None:
            self._start_next()
            return
        self.output.begin(running)
        is_due = self._is_ready and running.state is InferenceState.DUE
        if is_due and not self.tools.begin(running) and self.child.may_begin(self.task.work_id):
            self._send(running)

    def on_turn(self) -> None:
        """Send the running inference if it waited for the work of other tasks."""
        if self._is_ready and self.queue.running is not None and self.queue.running.state is InferenceState.DUE:
            self.go_on()

    def fail_all(self, error: RunFailed) -> None:
        """End everything that was accepted with the same reason."""
        for inference in self.queue.take_all():
            self._finish(inference, End("error", error=error))

    def end_in_child(self, end: End) -> None:
        """End what the child has of an answer."""
        if self.queue.running is not None and self.queue.running.is_in_child:
            self._finish(self.queue.running, end)

    def end_tools(self) -> None:
        """End an answer between two rounds of calls: its next round belongs to the child that the task leaves."""
        if self.queue.running is not None and self.tools.are_used and not self.queue.running.is_in_child:
            self._finish(self.queue.running, INTERRUPTED)

    def note_exit(self) -> None:
        """Let nothing count that is still on its way from the child: no sound is heard, no call is done."""
        if self.queue.running is not None and self.queue.running.is_in_child:
            self.queue.running.advance(InferenceState.CUT)

    # What the child says

    def on_output(self, envelope: Envelope) -> None:
        """Pass on a message about the running inference; one about another inference comes too late."""
        inference = self.queue.running
        if inference is None or envelope.fields.get("inference") != inference.number:
            log.debug("= %s: output of an inference that is over", self.task.work_id)
        elif (handler := self._handlers.get(envelope.type)) is not None:
            handler(inference, envelope)

    def _on_delta(self, inference: Inference, envelope: Envelope) -> None:
        text = "" if envelope.payload else str(envelope.fields["text"])
        if self.tools.hide_text:
            if text and self.tools.have_outcomes:
                self._ask("cancel", inference=inference.number)
            return
        self._say(inference, text, envelope.payload)

    def _say(self, inference: Inference, text: str, payload: bytes = b"") -> None:
        self.tools.hear(text)
        self.output.delta(inference, text, payload)
        self._shared.links.on_delta(self.task, inference, text)

    def _on_speak(self, inference: Inference, envelope: Envelope) -> None:
        if not inference.is_cut:
            self._shared.audio.play(self.task.work_id, inference.number, envelope.payload, self.task.grant_name)

    def _on_read(self, inference: Inference, envelope: Envelope) -> None:
        self.output.prompt_read(inference, envelope.fields["prompt_tokens"])

    def _on_paused(self, inference: Inference, envelope: Envelope) -> None:
        """Note that the answer stopped by its policy: the answer is held, not the task."""
        inference.advance(InferenceState.HELD)
        self._note_end_of_work()
        self._changed()
        self.output.paused(inference, envelope.fields["reason"], envelope.fields["tokens"])

    def _on_tool_call(self, inference: Inference, envelope: Envelope) -> None:
        self.tools.note(inference, {key: envelope.fields[key] for key in ("id", "name", "arguments")})

    def _on_finish(self, inference: Inference, envelope: Envelope) -> None:
        """End the answer, or only a round of calls."""
        fields = envelope.fields
        self.memory = fields.get("memory", self.memory)
        usage = self.tools.total(fields.get("usage") or inference.usage) or None
        end = End(fields.get("reason", "stop"), usage, fields.get("stop_word", ""), _error_of(fields))
        if end.reason != INTERRUPTED.reason and end.error is None:
            self._on_good_end()
        self._note_end_of_work()
        if not self.tools.end_round(inference, end, fields.get("usage") or {}):
            self._finish(inference, end)

    # Inside

    def _changed(self) -> None:
        self._shared.observers.changed(self.task.work_id)

    def _tell(self, message: str, payload: bytes = b"", **fields: Any) -> None:
        self.child.send(message, payload, task=self.task.work_id, **fields)

    def _ask(self, message: str, **fields: Any) -> asyncio.Future[Any]:
        return self.child.ask(message, task=self.task.work_id, **fields)

    def _note_end_of_work(self) -> None:
        self.child.in_flight.end(self.task.work_id, INFERENCE)

    def _start_next(self) -> None:
        if not self.is_paused and self.queue.take_next():
            self.go_on()
            self.child.start()

    def _send(self, inference: Inference) -> None:
        inference.advance(InferenceState.COMPUTING)
        self.child.in_flight.begin(self.task.work_id, INFERENCE)
        self._tell(
            "infer",
            inference.data.encode() if isinstance(inference.data, str) else inference.data,
            is_text=isinstance(inference.data, str),
            inference=inference.number,
            is_open=inference.is_open,
            # What a link asks for is a person speaking, who comes before the background jobs of clients.
            priority=int(inference.client is None),
            client=opaque((inference.client or self.task.owner).party),
            options=inference.options,
            **({"answer": inference.answer} if inference.answer else {}),
        )

    def _finish(self, inference: Inference, end: End) -> None:
        """Send the one finish frame of an accepted inference; then tell the links, then begin with what waits."""
        if inference is self.queue.running:
            self.queue.running = None
            self._note_end_of_work()
            self.tools.stop()
        self._say_finish(inference, end)
        self._finish_dropped()
        if self._state() is not TaskState.ENDING:
            self._start_next()
            self._changed()

    def _finish_dropped(self) -> None:
        for inference in self.queue.take_dropped():
            inference.advance(InferenceState.CUT)
            self._say_finish(inference, INTERRUPTED)

    def _say_finish(self, inference: Inference, end: End) -> None:
        self.output.finish(inference, end)
        self._shared.links.on_end(self.task, inference)
        if inference.when_over is not None:
            inference.when_over()


def _error_of(fields: dict[str, Any]) -> UnitdError | None:
    """Return the error that a finish carries, None for a good end."""
    return error_of_code(fields["code"], str(fields.get("message", ""))) if fields.get("code") else None
