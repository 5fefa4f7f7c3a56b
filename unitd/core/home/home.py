"""All devices and tools of a home. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unitd.core.home.devices import KINDS, Entity
from unitd.core.home.tools import Tool


@dataclass(frozen=True)
class Home:
    """All devices and tools."""

    entities: tuple[Entity, ...] = ()
    tools: tuple[Tool, ...] = ()

    def entity(self, name: str, kinds: Sequence[str] = KINDS) -> Entity | None:
        """Return the entity of this name, else one with this alias, whatever the case; None if there is none."""
        wanted, found = name.casefold(), [each for each in self.entities if each.kind in kinds]
        named = [each for each in found if each.name.casefold() == wanted]
        also = [each for each in found if wanted in map(str.casefold, each.aliases)]
        return next(iter(named + also), None)

    def tool(self, name: str) -> Tool | None:
        """Return the tool of this name, or None."""
        return next((each for each in self.tools if each.name == name), None)

    def functions(self) -> list[dict[str, Any]]:
        """Return the usable tools as OpenAI function schemas."""
        return [_function(tool, names) for tool, names in self._usable]

    def listing(self) -> list[dict[str, Any]]:
        """Return name, description and the names of the devices of each usable tool."""
        return [{"name": tool.name, "description": tool.description, "entities": names} for tool, names in self._usable]

    @property
    def _usable(self) -> list[tuple[Tool, list[str]]]:
        """The tools with the names of their devices, without tools that have none."""
        reached = [(tool, [each.name for each in self.entities if each.kind in tool.kinds]) for tool in self.tools]
        return [(tool, names) for tool, names in reached if names or not tool.kinds]

    @property
    def devices(self) -> str:
        """The list of devices for a prompt; "" if there are none."""
        return "\n".join(["Devices:", *(each.line for each in self.entities)]) if self.entities else ""


def _function(tool: Tool, names: Sequence[str]) -> dict[str, Any]:
    """Return the OpenAI function schema of a tool for the devices of these names."""
    properties = ({"entity": {"type": "string", "enum": names}} if names else {}) | tool.parameters
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    function = {"name": tool.name, "description": tool.description, "parameters": schema}
    return {"type": "function", "function": function}
