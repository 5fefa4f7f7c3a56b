"""Covers unitd.doors.home.assistant_skills: lists, weather and calendars of Home Assistant, on a whole board."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.children import kept_children
from tests.support.clients.wire_client import WireClient
from tests.support.daemon import own_tasks_ended, running_app, tcp_client
from tests.support.home.boards import frames_of, said
from tests.support.servers.assistant_server import TOKEN, AssistantServer, State, assistant_server
from unitd.app import App

pytestmark = [pytest.mark.timeout(60), pytest.mark.asyncio(loop_scope="module")]

SETUP = {"response_format": "intent.utf-8.stream", "enoutput": True, "input": "intent.utf-8"}


@dataclass
class Board:
    """A board that knows a Home Assistant, and none of its devices."""

    app: App
    assistant: AssistantServer


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def board(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Board]:
    """One board for all: its programs take longer to start than all else that a test does."""
    folder = tmp_path_factory.mktemp("board")
    (folder / "token").write_text(TOKEN)
    async with assistant_server() as server:
        home = {"homeassistant_url": server.url, "homeassistant_token_file": str(folder / "token")}
        async with running_app(folder, {"home": home}) as app, tcp_client(app) as keeper:
            await keeper.setup("intent", SETUP)
            with kept_children():
                yield Board(app, server)


@pytest.fixture
def assistant(board: Board) -> AssistantServer:
    """The Home Assistant, as it was at first."""
    board.assistant.forget()
    return board.assistant


@pytest_asyncio.fixture(loop_scope="module")
async def client(board: Board) -> AsyncIterator[WireClient]:
    """A client of the board, whose tasks end with the test."""
    async with own_tasks_ended(board.app), tcp_client(board.app) as client:
        yield client


async def answers(client: WireClient, *sentences: str) -> list[str]:
    """Return what is answered in one conversation."""
    task = await client.setup("intent", SETUP)
    return [said(await frames_of(client, task, each)) for each in sentences]


def have(assistant: AssistantServer, *entities: State) -> None:
    """Let Home Assistant have these entities alone."""
    assistant.entities = list(entities)
    assistant.states = {each.entity_id: {"state": each.state, "attributes": each.attributes} for each in entities}


async def test_the_lists_are_those_of_home_assistant(client: WireClient, assistant: AssistantServer) -> None:
    """Others are the board's."""
    have(assistant, State("todo.shopping_list", "Shopping List"), State("todo.tasks", "My tasks"))
    assistant.todo = {
        "todo.shopping_list": [{"summary": "Bread", "status": "completed"}],
        "todo.tasks": [{"summary": "call mom", "status": "needs_action"}],
    }

    told = await answers(
        client,
        "add milk and eggs to the shopping list",
        "what's on the shopping list",
        "tick off milk",
        "what's on my to-do list",
        "remove call mom from my to-do list",
        "add tent to the packing list",
        "clear the shopping list",
        "yes",
    )

    assert told == [
        "I have added milk and eggs to the shopping list.",
        "On the shopping list: milk and eggs.",
        "I have ticked off milk on the shopping list.",
        "On the to-do list: call mom.",
        "I have removed call mom from the to-do list.",
        "I have added tent to the packing list.",
        "Shall I remove the only item from the shopping list?",
        "The shopping list is empty now.",
    ]
    assert assistant.todo == {
        "todo.shopping_list": [
            {"summary": "Bread", "status": "completed"},
            {"summary": "milk", "status": "completed"},
        ],
        "todo.tasks": [],
    }


async def test_a_shopping_list_that_is_no_entity_is_used(client: WireClient, assistant: AssistantServer) -> None:
    """As older ones are."""
    have(assistant)
    assistant.shopping = [{"name": "Bread", "complete": False}]

    told = await answers(client, "add milk to the shopping list", "tick off bread", "what's on the shopping list")

    assert told[1:] == ["I have ticked off Bread on the shopping list.", "On the shopping list: milk."]


async def test_an_assistant_without_lists_leaves_them_to_the_board(
    client: WireClient, assistant: AssistantServer
) -> None:
    """One that cannot be reached does not: the list would be in two places."""
    have(assistant)
    own = await answers(client, "add milk to the shopping list", "what's on the shopping list")
    assistant.status = 503
    away = await answers(client, "add eggs to the shopping list")

    assert own[1] == "On the shopping list: milk."
    assert away == ["That did not work: Home Assistant failed (503)."]


def at(days: int, hour: int) -> str:
    """Return a time of the board in some days."""
    day = datetime.now().astimezone() + timedelta(days=days)
    return day.replace(hour=hour, minute=0, second=0, microsecond=0).isoformat()


