"""A board that changes between two wishes: its devices, its broker, the daemon itself."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.home.boards import GET_STATE, SETUP, TURN_ON, frames_of, said
from tests.support.servers.brokers import Broker, Listener, listening
from tests.support.waiting import eventually
from unitd.doors.mqtt import bridge


async def test_a_task_that_comes_back_after_a_restart_has_its_tools(
    tmp_path: Path, tables: dict[str, Any], listener: Listener
) -> None:
    """They are there before it is."""
    async with running_app(tmp_path, tables) as app, tcp_client(app) as client:
        work_id = await client.setup("llm", SETUP)

    async with running_app(tmp_path, tables) as app, tcp_client(app) as client:
        frames = await frames_of(client, work_id, TURN_ON)
        await listener.until(lambda: listener.on("home/kitchen/set") == [b"ON"])

    assert said(frames) == "The kitchen light is on."


async def test_a_command_does_not_wait_for_a_broker_that_is_away(
    client: WireClient, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer says so, and the light does not turn on when the broker is back."""
    monkeypatch.setattr(bridge, "COMMAND_PATIENCE_SECONDS", 0.2)
    work_id = await client.setup("llm", SETUP)
    await broker.stop()

    answer = said(await frames_of(client, work_id, TURN_ON))
    await broker.start()
    async with listening(broker) as listener:
        await listener.until(lambda: b"online" in listener.on("unitd/kitchen/status"), 15)
        await listener.until(lambda: bool(listener.on(f"unitd/kitchen/{work_id}/state")))

        assert answer == "That did not work for the kitchen light: the broker does not answer."
        assert listener.on("home/kitchen/set") == []


async def test_a_state_is_what_its_topic_said_last_until_the_broker_is_away(
    client: WireClient, listener: Listener, broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    """Then say that the device does not respond, because the last message may be long out of date."""
    work_id = await client.setup("llm", SETUP)
    answers = []

    for state in ("on", "off"):
        await listener.client.publish("home/kitchen/state", state, qos=1, retain=True)
        while said(frames := await frames_of(client, work_id, GET_STATE)) != f"The kitchen light is {state}.":
            pass  # the broker has not passed it on yet
        answers.append(said(frames))
    await broker.stop()
    await eventually(lambda: "is away" in caplog.text)

    assert answers == ["The kitchen light is on.", "The kitchen light is off."]
    assert said(await frames_of(client, work_id, GET_STATE)) == (
        "That did not work for the kitchen light: the device does not respond."
    )
