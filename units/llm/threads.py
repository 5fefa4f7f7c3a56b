"""The number of threads that compute a step: one for each core that other programs leave free.

The threads of a step meet after each node of llama.cpp's graph, some hundred times for a token, and the slowest
decides. When another program takes the core of one of them, all wait for it at each meeting: on two cores, beside one
busy program, two threads are far slower than one (docs/benchmarks.md). So the number follows what the others use, as
the kernel counts it: down at once when they take a core, up again when one has been free for a while. A program of
lower priority (nice) gives way by itself and does not count.

What the others use is measured from one decode to a later one, at least `WINDOW_SECONDS` apart. After a rest nothing is
known, and the first step may be a long one; then the programs count that want to run at this very moment.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

STAT = Path("/proc/stat")
# The kernel counts in steps of 4 to 10 ms: below this a measurement says little.
WINDOW_SECONDS = 0.2
# Between two decodes of an answer lie a few milliseconds; after a rest the last measurement says nothing any more.
REST_SECONDS = 0.1
# A program that only hands a prompt over is done after a millisecond, threads that spin after a step of another engine
# after some more (14 ms by libgomp's default); a busy program is not.
LOOK_SECONDS = (0.001, 0.002, 0.004, 0.008)
# So much of a core may be in use and still count as free: the daemon and a wake word take some hundredths.
SLACK_CORES = 0.35
# A core that is given back must be free but for this much, and for so long: speech is recognised in bursts.
FREE_SLACK_CORES = 0.15
FREE_SECONDS = 0.5


class Load(NamedTuple):
    """The use of the cores that this process may use, by all programs so far, and how many want to run now."""

    seconds: float
    running: int


def read_load() -> Load | None:
    """Return the load of this board; None where the kernel does not tell."""
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
    return Load(ticks / os.sysconf("SC_CLK_TCK"), running)


class ThreadCount:
    """The number of threads for the next decode. One thread calls everything."""

    def __init__(
        self,
        most: int,
        cores: int,
        read: Callable[[], Load | None] = read_load,
        own: Callable[[], float] = time.process_time,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Use at most `most` threads on `cores` cores; `own` returns the core seconds that this program has used."""
        self._most = most
        self._cores = cores
        self._read = read
        self._own = own
        self._clock = clock
        self._sleep = sleep
        self._count = most
        self._rests_since = -REST_SECONDS
        self._free_since: float | None = None

    def before_decode(self) -> int:
        """Return how many threads the next decode should use."""
        if self._most == 1:
            return 1
        now = self._clock()
        if now - self._rests_since >= REST_SECONDS:
            self._begin_anew()
        elif now - self._since >= WINDOW_SECONDS:
            self._follow(now)
        return self._count

    def after_decode(self) -> None:
        """Note that a decode has ended."""
        self._rests_since = self._clock()

    def _begin_anew(self) -> None:
        """Decide by how many programs want to run now, beside this thread."""
        load = self._read()
        for seconds in LOOK_SECONDS:
            if load is None or load.running <= 1:
                break
            self._sleep(seconds)
            load = self._read()
        others = 0 if load is None else load.running - 1
        self._count, self._free_since = max(1, min(self._most, self._cores - others)), None
        self._begin_window(self._clock(), load)

    def _follow(self, now: float) -> None:
        """Decide by what the others have used in this window."""
        load = self._read()
        if load is not None and self._load is not None:
            others = load.seconds - self._load.seconds - (self._own() - self._own_before)
            self._fit(now, self._cores - others / (now - self._since))
        self._begin_window(now, load)

    def _fit(self, now: float, free: float) -> None:
        """Follow the number of free cores: down at once, up when they have been free for a while."""
        if free < self._count - SLACK_CORES:
            self._count, self._free_since = max(1, int(free + SLACK_CORES)), None
            return
        more = min(self._most, int(free + FREE_SLACK_CORES))
        if more <= self._count:
            self._free_since = None
            return
        self._free_since = self._since if self._free_since is None else self._free_since
        if now - self._free_since >= FREE_SECONDS:
            self._count, self._free_since = more, None

    def _begin_window(self, now: float, load: Load | None) -> None:
        self._since, self._load, self._own_before = now, load, self._own()
