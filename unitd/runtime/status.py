"""What is there at this moment, for whoever shows the daemon: nothing of it is kept, it is looked at when asked."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from unitd.runtime.children.memory_budget import Usage
from unitd.runtime.children.supervisor import Child
from unitd.runtime.tasks.runner import TaskRunner


@dataclass(frozen=True)
class Status:
    """Asks those who know."""

    runners: Callable[[], Sequence[TaskRunner]]
    """Every task at work, oldest first."""

    children: Callable[[], Sequence[Child]]
    """Every unit program that runs or is being started."""

    connections: Callable[[], Mapping[str, int]]
    """How many clients are connected, by door."""

    memory: Callable[[], Awaitable[Usage]]
    """What models take, and what they may."""
