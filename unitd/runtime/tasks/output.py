"""What a task says to its clients: the frames of an inference, and output that no request asked for.

An inference's frames go to the client that asked, in that request's id; what a link asked for, and what ears heard by
themselves, goes to the task's listener in the id of its setup. A running stream that is silent for long sends an empty
delta, because clients give up.

Frames that would follow too closely wait in `pacing`. While one waits, text of the same answer is appended to it, and a
newer partial transcript replaces it; both keep its index, so that indexes have no gap. Other frames are never joined.
"""

import asyncio
import base64
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from unitd.core.tasks.kinds import Output
from unitd.core.tasks.table import Client, Task
from unitd.runtime.metrics import ModelMetrics
from unitd.runtime.tasks.observers import TaskObservers
from unitd.runtime.tasks.pacing import FramePacer
from unitd.runtime.tasks.states import IN_CHILD, INFERENCE_STEPS, InferenceState
from unitd.wire.errors import RunFailed, UnitdError
from unitd.wire.messages import Reply

# The original's clients give up 5 s after the last frame (docs/original-firmware.md, section 9).
KEEPALIVE_SECONDS = 4.0

TOOL_CALL = "llm.tool_call"
"""The object of a frame that wants a function called."""

NO_USAGE = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


@dataclass(eq=False)
class Inference:
    """One prompt on its way; `client` is None when a link asked."""

    request_id: str
    client: Client | None
    data: str | bytes
    options: dict[str, Any] = field(default_factory=dict)
    """Setup keys that hold for this inference alone."""

    answer: str = ""
    """The whole answer, which no model is asked for; "" where one is."""

    is_open: bool = False
    """More text follows: an answer that is spoken while it is written."""

    number: int = 0
    index: int = 0
    state: InferenceState = InferenceState.WAITING
    parts: list[str] = field(default_factory=list)
    newest_text: Reply | None = None
    """Its last frame of text, which takes more while it waits to be sent."""

    last_character: str = ""
    """The last character of what was said so far."""

    usage: dict[str, int] = field(default_factory=dict)
    """Tokens of the rounds before the last one."""

    last_frame_at: float = 0.0
    asked_at: float = field(default_factory=time.monotonic)
    piece_at: float = 0.0
    """When the last piece of the answer came, or its pause ended; 0 before the first."""

    when_over: Callable[[], None] | None = None
    """Called after the last frame."""

    def advance(self, state: InferenceState) -> None:
        """Take a step, unless the table does not have it."""
        if state in INFERENCE_STEPS[self.state]:
            self.state = state

    @property
    def is_in_child(self) -> bool:
        """True while the child has the inference."""
        return self.state in IN_CHILD

    @property
    def is_cut(self) -> bool:
        """True once its end was asked for: nothing more of it may be heard."""
        return self.state in (InferenceState.CUT, InferenceState.CUT_SHORT)

    @property
    def is_over(self) -> bool:
        """True once its finish frame was sent."""
        return self.state in (InferenceState.OVER, InferenceState.CUT_SHORT)


@dataclass(frozen=True)
class End:
    """How an inference ended."""

    reason: str
    usage: Any = None
    stop_word: str = ""
    """The text that ended it, if one did."""

    error: UnitdError | None = None


INTERRUPTED = End("interrupted")


@dataclass(frozen=True)
class Asker:
    """The client that sent the audio that a task hears, and its request."""

    client: Client
    request_id: str


