"""The state of a device, reported once for each change."""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

State: TypeAlias = Literal["idle", "open", "missing", "lost"]
"""A device is idle when it is not wanted, or has not been tried yet."""

Report: TypeAlias = Callable[[State, str], None]
"""Takes the state and the reason."""


class DeviceStatus:
    """The state of one device; a change is reported, a repetition is not."""

    def __init__(self, name: str, report: Report) -> None:
        self.name = name
        """The setting, then the name of the device that was opened."""

        self.state: State = "idle"
        self.reason = ""
        self._report = report
        self._reported: tuple[State, str] = ("idle", "")

    def change(self, state: State, reason: str = "") -> None:
        """Set the state, and report it unless it is idle."""
        self.state, self.reason = state, reason
        if state != "idle" and (state, reason) != self._reported:
            self._reported = (state, reason)
            self._report(state, reason)

    @property
    def is_usable(self) -> bool:
        """Return False once the device is known not to work."""
        return self.state in ("idle", "open")

    def about(self) -> dict[str, Any]:
        """Return the fields of `status`."""
        return {"name": self.name, "state": self.state, "reason": self.reason}
