"""How a device fares, told once for each change."""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

State: TypeAlias = Literal["idle", "open", "missing", "lost"]
"""idle: nobody wants it, or it has not been tried yet."""

Report: TypeAlias = Callable[[State, str], None]
"""State and reason."""


class DeviceStatus:
    """State of one device; a change is reported, the same again is not."""

    def __init__(self, name: str, report: Report) -> None:
        self.name = name
        """The setting, then the name of what was opened."""

        self.state: State = "idle"
        self.reason = ""
        self._report = report
        self._reported: tuple[State, str] = ("idle", "")

    def change(self, state: State, reason: str = "") -> None:
        """It is so from now on. Idle is nobody's concern."""
        self.state, self.reason = state, reason
        if state != "idle" and (state, reason) != self._reported:
            self._reported = (state, reason)
            self._report(state, reason)

    @property
    def is_usable(self) -> bool:
        """False once it is known not to work."""
        return self.state in ("idle", "open")

    def about(self) -> dict[str, Any]:
        """For `status`."""
        return {"name": self.name, "state": self.state, "reason": self.reason}
