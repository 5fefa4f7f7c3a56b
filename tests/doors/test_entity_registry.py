"""Covers unitd.doors.home.entity_registry, by a toolbox: a server that speaks the WebSocket API, in all its moods."""

import logging
import ssl
from typing import Any

import pytest

from tests.support.home.toolboxes import MakeToolbox
from tests.support.servers.assistant_server import AssistantServer, State, assistant_server
from tests.support.servers.assistant_socket import CommandError
from unitd.doors.home import entity_registry
from unitd.doors.home.toolbox import HomeToolbox

ENTRIES = "config/entity_registry/get_entries"


@pytest.fixture(autouse=True)
def devices(assistant: AssistantServer) -> None:
    """A lamp with an alias, and a plug that the registry does not have."""
    assistant.entities = [State("light.desk", "desk lamp", "study", aliases=["moonbeam"]), State("switch.plug", "plug")]


def aliases_of(tools: HomeToolbox) -> dict[str, tuple[str, ...]]:
    """The aliases of all devices of Home Assistant."""
    return {each.id: each.aliases for each in tools.home.entities[1:]}


async def read(make_toolbox: MakeToolbox, assistant: AssistantServer) -> HomeToolbox:
    """The toolbox after it has read the devices."""
    tools: HomeToolbox = await make_toolbox(assistant=assistant, domains=("light", "switch"))
    return tools


async def test_aliases_are_read_from_home_assistant(make_toolbox: MakeToolbox, assistant: AssistantServer) -> None:
    """Those of devices, areas and floors."""
    tools = await read(make_toolbox, assistant)

    data = tools.home.as_data()

    assert aliases_of(tools) == {"light.desk": ("moonbeam",), "switch.plug": ()}
    assert data["areas"][0] == {"name": "study", "floor": "upstairs", "aliases": ["office", "work room"]}
    assert data["floors"] == [
        {"name": "upstairs", "aliases": ["top storey"]}, {"name": "ground floor", "aliases": []},
    ]  # fmt: skip
    assert tools.home.entity("Moonbeam") is tools.home.entity("desk lamp")


@pytest.mark.parametrize(
    ("told", "known"),
    [
        (["night lamp", "bed lamp"], ("bed lamp", "night lamp")),
        ([None, "night lamp", "Desk Lamp", " ", "x" * 101], ("night lamp",)),
        (["night\n  lamp", "night lamp"], ("night lamp",)),
        ([f"lamp {at}" for at in range(100, 200)], tuple(f"lamp {at}" for at in range(100, 132))),
    ],
)
async def test_only_an_alias_that_can_be_said_is_one(
    make_toolbox: MakeToolbox, assistant: AssistantServer, told: list[str | None], known: tuple[str, ...]
) -> None:
    """In one order, whatever Home Assistant's is: the prompt of a model is read in advance."""
    assistant.entities[0].aliases = told

    tools = await read(make_toolbox, assistant)

    assert aliases_of(tools)["light.desk"] == known


async def test_the_settings_of_a_device_are_not_offered(make_toolbox: MakeToolbox, assistant: AssistantServer) -> None:
    """Show that "turn on the switches" leaves the LED of a plug alone, which is a setting of it."""
    assistant.entities += [
        State("switch.plug_led", "plug LED", category="config"),
        State("light.plug_update", "plug update", category="diagnostic"),
        State("switch.fan", "fan", aliases=["blower"]),
    ]

    tools = await read(make_toolbox, assistant)

    assert list(aliases_of(tools)) == ["light.desk", "switch.plug", "switch.fan"]


async def test_a_large_house_is_asked_for_page_by_page(make_toolbox: MakeToolbox, assistant: AssistantServer) -> None:
    """An answer has a bound, and that of the registry would be megabytes."""
    assistant.entities = [State(f"light.lamp_{at}", f"lamp {at}", aliases=[f"bulb {at}"]) for at in range(450)]

    tools = await read(make_toolbox, assistant)

    assert [len(fields["entity_ids"]) for command, fields in assistant.calls if command == ENTRIES] == [200, 200, 50]
    assert aliases_of(tools) == {f"light.lamp_{at}": (f"bulb {at}",) for at in range(450)}


