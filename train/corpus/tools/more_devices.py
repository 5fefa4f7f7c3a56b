"""More kinds of devices of a home, with their usual tools: vacuums, mowers, alarm panels, valves, lists and others."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from train.chatml import tools_text
from train.corpus.base import Message, Scene, Split, draw_until, expand, normal
from train.corpus.dialogue import system_messages
from train.corpus.tools.house import Entity, House, draw_area, draw_name, is_of, with_article
from train.corpus.tools.own.own_tools import probe_of
from train.corpus.tools.own.own_tools_asking import question_about, reply_to
from train.corpus.tools.own.own_tools_catalog import OwnTool, Phrase, Style, functions_of, named
from train.corpus.tools.own.own_tools_fillers import Filled, Value, choices, draw_filled, draw_value, lists
from train.corpus.tools.own.own_tools_results import NOTHING, SUCCESSES, draw_error, enumerated, sorry
from train.corpus.tools.own.own_tools_saying import say
from train.corpus.tools.own.own_tools_turns import Exchange, answered, called, resulted
from train.corpus.tools.requests import Place
from train.corpus.tools.talk import Probe, after_request, draw_place, draw_request, user_turn, with_outcome
from train.corpus.tools.toolbox import Call, Tool

PROBES = 80
PROBE_SEED = 41_000
TRIES = 60
MOST_DEVICES = 14
LABELS = {
    "mower": ("mower", "lawn_mower"),
    "alarm": ("alarm", "alarm_control_panel"),
    "contact": ("sensor", "binary_sensor"),
    "motion": ("sensor", "binary_sensor"),
    "leak": ("sensor", "binary_sensor"),
    "tracker": ("tracker", "device_tracker"),
    "purifier": ("fan", "purifier"),
    "lightshow": ("light",),
    "washer": ("washer", "appliance", "switch"),
    "charger": ("charger", "switch"),
    "feeder": ("feeder", "switch"),
    "media": ("media", "media_player"),
}
"""What the list of devices calls a kind, if not by its name."""

MEANINGS = {
    "turn on": "turn_on",
    "turn off": "turn_off",
    "get state": "state",
    "set position": "position",
    "set temperature": "temperature",
}
"""Functions that the tools of a house may have already, by their meaning there."""

SYNONYMS = ("vacuum", "mower", "fan", "alarm", "siren", "purifier", "charger", "camera")
"""Kinds whose words may stand for each other."""

KIND_SHARES = {
    "vacuum": 9,
    "mower": 5,
    "humidifier": 5,
    "fan": 5,
    "climate": 8,
    "water_heater": 4,
    "valve": 4,
    "siren": 2,
    "alarm": 6,
    "select": 3,
    "number": 3,
    "button": 2,
    "todo": 5,
    "camera": 3,
    "media": 5,
    "cover": 3,
    "contact": 3,
    "motion": 2,
    "leak": 2,
    "tracker": 2,
    "purifier": 2,
    "lightshow": 3,
    "washer": 3,
    "feeder": 1,
    "charger": 2,
}


@dataclass(frozen=True)
class DeviceTool:
    """A function for one kind of devices, as a house offers it."""

    kind: str
    tool: OwnTool
    usual: Tool | None = None
    """The tool of the house that does the same for its other devices."""

    def call(self, values: Mapping[str, Value]) -> Call:
        """Return the call with these values."""
        if self.usual is None:
            return self.tool.call(values)
        meaning = MEANINGS[self.tool.function.names[0]]
        return self.usual.call(meaning, {slot: value for slot, value in values.items() if not isinstance(value, bool)})

    def schema(self, names: tuple[str, ...] = ()) -> dict[str, Any]:
        """Return the tool in OpenAI's format, with the names of its devices if they are given."""
        schema = self.tool.schema()
        schema["function"]["parameters"]["properties"][self.tool.names["entity"]] |= (
            {"enum": list(names)} if names else {}
        )
        return schema


