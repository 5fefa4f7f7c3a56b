"""Covers unitd.doors.toolbox and unitd.doors.homeassistant: real templates, a server that speaks the REST API."""

import asyncio
import importlib
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.doors.assistant_server import TOKEN, AssistantServer, assistant_server
from unitd.core.config import HomeSettings
from unitd.doors import homeassistant
from unitd.doors.toolbox import HomeToolbox, open_toolbox, start_in
from unitd.wire.errors import ConfigError, LoadFailed

# The daemon imports these when it opens its toolbox; here they come first, for the guard against blocking calls.
importlib.import_module("jinja2.sandbox")

TOOLS = """
[[entity]]
name = "kitchen light"
kind = "light"
id = "kitchen"

[[tool]]
name = "turn_on"
kinds = ["light"]
topic = "home/{{ entity.id }}/set"
payload = '{"state": "ON"}'

[[tool]]
name = "turn_off"
kinds = ["light"]
service = "light.turn_off"
data = '{"entity_id": "{{ entity.id }}"}'
confirmation = "The {{ entity.name }} is off."

[[tool]]
name = "play"
service = "media_player.play"
data = '{"what": {{ what | tojson }}}'
parameters.what = {type = "string"}

[[tool]]
name = "say"
topic = "say/{{ room }}"
payload = "{{ words }}"
parameters = {room = {type = "string"}, words = {type = "string"}}

[[tool]]
name = "broken"
topic = "x"
payload = "{{ nobody.knows }}"

[[tool]]
name = "greedy"
topic = "x"
payload = "{{ ''.__class__.__mro__ }}"

[[tool]]
name = "careless"
service = "light.turn_on"
data = "no JSON"

[[tool]]
name = "get_state"
kinds = ["light"]
state = "home/{{ entity.id }}/state"

[[tool]]
name = "get_weather"
state = "weather/now"
"""

MakeToolbox = Callable[..., Any]


class Wire:
    """An MQTT bridge without a broker's moods: what is commanded is kept."""

    def __init__(self, values: dict[str, bytes] | None = None) -> None:
        self.commands: list[tuple[str, bytes]] = []
        self.values = values or {}
        self.is_there = True

    async def command(self, topic: str, payload: bytes) -> bool:
        """Taken while the broker is there."""
        if self.is_there:
            self.commands.append((topic, payload))
        return self.is_there

    def last_on(self, topic: str) -> bytes | None:
        """What a test says."""
        return self.values.get(topic)


@pytest.fixture
async def assistant() -> AsyncIterator[AssistantServer]:
    """A Home Assistant."""
    async with assistant_server() as server:
        yield server


