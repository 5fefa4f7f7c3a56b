"""Where a task's output goes besides its clients: tasks that are linked to it, and the loudspeaker."""

from dataclasses import dataclass
from typing import Protocol

from unitd.core.tasks.table import Task
from unitd.runtime.tasks.output import Inference


@dataclass(frozen=True)
class Wake:
    """A wake word that was heard, or a button that stands for it."""

    at: float
    """When it was recognised, in seconds of the monotonic clock."""

    word_ended_at: float
    """When the word ended: the question begins there."""

    phrase: str = ""
    """The word; "" for a button."""

    chimes: bool = False
    """The board shall say so, and also when nothing was heard after it."""

    is_repeat: bool = False
    """It came right after another: only whoever hears the question must know."""


class Destinations(Protocol):
    """Who carries a task's output on to the tasks that are linked to it, and to the loudspeaker."""

    def on_wake(self, source: Task, wake: Wake) -> None:
        """A wake word was heard."""

    def on_unheard(self, source: Task) -> None:
        """Nothing was heard after a wake that chimed: the board shall say so."""

    def on_text(self, source: Task, text: str, speech_ended_at: float | None) -> None:
        """A text is finished; when the last of it was spoken, if that is known."""

    def on_delta(self, source: Task, inference: Inference, text: str) -> None:
        """More of an answer."""

    def on_end(self, source: Task, inference: Inference) -> None:
        """An answer is over, whatever the reason."""

    def on_speech(self, source: Task, is_speech: bool, at: float) -> None:
        """Somebody began or ended to speak."""

    def on_sound(self, source: Task, inference: Inference, pcm: bytes) -> None:
        """Something to be played: s16le, mono, 16 kHz."""

    def on_hush(self, source: Task) -> None:
        """What this task has given to the loudspeaker shall not be heard any more."""

    def on_hold(self, source: Task, *, is_held: bool) -> None:
        """A pause, or the end of one."""

    def on_change(self) -> None:
        """A task came, or listens to other things: others may hear now."""
