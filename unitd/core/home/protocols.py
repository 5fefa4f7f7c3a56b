"""The usual tools of devices by their protocol, so that a device needs no [[tool]] of its own. Pure.

zigbee2mqtt         zigbee2mqtt/<id>/set takes a JSON object, zigbee2mqtt/<id> has the state; `id` is the friendly name.
                    The id of a scene is <group or device>/<number>.
homeassistant-mqtt  homeassistant/<component>/<id>/set and …/state, as in the examples of Home Assistant's documentation
                    of MQTT discovery: payloads are the defaults of its MQTT integration, lights have its JSON schema.
tasmota             cmnd/<id>/<command>, and the answers on stat/<id>/… and tele/<id>/SENSOR; `id` is the Topic that the
                    device has in Tasmota.

None of them has media players. Tasmota's usual firmware has neither thermostats nor locks.
"""

import re
from collections.abc import Iterator, Sequence

from unitd.core.home.colors import COLORS
from unitd.core.home.devices import Entity
from unitd.core.home.tools import Parameters, Tool

PROTOCOLS = ("zigbee2mqtt", "homeassistant-mqtt", "tasmota")

SCENE_ID = re.compile(r".+/[0-9]+")
"""The id of a scene of Zigbee2MQTT: a group or a device, and a number."""

USUAL = (
    "turn_on", "turn_off", "set_brightness", "set_color", "open_cover", "close_cover", "set_position",
    "set_temperature", "set_volume", "lock", "unlock", "activate_scene", "play_media", "pause_media", "get_state",
)  # fmt: skip
"""The names of the tools that every home may have."""

_DESCRIPTIONS = {
    "turn_on": "Switches a device on",
    "turn_off": "Switches a device off",
    "set_brightness": "Sets how bright a light is",
    "set_color": "Sets the color of a light",
    "open_cover": "Opens a blind, a curtain or a door",
    "close_cover": "Closes a blind, a curtain or a door",
    "set_position": "Sets how far a blind or a curtain is open",
    "set_temperature": "Sets how warm it shall be",
    "lock": "Locks a door",
    "unlock": "Unlocks a door",
    "activate_scene": "Activates a scene",
    "get_state": "How a device is",
}
_PERCENT: Parameters = {"percent": {"type": "integer", "minimum": 0, "maximum": 100}}
_PARAMETERS: dict[str, Parameters] = {
    "set_brightness": _PERCENT,
    "set_position": _PERCENT,
    "set_color": {"color": {"type": "string", "enum": list(COLORS)}},
    "set_temperature": {"degrees": {"type": "number", "minimum": 5, "maximum": 35}},
}

_RGB = f"{{% set r, g, b = {COLORS}[color] %}}"
_COLOR = _RGB + '{"state": "ON", "color": {"r": {{ r }}, "g": {{ g }}, "b": {{ b }}}}'


def _brightness(whole: int) -> str:
    """Return the payload for a light whose brightness goes up to this number; at 0 percent it is off."""
    level = f"[1, (percent * {whole} / 100) | round | int] | max"
    on = f'{{"state": "ON", "brightness": {{{{ {level} }}}}}}'
    return "{% if percent %}" + on + '{% else %}{"state": "OFF"}{% endif %}'


def with_defaults(tools: Sequence[Tool], entities: Sequence[Entity]) -> list[Tool]:
    """Return the tools, and after them the default tools that devices need in addition.

    A tool wins over a default of its name for its kinds. If its parameters have other names, there is no default of
    its name at all: a tool means one thing.
    """
    own = {each.name: each for each in tools}
    found = list(tools)
    for kind, protocol in dict.fromkeys((each.kind, each.protocol) for each in entities if each.protocol):
        for default in default_tools(protocol):
            mine = own.get(default.name)
            is_other = mine is not None and (not mine.kinds or mine.parameters.keys() != default.parameters.keys())
            is_needed = kind in default.kinds and (mine is None or kind not in mine.kinds)
            if is_needed and not is_other and default not in found:
                found.append(default)
    return found


def default_tools(protocol: str) -> Iterator[Tool]:
    """Yield the usual tools of the devices of a protocol."""
    yield from {"zigbee2mqtt": _zigbee2mqtt, "homeassistant-mqtt": _homeassistant, "tasmota": _tasmota}[protocol]()


def _tool(name: str, protocol: str, kinds: str, topic: str = "", payload: str = "", state: str = "") -> Tool:
    """Return a default tool of these kinds, separated by spaces."""
    return Tool(
        name,
        _DESCRIPTIONS[name],
        tuple(kinds.split()),
        _PARAMETERS.get(name, {}),
        topic=topic,
        payload=payload,
        state=state,
        protocol=protocol,
    )


