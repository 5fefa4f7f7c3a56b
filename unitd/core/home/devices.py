"""Devices of a home, and where they are. Pure."""

import re
from dataclasses import dataclass

KINDS = ("light", "switch", "fan", "cover", "climate", "media", "lock", "scene", "sensor")
"""The kinds that the bundled model has learned."""

CAMERA = "camera"
"""The kind of what has a picture. Only Home Assistant has such devices, and only a model with vision is shown them."""

ALL_KINDS = (*KINDS, CAMERA)

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
    floor: str = ""
    """The floor of a device without an area; others are on the floor of their area."""

    device_class: str = ""
    """What it is more exactly, in Home Assistant's words: a cover is a blind, a sensor is a window."""

    protocol: str = ""
    """Which default tools it has (`core.home.protocols`, `core.home.services`); "" for none."""

    allowed_tools: frozenset[str] | None = None
    """The names of the default tools that it can do; None for all those of its kind."""

    def line(self, called: str, floor: str = "") -> str:
        """Return its line in the prompt, in the form of train/corpus/tools/house.py: what people say, then its name.

        `called` is what the model writes to call it: its name, unless another device has the same. `floor` is the
        floor of its area.
        """
        where = f"{self.kind} in {self.area}" if self.area else self.kind
        where += f", {floor}" if floor else ""
        said = ", ".join((self.name, *self.aliases))
        return f'- {said.lower()}; {where.lower()}: "{called}"'


@dataclass(frozen=True)
class Area:
    """A room, or another part of a home."""

    name: str
    floor: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Floor:
    """A floor with its other names."""

    name: str
    aliases: tuple[str, ...] = ()
