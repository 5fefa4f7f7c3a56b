"""Covers unitd.doors.home.homeassistant, by a toolbox: which devices are read from Home Assistant, and when."""

import pytest

from tests.support.home.toolboxes import TOOLS, MakeToolbox, Wire, results_of
from tests.support.servers.assistant_server import AssistantServer, State
from unitd.doors.home import toolbox
from unitd.wire.errors import LoadFailed


async def test_devices_are_read_from_home_assistant(make_toolbox: MakeToolbox, assistant: AssistantServer) -> None:
    """Read the devices of the named domains with their areas; two devices of one name are called by their ids."""
    tools = await make_toolbox(assistant=assistant, domains=("light", "media_player", "update"))

    setup = await tools.prepare({"prompt": "Be brief.", "tools": "home"})

    assert setup["prompt"] == (
        'Be brief.\n\nDevices:\n- kitchen light; light: "kitchen light"\n'
        '- desk lamp; light in study, upstairs: "light.desk"\n- radio; media: "radio"\n'
        '- desk lamp; light in hall, ground floor: "light.desk_2"'
    )
    assert setup["tools"][0]["function"]["parameters"]["properties"]["entity"]["enum"] == [
        "kitchen light", "light.desk", "light.desk_2",
    ]  # fmt: skip


async def test_a_name_that_two_devices_have_switches_neither(
    make_toolbox: MakeToolbox, assistant: AssistantServer
) -> None:
    """A model on another machine may write it; by its id each can be switched."""
    wire = Wire()
    tools = await make_toolbox(mqtt=wire, assistant=assistant, domains=("light",))

    results = await results_of(tools, ("turn_on", {"entity": "desk lamp"}), ("turn_on", {"entity": "light.desk_2"}))

    assert results == ["There is more than one desk lamp here: light.desk or light.desk_2.", "The desk lamp is on."]
    assert [topic for topic, _ in wire.commands] == ["home/light.desk_2/set"]


async def test_areas_floors_and_classes_are_read_from_home_assistant(
    make_toolbox: MakeToolbox, assistant: AssistantServer
) -> None:
    """All areas, also those without a device; a device without a name is left out."""
    tools = await make_toolbox(assistant=assistant, domains=("light", "binary_sensor", "sensor"))

    data = tools.home.as_data()

    assert [(each["name"], each["floor"]) for each in data["areas"]] == [
        ("study", "upstairs"), ("Hall", "ground floor"), ("kitchen", ""),
    ]  # fmt: skip
    assert [each["name"] for each in data["floors"]] == ["upstairs", "ground floor"]
    assert data["entities"][1:] == [
        {
            "name": name, "kind": kind, "area": area, "floor": "", "aliases": [], "device_class": device_class,
            "id": entity_id,
        }
        for name, kind, area, device_class, entity_id in (
            ("desk lamp", "light", "study", "", "light.desk"),
            ("desk lamp", "light", "Hall", "", "light.desk_2"),
            ("kitchen window", "sensor", "kitchen", "window", "binary_sensor.window"),
        )
    ]  # fmt: skip


async def test_a_hidden_device_is_not_offered(make_toolbox: MakeToolbox, assistant: AssistantServer) -> None:
    """A person has hidden it, or a group that it belongs to."""
    assistant.entities = [State("light.lamp", "lamp"), State("light.part", "part of the lamp", is_hidden=True)]

    tools = await make_toolbox(assistant=assistant, domains=("light",))

    assert [each.id for each in tools.home.entities] == ["kitchen", "light.lamp"]


async def test_a_device_whose_integration_is_gone_is_not_offered(
    make_toolbox: MakeToolbox, assistant: AssistantServer
) -> None:
    """Home Assistant only remembers it; one that is away for a moment is offered."""
    assistant.entities = [State("light.lamp", "lamp", restored=False), State("light.old", "old lamp", restored=True)]

    tools = await make_toolbox(assistant=assistant, domains=("light",))

    assert [each.id for each in tools.home.entities] == ["kitchen", "light.lamp"]


@pytest.mark.parametrize("count", [500, 1_250])
async def test_a_large_house_is_read_page_by_page(
    make_toolbox: MakeToolbox, assistant: AssistantServer, count: int
) -> None:
    """Home Assistant renders no more than 256 KiB at once."""
    assistant.entities = [
        State(f"light.lamp_{at}", f"Lämpchen {at} " + "x" * 50, is_hidden=at == 3) for at in range(1 + count)
    ]

    tools = await make_toolbox(assistant=assistant, domains=("light",))

    assert len({each.id for each in tools.home.entities}) == 1 + count
    assert assistant.longest_body < 256 * 1024


