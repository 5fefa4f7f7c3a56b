"""All devices, areas and tools of a home. Pure."""

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from unitd.core.home.devices import ALL_KINDS, CAMERA, Area, Entity, Floor
from unitd.core.home.protocols import with_defaults
from unitd.core.home.tools import Tool
from unitd.core.home.usual_tools import USUAL


@dataclass(frozen=True)
class Home:
    """All devices and tools."""

    entities: tuple[Entity, ...] = ()
    tools: tuple[Tool, ...] = ()
    """In the order in which they are tried: of two with one name, the first that reaches a device is used for it."""

    areas: tuple[Area, ...] = ()
    """Areas with a floor or aliases; others exist because a device is there."""

    confirm: tuple[str, ...] = ()
    """The names of the tools that are used only after a question."""

    floors: tuple[Floor, ...] = ()
    """Floors with aliases; others exist because an area or a device is there."""

    def named(self, name: str, kinds: Container[str] = ALL_KINDS) -> list[Entity]:
        """Return the entities of this name, else of this id, else with this alias, whatever the case."""
        for known in self._by_words:
            if found := [each for each in known.get(name.casefold(), ()) if each.kind in kinds]:
                return found
        return []

    def entity(self, name: str, kinds: Container[str] = ALL_KINDS) -> Entity | None:
        """Return the first entity of this name, id or alias; None if there is none."""
        return next(iter(self.named(name, kinds)), None)

    def called(self, entity: Entity) -> str:
        """Return what a call names a device: its name, or its id if another device has the same name."""
        is_alone = len(self._by_words[0][entity.name.casefold()]) == 1
        return entity.name if is_alone or len(self._by_words[1][entity.id.casefold()]) > 1 else entity.id

    def tool(self, name: str) -> Tool | None:
        """Return the first tool of this name, or None."""
        return next(iter(self.ways(name)), None)

    def ways(self, name: str) -> list[Tool]:
        """Return the tools of this name: several where devices have different protocols."""
        return [each for each in self.tools if each.name == name]

    def way(self, name: str, entity: Entity) -> Tool | None:
        """Return the tool of this name that reaches a device; None if none does."""
        return next((each for each in self.ways(name) if each.reaches(entity)), None)

    def first(self, count: int) -> list[str]:
        """Return what the first devices are called."""
        return [self.called(each) for each in self.entities[:count]]

    def only(self, called: Collection[str]) -> "Home":
        """Return the home with these devices alone, and with its other tools."""
        return replace(self, entities=tuple(each for each in self.entities if self.called(each) in called))

    def without_cameras(self) -> "Home":
        """Return the home as a model without vision knows it."""
        return replace(self, entities=tuple(each for each in self.entities if each.kind != CAMERA))

    def area(self, name: str) -> Area | None:
        """Return the area of this name, else with this alias, whatever the case; None if there is none."""
        wanted, areas = name.casefold(), self._areas
        named = [each for each in areas if each.name.casefold() == wanted]
        also = [each for each in areas if wanted in map(str.casefold, each.aliases)]
        return next(iter(named + also), None)

    def functions(self) -> list[dict[str, Any]]:
        """Return the usable tools as OpenAI function schemas."""
        return [_function(tool, names) for tool, names in self._usable]

    def listing(self) -> list[dict[str, Any]]:
        """Return name, description and the names of the devices of each usable tool."""
        return [
            {"name": tool.name, "description": tool.description, "entities": list(names)}
            for tool, names in self._usable
        ]

    def devices(self, room: str = "") -> str:
        """Return the list of devices for a prompt, after the room of the board; "" if there are none."""
        if not self.entities:
            return ""
        floors = {each.name: each.floor for each in self._areas}
        lines = (each.line(self.called(each), floors.get(each.area, each.floor)) for each in self.entities)
        here = self.area(room)
        name = here.name if here is not None else room
        return "\n".join([*([f"Room: {name.lower()}"] if name else []), "Devices:", *lines])

    def as_data(self, area: str = "", languages: Sequence[str] = ("en",)) -> dict[str, Any]:
        """Return the home as JSON for the program that understands sentences.

        `area` is the room of the board. An area or floor that is written in two cases is one.
        """
        areas, floors = self._areas, self._floors
        also = {each.name.casefold(): each.aliases for each in self.floors}
        spelled = _Spelling(each.name for each in areas)
        return {
            "entities": [
                _entity_data(each, key, spelled.of(each.area), floors.of(each.floor)) for key, each in self._keyed()
            ],
            "areas": [{"name": each.name, "floor": each.floor, "aliases": list(each.aliases)} for each in areas],
            "floors": [{"name": each, "aliases": list(also.get(each.casefold(), ()))} for each in floors.names],
            "tools": [self._tool_data(tool, names) for tool, names in self._usable],
            "area": own.name if (own := self.area(area)) is not None else area,
            "languages": list(languages),
        }

    def joined_by(self, found: "Home") -> tuple["Home", list[Entity]]:
        """Return the home with the devices and places of another one, and the devices that are left out.

        A device is left out if it is here already: under its id, or under its name, unless both have an area and it is
        not the same. The devices have the default tools of the other home, unless their kind is one of `own_kinds`.
        """
        known = [each for each in found.entities if self._has(each)]
        entities = [
            replace(each, protocol="") if each.kind in self.own_kinds else each
            for each in found.entities
            if not self._has(each)
        ]
        home = replace(
            self,
            entities=(*self.entities, *entities),
            tools=tuple(with_defaults(self.tools, entities, lambda _: found.tools)),
            areas=_joined([*self.areas, *found.areas]),
            floors=(*self.floors, *found.floors),
        )
        return home, known

    @cached_property
    def own_kinds(self) -> frozenset[str]:
        """The kinds for which the file has a tool with a usual name.

        Its tools are all that it wants for them: locks that it can lock are not unlocked by a default tool.
        """
        own = [each for each in self.tools if not each.protocol and each.name in USUAL]
        return frozenset(kind for each in own for kind in each.kinds)

    def _has(self, entity: Entity) -> bool:
        if entity.id.casefold() in self._by_words[1]:
            return True
        places = [{each.area.casefold(), entity.area.casefold()} for each in self.named(entity.name)]
        return any(len(both) == 1 or "" in both for both in places)

    @cached_property
    def _by_words(self) -> tuple[Mapping[str, Sequence[Entity]], ...]:
        """The entities by their names, ids and aliases, in lower case."""
        names: dict[str, list[Entity]] = {}
        ids: dict[str, list[Entity]] = {}
        aliases: dict[str, list[Entity]] = {}
        for each in self.entities:
            names.setdefault(each.name.casefold(), []).append(each)
            ids.setdefault(each.id.casefold(), []).append(each)
            for alias in dict.fromkeys(map(str.casefold, each.aliases)):
                aliases.setdefault(alias, []).append(each)
        return names, ids, aliases

    @cached_property
    def _usable(self) -> list[tuple[Tool, tuple[str, ...]]]:
        """The first tool of each name with the names of all its devices, without tools that have none."""
        by_name: dict[str, list[Tool]] = {}
        for tool in self.tools:
            by_name.setdefault(tool.name, []).append(tool)
        reached = [
            (ways[0], tuple(self.called(each) for each in self.entities if any(way.reaches(each) for way in ways)))
            for ways in by_name.values()
        ]
        return [(tool, names) for tool, names in reached if names or not tool.kinds]

    @property
    def _areas(self) -> list[Area]:
        """Every area that the home names, each once, with its floor."""
        floors = {each.area.casefold(): each.floor for each in self.entities if each.area and each.floor}
        areas = _joined([*self.areas, *(Area(each.area) for each in self.entities if each.area)])
        return [
            replace(each, floor=self._floors.of(each.floor or floors.get(each.name.casefold(), ""))) for each in areas
        ]

    @cached_property
    def _floors(self) -> "_Spelling":
        """Every floor that the home names."""
        floors = [*(each.floor for each in self.areas), *(each.floor for each in self.entities)]
        return _Spelling(filter(None, floors))

    def _keyed(self) -> Iterator[tuple[str, Entity]]:
        """Yield the devices, each with an id that no other device has."""
        seen: Counter[str] = Counter()
        for each in self.entities:
            seen[each.id] += 1
            yield (each.id if seen[each.id] == 1 else f"{each.id}#{seen[each.id]}"), each

    def _tool_data(self, tool: Tool, names: Sequence[str]) -> dict[str, Any]:
        """Return a tool as data; `entities` is null when it reaches every device of its kinds."""
        kinds = [kind for kind in ALL_KINDS if any(kind in way.kinds for way in self.ways(tool.name))]
        reaches_all = len(names) == sum(each.kind in kinds for each in self.entities)
        return {
            "name": tool.name,
            "kinds": kinds,
            "parameters": tool.parameters,
            "entities": None if reaches_all else list(names),
        }


