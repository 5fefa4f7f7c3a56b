"""Children: one for each (unit kind, model), shared by its tasks.

A child without tasks is stopped: its memory is free at once. Only where tasks come and go with each request of a client
(HTTP, WebSocket) it stays for a while, with its weights and what it has read, or until another one needs the room.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextvars import Context
from functools import partial
from typing import Any

from unitd.core.models.catalog import Card
from unitd.runtime.children.child import Child
from unitd.runtime.children.memory_budget import Budget
from unitd.runtime.metrics import Metrics


class Supervisor:
    """All children, by unit kind and model."""

    def __init__(
        self,
        argv_for: Callable[[str], Sequence[str]],
        load_for: Callable[[Card], dict[str, Any]],
        metrics: Metrics,
        idle_seconds: float,
        budget: Budget,
    ) -> None:
        """A child that is released for a while stays `idle_seconds` without a task, where the budget has room."""
        self._argv_for = argv_for
        self._load_for = load_for
        self._metrics = metrics
        self._idle_seconds = idle_seconds
        self._budget = budget
        self._idle: dict[Child, asyncio.TimerHandle] = {}
        self._children: dict[tuple[str, str], tuple[Child, asyncio.Task[None]]] = {}
        self._retired: dict[Child, asyncio.Task[None]] = {}
        self._stopping: set[asyncio.Task[None]] = set()
        self._group: asyncio.TaskGroup | None = None

    def open(self, group: asyncio.TaskGroup) -> None:
        """Run children in this group from now on."""
        self._group = group

    def change_idle_time(self, seconds: float) -> None:
        """Let children that are released from now on stay so long."""
        self._idle_seconds = seconds

    @property
    def children(self) -> list[Child]:
        """The children that run or are being started."""
        return [child for child, _ in self._children.values()]

    def child_for(self, card: Card) -> Child:
        """Return the child of this model, started if there was none; the caller attaches its task at once."""
        assert self._group is not None
        key = (card.unit, card.name)
        if key not in self._children:
            meter = self._metrics.model(card.unit, card.name)
            room = partial(self._budget.room, self)
            argv, load = self._argv_for(card.unit), self._load_for(card)
            child = Child(card, argv, load, meter, room, self._budget.data_limit)
            # It outlives the request that starts it: its log lines are not about that request.
            life = self._group.create_task(child.live(), name=f"child {child.name}", context=Context())
            self._children[key] = (child, life)
        return self._children[key][0]

    def release(self, child: Child, *, for_a_while: bool = False) -> None:
        """Stop a child if it has no task any more; `settle` waits for its end."""
        if (timer := self._idle.pop(child, None)) is not None:
            timer.cancel()
        if for_a_while and child.is_empty and child.is_ready and child not in self._retired:
            self._idle[child] = asyncio.get_running_loop().call_later(self._idle_seconds, self.release, child)
            return
        for key, (candidate, task) in list(self._children.items()):
            if candidate is child and child.is_empty:
                del self._children[key]
                self._stop_one(task)
        if child in self._retired and child.is_empty:
            self._stop_one(self._retired.pop(child))

    def retire_all(self) -> None:
        """Give setups new children from now on; the present ones end with their tasks."""
        self._retired |= dict(self._children.values())
        self._children.clear()
        for child in list(self._retired):
            self.release(child)

    @property
    def idle(self) -> list[Child]:
        """The children without a task, the longest idle first."""
        return [child for child in self._idle if child.is_empty]

    async def end(self, child: Child) -> None:
        """Return when an idle child is gone; one that is used again stays."""
        self.release(child)
        await self.settle()

    async def settle(self) -> None:
        """Wait for the ends of the children that are being stopped."""
        if self._stopping:
            await asyncio.wait(self._stopping)

    def stop_retired(self) -> None:
        """Stop the retired children, whether their tasks have ended or not."""
        for task in self._retired.values():
            self._stop_one(task)
        self._retired.clear()

    async def stop(self) -> None:
        """Stop every child, all at once, and wait for their ends."""
        for timer in self._idle.values():
            timer.cancel()
        self.retire_all()
        self.stop_retired()
        await self.settle()

    def _stop_one(self, task: asyncio.Task[None]) -> None:
        self._stopping.add(task)
        task.add_done_callback(self._stopping.discard)
        task.cancel()