@dataclass(frozen=True)
class Home:
    """A house with devices of more kinds."""

    place: Place
    kinds: Mapping[str, str]
    """The kind of each of these devices, by its name."""

    tools: tuple[DeviceTool, ...]

    def of(self, kind: str) -> list[Entity]:
        """Return the devices of a kind."""
        return [each for each in self.place.house.entities if self.kinds.get(each.name) == kind]

    def schemas(self) -> list[dict[str, Any]]:
        """Return all tools in OpenAI's format."""
        own = {each.tool.name: each.schema() for each in self.tools if each.usual is None}
        return [*self.place.toolbox.functions(), *own.values()]

    def functions(self) -> list[dict[str, Any]]:
        """Return all tools with the names of the devices that they accept."""
        kinds = {each.name: each.kind for each in self.place.house.entities}
        shared: dict[str, list[str]] = {}
        for each in self.tools:
            name = each.usual.name if each.usual else each.tool.name
            shared.setdefault(name, []).extend(device.name for device in self.of(each.kind))
        usual = self.place.toolbox.functions_for(kinds)
        for function in usual:
            more = shared.get(function["function"]["name"], [])
            for schema in function["function"]["parameters"]["properties"].values():
                if set(schema.get("enum", ())) & set(kinds):
                    schema["enum"] = list(dict.fromkeys([*schema["enum"], *more]))
        own = {each.tool.name: each.schema(tuple(dict.fromkeys(shared[each.tool.name]))) for each in self.tools
               if each.usual is None}  # fmt: skip
        return [*usual, *own.values()]


def _device(rng: random.Random, split: Split, kind: str, areas: list[str]) -> Entity:
    noun = lists("devices_nouns")[kind].pick(rng, "train")
    area = rng.choice(areas)
    name = noun if is_of(split, "entity", noun) and rng.random() < 0.35 else draw_name(rng, split, kind, noun, area)
    label = rng.choice(LABELS.get(kind, (kind,)))
    aliases = tuple(draw_name(rng, split, kind, noun, area) for _ in range(rng.random() < 0.12))
    listed = area if rng.random() < 0.6 else ""
    return Entity(name, label, noun, listed, aliases, listed or (area if f"{area} " in name else ""))


def draw_home(rng: random.Random, split: Split) -> Home:
    """Return a house with one to four more kinds of devices and their tools."""
    place = draw_until(lambda: draw_place(rng, split), lambda found: len(found.house.entities) <= MOST_DEVICES - 5)
    areas = sorted({each.place for each in place.house.entities if each.place}) or [draw_area(rng, split)]
    wanted = dict.fromkeys(rng.choices(list(KIND_SHARES), list(KIND_SHARES.values()), k=rng.choice((1, 2, 2, 3, 4))))
    entities, kinds = list(place.house.entities), dict[str, str]()
    taken = {normal(name) for each in entities for name in (each.name, *each.aliases)}
    for kind in wanted:
        for _ in range(rng.choices((1, 2, 3), (70, 24, 6))[0]):
            device = _device(rng, split, kind, areas)
            names = {normal(name) for name in (device.name, *device.aliases)}
            if taken.isdisjoint(names) and len(names) > len(device.aliases) and len(entities) < MOST_DEVICES:
                taken |= names
                entities.append(device)
                kinds[device.name] = kind
    rng.shuffle(entities)
    if not kinds:
        return draw_home(rng, split)
    place = replace(place, house=House(tuple(entities)))
    tools = _tools(rng, place, tuple(dict.fromkeys(kinds.values())))
    return Home(place, kinds, tools) if tools else draw_home(rng, split)


