"""The bundled model with the devices of examples/home: what it is asked, what is switched, and what is said of it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.children import kept_children
from tests.support.clients.wire_client import WireClient, text_of
from tests.support.daemon import own_tasks_ended, running_app, tcp_client
from tests.support.home.boards import SETUP, calls_of, frames_of, said
from tests.support.servers.brokers import running_broker
from unitd.app import App

pytestmark = pytest.mark.asyncio(loop_scope="module")

EXAMPLE = Path(__file__).parents[2] / "examples" / "home" / "tools.toml"

# Where sampling is left to the model's card, more than one answer in three is another one.
TRIES = 10

Setup = dict[str, Any]

BEGINNING_OF_A_CALL = 3
"""The token `<tool_call>` of the bundled model."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_board(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[App]:
    """A board with these devices, for all tests of this file; what serves the bundled model stays."""
    folder = tmp_path_factory.mktemp("board")
    async with running_broker(folder / "broker") as broker:
        tables = {"mqtt": {"host": "127.0.0.1", "port": broker.port, "node": "box"}, "home": {"tools": str(EXAMPLE)}}
        async with running_app(folder, tables) as app, tcp_client(app) as keeper:
            await keeper.setup("llm", SETUP | {"model": "unitd-chat"})
            with kept_children():
                yield app


@pytest_asyncio.fixture(loop_scope="module")
async def board(shared_board: App) -> AsyncIterator[WireClient]:
    """A client of that board; its tasks end with the test."""
    async with own_tasks_ended(shared_board), tcp_client(shared_board) as client:
        yield client


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_bare_board(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[App]:
    """A board without tools, for all tests of this file."""
    async with running_app(tmp_path_factory.mktemp("bare")) as app, tcp_client(app) as keeper:
        await keeper.setup("llm", SETUP | {"model": "unitd-chat", "tools": "auto"})
        with kept_children():
            yield app


@pytest_asyncio.fixture(loop_scope="module")
async def bare_board(shared_bare_board: App) -> AsyncIterator[WireClient]:
    """A client of that board; its tasks end with the test."""
    async with own_tasks_ended(shared_bare_board), tcp_client(shared_bare_board) as client:
        yield client


async def asked(client: WireClient, question: str, **setup: Any) -> list[dict[str, Any]]:
    """The frames of one question to a new task."""
    work_id = await client.setup("llm", SETUP | {"model": "unitd-chat"} | setup)
    frames = await frames_of(client, work_id, question)
    await client.ask(work_id=work_id, action="exit")
    return frames


@pytest.mark.timeout(60)
async def test_the_same_wish_switches_the_same_things(board: WireClient) -> None:
    """Home commands are greedy: the tools' default wins over the card's temperature."""
    outcomes = [await asked(board, "get me some light in the kitchen") for _ in range(TRIES)]

    assert ("turn_on", "kitchen light") in calls_of(outcomes[0])
    assert all(calls_of(each) == calls_of(outcomes[0]) for each in outcomes)


@pytest.mark.timeout(60)
async def test_the_answer_names_what_was_switched_and_nothing_else(board: WireClient) -> None:
    """However many it calls for: each once, and each has its sentence."""
    frames = await asked(board, "turn off everything")

    calls = calls_of(frames)
    assert len(calls) == len(set(calls)) > 1
    assert said(frames) == f"Turned off {len(calls)} devices"


@pytest.mark.timeout(60)
async def test_what_a_device_does_not_take_is_said_in_our_words(board: WireClient) -> None:
    """The model is not asked to repeat it."""
    assert said(await asked(board, "set the heater to 99 degrees")) == "The heater takes 5 to 30 degrees."


@pytest.mark.timeout(60)
async def test_a_wish_that_is_repeated_is_done_again(board: WireClient) -> None:
    """In one conversation; and a question behind it is a question."""
    work_id = await board.setup("llm", SETUP | {"model": "unitd-chat", "history": True})

    wishes = ("turn off everything", "turn off everything", "is the desk lamp on?")
    first, second, question = [await frames_of(board, work_id, wish) for wish in wishes]

    assert len(calls_of(first)) > 1
    assert {device for _, device in calls_of(second)} <= {device for _, device in calls_of(first)}
    assert calls_of(second)
    assert calls_of(question) == [("get_state", "desk lamp")]


@pytest.mark.parametrize("wish", ["turn on the kitchen light", "it is too dark in here"])
async def test_where_there_are_no_tools_nothing_is_claimed(bare_board: WireClient, wish: str) -> None:
    """The model is told that there are none, and says that it cannot do it."""
    frames = await asked(bare_board, wish, tools="auto")

    assert "I'm sorry" in text_of(frames)


async def test_a_task_without_tools_never_says_a_call(bare_board: WireClient) -> None:
    """Whatever is drawn, or wished for: nobody would read it, and a voice would speak it."""
    bias = {str(BEGINNING_OF_A_CALL): 100}

    frames = await asked(bare_board, "it is too dark in here", tools="auto", logit_bias=bias)

    assert "I'm sorry" in text_of(frames)


async def test_where_there_are_tools_auto_means_them(board: WireClient) -> None:
    """What the page and `unitd chat` set up."""
    frames = await asked(board, "turn on the kitchen light", tools="auto")

    assert calls_of(frames) == [("turn_on", "kitchen light")]
    assert said(frames) == "Turned on the light"
