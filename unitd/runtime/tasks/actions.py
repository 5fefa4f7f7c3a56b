"""What clients do with tasks: setup, inference, link, pause, cancel, exit and the others of `Actions.handlers`.

Each handler looks at the table of tasks, tells the task's runner, and answers.
"""

import asyncio
import logging
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from unitd.core.access.grants import sees
from unitd.core.tasks.kinds import LIST_CAMERA, MAX_INPUTS, UnitKind
from unitd.core.tasks.links import check_link, missing_source
from unitd.core.tasks.table import Task, TaskTable, missing_input
from unitd.runtime.dispatcher import Answer, Begun, Call, Handler
from unitd.runtime.tasks.manager import TaskManager
from unitd.runtime.tasks.output import Asker, Inference
from unitd.runtime.tasks.plan import setup_data
from unitd.runtime.tasks.runner import TaskRunner
from unitd.runtime.waiting import Waiting
from unitd.wire.cameras import source_of, without_password
from unitd.wire.errors import BadLink, EmptyInput, NotAnInput, RunFailed, UnitdError
from unitd.wire.framing import MAX_NAME_BYTES, is_too_long
from unitd.wire.messages import NONE, Reply, error_reply, is_task_id, unit_of
from unitd.wire.pictures import is_picture

log = logging.getLogger("unitd.actions")


