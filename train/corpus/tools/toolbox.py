"""Tools: the functions that an assistant may call, their list in a prompt, and the text of a call.

Most toolboxes use the same names; the others teach that names and parameters must be read from the list.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from train.chatml import CALL_MARKS
from train.corpus.base import Split, draw_until, is_held_combination
from train.corpus.home_words import things
from train.corpus.tools.words import OBJECTS, VERBS

Value = str | int | float
Call = dict[str, Any]
UNITS = ("seconds", "minutes", "hours")
DAEMON_COLOURS = (
    "white", "red", "orange", "yellow", "green", "blue", "purple", "brown", "pink", "turquoise", "violet", "cyan",
    "magenta", "gold", "lime",
)  # fmt: skip
"""The colours of the daemon's own tool."""

SIGNATURE = re.compile(r"(\w+)\((.*)\)")
ROLES = {
    "name": "entity", "device": "entity", "brightness": "percent", "level": "percent", "volume": "percent",
    "position": "percent", "colour": "color", "temperature": "degrees", "music": "media", "what": "media",
    "number": "amount", "duration": "amount",
}  # fmt: skip
"""The meaning of a parameter with another name."""


@dataclass(frozen=True)
class Tool:
    """One function; `fixed` holds, for each meaning, the arguments that the meaning decides."""

    name: str
    parameters: tuple[str, ...]
    enums: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fixed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    kinds: tuple[str, ...] = ()
    """Kinds of the devices for this tool."""

    def call(self, meaning: str, values: Mapping[str, Value]) -> Call:
        """Return the call with this meaning."""
        known = {**values, **self.fixed[meaning]}
        arguments = {name: known[name] if name in known else known[ROLES[name]] for name in self.parameters}
        return {"name": self.name, "arguments": arguments}

    def function(self, entities: Sequence[str] = ()) -> dict[str, Any]:
        """Return the tool in OpenAI's format; with the names of the entities, if the tool must list them."""
        kinds = {"percent": "integer", "amount": "integer", "degrees": "number"}
        properties: dict[str, dict[str, Any]] = {}
        for name in self.parameters:
            properties[name] = {"type": kinds.get(ROLES.get(name, name), "string")}
            if values := self.enums.get(name) or (entities if ROLES.get(name, name) == "entity" else ()):
                properties[name]["enum"] = list(values)
        schema = {"type": "object", "properties": properties, "required": list(self.parameters)}
        return {"type": "function", "function": {"name": self.name, "parameters": schema}}


@dataclass(frozen=True)
class Group:
    """Tools that belong together, the kinds of devices for them, and their variants; the first is the usual one."""

    kinds: tuple[str, ...]
    forms: tuple[Mapping[str, str], ...]
    """Meaning to signature. One signature for two meanings has a parameter with a value for each: `name(state=on)`."""


GROUPS = (
    Group(("light", "switch", "fan", "climate", "media"), (
        {"turn_on": "turn_on(entity)", "turn_off": "turn_off(entity)"},
        {"turn_on": "switch_on(entity)", "turn_off": "switch_off(entity)"},
        {"turn_on": "power_on(entity)", "turn_off": "power_off(entity)"},
        {"turn_on": "set_power(entity, state=on)", "turn_off": "set_power(entity, state=off)"},
        {"turn_on": "switch(entity, state=on)", "turn_off": "switch(entity, state=off)"},
    )),
    Group(("light",), (
        {"brightness": "set_brightness(entity, percent)"}, {"brightness": "dim(entity, percent)"},
        {"brightness": "set_brightness(entity, brightness)"}, {"brightness": "set_level(entity, level)"},
    )),
    Group(("light",), (
        {"color": "set_color(entity, color)"}, {"color": "change_color(entity, color)"},
        {"color": "set_colour(entity, colour)"},
    )),
    Group(("cover",), (
        {"open": "open_cover(entity)", "close": "close_cover(entity)"},
        {"open": "open(entity)", "close": "close(entity)"},
        {"open": "set_cover(entity, state=open)", "close": "set_cover(entity, state=closed)"},
    )),
    Group(("cover",), (
        {"position": "set_position(entity, percent)"}, {"position": "move_cover(entity, percent)"},
        {"position": "set_cover_position(entity, position)"},
    )),
    Group(("climate",), (
        {"temperature": "set_temperature(entity, degrees)"}, {"temperature": "heat_to(entity, degrees)"},
        {"temperature": "set_temperature(entity, temperature)"},
    )),
    Group(("media",), ({"play": "play_media(entity, media)"}, {"play": "play(entity, what)"},
                       {"play": "play_music(entity, music)"})),
    Group(("media",), ({"pause": "pause_media(entity)"}, {"pause": "pause(entity)"}, {"pause": "stop_music(entity)"})),
    Group(("media",), ({"volume": "set_volume(entity, percent)"}, {"volume": "set_volume(entity, volume)"})),
    Group(("lock",), (
        {"lock": "lock(entity)", "unlock": "unlock(entity)"},
        {"lock": "lock_door(entity)", "unlock": "unlock_door(entity)"},
        {"lock": "set_lock(entity, state=locked)", "unlock": "set_lock(entity, state=unlocked)"},
    )),
    Group(("scene",), ({"scene": "activate_scene(entity)"}, {"scene": "start_scene(entity)"},
                       {"scene": "run_scene(entity)"})),
    Group((), (
        {"timer": "set_timer(amount, unit)", "cancel": "cancel_timer()"},
        {"timer": "start_timer(amount, unit)", "cancel": "stop_timer()"},
        {"timer": "set_timer(duration, unit)", "cancel": "cancel_timer()"},
    )),
    Group(("light", "switch", "fan", "climate", "media", "cover", "lock", "sensor"), (
        {"state": "get_state(entity)"}, {"state": "read_state(entity)"}, {"state": "get_status(entity)"},
    )),
)  # fmt: skip


