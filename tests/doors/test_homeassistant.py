"""Covers unitd.doors.home.homeassistant, by a toolbox: a server that speaks the REST API, in all its moods."""

from typing import Any

import pytest

from tests.support.home.toolboxes import MakeToolbox, results_of
from tests.support.servers.assistant_server import AssistantServer, assistant_server
from unitd.core.outcomes import DeviceState, Outcome, Reason
from unitd.doors.home import homeassistant


@pytest.mark.parametrize(
    ("state", "result"),
    [
        ({"state": "21.5", "attributes": {"unit_of_measurement": "°C"}}, "21.5 °C."),
        ({"state": "on", "attributes": {"friendly_name": "Garden"}}, "on."),
        ({"state": "x" * 500}, "x" * 200 + "."),
        ({"state": "unavailable", "attributes": {}}, "That did not work: the device does not respond."),
        (
            {"state": "unknown", "attributes": {"unit_of_measurement": "°C"}},
            "That did not work: the device does not respond.",
        ),
        (None, "That did not work: Home Assistant does not have it."),
        ("on", "That did not work: Home Assistant answered nonsense."),
        ({"attributes": {}}, "That did not work: Home Assistant answered nonsense."),
        ({"state": "on", "attributes": 5}, "That did not work: Home Assistant answered nonsense."),
    ],
)
async def test_a_question_is_answered_by_home_assistant(
    make_toolbox: MakeToolbox, assistant: AssistantServer, state: Any, result: str
) -> None:
    """With the unit of measurement; a device that it has lost does not respond."""
    assistant.states["sensor.garden"] = state
    tools = await make_toolbox(assistant=assistant)

    assert await results_of(tools, ("get_reading", {"place": "garden"})) == [result]
    assert assistant.calls == [("/api/states/sensor.garden", None)]


async def test_only_an_entity_is_asked_for(
    make_toolbox: MakeToolbox, assistant: AssistantServer, caplog: pytest.LogCaptureFixture
) -> None:
    """What a model writes does not become another address."""
    tools = await make_toolbox(assistant=assistant)

    results = await results_of(tools, ("get_reading", {"place": "x/../../config"}))

    assert results == ["That did not work: Home Assistant does not have it."]
    assert assistant.calls == []
    assert "no entity_id: 'sensor.x/../../config'" in caplog.text


async def test_a_service_is_not_called_for_an_entity_that_is_not_there(
    make_toolbox: MakeToolbox, assistant: AssistantServer
) -> None:
    """Home Assistant would answer 200 and change nothing, and nobody must say that the light is off."""
    del assistant.states["light.kitchen"]
    tools = await make_toolbox(assistant=assistant)

    results = await results_of(tools, ("turn_off", {"entity": "kitchen light"}))

    assert results == ["That did not work for the kitchen light: Home Assistant does not have it."]
    assert assistant.calls == [("/api/states/light.kitchen", None)]


async def test_a_service_is_not_called_for_a_device_that_is_unavailable(
    make_toolbox: MakeToolbox, assistant: AssistantServer
) -> None:
    """Its plug is pulled, say; one whose state is not known yet may well obey."""
    tools = await make_toolbox(assistant=assistant)
    results = []

    for state in ("unavailable", "unknown"):
        assistant.states["light.kitchen"] = {"state": state, "attributes": {}}
        results += await results_of(tools, ("turn_off", {"entity": "kitchen light"}))

    assert results == [
        "That did not work for the kitchen light: the device is unavailable in Home Assistant.",
        "The kitchen light is off.",
    ]


@pytest.mark.parametrize(
    ("named", "asked"),
    [
        ('"light.desk, light.kitchen"', ["light.desk"]),
        ('["light.kitchen", "light.desk"]', ["light.kitchen", "light.desk"]),
        ('"all"', []),
        ("7", []),
    ],
)
async def test_every_entity_of_a_call_must_be_there(
    make_toolbox: MakeToolbox, assistant: AssistantServer, named: str, asked: list[str]
) -> None:
    """However its data names them; "all" are those that there are."""
    tool = f"[[tool]]\nname = 'dark'\nservice = 'light.turn_off'\ndata = '{{\"entity_id\": {named}}}'"
    tools = await make_toolbox(tools=tool, assistant=assistant)

    results = await results_of(tools, ("dark", {}))

    called = ["/api/services/light/turn_off"] if not asked else []
    assert [path for path, _ in assistant.calls] == [f"/api/states/{each}" for each in asked] + called
    assert results == ["That did not work: Home Assistant does not have it." if asked else "Done: dark."]


