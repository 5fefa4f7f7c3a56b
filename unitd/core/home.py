"""A home: its devices, and the tools by which they are switched, as `tools.toml` describes them. Pure.

[[entity]]
name = "kitchen light"              # what people call it, and what the model writes
kind = "light"                      # light, switch, fan, cover, climate, media, lock, scene, sensor
area = "kitchen"
aliases = ["ceiling lamp"]
id = "light.kitchen_ceiling"        # what templates and services call it; default: the name, with _ for spaces

[[tool]]
name = "turn_on"
kinds = ["light", "switch"]         # the devices it is for
topic = "home/{{ entity.id }}/set"  # MQTT ...
payload = '{"state": "ON"}'
# service = "light.turn_on"         # ... or a service of Home Assistant
# data = '{"entity_id": "{{ entity.id }}"}'
# state = "home/{{ entity.id }}/state"   # ... or a question: the last retained value of a topic
confirmation = "The {{ entity.name }} is on."    # the result; the bundled model says it word for word

[tool.parameters.percent]           # besides `entity`, which every tool with kinds has
type = "integer"
minimum = 0
maximum = 100
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unitd.wire.errors import ConfigError

KINDS = ("light", "switch", "fan", "cover", "climate", "media", "lock", "scene", "sensor")
"""What the bundled model has learnt; others make it guess."""


@dataclass(frozen=True)
class Entity:
    """Something that can be switched or asked."""

    name: str
    kind: str
    area: str = ""
    aliases: tuple[str, ...] = ()
    id: str = ""

    @property
    def line(self) -> str:
        """How the prompt lists it."""
        place = f" in {self.area}" if self.area else ""
        also = f", also {', '.join(self.aliases)}" if self.aliases else ""
        return f"{self.name} ({self.kind}{place}{also})"


@dataclass(frozen=True)
class Tool:
    """Something that can be done: one of topic, service and state says how."""

    name: str
    description: str = ""
    kinds: tuple[str, ...] = ()
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    topic: str = ""
    payload: str = ""
    service: str = ""
    data: str = ""
    state: str = ""
    confirmation: str = ""


@dataclass(frozen=True)
class Home:
    """Everything that a spoken sentence can reach."""

    entities: tuple[Entity, ...] = ()
    tools: tuple[Tool, ...] = ()

    def entity(self, name: str, kinds: Sequence[str] = KINDS) -> Entity | None:
        """One of these kinds, by its name, else by one of its aliases, in any capitalisation."""
        wanted, found = name.casefold(), [each for each in self.entities if each.kind in kinds]
        named = [each for each in found if each.name.casefold() == wanted]
        also = [each for each in found if wanted in map(str.casefold, each.aliases)]
        return next(iter(named + also), None)

    def tool(self, name: str) -> Tool | None:
        """By its name."""
        return next((each for each in self.tools if each.name == name), None)

    def functions(self) -> list[dict[str, Any]]:
        """The tools as OpenAI function schemas; a tool whose devices are not there is left out."""
        return [function for tool in self.tools if (function := self._function(tool)) is not None]

    def _function(self, tool: Tool) -> dict[str, Any] | None:
        names = [each.name for each in self.entities if each.kind in tool.kinds]
        if tool.kinds and not names:
            return None
        properties = ({"entity": {"type": "string", "enum": names}} if names else {}) | tool.parameters
        schema = {"type": "object", "properties": properties, "required": list(properties)}
        function = {"name": tool.name, "description": tool.description, "parameters": schema}
        return {"type": "function", "function": function}

    def misfit(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        """What is wrong with a call's arguments, in a few words; "" when nothing is.

        The bundled model's grammar keeps to the schema; a model on another machine may write anything.
        """
        for name, schema in tool.parameters.items():
            if name not in arguments:
                return f"{name} is missing"
            if not _fits(arguments[name], schema):
                return f"{name} cannot be {arguments[name]}"
        return ""

    def system_prompt(self, own: str) -> str:
        """A task's own prompt with the list of devices behind it."""
        if not self.entities:
            return own
        devices = "\n".join(["Devices:", *(each.line for each in self.entities)])
        return f"{own}\n\n{devices}" if own else devices


