"""What brokers and neighbours do to a board: refuse, hang up, send what nobody can read, take its name."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import aiomqtt
import orjson
import psutil
import pytest
from jinja2 import Environment

from tests.support.daemon import running_app
from tests.support.servers.brokers import Broker, Listener, listening
from tests.support.setups import KWS_SETUP, LLM_SETUP, LONG_QUESTION
from tests.support.waiting import eventually
from unitd.app import App
from unitd.core.config.schema import MqttSettings
from unitd.doors.local_client import LocalClient
from unitd.doors.mqtt.bridge import Bridge
from unitd.doors.mqtt.door import MqttDoor
from unitd.doors.mqtt.homeassistant import Board
from unitd.doors.unfinished import Unfinished
from unitd.wire.errors import InternalError

BASE = "unitd/kitchen"
ANNOUNCEMENT = "homeassistant/device/unitd_kitchen/config"
WAKE = {"name": "home", "tasks": [{"name": "wake", "unit": "kws", "data": {"kws": "alexa"}}]}


async def no_stats() -> dict[str, Any]:
    """Nothing to tell."""
    return {}


def second_door(app: App, broker: Broker, stats: Callable[[], Awaitable[Any]] = no_stats) -> tuple[Bridge, MqttDoor]:
    """One more door of this daemon to the broker, always under the same name."""
    bridge = Bridge(app, Board("kitchen", BASE, "", "1"), time.time, 1 << 20, Unfinished(1 << 20))
    return bridge, MqttDoor(MqttSettings(port=broker.port, node="kitchen", discovery_prefix=""), bridge, stats)


@asynccontextmanager
async def second_board(app: App, broker: Broker) -> AsyncIterator[Bridge]:
    """That door while it is open."""
    bridge, door = second_door(app, broker)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(door.run())
        yield bridge
        running.cancel()


def components_on(listener: Listener) -> list[dict[str, Any]]:
    """What was announced, one announcement after the other."""
    return [each["components"] for each in listener.objects_on(ANNOUNCEMENT) if each]


def is_announced(listener: Listener, topic: str) -> bool:
    """Whether the last announcement names this topic."""
    return topic in str(components_on(listener)[-1:])


async def test_a_restart_keeps_the_entities(tmp_path: Path, broker: Broker, listener: Listener) -> None:
    """The same ids with the topics of the new tasks; nothing is taken back in between."""
    wake = "unitd_kitchen_kws_1_wake"
    config = {"mqtt": {"port": broker.port, "node": "kitchen"}, "pipeline": [WAKE]}
    for work_id in ("kws.1000", "kws.1001"):
        async with running_app(tmp_path, config):
            await listener.until(partial(is_announced, listener, f"{BASE}/{work_id}/wake"))

    announced = [each[wake] for each in components_on(listener) if wake in each]
    assert {len(each) > 1 for each in announced} == {True}
    assert [announced[at]["state_topic"] for at in (0, -1)] == [f"{BASE}/kws.1000/wake", f"{BASE}/kws.1001/wake"]


def is_available(listener: Listener, component: dict[str, Any]) -> bool:
    """As Home Assistant judges: every topic must say `online` last, by its template; one that never spoke does not."""
    return all(_says(listener, **each) == "online" for each in component["availability"])


def _says(listener: Listener, topic: str, value_template: str = "{{ value }}") -> str:
    """A template's word on the last message; `value_json` is not defined for one that is no JSON."""
    last = listener.on(topic)[-1:]
    known: dict[str, Any] = {"value": last[0].decode()} if last else {}
    with suppress(orjson.JSONDecodeError):
        known |= {"value_json": orjson.loads(known.get("value", ""))}
    return Environment().from_string(value_template).render(known) if last else ""


