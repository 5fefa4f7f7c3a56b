"""The local time with its zone: with a mere offset from UTC nothing is known of the day on which the clock changes."""

import os
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_LOCALTIME = Path("/etc/localtime")


def local_now(localtime: Path = _LOCALTIME) -> datetime:
    """Return the time in the board's zone, which is looked up again each time, as it may be changed while we run.

    Without TZ and /etc/localtime it has the offset that the C library knows.
    """
    zone = _zone_of(os.environ.get("TZ", "").removeprefix(":")) or _zone_of_file(localtime)
    return datetime.now(zone) if zone else datetime.now().astimezone()


def _zone_of(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _zone_of_file(path: Path) -> ZoneInfo | None:
    """Return the zone of a file, by its name where it is a link into the system's zones."""
    try:
        name = str(path.resolve(strict=True)).rpartition("zoneinfo/")[2]
        if zone := _zone_of(name):
            return zone
        with path.open("rb") as file:
            return ZoneInfo.from_file(file)
    except (OSError, ValueError):
        return None
