"""Sliding windows: a limit of events in any stretch of time of a given length.

An event stops counting when it is as old as the window is long, not at the turn of a minute. Pure: the caller passes
the time, of any clock that never goes back.
"""

from collections import deque


class SlidingWindow:
    """Counts the events of one kind; with a limit or a length of 0 all are allowed."""

    def __init__(self, limit: int, seconds: float) -> None:
        self.limit = limit
        self.seconds = seconds
        self._times: deque[float] = deque()

    def take(self, now: float) -> bool:
        """Return whether one more event is allowed; only an allowed one is counted."""
        if not self.limit or not self.seconds:
            return True
        while self._times and now - self._times[0] >= self.seconds:
            self._times.popleft()
        if len(self._times) >= self.limit:
            return False
        self._times.append(now)
        return True

    def seconds_until_room(self, now: float) -> float:
        """Return the seconds until the next event is allowed; 0 if it is allowed now."""
        if len(self._times) < self.limit or not self._times:
            return 0.0
        return max(0.0, self._times[0] + self.seconds - now)
