"""How far a pull is: told to whoever shows a bar, at most four times a second."""

import threading
import time
from collections import deque
from collections.abc import Callable

from unitd.core.models.progress import FETCHING, Progress

REPORT_INTERVAL_SECONDS = 0.25
# Short enough to follow a line that gets slower, long enough not to jump.
SPEED_WINDOW_SECONDS = 5.0

Report = Callable[[Progress], None]


class ProgressReporter:
    """Adds up what several threads fetch."""

    def __init__(self, total: int, report: Report, now: Callable[[], float] = time.monotonic) -> None:
        """`total`: bytes of all files; `now`: seconds."""
        self._total = total
        self._report = report
        self._now = now
        self._lock = threading.Lock()
        self._bytes = 0
        self._seen: deque[tuple[float, int]] = deque()
        self._told_at = float("-inf")

    def found(self, count: int) -> None:
        """Bytes that were there before: they say nothing about the speed."""
        self._bytes += count

    def add(self, file: str, count: int) -> None:
        """Bytes that came; less than none when a server made us begin anew."""
        with self._lock:
            now = self._now()
            self._seen = self._seen or deque([(now, self._bytes)])
            self._bytes += count
            if now - self._told_at >= REPORT_INTERVAL_SECONDS or self._bytes == self._total:
                self._told_at = now
                self._report(self._progress(file, now))

    def _progress(self, file: str, now: float) -> Progress:
        self._seen.append((now, self._bytes))
        while now - self._seen[0][0] > SPEED_WINDOW_SECONDS:
            self._seen.popleft()
        since, before = self._seen[0]
        speed = max(0, self._bytes - before) / (now - since) if now > since else 0.0
        left = (self._total - self._bytes) / speed if speed else 0.0
        return Progress(FETCHING, file, self._bytes, self._total, round(speed, 1), round(left, 1))
