"""The inferences of one task: sent to its child one at a time, paused, cut, and finished.

Whatever happens to an accepted inference (it is done, interrupted, dropped from the queue, its child dies), exactly one
finish frame is sent for it.

The child is told what to do at once, in the order of the calls; only answers are awaited. So two requests of one client
never overtake each other.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from unitd.core.access.grants import opaque
from unitd.core.tasks.table import Task
from unitd.runtime.audio.hub import AudioHub
from unitd.runtime.children.child import Child
from unitd.runtime.tasks.destinations import Destinations
from unitd.runtime.tasks.output import INTERRUPTED, End, Inference, TaskOutput
from unitd.runtime.tasks.queue import InferenceQueue
from unitd.runtime.tasks.states import InferenceEvent, InferenceState, TaskState
from unitd.runtime.tasks.tool_loop import Toolbox, ToolUse
from unitd.wire.envelope import Envelope
from unitd.wire.errors import RunFailed, Unavailable, UnitdError, error_of_code

log = logging.getLogger("unitd.work")

INFERENCE = "inference"
"""The piece of work (`runtime.children.in_flight`) that the running inference is."""


class InferenceRunner:
    """What a task computes for its clients and links, in the child where it is."""

    def __init__(
        self,
        task: Task,
        links: Destinations,
        audio: AudioHub,
        *,
        state: Callable[[], TaskState],
        on_change: Callable[[], None],
        on_good_end: Callable[[], None],
        start: Callable[[Coroutine[Any, Any, None], str], None],
    ) -> None:
        """`state` tells that of the task; `start` runs a coroutine in the daemon's own group."""
        self._task = task
        self._links = links
        self._audio = audio
        self._state = state
        self._on_change = on_change
        self._on_good_end = on_good_end
        self._start = start
        self.queue = InferenceQueue()
        self._is_paused = False
        self._tools: ToolUse | None = None
        self.memory: Any = None
        """What the unit remembers of a conversation, to be given back to the next child."""

        self._handlers: Mapping[str, Callable[[Inference, Envelope], None]] = {
            "delta": self._on_delta,
            "speak": self._on_speak,
            "read": self._on_read,
            "tool_call": self._on_tool_call,
            "paused": self._on_paused,
            "finish": self._on_finish,
        }

    def move_to(self, child: Child, output: TaskOutput, queue_limit: int, toolbox: Toolbox | None) -> None:
        """Work in this child from now on; with a toolbox, what the model calls is done here and not by the client."""
        self.child, self.output = child, output
        self._queue_limit, self._toolbox = queue_limit, toolbox

    @property
    def is_paused(self) -> bool:
        """True while the task, or the answer by its own policy, is held."""
        running = self.queue.running
        return self._is_paused or (running is not None and running.state is InferenceState.HELD)

    def submit(self, inference: Inference) -> None:
        """Run an inference now or queue it.

        Raises:
            Unavailable: the queue is full.
        """
        must_wait = self.queue.running is not None or self.is_paused
        if must_wait and len(self.queue) >= self._queue_limit:
            raise Unavailable(f"{self._queue_limit} prompts wait already")
        self.queue.add(inference)
        self._start_next()
        self._on_change()

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

    def pause(self) -> None:
        """Hold everything: no frame follows, and what arrives waits."""
        self._is_paused = True
        self._on_change()
        self.output.hold()

    def note_held(self) -> None:
        """Note that the child computes nothing while it is held."""
        if self.is_paused:
            self._note_end_of_work()

    def resume(self) -> None:
        """Go on where the pause stopped. Needs no answer: the child takes messages in their order."""
        self._is_paused, running = False, self.queue.running
        if running is not None:
            running.advance(InferenceEvent.RESUMED)
        if self._state() is TaskState.READY:
            self._tell("work")
            if running is not None and running.is_in_child:
                self.child.in_flight.begin(self._task.work_id, INFERENCE)
        self.go_on()
        self._on_change()

    def go_on(self) -> None:
        """Send the running inference if its child may have it now, or begin with the next one."""
        running = self.queue.running
        if self.is_paused:
            return
        if running is None:
            self._start_next()
            return
        self.output.begin(running)
        is_due = self._state() is TaskState.READY and running.state is InferenceState.DUE
        if is_due and self.child.may_begin(self._task.work_id):
            self._send(running)

    def on_turn(self) -> None:
        """Send the running inference if it waited for the work of other tasks."""
        if self.queue.running is not None and self.queue.running.state is InferenceState.DUE:
            self.go_on()

    def cut(self) -> asyncio.Future[Any]:
        """End the running or held inference. The future is done when its finish frame has been sent."""
        inference = self.queue.running
        if inference is not None and inference.is_in_child:
            inference.advance(InferenceEvent.CUT)
            return self._ask("cancel", inference=inference.number)
        if inference is not None:
            self._finish(inference, INTERRUPTED)
        return done()

    def drop(self, is_unwanted: Callable[[Inference], bool] = lambda _: True) -> None:
        """Take inferences out of the queue; their finish frames follow that of the running one."""
        self.queue.drop(is_unwanted)
        if self.queue.running is None:
            self._finish_dropped()

    def fail_all(self, error: RunFailed) -> None:
        """End everything that was accepted with the same reason."""
        for inference in self.queue.take_all():
            self._finish(inference, End("error", error=error))

    # Leaving a child

    def stop_tools(self) -> None:
        """Interrupt an answer between two rounds of calls: its next round belongs to the child that it leaves."""
        running = self.queue.running
        if running is not None and self._tools is not None and not running.is_in_child:
            self._finish(running, INTERRUPTED)

    def note_exit(self) -> None:
        """Let nothing count that is still on its way from the child: no sound is heard, no call is done."""
        if self.queue.running is not None and self.queue.running.is_in_child:
            self.queue.running.advance(InferenceEvent.CUT)

    def leave(self) -> None:
        """End what the child has of an answer; what the child does not have ends only with the task."""
        running = self.queue.running
        if running is not None and (running.is_in_child or self._state() is TaskState.ENDING):
            self._finish(running, INTERRUPTED)
        self.output.flush()

    def note_death(self, reason: str) -> None:
        """End what ran or was held in a child that died; what waits stays for the next child."""
        if self.queue.running is not None and self.queue.running.is_in_child:
            error = RunFailed(f"{self.child.name} died: {reason}")
            self._finish(self.queue.running, End("error", error=error))

    # What the child says

    def on_output(self, envelope: Envelope) -> None:
        """Pass on a message about the running inference; one that is over says nothing more."""
        inference = self.queue.running
        if inference is None or envelope.fields.get("inference") != inference.number:
            log.debug("= %s: output of an inference that is over", self._task.work_id)
        elif (handler := self._handlers.get(envelope.type)) is not None:
            handler(inference, envelope)

    def _on_delta(self, inference: Inference, envelope: Envelope) -> None:
        text = "" if envelope.payload else str(envelope.fields["text"])
        if self._tools is not None:  # what was done is told by its outcomes, and not by what a model says of them
            if text and self._tools.has_outcomes:
                self._ask("cancel", inference=inference.number)
            return
        self.output.delta(inference, text, envelope.payload)
        self._links.on_delta(self._task, inference, text)

    def _on_speak(self, inference: Inference, envelope: Envelope) -> None:
        if not inference.is_cut:
            self._audio.play(self._task.work_id, inference.number, envelope.payload, self._task.holder)

    def _on_read(self, inference: Inference, envelope: Envelope) -> None:
        self.output.prompt_read(inference, envelope.fields["prompt_tokens"])

    def _on_paused(self, inference: Inference, envelope: Envelope) -> None:
        """The answer stopped by its policy: it is the answer that is held, not the task."""
        inference.advance(InferenceEvent.HELD)
        self._note_end_of_work()
        self._on_change()
        self.output.paused(inference, envelope.fields["reason"], envelope.fields["tokens"])

    def _on_tool_call(self, inference: Inference, envelope: Envelope) -> None:
        """Tell the client of a call; do it here if the tools are the board's own and not the inference's."""
        call = {key: envelope.fields[key] for key in ("id", "name", "arguments")}
        if self._toolbox is None or "tools" in inference.options:
            self.output.tool_call(inference, call)
            return
        if self._tools is None:
            options = self._task.setup | inference.options
            prompt = str(options.get("prompt", ""))
            self._tools = ToolUse(self._toolbox, prompt, str(inference.data), options.get("messages"))
            self._start(self._use_tools(inference, self._tools), f"tools of {self._task.work_id}")
        if self._tools.note(call):
            self.output.tool_call(inference, call)

    async def _use_tools(self, inference: Inference, tools: ToolUse) -> None:
        """Do what the model calls, ask it again with the outcomes, and at last let the unit tell them as its answer.

        The unit remembers only the question and that answer. Cancelled, or done with nothing, when the answer is cut.
        """

        def is_wanted() -> bool:
            return self._tools is tools and self._state() is not TaskState.ENDING

        while await tools.round:
            if not await tools.do_calls(self.memory, is_wanted):
                return
            if not tools.may_call_again:
                break
            inference.data = ""  # the question stands in the messages
            inference.options = inference.options | {"messages": tools.messages}
            self._begin_round(inference)
        if is_wanted():
            self._tools = None
            space = " " if inference.last_character.strip() else ""
            inference.usage, inference.data, inference.answer = tools.usage, tools.question, space + tools.answer
            self._begin_round(inference)

    def _begin_round(self, inference: Inference) -> None:
        inference.advance(InferenceEvent.ROUND_BEGINS)
        self.go_on()

    def _on_finish(self, inference: Inference, envelope: Envelope) -> None:
        """The end of the answer, or only of a round of calls."""
        fields = envelope.fields
        self.memory = fields.get("memory", self.memory)
        usage = fields.get("usage") or inference.usage or None
        end = End(fields.get("reason", "stop"), usage, fields.get("stop_word", ""), _error_of(fields))
        if end.reason != INTERRUPTED.reason and end.error is None:
            self._on_good_end()
        self._note_end_of_work()
        tools = self._tools
        if tools is None or inference.is_cut or (end.error and not tools.has_outcomes):
            self._finish(inference, end)
        else:
            inference.advance(InferenceEvent.ROUND_ENDED)
            tools.end_round(fields.get("usage") or {}, has_failed=end.error is not None)

    # Inside

    def _tell(self, message: str, payload: bytes = b"", **fields: Any) -> None:
        self.child.send(message, payload, task=self._task.work_id, **fields)

    def _ask(self, message: str, **fields: Any) -> asyncio.Future[Any]:
        return self.child.ask(message, task=self._task.work_id, **fields)

    def _note_end_of_work(self) -> None:
        self.child.in_flight.end(self._task.work_id, INFERENCE)

    def _start_next(self) -> None:
        if not self.is_paused and self.queue.take_next():
            self.go_on()
            self.child.start()

    def _send(self, inference: Inference) -> None:
        inference.advance(InferenceEvent.SENT)
        self.child.in_flight.begin(self._task.work_id, INFERENCE)
        is_text = isinstance(inference.data, str)
        self._tell(
            "infer",
            inference.data.encode() if isinstance(inference.data, str) else inference.data,
            is_text=is_text,
            inference=inference.number,
            is_open=inference.is_open,
            # What a link asks for is somebody speaking: before background jobs of clients.
            priority=int(inference.client is None),
            client=opaque((inference.client or self._task.owner).party),
            options=inference.options,
            **({"answer": inference.answer} if inference.answer else {}),
        )

    def _finish(self, inference: Inference, end: End) -> None:
        """Send the one finish frame of an accepted inference; then tell the links, then begin with whatever waits."""
        if inference is self.queue.running:
            self.queue.running = None
            self._note_end_of_work()
        if self._tools is not None:
            self._tools.round.cancel()
            self._tools = None
        self._say_finish(inference, end)
        self._finish_dropped()
        if self._state() is not TaskState.ENDING:
            self._start_next()
            self._on_change()

    def _finish_dropped(self) -> None:
        for inference in self.queue.take_dropped():
            inference.advance(InferenceEvent.CUT)
            self._say_finish(inference, INTERRUPTED)

    def _say_finish(self, inference: Inference, end: End) -> None:
        self.output.finish(inference, end)
        self._links.on_end(self._task, inference)
        if inference.when_over is not None:
            inference.when_over()


def done() -> asyncio.Future[Any]:
    """Return a future for what needed no child."""
    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    answer.set_result(None)
    return answer


def _error_of(fields: dict[str, Any]) -> UnitdError | None:
    """Return the error that a finish carries, None for a good end."""
    return error_of_code(fields["code"], str(fields.get("message", ""))) if fields.get("code") else None