_TYPES: dict[Any, tuple[type, ...]] = {"string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,)}


def _fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """True for what a schema's type, enum and bounds allow."""
    wanted = _TYPES.get(schema.get("type"))
    if wanted and (not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted)):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if not isinstance(value, int | float):
        return True
    return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))


_ENTITY_KEYS = {"name": str, "kind": str, "area": str, "aliases": list, "id": str}
_TOOL_KEYS = {
    "name": str,
    "description": str,
    "kinds": list,
    "parameters": dict,
    "topic": str,
    "payload": str,
    "service": str,
    "data": str,
    "state": str,
    "confirmation": str,
}
_WORDS: dict[type, str] = {str: "a text", list: "a list of texts", dict: "a table of JSON schemas"}


def read_home(document: Mapping[str, Any]) -> Home:
    """From the parsed `tools.toml`.

    Raises:
        ConfigError: all that is wrong, a line each.
    """
    wrong: list[str] = [f"unknown table [[{key}]]" for key in document if key not in ("entity", "tool")]
    entities = [_entity(row, wrong) for row in _rows(document, "entity", _ENTITY_KEYS, wrong)]
    tools = [_tool(row, wrong) for row in _rows(document, "tool", _TOOL_KEYS, wrong)]
    for what, names in (("entity", [each.name for each in entities]), ("tool", [each.name for each in tools])):
        wrong += [
            f"{what} {name!r} is there twice" for name in sorted({each for each in names if names.count(each) > 1})
        ]
    if wrong:
        raise ConfigError("\n".join(wrong))
    return Home(tuple(entities), tuple(tools))


def _rows(
    document: Mapping[str, Any], table: str, keys: Mapping[str, type], wrong: list[str]
) -> Sequence[dict[str, Any]]:
    """The tables of one kind, without what cannot be used."""
    rows = document.get(table, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        wrong.append(f"{table} must be tables: [[{table}]]")
        return []
    usable = []
    for at, row in enumerate(rows, 1):
        where = f"{table} {row.get('name', at)!r}"
        bad = [f"{where}: unknown key {key}" for key in row if key not in keys]
        bad += [
            f"{where}: {key} must be {_WORDS[keys[key]]}" for key in row if key in keys and not _is(row[key], keys[key])
        ]
        bad += [f"{where}: name is missing"] if not row.get("name") else []
        wrong += bad
        if not bad:
            usable.append(row)
    return usable


def _is(value: Any, wanted: type) -> bool:
    if not isinstance(value, wanted):
        return False
    inside = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    return all(isinstance(each, str if wanted is list else dict) for each in inside)


def _entity(row: dict[str, Any], wrong: list[str]) -> Entity:
    if row.get("kind") not in KINDS:
        wrong.append(f"entity {row['name']!r}: kind is {row.get('kind')!r}, it must be one of {', '.join(KINDS)}")
    entity_id = row.get("id") or row["name"].replace(" ", "_")
    return Entity(row["name"], row.get("kind", ""), row.get("area", ""), tuple(row.get("aliases", ())), entity_id)


def _tool(row: dict[str, Any], wrong: list[str]) -> Tool:
    ways = [way for way in ("topic", "service", "state") if row.get(way)]
    if len(ways) != 1:
        wrong.append(f"tool {row['name']!r} must have one of topic, service and state")
    if unknown := [kind for kind in row.get("kinds", ()) if kind not in KINDS]:
        wrong.append(f"tool {row['name']!r}: there is no kind {unknown[0]!r}, there are {', '.join(KINDS)}")
    if row.get("service") and row["service"].count(".") != 1:
        wrong.append(f"tool {row['name']!r}: service is {row['service']!r}, it must look like light.turn_on")
    return Tool(**row | {"kinds": tuple(row.get("kinds", ()))})
