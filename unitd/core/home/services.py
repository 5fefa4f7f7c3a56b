"""The usual tools of the devices that are read from Home Assistant: services of its REST API. Pure.

The services and their fields are described at www.home-assistant.io/integrations/<domain>, the features and color modes
by which an entity says what it can do at developers.home-assistant.io/docs/core/entity/<domain>.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from unitd.core.home.devices import CAMERA
from unitd.core.home.tools import Parameters, Tool
from unitd.core.home.usual_tools import usual_tool

PROTOCOL = "homeassistant"
"""The protocol of these devices; tools.toml has no such protocol."""

_SWITCHED = ("turn_on", "turn_off", "get_state")
_ALWAYS: Mapping[str, tuple[str, ...]] = {
    "light": _SWITCHED,
    "switch": _SWITCHED,
    "lock": ("lock", "unlock", "get_state"),
    "scene": ("activate_scene",),
    "script": ("activate_scene",),
    "camera": ("look_at",),
    "image": ("look_at",),
}
"""What every entity of a domain can do; those of other domains have a state."""

_FEATURES: Mapping[str, Mapping[str, int]] = {
    "fan": {"turn_off": 16, "turn_on": 32},
    "cover": {"open_cover": 1, "close_cover": 2, "set_position": 4},
    "climate": {"set_temperature": 1, "turn_off": 128, "turn_on": 256},
    "media_player": {"pause_media": 1, "set_volume": 4, "turn_on": 128, "turn_off": 256, "play_media": 512},
}
"""What an entity can do if it has this bit in its supported_features."""

_COLOR_MODES = frozenset({"hs", "xy", "rgb", "rgbw", "rgbww"})
_DIMMED_MODES = _COLOR_MODES | {"brightness", "color_temp", "white"}

_FAHRENHEIT: Parameters = {"degrees": {"type": "number", "minimum": 41, "maximum": 95}}

_SERVICES = (
    ("turn_on", "light switch fan climate media", "turn_on", ""),
    ("turn_off", "light switch fan climate media", "turn_off", ""),
    ("set_brightness", "light", "turn_on", '"brightness_pct": {{ percent }}'),
    ("set_color", "light", "turn_on", '"color_name": {{ color | tojson }}'),
    ("open_cover", "cover", "open_cover", ""),
    ("close_cover", "cover", "close_cover", ""),
    ("set_position", "cover", "set_cover_position", '"position": {{ percent }}'),
    ("set_temperature", "climate", "set_temperature", '"temperature": {{ degrees }}'),
    ("set_volume", "media", "volume_set", '"volume_level": {{ percent / 100 }}'),
    ("lock", "lock", "lock", ""),
    ("unlock", "lock", "unlock", ""),
    ("activate_scene", "scene", "turn_on", ""),
    (
        "play_media",
        "media",
        "play_media",
        '"media_content_id": {{ media | tojson }}, "media_content_type": "music"',
    ),
    ("pause_media", "media", "media_pause", ""),
)
"""Name, kinds, service of the entity's domain, and the fields that it takes besides the entity."""


def service_tools(is_fahrenheit: bool = False) -> Iterator[Tool]:
    """Yield the usual tools; Home Assistant takes temperatures in the unit that it shows."""
    for name, kinds, service, fields in _SERVICES:
        data = f'{{"entity_id": "{{{{ entity.id }}}}"{", " if fields else ""}{fields}}}'
        tool = usual_tool(name, PROTOCOL, kinds, service=f'{{{{ entity.id.partition(".")[0] }}}}.{service}', data=data)
        yield replace(tool, parameters=_FAHRENHEIT) if name == "set_temperature" and is_fahrenheit else tool
    kinds = "light switch fan cover climate media lock sensor"
    yield usual_tool("get_state", PROTOCOL, kinds, state_of="{{ entity.id }}")
    yield usual_tool("look_at", PROTOCOL, CAMERA, picture_of="{{ entity.id }}")


def allowed_tools(domain: str, features: int, color_modes: Collection[str]) -> frozenset[str]:
    """Return the names of the usual tools that an entity can do."""
    names = {*_ALWAYS.get(domain, ("get_state",))}
    names |= {name for name, bit in _FEATURES.get(domain, {}).items() if features & bit}
    if domain == "light":
        names |= {"set_brightness"} if not _DIMMED_MODES.isdisjoint(color_modes) else set()
        names |= {"set_color"} if not _COLOR_MODES.isdisjoint(color_modes) else set()
    return frozenset(names)