class TaskOutput:
    """The sending half of one task."""

    def __init__(self, task: Task, meter: ModelMetrics, observers: TaskObservers) -> None:
        self._task = task
        self._meter = meter
        self._observers = observers
        self._is_streaming = task.is_stream and task.enoutput
        self._is_text = task.kind.output is Output.ANSWER
        self._running: Inference | None = None
        self._keepalive: asyncio.TimerHandle | None = None
        self._pacer = FramePacer(self._deliver)
        self._partial: Reply | None = None
        """The last transcript of an utterance that has not ended."""

        self._replaced = 0
        """How many partial transcripts of this utterance gave way to newer ones before they were sent."""

    def begin(self, inference: Inference) -> None:
        """Note that this inference runs (again): from now on its stream is not silent for long."""
        self._running = inference
        self._note_frame(inference)
        if inference.piece_at:
            inference.piece_at = time.monotonic()
        self._keep_alive()

    def hold(self) -> None:
        """Send no frame until `begin`: a pause."""
        if self._keepalive is not None:
            self._keepalive.cancel()
            self._keepalive = None

    def delta(self, inference: Inference, text: str, audio: bytes = b"") -> None:
        """Send more of the answer: text, or audio as base64; a frame with neither says that the answer is alive."""
        if text or audio:
            self._note_piece(inference)
        inference.last_character = text[-1:] or inference.last_character
        if audio:
            text = base64.b64encode(audio).decode()
        if not self._is_streaming:
            inference.parts.append(text)
            return
        self._note_frame(inference)
        if (waiting := inference.newest_text) is not None and waiting is self._pacer.newest:
            waiting.data["delta"] += text
            return
        data = {"delta": text, "finish": False, "index": inference.index}
        frame = self._say(inference, data, is_droppable=True)
        inference.newest_text = frame if self._is_text else None
        inference.index += 1

    def prompt_read(self, inference: Inference, tokens: int) -> None:
        """Say that the answer begins now, to clients that asked for it (`prompt_done` at setup)."""
        if self._is_streaming:
            self._say(inference, {"delta": "", "finish": False, "index": inference.index, "prompt_tokens": tokens})
            inference.index += 1
            self._note_frame(inference)

    def tool_call(self, inference: Inference, call: dict[str, Any]) -> None:
        """Say that the answer wants a function called, in a frame of its own, also where the text comes as a whole."""
        if self._task.enoutput:
            self._say(inference, call, object_=TOOL_CALL)
            self._note_frame(inference)

    def paused(self, inference: Inference, reason: str, tokens: int) -> None:
        """Say that the answer stopped by its policy; `work` lets it go on."""
        self.hold()
        if self._is_streaming:
            data = {"delta": "", "finish": False, "index": inference.index, "paused": reason, "tokens": tokens}
            self._say(inference, data)
            inference.index += 1

    def finish(self, inference: Inference, end: End) -> None:
        """Send the one end of an accepted inference."""
        inference.advance(InferenceState.CUT_SHORT if inference.is_cut else InferenceState.OVER)
        self._meter.note_end(end.reason, end.usage)
        if inference is self._running:
            self._running = None
            self.hold()
        if not self._task.enoutput and end.error is None:
            return
        details = _details(end) if self._task.setup.get("usage") else {}
        if self._task.is_stream:
            last = {"delta": "", "finish": True, "index": inference.index}
            waiting = inference.newest_text
            if end.reason == INTERRUPTED.reason and waiting is not None and waiting is self._pacer.newest:
                self._pacer.drop_newest()
                last = waiting.data | {"finish": True}
            self._say(inference, last | details, end.error)
        else:
            self._say(inference, "".join(inference.parts), end.error, extra=details)
        if end.reason == INTERRUPTED.reason:
            self._pacer.flush()

    def event(self, data: Any, asker: Asker | None = None, object_: str | None = None, failure: str = "") -> None:
        """Send output of the task itself; with an asker it answers that request, with a failure it is an error."""
        if not self._task.enoutput:
            return
        client, request_id = self._task.listener, self._task.request_id
        if asker is not None and not asker.client.is_gone:
            client, request_id = asker.client, asker.request_id
        error = RunFailed(failure) if failure else None
        reply = self._reply(request_id, data, error, object_=object_)
        if self._task.kind.hears and isinstance(data, dict) and "index" in data:
            reply = self._numbered(reply)
        self._give(client, reply)

    def flush(self) -> None:
        """Send at once what waits to be sent: a reply that must come after it is about to go out."""
        self._pacer.flush()

    def _numbered(self, transcript: Reply) -> Reply:
        """Return the transcript with the index after the one that was sent last.

        A partial transcript of the same utterance that still waits to be sent is replaced.
        """
        if transcript.data["index"] == 0:
            self._replaced = 0
        partial = self._partial
        if partial is not None and partial is self._pacer.newest and partial.request_id == transcript.request_id:
            self._pacer.drop_newest()
            self._replaced += 1
        transcript = replace(transcript, data=transcript.data | {"index": transcript.data["index"] - self._replaced})
        self._partial = None if transcript.data["finish"] else transcript
        return transcript

    def refuse(self, error: UnitdError) -> None:
        """Tell the listener that what a link wanted could not be done."""
        reply = Reply(self._task.request_id, self._task.work_id, code=error.code, message=str(error))
        self._give(self._task.listener, reply)

    def _say(self, inference: Inference, data: Any, error: UnitdError | None = None, **more: Any) -> Reply:
        """Send one frame to the asker, in the request's id, and return it."""
        reply = self._reply(inference.request_id, data, error, **more)
        self._give(inference.client or self._task.listener, reply)
        return reply

    def _reply(
        self, request_id: str, data: Any, error: UnitdError | None, *, object_: str | None = None, **more: Any
    ) -> Reply:
        code, message = (error.code, str(error)) if error else (0, "")
        object_ = object_ or self._task.response_format
        return Reply(request_id, self._task.work_id, object_, data, code=code, message=message, **more)

    def _give(self, client: Client | None, reply: Reply) -> None:
        """Send a frame to a client, when the frame before is long enough ago."""
        given = self._task.setup.get("frame_interval_ms")
        usual = 0.0 if client is None else client.frame_interval
        self._pacer.add(client, reply, usual if given is None else given / 1000)

    def _deliver(self, client: Client | None, reply: Reply) -> None:
        """Send a frame to its client and to the observers."""
        if reply.code:
            self._meter.errors[reply.code] += 1
        self._observers.said(self._task, reply)
        if client is not None:
            client.send(reply)

    def _note_piece(self, inference: Inference) -> None:
        now, meter = time.monotonic(), self._meter
        meter.deltas += 1
        if inference.piece_at:
            meter.gaps.note(now - inference.piece_at)
        else:
            meter.first.note(now - inference.asked_at)
        inference.piece_at = now

    def _note_frame(self, inference: Inference) -> None:
        inference.last_frame_at = asyncio.get_running_loop().time()

    def _keep_alive(self) -> None:
        """Send an empty delta when one is due, and set the timer for the next."""
        self.hold()
        inference = self._running
        if inference is None or not self._is_streaming:
            return
        loop = asyncio.get_running_loop()
        due = inference.last_frame_at + KEEPALIVE_SECONDS
        if due <= loop.time():
            self.delta(inference, "")
            due = loop.time() + KEEPALIVE_SECONDS
        self._keepalive = loop.call_at(due, self._keep_alive)


def _details(end: End) -> dict[str, Any]:
    """Return what the end says to clients that asked for it (`usage` at setup)."""
    details = {"finish_reason": end.reason, "usage": end.usage or NO_USAGE}
    return details | ({"stop_word": end.stop_word} if end.stop_word else {})
