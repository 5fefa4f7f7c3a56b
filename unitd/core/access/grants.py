"""Who may do what. A client has a grant: from where it comes (this machine), or from a token that it showed.

Roles. `observe` sees what runs; `use` sets tasks up and sees and touches only its own, by which it gets on as if the
board were its alone; `admin` may everything that the configuration permits.
"""

import hashlib
import ipaddress
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from unitd.wire.errors import NotAllowed
from unitd.wire.messages import Request, unit_of


class Role(Enum):
    """What a token was made for."""

    OBSERVE = "observe"
    USE = "use"
    ADMIN = "admin"


@dataclass(frozen=True)
class Limits:
    """What one token, or one address, may take; 0 is no limit of its own."""

    requests_per_minute: int = 0
    connections: int = 0
    tasks: int = 0
    frame_bytes: int = 0


UNLIMITED = Limits()


@dataclass(frozen=True)
class Grant:
    """What a client may do, and in whose name. Tasks belong to the name."""

    name: str
    role: Role | None
    """None: nothing, until a token is shown."""

    limits: Limits = UNLIMITED
    expires: int | None = None
    """In unix seconds."""

    id: str = ""
    """Of what was shown: a new token of an old name is another one."""


TRUSTED = Grant("", Role.ADMIN)
"""Who is on this machine: loopback, the Unix socket, the serial line, the daemon itself; and who comes by a broker."""

STRANGER = Grant("", None, Limits(frame_bytes=4096))
"""A client from elsewhere that has shown no token."""

# Every newcomer is counted among all who are there: what their addresses mean is not read anew each time.
REMEMBERED = 4096

AUTH = "auth"
"""The action of `sys` that shows a token."""

SHOWN_TOKEN = r'("token"\s*:\s*")(?:[^"\\]|\\.)*'
"""A regular expression for the token in such a request, which no log may repeat; what comes before it is group 1."""

WHOAMI = "whoami"
"""The action of `sys` that tells a client what its own grant is."""

_SEEING = frozenset(
    {"ping", WHOAMI, "version", "version2", "lsmode", "lstask", "lstools", "hwinfo", "cmminfo", "taskinfo"}
)
_USING = _SEEING | {"reset"}


def check_request(grant: Grant, request: Request) -> None:
    """Whether a role allows an action; whose task it is, is another question.

    Raises:
        NotAllowed: it does not.
    """
    unit, action = unit_of(request.work_id), request.action
    if grant.role is Role.ADMIN or (unit == "sys" and action == AUTH):
        return
    if grant.role is None:
        raise NotAllowed('show a token first: {"work_id": "sys", "action": "auth", "data": {"token": …}}')
    allowed = action in _SEEING if grant.role is Role.OBSERVE else unit != "sys" or action in _USING
    if not allowed:
        raise NotAllowed(f"{unit}.{action} is not for the role {grant.role.value!r}")


def opaque(name: str) -> str:
    """What a unit program is told of somebody: enough to tell one from another. "" stays ""."""
    return hashlib.blake2s(name.encode(errors="replace"), digest_size=8).hexdigest() if name else ""


def is_other_owner(before: Grant, after: Grant) -> bool:
    """True when somebody who had something may have left it behind."""
    return before.role is not None and before.name != after.name


def sees(grant: Grant, holder: str) -> bool:
    """Whether somebody else's task is there at all for this client."""
    return grant.role is not Role.USE or grant.name == holder


@lru_cache(REMEMBERED)
def is_this_machine(address: str) -> bool:
    """True for a loopback address, and for none at all: a Unix socket."""
    found = _parsed(address)
    return address in ("", "localhost") if found is None else found.is_loopback


def is_address(text: str) -> bool:
    """Whether this is an IP address."""
    return _parsed(text) is not None


@lru_cache(REMEMBERED)
def network_of(address: str) -> str:
    """Who counts as one: an IPv4 address, or the 64 bits of an IPv6 address that one customer has."""
    found = _parsed(address)
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))
    return address if found is None else str(found)


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """None for what is no IP address. A socket for both kinds gives those of version 4 as ::ffff:192.0.2.7."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, ipaddress.IPv6Address) else found