def _joined(areas: Iterable[Area]) -> tuple[Area, ...]:
    """Return the areas, those of one name as one: the first, with all aliases, on the first floor that is known."""
    found: dict[str, Area] = {}
    for each in areas:
        first = found.setdefault(each.name.casefold(), each)
        aliases = tuple(dict.fromkeys((*first.aliases, *each.aliases)))
        found[each.name.casefold()] = replace(first, floor=first.floor or each.floor, aliases=aliases)
    return tuple(found.values())


class _Spelling:
    """Names that may come in any case, each as it was first written."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[str, str] = {}
        for each in names:
            self._names.setdefault(each.casefold(), each)

    @property
    def names(self) -> Iterable[str]:
        """Return each name once."""
        return self._names.values()

    def of(self, name: str) -> str:
        """Return a name as it was first written."""
        return self._names.get(name.casefold(), name)


def _entity_data(entity: Entity, key: str, area: str, floor: str) -> dict[str, Any]:
    return {
        "name": entity.name,
        "kind": entity.kind,
        "area": area,
        "floor": floor,
        "aliases": list(entity.aliases),
        "device_class": entity.device_class,
        "id": key,
    }


def _function(tool: Tool, names: Sequence[str]) -> dict[str, Any]:
    """Return the OpenAI function schema of a tool for the devices of these names."""
    properties = ({"entity": {"type": "string", "enum": list(names)}} if names else {}) | tool.parameters
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    function = {"name": tool.name, "description": tool.description, "parameters": schema}
    return {"type": "function", "function": function}
