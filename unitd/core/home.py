"""A home: its devices and the tools that switch them, as `tools.toml` describes them. Pure.

[[entity]]
name = "kitchen light"              # what people say, and what the model writes
kind = "light"                      # light, switch, fan, cover, climate, media, lock, scene, sensor
area = "kitchen"
aliases = ["ceiling lamp"]
id = "light.kitchen_ceiling"        # its id in templates and services; default: the name, with _ for spaces

[[tool]]
name = "turn_on"
kinds = ["light", "switch"]         # the devices that it can switch
topic = "home/{{ entity.id }}/set"  # MQTT ...
payload = '{"state": "ON"}'
# service = "light.turn_on"         # ... or a service of Home Assistant
# data = '{"entity_id": "{{ entity.id }}"}'
# state = "home/{{ entity.id }}/state"   # ... or a question: the last retained value of a topic
# state_of = "{{ entity.id }}"      # ... or the state of an entity of Home Assistant
confirmation = "The {{ entity.name }} is on."    # the spoken answer after success, word for word

[tool.parameters.percent]           # in addition to `entity`, which every tool with kinds has
type = "integer"
minimum = 0
maximum = 100
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from unitd.core.config.problems import Key, Problem, Problems
from unitd.core.outcomes import takes

KINDS = ("light", "switch", "fan", "cover", "climate", "media", "lock", "scene", "sensor")
"""The kinds that the bundled model has learned."""

ENTITY_ID = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+")
"""An entity id of Home Assistant: light.kitchen_ceiling."""

MAX_NAME_LENGTH = 64
"""The longest tool name that the llm unit and OpenAI's API accept."""

_WAYS = ("topic", "service", "state", "state_of")
_TEMPLATES = ("topic", "payload", "data", "state", "state_of", "confirmation")


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


@dataclass(frozen=True)
class Tool:
    """An action or a question; exactly one of topic, service, state and state_of is set."""

    name: str
    description: str = ""
    kinds: tuple[str, ...] = ()
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    topic: str = ""
    payload: str = ""
    service: str = ""
    data: str = ""
    state: str = ""
    state_of: str = ""
    confirmation: str = ""


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


NO_TOOLS = "Tools: none()"
"""The list of tools in a prompt if there are none, in the form that the bundled model has learned.

With it the model says that it cannot find the kitchen light; without it, or in other words, it says that it turns the
light on.
"""


def with_prompt_text(setup: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the setup with a text added at the end of its prompt, or of the system message in its messages."""
    if not isinstance(messages := setup.get("messages"), list):
        own = str(setup.get("prompt") or setup.get("system_prompt") or "")
        return {**setup, "prompt": _joined(own, text)}
    first = messages[0] if messages and isinstance(messages[0], dict) else {}
    has_system = first.get("role") == "system" and isinstance(first.get("content"), str)
    system = {"role": "system", "content": _joined(first["content"] if has_system else "", text)}
    return {**setup, "messages": [system, *messages[int(has_system) :]] if text else messages}


def _joined(own: str, text: str) -> str:
    return "\n\n".join(filter(None, (own, text)))


def misfit(tool: Tool, arguments: Mapping[str, Any], device: str) -> str:
    """Return a sentence about the first argument that a tool does not allow; "" if all are allowed.

    The bundled model's grammar ensures types and enums only; a model on another machine may write anything.
    """
    for name, schema in tool.parameters.items():
        if name not in arguments:
            return f"The {name.replace('_', ' ')} is missing."
        if not _fits(arguments[name], schema):
            return takes(device, name, schema)
    return ""


def _function(tool: Tool, names: Sequence[str]) -> dict[str, Any]:
    """Return the OpenAI function schema of a tool for the devices of these names."""
    properties = ({"entity": {"type": "string", "enum": names}} if names else {}) | tool.parameters
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    function = {"name": tool.name, "description": tool.description, "parameters": schema}
    return {"type": "function", "function": function}


_TYPES: dict[Any, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def _fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return whether a schema's type, enum and bounds allow a value."""
    wanted = _TYPES.get(schema.get("type"))
    if wanted and (not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted)):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if not isinstance(value, int | float):
        return True
    return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))


_ENTITY_KEYS = {"name": str, "kind": str, "area": str, "aliases": list, "id": str}
_TOOL_TEXTS = ("name", "description", "topic", "payload", "service", "data", "state", "state_of", "confirmation")
_TOOL_KEYS = {**dict.fromkeys(_TOOL_TEXTS, str), "kinds": list, "parameters": dict}
_WORDS: dict[type, str] = {str: "a text", list: "a list of texts", dict: "a table of JSON schemas"}


Row = tuple[Key, dict[str, Any]]
"""A table of the document with its key."""


TemplateNames = Mapping[str, Set[str]]
"""The names that a template may use, each with its properties; an empty set allows any property."""

TemplateError = Callable[[str, TemplateNames], str]
"""Returns what is wrong with a template that may use these names; "" if it is fine."""


