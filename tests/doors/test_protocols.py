"""Covers unitd.core.home.protocols, by a toolbox: what devices without a [[tool]] are sent, and what they report."""

from typing import Any

import orjson
import pytest

from tests.support.home.toolboxes import MakeToolbox, Wire, results_of
from unitd.core.home.devices import KINDS, Entity
from unitd.core.home.protocols import PROTOCOLS, default_tools, with_defaults
from unitd.core.home.tools import Tool
from unitd.core.home.usual_tools import USUAL


def device(kind: str, name: str = "it", more: str = "") -> str:
    """Three lines of a tools.toml."""
    return f'[[entity]]\nname = "{name}"\nkind = "{kind}"\n{more}\n'


async def sent(make_toolbox: MakeToolbox, tools: str, name: str, **arguments: Any) -> tuple[str, str]:
    """Topic and payload of a call for the device of the name "it"."""
    wire = Wire()
    toolbox = await make_toolbox(tools=tools, mqtt=wire)
    await results_of(toolbox, (name, {"entity": "it", **arguments}))
    ((topic, payload),) = wire.commands
    return topic, payload.decode()


@pytest.mark.parametrize(
    ("kind", "tool", "arguments", "payload"),
    [
        ("light", "turn_on", {}, {"state": "ON"}),
        ("switch", "turn_off", {}, {"state": "OFF"}),
        ("fan", "turn_on", {}, {"state": "ON", "fan_state": "ON"}),
        ("climate", "turn_on", {}, {"system_mode": "heat"}),
        ("climate", "turn_off", {}, {"system_mode": "off"}),
        ("light", "set_brightness", {"percent": 50}, {"state": "ON", "brightness": 127}),
        ("light", "set_brightness", {"percent": 0}, {"state": "OFF"}),
        ("light", "set_color", {"color": "orange"}, {"state": "ON", "color": {"r": 255, "g": 165, "b": 0}}),
        ("cover", "open_cover", {}, {"state": "OPEN"}),
        ("cover", "close_cover", {}, {"state": "CLOSE"}),
        ("cover", "set_position", {"percent": 30}, {"position": 30}),
        (
            "climate",
            "set_temperature",
            {"degrees": 21.5},
            {"occupied_heating_setpoint": 21.5, "current_heating_setpoint": 21.5},
        ),
        ("lock", "lock", {}, {"state": "LOCK"}),
        ("lock", "unlock", {}, {"state": "UNLOCK"}),
    ],
)
async def test_a_device_of_zigbee2mqtt_gets_a_json_object(
    make_toolbox: MakeToolbox, kind: str, tool: str, arguments: dict[str, Any], payload: dict[str, Any]
) -> None:
    """On /set below its friendly name, which may have folders."""
    file = device(kind, more='id = "kitchen/it"\nprotocol = "zigbee2mqtt"')

    topic, text = await sent(make_toolbox, file, tool, **arguments)

    assert (topic, orjson.loads(text)) == ("zigbee2mqtt/kitchen/it/set", payload)


async def test_a_scene_of_zigbee2mqtt_is_recalled_by_its_number(make_toolbox: MakeToolbox) -> None:
    """The group is told; its name may have folders."""
    file = device("scene", more='id = "down/living_room/3"\nprotocol = "zigbee2mqtt"')

    topic, text = await sent(make_toolbox, file, "activate_scene")

    assert (topic, orjson.loads(text)) == ("zigbee2mqtt/down/living_room/set", {"scene_recall": 3})


