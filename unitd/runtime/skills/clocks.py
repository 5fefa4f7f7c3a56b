"""The clocks of the board: the one on the wall, the one that runs since the boot, and the time zone."""

import logging
import os
import time
import uuid
from collections.abc import Callable
from datetime import datetime, tzinfo
from pathlib import Path

from unitd.core.timers import Moment

log = logging.getLogger("unitd.timers")

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
LOCAL_TIME = Path("/etc/localtime")


def seconds_since_boot() -> float:
    """Return the seconds since the boot, those asleep included where the system counts them."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class Clocks:
    """Tells the present; `read_boot_id` comes first, in a thread."""

    def __init__(self, wall: Callable[[], float], boot: Callable[[], float] = seconds_since_boot) -> None:
        self._wall = wall
        self._boot = boot
        self._boot_id = ""
        self.zone: tzinfo | None = None
        """The board's own time zone, once `read_zone` has read it."""

        self._zone_source: bytes | str = b""

    def now(self) -> Moment:
        """Return the present by both clocks."""
        return Moment(self._wall(), self._boot(), self._boot_id)

    def read_boot_id(self) -> None:
        """Read by which boot the seconds since then are counted."""
        try:
            self._boot_id = BOOT_ID.read_text().strip()
        except OSError:  # an id of this run alone: after a restart timers follow the clock on the wall
            self._boot_id = uuid.uuid4().hex

    def read_zone(self) -> bool:
        """Read the time zone, in a thread. Return True when it is another one than before."""
        before, was_read = self._zone_source, self.zone is not None
        self._zone_source = os.environ.get("TZ") or _content(LOCAL_TIME)
        if was_read and before == self._zone_source:
            return False
        self.zone = _zone()
        return was_read


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _zone() -> tzinfo:
    """Return the zone of TZ or of the system; one without a summer time where that cannot be read."""
    from zoneinfo import ZoneInfo  # not before there is an alarm: it takes 150 KB

    try:
        if name := os.environ.get("TZ", "").removeprefix(":"):
            return ZoneInfo(name)
        with LOCAL_TIME.open("rb") as file:
            return ZoneInfo.from_file(file, key="local")
    except (OSError, ValueError, LookupError) as error:
        fixed = datetime.now().astimezone().tzinfo
        log.warning("the time zone cannot be read (%s): alarms follow %s all year", error, fixed)
        assert fixed is not None
        return fixed
