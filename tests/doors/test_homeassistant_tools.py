"""Covers unitd.core.home.services, by a toolbox: what devices of Home Assistant can do without a [[tool]]."""

from typing import Any

import pytest

from tests.support.home.toolboxes import MakeToolbox, results_of
from tests.support.servers.assistant_server import AssistantServer, State
from unitd.core.config.schema import HomeSettings
from unitd.core.home.devices import KINDS
from unitd.core.home.services import service_tools
from unitd.core.home.usual_tools import USUAL
from unitd.core.outcomes import DeviceState, Reason
from unitd.doors.chat_session import home_tools
from unitd.doors.home.toolbox import HomeToolbox

DOMAINS = (
    "light", "switch", "fan", "cover", "climate", "media_player", "lock", "scene", "script", "sensor", "binary_sensor",
)  # fmt: skip
ALL_FEATURES = (1 << 24) - 1


async def home_of(make_toolbox: MakeToolbox, assistant: AssistantServer, *devices: State) -> HomeToolbox:
    """The tools of a board whose configuration names Home Assistant and has no tools of its own."""
    assistant.entities = list(devices)
    assistant.states = {each.entity_id: {"state": "on", "attributes": each.attributes} for each in devices}
    tools: HomeToolbox = await make_toolbox(tools="", assistant=assistant, domains=DOMAINS)
    assistant.calls.clear()
    return tools


async def usable_by(tools: HomeToolbox) -> dict[str, set[str]]:
    """The names of the tools that each device can be called with."""
    found: dict[str, set[str]] = {}
    for tool in await tools.listing():
        for name in tool["entities"]:
            found.setdefault(name, set()).add(tool["name"])
    return found


@pytest.mark.parametrize(
    ("entity", "tool", "arguments", "service", "fields"),
    [
        ("light.it", "turn_on", {}, "light/turn_on", {}),
        ("light.it", "turn_off", {}, "light/turn_off", {}),
        ("light.it", "set_brightness", {"percent": 30}, "light/turn_on", {"brightness_pct": 30}),
        ("light.it", "set_color", {"color": "red"}, "light/turn_on", {"color_name": "red"}),
        ("switch.it", "turn_on", {}, "switch/turn_on", {}),
        ("fan.it", "turn_off", {}, "fan/turn_off", {}),
        ("cover.it", "open_cover", {}, "cover/open_cover", {}),
        ("cover.it", "close_cover", {}, "cover/close_cover", {}),
        ("cover.it", "set_position", {"percent": 40}, "cover/set_cover_position", {"position": 40}),
        ("climate.it", "turn_on", {}, "climate/turn_on", {}),
        ("climate.it", "set_temperature", {"degrees": 21.5}, "climate/set_temperature", {"temperature": 21.5}),
        ("media_player.it", "turn_off", {}, "media_player/turn_off", {}),
        ("media_player.it", "set_volume", {"percent": 35}, "media_player/volume_set", {"volume_level": 0.35}),
        ("media_player.it", "pause_media", {}, "media_player/media_pause", {}),
        (
            "media_player.it", "play_media", {"media": 'the "Blue" album'}, "media_player/play_media",
            {"media_content_id": 'the "Blue" album', "media_content_type": "music"},
        ),
        ("lock.it", "lock", {}, "lock/lock", {}),
        ("lock.it", "unlock", {}, "lock/unlock", {}),
        ("scene.it", "activate_scene", {}, "scene/turn_on", {}),
        ("script.it", "activate_scene", {}, "script/turn_on", {}),
    ],
)  # fmt: skip
async def test_a_device_is_switched_by_a_service_of_its_domain(
    make_toolbox: MakeToolbox,
    assistant: AssistantServer,
    entity: str,
    tool: str,
    arguments: dict[str, Any],
    service: str,
    fields: dict[str, Any],
) -> None:
    """With the fields that Home Assistant's documentation has for it, after a look whether the device is there."""
    device = State(entity, "it", supported_features=ALL_FEATURES, supported_color_modes=["hs"])
    tools = await home_of(make_toolbox, assistant, device)

    outcome = await tools.do({"id": "1", "name": tool, "arguments": {"entity": "it", **arguments}})

    assert outcome.is_done, outcome.text
    assert assistant.calls == [
        (f"/api/states/{entity}", None),
        (f"/api/services/{service}", {"entity_id": entity, **fields}),
    ]


