"""Reading of `tools.toml`: the devices of a home and the tools that switch them. Pure.

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

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any

from unitd.core.config.problems import Key, Problem, Problems
from unitd.core.home.devices import ENTITY_ID, KINDS, Entity
from unitd.core.home.home import Home
from unitd.core.home.tools import TYPES, Tool

MAX_NAME_LENGTH = 64
"""The longest tool name that the llm unit and OpenAI's API accept."""

_WAYS = ("topic", "service", "state", "state_of")
_TEMPLATES = ("topic", "payload", "data", "state", "state_of", "confirmation")


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
    if schema.get("type", "string") not in tuple(TYPES):
        return f"type is {schema['type']!r}, it must be one of {', '.join(TYPES)}"
    if not isinstance(schema.get("enum", []), list):
        return f"enum is {schema['enum']!r}, it must be a list"
    for key in ("minimum", "maximum"):
        if not isinstance(schema.get(key, 0), int | float):
            return f"{key} is {schema[key]!r}, it must be a number"
    return ""


def _tool(row: dict[str, Any]) -> Tool:
    return Tool(**row | {"kinds": tuple(row.get("kinds", ()))})