def _tools(rng: random.Random, place: Place, kinds: tuple[str, ...]) -> tuple[DeviceTool, ...]:
    """Return the tools of these kinds; two tools of one name have the same parameters."""
    style = Style(rng.choices(("_", "", "-"), (86, 9, 5))[0], False, rng.random() < 0.7)
    named_so = [
        name for tool in place.toolbox.order for name in tool.parameters if name in ("entity", "name", "device")
    ]
    entity = named_so[0] if named_so else rng.choice(("entity", "entity", "entity", "device", "name"))
    schemas = {each["function"]["name"]: each["function"] for each in place.toolbox.functions()}
    tools: list[DeviceTool] = []
    for function in functions_of("devices_tools"):
        if function.domain not in kinds or rng.random() < 0.07:
            continue
        made = named(rng, function, style)
        made = replace(made, names={**made.names, "entity": entity})
        usual = place.toolbox.tools.get(MEANINGS.get(function.names[0], ""))
        if usual is not None:
            tools.append(DeviceTool(function.domain, made, usual))
            continue
        if len(set(made.names.values())) < len(made.names):
            continue
        if made.name in schemas and schemas[made.name] != made.schema()["function"]:
            made = replace(made, name=style.spell(f"{function.domain.replace('_', ' ')} {function.names[0]}"))
        if schemas.setdefault(made.name, made.schema()["function"]) == made.schema()["function"]:
            tools.append(DeviceTool(function.domain, made))
    return tuple(tools)


def device_words(rng: random.Random, home: Home, device: Entity) -> str:
    """Return a user's words for a device: its name or alias, or its kind where no other device has that word."""
    others = [each for each in home.place.house.entities if each != device]
    taken = {word for each in others for text in (each.name, each.noun, *each.aliases) for word in normal(text).split()}
    same = home.of(home.kinds[device.name])
    draw = rng.random()
    kind = home.kinds[device.name]
    noun = rng.choice(lists("devices_nouns")[kind].train) if draw > 0.25 and kind in SYNONYMS else device.noun
    if len(same) == 1 and draw < 0.4 and taken.isdisjoint(normal(noun).split()) and "'s " not in noun:
        return rng.choice((f"the {noun}", f"the {noun}", f"my {noun}", noun))
    name = rng.choice((device.name, device.name, *device.aliases))
    if device.area and name.lower().startswith(f"{device.area.lower()} ") and rng.random() < 0.35:
        return f"the {name[len(device.area) + 1 :]} in {with_article(device.area)}"
    return name if "'s " in name else rng.choice((f"the {name}", f"the {name}", f"my {name}", name))


def device_request(home: Home) -> Exchange | None:
    """Return a request to a device of these kinds, perhaps with questions back."""
    rng = home.place.rng
    offered = [each for each in home.tools if home.of(each.kind)]
    chosen = rng.choice(offered)
    function, split = chosen.tool.function, home.place.split
    phrase = function.phrase(rng, split)
    devices = home.of(chosen.kind)
    device = rng.choice(devices)
    filled = {
        each.slot: _filled(rng, split, home, each.filler) for each in function.parameters if each.slot != "entity"
    }
    words = device_words(rng, home, device)
    filled["entity"] = Filled(words.lower() if rng.random() < 0.5 else words, device.name)
    said = say(rng, phrase.template, filled)
    values = {**said.values, **chosen.tool.fixed(phrase)}
    messages = [Message("user", said.text)]
    for missing in function.lacks(phrase):
        if missing.slot == "entity" and len(devices) > 1:
            messages += [answered(which_one(devices)), Message("user", _chosen(rng, split, home, device))]
        elif missing.slot != "entity":
            messages.append(answered(question_about(chosen.tool.names[missing.slot], choices(missing.filler))))
            reply = say(
                rng, reply_to(rng, split, missing.filler), {"value": _filled(rng, split, home, missing.filler)}, True
            )
            messages.append(Message("user", reply.text))
            values[missing.slot] = reply.values["value"]
        values.setdefault("entity", device.name)
    ordered = {each.slot: values[each.slot] for each in function.parameters if each.slot in values}
    return Exchange(f"device {chosen.kind}", [*messages, *_done(home, chosen, device, phrase, ordered)])


def which_one(devices: list[Entity]) -> str:
    """Return the question which of several devices is meant."""
    return (
        f"Which one do you mean: {enumerated([with_article(each.name) for each in devices]).replace(' and ', ' or ')}?"
    )


def _chosen(rng: random.Random, split: Split, home: Home, device: Entity) -> str:
    words = device_words(rng, home, device)
    template = lists("own_replies")["other"].pick(rng, split)
    return say(rng, template, {"value": Filled(words, device.name)}, is_bare=True).text