@pytest.mark.parametrize("is_accident", [False, True])
async def test_what_did_not_come_back_is_unavailable_at_once(
    tmp_path: Path, broker: Broker, listener: Listener, *, is_accident: bool
) -> None:
    """Its entities stay for a while, for it may come back; after an accident the broker still has its state."""
    wake, mqtt = "unitd_kitchen_kws_1_wake", {"port": broker.port, "node": "kitchen"}
    async with running_app(tmp_path, {"mqtt": mqtt, "pipeline": [WAKE]}):
        await listener.until(lambda: bool(components_on(listener)) and wake in components_on(listener)[-1])
        before = components_on(listener)[-1][wake]
        await listener.until(partial(is_available, listener, before))
        state_topic = before["availability"][1]["topic"]
        state = listener.on(state_topic)[-1]
    await listener.until(lambda: listener.on(f"{BASE}/status")[-1] == b"offline")
    if is_accident:
        await listener.client.publish(state_topic, state, 1, True)

    announced = len(components_on(listener))
    async with running_app(tmp_path, {"mqtt": mqtt}):
        await listener.until(lambda: wake in str(components_on(listener)[announced:][-1:]))
        await listener.until(lambda: listener.on(f"{BASE}/status")[-1] == b"online")
        await listener.until(lambda: listener.on(state_topic)[-1] == b"")

        assert components_on(listener)[-1][wake] == before
        assert not is_available(listener, before)


async def test_what_ends_with_its_request_is_no_entity(bridged: App, listener: Listener) -> None:
    """Nor does it take a place; its topics are there like those of every task. A temporary one is no other."""
    temporary = KWS_SETUP | {"temporary": True}
    await listener.ask("kitchen", request_id="0", work_id="kws", action="setup", data=temporary)
    local_client = LocalClient(bridged, "wyoming 127.0.0.1 1", "wyoming")
    kws, _ = await local_client.set_up("kws", KWS_SETUP)
    await listener.until(lambda: bool(listener.on(f"{BASE}/{kws}/state")))
    lasting = await listener.ask("kitchen", request_id="1", work_id="kws", action="setup", data=KWS_SETUP)
    await listener.until(partial(is_announced, listener, f"{BASE}/{lasting['work_id']}/wake"))
    local_client.close()

    await listener.until(lambda: listener.on(f"{BASE}/{kws}/state")[-1] == b"")
    wakes = [name for each in components_on(listener) for name in each if name.endswith("_wake")]
    assert set(wakes) == {"unitd_kitchen_kws_1_wake"}
    assert f"{BASE}/{kws}/" not in str(components_on(listener))


async def test_an_empty_question_asks_for_nothing(
    bridged: App, listener: Listener, caplog: pytest.LogCaptureFixture
) -> None:
    """Home Assistant sends one for a field that somebody has emptied."""
    reply = await listener.ask("kitchen", request_id="1", work_id="llm", action="setup", data=LLM_SETUP)
    for text in ("", "  ", "hello"):
        await listener.publish(f"{BASE}/{reply['work_id']}/ask", text)
    await listener.until(lambda: bool(listener.on(f"{BASE}/{reply['work_id']}/text")))

    assert len(listener.on(f"{BASE}/{reply['work_id']}/text")) == 1
    assert "failed" not in caplog.text


async def test_without_a_prefix_nothing_is_announced(tmp_path: Path, broker: Broker, listener: Listener) -> None:
    """discovery_prefix = "" """
    mqtt = {"port": broker.port, "node": "kitchen", "discovery_prefix": ""}
    async with running_app(tmp_path, {"mqtt": mqtt}):
        await listener.until(lambda: bool(listener.on(f"{BASE}/stats")))
        await listener.ask("kitchen", request_id="1", work_id="kws", action="setup", data={"kws": "alexa"})

    assert not [each for each in listener.messages if "/device/" in str(each.topic)]


async def test_no_request_id_ends_the_connection(
    bridged: App, listener: Listener, caplog: pytest.LogCaptureFixture
) -> None:
    """A line feed in a topic is nothing that a broker takes."""
    await listener.publish(f"{BASE}/request", '{"request_id":"a\\nb","work_id":"sys","action":"ping"}')
    await listener.until(lambda: bool(listener.on(f"{BASE}/reply/a_b")))

    assert listener.objects_on(f"{BASE}/reply/a_b")[0]["request_id"] == "a\nb"
    assert "is away" not in caplog.text


