"""Tasks of the configuration: set up at start without a client, linked by their names, and kept alive.

A task that cannot be set up (its model is not there yet) is tried again after growing waits, with one warning; a
missing microphone is handled by the audio program. A task whose program dies during its setup is not tried again,
because that would end the work of all other tasks in the program. A task that a client or sys.reset ends comes back
under a new work_id, and the tasks that listen to it are linked to the new one.
"""

import asyncio
import logging

from unitd.core.config.pipeline_tasks import inputs_of, setup_of
from unitd.core.config.schema import PipelineSettings, PipelineTask
from unitd.core.repeats import backoff_seconds
from unitd.core.tasks.table import Task
from unitd.doors.base import Server
from unitd.doors.local_client import LocalClient
from unitd.wire.errors import RunFailed, UnitdError
from unitd.wire.messages import Reply

log = logging.getLogger("unitd.pipelines")

FIRST_BACKOFF_SECONDS = 0.5
MAX_BACKOFF_SECONDS = 60.0


class Pipeline:
    """One chain of tasks. It observes all tasks, to notice when one of its own has ended."""

    def __init__(self, server: Server, settings: PipelineSettings) -> None:
        self.settings = settings
        self._local_client = LocalClient(server, f"pipeline {settings.name}", "pipeline", keeps_tasks=True)
        self._work_ids: dict[str, str] = {}
        self._given_up: set[str] = set()
        """Tasks whose program died during their setup."""

        self._server = server
        self._changed = asyncio.Event()

    def on_said(self, task: Task, reply: Reply) -> None:
        """Do nothing: the links route the output of the tasks."""

    def on_changed(self, work_id: str) -> None:
        """Check the tasks again when one of this pipeline has changed or ended."""
        if work_id in self._work_ids.values():
            self._changed.set()

    async def run(self) -> None:
        """Set up all tasks and keep them alive, until cancelled."""
        failures = 0
        while True:
            self._changed.clear()
            try:
                await self._complete()
            except UnitdError as error:
                failures += 1
                level = logging.WARNING if failures == 1 else logging.DEBUG
                log.log(level, "pipeline %s is not complete yet: %s", self.settings.name, error)
                await asyncio.sleep(backoff_seconds(failures, FIRST_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS))
                continue
            failures = 0
            await self._changed.wait()

    def end(self) -> None:
        """End all tasks; cancel `run` first."""
        for work_id in self._work_ids.values():
            self._local_client.leave(work_id)

    async def _complete(self) -> None:
        """Set up the missing tasks, in the order of the configuration, so that sources come first."""
        alive = {each["work_id"] for each in (await self._local_client.ask("sys", "lstask")).data}
        self._work_ids = {name: work_id for name, work_id in self._work_ids.items() if work_id in alive}
        there = self._work_ids.keys() | self._given_up
        missing = [task for task in self.settings.tasks if task.name not in there]
        for task in missing:
            await self._set_up(task)
        if missing:
            await self._relink({task.name for task in missing})
            names = ", ".join(f"{name} {work_id}" for name, work_id in self._work_ids.items())
            log.info("pipeline %s is up: %s", self.settings.name, names)

    async def _set_up(self, task: PipelineTask) -> None:
        data = setup_of(task)
        data["input"] = [self._work_ids.get(each, each) for each in inputs_of(task) if each not in self._given_up]
        try:
            work_id, replies = await self._local_client.set_up(task.unit, data)
        except RunFailed as error:
            log.error("pipeline %s does without %s until the next start: %s", self.settings.name, task.name, error)
            self._given_up.add(task.name)
            return
        replies.close()
        self._work_ids[task.name] = work_id

    async def _relink(self, renewed: set[str]) -> None:
        """Link the tasks that stayed to the renewed tasks of the same names."""
        for task in self.settings.tasks:
            if task.name in renewed or task.name in self._given_up:
                continue
            for source in inputs_of(task):
                if source in renewed and source in self._work_ids:
                    await self._local_client.ask(self._work_ids[task.name], "link", self._work_ids[source])
