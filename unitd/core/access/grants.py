"""Grants: what a client may do. A client gets its grant from its address (this machine) or from a token.

Roles. `observe` may see what runs. `use` may set tasks up, and sees and changes only its own, as if there were no
others. `admin` may do everything that the configuration permits.
"""

import hashlib
import ipaddress
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

from unitd.wire.cameras import is_camera_device, source_of
from unitd.wire.errors import NotAllowed
from unitd.wire.messages import Request, unit_of


class Role(Enum):
    """The role of a token."""

    OBSERVE = "observe"
    USE = "use"
    ADMIN = "admin"


@dataclass(frozen=True)
class Limits:
    """What one token, or one address, may use; 0 is no limit of its own."""

    requests_per_minute: int = 0
    connections: int = 0
    tasks: int = 0
    frame_bytes: int = 0


UNLIMITED = Limits()


@dataclass(frozen=True)
class Grant:
    """What a client may do, and the name of the owner of its tasks."""

    name: str
    role: Role | None
    """None allows nothing until a token is shown."""

    limits: Limits = UNLIMITED
    expires: int | None = None
    """In unix seconds."""

    id: str = ""
    """The id of the token: a new token under the name of an old one is another grant."""


TRUSTED = Grant("", Role.ADMIN)
"""The grant of clients on this machine (loopback, Unix socket, serial line, the daemon itself) and of MQTT."""

STRANGER = Grant("", None, Limits(frame_bytes=4096))
"""The grant of a client on another machine that has shown no token."""

# For each new connection all connections are counted by address, so parsed addresses are cached.
REMEMBERED = 4096

AUTH = "auth"
"""The action of `sys` that shows a token."""

SHOWN_TOKEN = r'("token"\s*:\s*")(?:[^"\\]|\\.)*'
"""A regular expression for the token in such a request, which no log may repeat; what comes before it is group 1."""

WHOAMI = "whoami"
"""The action of `sys` that returns a client's own grant."""

_SEEING = frozenset(
    {"ping", WHOAMI, "version", "version2", "lsmode", "lstask", "lstools", "hwinfo", "cmminfo", "taskinfo", "timer"}
)
_USING = _SEEING | {"reset"}


def check_request(grant: Grant, request: Request) -> None:
    """Check that a role allows an action; the owner of the task is not checked here.

    Raises:
        NotAllowed: the role does not allow it.
    """
    unit, action = unit_of(request.work_id), request.action
    if grant.role is Role.ADMIN or (unit == "sys" and action == AUTH):
        return
    if grant.role is None:
        raise NotAllowed('show a token first: {"work_id": "sys", "action": "auth", "data": {"token": …}}')
    allowed = action in _SEEING if grant.role is Role.OBSERVE else unit != "sys" or action in _USING
    if not allowed:
        raise NotAllowed(f"{unit}.{action} is not for the role {grant.role.value!r}")
    if (unit, action) == ("camera", "setup") and not _is_device(request.data):
        raise NotAllowed("a file or an address as a camera is for the role 'admin'; a device of the board is for all")


def _is_device(setup: Any) -> bool:
    """Return whether a camera is one of the board: others could be used to read files and to reach the network."""
    return isinstance(setup, dict) and is_camera_device(source_of(setup))


def opaque(name: str) -> str:
    """Return a hash of an owner's name for unit programs, which need only tell owners apart; "" for ""."""
    return hashlib.blake2s(name.encode(errors="replace"), digest_size=8).hexdigest() if name else ""


def is_other_owner(before: Grant, after: Grant) -> bool:
    """Return whether a new grant belongs to another owner than the former one, who may have left output behind."""
    return before.role is not None and before.name != after.name


def sees(grant: Grant, grant_name: str) -> bool:
    """Return whether a client may see a task that was set up with the grant of this name."""
    return grant.role is not Role.USE or grant.name == grant_name


@lru_cache(REMEMBERED)
def is_this_machine(address: str) -> bool:
    """Return True for a loopback address, and for "", the address of a Unix socket."""
    found = _parsed(address)
    return address in ("", "localhost") if found is None else found.is_loopback


def is_address(text: str) -> bool:
    """Return whether a text is an IP address."""
    return _parsed(text) is not None


@lru_cache(REMEMBERED)
def network_of(address: str) -> str:
    """Return what counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address."""
    found = _parsed(address)
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))
    return address if found is None else str(found)


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an IP address, or None for any other text; ::ffff:192.0.2.7 becomes 192.0.2.7."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, ipaddress.IPv6Address) else found
