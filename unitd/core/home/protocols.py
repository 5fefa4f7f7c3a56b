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
from collections.abc import Callable, Iterable, Iterator, Sequence

from unitd.core.home.colors import COLORS
from unitd.core.home.devices import Entity
from unitd.core.home.tools import Tool
from unitd.core.home.usual_tools import usual_tool

PROTOCOLS = ("zigbee2mqtt", "homeassistant-mqtt", "tasmota")

SCENE_ID = re.compile(r".+/[0-9]+")
"""The id of a scene of Zigbee2MQTT: a group or a device, and a number."""

_RGB = f"{{% set r, g, b = {COLORS}[color] %}}"
_COLOR = _RGB + '{"state": "ON", "color": {"r": {{ r }}, "g": {{ g }}, "b": {{ b }}}}'


def _brightness(whole: int) -> str:
    """Return the payload for a light whose brightness goes up to this number; at 0 percent it is off."""
    level = f"[1, (percent * {whole} / 100) | round | int] | max"
    on = f'{{"state": "ON", "brightness": {{{{ {level} }}}}}}'
    return "{% if percent %}" + on + '{% else %}{"state": "OFF"}{% endif %}'


def default_tools(protocol: str) -> Iterator[Tool]:
    """Yield the usual tools of the devices of a protocol."""
    yield from {"zigbee2mqtt": _zigbee2mqtt, "homeassistant-mqtt": _homeassistant, "tasmota": _tasmota}[protocol]()


def with_defaults(
    tools: Sequence[Tool], entities: Sequence[Entity], defaults: Callable[[str], Iterable[Tool]] = default_tools
) -> list[Tool]:
    """Return the tools, and after them the default tools of their protocols that devices need in addition.

    A tool of the file wins over a default of its name for its kinds. If its parameters have other names, there is no
    default of its name at all: a tool means one thing.
    """
    own = {each.name: each for each in tools if not each.protocol}
    found = list(tools)
    for kind, protocol in dict.fromkeys((each.kind, each.protocol) for each in entities if each.protocol):
        for default in defaults(protocol):
            mine = own.get(default.name)
            is_other = mine is not None and (not mine.kinds or mine.parameters.keys() != default.parameters.keys())
            is_needed = kind in default.kinds and (mine is None or kind not in mine.kinds)
            if is_needed and not is_other and default not in found:
                found.append(default)
    return found


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
        yield usual_tool(name, "zigbee2mqtt", kinds, topic="zigbee2mqtt/{{ entity.id }}/set", payload=payload)
    scene = '{"scene_recall": {{ entity.id.rpartition("/")[2] }}}'
    group = 'zigbee2mqtt/{{ entity.id.rpartition("/")[0] }}/set'
    yield usual_tool("activate_scene", "zigbee2mqtt", "scene", topic=group, payload=scene)
    kinds = "light switch fan cover climate lock sensor"
    yield usual_tool("get_state", "zigbee2mqtt", kinds, state="zigbee2mqtt/{{ entity.id }}")


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
        yield usual_tool(name, "homeassistant-mqtt", kinds, topic=f"{base}/{topic}", payload=payload)
    yield usual_tool("get_state", "homeassistant-mqtt", "light switch fan cover climate lock", state=f"{base}/state")
    component = f'{{{{ "binary_sensor" if entity.device_class in {_BINARY_CLASSES} else "sensor" }}}}'
    sensor = f"homeassistant/{component}/{{{{ entity.id }}}}/state"
    yield usual_tool("get_state", "homeassistant-mqtt", "sensor", state=sensor)


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
        yield usual_tool(name, "tasmota", kinds, topic=f"cmnd/{{{{ entity.id }}}}/{command}", payload=payload)
    states = (
        ("light", "stat/{{ entity.id }}/RESULT"),
        ("switch fan", "stat/{{ entity.id }}/POWER"),
        ("cover", "stat/{{ entity.id }}/SHUTTER1"),
        ("sensor", "tele/{{ entity.id }}/SENSOR"),
    )
    for kinds, topic in states:
        yield usual_tool("get_state", "tasmota", kinds, state=topic)
