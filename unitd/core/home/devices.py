"""Devices of a home. Pure."""

import re
from dataclasses import dataclass

KINDS = ("light", "switch", "fan", "cover", "climate", "media", "lock", "scene", "sensor")
"""The kinds that the bundled model has learned."""

ENTITY_ID = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+")
"""An entity id of Home Assistant: light.kitchen_ceiling."""


@dataclass(frozen=True)
class Entity:
    """A device that can be switched or asked for its state."""

    name: str
    kind: str
    area: str = ""
    aliases: tuple[str, ...] = ()
    id: str = ""

    @property
    def line(self) -> str:
        """Its line in the prompt, in the form of train/corpus/tools/house.py: what people say, and last its name."""
        where = f"{self.kind} in {self.area}" if self.area else self.kind
        said = ", ".join((self.name, *self.aliases))
        return f'- {said.lower()}; {where.lower()}: "{self.name}"'
