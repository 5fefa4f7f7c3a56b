"""Who follows all tasks, whoever owns them: a bridge that shows them to others.

Observers are told at once and in order, and must not wait: what they have to do with it is their own matter.
"""

from typing import Protocol

from unitd.core.tasks.table import Task
from unitd.wire.messages import Reply


class Observer(Protocol):
    """Somebody who follows."""

    def on_said(self, task: Task, reply: Reply) -> None:
        """A frame of a task's output, also when no client is there to take it."""

    def on_changed(self, work_id: str) -> None:
        """Its entry of sys.lstask may be another one now, or it is gone."""


class TaskObservers:
    """All observers."""

    def __init__(self) -> None:
        self._observers: list[Observer] = []

    def follow(self, observer: Observer) -> None:
        """This one is told from now on."""
        self._observers.append(observer)

    def leave(self, observer: Observer) -> None:
        """This one is told no more."""
        self._observers.remove(observer)

    def said(self, task: Task, reply: Reply) -> None:
        """A task says something."""
        for observer in self._observers:
            observer.on_said(task, reply)

    def changed(self, work_id: str) -> None:
        """Something about a task is different."""
        for observer in self._observers:
            observer.on_changed(work_id)
