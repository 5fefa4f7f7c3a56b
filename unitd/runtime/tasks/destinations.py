"""Where a task's output goes besides its clients: to the tasks that are linked to it."""

from typing import Any, Protocol

from unitd.core.tasks.kinds import Output
from unitd.core.tasks.table import Task
from unitd.runtime.tasks.output import Inference


class Destinations(Protocol):
    """What carries a task's output on to the tasks that are linked to it."""

    def on_event(self, source: Task, fields: dict[str, Any]) -> None:
        """Pass on what a unit heard or understood by itself."""

    def on_delta(self, source: Task, inference: Inference, text: str) -> None:
        """Pass on more of an answer."""

    def on_end(self, source: Task, inference: Inference) -> None:
        """Note that an answer is over, whatever the reason."""


def is_voice(task: Task) -> bool:
    """Return True for a task whose output is speech."""
    return task.kind.output is Output.SOUND
