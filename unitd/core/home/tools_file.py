"""Reading of `tools.toml`: the devices of a home and the tools that switch them. Pure.

protocol = "zigbee2mqtt"            # the protocol of devices that name none; it gives them the usual tools
confirm = ["unlock"]                # tools that are used only after a question

[[entity]]
name = "kitchen light"              # what people say, and what the model writes
kind = "light"                      # light, switch, fan, cover, climate, media, lock, scene, sensor
area = "kitchen"
floor = "ground floor"
aliases = ["ceiling lamp"]
device_class = ""                   # what it is more exactly: a cover may be a blind, a sensor a window
id = "light.kitchen_ceiling"        # its id in templates and services; default: the name, with _ for spaces
protocol = "tasmota"

[[area]]                            # for a floor or aliases; an area that devices name needs no table
name = "kitchen"
floor = "ground floor"
aliases = ["cooking area"]

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
from unitd.core.home.devices import ENTITY_ID, KINDS, Area, Entity
from unitd.core.home.home import Home
from unitd.core.home.protocols import PROTOCOLS, SCENE_ID, with_defaults
from unitd.core.home.tools import TYPES, Tool
from unitd.core.home.usual_tools import USUAL

MAX_NAME_LENGTH = 64
"""The longest tool name that the llm unit and OpenAI's API accept."""

_WAYS = ("topic", "service", "state", "state_of")
_TEMPLATES = ("topic", "payload", "data", "state", "state_of", "confirmation")


_TEXTS = ("name", "kind", "area", "floor", "id", "device_class", "protocol")
_ENTITY_KEYS = {**dict.fromkeys(_TEXTS, str), "aliases": list}
_AREA_KEYS = {"name": str, "floor": str, "aliases": list}
_TOOL_TEXTS = ("name", "description", "topic", "payload", "service", "data", "state", "state_of", "confirmation")
_TOOL_KEYS = {**dict.fromkeys(_TOOL_TEXTS, str), "kinds": list, "parameters": dict}
_KEYS = {"protocol": str, "confirm": list}
"""Keys at the top of the document."""

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
    wrong: list[Problem] = []
    rows = {
        "entity": _rows(document, "entity", _ENTITY_KEYS, wrong),
        "area": _rows(document, "area", _AREA_KEYS, wrong),
        "tool": _rows(document, "tool", _TOOL_KEYS, wrong),
    }
    wrong += _wrong_with_keys(document, {*USUAL, *(row["name"] for _, row in rows["tool"])})
    usual = str(document.get("protocol", ""))
    entities = [_entity(row, usual) for _, row in rows["entity"]]
    for (key, _), entity in zip(rows["entity"], entities, strict=True):
        wrong += _wrong_with_entity(key, entity)
    for key, row in rows["tool"]:
        wrong += _wrong_with_tool(key, row, template_error)
    for table in rows.values():
        wrong += _repetitions(table)
    wrong += _wrong_with_floors(rows["area"], rows["entity"])
    if wrong:
        raise Problems(wrong)
    tools = with_defaults([_tool(row) for _, row in rows["tool"]], entities)
    areas = tuple(_area(row) for _, row in rows["area"])
    return Home(tuple(entities), tuple(tools), areas, tuple(document.get("confirm", ())))


def _wrong_with_keys(document: Mapping[str, Any], tools: Set[str]) -> Iterator[Problem]:
    """Yield the problems of what stands outside the tables; `tools` are the names of all tools that there may be."""
    for key, value in document.items():
        if key in _KEYS and not _is(value, _KEYS[key]):
            yield Problem((key,), f"{key} must be {_WORDS[_KEYS[key]]}")
        elif key == "confirm" and (unknown := set(value) - tools):
            yield Problem((key,), f"confirm: there is no tool {min(unknown)!r}")
        elif key not in ("entity", "area", "tool", *_KEYS):
            rows = value if isinstance(value, list) else [value]
            is_table = all(isinstance(row, dict) for row in rows)
            yield Problem((key,), f"unknown table [[{key}]]" if is_table else f"unknown key {key}")
    if document.get("protocol", PROTOCOLS[0]) not in PROTOCOLS:
        yield Problem(("protocol",), f"protocol is {document['protocol']!r}, it must be one of {', '.join(PROTOCOLS)}")


def _repetitions(rows: Sequence[Row]) -> Iterator[Problem]:
    """Yield a problem for each table that has the name of an earlier one; only tools may differ in case alone."""
    seen = set()
    for key, row in rows:
        name = row["name"] if key[0] == "tool" else row["name"].casefold()
        if name in seen:
            yield Problem((*key, "name"), f"{key[0]} {row['name']!r} is there twice")
        seen.add(name)


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
        if not str(row.get("name", "")).strip():
            bad["name"] = "name is missing"
        wrong += [Problem((table, at, key), f"{where}: {words}") for key, words in bad.items()]
        if not bad:
            usable.append(((table, at), row))
    return usable


def _is(value: Any, wanted: type) -> bool:
    if not isinstance(value, wanted):
        return False
    inside = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    return all(isinstance(each, str if wanted is list else dict) for each in inside)


def _wrong_with_entity(at: Key, entity: Entity) -> Iterator[Problem]:
    words = f"entity {entity.name!r}"
    if entity.kind not in KINDS:
        kinds = ", ".join(KINDS)
        yield Problem((*at, "kind"), f"{words}: kind is {entity.kind or None!r}, it must be one of {kinds}")
    if entity.protocol and entity.protocol not in PROTOCOLS:
        protocols = ", ".join(PROTOCOLS)
        yield Problem((*at, "protocol"), f"{words}: protocol is {entity.protocol!r}, it must be one of {protocols}")
    elif entity.protocol and not set(entity.id).isdisjoint("+#\0"):
        yield Problem((*at, "id"), f"{words}: id is {entity.id!r}, a part of a topic has no + and no #")
    elif entity.protocol == "zigbee2mqtt" and entity.kind == "scene" and not SCENE_ID.fullmatch(entity.id):
        yield Problem((*at, "id"), f"{words}: id is {entity.id!r}, a scene's must look like living_room/3")


def _wrong_with_floors(areas: Sequence[Row], entities: Sequence[Row]) -> Iterator[Problem]:
    """Yield a problem for each device that is on another floor than its area."""
    floors: dict[str, str] = {row["name"].casefold(): row["floor"] for _, row in areas if row.get("floor")}
    for at, row in entities:
        if (floor := row.get("floor")) and (area := row.get("area")):
            other = floors.setdefault(area.casefold(), floor)
            if other.casefold() != floor.casefold():
                words = f"entity {row['name']!r}: floor is {floor!r}, but its area {area!r} is on {other!r}"
                yield Problem((*at, "floor"), words)


def _entity(row: dict[str, Any], protocol: str) -> Entity:
    """Return the device of a table; `protocol` is that of a device without one."""
    return Entity(
        name=row["name"],
        kind=row.get("kind", ""),
        area=row.get("area", ""),
        aliases=_aliases(row),
        id=row.get("id") or row["name"].replace(" ", "_"),
        floor=row.get("floor", ""),
        device_class=row.get("device_class", ""),
        protocol=row.get("protocol") or protocol,
    )


def _area(row: dict[str, Any]) -> Area:
    return Area(row["name"], row.get("floor", ""), _aliases(row))


def _aliases(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(each for each in row.get("aliases", ()) if each.strip())


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
