"""What every task shares: where output goes besides the clients, the board's sound, and the observers."""

from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple, Protocol

from unitd.core.tasks.kinds import Output
from unitd.core.tasks.table import Task
from unitd.runtime.audio.hub import AudioHub
from unitd.runtime.skills.actions import SkillActions
from unitd.runtime.skills.board_timers import BoardTimers
from unitd.runtime.tasks.conversations import Conversations
from unitd.runtime.tasks.observers import TaskObservers
from unitd.runtime.tasks.output import Inference
from unitd.runtime.tasks.recognizer import Recognizer


class Destinations(Protocol):
    """What carries a task's output on to the tasks that are linked to it."""

    def on_event(self, source: Task, fields: dict[str, Any]) -> None:
        """Pass on what a unit heard or understood by itself."""

    def on_frame(self, source: Task, frame: bytes) -> None:
        """Pass on what a camera sees; b"" when it sees nothing any more."""

    def on_delta(self, source: Task, inference: Inference, text: str) -> None:
        """Pass on more of an answer."""

    def on_end(self, source: Task, inference: Inference) -> None:
        """Note that an answer is over, whatever the reason."""


class Shared(NamedTuple):
    """What a task works with and does not own."""

    links: Destinations
    audio: AudioHub
    observers: TaskObservers
    start: Callable[[Coroutine[Any, Any, None], str], None]
    """Runs a coroutine in the daemon's own group."""

    recognizer_for: Callable[[str, dict[str, Any]], Recognizer]
    """Gives a task (its work_id) a place in the intent program, with a setup."""

    timers: BoardTimers
    conversations: Conversations
    skill_actions: SkillActions


def is_voice(task: Task) -> bool:
    """Return True for a task whose output is speech."""
    return task.kind.output is Output.SOUND