@dataclass(frozen=True)
class Toolbox:
    """The tools of one conversation, by purpose."""

    tools: Mapping[str, Tool]
    order: tuple[Tool, ...]

    @property
    def customs(self) -> list[str]:
        """Return the phrasings for the user's own tools."""
        return [meaning for meaning in self.tools if " " in meaning]

    def functions(self) -> list[dict[str, Any]]:
        """Return the tools in OpenAI's format."""
        return [tool.function() for tool in self.order]

    def functions_for(self, kinds: Mapping[str, str]) -> list[dict[str, Any]]:
        """Return the tools in OpenAI's format for a house; each names its devices, by kind, as the daemon does."""
        fitting = [(tool, [name for name, kind in kinds.items() if kind in tool.kinds]) for tool in self.order]
        return [tool.function(names) for tool, names in fitting if names or not tool.kinds]

    def call(self, meaning: str, **values: Value) -> Call:
        """Return the call with this meaning."""
        return self.tools[meaning].call(meaning, values)


def _tools_of(
    form: Mapping[str, str], kinds: tuple[str, ...], entity: str, colours: tuple[str, ...]
) -> dict[str, Tool]:
    """Return the tools of one variant of a group, by meaning; `entity` is the name of their first parameter."""
    found: dict[str, tuple[list[str], dict[str, list[str]], dict[str, dict[str, str]]]] = {}
    for meaning, signature in form.items():
        name, inside = SIGNATURE.fullmatch(signature).groups()  # type: ignore[union-attr]  # our own forms match
        parts = [part.partition("=") for part in inside.split(", ") if part]
        parameters, enums, fixed = found.setdefault(name, ([], {}, {}))
        parameters[:] = [entity if part == "entity" else part for part, _, _ in parts]
        fixed[meaning] = {part: value for part, _, value in parts if value}
        for part, value in fixed[meaning].items():
            enums.setdefault(part, []).append(value)
    tools: dict[str, Tool] = {}
    for name, (parameters, enums, fixed) in found.items():
        values = {part: tuple(options) for part, options in enums.items()}
        values |= {part: UNITS for part in parameters if part == "unit"}
        values |= {part: colours for part in parameters if colours and part in ("color", "colour")}
        tools |= dict.fromkeys(fixed, Tool(name, tuple(parameters), values, fixed, kinds))
    return tools


def _custom(rng: random.Random, split: Split) -> tuple[str, Tool]:
    """Return a user's own tool with its phrasing."""
    meaning = draw_until(
        lambda: f"{rng.choice(VERBS)} {rng.choice(OBJECTS)}",
        lambda words: is_held_combination("custom", words) == (split != "train"),
    )
    return meaning, Tool(meaning.replace(" ", "_"), (), {}, {meaning: {}})


def _colours(rng: random.Random, *, is_wide: bool) -> tuple[str, ...]:
    """Return the colours that a tool takes; mostly it takes any text."""
    if is_wide and rng.random() < 0.3:
        return DAEMON_COLOURS
    return tuple(rng.sample(sorted({*things.COLOURS}), rng.choice((4, 5, 6)))) if rng.random() < 0.35 else ()


def draw_toolbox(rng: random.Random, split: Split, kinds: set[str], *, is_wide: bool = False) -> Toolbox:
    """Return the tools of a house: nearly always those that its devices need.

    In a wide house unneeded tools are rare, as the daemon offers none without a device.
    """
    usual = rng.random() < 0.75
    entity = "entity" if usual or rng.random() < 0.5 else rng.choice(("name", "device"))
    colours = _colours(rng, is_wide=is_wide)
    tools: dict[str, Tool] = {}
    for group in GROUPS:
        unneeded = 0.05 if is_wide else 0.2
        needed = 0.55 if not group.kinds else 0.9 if kinds & set(group.kinds) else unneeded
        if rng.random() < needed:
            tools |= _tools_of(group.forms[0] if usual else rng.choice(group.forms), group.kinds, entity, colours)
    if rng.random() < 0.2 or not tools:
        tools |= dict(_custom(rng, split) for _ in range(rng.choice((1, 1, 2, 3))))
    order = list({tool.name: tool for tool in tools.values()}.values())
    if rng.random() < 0.4:
        rng.shuffle(order)
    return Toolbox(tools, tuple(order))


def call_text(*calls: Call) -> str:
    """Return the calls as the assistant writes them."""
    before, behind = CALL_MARKS
    return "".join(f"{before}{json.dumps(call, ensure_ascii=False)}{behind}" for call in calls)


def read_calls(text: str) -> list[Call] | None:
    """Return the calls in an answer; None when a call is not valid JSON."""
    before, behind = map(re.escape, CALL_MARKS)
    try:
        return [json.loads(found) for found in re.findall(f"{before}(.*?)(?:{behind}|$)", text, re.DOTALL)]
    except json.JSONDecodeError:
        return None
