"""What a service manager tells the daemon and wants to hear from it: sd_listen_fds(3) and sd_notify(3).

Both protocols are a few environment variables, inherited descriptors and datagrams, so no library is needed. Without
a service manager (`NOTIFY_SOCKET`, `LISTEN_PID` not set) nothing is told and nothing was opened for us.
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
"""SD_LISTEN_FDS_START: those before it are stdin, stdout and stderr."""

FAMILIES = {
    "unix": (socket.AF_UNIX,),
    "tcp": (socket.AF_INET, socket.AF_INET6),
    "http": (socket.AF_INET, socket.AF_INET6),
}
"""The doors that take sockets, by the name that `FileDescriptorName=` gives them, and what a socket must be."""

Activated = Mapping[str, Sequence[socket.socket]]
"""Listening sockets that were opened for the daemon, by the name of their door."""

OURS = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC")


def take_variables(environment: MutableMapping[str, str]) -> dict[str, str]:
    """What was meant for this process alone; it is removed, so that children do not inherit it."""
    return {name: environment.pop(name) for name in OURS if name in environment}


def activated_sockets(variables: Mapping[str, str]) -> Activated:
    """The sockets that the service manager has opened for this process.

    Raises:
        ConfigError: a socket has a name that is no door's, or is not what its door takes.
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
    """False for what a parent was told and we inherited."""
    return pid is not None and pid == str(os.getpid())


def _number(variables: Mapping[str, str], name: str) -> int:
    try:
        return int(variables.get(name, "0"))
    except ValueError as error:
        raise ConfigError(f"{name} is {variables[name]!r}, it must be a whole number") from error


class Service:
    """How the daemon stands, told to the service manager; without one nothing is sent."""

    def __init__(self, variables: Mapping[str, str] | None = None) -> None:
        """Raises:
        ConfigError: `WATCHDOG_USEC` is no number.
        """
        variables = variables or {}
        address = variables.get("NOTIFY_SOCKET", "")
        self._address = "\0" + address[1:] if address.startswith("@") else address
        is_watched = "WATCHDOG_PID" not in variables or _is_for_us(variables["WATCHDOG_PID"])
        self._watchdog_seconds = _number(variables, "WATCHDOG_USEC") / 1e6 if is_watched else 0.0

    def ready(self, status: str) -> None:
        """Clients can come."""
        self._tell("READY=1", f"STATUS={status}")

    def reloading(self) -> None:
        """The configuration is read again; `ready` ends this."""
        self._tell("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self) -> None:
        """The end has begun."""
        self._tell("STOPPING=1", "STATUS=stopping")

    async def feed_watchdog(self) -> None:
        """Shows as long as the event loop turns that it does; a daemon that hangs is replaced."""
        if not (self._address and self._watchdog_seconds):
            return
        while True:
            self._tell("WATCHDOG=1")
            await asyncio.sleep(self._watchdog_seconds / 2)  # sd_watchdog_enabled(3) recommends the half

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
    """A newline inside would begin another assignment."""
    return (line.replace("\n", " ") for line in lines)