async def test_a_message_that_nobody_can_read_is_not_delivered_for_ever(
    bridged: App, broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    """The session that holds it is given up, with a line in the log."""
    async with listening(broker, f"{BASE}/status", "my/answers") as neighbour:
        await neighbour.publish(f"{BASE}/request", "{}", "answers/\ufeff")
        await neighbour.until(lambda: neighbour.on(f"{BASE}/status").count(b"online") > 1)

        reply = await neighbour.ask("kitchen", request_id="1", work_id="sys", action="ping")

    assert reply["error"]["code"] == 0
    assert "nobody can read" in caplog.text


async def test_what_the_broker_refuses_is_not_done(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A light that this board may not switch; it hears so at once, and what it may say goes on."""
    rights = tmp_path / "rights"
    rights.write_text("topic readwrite unitd/#\ntopic read home/#\n")
    broker = Broker(tmp_path, "allow_anonymous true", f"acl_file {rights}")
    await broker.start()
    mqtt = {"port": broker.port, "node": "bath"}
    async with running_app(tmp_path, {"mqtt": mqtt}) as app, second_board(app, broker) as bridge:
        assert not await bridge.command("home/light/set", b"ON")
        assert await bridge.command("unitd/anything", b"ON")
    await broker.stop()

    assert "the broker refuses what was said on home/light/set" in caplog.text


async def test_two_boards_of_one_name_are_told_so(
    bridged: App, broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    """Each says that it was hung up on, and once what the reason may be."""
    async with second_board(bridged, broker):
        await eventually(lambda: "is there a second board called kitchen?" in caplog.text, timeout=15)

    complaints = [each for each in caplog.records if each.levelno == logging.WARNING and "away" in each.getMessage()]
    assert len(complaints) <= 4


async def test_a_board_that_stops_while_the_broker_hangs_up_stops(daemon: App, broker: Broker) -> None:
    """Both in one moment, where Python 3.11 forgets that it was to stop."""

    async def stop_and_break() -> dict[str, Any]:
        running.cancel()
        raise aiomqtt.MqttError("the broker hung up")

    running = asyncio.create_task(second_door(daemon, broker, stop_and_break)[1].run())
    await asyncio.wait([running], timeout=5)

    assert running.cancelled()


async def test_a_board_that_cannot_be_measured_stays_connected(
    daemon: App, broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    """Measuring takes a descriptor, and there may be none."""

    async def unmeasured() -> dict[str, Any]:
        raise InternalError("Too many open files")

    bridge, door = second_door(daemon, broker, unmeasured)
    running = asyncio.create_task(door.run())
    await eventually(lambda: "figures are not said: internal error: Too many open files" in caplog.text)

    assert await bridge.command("home/light/set", b"ON")
    running.cancel()
    await asyncio.wait([running])


async def test_the_beginning_of_a_broken_answer_is_not_said_with_the_next(bridged: App, listener: Listener) -> None:
    """The engine dies in mid-answer; somebody asks again with the same request_id."""
    work_id = (await listener.ask("kitchen", request_id="0", work_id="llm", action="setup", data=LLM_SETUP))["work_id"]
    agent, topic = LocalClient(bridged, "agent", "http"), f"{BASE}/{work_id}"

    agent.infer(work_id, LONG_QUESTION, object_="llm.utf-8", options={"pause": {"max_tokens": 3}})
    await listener.until(lambda: "paused" in str(listener.on(f"{topic}/state")[-1:]))
    for child in psutil.Process().children():
        if "units" in child.cmdline():
            child.kill()
    await listener.until(lambda: any(each["error"]["code"] for each in listener.objects_on(f"{topic}/output")))
    asked = await listener.request("kitchen", request_id="1", work_id=work_id, action="inference", data="hello")
    await listener.until(lambda: bool(listener.on(f"{topic}/text")))

    answer = "".join(each["data"]["delta"] for each in listener.answers_to(asked))
    assert listener.on(f"{topic}/text") == [answer.encode()]


async def test_an_entity_whose_question_is_refused_says_so(
    bridged: App, listener: Listener, caplog: pytest.LogCaptureFixture
) -> None:
    """A question to a task that does not exist is reported in the log."""
    await listener.publish(f"{BASE}/llm.4711/ask", "anybody there?")
    await eventually(lambda: "asking llm.4711 by mqtt failed:" in caplog.text)

    assert (await listener.ask("kitchen", request_id="1", work_id="sys", action="ping"))["error"]["code"] == 0
