"""What can be done with devices, and the arguments that a tool allows. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from unitd.core.home.devices import Entity
from unitd.core.outcomes import takes

Parameters = dict[str, dict[str, Any]]
"""The JSON schema of each parameter of a tool."""


@dataclass(frozen=True)
class Tool:
    """An action or a question; exactly one of topic, service, state, state_of and picture_of is set."""

    name: str
    description: str = ""
    kinds: tuple[str, ...] = ()
    parameters: Parameters = field(default_factory=dict)
    topic: str = ""
    payload: str = ""
    service: str = ""
    data: str = ""
    state: str = ""
    state_of: str = ""
    picture_of: str = ""
    confirmation: str = ""
    protocol: str = ""
    """The protocol of the only devices that it reaches, for a default tool; "" for all devices of its kinds."""

    @property
    def is_reading(self) -> bool:
        """Return whether it switches nothing."""
        return bool(self.state or self.state_of or self.picture_of)

    def reaches(self, entity: Entity) -> bool:
        """Return whether the tool can be used with a device."""
        if entity.kind not in self.kinds or not self.protocol:
            return entity.kind in self.kinds
        is_allowed = entity.allowed_tools is None or self.name in entity.allowed_tools
        return self.protocol == entity.protocol and is_allowed


TYPES: dict[Any, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
"""What a schema's `type` allows in Python."""


def unfit(tool: Tool, arguments: Mapping[str, Any]) -> str:
    """Return the name of the first argument that is missing or that a tool does not allow; "" if all are allowed.

    The bundled model's grammar ensures types and enums only; a model on another machine may write anything.
    """
    for name, schema in tool.parameters.items():
        if name not in arguments or not _fits(arguments[name], schema):
            return name
    return ""


def misfit(tool: Tool, arguments: Mapping[str, Any], device: str) -> str:
    """Return a sentence about the first argument that a tool does not allow; "" if all are allowed."""
    name = unfit(tool, arguments)
    if name and name not in arguments:
        return f"The {name.replace('_', ' ')} is missing."
    return takes(device, name, tool.parameters[name]) if name else ""


def _fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return whether a schema's type, enum and bounds allow a value."""
    wanted = TYPES.get(schema.get("type"))
    if wanted and (not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted)):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if not isinstance(value, int | float):
        return True
    return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