@pytest.mark.parametrize(
    ("kind", "tool", "arguments", "topic", "payload"),
    [
        ("light", "turn_on", {}, "light/it/set", '{"state": "ON"}'),
        ("switch", "turn_off", {}, "switch/it/set", "OFF"),
        ("fan", "turn_on", {}, "fan/it/set", "ON"),
        ("light", "set_brightness", {"percent": 1}, "light/it/set", '{"state": "ON", "brightness": 3}'),
        ("light", "set_brightness", {"percent": 100}, "light/it/set", '{"state": "ON", "brightness": 255}'),
        (
            "light", "set_color", {"color": "red"},
            "light/it/set", '{"state": "ON", "color": {"r": 255, "g": 0, "b": 0}}',
        ),
        ("cover", "open_cover", {}, "cover/it/set", "OPEN"),
        ("cover", "close_cover", {}, "cover/it/set", "CLOSE"),
        ("cover", "set_position", {"percent": 30}, "cover/it/set_position", "30"),
        ("climate", "turn_off", {}, "climate/it/mode/set", "off"),
        ("climate", "set_temperature", {"degrees": 20}, "climate/it/temperature/set", "20"),
        ("lock", "lock", {}, "lock/it/set", "LOCK"),
        ("lock", "unlock", {}, "lock/it/set", "UNLOCK"),
        ("scene", "activate_scene", {}, "scene/it/set", "ON"),
    ],
)  # fmt: skip
async def test_a_device_of_home_assistant_s_convention_has_its_own_topics(
    make_toolbox: MakeToolbox, kind: str, tool: str, arguments: dict[str, Any], topic: str, payload: str
) -> None:
    """As in the examples of the documentation of its MQTT discovery; the protocol of all devices is said once."""
    file = 'protocol = "homeassistant-mqtt"\n' + device(kind)

    assert await sent(make_toolbox, file, tool, **arguments) == (f"homeassistant/{topic}", payload)


@pytest.mark.parametrize(
    ("kind", "tool", "arguments", "command", "payload"),
    [
        ("light", "turn_on", {}, "POWER", "ON"),
        ("switch", "turn_off", {}, "POWER", "OFF"),
        ("light", "set_brightness", {"percent": 40}, "Dimmer", "40"),
        ("light", "set_color", {"color": "blue"}, "Color", "0,0,255"),
        ("cover", "open_cover", {}, "ShutterOpen1", ""),
        ("cover", "close_cover", {}, "ShutterClose1", ""),
        ("cover", "set_position", {"percent": 30}, "ShutterPosition1", "30"),
    ],
)
async def test_a_device_of_tasmota_gets_a_command(
    make_toolbox: MakeToolbox, kind: str, tool: str, arguments: dict[str, Any], command: str, payload: str
) -> None:
    """On cmnd/, below the topic that it has in Tasmota."""
    file = device(kind, more='protocol = "tasmota"')

    assert await sent(make_toolbox, file, tool, **arguments) == (f"cmnd/it/{command}", payload)


@pytest.mark.parametrize(
    ("file", "topic", "message", "said", "attributes"),
    [
        (
            device("light", more='protocol = "zigbee2mqtt"'), "zigbee2mqtt/it",
            {"state": "ON", "brightness": 127, "color": {"x": 0.4, "y": 0.3}},
            "It is on, 50 percent.", {"brightness": 50},
        ),
        (
            device("climate", more='protocol = "zigbee2mqtt"'), "zigbee2mqtt/it",
            {"local_temperature": 19.5, "current_heating_setpoint": 21, "system_mode": "heat"}, "It is heat.",
            {"temperature": 21, "current_temperature": 19.5},
        ),
        (
            device("sensor", more='protocol = "zigbee2mqtt"'), "zigbee2mqtt/it",
            {"temperature": 21.5, "humidity": 40}, "It is at 21.5 °C.", {"current_temperature": 21.5},
        ),
        (device("fan", more='protocol = "tasmota"'), "stat/it/POWER", "OFF", "It is off.", {}),
        (
            device("light", more='protocol = "tasmota"'), "stat/it/RESULT", {"POWER": "ON", "Dimmer": 30},
            "It is on, 30 percent.", {"brightness": 30},
        ),
        (
            device("cover", more='protocol = "tasmota"'), "stat/it/SHUTTER1", "30",
            "It is open, 30 percent.", {"position": 30},
        ),
        (
            device("sensor", more='protocol = "tasmota"'), "tele/it/SENSOR",
            {"Time": "2026-11-22T10:00:00", "DS18B20": {"Temperature": 20.6}, "TempUnit": "C"}, "It is at 20.6 °C.",
            {"current_temperature": 20.6},
        ),
        (
            device("lock", more='protocol = "homeassistant-mqtt"'), "homeassistant/lock/it/state", "LOCKED",
            "It is locked.", {},
        ),
        (
            device("sensor", more='device_class = "window"\nprotocol = "homeassistant-mqtt"'),
            "homeassistant/binary_sensor/it/state", "ON", "It is on.", {},
        ),
        (
            device("sensor", more='device_class = "humidity"\nprotocol = "homeassistant-mqtt"'),
            "homeassistant/sensor/it/state", "40", "It is at 40 %.", {},
        ),
    ],
)  # fmt: skip
async def test_a_device_is_asked_where_its_protocol_reports(
    make_toolbox: MakeToolbox, file: str, topic: str, message: Any, said: str, attributes: dict[str, Any]
) -> None:
    """The topic is followed from the start; it is said in words, whatever object the device sends."""
    value = message.encode() if isinstance(message, str) else orjson.dumps(message)
    toolbox = await make_toolbox(tools=file, mqtt=Wire({topic: value}))

    outcome = await toolbox.do({"id": "1", "name": "get_state", "arguments": {"entity": "it"}})

    assert toolbox.state_topics == [topic]
    assert outcome.is_done
    assert (outcome.text.replace("The it", "It"), outcome.state.attributes) == (said, attributes)


