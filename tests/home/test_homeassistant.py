"""A board whose configuration names a Home Assistant and no file of tools, as the whole daemon."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.children import kept_children
from tests.support.daemon import running_app, tcp_client
from tests.support.home.boards import calls_of, frames_of, said
from tests.support.servers.assistant_server import TOKEN, AssistantServer, State, assistant_server
from unitd.app import App

pytestmark = pytest.mark.asyncio(loop_scope="module")

SETUP = {"response_format": "intent.utf-8.stream", "enoutput": True, "input": "intent.utf-8"}
DOMAINS = ["light", "cover", "climate", "sensor"]


@dataclass
class Board:
    """The board, and its Home Assistant."""

    app: App
    assistant: AssistantServer

    def told(self, name: str) -> list[object]:
        """Return the data of all calls of a service."""
        return [data for path, data in self.assistant.calls if path == f"/api/services/{name}"]


def at_home(assistant: AssistantServer) -> None:
    """Furnish a house: a lamp in colors, one that can only be switched, a blind, and two rooms with a temperature."""
    assistant.entities = [
        State("light.desk", "desk lamp", "study", aliases=["moonbeam"], supported_color_modes=["hs"], brightness=128),
        State("light.hall", "hall lamp", "hall", supported_color_modes=["onoff"]),
        State("light.plug_led", "status LED", "study", category="config"),
        State("cover.blind", "blind", "study", "blind", supported_features=3),
        State("climate.study", "heater", "study", supported_features=385, current_temperature=20.5),
        State("sensor.hall", "hall thermometer", "hall", "temperature", unit_of_measurement="°C"),
    ]
    states = {"light.hall": "unavailable", "climate.study": "heat", "sensor.hall": "17"}
    assistant.states = {
        each.entity_id: {"state": states.get(each.entity_id, "on"), "attributes": each.attributes}
        for each in assistant.entities
    }


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def board(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Board]:
    """A board with four lines of configuration; its program of sentences is started once."""
    folder: Path = tmp_path_factory.mktemp("homeassistant")
    (folder / "token").write_text(TOKEN)
    async with AsyncExitStack() as stack:
        assistant = await stack.enter_async_context(assistant_server())
        at_home(assistant)
        home = {
            "homeassistant_url": assistant.url,
            "homeassistant_token_file": str(folder / "token"),
            "domains": DOMAINS,
        }
        app = await stack.enter_async_context(running_app(folder, {"home": home}))
        keeper = await stack.enter_async_context(tcp_client(app))
        await keeper.setup("intent", SETUP)
        with kept_children():
            yield Board(app, assistant)


@pytest.mark.parametrize(
    ("sentence", "service", "fields"),
    [
        ("turn on the desk lamp", "light/turn_on", {"entity_id": "light.desk"}),
        ("make the moonbeam blue", "light/turn_on", {"entity_id": "light.desk", "color_name": "blue"}),
        ("dim the desk lamp to 30 percent", "light/turn_on", {"entity_id": "light.desk", "brightness_pct": 30}),
        ("make the desk lamp brighter", "light/turn_on", {"entity_id": "light.desk", "brightness_pct": 70}),
        ("close the blind in the study", "cover/close_cover", {"entity_id": "cover.blind"}),
        (
            "set the heater to 21.5 degrees",
            "climate/set_temperature",
            {"entity_id": "climate.study", "temperature": 21.5},
        ),
    ],
)
async def test_a_sentence_becomes_a_service_of_home_assistant(
    board: Board, sentence: str, service: str, fields: dict[str, object]
) -> None:
    """Without a tool in any file."""
    board.assistant.calls.clear()
    async with tcp_client(board.app) as client:
        work_id = await client.setup("intent", SETUP)

        frames = await frames_of(client, work_id, sentence)

    assert board.told(service) == [fields], said(frames)


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("make the hall lamp red", "I have no way to set the color of the hall lamp."),
        ("set the blind in the study to 40 percent", "I have no way to set the position of the blind."),
        ("turn on the hall lamp", "That did not work for the hall lamp: the device is unavailable in Home Assistant."),
        ("turn on the status LED", "I did not understand."),
        ("how warm is it in the house?", "Study: 20.5 degrees. Hall: 17 degrees."),
    ],
)
async def test_what_a_device_cannot_do_is_said_and_not_sent(board: Board, sentence: str, answer: str) -> None:
    """Nor is anything else done; states are read."""
    board.assistant.calls.clear()
    async with tcp_client(board.app) as client:
        work_id = await client.setup("intent", SETUP)

        frames = await frames_of(client, work_id, sentence)

    assert said(frames) == answer
    assert not [path for path, _ in board.assistant.calls if path.startswith("/api/services/")]


async def test_a_light_that_does_not_respond_is_not_turned_on_instead(board: Board) -> None:
    """Its brightness cannot be read."""
    board.assistant.calls.clear()
    state = board.assistant.states["light.desk"]
    board.assistant.states["light.desk"] = {"state": "unavailable", "attributes": {}}
    try:
        async with tcp_client(board.app) as client:
            frames = await frames_of(client, await client.setup("intent", SETUP), "make the desk lamp brighter")
    finally:
        board.assistant.states["light.desk"] = state

    assert calls_of(frames) == [("get_state", "desk lamp")]
    assert said(frames) == "That did not work for the desk lamp: the device does not respond."


async def test_a_board_whose_home_assistant_is_away_has_its_skills(tmp_path: Path) -> None:
    """A task that wants its devices is refused, with the reason; one that takes what is there tells the time."""
    (tmp_path / "token").write_text(TOKEN)
    home = {
        "homeassistant_url": "http://127.0.0.1:1",
        "homeassistant_token_file": str(tmp_path / "token"),
        "domains": DOMAINS,
    }
    async with running_app(tmp_path, {"home": home}) as app, tcp_client(app) as client:
        refused = await client.ask(work_id="intent", action="setup", data=SETUP)
        answers = []
        for tools in ("auto", "skills"):
            task = await client.setup("intent", SETUP | {"tools": tools})
            answers.append(await client.answer(task, "what is 2 plus 3"))

    assert refused["error"]["code"] == -5
    assert "Home Assistant cannot be reached" in refused["error"]["message"]
    assert answers == ["That is 5.", "That is 5."]
