"""What a microphone and a loudspeaker are to the unit, and which one a setting names.

""          none
"default"   the one that PortAudio takes by itself
"file:PATH" a file or a FIFO
other       the first device whose name contains this text
"""

import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from units.sound.upload import RATE, Samples

Pace: TypeAlias = Literal["real", "fast"]

PERIOD = RATE // 50
"""The samples that the microphone sends at a time: 20 ms."""

BLOCK = RATE // 100
"""The samples that the loudspeaker gets at a time: 10 ms, which is also the time until a stop takes effect."""


class DeviceMissing(Exception):
    """A device cannot be opened now; the words say why and, where possible, what to do."""


class DeviceLost(Exception):
    """An open device fails."""


class Source(Protocol):
    """An open microphone. `read` waits for about a period, so that its caller is never held for long."""

    name: str
    overruns: int
    """How often sound was lost because it was not read in time."""

    @property
    def is_stale(self) -> bool:
        """Return True when the device should be closed and opened again soon."""

    def read(self) -> tuple[Samples, float]:
        """Return sound at 16 kHz, maybe none yet, and the time of its last sample; raise DeviceLost on failure."""

    def close(self) -> None:
        """Close the device."""


class Sink(Protocol):
    """An open loudspeaker. `write` waits as long as the block takes, less what the device buffers."""

    name: str
    underruns: int
    """How often the device ran dry, or did not take a block, which was dropped."""

    latency: float
    """Seconds from `write` until the sound is heard."""

    needs_silence: bool
    """True when the device wants blocks of silence while nothing plays."""

    @property
    def is_stale(self) -> bool:
        """Return True when the device should be closed and opened again in a quiet moment."""

    def write(self, block: Samples) -> None:
        """Play a block. Raise DeviceLost on failure."""

    def close(self) -> None:
        """Close the device; a file is complete then."""


class Clock:
    """The pace of real time, for devices that have none of their own."""

    # After a pause of the whole machine no longer burst than this makes up for it.
    _LONGEST_BURST_SECONDS = 0.5

    def __init__(self) -> None:
        self._due = time.monotonic()

    def wait(self, samples: int) -> None:
        """Wait until this many more samples would have sounded."""
        now = time.monotonic()
        self._due = max(self._due, now - self._LONGEST_BURST_SECONDS) + samples / RATE
        if self._due > now:
            time.sleep(self._due - now)


FILE_PREFIX = "file:"


def maybe_path(setting: str) -> Path | None:
    """Return the file that a setting names, None when it names a device."""
    return Path(setting.removeprefix(FILE_PREFIX)) if setting.startswith(FILE_PREFIX) else None


def is_fifo(path: Path) -> bool:
    """Return True for a FIFO, False for anything else and for a missing file."""
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except OSError:
        return False


OpenSink: TypeAlias = Callable[[], Sink]
