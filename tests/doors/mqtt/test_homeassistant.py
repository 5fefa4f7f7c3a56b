"""Covers unitd.doors.mqtt.homeassistant: payloads as Home Assistant's documentation of MQTT discovery has them."""

import re
from typing import Any

import jinja2
import orjson
import pytest

from tests.support.servers.brokers import Broker, Listener, listening
from tests.support.setups import KWS_SETUP, LLM_SETUP
from unitd.app import App
from unitd.doors.mqtt.homeassistant import (
    KEPT_GONE,
    MAX_ANNOUNCED,
    Board,
    Place,
    Places,
    announced_before,
    discovery,
    known_after,
    platforms_in,
)

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
UNITS = ("llm", "kws", "asr", "whisper", "vad", "tts", "melotts")


def task_of(unit: str, work_id: str = "", number: int = 1) -> tuple[Place, dict[str, Any]]:
    """A task in its place, and its entry of sys.lstask."""
    work_id = work_id or f"{unit}.1000"
    return Place(work_id, unit, number), {"work_id": work_id, "unit": unit, "inputs_": [f"{unit}.utf-8"]}


TASKS = [task_of(unit) for unit in UNITS]


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
    payload = discovery(BOARD, TASKS, {})

    assert {"device", "origin", "components"} <= set(payload)
    assert payload["device"]["identifiers"] == ["unitd_kitchen_shelf"]
    assert set(payload["origin"]) == {"name", "sw_version"}  # a support_url would be somebody else's page
    assert payload["origin"]["name"] == "unitd"
    assert payload["availability"] == [{"topic": "unitd/kitchen shelf/status"}]
    assert {name: wrong for name, each in payload["components"].items() if (wrong := mistakes_in(each))} == {}


def test_ids_are_unique_and_the_topic_can_be_parsed() -> None:
    """<prefix>/device/<object id>/config, with letters that an object id may have."""
    components = discovery(BOARD, [*TASKS, task_of("llm", "llm.1007", 2)], {})["components"]

    ids = [each["unique_id"] for each in components.values()]
    assert len(ids) == len(set(ids))
    assert BOARD.topic == "homeassistant/device/unitd_kitchen_shelf/config"


@pytest.mark.parametrize(
    ("unit", "platforms"),
    [
        ("llm", ["button", "sensor", "sensor", "sensor", "switch", "text"]),
        ("kws", ["button", "event", "sensor"]),
        ("asr", ["sensor", "sensor"]),
        ("tts", ["notify", "sensor"]),
        ("vad", ["sensor"]),
    ],
)
def test_each_unit_has_its_entities(unit: str, platforms: list[str]) -> None:
    """Behind those of the board itself."""
    board = discovery(BOARD, [], {})["components"]
    both = discovery(BOARD, [task_of(unit)], {})["components"]

    assert sorted(each["platform"] for name, each in both.items() if name not in board) == platforms


@pytest.mark.parametrize(
    ("published", "state", "reason", "is_there", "can_be_asked"),
    [
        ({"state": "idle"}, "idle", "", "online", "online"),
        ({"state": "failed", "reason": 'it "died" twice'}, "failed", 'it "died" twice', "online", "offline"),
        (None, "ended", "", "offline", "offline"),
    ],
    ids=["idle", "failed", "ended"],
)
def test_a_failed_task_says_why(
    published: dict[str, str] | None, state: str, reason: str, is_there: str, can_be_asked: str
) -> None:
    """Its state stays available, what it cannot do is not; an empty topic is a task that has ended."""
    components = discovery(BOARD, [task_of("llm")], {})["components"]
    environment = jinja2.Environment()  # as Home Assistant's, which gives what is no JSON no value_json
    environment.filters["to_json"] = lambda value: orjson.dumps(value).decode()

    def rendered(template: str) -> str:
        return environment.from_string(template).render({} if published is None else {"value_json": published})

    sensor, ask = (components[f"unitd_kitchen_shelf_llm_1_{each}"] for each in ("state", "ask"))
    assert rendered(sensor["value_template"]) == state
    assert state in sensor["options"]
    assert orjson.loads(rendered(sensor["json_attributes_template"])) == {"reason": reason}
    assert rendered(sensor["availability"][1]["value_template"]) == is_there
    assert rendered(ask["availability"][1]["value_template"]) == can_be_asked


