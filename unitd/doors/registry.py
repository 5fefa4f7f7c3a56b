"""The table of doors: when each is open, how it is made, and which packages it needs."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from unitd.core.config.schema import Settings
from unitd.doors.base import Door, DoorContext


def _imported(module: str, name: str) -> Callable[[DoorContext], Door]:
    """Return a maker that imports its module when it is called: each library only where its door is open."""
    return lambda context: getattr(import_module(f"unitd.doors.{module}"), name)(context)


@dataclass(frozen=True)
class DoorRow:
    """One door."""

    is_open: Callable[[Settings], bool]
    """Whether the configuration opens it."""

    make: Callable[[DoorContext], Door]
    packages: tuple[tuple[str, str], ...] = ()
    """The modules that it imports, each with the package that it comes with."""


DOORS: dict[str, DoorRow] = {
    "unix": DoorRow(lambda settings: settings.unix.enabled, _imported("stream.door", "UnixDoor")),
    "tcp": DoorRow(lambda settings: settings.tcp.enabled, _imported("stream.door", "TcpDoor")),
    "serial": DoorRow(
        lambda settings: settings.serial is not None,
        _imported("stream.serial", "SerialDoor"),
        (("serial_asyncio_fast", "pyserial-asyncio-fast"),),
    ),
    "http": DoorRow(
        lambda settings: settings.http.enabled,
        _imported("http.door", "HttpDoor"),
        (("starlette", "starlette"), ("uvicorn", "uvicorn")),
    ),
    "mqtt": DoorRow(
        lambda settings: settings.mqtt is not None, _imported("mqtt.door", "make_door"), (("aiomqtt", "aiomqtt"),)
    ),
    "wyoming": DoorRow(
        lambda settings: settings.wyoming is not None,
        _imported("wyoming.door", "WyomingDoor"),
        (("wyoming", "wyoming"), ("zeroconf", "zeroconf")),
    ),
}
"""Every door by its name, in the order in which they are opened."""
