"""States of devices in the same words whatever reports them. Pure.

A message of MQTT is a word or a number, a sentence such as "on, 40 percent", or a JSON object with the keys of
Zigbee2MQTT, of Tasmota or of Home Assistant's JSON schema. What Home Assistant's REST API returns is a JSON object too.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from unitd.core.home.colors import name_of_color
from unitd.core.home.devices import Entity
from unitd.core.outcomes import DeviceState

_WORDS: Mapping[str, Mapping[str, str]] = {
    "lock": {"lock": "locked", "unlock": "unlocked"},
    "cover": {"close": "closed"},
}
"""Words of a kind's states, and what they are here; others stay as they are."""

_NO_STATES = ("", "stop", "stopped")
"""States of a cover that do not say whether it is open."""

_OPENINGS = ("door", "window", "garage_door", "opening")
"""Classes of sensors that are on when something is open."""

_STATES = ("state", "power", "power1", "lock_state", "fan_state", "system_mode", "hvac_mode", "mode")
"""Keys of a state, the surest first."""

_ON_WHEN_TRUE = ("occupancy", "presence", "motion", "smoke", "water_leak", "gas", "carbon_monoxide", "vibration")

_LEVEL_OF_KIND = {"light": "brightness", "cover": "position", "media": "volume"}
"""What a bare percentage of a device means."""

_UNITS = {
    "temperature": "°C", "humidity": "%", "illuminance": "lx", "pressure": "hPa", "co2": "ppm", "power": "W",
    "energy": "kWh", "battery": "%",
}  # fmt: skip
"""What sensors measure, in the order in which the value of one with several is chosen, and its unit."""

_ALSO_CALLED = {"carbon_dioxide": "co2", "illuminance_lux": "illuminance", "atmospheric_pressure": "pressure"}

_SENTENCE = re.compile(r"(\w+), (-?[0-9]+(?:\.[0-9]+)?) (percent|degrees)")


def read_message(text: str, entity: Entity | None) -> DeviceState:
    """Return the state that a message on a device's topic reports."""
    kind = entity.kind if entity is not None else ""
    fields = _object(text)
    if fields is None:
        return _read_words(text.strip().strip('"'), entity)
    attributes = _attributes(fields, kind)
    state, unit = _main(fields, entity)
    if kind == "cover" and str(state).lower() in _NO_STATES and "position" in attributes:
        state = "open" if attributes["position"] else "closed"
    if kind == "light" and not state and not attributes.keys().isdisjoint(("brightness", "color")):
        state = "on" if attributes.get("brightness", 1) else "off"
    return DeviceState(_word(state, entity), unit, attributes)


def read_homeassistant(fields: Mapping[str, Any]) -> DeviceState:
    """Return the state that Home Assistant's GET /api/states/ID describes.

    Raises:
        KeyError, TypeError, AttributeError: this is no state.
    """
    known = fields.get("attributes", {})
    attributes = {
        "brightness": _share(known.get("brightness"), 255),
        "position": _number(known.get("current_position")),
        "volume": _share(known.get("volume_level"), 1),
        "temperature": _number(known.get("temperature")),
        "current_temperature": _number(known.get("current_temperature")),
        "color": _color(known.get("rgb_color")),
    }
    unit = str(known.get("unit_of_measurement") or "")
    return DeviceState(str(fields["state"]), unit, {key: each for key, each in attributes.items() if each is not None})


def _object(text: str) -> dict[str, Any] | None:
    """Return a JSON object with its keys in lower case, those of inner objects included; None if it is none."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return dict(_flat(document)) if isinstance(document, dict) else None


def _flat(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of an object after those of the objects in it, which they win over."""
    for key, value in document.items():
        if isinstance(value, dict) and key.lower() != "color":
            yield from ((inner.lower(), each) for inner, each in value.items())
    for key, value in document.items():
        if value is not None:
            yield key.lower(), value


