"""Covers unitd.doors.http.bargein.turn where the board has tools: what a session is told of them.

The model is a server elsewhere that calls what it is told to.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.children import kept_children
from tests.support.clients.bargein_client import Frame, Person, kinds_of, person_at, text_of
from tests.support.daemon import running_app, tcp_client
from tests.support.home.boards import SETUP
from tests.support.home.toolboxes import TOOLS
from tests.support.servers.assistant_server import TOKEN, AssistantServer, assistant_server
from tests.support.servers.calling_server import WISH, CallingServer, calling_server
from unitd.app import App

pytestmark = pytest.mark.asyncio(loop_scope="module")

TURN_OFF = '["turn_off", {"entity": "kitchen light"}]'
PLAY = '["play", {"what": "jazz"}]'
TURNED_OFF = '[{"name":"turn_off","arguments":{"entity":"kitchen light"}}]'
NO_CALL = {"type": "toolcall", "status": "no", "raw": "[]"}


@dataclass
class Board:
    """A board whose tools are services of Home Assistant, and what it talks to."""

    app: App
    caller: CallingServer
    assistant: AssistantServer


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_board(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Board]:
    """One board for all who leave it as it was: its programs take longer to start than all else that a test does."""
    folder = tmp_path_factory.mktemp("board")
    async with calling_server() as caller, assistant_server() as assistant:
        caller.card(folder)
        async with running_app(folder, tables_for(folder, assistant)) as app, tcp_client(app) as keeper:
            await keeper.setup("llm", SETUP)
            with kept_children():
                yield Board(app, caller, assistant)


@pytest.fixture
def board(shared_board: Board) -> Board:
    """Return that board, with what earlier tests left in its servers cleared."""
    shared_board.caller.forget()
    shared_board.assistant.forget()
    return shared_board


@pytest.fixture
def caller(board: Board) -> CallingServer:
    """The server of the board's model."""
    return board.caller


@pytest.fixture
def assistant(board: Board) -> AssistantServer:
    """The board's Home Assistant."""
    return board.assistant


@pytest.fixture
def tables(tmp_path: Path, assistant: AssistantServer, caller: CallingServer) -> dict[str, Any]:
    """The configuration of another board with the same servers, for one test."""
    caller.card(tmp_path)
    return tables_for(tmp_path, assistant)


@pytest_asyncio.fixture(loop_scope="module")
async def ann(board: Board) -> AsyncIterator[Person]:
    """Somebody who talks to the shared board."""
    async with person_at(board.app) as person:
        yield person


def tables_for(folder: Path, assistant: AssistantServer) -> dict[str, Any]:
    """Write the tools and the token; return the configuration."""
    (folder / "tools.toml").write_text(TOOLS)
    (folder / "token").write_text(TOKEN)
    home = {
        "tools": str(folder / "tools.toml"),
        "homeassistant_url": assistant.url,
        "homeassistant_token_file": str(folder / "token"),
    }
    return {"http": {"enabled": True, "barge_in": {"model": "caller"}}, "home": home}


def toolcalls_of(frames: list[Frame]) -> list[tuple[str, str]]:
    """Status and raw of each."""
    return [(frame["status"], frame["raw"]) for frame in frames if frame["type"] == "toolcall"]


async def test_a_call_is_told_before_the_answer(ann: Person, assistant: AssistantServer) -> None:
    """It is done, and the token is what came of it."""
    frames = await ann.turn(f"{WISH}[{TURN_OFF}]")

    assert kinds_of(frames) == ["ack", "toolcall", "token", "final", "done"]
    assert toolcalls_of(frames) == [("yes", TURNED_OFF)]
    assert text_of(frames) == "The kitchen light is off."
    assert [path for path, _ in assistant.calls][1:] == ["/api/services/light/turn_off"]


async def test_an_answer_without_a_call_is_told_too(ann: Person, assistant: AssistantServer) -> None:
    """The decision comes before the first token."""
    frames = await ann.turn("hello")

    assert kinds_of(frames) == ["ack", "toolcall", "token", "final", "done"]
    assert frames[1] == NO_CALL
    assert assistant.calls == []


async def test_each_call_is_told(ann: Person) -> None:
    """In their order; nobody is told afterwards that there was none."""
    frames = await ann.turn(f"{WISH}[{TURN_OFF}, {PLAY}]")

    assert toolcalls_of(frames) == [("yes", TURNED_OFF), ("yes", '[{"name":"play","arguments":{"what":"jazz"}}]')]
    assert text_of(frames) == ("The kitchen light is off. That did not work: Home Assistant does not know that.")