async def test_a_device_is_asked_for_its_state(make_toolbox: MakeToolbox, assistant: AssistantServer) -> None:
    """With its attributes, in percent."""
    tools = await home_of(make_toolbox, assistant, State("light.it", "it", brightness=128))

    outcome = await tools.do({"id": "1", "name": "get_state", "arguments": {"entity": "it"}})

    assert (outcome.text, outcome.state) == (
        "The it is on, 50 percent.",
        DeviceState("on", attributes={"brightness": 50}),
    )


@pytest.mark.parametrize(
    ("device", "usable"),
    [
        (State("light.it", "it"), "turn_on turn_off get_state"),
        (State("light.it", "it", supported_color_modes=["onoff"]), "turn_on turn_off get_state"),
        (State("light.it", "it", supported_color_modes=["color_temp"]), "turn_on turn_off set_brightness get_state"),
        (
            State("light.it", "it", supported_color_modes=["color_temp", "xy"]),
            "turn_on turn_off set_brightness set_color get_state",
        ),
        (State("cover.it", "it", supported_features=3), "open_cover close_cover get_state"),
        (State("cover.it", "it", supported_features=15), "open_cover close_cover set_position get_state"),
        (State("cover.it", "it", supported_features=240), "get_state"),
        (State("fan.it", "it", supported_features=1), "get_state"),
        (State("fan.it", "it", supported_features=49), "turn_on turn_off get_state"),
        (State("climate.it", "it", supported_features=2), "get_state"),
        (State("climate.it", "it", supported_features=385), "turn_on turn_off set_temperature get_state"),
        (State("media_player.it", "it", supported_features=5), "pause_media set_volume get_state"),
        (State("media_player.it", "it", supported_features=896), "turn_on turn_off play_media get_state"),
        (State("lock.it", "it", supported_features=0), "lock unlock get_state"),
        (State("script.it", "it"), "activate_scene"),
        (State("sensor.it", "it"), "get_state"),
    ],
)
async def test_a_device_has_the_tools_that_it_supports(
    make_toolbox: MakeToolbox, assistant: AssistantServer, device: State, usable: str
) -> None:
    """By its features and color modes."""
    tools = await home_of(make_toolbox, assistant, device)

    assert await usable_by(tools) == {"it": set(usable.split())}


async def test_a_tool_is_not_used_with_a_device_that_does_not_support_it(
    make_toolbox: MakeToolbox, assistant: AssistantServer
) -> None:
    """A model may write it; nothing is sent."""
    tools = await home_of(
        make_toolbox,
        assistant,
        State("light.plain", "plain lamp", supported_color_modes=["onoff"]),
        State("light.colored", "colored lamp", supported_color_modes=["hs"]),
    )

    results = await results_of(tools, ("set_color", {"entity": "plain lamp", "color": "red"}))

    assert results == ["There is no plain lamp here."]
    assert assistant.calls == []


async def test_two_devices_of_one_name_have_their_own_tools(
    make_toolbox: MakeToolbox, assistant: AssistantServer
) -> None:
    """The program that understands sentences knows them by their ids."""
    tools = await home_of(
        make_toolbox,
        assistant,
        State("light.desk", "desk lamp", "study", supported_color_modes=["onoff"]),
        State("light.desk_2", "desk lamp", "hall", supported_color_modes=["hs"]),
    )

    entities = {each["name"]: each["entities"] for each in tools.home.as_data()["tools"]}

    assert entities["turn_on"] is None
    assert entities["set_color"] == ["light.desk_2"]