async def test_the_weather_is_that_of_home_assistant(client: WireClient, assistant: AssistantServer) -> None:
    """Now, tomorrow, and where the forecast ends."""
    home = State("weather.home", "Home", supported_features=1, temperature=14.5, temperature_unit="°C")
    home.state = "partlycloudy"
    have(assistant, home)
    days = [
        {"datetime": at(0, 12), "condition": "sunny", "temperature": 18.2, "templow": 9.0},
        {"datetime": at(1, 12), "condition": "rainy", "temperature": 15, "templow": 8, "precipitation_probability": 85},
    ]
    assistant.responses["weather/get_forecasts"] = {"weather.home": {"forecast": days}}

    told = await answers(
        client,
        "what's the weather",
        "what will the weather be tomorrow",
        "will it rain tomorrow",
        "will it rain today",
        "will it rain the day after tomorrow",
        "how warm will it be tomorrow",
        "will it snow tomorrow",
    )

    assert told == [
        "It is partly cloudy and 14.5 degrees now. Today sunny, 9 to 18 degrees.",
        "Tomorrow rainy, 8 to 15 degrees.",
        "Yes, tomorrow it is going to rain, with 85 percent probability.",
        "No, today it is not going to rain.",
        "There is no forecast for the day after tomorrow.",
        "Tomorrow it will be 8 to 15 degrees.",
        "No, tomorrow it is not going to snow.",
    ]
    assert ("/api/services/weather/get_forecasts?return_response", {"entity_id": "weather.home", "type": "daily"}) in (
        assistant.calls
    )


async def test_a_day_is_made_of_its_hours(client: WireClient, assistant: AssistantServer) -> None:
    """Where the service has no days."""
    have(assistant, State("weather.home", "Home", supported_features=2))
    hours = [
        {"datetime": at(1, hour), "condition": "sunny" if hour == 12 else "cloudy", "temperature": hour}
        for hour in (6, 12, 18)
    ]
    assistant.responses["weather/get_forecasts"] = {"weather.home": {"forecast": hours}}

    told = await answers(client, "what's the weather tomorrow")

    assert told == ["Tomorrow sunny, 6 to 18 degrees."]


async def test_the_calendar_is_that_of_home_assistant(client: WireClient, assistant: AssistantServer) -> None:
    """The events of all calendars, in their order."""
    have(assistant, State("calendar.work", "Work"), State("calendar.home", "Home"))
    day = at(1, 0)[:10]
    assistant.responses["calendar/get_events"] = {
        "calendar.work": {"events": [{"summary": "meeting", "start": at(1, 14), "end": at(1, 15)}]},
        "calendar.home": {
            "events": [
                {"summary": "dentist", "start": at(1, 9), "end": at(1, 10)},
                {"summary": "birthday", "start": day, "end": day},
            ]
        },
    }

    told = await answers(client, "what's on my calendar tomorrow", "when is my next appointment")
    assistant.responses["calendar/get_events"] = {"calendar.work": {"events": []}}
    free = await answers(client, "do i have any appointments today", "when is my next appointment")

    assert told == [
        "You have 3 appointments tomorrow: birthday, dentist at 09:00 and meeting at 14:00.",
        "Your next appointment is tomorrow: birthday.",
    ]
    assert free == ["You have no appointments today.", "You have no appointments in the next two weeks."]


async def test_without_home_assistant_there_is_neither(tmp_path: Path) -> None:
    """The answer says how to get them."""
    async with running_app(tmp_path) as app, tcp_client(app) as client:
        told = await answers(client, "what's the weather", "what's on my calendar")

    assert told[0].startswith("I have no weather. It comes from Home Assistant")
    assert told[1].startswith("I have no calendar. It comes from Home Assistant")


async def test_nonsense_of_home_assistant_is_a_failure(client: WireClient, assistant: AssistantServer) -> None:
    """A body that is no JSON, or not what was asked for, is told as a failure, and the board goes on."""
    have(assistant, State("weather.home", "Home", supported_features=1), State("todo.shopping_list", "Shopping List"))
    told = []
    for body in (b"nonsense", b"[1]", b"{}", b"null"):
        assistant.body = body
        told += await answers(client, "what's the weather", "what's on the shopping list", "what's on my calendar")
    assistant.body = None
    well = await answers(client, "louder")

    assert all(each.startswith(("That did not work", "I could not", "I have no", "There is nothing")) for each in told)
    assert well == ["I have no loudspeaker here."]
