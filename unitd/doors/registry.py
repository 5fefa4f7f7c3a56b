"""The table of doors: when each is open, how it is made, and which packages it needs.

Each door's library is imported only where the door is open, hence the imports inside the functions.
"""

from collections.abc import Callable
from dataclasses import dataclass

from unitd.core.config.schema import Settings
from unitd.doors.base import Door, DoorContext


def _unix(context: DoorContext) -> Door:
    from unitd.doors.stream.door import UnixDoor

    return UnixDoor(context)


def _tcp(context: DoorContext) -> Door:
    from unitd.doors.stream.door import TcpDoor

    return TcpDoor(context)


def _serial(context: DoorContext) -> Door:
    from unitd.doors.stream.serial import SerialDoor

    return SerialDoor(context)


def _http(context: DoorContext) -> Door:
    from unitd.doors.http.door import HttpDoor

    return HttpDoor(context)


def _mqtt(context: DoorContext) -> Door:
    from unitd.doors.mqtt.door import make_door

    return make_door(context)


def _wyoming(context: DoorContext) -> Door:
    from unitd.doors.wyoming.door import WyomingDoor

    return WyomingDoor(context)


@dataclass(frozen=True)
class DoorRow:
    """One door."""

    is_open: Callable[[Settings], bool]
    """Whether the configuration opens it."""

    make: Callable[[DoorContext], Door]
    packages: tuple[tuple[str, str], ...] = ()
    """The modules that it imports, each with the package that it comes with."""


DOORS: dict[str, DoorRow] = {
    "unix": DoorRow(lambda settings: settings.unix.enabled, _unix),
    "tcp": DoorRow(lambda settings: settings.tcp.enabled, _tcp),
    "serial": DoorRow(
        lambda settings: settings.serial is not None, _serial, (("serial_asyncio_fast", "pyserial-asyncio-fast"),)
    ),
    "http": DoorRow(
        lambda settings: settings.http.enabled, _http, (("starlette", "starlette"), ("uvicorn", "uvicorn"))
    ),
    "mqtt": DoorRow(lambda settings: settings.mqtt is not None, _mqtt, (("aiomqtt", "aiomqtt"),)),
    "wyoming": DoorRow(
        lambda settings: settings.wyoming is not None, _wyoming, (("wyoming", "wyoming"), ("zeroconf", "zeroconf"))
    ),
}
"""Every door by its name, in the order in which they are opened."""
