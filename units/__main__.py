"""Starts one unit program: `python -m units KIND FD`.

KIND is built in or registered by an installed package in the entry-point group `unitd.units` (a callable that takes
the host and returns a `units.base.Unit`). FD is the channel to the daemon.
"""

import gc
import socket
import sys
from collections.abc import Callable
from typing import cast

from unitd.wire.envelope import ENTRY_POINT_GROUP
from units.base import Unit
from units.engines import UNITS, imported
from units.host import Host, guard_stdout

Maker = Callable[[Host], Unit]


def find_maker(kind: str) -> Maker:
    """Return the unit's class. Importing the class loads no engine yet."""
    if kind in UNITS:
        return imported(UNITS[kind])
    from importlib.metadata import entry_points  # a tenth of the imports of a built-in unit, which does without

    for point in entry_points(group=ENTRY_POINT_GROUP, name=kind):
        return cast(Maker, point.load())
    raise SystemExit(f"there is no unit {kind!r}; built in: {', '.join(UNITS)}")


def main() -> None:
    """Run the unit until the daemon sends `shutdown` or is gone."""
    if len(sys.argv) != 3 or not sys.argv[2].isdecimal():
        raise SystemExit(__doc__)
    # What a start makes stays; to look through it after every 700 objects, as is usual, takes long and finds nothing.
    gc.set_threshold(10_000)
    guard_stdout()
    host = Host(socket.socket(fileno=int(sys.argv[2])))
    host.run(find_maker(sys.argv[1])(host))


if __name__ == "__main__":
    main()
