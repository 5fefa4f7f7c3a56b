"""Spoken turns: what passes between the end of a sentence and the first sound of its answer.

    speech ends -> text -> first delta of the answer -> first sample at the loudspeaker

A turn begins with a finished text that a link makes a prompt; the link router reports what becomes of it. Each step is
counted as soon as it is done. When nothing more is to be waited for, one line of the log tells the whole. Times are
seconds of the monotonic clock, which all processes share.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from unitd.runtime.metrics import Metrics, Step

log = logging.getLogger("unitd.turns")

Key = tuple[str, int]
"""A task's work_id and the number of one of its inferences."""


@dataclass(eq=False)
class Turn:
    """One sentence that a person spoke, and what came of it."""

    work_ids: list[str]
    last_at: float
    """When its last step was done."""

    steps: dict[Step, float] = field(default_factory=dict)
    """Seconds of the steps that are done."""

    keys: set[Key] = field(default_factory=set)
    """Inferences that still belong to it: the answer, and the voices that speak it."""


class TurnLatency:
    """All turns that are going on, and the wakes whose effect is awaited."""

    def __init__(self, metrics: Metrics, clock: Callable[[], float] = monotonic) -> None:
        self._metrics = metrics
        self._clock = clock
        self._latency: dict[Key, Turn] = {}
        self._interrupted: dict[str, float] = {}
        """Voices that a wake has cut while they were to be heard, and when the wake was."""

    def begin(self, ear: str, answer: Key, speech_ended_at: float | None) -> None:
        """Note that a finished text became a prompt; without a time of the speech the first step is unknown."""
        now = self._clock()
        turn = self._latency[answer] = Turn([ear, answer[0]], now, keys={answer})
        if speech_ended_at is not None:
            turn.last_at = speech_ended_at
            self._note(turn, Step.SPEECH_TO_TEXT, now)

    def note_word(self, answer: Key) -> None:
        """Note a delta of an answer."""
        turn = self._latency.get(answer)
        if turn is not None and Step.TEXT_TO_WORD not in turn.steps:
            self._note(turn, Step.TEXT_TO_WORD, self._clock())

    def note_voice(self, answer: Key, voice: Key) -> None:
        """Note that this inference speaks an answer."""
        if (turn := self._latency.get(answer)) is not None:
            turn.work_ids.append(voice[0])
            turn.keys.add(voice)
            self._latency[voice] = turn

    def note_sound(self, voice: Key, at: float | None = None) -> None:
        """Note that what a voice has said begins to be heard, by default now."""
        turn = self._latency.get(voice)
        if turn is not None and Step.WORD_TO_SOUND not in turn.steps:
            self._note(turn, Step.WORD_TO_SOUND, self._clock() if at is None else at)
            self._close(turn)

    def end(self, key: Key) -> None:
        """Note that nothing more comes of an inference."""
        turn = self._latency.pop(key, None)
        if turn is not None:
            turn.keys.discard(key)
            if not turn.keys:
                self._close(turn)

    def note_ears(self, woken_at: float) -> None:
        """Note that the ears that a wake was to open are open."""
        self._metrics.chain[Step.WAKE_TO_EARS].note(max(0.0, self._clock() - woken_at))

    def note_interruption(self, voice: str, woken_at: float) -> None:
        """Note that a wake cuts a voice that is heard or will be."""
        self._interrupted[voice] = woken_at

    def note_silence(self, voice: str, at: float) -> None:
        """Note that the last sample of a voice has been heard."""
        if (woken_at := self._interrupted.pop(voice, None)) is not None:
            self._metrics.chain[Step.WAKE_TO_SILENCE].note(max(0.0, at - woken_at))

    def _note(self, turn: Turn, step: Step, at: float) -> None:
        # A sample may be heard before the daemon is told of its delta: a step takes no less than nothing.
        turn.steps[step] = max(0.0, at - turn.last_at)
        turn.last_at = at
        self._metrics.chain[step].note(turn.steps[step])

    def _close(self, turn: Turn) -> None:
        """Log the turn, once."""
        for key in turn.keys:
            self._latency.pop(key, None)
        log.info("= turn: %s (%s)", _told(turn.steps), ", ".join(turn.work_ids))


def _told(steps: dict[Step, float]) -> str:
    """Return the words of the log line; steps that were not reached are left out."""
    words = {
        Step.SPEECH_TO_TEXT: "text {:.0f} ms after the speech",
        Step.TEXT_TO_WORD: "first word {:.0f} ms later",
        Step.WORD_TO_SOUND: "sound {:.0f} ms later",
    }
    told = [text.format(steps[step] * 1000) for step, text in words.items() if step in steps]
    return ", ".join(told) or "ended before its first word"
