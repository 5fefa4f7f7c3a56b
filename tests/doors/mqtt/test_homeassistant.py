"""Covers unitd.doors.mqtt.homeassistant: payloads as Home Assistant's documentation of MQTT discovery has them."""

from typing import Any

import orjson
import pytest

from tests.doors.mqtt.brokers import Broker, Listener, listening
from tests.helpers import KWS_SETUP, LLM_SETUP
from unitd.app import App
from unitd.doors.mqtt.homeassistant import KEPT_GONE, Board, discovery, known_after, platforms_in

# From the documentation of each platform (device-based discovery, release 2024.11): what it needs, what it knows.
COMMON = {
    "platform", "name", "unique_id", "availability", "availability_mode", "availability_topic", "device_class",
    "enabled_by_default", "entity_category", "icon", "json_attributes_template", "json_attributes_topic", "qos",
}  # fmt: skip
REQUIRED = {
    "sensor": {"state_topic"},
    "text": {"command_topic"},
    "switch": {"command_topic"},
    "button": {"command_topic"},
    "event": {"state_topic", "event_types"},
    "notify": {"command_topic"},
}
OPTIONAL = {
    "sensor": {"value_template", "unit_of_measurement", "state_class", "expire_after", "force_update", "options"},
    "text": {"command_template", "max", "min", "mode", "pattern", "retain", "state_topic", "value_template"},
    "switch": {
        "command_template", "optimistic", "payload_off", "payload_on", "retain", "state_off", "state_on",
        "state_topic", "value_template",
    },
    "button": {"command_template", "payload_press", "retain"},
    "event": {"value_template"},
    "notify": {"command_template", "retain"},
}  # fmt: skip
UNITS_OF_CLASS = {"temperature": {"°C", "°F", "K"}, "duration": {"d", "h", "min", "s", "ms"}}

BOARD = Board("kitchen shelf", "unitd/kitchen shelf", "homeassistant", "1.2.3")
ENTRIES = [
    {"work_id": f"{unit}.{number}", "unit": unit, "state": "idle"}
    for number, unit in enumerate(("llm", "kws", "asr", "whisper", "vad", "tts", "melotts"), 1000)
]


def mistakes_in(component: dict[str, Any]) -> list[str]:
    """What Home Assistant would refuse in one component."""
    platform = component.get("platform", "")
    if set(component) == {"platform"}:
        return []  # it is taken back
    missing = (REQUIRED[platform] | {"platform", "unique_id"}) - set(component)
    unknown = set(component) - REQUIRED[platform] - OPTIONAL[platform] - COMMON
    wrong = [f"missing {each}" for each in missing] + [f"unknown {each}" for each in unknown]
    units = UNITS_OF_CLASS.get(component.get("device_class", ""))
    if units and component.get("unit_of_measurement") not in units:
        wrong.append("a unit that its class does not have")
    if component.get("max", 0) > 255:
        wrong.append("a text longer than a state")
    if any(sign in topic for topic in topics_in(component) for sign in "+#"):
        wrong.append("a topic with wildcards")
    return wrong


def topics_in(component: dict[str, Any]) -> list[str]:
    """Every topic that a component names."""
    return [value for key, value in component.items() if key.endswith("_topic")]


def test_the_payload_is_what_home_assistant_takes() -> None:
    """Device, origin, availability, and every component by its platform's rules."""
    payload = discovery(BOARD, ENTRIES, {})

    assert {"device", "origin", "components"} <= set(payload)
    assert payload["device"]["identifiers"] == ["unitd_kitchen_shelf"]
    assert payload["origin"]["name"] == "unitd"
    assert payload["availability"] == [{"topic": "unitd/kitchen shelf/status"}]
    assert {name: wrong for name, each in payload["components"].items() if (wrong := mistakes_in(each))} == {}


def test_ids_are_unique_and_the_topic_can_be_parsed() -> None:
    """<prefix>/device/<object id>/config, with letters that an object id may have."""
    components = discovery(BOARD, ENTRIES, {})["components"]

    ids = [each["unique_id"] for each in components.values()]
    assert len(ids) == len(set(ids))
    assert BOARD.topic == "homeassistant/device/unitd_kitchen_shelf/config"


@pytest.mark.parametrize(
    ("unit", "platforms"),
    [
        ("llm", ["button", "sensor", "sensor", "switch", "text"]),
        ("kws", ["button", "event"]),
        ("asr", ["sensor"]),
        ("tts", ["notify"]),
        ("vad", []),
    ],
)
def test_each_unit_has_its_entities(unit: str, platforms: list[str]) -> None:
    """Behind those of the board itself."""
    entry = next(each for each in ENTRIES if each["unit"] == unit)

    board = discovery(BOARD, [], {})["components"]
    both = discovery(BOARD, [entry], {})["components"]

    assert sorted(each["platform"] for name, each in both.items() if name not in board) == platforms


def test_what_has_gone_is_taken_back_by_its_platform() -> None:
    """Home Assistant keeps what a payload leaves out."""
    before = platforms_in(discovery(BOARD, ENTRIES, {}))

    after = discovery(BOARD, [], before)["components"]

    gone = {name: each for name, each in after.items() if set(each) == {"platform"}}
    assert {name: each["platform"] for name, each in gone.items()} == {
        name: platform for name, platform in before.items() if "_board_" not in name
    }


def test_a_board_whose_tasks_come_and_go_does_not_list_them_all() -> None:
    """Each is taken back once at least; the latest of them are listed for whoever was away."""
    known: dict[str, str] = {}
    taken_back: set[str] = set()
    sizes = []

    for number in range(1000, 1400, 40):
        tasks = [{"unit": "llm", "work_id": f"llm.{number + n}", "state": "ready"} for n in range(40)]
        for entries in (tasks, []):
            payload = discovery(BOARD, entries, known)
            known = known_after(payload)
            taken_back |= {name for name, each in payload["components"].items() if set(each) == {"platform"}}
            sizes.append(len(payload["components"]))

    board = len(discovery(BOARD, [], {})["components"])
    assert len(taken_back) == 400 * 5
    assert "unitd_kitchen_shelf_llm_1399_ask" in payload["components"]
    assert max(sizes) <= board + 40 * 5 + KEPT_GONE


@pytest.mark.parametrize("payload", [None, [], {"components": []}, {"components": {"a": {}, "b": 7}}])
def test_a_payload_of_somebody_else_is_none_of_ours(payload: Any) -> None:
    """Whatever is retained there."""
    assert platforms_in(payload) == {}


async def test_a_task_appears_and_leaves(bridged: App, broker: Broker, listener: Listener) -> None:
    """One retained message per board follows what is there."""
    topic = "homeassistant/device/unitd_kitchen/config"

    def components() -> dict[str, Any]:
        messages = listener.objects_on(topic)
        return dict(messages[-1]["components"]) if messages else {}

    for unit, setup in (("llm", LLM_SETUP), ("kws", KWS_SETUP)):
        await listener.ask("kitchen", request_id="1", work_id=unit, action="setup", data=setup)
    await listener.until(lambda: "unitd_kitchen_kws_1001_wake" in components())
    there = components()
    await listener.ask("kitchen", request_id="2", work_id="llm.1000", action="exit")
    await listener.until(lambda: components().get("unitd_kitchen_llm_1000_ask") == {"platform": "text"})

    async with listening(broker, topic) as later:
        await later.until(lambda: bool(later.messages))
    assert {name: wrong for name, each in there.items() if (wrong := mistakes_in(each))} == {}
    assert later.messages[0].retain
    assert orjson.loads(bytes(later.messages[0].payload))["components"] == components()
