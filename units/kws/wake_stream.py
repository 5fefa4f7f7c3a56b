"""One stream of audio and what is heard in it: blocks, the clock of the audio, debounce."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from units.kws.spotter import BLOCK, Heard, Spotter
from units.sound.upload import NOTHING, RATE, Samples


class Wake(NamedTuple):
    """A phrase that was heard."""

    phrase: str
    score: float | None
    at: int
    """Samples of this stream until the wake was decided."""

    ended: int
    """Samples of this stream until the phrase ended."""

    is_repeat: bool = False
    """True within the debounce of another wake: only a task that hears the question needs to know."""


class WakeStream:
    """One stream of audio, cut into blocks, so that no border between pieces can be heard."""

    def __init__(self, spotters: Sequence[Spotter], debounce_seconds: float) -> None:
        self._spotters = spotters
        self._debounce = round(debounce_seconds * RATE)
        self._rest = NOTHING
        self._deaf_until = 0
        self.heard = 0
        """Samples so far, including those of the block that is not full."""

    def feed(self, samples: Samples) -> list[Wake]:
        """Return the wakes that these samples decide."""
        waiting = np.concatenate([self._rest, samples])
        begin = self.heard - len(self._rest)
        whole = len(waiting) - len(waiting) % BLOCK
        wakes: list[Wake] = []
        for at in range(0, whole, BLOCK):
            block = waiting[at : at + BLOCK]
            wakes += self._tell([heard for each in self._spotters for heard in each.hear(block)], begin + at + BLOCK)
        self._rest = waiting[whole:]
        self.heard += len(samples)
        return wakes

    def finish(self) -> list[Wake]:
        """Return the wakes that the end of the audio decides; what comes next is a new beginning."""
        wakes = self._tell([heard for each in self._spotters for heard in each.finish(self._rest)], self.heard)
        self._rest = NOTHING
        self._deaf_until = 0
        return wakes

    def forget(self) -> None:
        """Forget what was heard; only the clock goes on."""
        self.finish()

    def _tell(self, heard: Sequence[Heard], at: int) -> list[Wake]:
        """Return the first of what was heard, as a repeat where a wake was told just before."""
        if not heard:
            return []
        phrase, score, seconds_ago = heard[0]
        ended = at - round(seconds_ago * RATE)
        is_repeat = at < self._deaf_until
        if not is_repeat:
            self._deaf_until = at + self._debounce
        return [Wake(phrase, score, at, ended, is_repeat)]
