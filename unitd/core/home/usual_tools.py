"""The tools that every home may have, with the names and parameters that the bundled model has learned. Pure."""

from typing import Any

from unitd.core.home.colors import COLORS
from unitd.core.home.tools import Parameters, Tool

USUAL = (
    "turn_on", "turn_off", "set_brightness", "set_color", "open_cover", "close_cover", "set_position",
    "set_temperature", "set_volume", "lock", "unlock", "activate_scene", "play_media", "pause_media", "get_state",
    "look_at",
)  # fmt: skip
"""Their names."""

_DESCRIPTIONS = {
    "turn_on": "Switches a device on",
    "turn_off": "Switches a device off",
    "set_brightness": "Sets how bright a light is",
    "set_color": "Sets the color of a light",
    "open_cover": "Opens a blind, a curtain or a door",
    "close_cover": "Closes a blind, a curtain or a door",
    "set_position": "Sets how far a blind or a curtain is open",
    "set_temperature": "Sets how warm it shall be",
    "set_volume": "Sets how loud a media player is",
    "lock": "Locks a door",
    "unlock": "Unlocks a door",
    "activate_scene": "Activates a scene",
    "play_media": "Plays music or a film",
    "pause_media": "Pauses a media player",
    "get_state": "How a device is",
    "look_at": "Looks at what a camera shows",
}
_PERCENT: Parameters = {"percent": {"type": "integer", "minimum": 0, "maximum": 100}}
_PARAMETERS: dict[str, Parameters] = {
    "set_brightness": _PERCENT,
    "set_position": _PERCENT,
    "set_volume": _PERCENT,
    "set_color": {"color": {"type": "string", "enum": list(COLORS)}},
    "set_temperature": {"degrees": {"type": "number", "minimum": 5, "maximum": 35}},
    "play_media": {"media": {"type": "string"}},
}


def usual_tool(name: str, protocol: str, kinds: str, **way: Any) -> Tool:
    """Return the tool of this name for the devices of a protocol; their kinds are separated by spaces.

    `way` is what the tool does: its topic or service, with what is sent there, or where a state is read.
    """
    return Tool(name, _DESCRIPTIONS[name], tuple(kinds.split()), _PARAMETERS.get(name, {}), protocol=protocol, **way)
