"""The llm unit as the daemon starts it: the model's card names the engine, and only that one is imported."""

from typing import Any

from unitd.wire.envelope import Envelope
from units.base import Unit
from units.engines import find_engine
from units.host import Host


class EngineLoader(Unit):
    """A unit that passes everything on to the chosen engine's unit, once that is loaded."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._unit = Unit()
        self.handlers = {}

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Load the engine that the card names."""
        unit: Unit = find_engine("llm", load["engine"])(self._host)
        info = unit.load(load)
        self._unit, self.handlers = unit, unit.handlers
        return info

    @property
    def is_busy(self) -> bool:
        """Return True while the engine is busy."""
        return self._unit.is_busy

    def step(self) -> None:
        """Do a step of the engine."""
        self._unit.step()

    def close(self) -> None:
        """Close the engine."""
        self._unit.close()

    def alert(self, envelope: Envelope) -> None:
        """Alert the engine; before it is loaded there is nothing to cut."""
        self._unit.alert(envelope)

    def calm(self) -> None:
        """Calm the engine."""
        self._unit.calm()
