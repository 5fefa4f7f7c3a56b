"""What each intent does: which tools do it, by domain of the device, and which slot has their value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from units.intent.house import Device, House, Tool

Tools = Mapping[str, tuple[str, ...]]
"""The names of the tools by domain, the usual one first."""


@dataclass(frozen=True)
class Action:
    """One thing that an intent does to each of its devices."""

    tools: Tools
    slot: str = ""
    """The slot whose value the tool gets; the action is left out where the sentence has no such slot."""

    at_limits: Mapping[float, Tools] = field(default_factory=dict)
    """Tools that do the same for one value, where no tool takes values."""

    instead: tuple[tuple[str, ...], float] | None = None
    """Tools that do the same with this value, where there is no tool of its own."""

    is_for_one: bool = False
    """Whether only one device can be meant, unless the words say "all"."""

    state: str = ""
    """The state in which it leaves a device."""


@dataclass(frozen=True)
class Scale:
    """A quantity that can be changed by a step."""

    domain: str
    tools: tuple[str, ...]
    step: float
    """By how much, where the sentence does not say."""


SCALES: Mapping[str, Scale] = {
    "brightness": Scale("light", ("set_brightness",), 20),
    "volume": Scale("media_player", ("set_volume",), 10),
    "temperature": Scale("climate", ("set_temperature",), 1),
    "position": Scale("cover", ("set_position",), 20),
    "speed": Scale("fan", ("set_speed", "set_fan_speed"), 20),
}

_SWITCHED = ("light", "switch", "fan", "climate", "media_player")
_ON: Tools = {
    **dict.fromkeys(_SWITCHED, ("turn_on",)),
    "media_player": ("turn_on", "play"),
    "cover": ("open_cover",),
    "lock": ("lock",),
    "scene": ("activate_scene", "turn_on"),
}
_OFF: Tools = {**dict.fromkeys(_SWITCHED, ("turn_off",)), "cover": ("close_cover",), "lock": ("unlock",)}

EVERYTHING = frozenset(_SWITCHED)
"""What "everything" means; nobody wants all doors unlocked by it."""


def _scaled(quantity: str, slot: str, **more: Any) -> Action:
    scale = SCALES[quantity]
    return Action({scale.domain: scale.tools}, slot, **more)


def _media(*tools: str, **more: Any) -> Action:
    return Action({"media_player": tools}, **more)


ACTIONS: Mapping[str, tuple[Action, ...]] = {
    "HassTurnOn": (Action(_ON, state="on"),),
    "HassTurnOff": (Action(_OFF, state="off"),),
    "HassLightSet": (
        _scaled("brightness", "brightness"),
        Action({"light": ("set_color",)}, "color"),
        Action({"light": ("set_color_temperature",)}, "temperature"),
    ),
    "HassSetPosition": (
        _scaled("position", "position", at_limits={0: {"cover": ("close_cover",)}, 100: {"cover": ("open_cover",)}}),
    ),
    "HassClimateSetTemperature": (_scaled("temperature", "temperature"),),
    "HassClimateSetFanMode": (Action({"climate": ("set_fan_mode",)}, "fan_mode"),),
    "HassFanSetSpeed": (_scaled("speed", "percentage"),),
    "HassSetVolume": (_scaled("volume", "volume_level", is_for_one=True),),
    "HassMediaPause": (_media("pause_media"),),
    "HassMediaUnpause": (_media("resume_media", "play", "play_media", is_for_one=True),),
    "HassMediaSearchAndPlay": (_media("play_media", slot="search_query", is_for_one=True),),
    "HassMediaNext": (_media("next_track", is_for_one=True),),
    "HassMediaPrevious": (_media("previous_track", is_for_one=True),),
    "HassMediaPlayerMute": (_media("mute", instead=(("set_volume",), 0)),),
    "HassMediaPlayerUnmute": (_media("unmute"),),
    # Nobody knows what it is to turn on a door.
    "UnitdCannot": (Action({}),),
}
"""The intents that do something at once."""

ADJUST = "UnitdAdjust"
VOLUME_RELATIVE = "HassSetVolumeRelative"
RELATIVE = (VOLUME_RELATIVE, ADJUST)
"""The intents that read a state first."""

STATE = "HassGetState"
TEMPERATURE = "HassClimateGetTemperature"
LOOK = "UnitdLook"
"""A question about what a camera shows, which a model with vision answers."""

QUESTIONS = (STATE, TEMPERATURE, LOOK)
STOPS = ("HassNevermind", "UnitdStop")
TIMER = "HassStartTimer"

REPLY = "UnitdReply"
"""What completes the wish that a question back was about; it says nothing where nothing was asked."""

READ = ("get_state",)
"""The tools that read a state."""

LOOK_AT = ("look_at",)
"""The tools that fetch the picture of a camera."""

_USUAL_PARAMETERS = ("percent", "degrees", "color", "media")
"""The parameters that take the value, where a tool has more than one of its type."""


@dataclass(frozen=True)
class Call:
    """One call of a tool for one device."""

    device: Device
    tool: str
    arguments: Mapping[str, Any]


def value_call(house: House, device: Device, names: tuple[str, ...], value: Any, text: str = "") -> Call | None:
    """Return the call of the first tool that serves a device, with a value; None if there is no such tool."""
    tool = house.tool(names, device)
    if tool is None:
        return None
    argument = parameter_of(tool, value)
    if argument is None:
        return None
    fitting = _fitting(tool.parameters[argument], value, text)
    return Call(device, tool.name, {"entity": house.argument(device), argument: fitting})


def plain_call(house: House, device: Device, names: tuple[str, ...]) -> Call | None:
    """Return the call of the first tool that serves a device and needs no value, or None."""
    usable = [tool.name for tool in house.tools if not tool.parameters]
    tool = house.tool([name for name in names if name in usable], device)
    return Call(device, tool.name, {"entity": house.argument(device)}) if tool else None


def parameter_of(tool: Tool, value: Any) -> str | None:
    """Return the name of the one parameter that takes a value of this type, or None."""
    types = ("number", "integer") if isinstance(value, int | float) else ("string",)
    fitting = [name for name, schema in tool.parameters.items() if schema.get("type", "string") in types]
    usual = [name for name in fitting if name in _USUAL_PARAMETERS]
    return fitting[0] if len(fitting) == 1 else usual[0] if len(usual) == 1 else None


def _fitting(schema: Mapping[str, Any], value: Any, text: str) -> Any:
    """Return a value as a schema wants it: whole numbers as such, and a word as the home writes it."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    words = {str(each).casefold(): each for each in schema.get("enum", ())}
    return words.get(str(value).casefold(), words.get(text.casefold(), value))