# Home Assistant in its moods


def told(reason: str) -> list[str]:
    """What is said of a light that was to be switched off, and of a reading."""
    return [f"That did not work for the kitchen light: {reason}.", f"That did not work: {reason}."]


@pytest.mark.parametrize(
    ("status", "reason", "code"),
    [
        (401, "Home Assistant refuses the token", Reason.REFUSED),
        (403, "Home Assistant refuses the token", Reason.REFUSED),
        (400, "Home Assistant does not have it", Reason.UNKNOWN_DEVICE),
        (404, "Home Assistant does not have it", Reason.UNKNOWN_DEVICE),
        (500, "Home Assistant failed (500)", Reason.HOME_ASSISTANT_FAILED),
        (301, "Home Assistant failed (301)", Reason.HOME_ASSISTANT_FAILED),
    ],
)
async def test_a_refusal_is_told_in_words(
    make_toolbox: MakeToolbox, assistant: AssistantServer, status: int, reason: str, code: Reason
) -> None:
    """By its status; a page that has moved has not switched anything."""
    assistant.status = status
    tools = await make_toolbox(assistant=assistant)

    results = await results_of(tools, ("turn_off", {"entity": "kitchen light"}), ("get_reading", {"place": "garden"}))
    outcome = await tools.do({"id": "1", "name": "get_reading", "arguments": {"place": "garden"}})

    assert results == told(reason)
    assert outcome.reason == code


async def test_a_wrong_token_is_told_in_words(make_toolbox: MakeToolbox, assistant: AssistantServer) -> None:
    """Home Assistant's own 401."""
    tools = await make_toolbox(assistant=assistant, token="guessed")

    results = await results_of(tools, ("turn_off", {"entity": "kitchen light"}))

    assert results == [told("Home Assistant refuses the token")[0]]


async def test_one_that_does_not_answer_is_not_waited_for_long(
    make_toolbox: MakeToolbox,
    assistant: AssistantServer,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Give up a Home Assistant that takes the request and is silent; log no empty cause."""
    monkeypatch.setattr(homeassistant, "PATIENCE_SECONDS", 0.2)
    assistant.may_answer.clear()
    tools = await make_toolbox(assistant=assistant)

    results = await results_of(tools, ("turn_off", {"entity": "kitchen light"}), ("get_reading", {"place": "garden"}))

    assert results == told("Home Assistant does not answer")
    assert caplog.messages[-1] == "tool get_reading failed: Home Assistant does not answer"


async def test_one_that_is_not_there_cannot_be_reached(make_toolbox: MakeToolbox) -> None:
    """Nobody listens on that port."""
    async with assistant_server() as gone:
        pass
    tools = await make_toolbox(assistant=gone)

    results = await results_of(tools, ("turn_off", {"entity": "kitchen light"}), ("get_reading", {"place": "garden"}))

    assert results == told("Home Assistant cannot be reached")


async def test_data_must_be_json(make_toolbox: MakeToolbox, assistant: AssistantServer) -> None:
    """Home Assistant is not bothered with anything else; a text with quotes is made safe by `tojson`."""
    tools = await make_toolbox(assistant=assistant)

    assert await results_of(tools, ("careless", {})) == ["That did not work: its data is no JSON."]
    await results_of(tools, ("play", {"what": 'x", "entity_id": "lock.front_door'}))

    assert [data for _, data in assistant.calls] == [{"what": 'x", "entity_id": "lock.front_door'}]


async def test_a_state_of_home_assistant_has_its_attributes(
    make_toolbox: MakeToolbox, assistant: AssistantServer
) -> None:
    """In percent; what is said stays the state."""
    assistant.states["sensor.garden"] = {"state": "on", "attributes": {"brightness": 128}}
    tools = await make_toolbox(assistant=assistant)

    outcome = await tools.do({"id": "1", "name": "get_reading", "arguments": {"place": "garden"}})

    assert outcome == Outcome("on, 50 percent.", is_done=True, state=DeviceState("on", attributes={"brightness": 50}))