class Actions:
    """The handlers of the actions on tasks."""

    def __init__(
        self,
        kinds: Mapping[str, UnitKind],
        task_table: TaskTable,
        manager: TaskManager,
        waiting: Waiting,
    ) -> None:
        self._kinds = kinds
        self._task_table = task_table
        self._manager = manager
        self._waiting = waiting

    @property
    def handlers(self) -> dict[str, Handler]:
        """Return the handlers by action."""
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
            "turn_end": self._turn_end,
            LIST_CAMERA: self._list_cameras,
        }

    # Setup

    def _setup(self, call: Call) -> Answer:
        kind = self._kinds[unit_of(call.request.work_id)]
        if is_task_id(call.request.work_id):
            runner = self._runner_of(call)
            return self._manager.change(call, runner, setup_data(kind, call.request.data))
        try:
            data = setup_data(kind, call.request.data)
        except UnitdError as error:
            return call.ok(work_id=kind.name, code=error.code, message=str(error))
        return self._manager.set_up(call, kind, data)

    # The other actions

    def _inference(self, call: Call) -> Answer:
        task = self._task_table.get(call.request.work_id)
        if task is None:
            raise missing_input(call.request.work_id)
        if not task.takes_input:
            raise NotAnInput(f'{task.work_id} takes no input; set it up with "input": "{task.kind.name}.utf-8"')
        data = call.request.data
        if "messages" in call.request.options and data in (None, NONE):
            data = ""  # the conversation says it all
        elif not isinstance(data, str | bytes) or not (data.strip() if isinstance(data, str) else data):
            raise EmptyInput("nothing to infer from")
        self._task_table.note_client(task, call.client)
        if is_picture(call.request.object) and (task.kind.sees or task.kind.hears):
            self._see(call, self._manager[task.work_id])
            return None
        if task.kind.hears:
            return self._hear(call, self._manager[task.work_id])
        size = call.size + (len(data) if isinstance(data, bytes) else 0)
        self._waiting.check(call.client, size)
        inference = Inference(call.request.request_id, call.client, data, call.request.options)
        self._manager[task.work_id].submit(inference)
        if not inference.is_over:
            inference.when_over = self._waiting.hold(call.client, size)
        return None

    @staticmethod
    def _hear(call: Call, runner: TaskRunner) -> None:
        """Let uploaded audio be heard in its order; only what it says, or what is wrong with it, is answered."""
        request, client = call.request, call.client
        if not isinstance(request.data, bytes):
            raise RunFailed(
                f'audio travels as base64 ("object": "{runner.task.kind.name}.base64") or behind a RAW header'
            )
        if "mp3" in request.object:
            raise RunFailed("MP3 is not understood; 16-bit PCM is (WAV or raw)")
        form = "wav" if "wav" in request.object else "pcm"
        is_whole = form == "wav" or "stream" in request.object
        heard = runner.uploads.hear(Asker(client, request.request_id), request.data, form, is_whole=is_whole)

        def tell_fault(heard: asyncio.Future[Any]) -> None:
            if not heard.cancelled() and isinstance(error := heard.exception(), UnitdError):
                runner.child.meter.errors[error.code] += 1
                client.send(error_reply(error, request.request_id, request.work_id))

        heard.add_done_callback(tell_fault)

    def _see(self, call: Call, runner: TaskRunner) -> None:
        """Keep a picture for the next question, without a reply, as the original does."""
        picture = call.request.data
        if not runner.task.kind.sees:
            raise RunFailed(f"{runner.task.kind.name} takes no pictures")
        if not isinstance(picture, bytes):
            raise RunFailed('a picture travels as base64 ("object": "cv.jpeg.base64") or behind a RAW header')
        self._waiting.check(call.client, len(picture))
        release = self._waiting.hold(call.client, len(picture))
        try:
            runner.see(picture, release)
        except UnitdError:
            release()
            raise

    def _link(self, call: Call) -> Answer:
        task = self._addressed(call)
        source = call.request.data
        if not isinstance(source, str):
            raise BadLink('data must be a work_id such as "kws.1000"')
        other = self._task_table.get(source)
        if other is not None and not sees(call.client.grant, other.grant_name):
            raise missing_source(source)
        if not task.kind.may_listen_to(source):
            check_link(source, task.work_id, self._task_table.inputs)
        if source not in task.inputs:
            if len(task.inputs) >= MAX_INPUTS or is_too_long(source):
                raise BadLink(
                    f"a task listens to {MAX_INPUTS} sources at most, their names have {MAX_NAME_BYTES} bytes"
                )
            task.inputs.append(source)
            self._manager[task.work_id].note_link("linked", source)
        return call.ok()

    def _unlink(self, call: Call) -> Answer:
        task = self._addressed(call)
        if call.request.data in task.inputs:
            task.inputs.remove(call.request.data)
            self._manager[task.work_id].note_link("unlinked", call.request.data)
        return call.ok()

    def _pause(self, call: Call) -> Answer:
        runner = self._runner_of(call)
        return Begun(_when_stopped(call, runner, runner.inferences.pause()))

    def _resume(self, call: Call) -> Answer:
        runner = self._runner_of(call)
        if isinstance(call.request.data, dict) and "pause" in call.request.data:
            policy = runner.child.ask("policy", task=runner.task.work_id, pause=call.request.data["pause"])
            return Begun(self._resume_with(call, runner, policy))
        runner.inferences.resume()
        return call.ok()

    @staticmethod
    async def _resume_with(call: Call, runner: TaskRunner, policy: Awaitable[Any]) -> Reply:
        await policy
        runner.inferences.resume()
        return call.ok()

    def _cancel(self, call: Call) -> Answer:
        """End what runs, is held or waits, as at a wake; the task stays."""
        runner = self._runner_of(call)
        return Begun(_when_stopped(call, runner, runner.inferences.interrupt()))

    def _exit(self, call: Call) -> Answer:
        return Begun(_when_done(call, self._manager.end(self._runner_of(call))))

    async def _list_cameras(self, call: Call) -> Reply:
        devices = await asyncio.to_thread(lambda: sorted(map(str, Path("/dev").glob("video*"))))
        return call.ok(object="camera.devices", data=devices)

    def _taskinfo(self, call: Call) -> Answer:
        unit = unit_of(call.request.work_id)
        if call.request.work_id == unit:
            tasks = [
                task.work_id for task in self._task_table.of_unit(unit) if sees(call.client.grant, task.grant_name)
            ]
            return call.ok(object=f"{unit}.tasklist", data=tasks)
        task = self._task_table.find(call.request.work_id)
        info: dict[str, Any] = {"enoutput": task.enoutput, "response_format": task.response_format}
        if task.kind.reads_source:
            info |= {key: task.setup[key] for key in ("frame_height", "frame_width")}
            info["input"] = without_password(source_of(task.setup))
        else:
            info |= {"inputs_": list(task.inputs), "model": task.model}
        return call.ok(object=f"{unit}.taskinfo", data=info)

    def _unit_action(self, call: Call) -> Answer:
        fields = {} if call.request.data in (None, "None") else {"data": call.request.data}
        return Begun(_when_done(call, self._runner_of(call).ask(call.request.action, **fields)))

    def _turn_end(self, call: Call) -> Answer:
        """Answer how likely a person has finished speaking with the words in `data`."""
        words = call.request.data
        if not isinstance(words, str) or not words.strip():
            raise EmptyInput("turn_end needs the words so far as data")
        return Begun(_with_probability(call, self._runner_of(call).ask("turn_end", data=words)))

    def _addressed(self, call: Call) -> Task:
        """Return the task that a request names, and note the client: it may get output of the task later."""
        task = self._task_table.find(call.request.work_id)
        self._task_table.note_client(task, call.client)
        return task

    def _runner_of(self, call: Call) -> TaskRunner:
        return self._manager[self._addressed(call).work_id]


async def _when_done(call: Call, doing: Awaitable[Any]) -> Reply:
    """Return the plain answer, once what the call has begun is done."""
    await doing
    return call.ok()


async def _with_probability(call: Call, asked: Awaitable[Mapping[str, Any]]) -> Reply:
    found = await asked
    return call.ok(object=f"{unit_of(call.request.work_id)}.turn_end", data={"probability": found["probability"]})


async def _when_stopped(call: Call, runner: TaskRunner, stopped: Awaitable[Any]) -> Reply:
    """Return the plain answer to pause and cancel, after every frame; a child that died over it has stopped too."""
    with suppress(RunFailed):
        await stopped
    runner.output.flush()
    return call.ok()
