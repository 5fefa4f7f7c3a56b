"""The inferences that one task has accepted: at most one runs, the others wait in their order."""

import itertools
from collections import deque
from collections.abc import Callable

from unitd.runtime.tasks.output import Inference
from unitd.runtime.tasks.states import InferenceState


class InferenceQueue:
    """The running inference, those that wait, and those that were dropped and are not finished yet."""

    def __init__(self) -> None:
        self.running: Inference | None = None
        self._waiting: deque[Inference] = deque()
        self._dropped: list[Inference] = []
        self._numbers = itertools.count(1)

    def __len__(self) -> int:
        """Return how many inferences wait."""
        return len(self._waiting)

    def add(self, inference: Inference) -> None:
        """Number an inference and let it wait."""
        inference.number = next(self._numbers)
        self._waiting.append(inference)

    def take_next(self) -> bool:
        """Make the next inference the running one. Return False when one runs already or none waits."""
        if self.running is not None or not self._waiting:
            return False
        self.running = self._waiting.popleft()
        self.running.advance(InferenceState.DUE)
        return True

    def drop(self, is_unwanted: Callable[[Inference], bool]) -> None:
        """Take inferences out of the queue, to be finished after the running one."""
        self._dropped += [each for each in self._waiting if is_unwanted(each)]
        self._waiting = deque(each for each in self._waiting if not is_unwanted(each))

    def take_dropped(self) -> list[Inference]:
        """Return the dropped inferences, which are to be finished now."""
        dropped, self._dropped = self._dropped, []
        return dropped

    def take_all(self) -> list[Inference]:
        """Empty the queue. Return everything that was accepted, the running inference, which stays, first."""
        waiting, self._waiting = self._waiting, deque()
        return [*([self.running] if self.running else []), *waiting]