async def test_https_is_for_the_websocket_too(
    make_toolbox: MakeToolbox, certificate: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trust the same authorities as the requests over HTTP do."""
    monkeypatch.setenv("SSL_CERT_FILE", certificate["tls_cert"])
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate["tls_cert"], certificate["tls_key"])

    async with assistant_server(tls) as secure:
        secure.entities = [State("light.desk", "desk lamp", aliases=["moonbeam"])]
        tools = await read(make_toolbox, secure)
        await tools.close()

    assert aliases_of(tools) == {"light.desk": ("moonbeam",)}


# Without aliases the devices are there


def spoil(assistant: AssistantServer, **changes: Any) -> None:
    for name, value in changes.items():
        setattr(assistant, name, value)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"socket_status": 403}, "its WebSocket cannot be used (server rejected WebSocket connection: HTTP 403)"),
        ({"socket_status": 302}, "its WebSocket cannot be used (server rejected WebSocket connection: HTTP 302)"),
        ({"socket_token": "another"}, "its WebSocket refuses the token"),
        ({"results": {ENTRIES: CommandError("unauthorized")}}, f"it refuses {ENTRIES} (unauthorized)"),
        ({"results": {ENTRIES: []}}, "its WebSocket answered nonsense"),
        ({"results": {ENTRIES: 5}}, "its WebSocket answered nonsense"),
        ({"results": {ENTRIES: {"light.desk": 5}}}, "its WebSocket answered nonsense"),
        ({"results": {ENTRIES: {"light.desk": {"aliases": 5}}}}, "its WebSocket answered nonsense"),
        ({"results": {"config/area_registry/list": [{"aliases": []}]}}, "its WebSocket answered nonsense"),
        ({"results": {"config/floor_registry/list": [{"name": 5, "aliases": []}]}}, "its WebSocket answered nonsense"),
        ({"results": {"config/floor_registry/list": None}}, "its WebSocket answered nonsense"),
    ],
)
async def test_without_the_websocket_there_are_devices_without_aliases(
    make_toolbox: MakeToolbox,
    assistant: AssistantServer,
    caplog: pytest.LogCaptureFixture,
    changes: dict[str, Any],
    reason: str,
) -> None:
    """The log says so once; a redirect is not followed, because the token is for this address."""
    spoil(assistant, **changes)

    tools = await read(make_toolbox, assistant)
    await tools.prepare({"tools": "home"})

    assert aliases_of(tools) == {"light.desk": (), "switch.plug": ()}
    assert tools.home.as_data()["areas"][0] == {"name": "study", "floor": "upstairs", "aliases": []}
    lines = [each.getMessage() for each in caplog.records if "alias" in each.getMessage()]
    assert lines == [f"no aliases are read from Home Assistant: {reason}"]


async def test_an_answer_that_is_too_long_is_not_read(
    make_toolbox: MakeToolbox,
    assistant: AssistantServer,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The connection ends with its first bytes."""
    monkeypatch.setattr(entity_registry, "LONGEST_MESSAGE", 1_000)
    assistant.entities[0].aliases = ["x" * 1_000]

    tools = await read(make_toolbox, assistant)

    assert list(aliases_of(tools)) == ["light.desk", "switch.plug"]
    assert "no aliases are read from Home Assistant: its WebSocket cannot be used (" in caplog.text


async def test_a_websocket_that_is_silent_is_not_waited_for_long(
    make_toolbox: MakeToolbox,
    assistant: AssistantServer,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Home Assistant was stopped after the REST answers."""
    monkeypatch.setattr(entity_registry, "PATIENCE_SECONDS", 0.2)
    assistant.is_socket_silent = True

    tools = await read(make_toolbox, assistant)

    assert aliases_of(tools) == {"light.desk": (), "switch.plug": ()}
    assert "no aliases are read from Home Assistant: its WebSocket does not answer" in caplog.text


async def test_the_token_is_not_in_the_log(
    make_toolbox: MakeToolbox, assistant: AssistantServer, caplog: pytest.LogCaptureFixture
) -> None:
    """At the level debug, the library would write each message."""
    caplog.set_level(logging.DEBUG)

    tools = await read(make_toolbox, assistant)

    assert aliases_of(tools)["light.desk"] == ("moonbeam",)
    assert "letmein" not in caplog.text