def _read_words(text: str, entity: Entity | None) -> DeviceState:
    """Return the state of a message that is no object."""
    kind = entity.kind if entity is not None else ""
    if found := _SENTENCE.fullmatch(text):
        name = "temperature" if found[3] == "degrees" else _LEVEL_OF_KIND.get(kind)
        return DeviceState(_word(found[1], entity), attributes={name: _number(found[2])} if name else {})
    number = _number(text)
    if kind == "cover" and number is not None:
        return DeviceState("open" if number else "closed", attributes={"position": number})
    unit = _UNITS.get(_measure(entity), "") if number is not None else ""
    return DeviceState(_word(text, entity), unit)


def _main(fields: Mapping[str, Any], entity: Entity | None) -> tuple[Any, str]:
    """Return what an object says in the first place, and its unit; "" if it says nothing that is known."""
    is_sensor = entity is not None and entity.kind == "sensor"
    if not is_sensor:
        return next((fields[key] for key in _STATES if _is_state(key, fields.get(key))), ""), ""
    if _is_state("state", fields.get("state")):
        return fields["state"], _UNITS.get(_measure(entity), "")
    if isinstance(fields.get("contact"), bool):
        return not fields["contact"], ""  # it is true while the contact is closed
    for key in _ON_WHEN_TRUE:
        if isinstance(fields.get(key), bool):
            return fields[key], ""
    for key in (_measure(entity), *_UNITS):
        if key in fields and (number := _number(fields[key])) is not None:
            return number, _UNITS.get(key, "")
    return "", ""


def _measure(entity: Entity | None) -> str:
    device_class = entity.device_class if entity is not None and entity.kind == "sensor" else ""
    return _ALSO_CALLED.get(device_class, device_class)


def _word(state: Any, entity: Entity | None) -> str:
    """Return a state as Home Assistant would have it for a device of this kind."""
    if isinstance(state, bool):
        state = "on" if state else "off"
    word = str(_number(state)) if isinstance(state, float) else str(state)
    word = word.lower() if word.isupper() and word.isalpha() else word
    if entity is None:
        return word
    if entity.kind == "sensor" and entity.device_class in _OPENINGS:
        return {"open": "on", "closed": "off"}.get(word.lower(), word)
    return _WORDS.get(entity.kind, {}).get(word.lower(), word)


def _attributes(fields: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the attributes that an object has, under the names of `DeviceState`."""
    is_climate = kind == "climate"
    found = {
        "brightness": _first(_share(fields.get("brightness"), 254), _number(fields.get("dimmer"))),
        "position": _first(*(_number(fields.get(key)) for key in ("position", "current_position"))),
        "volume": _first(_share(fields.get("volume_level"), 1), _number(fields.get("volume"))),
        "temperature": _first(*(_number(fields.get(key)) for key in _WANTED[: None if is_climate else -1])),
        "current_temperature": _first(*(_number(fields.get(key)) for key in _MEASURED[: -1 if is_climate else None])),
        "color": _color(fields.get("color")),
    }
    if (level := _LEVEL_OF_KIND.get(kind)) and (percent := _number(fields.get("percent"))) is not None:
        found[level] = percent
    return {key: value for key, value in found.items() if value is not None}


_WANTED = ("degrees", "occupied_heating_setpoint", "current_heating_setpoint", "target_temperature", "temperature")
_MEASURED = ("local_temperature", "current_temperature", "temperature")
"""Keys of temperatures; `temperature` alone is the wanted one of a thermostat, and a measured one elsewhere."""


def _is_state(key: str, value: Any) -> bool:
    """Return whether a field has a state; a number is one under the plain name only: `power` may be in watts."""
    return isinstance(value, str) or (key == "state" and isinstance(value, int | float))


def _first(*values: float | None) -> float | None:
    return next((each for each in values if each is not None), None)


def _number(value: Any) -> float | None:
    """Return a number, a whole one without a fraction; None for anything else."""
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number


def _share(value: Any, whole: float) -> float | None:
    """Return a part of a whole in percent."""
    number = _number(value)
    return None if number is None else min(100, round(number * 100 / whole))


def _color(value: Any) -> str | None:
    """Return the name of a color, else its hexadecimal form; None for a color in other terms."""
    if isinstance(value, dict) and "hex" in value:
        value = value["hex"]
    if isinstance(value, dict) and {"r", "g", "b"} <= value.keys():
        value = [value[key] for key in "rgb"]
    return name_of_color(value)