async def test_a_device_that_is_unavailable_is_not_switched(
    make_toolbox: MakeToolbox, assistant: AssistantServer
) -> None:
    """Home Assistant would report success."""
    tools = await home_of(make_toolbox, assistant, State("switch.it", "it"))
    assistant.states["switch.it"] = {"state": "unavailable", "attributes": {}}

    outcome = await tools.do({"id": "1", "name": "turn_on", "arguments": {"entity": "it"}})

    assert (outcome.is_done, outcome.reason) == (False, Reason.UNAVAILABLE)
    assert [path for path, _ in assistant.calls] == ["/api/states/switch.it"]


async def test_a_home_in_fahrenheit_has_its_temperatures(make_toolbox: MakeToolbox, assistant: AssistantServer) -> None:
    """Home Assistant takes the unit that it shows."""
    assistant.config = '{"state": "RUNNING", "unit_system": {"temperature": "°F"}}'.encode()
    tools = await home_of(make_toolbox, assistant, State("climate.it", "it", supported_features=1))

    results = await results_of(
        tools,
        ("set_temperature", {"entity": "it", "degrees": 70}),
        ("set_temperature", {"entity": "it", "degrees": 20}),
    )

    assert results == ["The it is set to 70 degrees.", "The it takes 41 to 95 degrees."]


LOCK_ONLY = """
[[tool]]
name = "lock"
kinds = ["lock"]
service = "lock.lock"
data = '{"entity_id": "{{ entity.id }}"}'
confirmation = "Locked for the night."
"""


async def test_a_tool_of_the_file_is_all_that_its_kind_can_do(
    make_toolbox: MakeToolbox, assistant: AssistantServer, caplog: pytest.LogCaptureFixture
) -> None:
    """A file that can only lock does not come to unlock with a new version; other kinds have the usual tools."""
    assistant.entities = [State("lock.door", "front door"), State("switch.it", "it")]
    assistant.states = {"lock.door": {"state": "unlocked"}}

    tools = await make_toolbox(tools=LOCK_ONLY, assistant=assistant, domains=DOMAINS)
    results = await results_of(tools, ("lock", {"entity": "front door"}), ("unlock", {"entity": "front door"}))

    assert results == ["Locked for the night.", "There is no tool unlock."]
    assert await usable_by(tools) == {"front door": {"lock"}, "it": {"turn_on", "turn_off", "get_state"}}
    assert "these kinds of Home Assistant's devices have the tools of the file alone: lock" in caplog.text


async def test_tools_of_another_purpose_leave_the_usual_ones(
    make_toolbox: MakeToolbox, assistant: AssistantServer
) -> None:
    """A file may add something that unitd does not have."""
    own = "[[tool]]\nname = 'toggle'\nkinds = ['switch']\nservice = 'switch.toggle'"
    assistant.entities = [State("switch.it", "it")]

    tools = await make_toolbox(tools=own, assistant=assistant, domains=DOMAINS)

    assert await usable_by(tools) == {"it": {"toggle", "turn_on", "turn_off", "get_state"}}


def test_the_usual_tools_are_as_the_model_has_learned_them() -> None:
    """Every one of them is there, each kind has it once."""
    tools = list(service_tools())

    for kind in KINDS:
        names = [each.name for each in tools if kind in each.kinds]
        assert len(names) == len(set(names))
    assert all(each.description for each in tools)
    assert {each.name for each in tools} == set(USUAL)


def test_doors_use_these_tools_without_a_file() -> None:
    """Assist and barge-in inference set tasks up by themselves."""
    url = "http://homeassistant.local:8123"

    assert home_tools(HomeSettings(homeassistant_url=url, domains=("light",))) == {"tools": "home"}
    assert home_tools(HomeSettings(homeassistant_url=url)) == {}