async def test_a_message_that_says_nothing_known_is_no_state(make_toolbox: MakeToolbox) -> None:
    """Tasmota reports the results of all commands on one topic."""
    wire = Wire({"stat/it/RESULT": b'{"TelePeriod": 300}'})
    toolbox = await make_toolbox(tools=device("light", more='protocol = "tasmota"'), mqtt=wire)

    assert await results_of(toolbox, ("get_state", {"entity": "it"})) == [
        "That did not work for the it: the device does not respond."
    ]


async def test_devices_of_several_protocols_share_a_tool(make_toolbox: MakeToolbox) -> None:
    """For a model it is one tool; each device gets what it understands."""
    wire = Wire()
    file = (
        'protocol = "zigbee2mqtt"\n'
        + device("light", "desk lamp")
        + device("light", "lantern", 'protocol = "tasmota"')
        + device("media", "radio")
    )
    toolbox = await make_toolbox(tools=file, mqtt=wire)

    results = await results_of(toolbox, *(("turn_on", {"entity": each}) for each in ("desk lamp", "lantern", "radio")))

    assert results == ["The desk lamp is on.", "The lantern is on.", "There is no radio here."]
    assert [topic for topic, _ in wire.commands] == ["zigbee2mqtt/desk_lamp/set", "cmnd/lantern/POWER"]
    assert {each["name"]: each["entities"] for each in await toolbox.listing()}["turn_on"] == ["desk lamp", "lantern"]


async def test_a_tool_of_the_file_wins_for_its_kinds(make_toolbox: MakeToolbox) -> None:
    """The other kinds keep the usual tool."""
    wire = Wire()
    own = '[[tool]]\nname = "turn_on"\nkinds = ["light"]\ntopic = "own/{{ entity.id }}"\n'
    file = 'protocol = "tasmota"\n' + device("light", "lamp") + device("switch", "plug") + own
    toolbox = await make_toolbox(tools=file, mqtt=wire)

    await results_of(toolbox, ("turn_on", {"entity": "lamp"}), ("turn_on", {"entity": "plug"}))

    assert [topic for topic, _ in wire.commands] == ["own/lamp", "cmnd/plug/POWER"]


@pytest.mark.parametrize("own", [Tool("turn_on"), Tool("turn_on", kinds=("fan",), parameters={"speed": {}})])
def test_a_tool_that_means_something_else_has_no_default_beside_it(own: Tool) -> None:
    """One name is one thing for a model."""
    lamp = Entity("lamp", "light", protocol="tasmota")

    assert "turn_on" not in [each.name for each in with_defaults([own], [lamp])[1:]]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_usual_tools_are_as_the_model_has_learned_them(protocol: str) -> None:
    """Each kind has a tool of a name once, and all names are known."""
    tools = list(default_tools(protocol))

    for kind in KINDS:
        names = [each.name for each in tools if kind in each.kinds]
        assert len(names) == len(set(names))
    assert all(each.description and each.kinds and each.protocol == protocol for each in tools)
    assert {each.name for each in tools} <= set(USUAL)
