"""The asr unit's face: tasks. It has no ears yet, so it never says anything."""

from collections.abc import Mapping
from typing import Any

from unitd.wire.envelope import Envelope
from units.base import RUN_FAILED, Handler, Unit
from units.host import Host


class AsrUnit(Unit):
    """Every setup is accepted; audio is refused with a reason."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.handlers: Mapping[str, Handler] = {
            "setup": self._setup,
            "infer": self._infer,
            **dict.fromkeys(("pause", "work", "cancel", "wake", "exit"), self._nothing),
        }

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Nothing to load without an engine."""
        return {"about": "no speech engine in this version"}

    def _setup(self, envelope: Envelope) -> None:
        self._host.log("warning", f"{envelope.fields['task']} cannot hear yet; it will never say anything")

    def _infer(self, envelope: Envelope) -> None:
        self._host.say(
            "finish",
            task=envelope.fields["task"],
            inference=envelope.fields["inference"],
            code=RUN_FAILED,
            message="asr cannot hear yet",
        )

    def _nothing(self, envelope: Envelope) -> None:
        """Without ears there is nothing to hold, resume, cut or wake."""