def test_a_task_that_listens_to_others_alone_cannot_be_asked() -> None:
    """What is written into an entity that nobody reads would be lost."""
    place, entry = task_of("llm")

    linked = discovery(BOARD, [(place, entry | {"inputs_": ["asr.1001", "kws.1002"]})], {})["components"]

    assert "unitd_kitchen_shelf_llm_1_answer" in linked
    assert "unitd_kitchen_shelf_llm_1_ask" not in linked


def test_the_first_task_of_a_unit_is_the_same_entity_after_each_start() -> None:
    """Its work_id is another one; what people have set for the entity stays."""
    ids = [set(discovery(BOARD, [task_of("llm", work_id)], {})["components"]) for work_id in ("llm.1000", "llm.1234")]

    assert ids[0] == ids[1]


def test_a_task_takes_the_first_place_that_is_free() -> None:
    """Per unit; it keeps it while it lives."""
    places = Places()
    for work_id in ("llm.1000", "llm.1001", "kws.1002", "llm.1003"):
        places.take(work_id)
    places.leave("llm.1001")
    places.take("llm.1004")

    assert [places[each].key for each in ("llm.1000", "llm.1004", "llm.1003")] == ["llm_1", "llm_2", "llm_3"]
    assert [places[each].label for each in ("kws.1002", "llm.1003")] == ["kws", "llm 3"]


def test_what_an_earlier_run_had_may_come_back() -> None:
    """Until then Home Assistant keeps it; then it is taken back."""
    before = discovery(BOARD, TASKS, {})
    known = known_after(before)
    expected = {name: each for name, each in before["components"].items() if "_board_" not in name}

    waiting = discovery(BOARD, [], known, expected)
    later = discovery(BOARD, [], known_after(waiting))

    assert waiting["components"] == before["components"]
    assert {len(each) for name, each in later["components"].items() if name in expected} == {1}


def test_what_was_announced_before_is_known_by_its_ids() -> None:
    """Each is as this run would announce it, with the topics that it had."""
    before = discovery(BOARD, TASKS, {})
    components = {name: each for name, each in before["components"].items() if "_board_" not in name}

    found = announced_before(BOARD, before)

    assert found == components


EVIL = {"platform": "light", "command_topic": "evil", "name": "evil"}
OURS = "unitd_kitchen_shelf_llm_1_ask"


@pytest.mark.parametrize(
    "name",
    [
        OURS,
        "unitd_kitchen_shelf_llm_1_lamp",
        "unitd_kitchen_shelf_llm_0_ask",
        "unitd_kitchen_shelf_llm_1000000_ask",
        "unitd_kitchen_shelf_board_cpu_percent",
        "unitd_kitchen_shelf",
        "unitd_bath_llm_1_ask",
        "llm_1_ask",
        "x" * 100_000,
        "\u202e",
        "",
    ],
)
def test_what_others_wrote_there_is_not_announced_as_ours(name: str) -> None:
    """Ids that this board gives count; what stands under them does not."""
    found = announced_before(BOARD, {"components": {name: EVIL}})

    assert list(found) == [name] * (name == OURS)
    assert b"evil" not in orjson.dumps(found)


def test_a_flood_of_ids_is_bounded() -> None:
    """A board does not have so many."""
    ids = [f"{BOARD.object_id}_llm_{number}_ask" for number in range(1, 20_000)]

    assert len(announced_before(BOARD, {"components": dict.fromkeys(ids, EVIL)})) == MAX_ANNOUNCED


@pytest.mark.parametrize(
    "nodes", [("kitchen", "bath"), ("客厅", "厨房"), ("küche", "k_che")], ids=["ascii", "other letters", "mixed"]
)
def test_boards_with_other_names_are_other_devices(nodes: tuple[str, str]) -> None:
    """In any letters, though an object id has few of them."""
    ids = [Board(each, "", "homeassistant", "1").object_id for each in nodes]

    assert ids[0] != ids[1]
    assert all(re.fullmatch("unitd_[a-zA-Z0-9_-]+", each) for each in ids)


