"""What the daemon counts while it works: requests, errors, answers, times, losses.

Plain numbers without a library, because they are kept whether or not they are read: a delta costs well under a
microsecond. Everything lies in one `Metrics`. One (unit kind, model) has a `ModelMetrics` of its own, which its child
holds. Counts only grow, and stay when the child goes.
"""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

ANSWER_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Seconds to the first piece of an answer: from a short prompt that is cached to a book on a small board."""

GAP_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1.0, 4.0)
"""Seconds between two pieces: from the bundled model on a PC to the keepalive of a stream that stands still."""

CHAIN_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 0.75, 1.0, 1.5, 2.5, 5.0, 10.0)
"""Seconds of one step of a spoken turn."""


NOT_UNDERSTOOD = ("none", "none")
"""Stands for the unit and the action of requests with an unknown name, so that clients cannot fill the memory."""


class Histogram:
    """Counts how many values were at most as large as each bound, as Prometheus does."""

    __slots__ = ("_bounds", "_counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self.total = 0.0
        """The sum of all values."""

    def note(self, value: float) -> None:
        """Count one more value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self.total += value

    @property
    def count(self) -> int:
        """How many values there were."""
        return sum(self._counts)

    @property
    def buckets(self) -> list[tuple[float, int]]:
        """Each bound, infinity last, and how many values did not exceed it."""
        cumulated, so_far = [], 0
        for bound, count in zip((*self._bounds, math.inf), self._counts, strict=True):
            so_far += count
            cumulated.append((bound, so_far))
        return cumulated


class ModelMetrics:
    """What one model has done, over all its tasks and restarts."""

    def __init__(self, unit: str, model: str, errors: Counter[int]) -> None:
        self.unit = unit
        self.model = model
        self.errors = errors
        """The errors of all models, by code."""

        self.deltas = 0
        """Pieces of answers; for an llm about as many as tokens, and counted at once."""

        self.tokens: Counter[str] = Counter()
        """By "prompt" and "completion"; counted when an answer ends, if the unit tells."""

        self.ends: Counter[str] = Counter()
        """Answers by the reason of their end."""

        self.first = Histogram(ANSWER_BOUNDS)
        """From the acceptance of an inference to its first piece, waiting in the queue included."""

        self.gaps = Histogram(GAP_BOUNDS)
        """Between the pieces of an answer; while it is paused no time passes."""

        self.restarts = 0
        self.failed_tasks = 0
        """Tasks over which their child died too often."""

        self.pictures: Counter[str] = Counter()
        """Pictures by what became of them: "taken" for a question or "refused"; a camera's frames "sent" or "dropped",
        because their client is slow."""

        self.shed_periods = 0
        """Stretches of the microphone that its child did not hear because it was too slow, or did not even get."""

    def note_end(self, reason: str, usage: Mapping[str, Any] | None) -> None:
        """Count an answer that is over; `usage` holds token counts where the unit tells them."""
        self.ends[reason] += 1
        for kind in ("prompt", "completion"):
            self.tokens[kind] += (usage or {}).get(f"{kind}_tokens", 0)


class Step(Enum):
    """What a person waits for in a spoken turn."""

    SPEECH_TO_TEXT = "speech_to_text"
    """From the end of the speech to its final text, the endpoint's silence included."""

    TEXT_TO_WORD = "text_to_word"
    """From the text to the first delta of the answer."""

    WORD_TO_SOUND = "word_to_sound"
    """From that delta to the first sample of the answer at the loudspeaker."""

    WAKE_TO_EARS = "wake_to_ears"
    """From the last sample of a wake word to the linked ears being open."""

    WAKE_TO_SILENCE = "wake_to_silence"
    """From there to the last sample of the voice that it interrupted."""


class Metrics:
    """Everything that is counted; fields are read and raised where they stand."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str]] = Counter()
        """By unit and action."""

        self.errors: Counter[int] = Counter()
        """Replies and last frames with an error, by its code."""

        self.refused_tokens = 0
        """Tokens that were wrong, or whose time is over."""

        self.dropped_frames: Counter[str] = Counter()
        """What clients were not sent because they were gone or too slow, by door."""

        self.rings: Counter[str] = Counter()
        """Timers by how they ended: "stopped", "wake", "snoozed", "unanswered"; commands "done" or "missed"."""

        self.chain = {step: Histogram(CHAIN_BOUNDS) for step in Step}
        self._models: dict[tuple[str, str], ModelMetrics] = {}

    def model(self, unit: str, model: str) -> ModelMetrics:
        """Return the meter of one model, the same one each time."""
        if (unit, model) not in self._models:
            self._models[unit, model] = ModelMetrics(unit, model, self.errors)
        return self._models[unit, model]

    @property
    def models(self) -> list[ModelMetrics]:
        """The meters of every model that was used since the daemon started."""
        return list(self._models.values())
