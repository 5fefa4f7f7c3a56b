"""Sliding windows: at most so many events in any stretch of time of a given length.

A place becomes free when the event that took it is as old as the window is long, not at the turn of a minute. Pure:
the caller says what time it is, on any clock that never goes back.
"""

from collections import deque


class SlidingWindow:
    """The events of one kind that were let through; a limit or a length of 0 lets everything through."""

    def __init__(self, limit: int, seconds: float) -> None:
        self.limit = limit
        self.seconds = seconds
        self._times: deque[float] = deque()

    def take(self, now: float) -> bool:
        """True, and the event is counted, while there is room; a refused one takes no place."""
        if not self.limit or not self.seconds:
            return True
        while self._times and now - self._times[0] >= self.seconds:
            self._times.popleft()
        if len(self._times) >= self.limit:
            return False
        self._times.append(now)
        return True

    def seconds_until_room(self, now: float) -> float:
        """How long after `now` the next event will be let through; 0 when it would be already."""
        if len(self._times) < self.limit or not self._times:
            return 0.0
        return max(0.0, self._times[0] + self.seconds - now)
