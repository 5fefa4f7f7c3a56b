"""One board for all tests of a file in this folder: they leave it as it was, and run on its event loop."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

from tests.support.children import kept_children
from tests.support.clients.wire_client import WireClient
from tests.support.daemon import tcp_client
from tests.support.home.boards import SETUP, Board, running_board
from tests.support.servers.assistant_server import AssistantServer
from tests.support.servers.brokers import Listener, listening
from tests.support.servers.calling_server import CallingServer


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_board(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Board]:
    """The board: its programs take longer to start than all else that a test does."""
    async with running_board(tmp_path_factory.mktemp("board")) as board, tcp_client(board.app) as keeper:
        await keeper.setup("llm", SETUP)
        with kept_children():
            yield board


@pytest.fixture
def board(shared_board: Board, caplog: pytest.LogCaptureFixture) -> Board:
    """Return the shared board, with what earlier tests left in its servers cleared."""
    caplog.set_level(logging.INFO)
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


@pytest_asyncio.fixture(loop_scope="module")
async def listener(board: Board) -> AsyncIterator[Listener]:
    """Run a client that receives every message of the board's broker."""
    async with listening(board.broker) as listener:
        yield listener


@pytest_asyncio.fixture(loop_scope="module")
async def client(board: Board) -> AsyncIterator[WireClient]:
    """Run a client of the board."""
    async with tcp_client(board.app) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="module")
async def clients(board: Board) -> AsyncIterator[Callable[[], Awaitable[WireClient]]]:
    """Return a function that makes clients of the board."""
    async with AsyncExitStack() as stack:
        yield lambda: stack.enter_async_context(tcp_client(board.app))