async def test_a_call_behind_words_is_told_too(ann: Person) -> None:
    """A model may think of it late: the tokens before it did not wait."""
    frames = await ann.turn(f"well {WISH}[{TURN_OFF}]")

    assert kinds_of(frames) == ["ack", "toolcall", "token", "toolcall", "token", "final", "done"]
    assert toolcalls_of(frames) == [("no", "[]"), ("yes", TURNED_OFF)]
    assert frames[-2]["normalized_text"] == "Well. The kitchen light is off."


async def test_an_answer_without_a_word_has_its_decision(ann: Person) -> None:
    """Of this one nothing is left for a voice."""
    frames = await ann.turn("😀")

    assert kinds_of(frames) == ["ack", "toolcall", "final", "done"]
    assert frames[1] == NO_CALL


async def test_a_yes_is_for_what_its_own_session_was_asked(
    tmp_path: Path, tables: dict[str, Any], caller: CallingServer, assistant: AssistantServer
) -> None:
    """On one connection; each turn has a task of its own."""
    (tmp_path / "tools.toml").write_text(f'confirm = ["turn_off"]\n{TOOLS}')
    async with running_app(tmp_path, tables) as app, person_at(app) as person:
        asked = await person.turn("turn off the kitchen light", "ann")
        elsewhere = await person.turn("yes", "ben")
        answered = await person.turn("yes", "ann")

    assert text_of(asked) == "Shall I turn off the kitchen light?"
    assert toolcalls_of(elsewhere) == [("no", "[]")]
    assert text_of(answered) == "The kitchen light is off."
    assert [path for path, _ in assistant.calls][1:] == ["/api/services/light/turn_off"]


async def test_a_persona_knows_the_devices(ann: Person, caller: CallingServer) -> None:
    """They stand behind everything that the client told."""
    await ann.turn("hello", persona_text="You are a butler.", history_text="woman: good evening")

    system = caller.bodies[0]["messages"][0]["content"]
    assert system.startswith(
        "You are a butler.\nThis was said before: woman: good evening\n\nDevices:\n- kitchen light"
    )
    assert "turn_off" in [each["function"]["name"] for each in caller.bodies[0]["tools"]]


async def test_a_turn_is_cut_while_a_tool_is_at_work(ann: Person, assistant: AssistantServer) -> None:
    """The outcome that the tool sends later is dropped."""
    assistant.may_answer.clear()
    await ann.start(f"{WISH}[{TURN_OFF}]")
    await ann.until("toolcall")

    await ann.say(type="cancel")
    answer = await ann.hear()
    assistant.may_answer.set()
    frames = await ann.turn("hello")

    assert answer == {"type": "done", "cancelled": True}
    assert text_of(frames) == "hello"


async def test_what_cannot_be_done_is_said(ann: Person, assistant: AssistantServer) -> None:
    """In the answer; the turn is a turn like any other."""
    assistant.status = 401

    frames = await ann.turn(f"{WISH}[{TURN_OFF}]")

    assert text_of(frames) == "That did not work for the kitchen light: Home Assistant refuses the token."
    assert frames[-1]["type"] == "done"


async def test_a_persona_is_warmed_with_the_devices(
    tmp_path: Path, tables: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """By the bundled model: the first answer finds all of its system prompt read."""
    tables["http"]["barge_in"]["model"] = "default"
    async with running_app(tmp_path, tables) as app, person_at(app) as ann:
        await ann.say(type="warm_persona", persona_text="You are a butler.")

        assert await ann.hear() == {"type": "warmed", "segment": "persona", "bytes": 17}


async def test_a_board_whose_tools_have_no_devices_says_so(
    tmp_path: Path, tables: dict[str, Any], caller: CallingServer
) -> None:
    """Home Assistant was to name them, and is away."""
    (tmp_path / "tools.toml").write_text('[[tool]]\nname = "lock"\nkinds = ["lock"]\nservice = "lock.lock"')
    async with running_app(tmp_path, tables) as app, person_at(app) as ann:
        frames = await ann.turn("hello")

    assert frames[-1]["error_code"] == "internal_error"
    assert "no tools, or no devices for them" in frames[-1]["message"]
    assert caller.bodies == []