def _filled(rng: random.Random, split: Split, home: Home, filler: str) -> Filled:
    """Return what stands in a slot; a room is mostly one of the house."""
    areas = sorted({each.place.lower() for each in home.place.house.entities if each.place and "'s " not in each.place})
    if filler == "room" and areas and rng.random() < 0.7:
        return Filled(rng.choice(areas))
    return draw_filled(rng, split, filler)


def _done(home: Home, chosen: DeviceTool, device: Entity, phrase: Phrase, values: Mapping[str, Value]) -> list[Message]:
    """Return the call, its result and the answer."""
    rng = home.place.rng
    call = called(chosen.call(values))
    if rng.random() < 0.08:
        result, reason = draw_error(rng)
        return [call, resulted(result), answered(sorry(reason))]
    kind, _, rest = chosen.tool.function.result.partition(" ")
    if kind == "state":
        state = expand(rng, lists("devices_nouns")[f"{rest} states"].pick(rng, "train"))
        result = state if rng.random() < 0.65 else f'{{"state": "{state}"}}'
        return [call, resulted(result), answered(f"{'They are' if device.is_several else 'It is'} {state}.")]
    if kind == "items":
        items = list(
            dict.fromkeys(str(draw_value(rng, home.place.split, rest)) for _ in range(rng.choice((0, 1, 2, 3, 4))))
        )
        said = f"I found {enumerated(items)}." if items else NOTHING
        return [call, resulted("[" + ", ".join(f'"{item}"' for item in items) + "]"), answered(said)]
    shown = {slot: str(value).replace("_", " ") for slot, value in values.items()}
    answer = "It is off." if "off" in shown.values() else rest.format(**shown)
    if device.is_several:
        answer = answer.replace("It is", "They are").replace("It plays", "They play")
    return [call, resulted(rng.choice(SUCCESSES)), answered(answer)]


def home_system(home: Home, scene: Scene) -> Message:
    """Return the system message of a house with more kinds of devices."""
    prompt = [message.content for message in system_messages(home.place.rng, scene)]
    return Message("system", "\n\n".join([*prompt, home.place.house.listing, tools_text(home.schemas())]))


def usual_request(home: Home) -> Exchange | None:
    """Return a request to the usual devices of the house."""
    entities = tuple(each for each in home.place.house.entities if each.name not in home.kinds)
    if not entities or any(each.kind == label for each in entities for label in _labels(home)):
        return None
    asked = with_outcome(home.place.rng, draw_request(replace(home.place, house=House(entities)), None))
    if asked.kind in ("unknown device", "presence", "no tool", "all", "need"):
        return None
    return Exchange(asked.kind, [user_turn(home.place.rng, asked), *after_request(asked), answered(asked.answer)])


def _labels(home: Home) -> set[str]:
    return {each.kind for each in home.place.house.entities if each.name in home.kinds}


def make_device_talk(rng: random.Random, banned: frozenset[str] = frozenset()) -> list[Message]:
    """Return a conversation in a house with more kinds of devices, without any of the banned questions."""
    while True:
        home = draw_home(rng, "train")
        messages = [home_system(home, Scene())]
        for _ in range(rng.choice((4, 5, 6, 7))):
            exchange = (usual_request if rng.random() < 0.15 else device_request)(home)
            said = (
                [normal(message.content) for message in exchange.messages if message.role == "user"] if exchange else []
            )
            if exchange and banned.isdisjoint(said):
                messages += exchange.messages
        if len(messages) > 1:
            return messages


def make_device_probes(number: int = PROBES, seed: int = PROBE_SEED) -> list[Probe]:
    """Return questions to devices of these kinds, with names and phrasings that are never trained."""
    rng = random.Random(seed)
    probes: list[Probe] = []
    while len(probes) < number:
        home = draw_home(rng, "heldout")
        exchange = device_request(home)
        if exchange is None:
            continue
        probes.append(probe_of(rng, [home_system(home, Scene())], exchange, home.functions()))
    return probes
