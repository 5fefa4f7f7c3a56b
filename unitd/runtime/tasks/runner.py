"""One task at run time: its life in a child, from the setup to the end.

`states` has the states and what may follow each of them, `inferences` runs the prompts.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from unitd.core.access.grants import opaque
from unitd.core.tasks.deaths import Deaths, Part
from unitd.core.tasks.table import Task
from unitd.runtime.children.child import Child, ChildListener
from unitd.runtime.futures import done, fail, is_good
from unitd.runtime.tasks.camera_output import CameraOutput
from unitd.runtime.tasks.destinations import Shared
from unitd.runtime.tasks.inferences import InferenceRunner
from unitd.runtime.tasks.output import INTERRUPTED, End, Inference
from unitd.runtime.tasks.plan import Plan
from unitd.runtime.tasks.states import TASK_STEPS, TaskState
from unitd.runtime.tasks.uploads import Uploads
from unitd.wire.envelope import Envelope
from unitd.wire.errors import LoadFailed, RunFailed, Unavailable, UnitdError

log = logging.getLogger("unitd.work")

# A setup that takes longer is noted on the disk; most take milliseconds, and need no write.
SLOW_SETUP_SECONDS = 1.0


class TaskRunner(ChildListener):
    """The runtime of one task in one child."""

    def __init__(self, task: Task, child: Child, plan: Plan, shared: Shared) -> None:
        self.task = task
        self._shared = shared
        self._state = TaskState.AWAY
        self.inferences = InferenceRunner(task, shared, lambda: self._state, self._clear_deaths)
        self.child, self.output = child, self.inferences.settle_in(child, plan)
        self._camera = CameraOutput(
            task, shared, lambda: self.output, lambda: self.child.meter, lambda: self.is_answered
        )
        self.uploads = Uploads(task.work_id, self.ask, self._end_upload)
        self._setup: asyncio.Future[dict[str, Any]] | None = None  # the child's answer to the newest setup
        self._outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._load_failure = ""  # also the unit's reason to refuse the setup
        self.changing = asyncio.Lock()  # held while the task gets another model
        self.ending: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done as soon as the task is being ended."""

        self.deaths = Deaths()  # deaths of its child that count against the task
        self.failure = ""
        """Why the task is not set up in its child again; "" for a task that has not failed."""

        self.is_answered = False
        """True once the reply to the setup is on its way: frames of a camera must not overtake it."""

        self.is_acknowledged = False  # True once a client was told the work_id: the task must survive the daemon

    @property
    def state(self) -> str:
        """The state for sys.lstask: loading, failed, paused, running or idle."""
        if self._state in (TaskState.REFUSED, TaskState.FAILED):
            return "failed"
        if not self.child.is_ready:
            return self.child.state
        if self._state is not TaskState.READY:
            return "loading"
        if self.inferences.is_paused:
            return "paused"
        return "running" if self.inferences.queue.running else "idle"

    @property
    def reason(self) -> str:
        """Why the task has failed."""
        return self.failure or self._load_failure

    @property
    def is_suspect(self) -> bool:
        """True when a death of the child counts against the task."""
        return self.deaths.is_suspect

    @property
    def is_slow_to_set_up(self) -> bool:
        """True while the child is busy with a setup that takes long, or was acknowledged before its end."""
        return self._state is TaskState.SLOW

    # What clients and links ask for

    def submit(self, inference: Inference) -> None:
        """Run an inference now or queue it; raise UnitdError when the task has failed or ends, or the queue is full."""
        if self._state is TaskState.ENDING:
            raise Unavailable(f"{self.task.work_id} is ending")
        if self._state is TaskState.REFUSED:
            raise RunFailed(self._load_failure)
        self._check_failure()
        self.inferences.submit(inference)

    def see(self, picture: bytes, release: Callable[[], None]) -> None:
        """Keep a picture for the next question; raise UnitdError when it cannot be kept, or the model has no vision."""
        if self._state is TaskState.ENDING:
            raise Unavailable(f"{self.task.work_id} is ending")
        self._check_failure()
        card = self.child.card
        if "base_url" not in card.engine_options and not card.has_vision:
            raise Unavailable(f"this is an image; the model {card.name} has no vision")
        self.inferences.pictures.add(picture, release)

    def _check_failure(self) -> None:
        if self._state is TaskState.FAILED:
            raise RunFailed(f"{self.failure}; set {self.task.work_id} up anew, or end it")

    def ask(self, action: str, payload: bytes = b"", **fields: Any) -> asyncio.Future[dict[str, Any]]:
        """Ask the child for an action (trigger, warm); raise UnitdError when the task has failed or is not ready."""
        self._check_failure()
        if self.inferences.is_paused or self._state is not TaskState.READY:
            raise Unavailable(f"{self.task.work_id} is {self.state}")
        answer = self.child.ask(action, payload, task=self.task.work_id, **fields)
        if action == "warm" or fields.get("is_whole"):  # the hardest part of a recording is its end
            answer.add_done_callback(self._on_worked)
        return answer

    def _end_upload(self) -> asyncio.Future[Any]:
        """End the audio that came in pieces, also of a paused task. The future is done when the child knows."""
        if self._state is not TaskState.READY:
            return done()
        ended = self.child.ask("idle", task=self.task.work_id)
        ended.add_done_callback(self._on_worked)
        return ended

    def tell(self, message: str, **fields: Any) -> None:
        """Tell the child what a link has to say; nothing before the task is set up."""
        if self._state is TaskState.READY:
            self.child.send(message, task=self.task.work_id, **fields)

    def note_link(self, change: str, source: str) -> None:
        """Tell the child that a link from a source came ("linked") or went ("unlinked")."""
        if change == "unlinked":
            self.inferences.pictures.hide(source)
        self.tell(change, source=source)
        self._shared.audio.attend(self.inferences)
        self._changed()

    # Setup, change and end

    async def wait_set_up(self) -> None:
        """Wait until the task is set up; raise UnitdError when that fails or the task is ended."""
        await asyncio.shield(self._outcome)
        await self.inferences.tools.wait_set_up()

    def acknowledge(self) -> None:
        """Note that a client is about to be told of the task: from now on the task is worth being remembered."""
        self.is_acknowledged = True
        self._advance(TaskState.SLOW)
        self._changed()

    def fail(self, failure: str) -> None:
        """End everything accepted and stay out of the child until a new setup."""
        self.failure = failure
        self._advance(TaskState.FAILED)
        self.uploads.close()
        self._fail_all(RunFailed(failure))
        self.child.detach(self.task.work_id)

    async def move(self, child: Child, plan: Plan, change: Callable[[], None]) -> None:
        """Go on in `child`, or in the same one, with what `change` makes of the task's settings.

        What runs or is held ends as at a wake; what waits, a pause and the memory stay. Raises Unavailable if the task
        was ended meanwhile.
        """
        if self._advance(TaskState.AWAY):
            self.uploads.close()
            self.inferences.hush()
            self.inferences.end_tools()
            await self._leave(self._exit())
        if not self._advance(TaskState.AWAY):
            raise Unavailable(f"{self.task.work_id} was ended while its model changed")
        change()
        self.output.hold()
        self.child, self.output = child, self.inferences.settle_in(child, plan)
        self.failure, self.deaths = "", Deaths()
        self.child.attach(self.task.work_id, self)

    def close(self) -> Coroutine[Any, Any, None]:
        """Begin the end of the task in its child; awaiting the result sees it through, finish frames first."""
        self._advance(TaskState.ENDING)
        if not self.ending.done():
            self.ending.set_result(None)
        self.uploads.close()
        self.inferences.hush()
        self.inferences.pass_on_hold(is_held=False)
        self.inferences.tools.stop()
        self.inferences.pictures.clear()
        self._settle_outcome(Unavailable(f"{self.task.work_id} was ended while its model loaded"))
        self.inferences.drop()
        return self._leave(self._exit())

    def _exit(self) -> asyncio.Future[Any]:
        if self.failure:
            return done()
        self.inferences.note_exit()
        return self.child.ask("exit", task=self.task.work_id)

    async def _leave(self, left: asyncio.Future[Any]) -> None:
        """Move out of the child; what the child does not have of an answer ends only with the task."""
        try:
            await left
        except UnitdError as error:
            log.debug("= %s leaves without its child: %s", self.task.work_id, error)
        finally:
            self.inferences.end_in_child(INTERRUPTED)
            if self._state is TaskState.ENDING:
                self.inferences.cut()
                self.inferences.tools.leave()
            self.output.flush()
            self.child.detach(self.task.work_id)

    # What the child says

    def on_output(self, envelope: Envelope) -> None:
        """Pass on what the running inference says, or an event of the task itself."""
        if envelope.type != "event":
            (self._camera if self.task.kind.reads_source else self.inferences).on_output(envelope)
            return
        fields = envelope.fields
        self._shared.links.on_event(self.task, fields)  # first: a wake must not wait for a slow client
        if "data" in fields:
            self.output.event(fields["data"], self.uploads.asker if fields.get("source") == "upload" else None)

    def on_child_ready(self) -> None:
        """Set the task up, with what the child remembered of it before a crash."""
        if not self._advance(TaskState.SETTING_UP):
            return
        self._load_failure = ""
        self._setup = self.child.ask(
            "setup",
            task=self.task.work_id,
            data=self._setup_data(),
            memory=self.inferences.memory,
            owner=opaque(self.task.grant_name),
            has_public_prompt=self.task.has_public_prompt,
            is_again=self.is_acknowledged,
        )
        self._setup.add_done_callback(self._on_set_up)
        asyncio.get_running_loop().call_later(SLOW_SETUP_SECONDS, self._note_slow_setup, self._setup)

    def _setup_data(self) -> dict[str, Any]:
        """Return the data of the setup with the links that were made since."""
        setup = self.task.setup
        return setup if self.task.kind.reads_source else setup | {"input": list(self.task.inputs)}

    def _note_slow_setup(self, setup: asyncio.Future[dict[str, Any]]) -> None:
        """Let the next daemon know of the setup, in case this one ends over it."""
        if setup is self._setup and self._advance(TaskState.SLOW) and self.is_acknowledged:
            self._changed()

    def _on_set_up(self, setup: asyncio.Future[dict[str, Any]]) -> None:
        error = setup.exception()
        if setup is not self._setup or (isinstance(error, RunFailed) and not self.child.is_ready):
            return  # the child died over it; the next one, or its failure, decides
        if not self._advance(TaskState.REFUSED if error else TaskState.READY):
            return
        self._settle_outcome(error)
        if error is not None:
            self._load_failure = str(error)
            self._fail_all(RunFailed(self._load_failure))
            if self.task.kind.reads_source and self.is_answered:  # no inference will ever tell it
                self.output.refuse(RunFailed(self._load_failure))
            return
        self.deaths = self.deaths.after_setup()
        self._changed()
        if self.inferences.is_paused:
            self.child.send("pause", task=self.task.work_id)
        self._shared.audio.attend(self.inferences)
        self.inferences.go_on()

    def on_turn(self) -> None:
        """Send the inference that waited for the work of other tasks."""
        self.inferences.on_turn()

    def on_child_lost(self, reason: str, part: Part) -> None:
        """Count the death; a task of which too many children died has failed."""
        self.deaths = self.deaths.after(part, in_setup=self._state is not TaskState.READY)
        if self._state is not TaskState.REFUSED:
            self._advance(TaskState.AWAY)
        self.inferences.end_in_child(End("error", error=RunFailed(f"{self.child.name} died: {reason}")))
        if self.deaths.are_too_many and self._state is not TaskState.ENDING:
            self.child.meter.failed_tasks += 1
            failure = f"{self.child.name} died twice while it worked on this task: {reason}"
            log.error("%s has failed and is not set up again: %s", self.task.work_id, failure)
            self.fail(failure)
        self._changed()

    def on_child_failed(self, error: LoadFailed) -> None:
        """End everything accepted with the reason: there is no next child."""
        if self._state is not TaskState.REFUSED and self._advance(TaskState.AWAY):
            self._load_failure = error.reason
        self._settle_outcome(error)
        self._fail_all(RunFailed(error.reason))

    def _advance(self, state: TaskState) -> bool:
        """Take a step. Return False, in the same state, when the table does not have it."""
        if state not in TASK_STEPS[self._state]:
            return False
        self._state = state
        return True

    def _changed(self) -> None:
        self._shared.observers.changed(self.task.work_id)

    def _on_worked(self, answer: asyncio.Future[dict[str, Any]]) -> None:
        if is_good(answer):
            self._clear_deaths()

    def _clear_deaths(self) -> None:
        """Work that ended well speaks for the task."""
        if self.deaths != Deaths():
            self.deaths = Deaths()
            self._changed()

    def _settle_outcome(self, error: BaseException | None) -> None:
        if not self._outcome.done():
            fail(self._outcome, error) if error else self._outcome.set_result(None)

    def _fail_all(self, error: RunFailed) -> None:
        self._settle_outcome(error)
        self.inferences.fail_all(error)
        self._changed()
