"""From the probability of speech in each frame to where speech begins and ends."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from units.setup_values import SetupValues
from units.sound.upload import NOTHING, RATE, Samples

BUNDLED = "silero"
"""The engine of a task's detector where neither its setup nor the card names one."""

# Between the two thresholds a frame counts as what was before it, as in silero's own programs.
HYSTERESIS = 0.15


class Detector(Protocol):
    """An engine: the probability of speech, frame by frame."""

    frame_samples: int

    def probability(self, frame: Samples) -> float:
        """Return how much this frame, after those before it, sounds like speech: 0 to 1."""

    def reset(self) -> None:
        """Forget what was heard: the next frame does not continue the last one."""


@dataclass(frozen=True)
class GateRules:
    """When speech begins and ends; the defaults are those of sherpa-onnx's silero options."""

    threshold: float = 0.5
    min_silence_seconds: float = 0.5
    """The silence that ends speech."""

    min_speech_seconds: float = 0.25
    """The speech that counts as a beginning."""


def read_gate_rules(data: Mapping[str, Any]) -> GateRules:
    """Return the rules of a setup; raise UnitFault for a bad value."""
    values, usual = SetupValues(data), GateRules()
    return GateRules(
        values.number("silero_vad.threshold", usual.threshold, 0.01, 1),
        values.number("silero_vad.min_silence_duration", usual.min_silence_seconds, 0, 60),
        values.number("silero_vad.min_speech_duration", usual.min_speech_seconds, 0, 60),
    )


class SpeechGate:
    """The changes between silence and speech in audio of any slicing."""

    def __init__(self, detector: Detector, rules: GateRules) -> None:
        self._detector = detector
        self._rules = rules
        self._frame_seconds = detector.frame_samples / RATE
        self.reset()

    def reset(self) -> None:
        """Begin again with silence."""
        self._detector.reset()
        self._rest = NOTHING
        self._speech_seconds = 0.0
        self.is_speech = False
        self.silent_seconds = 0.0
        """The time since the last frame of speech, or since the beginning."""

    def feed(self, samples: Samples) -> list[bool]:
        """Return the changes in order: True where speech was found, False where it ended."""
        waiting = np.concatenate([self._rest, samples])
        length = self._detector.frame_samples
        whole = len(waiting) // length * length
        self._rest = waiting[whole:]
        changes = []
        for begin in range(0, whole, length):
            was_speech = self.is_speech
            self._judge(self._detector.probability(waiting[begin : begin + length]))
            if self.is_speech != was_speech:
                changes.append(self.is_speech)
        return changes

    def _judge(self, probability: float) -> None:
        is_above = probability >= self._rules.threshold - (HYSTERESIS if self._speech_seconds else 0.0)
        if is_above:
            self.silent_seconds = 0.0
            self._speech_seconds += self._frame_seconds
        else:
            self.silent_seconds += self._frame_seconds
            if not self.is_speech:
                self._speech_seconds = max(0.0, self._speech_seconds - self._frame_seconds)
        if not self.is_speech:
            self.is_speech = is_above and self._speech_seconds >= self._rules.min_speech_seconds
        elif self.silent_seconds >= self._rules.min_silence_seconds:
            self.is_speech = is_above
            self._speech_seconds = self._speech_seconds if is_above else 0.0