def test_what_has_gone_is_taken_back_by_its_platform() -> None:
    """Home Assistant keeps what a payload leaves out."""
    before = platforms_in(discovery(BOARD, TASKS, {}))

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
        places = [task_of("llm", f"llm.{number + n}", number + n) for n in range(40)]
        for tasks in (places, []):
            payload = discovery(BOARD, tasks, known)
            known = known_after(payload)
            taken_back |= {name for name, each in payload["components"].items() if set(each) == {"platform"}}
            sizes.append(len(payload["components"]))

    board = len(discovery(BOARD, [], {})["components"])
    assert len(taken_back) == 400 * 6
    assert "unitd_kitchen_shelf_llm_1399_ask" in payload["components"]
    assert max(sizes) <= board + 40 * 6 + KEPT_GONE


@pytest.mark.parametrize("payload", [None, [], {"components": []}, {"components": {"a": {}, "b": 7}}])
def test_a_payload_of_somebody_else_is_none_of_ours(payload: Any) -> None:
    """A retained message that the daemon did not write is not taken for its own."""
    assert platforms_in(payload) == {}


async def test_a_task_appears_and_leaves(bridged: App, broker: Broker, listener: Listener) -> None:
    """One retained message per board follows what is there."""
    topic = "homeassistant/device/unitd_kitchen/config"

    def components() -> dict[str, Any]:
        messages = listener.objects_on(topic)
        return dict(messages[-1]["components"]) if messages else {}

    for unit, setup in (("llm", LLM_SETUP), ("kws", KWS_SETUP)):
        await listener.ask("kitchen", request_id="1", work_id=unit, action="setup", data=setup)
    await listener.until(lambda: "unitd_kitchen_kws_1_wake" in components())
    there = components()
    await listener.ask("kitchen", request_id="2", work_id="llm.1000", action="exit")
    await listener.until(lambda: components().get("unitd_kitchen_llm_1_ask") == {"platform": "text"})

    async with listening(broker, topic) as later:
        await later.until(lambda: bool(later.messages))
    assert {name: wrong for name, each in there.items() if (wrong := mistakes_in(each))} == {}
    assert later.messages[0].retain
    assert orjson.loads(bytes(later.messages[0].payload))["components"] == components()


@pytest.mark.parametrize(
    "more",
    [
        b'"x":{"platform":"light","command_topic":"evil"}',
        b'"x":{"platform":"light","b":' + b"[" * 900 + b"]" * 900 + b"}",
    ],
    ids=["foreign", "deep"],
)
async def test_a_foreign_announcement_is_answered_by_our_own(bridged: App, listener: Listener, more: bytes) -> None:
    """What looks as if an earlier run had left it is kept for a while in our words; nothing else of it is."""
    topic, left = "homeassistant/device/unitd_kitchen/config", "unitd_kitchen_llm_7_ask"
    components = b'{"components":{"' + left.encode() + b'":{"platform":"text","command_topic":"evil"},' + more + b"}}"
    await listener.client.publish(topic, components, qos=1, retain=True)

    def ours() -> list[dict[str, Any]]:
        return [each for each in listener.objects_on(topic) if "device" in each and left in each["components"]]

    await listener.until(lambda: bool(ours()))
    announced = ours()[-1]["components"]

    assert b"evil" not in orjson.dumps(announced)
    assert "x" not in announced
    assert announced[left]["command_topic"] == "unitd/kitchen/llm.0/ask"
    assert (await listener.ask("kitchen", request_id="1", work_id="sys", action="ping"))["error"]["code"] == 0


async def test_what_somebody_else_leaves_on_the_topic_is_replaced(bridged: App, listener: Listener) -> None:
    """Once in a while; a device that was removed in Home Assistant is not announced for that."""
    topic = "homeassistant/device/unitd_kitchen/config"
    await listener.until(lambda: bool(listener.objects_on(topic)))
    before = listener.on(topic)

    await listener.client.publish(topic, b'{"components":{"x":{"platform":"light"}}}', qos=1, retain=True)
    await listener.until(lambda: len(listener.on(topic)) >= len(before) + 2)
    await listener.client.publish(topic, b"", qos=1, retain=True)
    await listener.ask("kitchen", request_id="1", work_id="sys", action="ping")

    assert listener.on(topic)[len(before) + 1] == before[-1]
    assert listener.on(topic)[-1] == b""
