"""The llm unit as the daemon starts it: the model's card says which engine serves it, and only that one is imported."""

from typing import Any

from unitd.wire.envelope import Envelope
from units.base import Unit
from units.engines import find_engine
from units.host import Host


class LlmLoader(Unit):
    """Everything is the chosen engine's, once it is loaded."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._unit = Unit()
        self.handlers = {}

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Chooses and loads."""
        unit: Unit = find_engine("llm", load["engine"])(self._host)
        info = unit.load(load)
        self._unit, self.handlers = unit, unit.handlers
        return info

    @property
    def is_busy(self) -> bool:
        """The engine's word."""
        return self._unit.is_busy

    def step(self) -> None:
        """The engine's step."""
        self._unit.step()

    def close(self) -> None:
        """The engine's end."""
        self._unit.close()

    def alert(self, envelope: Envelope) -> None:
        """Nothing can be cut before it is loaded."""
        self._unit.alert(envelope)

    def calm(self) -> None:
        """The engine's word."""
        self._unit.calm()
