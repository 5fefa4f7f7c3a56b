"""The protocols between a service manager and the daemon: sd_listen_fds(3) and sd_notify(3).

Both are a few environment variables, inherited descriptors and datagrams, so no library is needed. Without a service
manager (`NOTIFY_SOCKET`, `LISTEN_PID` not set) there are no passed sockets and no notifications.
"""

import asyncio
import logging
import os
import socket
import time
from collections.abc import Iterable, Mapping, MutableMapping, Sequence

from unitd.wire.errors import ConfigError

log = logging.getLogger("unitd.doors")

FIRST_DESCRIPTOR = 3
"""SD_LISTEN_FDS_START: the descriptors before it are stdin, stdout and stderr."""

FAMILIES = {
    "unix": (socket.AF_UNIX,),
    "tcp": (socket.AF_INET, socket.AF_INET6),
    "http": (socket.AF_INET, socket.AF_INET6),
}
"""The doors that accept passed sockets, by the name in `FileDescriptorName=`, and the families that they accept."""

Activated = Mapping[str, Sequence[socket.socket]]
"""Listening sockets that were opened for the daemon, by the name of their door."""

VARIABLES = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC")


def take_variables(environment: MutableMapping[str, str]) -> dict[str, str]:
    """Remove the service manager's variables, so that children do not inherit them, and return them."""
    return {name: environment.pop(name) for name in VARIABLES if name in environment}


def activated_sockets(variables: Mapping[str, str]) -> Activated:
    """Return the sockets that the service manager has opened for this process.

    Raises:
        ConfigError: a socket's name is that of no door, or its door cannot use it.
    """
    if not _is_for_us(variables.get("LISTEN_PID")):
        return {}
    count = _number(variables, "LISTEN_FDS")
    names = variables.get("LISTEN_FDNAMES", "").split(":")
    if len(names) != count:
        raise ConfigError(f"LISTEN_FDNAMES names {len(names)} sockets, LISTEN_FDS says {count}")
    activated: dict[str, list[socket.socket]] = {}
    for descriptor, name in enumerate(names, FIRST_DESCRIPTOR):
        activated.setdefault(name, []).append(_listening_socket(descriptor, name))
    return activated


def _listening_socket(descriptor: int, name: str) -> socket.socket:
    if name not in FAMILIES:
        raise ConfigError(f"a passed socket is named {name!r}; FileDescriptorName must be one of {', '.join(FAMILIES)}")
    try:
        os.set_inheritable(descriptor, False)
        passed = socket.socket(fileno=descriptor)
        is_listening = passed.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    except OSError as error:
        raise ConfigError(f"the passed descriptor {descriptor} ({name}) is no socket: {error.strerror}") from error
    if passed.family not in FAMILIES[name] or passed.type != socket.SOCK_STREAM or not is_listening:
        kind = "Unix" if name == "unix" else "TCP"
        raise ConfigError(f"the passed socket {name} is no listening {kind} socket (ListenStream=, Accept=no)")
    passed.setblocking(False)
    return passed


def _is_for_us(pid: str | None) -> bool:
    """Return whether the variables are for this process, and not inherited from a parent."""
    return pid is not None and pid == str(os.getpid())


def _number(variables: Mapping[str, str], name: str) -> int:
    try:
        return int(variables.get(name, "0"))
    except ValueError as error:
        raise ConfigError(f"{name} is {variables[name]!r}, it must be a whole number") from error


class Service:
    """Notifies the service manager of the daemon's state; without one it sends nothing."""

    def __init__(self, variables: Mapping[str, str] | None = None) -> None:
        """Read the variables that `take_variables` returned.

        Raises:
            ConfigError: `WATCHDOG_USEC` is no number.
        """
        variables = variables or {}
        address = variables.get("NOTIFY_SOCKET", "")
        self._address = "\0" + address[1:] if address.startswith("@") else address
        is_watched = "WATCHDOG_PID" not in variables or _is_for_us(variables["WATCHDOG_PID"])
        self._watchdog_seconds = _number(variables, "WATCHDOG_USEC") / 1e6 if is_watched else 0.0

    def ready(self, status: str) -> None:
        """Notify that clients can connect."""
        self._tell("READY=1", f"STATUS={status}")

    def reloading(self) -> None:
        """Notify that the configuration is read again; `ready` must follow."""
        self._tell("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self) -> None:
        """Notify that the daemon is stopping."""
        self._tell("STOPPING=1", "STATUS=stopping")

    async def feed_watchdog(self) -> None:
        """Notify regularly that the event loop runs; the service manager restarts a daemon that hangs."""
        if not (self._address and self._watchdog_seconds):
            return
        while True:
            self._tell("WATCHDOG=1")
            await asyncio.sleep(self._watchdog_seconds / 2)  # as sd_watchdog_enabled(3) recommends

    def _tell(self, *lines: str) -> None:
        if not self._address:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as plug:
            plug.setblocking(False)
            try:
                plug.sendto("\n".join(_one_line(lines)).encode(), self._address)
            except OSError as error:
                log.warning("the service manager cannot be told %s: %s", lines[0], error.strerror)


def _one_line(lines: Iterable[str]) -> Iterable[str]:
    """Yield lines without newlines, which would begin another assignment."""
    return (line.replace("\n", " ") for line in lines)