def read_home(document: Mapping[str, Any], template_error: TemplateError = lambda text, known: "") -> Home:
    """Return the home that a parsed `tools.toml` describes.

    Raises:
        Problems: the document has mistakes; it names all of them.
    """
    wrong = [Problem((key,), f"unknown table [[{key}]]") for key in document if key not in ("entity", "tool")]
    entities = _rows(document, "entity", _ENTITY_KEYS, wrong)
    tools = _rows(document, "tool", _TOOL_KEYS, wrong)
    for key, row in entities:
        wrong += _wrong_with_entity(key, row)
    for key, row in tools:
        wrong += _wrong_with_tool(key, row, template_error)
    for rows in (entities, tools):
        names = [row["name"] for _, row in rows]
        wrong += [
            Problem((*key, "name"), f"{key[0]} {row['name']!r} is there twice")
            for at, (key, row) in enumerate(rows)
            if names.index(row["name"]) < at
        ]
    if wrong:
        raise Problems(wrong)
    return Home(tuple(_entity(row) for _, row in entities), tuple(_tool(row) for _, row in tools))


def _rows(document: Mapping[str, Any], table: str, keys: Mapping[str, type], wrong: list[Problem]) -> Sequence[Row]:
    """Return the usable tables of one kind; add problems of the others to `wrong`."""
    rows = document.get(table, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        wrong.append(Problem((table,), f"{table} must be tables: [[{table}]]"))
        return []
    usable: list[Row] = []
    for at, row in enumerate(rows):
        where = f"{table} {row.get('name', at + 1)!r}"
        bad = {key: f"unknown key {key}" for key in row if key not in keys}
        bad |= {
            key: f"{key} must be {_WORDS[keys[key]]}" for key in row if key in keys and not _is(row[key], keys[key])
        }
        bad |= {} if row.get("name") else {"name": "name is missing"}
        wrong += [Problem((table, at, key), f"{where}: {words}") for key, words in bad.items()]
        if not bad:
            usable.append(((table, at), row))
    return usable


def _is(value: Any, wanted: type) -> bool:
    if not isinstance(value, wanted):
        return False
    inside = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    return all(isinstance(each, str if wanted is list else dict) for each in inside)


def _wrong_with_entity(at: Key, row: dict[str, Any]) -> Iterator[Problem]:
    if row.get("kind") not in KINDS:
        words = f"entity {row['name']!r}: kind is {row.get('kind')!r}, it must be one of {', '.join(KINDS)}"
        yield Problem((*at, "kind"), words)


def _entity(row: dict[str, Any]) -> Entity:
    entity_id = row.get("id") or row["name"].replace(" ", "_")
    return Entity(row["name"], row.get("kind", ""), row.get("area", ""), tuple(row.get("aliases", ())), entity_id)


def _wrong_with_tool(at: Key, row: dict[str, Any], template_error: TemplateError) -> Iterator[Problem]:
    tool = f"tool {row['name']!r}"
    if len(row["name"]) > MAX_NAME_LENGTH or not row["name"].isprintable():
        yield Problem((*at, "name"), f"{tool}: name must be 1 to {MAX_NAME_LENGTH} characters that can be printed")
    if len([way for way in _WAYS if row.get(way)]) != 1:
        yield Problem(at, f"{tool} must have one of {', '.join(_WAYS[:-1])} and {_WAYS[-1]}")
    if unknown := [kind for kind in row.get("kinds", ()) if kind not in KINDS]:
        yield Problem((*at, "kinds"), f"{tool}: there is no kind {unknown[0]!r}, there are {', '.join(KINDS)}")
    if row.get("service") and row["service"].count(".") != 1:
        yield Problem((*at, "service"), f"{tool}: service is {row['service']!r}, it must look like light.turn_on")
    if (asked := row.get("state_of", "")) and "{" not in asked and not ENTITY_ID.fullmatch(asked):
        words = f"{tool}: state_of is {asked!r}, it must look like sensor.garden or be a template"
        yield Problem((*at, "state_of"), words)
    for name, schema in row.get("parameters", {}).items():
        if words := _misshape(schema):
            yield Problem((*at, "parameters", name), f"{tool}: {name}: {words}")
    device: TemplateNames = {"entity": Entity.__dataclass_fields__.keys()} if row.get("kinds") else {}
    for key in _TEMPLATES:
        # Topics of questions are subscribed to at the start, when only the devices are known.
        known = device if key == "state" else {**dict.fromkeys(row.get("parameters", ()), frozenset()), **device}
        if words := template_error(row.get(key, ""), known):
            yield Problem((*at, key), f"{tool}: {key} is no template: {words}")


def _misshape(schema: Mapping[str, Any]) -> str:
    """Return why arguments cannot be checked by a schema; "" if they can."""
    if schema.get("type", "string") not in tuple(_TYPES):
        return f"type is {schema['type']!r}, it must be one of {', '.join(_TYPES)}"
    if not isinstance(schema.get("enum", []), list):
        return f"enum is {schema['enum']!r}, it must be a list"
    for key in ("minimum", "maximum"):
        if not isinstance(schema.get(key, 0), int | float):
            return f"{key} is {schema[key]!r}, it must be a number"
    return ""


def _tool(row: dict[str, Any]) -> Tool:
    return Tool(**row | {"kinds": tuple(row.get("kinds", ()))})
