"""What the system turn says of a home and its tools, made by the daemon's own code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from train.chatml import tools_text
from train.corpus.base import Message
from unitd.core.home.devices import Entity
from unitd.core.home.home import Home
from unitd.core.home.prompt import with_prompt_text
from unitd.core.home.skill_tools import skill_functions
from unitd.core.home.usual_tools import usual_tool

PROMPT = "You are a home assistant."

_SWITCHED = "light switch fan climate media"
_KINDS = {
    "turn_on": _SWITCHED,
    "turn_off": _SWITCHED,
    "set_brightness": "light",
    "set_color": "light",
    "open_cover": "cover",
    "close_cover": "cover",
    "set_position": "cover",
    "set_temperature": "climate",
    "set_volume": "media",
    "play_media": "media",
    "pause_media": "media",
    "lock": "lock",
    "unlock": "lock",
    "activate_scene": "scene",
}
_READ = "get_state"
_READ_KINDS = "light switch fan cover climate media lock sensor"


@dataclass(frozen=True)
class Place:
    """The system turn of a conversation, and the functions that can be called in it."""

    system: Message
    functions: Sequence[Mapping[str, Any]]


def place_of(home: Home, prompt: str = PROMPT, room: str = "") -> Place:
    """Return what a task with the tools of a home is told; `room` is that of the board."""
    functions = home.functions()
    system = with_prompt_text({"prompt": prompt}, home.devices(room))["prompt"]
    return Place(Message("system", f"{system}\n\n{tools_text(functions)}"), functions)


def usual_home(devices: Iterable[Mapping[str, Any]]) -> Home:
    """Return a home with these devices and the usual tools."""
    tools = [usual_tool(name, "", kinds, topic="home") for name, kinds in _KINDS.items()]
    tools.append(usual_tool(_READ, "", _READ_KINDS, state="home"))
    entities = (Entity(each["name"], each["kind"], each["area"], tuple(each["aliases"])) for each in devices)
    return Home(tuple(entities), tuple(tools))


def place_of_skills(prompt: str = PROMPT) -> Place:
    """Return what a task with skills and without devices is told."""
    functions = skill_functions("en")
    return Place(Message("system", f"{prompt}\n\n{tools_text(functions)}"), functions)