@pytest.fixture
async def make(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[MakeToolbox]:
    """Opens a toolbox as the daemon does."""
    caplog.set_level(logging.INFO)
    async with AsyncExitStack() as stack:
        group = await stack.enter_async_context(asyncio.TaskGroup())

        async def make(
            tools: str = TOOLS,
            mqtt: Wire | None = None,
            assistant: AssistantServer | None = None,
            token: str = TOKEN,
            domains: tuple[str, ...] = (),
        ) -> HomeToolbox:
            (tmp_path / "tools.toml").write_text(tools)
            (tmp_path / "token").write_text(token + "\n")
            url = assistant.url if assistant else ""
            settings = HomeSettings(tmp_path / "tools.toml", url, tmp_path / "token", domains)
            toolbox = await open_toolbox(settings, mqtt, start_in(group))
            stack.push_async_callback(toolbox.close)
            return toolbox

        yield make


async def results_of(toolbox: HomeToolbox, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    """What the model is told about these calls."""
    done: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()
    made = [{"id": str(at), "name": name, "arguments": arguments} for at, (name, arguments) in enumerate(calls)]
    toolbox.run(made, lambda results: done.set_result(list(results)))
    return await asyncio.wait_for(done, 10)


async def test_a_call_becomes_a_message(make: MakeToolbox) -> None:
    """Topic and payload are rendered with the device; the model hears that it is done."""
    wire = Wire()
    toolbox = await make(mqtt=wire)

    results = await results_of(toolbox, ("turn_on", {"entity": "Kitchen Light"}))

    assert results == ["done"]
    assert wire.commands == [("home/kitchen/set", b'{"state": "ON"}')]


async def test_a_call_becomes_a_service_call(make: MakeToolbox, assistant: AssistantServer) -> None:
    """With the token; the confirmation is the result."""
    toolbox = await make(assistant=assistant)

    results = await results_of(toolbox, ("turn_off", {"entity": "kitchen light"}))

    assert results == ["The kitchen light is off."]
    assert assistant.calls == [("/api/services/light/turn_off", {"entity_id": "kitchen"})]


async def test_calls_are_done_in_their_order(make: MakeToolbox) -> None:
    """And one that fails does not keep the others from it."""
    wire = Wire()
    toolbox = await make(mqtt=wire)

    results = await results_of(
        toolbox,
        ("say", {"room": "attic", "words": "one"}),
        ("say", {"room": "#", "words": "two"}),
        ("say", {"room": "attic", "words": "three"}),
    )

    assert results == ["done", "error: its topic is none", "done"]
    assert [payload for _, payload in wire.commands] == [b"one", b"three"]


async def test_a_question_is_answered_by_the_last_value_of_a_topic(make: MakeToolbox) -> None:
    """Of each device, or of the one topic that the question names."""
    toolbox = await make(mqtt=Wire({"home/kitchen/state": b"on, 40 percent", "weather/now": b"rain"}))

    results = await results_of(toolbox, ("get_state", {"entity": "kitchen light"}), ("get_weather", {}))

    assert toolbox.state_topics == ["home/kitchen/state", "weather/now"]
    assert results == ["on, 40 percent", "rain"]


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("turn_on", {"entity": "moon"}, "error: there is no moon"),
        ("turn_on", {}, "error: there is no such device"),
        ("turn_on", {"entity": ["kitchen light"]}, "error: there is no ['kitchen light']"),
        ("explode", {}, "error: there is no tool explode"),
        ("say", {"room": "attic"}, "error: words is missing"),
        ("say", {"room": "attic", "words": 5}, "error: words cannot be 5"),
        ("say", {"room": "a\0b", "words": "x"}, "error: its topic is none"),
        ("say", {"room": "a" * 70_000, "words": "x"}, "error: its topic is none"),
        ("broken", {}, "error: its template failed"),
        ("greedy", {}, "error: its template failed"),
        ("get_state", {"entity": "kitchen light"}, "error: the device does not respond"),
        ("careless", {}, "error: no Home Assistant is configured"),
    ],
)
async def test_a_call_that_cannot_be_done_says_why(
    make: MakeToolbox, caplog: pytest.LogCaptureFixture, name: str, arguments: dict[str, Any], result: str
) -> None:
    """In a few words for the model, in the log for whoever looks after it; nothing is sent."""
    wire = Wire()
    toolbox = await make(mqtt=wire)

    assert await results_of(toolbox, (name, arguments)) == [result]
    assert wire.commands == []
    assert f"tool {name} failed: {result.removeprefix('error: ')}" in caplog.text


async def test_the_log_has_the_cause_of_a_failing_template(make: MakeToolbox, caplog: pytest.LogCaptureFixture) -> None:
    """What the model need not know."""
    await results_of(await make(mqtt=Wire()), ("broken", {}))

    assert "'nobody' is undefined" in caplog.text


async def test_a_broker_that_is_away_is_a_failure(make: MakeToolbox) -> None:
    """Nothing has been switched, and nobody says that it has."""
    wire = Wire()
    wire.is_there = False
    toolbox = await make(mqtt=wire)

    assert await results_of(toolbox, ("turn_on", {"entity": "kitchen light"})) == ["error: the broker does not answer"]


async def test_without_a_broker_configured_tools_say_so(make: MakeToolbox, caplog: pytest.LogCaptureFixture) -> None:
    """At start in the log, at each call to the model."""
    toolbox = await make()

    assert await results_of(toolbox, ("turn_on", {"entity": "kitchen light"})) == ["error: no broker is configured"]
    assert "tool turn_on needs a broker, and [mqtt] is missing" in caplog.text
    assert "tool turn_off calls a service, and [home] homeassistant_url is missing" in caplog.text


# Home Assistant in its moods


@pytest.mark.parametrize(
    ("status", "result"),
    [
        (401, "error: Home Assistant refuses the token"),
        (403, "error: Home Assistant refuses the token"),
        (400, "error: Home Assistant does not know that"),
        (404, "error: Home Assistant does not know that"),
        (500, "error: Home Assistant failed (500)"),
        (301, "error: Home Assistant failed (301)"),
    ],
)
async def test_a_refusal_is_told_in_words(
    make: MakeToolbox, assistant: AssistantServer, status: int, result: str
) -> None:
    """By its status; a page that has moved has not switched anything."""
    assistant.status = status
    toolbox = await make(assistant=assistant)

    assert await results_of(toolbox, ("turn_off", {"entity": "kitchen light"})) == [result]


async def test_a_wrong_token_is_told_in_words(make: MakeToolbox, assistant: AssistantServer) -> None:
    """Home Assistant's own 401."""
    toolbox = await make(assistant=assistant, token="guessed")

    results = await results_of(toolbox, ("turn_off", {"entity": "kitchen light"}))

    assert results == ["error: Home Assistant refuses the token"]


