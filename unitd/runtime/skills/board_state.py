"""The state of the board, as skills tell it."""

import asyncio
import socket
import time
from collections.abc import Mapping
from typing import Any

from unitd import __version__
from unitd.core.outcomes import Outcome
from unitd.runtime.hardware import interfaces, memory_percent, temperature
from unitd.runtime.skills.actions import Action, Where

_ELSEWHERE = ("192.0.2.1", 9)
"""An address of nobody (RFC 5737), to which no packet is sent: it tells which of the board's own addresses is used."""


class BoardActions:
    """`board_state`."""

    @property
    def actions(self) -> Mapping[str, Action]:
        """The actions by name."""
        return {"board_state": self._tell}

    async def _tell(self, arguments: Mapping[str, Any], where: Where) -> Outcome:
        return Outcome("", is_done=True, data=await asyncio.to_thread(_state))


def _state() -> dict[str, Any]:
    return {
        "temperature": temperature() / 1000 or None,
        "memory_percent": memory_percent(),
        "uptime_s": round(time.clock_gettime(time.CLOCK_BOOTTIME)),
        "addresses": _addresses(),
        "name": socket.gethostname(),
        "version": __version__,
    }


def _addresses() -> list[str]:
    """Return the board's addresses in its network, first the one with which it reaches others."""
    own = [each["ip"] for each in interfaces() if not each["ip"].startswith("127.")]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)
            used = probe.getsockname()[0]
        except OSError:  # it has no route
            used = ""
    return sorted(own, key=lambda each: each != used)
