"""A setup on trial: whether a child takes it, found out under a name of its own while the task goes on as it is."""

import asyncio
from typing import Any

from unitd.core.access.grants import opaque
from unitd.core.tasks.deaths import Part
from unitd.runtime.children.child import Child, ChildListener
from unitd.runtime.futures import fail
from unitd.runtime.tasks.plan import Plan
from unitd.runtime.tasks.runner import TaskRunner
from unitd.wire.errors import LoadFailed, Unavailable


class SetupProbe(ChildListener):
    """One more task to the unit, which is set up and says nothing."""

    def __init__(self, runner: TaskRunner, child: Child, plan: Plan) -> None:
        """Move into a child with the plan for a task that is there."""
        self.child = child
        self._name = f"{runner.task.work_id}.trial"
        self._setup: dict[str, Any] = {
            "data": plan.setup if runner.task.kind.reads_source else plan.setup | {"input": plan.inputs},
            "memory": None,
            "owner": opaque(runner.task.grant_name),
            "has_public_prompt": plan.has_public_prompt,
        }
        self._outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ended = Unavailable(f"{runner.task.work_id} was ended while its model changed")
        self._ending = runner.ending
        self._ending.add_done_callback(self._on_ending)
        child.attach(self._name, self)

    async def passed(self) -> None:
        """Wait until the setup is accepted.

        Raises:
            LoadFailed: the model does not load, or its program dies over the setup.
            Unavailable: the task is being ended.
            UnitdError: the unit refuses a value.
        """
        await self._outcome

    def end(self) -> None:
        """Leave the child."""
        self._ending.remove_done_callback(self._on_ending)
        if self.child.is_ready:
            self.child.send("exit", task=self._name)
        self.child.detach(self._name)

    def on_child_ready(self) -> None:
        """Ask the child for the setup."""
        answer = self.child.ask("setup", task=self._name, **self._setup)
        answer.add_done_callback(self._decide)

    def on_child_lost(self, reason: str, part: Part) -> None:
        """Refuse the setup, whatever the child died of: the task stays where it is."""
        self._refuse(LoadFailed(f"{self.child.name} died: {reason}"))

    def on_child_failed(self, error: LoadFailed) -> None:
        """Refuse the setup: the model does not load."""
        self._refuse(error)

    def _on_ending(self, _: asyncio.Future[None]) -> None:
        """Refuse the setup, however long the load would still take, and also where a reset stops the child."""
        self._refuse(self._ended)

    def _decide(self, answer: asyncio.Future[dict[str, Any]]) -> None:
        if (error := answer.exception()) is not None:
            self._refuse(error)
        elif not self._outcome.done():
            self._outcome.set_result(None)

    def _refuse(self, error: BaseException) -> None:
        if not self._outcome.done():
            fail(self._outcome, error)
