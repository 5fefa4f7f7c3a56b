"""What is there at this moment, for doors that show the daemon. Nothing of it is kept."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from unitd.runtime.children.child import Child
from unitd.runtime.children.memory_budget import Usage
from unitd.runtime.tasks.runner import TaskRunner


class Status:
    """Shows what is there at this moment."""

    def __init__(
        self,
        runners: Callable[[], Sequence[TaskRunner]],
        children: Callable[[], Sequence[Child]],
        memory: Callable[[], Awaitable[Usage]],
    ) -> None:
        """The callables return every task at work, every unit program, and what models take and may take."""
        self.runners = runners
        self.children = children
        self.memory = memory
        self._connections: Callable[[], Mapping[str, int]] = dict

    def count_connections(self, count: Callable[[], Mapping[str, int]]) -> None:
        """Ask `count` from now on how many clients are connected, by door."""
        self._connections = count

    @property
    def connections(self) -> Mapping[str, int]:
        """Return how many clients are connected, by door."""
        return self._connections()