async def test_one_that_does_not_answer_is_not_waited_for_long(
    make: MakeToolbox, assistant: AssistantServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes the request and is silent."""
    monkeypatch.setattr(homeassistant, "PATIENCE_SECONDS", 0.2)
    assistant.may_answer.clear()
    toolbox = await make(assistant=assistant)

    results = await results_of(toolbox, ("turn_off", {"entity": "kitchen light"}))

    assert results == ["error: Home Assistant does not answer"]


async def test_one_that_is_not_there_cannot_be_reached(make: MakeToolbox) -> None:
    """Nobody listens on that port."""
    async with assistant_server() as gone:
        pass
    toolbox = await make(assistant=gone)

    results = await results_of(toolbox, ("turn_off", {"entity": "kitchen light"}))

    assert results == ["error: Home Assistant cannot be reached"]


async def test_data_must_be_json(make: MakeToolbox, assistant: AssistantServer) -> None:
    """Home Assistant is not bothered with anything else; a text with quotes is made safe by `tojson`."""
    toolbox = await make(assistant=assistant)

    assert await results_of(toolbox, ("careless", {})) == ["error: its data is no JSON"]
    await results_of(toolbox, ("play", {"what": 'x", "entity_id": "lock.front_door'}))

    assert [data for _, data in assistant.calls] == [{"what": 'x", "entity_id": "lock.front_door'}]


async def test_devices_are_read_from_home_assistant(
    make: MakeToolbox, assistant: AssistantServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Of the domains that are named, with their areas; of two that are called the same, the first."""
    toolbox = await make(assistant=assistant, domains=("light", "media_player", "update"))

    setup = await toolbox.prepare({"prompt": "Be brief.", "tools": "home"})

    assert setup["prompt"] == "Be brief.\n\nDevices:\nkitchen light (light)\ndesk lamp (light in study)\nradio (media)"
    assert setup["tools"][0]["function"]["parameters"]["properties"]["entity"]["enum"] == ["kitchen light", "desk lamp"]
    assert "light.desk_2 of Home Assistant is left out" in caplog.text


@pytest.mark.parametrize("body", [b"<html>", b"5", b'[{"name": "x"}]', b"[[]]", b'{"message": "no"}'])
async def test_nonsense_costs_the_devices_and_not_the_daemon(
    make: MakeToolbox, assistant: AssistantServer, caplog: pytest.LogCaptureFixture, body: bytes
) -> None:
    """The file's own devices are there."""
    assistant.body = body
    toolbox = await make(assistant=assistant, domains=("light",))

    setup = await toolbox.prepare({"tools": "home"})

    assert setup["prompt"] == "Devices:\nkitchen light (light)"
    assert "no devices are read from Home Assistant: Home Assistant answered nonsense" in caplog.text


async def test_one_that_starts_later_is_asked_again_at_setup(make: MakeToolbox, assistant: AssistantServer) -> None:
    """After a power cut the board is up before it."""
    assistant.status = 503
    toolbox = await make(assistant=assistant, domains=("light",))
    assistant.status = 200

    setup = await toolbox.prepare({"tools": "home"})
    asked = len(assistant.calls)
    await toolbox.prepare({"tools": "home"})

    assert "desk lamp (light in study)" in setup["prompt"]
    assert len(assistant.calls) == asked


# Bad configuration


async def test_a_board_without_tools_says_so_at_setup(make: MakeToolbox) -> None:
    """Or one whose tools have no device."""
    for tools in ("", '[[tool]]\nname = "lock"\nkinds = ["lock"]\ntopic = "x"'):
        toolbox = await make(tools=tools, mqtt=Wire())

        with pytest.raises(LoadFailed, match="no tools, or no devices for them"):
            await toolbox.prepare({"tools": "home"})


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ("[[tool", "tools.toml: "),
        ('[[tool]]\nname = "t"\ntopic = "{{ entity.id"', "tool 't': topic is no template: "),
    ],
)
async def test_a_file_that_cannot_be_used_is_refused_at_start(make: MakeToolbox, tools: str, words: str) -> None:
    """With its name, or the tool's."""
    with pytest.raises(ConfigError) as refusal:
        await make(tools=tools, mqtt=Wire())

    assert words in refusal.value.reason


async def test_a_question_knows_only_the_device(make: MakeToolbox) -> None:
    """Its topics are followed from the start, when nobody has asked yet."""
    toolbox = await make(tools='[[tool]]\nname = "t"\nstate = "x/{{ room }}"', mqtt=Wire())

    with pytest.raises(ConfigError, match="'room' is undefined"):
        assert toolbox.state_topics


@pytest.mark.parametrize("url", ["homeassistant.local:8123", "http://homeassistant:port"])
async def test_a_url_that_is_none_is_refused_at_start(make: MakeToolbox, url: str) -> None:
    """Before anybody wants to switch anything."""
    with pytest.raises(ConfigError, match="homeassistant_url"):
        await make(assistant=AssistantServer(url=url))