async def test_a_device_of_the_file_is_not_read_again(
    make_toolbox: MakeToolbox, assistant: AssistantServer, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says so."""
    file = TOOLS.replace('id = "kitchen"', 'id = "light.desk"')

    tools = await make_toolbox(tools=file, assistant=assistant, domains=("light",))

    assert [each.id for each in tools.home.entities] == ["light.desk", "light.desk_2"]
    assert "light.desk of Home Assistant is left out: the file has this device" in caplog.text


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"5",
        b'[{"name": "x"}]',
        b"[[]]",
        b'{"message": "no"}',
        b'{"areas": [{"id": 1, "name": 2}], "floors": []}',
    ],
)
async def test_nonsense_costs_the_devices_and_not_the_daemon(
    make_toolbox: MakeToolbox, assistant: AssistantServer, caplog: pytest.LogCaptureFixture, body: bytes
) -> None:
    """The file's own devices are there."""
    assistant.body = body
    tools = await make_toolbox(assistant=assistant, domains=("light",))

    setup = await tools.prepare({"tools": "home"})

    assert setup["prompt"] == 'Devices:\n- kitchen light; light: "kitchen light"'
    assert "no devices are read from Home Assistant: Home Assistant answered nonsense" in caplog.text


@pytest.mark.parametrize("config", [b"<html>", b"[]", b"{}"])
async def test_a_server_that_is_no_home_assistant_costs_its_devices(
    make_toolbox: MakeToolbox, assistant: AssistantServer, caplog: pytest.LogCaptureFixture, config: bytes
) -> None:
    """Ask for no further page."""
    assistant.config = config

    await make_toolbox(assistant=assistant, domains=("light",))

    assert assistant.calls == [("/api/config", None)]
    assert "no devices are read from Home Assistant: Home Assistant answered nonsense" in caplog.text


async def test_one_that_is_still_starting_is_asked_again_at_setup(
    make_toolbox: MakeToolbox,
    assistant: AssistantServer,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ask again, because Home Assistant answers before it has all its devices."""
    monkeypatch.setattr(toolbox, "REREAD_SECONDS", 0.0)
    assistant.config = b'{"state": "STARTING"}'
    tools = await make_toolbox(assistant=assistant, domains=("light",))
    at_first = [each.id for each in tools.home.entities]
    assistant.config = b'{"state": "RUNNING"}'

    await tools.prepare({"tools": "home"})

    assert (at_first, [each.id for each in tools.home.entities]) == (
        ["kitchen"],
        ["kitchen", "light.desk", "light.desk_2"],
    )
    assert "no devices are read from Home Assistant: Home Assistant is starting or stopping" in caplog.text


async def test_devices_are_read_with_the_token_of_an_administrator(
    make_toolbox: MakeToolbox, assistant: AssistantServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Home Assistant renders templates for no other; the log says which token is needed."""
    assistant.is_admin = False

    await make_toolbox(assistant=assistant, domains=("light",))

    assert "Home Assistant refuses the token, which is not an administrator's" in caplog.text


async def test_one_that_starts_later_is_asked_again_at_setup(
    make_toolbox: MakeToolbox, assistant: AssistantServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a power cut the board is up before it."""
    monkeypatch.setattr(toolbox, "REREAD_SECONDS", 0.0)
    assistant.status = 503
    tools = await make_toolbox(assistant=assistant, domains=("light",))
    assistant.status = 200

    setup = await tools.prepare({"tools": "home"})
    asked = len(assistant.calls)
    await tools.prepare({"tools": "home"})

    assert '- desk lamp; light in study, upstairs: "light.desk"' in setup["prompt"]
    assert len(assistant.calls) == asked


async def test_a_setup_without_devices_says_why_there_are_none(
    make_toolbox: MakeToolbox, assistant: AssistantServer
) -> None:
    """All devices come from Home Assistant, which has failed."""
    assistant.status = 503
    tool = "[[tool]]\nname = 'lock'\nkinds = ['lock']\nservice = 'lock.lock'"
    tools = await make_toolbox(tools=tool, assistant=assistant, domains=("lock",))

    with pytest.raises(LoadFailed, match=r"see \[home\]; Home Assistant failed \(503\)"):
        await tools.prepare({"tools": "home"})


async def test_one_that_is_away_does_not_delay_each_setup(
    make_toolbox: MakeToolbox, assistant: AssistantServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Doors set a task up for each question; the log complains once."""
    assistant.status = 503
    tools = await make_toolbox(assistant=assistant, domains=("light",))

    setups = [await tools.prepare({"tools": "home"}) for _ in range(3)]

    assert {setup["prompt"] for setup in setups} == {'Devices:\n- kitchen light; light: "kitchen light"'}
    assert len(assistant.calls) == 1
    assert caplog.text.count("no devices are read from Home Assistant") == 1
