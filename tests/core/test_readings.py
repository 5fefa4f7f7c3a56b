"""Covers unitd.core.home.readings and unitd.core.home.colors."""

from typing import Any

import orjson
import pytest

from unitd.core.home.colors import name_of_color
from unitd.core.home.devices import Entity
from unitd.core.home.readings import read_homeassistant, read_message
from unitd.core.outcomes import DeviceState


def a(kind: str, device_class: str = "") -> Entity:
    """A device of this kind."""
    return Entity("it", kind, id="it", device_class=device_class)


@pytest.mark.parametrize(
    ("text", "entity", "known"),
    [
        ("ON", a("light"), DeviceState("on")),
        ("on, 40 percent", a("light"), DeviceState("on", attributes={"brightness": 40})),
        ("open, 30 percent", a("cover"), DeviceState("open", attributes={"position": 30})),
        ("on, 21.5 degrees", a("climate"), DeviceState("on", attributes={"temperature": 21.5})),
        ("on, 40 percent", a("switch"), DeviceState("on")),
        ("LOCK", a("lock"), DeviceState("locked")),
        ("CLOSE", a("cover"), DeviceState("closed")),
        ("0", a("cover"), DeviceState("closed", attributes={"position": 0})),
        ("21.50", a("sensor", "temperature"), DeviceState("21.50", "°C")),
        ("rain", None, DeviceState("rain")),
        ("DEL 7", a("sensor"), DeviceState("DEL 7")),
        ('"heat"', a("climate"), DeviceState("heat")),
        ("open", a("sensor", "window"), DeviceState("on")),
        ("closed", a("sensor", "door"), DeviceState("off")),
        ("厨房", a("sensor"), DeviceState("厨房")),
        ("", a("light"), DeviceState("")),
    ],
)
def test_a_word_or_a_number_is_a_state(text: str, entity: Entity | None, known: DeviceState) -> None:
    """Also in the sentence of the devices in examples/home; openings are on when they are open."""
    assert read_message(text, entity) == known


@pytest.mark.parametrize(
    ("fields", "entity", "known"),
    [
        ({"state": "on", "percent": 40}, a("light"), DeviceState("on", attributes={"brightness": 40})),
        ({"state": "on", "degrees": 21}, a("climate"), DeviceState("on", attributes={"temperature": 21})),
        ({"state": "ON", "brightness": 254}, a("light"), DeviceState("on", attributes={"brightness": 100})),
        ({"state": "ON", "brightness": 255}, a("light"), DeviceState("on", attributes={"brightness": 100})),
        ({"brightness": 0}, a("light"), DeviceState("off", attributes={"brightness": 0})),
        ({"Color": "FF0000"}, a("light"), DeviceState("on", attributes={"color": "red"})),
        ({"brightness": 64}, a("light"), DeviceState("on", attributes={"brightness": 25})),
        ({"position": 40}, a("cover"), DeviceState("open", attributes={"position": 40})),
        ({"state": "stopped", "position": 0}, a("cover"), DeviceState("closed", attributes={"position": 0})),
        ({"Shutter1": {"Position": 7}}, a("cover"), DeviceState("open", attributes={"position": 7})),
        (
            {"mode": "heat", "temperature": 21, "current_temperature": 19.5}, a("climate"),
            DeviceState("heat", attributes={"temperature": 21, "current_temperature": 19.5}),
        ),
        (
            {"system_mode": None, "occupied_heating_setpoint": 20, "local_temperature": 18}, a("climate"),
            DeviceState("", attributes={"temperature": 20, "current_temperature": 18}),
        ),
        ({"state": "UNLOCK", "lock_state": "unlocked"}, a("lock"), DeviceState("unlocked")),
        ({"state": "ON", "power": 12.5}, a("switch"), DeviceState("on")),
        ({"power": 12.5}, a("switch"), DeviceState("")),
        ({"state": True}, a("switch"), DeviceState("on")),
        ({"state": "playing", "volume_level": 0.3}, a("media"), DeviceState("playing", attributes={"volume": 30})),
        ({"contact": True, "battery": 97}, a("sensor", "door"), DeviceState("off")),
        ({"contact": False}, a("sensor"), DeviceState("on")),
        ({"occupancy": True, "illuminance": 5}, a("sensor"), DeviceState("on")),
        ({"temperature": 21.5, "humidity": 40}, a("sensor", "humidity"),
         DeviceState("40", "%", {"current_temperature": 21.5})),
        ({"state": "ON", "color": {"hex": "#FF0000"}}, a("light"), DeviceState("on", attributes={"color": "red"})),
        ({"state": "ON", "color": {"r": 1, "g": 2, "b": 3}}, a("light"),
         DeviceState("on", attributes={"color": "#010203"})),
        ({"POWER": "ON", "Color": "FFFF0000"}, a("light"), DeviceState("on", attributes={"color": "yellow"})),
        ({}, a("light"), DeviceState("")),
        ({"state": ["on"], "brightness": "bright", "percent": {}}, a("light"), DeviceState("")),
    ],
)  # fmt: skip
def test_an_object_has_state_and_attributes(fields: dict[str, Any], entity: Entity, known: DeviceState) -> None:
    """Read the payloads of unitd's examples, Zigbee2MQTT, Tasmota and Home Assistant's schema alike."""
    assert read_message(orjson.dumps(fields).decode(), entity) == known


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "{" + '"a":{' * 50_000, "9" * 10_000, "NaN", "1e999", '{"state": 1e999}']
)
def test_nonsense_is_a_word(text: str) -> None:
    """Anybody may write on a topic."""
    assert isinstance(read_message(text, a("light")).state, str)


@pytest.mark.parametrize(
    ("fields", "known"),
    [
        (
            {"state": "on", "attributes": {"brightness": 128, "rgb_color": [255, 0, 0]}},
            DeviceState("on", attributes={"brightness": 50, "color": "red"}),
        ),
        ({"state": "open", "attributes": {"current_position": 40}}, DeviceState("open", attributes={"position": 40})),
        ({"state": "playing", "attributes": {"volume_level": 0.25}}, DeviceState("playing", attributes={"volume": 25})),
        (
            {"state": "heat", "attributes": {"temperature": 21.0, "current_temperature": 19.5}},
            DeviceState("heat", attributes={"temperature": 21, "current_temperature": 19.5}),
        ),
        ({"state": "21.5", "attributes": {"unit_of_measurement": "°C"}}, DeviceState("21.5", "°C")),
        ({"state": "off", "attributes": {"brightness": None, "rgb_color": None}}, DeviceState("off")),
        ({"state": "off"}, DeviceState("off")),
    ],
)
def test_home_assistant_s_state_has_the_same_attributes(fields: dict[str, Any], known: DeviceState) -> None:
    """In percent, not up to 255 or 1."""
    assert read_homeassistant(fields) == known


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("red", "red"),
        ("Warm White", "warm white"),
        ("#ff0000", "red"),
        ("0,0,255", "blue"),
        ([64, 224, 208], "turquoise"),
        ([1, 2, 3], "#010203"),
        ("0000000080", None),
        ([300, 0, 0], None),
        ("300,0,0", None),
        ([1, 2], None),
        ([1.5, 2, 3], None),
        ("?", None),
        ("", None),
        (5, None),
        (None, None),
    ],
)
def test_a_color_has_a_name_or_digits(value: Any, name: str | None) -> None:
    """Black and what is no color have neither."""
    assert name_of_color(value) == name
