"""What a microphone and a loudspeaker are to the unit, and which one a setting names.

""          none
"default"   what PortAudio takes by itself
"file:PATH" a file or a FIFO
other       the first device whose name has this in it
"""

import random
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from units.sound.upload import RATE

Samples: TypeAlias = NDArray[np.int16]
Pace: TypeAlias = Literal["real", "fast"]

PERIOD = RATE // 50
"""Samples that the microphone sends at a time: 20 ms."""

BLOCK = RATE // 100
"""Samples that the loudspeaker gets at a time: 10 ms, which is how long a stop takes to be obeyed."""

NOTHING: Samples = np.zeros(0, np.int16)


class DeviceMissing(Exception):
    """It cannot be opened now; the words say why and, where it can be said, what to do."""


class DeviceLost(Exception):
    """It was open and fails."""


class Source(Protocol):
    """An open microphone. `read` waits for about a period, so that nobody has to ask for long."""

    name: str
    overruns: int
    """How often sound was lost because nobody took it in time."""

    @property
    def is_stale(self) -> bool:
        """True when it should be closed and opened again soon."""

    def read(self) -> tuple[Samples, float]:
        """Sound at 16 kHz, maybe none yet, and the monotonic time of its last sample. DeviceLost when it fails."""

    def close(self) -> None:
        """Lets the device go."""


class Sink(Protocol):
    """An open loudspeaker. `write` waits as long as the block takes, less what the device buffers."""

    name: str
    underruns: int
    """How often it ran dry, or a block was dropped because it did not take it."""

    latency: float
    """Seconds from `write` to the ear."""

    needs_silence: bool
    """True when it wants blocks of silence while nothing plays."""

    @property
    def is_stale(self) -> bool:
        """True when it should be closed and opened again in a quiet moment."""

    def write(self, block: Samples) -> None:
        """Plays a block. DeviceLost when it fails."""

    def close(self) -> None:
        """Lets the device go; a file is complete then."""


class Clock:
    """Keeps the pace of real time for devices that have none of their own."""

    # A pause of the whole machine is not made up for by a burst.
    _LONGEST_BURST_SECONDS = 0.5

    def __init__(self) -> None:
        self._due = time.monotonic()

    def wait(self, samples: int) -> None:
        """Returns when this many more samples would have sounded."""
        now = time.monotonic()
        self._due = max(self._due, now - self._LONGEST_BURST_SECONDS) + samples / RATE
        if self._due > now:
            time.sleep(self._due - now)


class Backoff:
    """How long to wait before a device is tried again; each time longer, never two alike."""

    _FIRST_SECONDS, _LAST_SECONDS = 0.25, 5.0

    def __init__(self) -> None:
        self._next = self._FIRST_SECONDS

    def next_seconds(self) -> float:
        """The next pause."""
        pause, self._next = self._next, min(self._next * 2, self._LAST_SECONDS)
        return pause * random.uniform(0.7, 1.0)

    def reset(self) -> None:
        """It worked."""
        self._next = self._FIRST_SECONDS


FILE_PREFIX = "file:"


def maybe_path(setting: str) -> Path | None:
    """The file that a setting names."""
    return Path(setting.removeprefix(FILE_PREFIX)) if setting.startswith(FILE_PREFIX) else None


def is_fifo(path: Path) -> bool:
    """False, too, when nothing is there."""
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except OSError:
        return False


OpenSink: TypeAlias = Callable[[], Sink]
