"""Fixtures and guards for all tests."""

import gc
import logging
import socket
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import AsyncExitStack, ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx

from tests.support.alone import is_alone, place_for
from tests.support.children import children_left
from tests.support.clients.wire_client import WireClient
from tests.support.daemon import own_tasks_ended, running_app, shared_app, tcp_client
from tests.support.fast import Guard, is_fast
from tests.support.servers.brokers import Broker, Listener, listening, running_broker
from tests.support.servers.calling_server import CallingServer, calling_server
from tests.support.setups import LLM_SETUP
from unitd.app import App
from unitd.core.config.schema import MqttSettings, Settings, WyomingSettings

_guard = Guard()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector, which takes a third of the time and finds nothing.

    What is there after that stays to the end, so it is not looked through either.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the fast tests their marker before `-m` chooses among all.

    The files with fast tests alone come late: they are short, so all workers end at about the same time. After them
    come those of which every test is to be alone: nothing else is left to run meanwhile. In other files such tests
    come first, one after the other.
    """
    fast = {item for item in items if is_fast(item)}
    for item in fast:
        item.add_marker("fast")
    with_slow_tests = {item.path for item in items if item not in fast}
    with_others = {item.path for item in items if not is_alone(item)}
    items.sort(key=lambda item: (item.path not in with_others, item.path not in with_slow_tests))
    place = {path: number for number, path in enumerate(dict.fromkeys(item.path for item in items))}
    items.sort(key=lambda item: (place[item.path], not is_alone(item)))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Wait until the test may run; the time limit of the test begins after that."""
    with place_for(item, nextitem):
        return (yield)


@pytest.fixture(scope="session", autouse=True)
def no_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the session a home of its own, so that no test touches a daemon of the person who runs the tests."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session", autouse=True)
def default_ports() -> Iterator[None]:
    """Occupy the default ports of the daemon and of a broker, so that no test can need them."""
    ports = (Settings().tcp.port, Settings().http.port, WyomingSettings().port, MqttSettings().port)
    with ExitStack() as stack:
        for port in ports:
            with suppress(OSError):  # it is in use already
                stack.enter_context(socket.create_server(("127.0.0.1", port)))
        yield


@pytest.fixture(autouse=True)
def no_processes(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let no test with the marker `fast` start a process."""
    _guard.is_on = request.node.get_closest_marker("fast") is not None
    yield
    _guard.is_on = False


@pytest.fixture(autouse=True)
def no_leftovers() -> Iterator[None]:
    """Let no test leave a child process behind."""
    yield
    children = children_left()
    assert not children, f"left over: {[child.cmdline() for child in children]}"


@pytest.fixture(scope="session", autouse=True)
def no_blocking() -> Iterator[None]:
    """Fail a test in which the daemon blocks the event loop; the test itself may read a file."""
    with blockbuster_ctx(["unitd"]):
        yield


@pytest.fixture
async def own_daemon(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[App]:
    """Run the daemon with its defaults for one test."""
    caplog.set_level(logging.INFO)
    async with running_app(tmp_path) as app:
        yield app


@pytest.fixture
def daemon(own_daemon: App) -> App:
    """Return that daemon. A file whose tests leave their daemon as it was returns `shared_daemon` here."""
    return own_daemon


@pytest.fixture(scope="module")
def module_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Run the daemon with its defaults and an llm task for all tests of a file."""
    with shared_app(tmp_path_factory.mktemp("daemon"), {}, {"llm": LLM_SETUP}) as app:
        yield app


@pytest.fixture
async def reused_daemon(module_app: App, caplog: pytest.LogCaptureFixture) -> AsyncIterator[App]:
    """Return the daemon of the file; the tasks that a test sets up end with it."""
    caplog.set_level(logging.INFO)
    async with own_tasks_ended(module_app):
        yield module_app


@pytest.fixture
def shared_daemon(request: pytest.FixtureRequest, module_app: App) -> App:
    """Return the daemon of the file, or for a test with the marker `own_daemon` one of its own."""
    is_own = request.node.get_closest_marker("own_daemon") is not None
    daemon: App = request.getfixturevalue("own_daemon" if is_own else "reused_daemon")
    return daemon


@pytest.fixture
async def clients(daemon: App) -> AsyncIterator[Callable[[], Any]]:
    """Return a function that makes clients of the daemon."""
    async with AsyncExitStack() as stack:

        async def make() -> WireClient:
            return await stack.enter_async_context(tcp_client(daemon))

        yield make


@pytest.fixture
async def client(clients: Callable[[], Any]) -> WireClient:
    """Return a client of the daemon."""
    made: WireClient = await clients()
    return made


@pytest.fixture
async def caller(tmp_path: Path) -> AsyncIterator[CallingServer]:
    """Run the server of the model "caller", which calls the tools that a question names."""
    async with calling_server() as server:
        server.card(tmp_path)
        yield server


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Broker]:
    """Run a Mosquitto on a free port."""
    async with running_broker(tmp_path / "broker") as broker:
        yield broker


@pytest.fixture
async def listener(broker: Broker) -> AsyncIterator[Listener]:
    """Run a client that receives every message of the broker."""
    async with listening(broker) as listener:
        yield listener
