"""The kws unit's face: tasks and `trigger`. It has no ears yet, so only a trigger wakes."""

from collections.abc import Mapping
from typing import Any

from unitd.wire.envelope import Envelope
from units.base import RUN_FAILED, SETUP_REFUSED, Handler, Unit, UnitFault
from units.host import Host


class KwsUnit(Unit):
    """Every setup is accepted; a wake comes by `trigger` (a button, MQTT, a client)."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.handlers: Mapping[str, Handler] = {
            "setup": self._setup,
            "infer": self._infer,
            "trigger": self._trigger,
            "pause": self._nothing,
            "work": self._nothing,
            "cancel": self._nothing,
            "exit": self._nothing,
        }

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Nothing to load without an engine."""
        return {"about": "no microphone engine in this version"}

    def _setup(self, envelope: Envelope) -> None:
        check_phrases(envelope.fields["data"].get("kws", []))
        self._host.log("warning", f"{envelope.fields['task']} cannot hear yet; only trigger wakes")

    def _trigger(self, envelope: Envelope) -> None:
        self._host.say("event", task=envelope.fields["task"], data=True, is_wake=True)

    def _infer(self, envelope: Envelope) -> None:
        self._host.say(
            "finish",
            task=envelope.fields["task"],
            inference=envelope.fields["inference"],
            code=RUN_FAILED,
            message="kws cannot hear yet; use trigger",
        )

    def _nothing(self, envelope: Envelope) -> None:
        """Without ears there is nothing to hold, resume, cut or forget."""


def check_phrases(phrases: Any) -> None:
    """`kws` is one phrase or a list of them (fact sheet, section 2)."""
    listed = [phrases] if isinstance(phrases, str) else phrases
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise UnitFault(SETUP_REFUSED, "kws must be a phrase or a list of phrases")