def _zigbee2mqtt() -> Iterator[Tool]:
    """Yield the tools of www.zigbee2mqtt.io/guide/usage: mqtt_topics_and_messages, exposes and scenes.

    A fan has `state` or `fan_state`, and a thermostat one of two names for its setpoint: Zigbee2MQTT sets the one that
    the device has, and logs an error about the other.
    """
    payloads = (
        ("turn_on", "light switch", '{"state": "ON"}'),
        ("turn_off", "light switch", '{"state": "OFF"}'),
        ("turn_on", "fan", '{"state": "ON", "fan_state": "ON"}'),
        ("turn_off", "fan", '{"state": "OFF", "fan_state": "OFF"}'),
        ("turn_on", "climate", '{"system_mode": "heat"}'),
        ("turn_off", "climate", '{"system_mode": "off"}'),
        ("set_brightness", "light", _brightness(254)),
        ("set_color", "light", _COLOR),
        ("open_cover", "cover", '{"state": "OPEN"}'),
        ("close_cover", "cover", '{"state": "CLOSE"}'),
        ("set_position", "cover", '{"position": {{ percent }}}'),
        (
            "set_temperature",
            "climate",
            '{"occupied_heating_setpoint": {{ degrees }}, "current_heating_setpoint": {{ degrees }}}',
        ),
        ("lock", "lock", '{"state": "LOCK"}'),
        ("unlock", "lock", '{"state": "UNLOCK"}'),
    )
    for name, kinds, payload in payloads:
        yield _tool(name, "zigbee2mqtt", kinds, "zigbee2mqtt/{{ entity.id }}/set", payload)
    scene = '{"scene_recall": {{ entity.id.rpartition("/")[2] }}}'
    yield _tool("activate_scene", "zigbee2mqtt", "scene", 'zigbee2mqtt/{{ entity.id.rpartition("/")[0] }}/set', scene)
    kinds = "light switch fan cover climate lock sensor"
    yield _tool("get_state", "zigbee2mqtt", kinds, state="zigbee2mqtt/{{ entity.id }}")


_BINARY_CLASSES = [
    "cold", "connectivity", "door", "garage_door", "heat", "light", "lock", "motion", "moving", "occupancy", "opening",
    "plug", "presence", "problem", "running", "safety", "smoke", "sound", "tamper", "update", "vibration", "window",
]  # fmt: skip
"""Classes of binary sensors that no other sensor has."""


def _homeassistant() -> Iterator[Tool]:
    """Yield the tools of www.home-assistant.io/integrations/mqtt and of its pages for each kind of device."""
    base = "homeassistant/{{ entity.kind }}/{{ entity.id }}"
    payloads = (
        ("turn_on", "light", "set", '{"state": "ON"}'),
        ("turn_off", "light", "set", '{"state": "OFF"}'),
        ("turn_on", "switch fan", "set", "ON"),
        ("turn_off", "switch fan", "set", "OFF"),
        ("turn_on", "climate", "mode/set", "heat"),
        ("turn_off", "climate", "mode/set", "off"),
        ("set_brightness", "light", "set", _brightness(255)),
        ("set_color", "light", "set", _COLOR),
        ("open_cover", "cover", "set", "OPEN"),
        ("close_cover", "cover", "set", "CLOSE"),
        ("set_position", "cover", "set_position", "{{ percent }}"),
        ("set_temperature", "climate", "temperature/set", "{{ degrees }}"),
        ("lock", "lock", "set", "LOCK"),
        ("unlock", "lock", "set", "UNLOCK"),
        ("activate_scene", "scene", "set", "ON"),
    )
    for name, kinds, topic, payload in payloads:
        yield _tool(name, "homeassistant-mqtt", kinds, f"{base}/{topic}", payload)
    yield _tool("get_state", "homeassistant-mqtt", "light switch fan cover climate lock", state=f"{base}/state")
    component = f'{{{{ "binary_sensor" if entity.device_class in {_BINARY_CLASSES} else "sensor" }}}}'
    sensor = f"homeassistant/{component}/{{{{ entity.id }}}}/state"
    yield _tool("get_state", "homeassistant-mqtt", "sensor", state=sensor)


def _tasmota() -> Iterator[Tool]:
    """Yield the tools of tasmota.github.io/docs: MQTT, Commands, and Blinds-and-Shutters."""
    commands = (
        ("turn_on", "light switch fan", "POWER", "ON"),
        ("turn_off", "light switch fan", "POWER", "OFF"),
        ("set_brightness", "light", "Dimmer", "{{ percent }}"),
        ("set_color", "light", "Color", _RGB + "{{ r }},{{ g }},{{ b }}"),
        ("open_cover", "cover", "ShutterOpen1", ""),
        ("close_cover", "cover", "ShutterClose1", ""),
        ("set_position", "cover", "ShutterPosition1", "{{ percent }}"),
    )
    for name, kinds, command, payload in commands:
        yield _tool(name, "tasmota", kinds, f"cmnd/{{{{ entity.id }}}}/{command}", payload)
    states = (
        ("light", "stat/{{ entity.id }}/RESULT"),
        ("switch fan", "stat/{{ entity.id }}/POWER"),
        ("cover", "stat/{{ entity.id }}/SHUTTER1"),
        ("sensor", "tele/{{ entity.id }}/SENSOR"),
    )
    for kinds, topic in states:
        yield _tool("get_state", "tasmota", kinds, state=topic)
