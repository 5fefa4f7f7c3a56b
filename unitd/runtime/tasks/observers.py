"""Objects that follow all tasks, whoever owns the tasks: a bridge that shows them to others, say.

Observers are called at once and in order, and must not wait.
"""

from typing import Protocol

from unitd.core.tasks.table import Task
from unitd.wire.messages import Reply


class Observer(Protocol):
    """Follows all tasks."""

    def on_said(self, task: Task, reply: Reply) -> None:
        """Take a frame of a task's output, also when no client is there to take it."""

    def on_changed(self, work_id: str) -> None:
        """Note that the row of a task in sys.lstask may be another one now, or that the task is gone."""


class TaskObservers:
    """The list of all observers."""

    def __init__(self) -> None:
        self._observers: list[Observer] = []

    def follow(self, observer: Observer) -> None:
        """Tell an observer everything from now on."""
        self._observers.append(observer)

    def leave(self, observer: Observer) -> None:
        """Tell an observer nothing more."""
        self._observers.remove(observer)

    def said(self, task: Task, reply: Reply) -> None:
        """Pass on a frame of a task."""
        for observer in self._observers:
            observer.on_said(task, reply)

    def changed(self, work_id: str) -> None:
        """Pass on that something about a task is different."""
        for observer in self._observers:
            observer.on_changed(work_id)
