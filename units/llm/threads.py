"""How many threads compute a step: one for each core that other programs leave free.

The threads of a step meet after each node of llama.cpp's graph, some hundred times for a token, and the slowest
decides. When another program takes the core of one of them, all wait for it at each meeting: on two cores, beside one
busy program, two threads are far slower than one (docs/benchmarks.md). So the number follows what the others use, as
the kernel counts it: down at once when they take a core, up again when one has been free for a while. A program of
lower priority (nice) gives way by itself and does not count.

What the others use is measured from one decode to the next, over `WINDOW_SECONDS`. After a rest there is no fresh
measurement; then the number of programs that want to run at this moment counts, since the first step may be a long one.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

STAT = Path("/proc/stat")
# The kernel counts in steps of 4 to 10 ms: below this a measurement says little.
WINDOW_SECONDS = 0.2
# Without a decode for so long, the last measurement says nothing about now.
REST_SECONDS = 0.5
# So much of a core may be in use and still count as free: the daemon and a wake word take some hundredths.
SLACK_CORES = 0.35
# A core that is given back must be free but for this much, and for so long: speech is recognised in bursts.
FREE_SLACK_CORES = 0.15
FREE_SECONDS = 0.5
# Whoever is only just handing over a message is gone after a millisecond; a busy program is not.
LOOKS, LOOK_SECONDS = 3, 0.001


@dataclass(frozen=True)
class Reading:
    """What all programs together have used so far, in seconds of a core, and how many want to run now."""

    busy_seconds: float
    running: int


def read_cores() -> Reading | None:
    """Return the sum over the cores that this process may use; None where the kernel does not tell."""
    try:
        lines = STAT.read_bytes().split(b"\n")
    except OSError:
        return None
    names = {b"cpu%d" % core for core in os.sched_getaffinity(0)}
    ticks = running = 0
    for name, *values in (line.split() for line in lines if line):
        if name in names:
            user, _nice, system, _idle, _iowait, irq, softirq, *rest = map(int, values)
            ticks += user + system + irq + softirq + (rest[0] if rest else 0)  # the hypervisor's other guests
        elif name == b"procs_running":
            running = int(values[0])
    return Reading(ticks / os.sysconf("SC_CLK_TCK"), running)


class ThreadCount:
    """The number of threads for the next decode. One thread calls everything."""

    def __init__(
        self,
        most: int,
        cores: int,
        read: Callable[[], Reading | None] = read_cores,
        own_seconds: Callable[[], float] = time.process_time,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """At most `most` threads on `cores` cores; the rest is how time and load are measured."""
        self._most = most
        self._cores = cores
        self._read = read
        self._own_seconds = own_seconds
        self._clock = clock
        self._sleep = sleep
        self._count = most
        self._rested_since = -REST_SECONDS
        self._since = 0.0
        self._busy_seconds = 0.0
        self._own_before = 0.0
        self._free_since: float | None = None

    def before_decode(self) -> int:
        """Return how many threads the next decode should use."""
        if self._most == 1:
            return 1
        now = self._clock()
        if now - self._rested_since >= REST_SECONDS:
            self._look_anew()
        elif now - self._since >= WINDOW_SECONDS and (reading := self._read()) is not None:
            self._follow(now, reading)
        return self._count

    def after_decode(self) -> None:
        """Notes that a decode has ended."""
        self._rested_since = self._clock()

    def _look_anew(self) -> None:
        """Decides by who wants to run at this moment, beside this thread itself."""
        reading = self._read()
        for _ in range(LOOKS - 1):
            if reading is None or reading.running <= 1:
                break
            self._sleep(LOOK_SECONDS)
            reading = self._read()
        if reading is not None:
            self._count = max(1, min(self._most, self._cores - (reading.running - 1)))
            self._begin_window(self._clock(), reading)
            self._free_since = None

    def _follow(self, now: float, reading: Reading) -> None:
        own = self._own_seconds() - self._own_before
        others = (reading.busy_seconds - self._busy_seconds - own) / (now - self._since)
        self._begin_window(now, reading)
        free = self._cores - others
        if free < self._count - SLACK_CORES:
            self._count, self._free_since = max(1, min(self._most, int(free + SLACK_CORES))), None
        elif self._count == self._most or free < self._count + 1 - FREE_SLACK_CORES:
            self._free_since = None
        elif self._free_since is None:
            self._free_since = now
        elif now - self._free_since >= FREE_SECONDS:
            self._count, self._free_since = self._count + 1, None

    def _begin_window(self, now: float, reading: Reading) -> None:
        self._since, self._busy_seconds, self._own_before = now, reading.busy_seconds, self._own_seconds()
