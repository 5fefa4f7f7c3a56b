"""Covers unitd.doors.mqtt.timer_topics: the board's timers for a broker, and the buttons that end a ring."""

from datetime import datetime
from typing import Any

from tests.support.servers.brokers import Broker, Listener, listening
from unitd.app import App

BASE = "unitd/kitchen"
STATE, EVENT = f"{BASE}/timers", f"{BASE}/timer/event"


async def timer(listener: Listener, **data: Any) -> dict[str, Any]:
    """Return the answer of `sys.timer`, asked over MQTT."""
    reply = await listener.ask("kitchen", request_id="1", work_id="sys", action="timer", data=data)
    assert reply["error"]["code"] == 0
    answer: dict[str, Any] = reply["data"]
    return answer


async def until_state(listener: Listener, **wanted: Any) -> dict[str, Any]:
    """Return the state of the timers as soon as it is this one."""

    def last() -> dict[str, Any]:
        state: dict[str, Any] = listener.objects_on(STATE)[-1] if listener.on(STATE) else {}
        return state

    await listener.until(lambda: bool(last()) and all(last()[key] == value for key, value in wanted.items()))
    return last()


async def test_the_timers_are_retained(bridged: App, broker: Broker, listener: Listener) -> None:
    """A client that subscribes later reads how many there are, and when the next one rings."""
    none = await until_state(listener, count=0)
    late = (await timer(listener, do="start", seconds=600, name="pizza"))["timer"]
    soon = (await timer(listener, do="start", seconds=60))["timer"]
    await until_state(listener, count=2)

    async with listening(broker, STATE) as later:
        await later.until(lambda: bool(later.on(STATE)))
        state = later.objects_on(STATE)[0]

    assert none["next"] is None
    assert datetime.fromisoformat(state["next"]).timestamp() == soon["due"]
    assert [(row["id"], row["name"]) for row in state["timers"]] == [(soon["id"], ""), (late["id"], "pizza")]
    assert "left" not in state["timers"][0]  # it would be wrong a second later


async def test_a_button_ends_the_ring(bridged: App, listener: Listener) -> None:
    """Each event is told, and the timer is gone."""
    await timer(listener, do="start", seconds=0.05)
    await until_state(listener, ringing=1)

    await listener.publish(f"{BASE}/timer/stop", "PRESS")
    await until_state(listener, count=0)

    assert [each["event_type"] for each in listener.objects_on(EVENT)] == ["started", "ringing", "stopped"]


async def test_a_button_snoozes(bridged: App, listener: Listener) -> None:
    """For nine minutes, or for as many seconds as are sent."""
    await timer(listener, do="start", seconds=0.05)
    await until_state(listener, ringing=1)

    await listener.publish(f"{BASE}/timer/snooze", "90")
    await until_state(listener, ringing=0, count=1)

    (row,) = (await timer(listener, do="list"))["timers"]
    assert row["state"] == "snoozed"
    assert 80 < row["left"] <= 90


async def test_home_assistant_is_told_of_them(bridged: App, listener: Listener) -> None:
    """A sensor with the next timer, one with their number, two buttons and an event."""
    topic = "homeassistant/device/unitd_kitchen/config"
    await listener.until(lambda: bool(listener.on(topic)))

    components = listener.objects_on(topic)[-1]["components"]

    own = {key.removeprefix("unitd_kitchen_board_timer_"): each["platform"] for key, each in components.items()}
    wanted = {"next": "sensor", "count": "sensor", "stop": "button", "snooze": "button", "event": "event"}
    assert wanted.items() <= own.items()
