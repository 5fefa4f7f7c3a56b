"""Reports of a pull's progress, at most four times a second."""

import threading
import time
from collections import deque
from collections.abc import Callable

from unitd.core.models.progress import FETCHING, Progress

REPORT_INTERVAL_SECONDS = 0.25
# Short enough to follow a connection that gets slower, long enough for a steady figure.
SPEED_WINDOW_SECONDS = 5.0

Report = Callable[[Progress], None]


class ProgressReporter:
    """Adds up the bytes that several threads fetch, and reports them."""

    def __init__(self, total: int, report: Report, now: Callable[[], float] = time.monotonic) -> None:
        """Take the bytes of all files, the function to report to, and a clock in seconds."""
        self._total = total
        self._report = report
        self._now = now
        self._lock = threading.Lock()
        self._bytes = 0
        self._seen: deque[tuple[float, int]] = deque()
        self._reported_at = float("-inf")

    def found(self, count: int) -> None:
        """Add bytes that were on disk before; they do not count for the speed."""
        self._bytes += count

    def add(self, file: str, count: int) -> None:
        """Add bytes that came; a negative count if a server begins anew."""
        with self._lock:
            now = self._now()
            self._seen = self._seen or deque([(now, self._bytes)])
            self._bytes += count
            if now - self._reported_at >= REPORT_INTERVAL_SECONDS or self._bytes == self._total:
                self._reported_at = now
                self._report(self._progress(file, now))

    def _progress(self, file: str, now: float) -> Progress:
        self._seen.append((now, self._bytes))
        while now - self._seen[0][0] > SPEED_WINDOW_SECONDS:
            self._seen.popleft()
        since, before = self._seen[0]
        speed = max(0, self._bytes - before) / (now - since) if now > since else 0.0
        left = (self._total - self._bytes) / speed if speed else 0.0
        return Progress(FETCHING, file, self._bytes, self._total, round(speed, 1), round(left, 1))
