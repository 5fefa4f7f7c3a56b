"""A whole daemon in the process of the test, and clients of its TCP port."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
from anyio.from_thread import start_blocking_portal
from websockets.asyncio.client import connect

from tests.support.children import children_left, kept_children
from tests.support.clients.wire_client import WireClient
from tests.support.waiting import eventually
from unitd.app import App, unit_argv
from unitd.core.config.loader import read_settings
from unitd.core.config.schema import Settings
from unitd.settings import find_program_folders


@asynccontextmanager
async def running_app(
    folder: Path,
    document: dict[str, Any] | None = None,
    argv_for: Callable[[str], Sequence[str]] = unit_argv,
    again: dict[str, Any] | None = None,
    model_cards: Path | None = None,
) -> AsyncIterator[App]:
    """Run a whole daemon on free ports with its state in `folder`. `again` holds the tables that a reload reads anew,
    `model_cards` names another catalogue."""
    defaults: dict[str, Any] = {
        "state": {"dir": str(folder)},
        "models": {"dir": [str(folder / "models")]},
        "tcp": {"port": 0},
        "unix": {"path": str(folder / "unitd.sock")},
        "http": {"enabled": False, "port": 0},
        "audio": {"capture": "", "playback": ""},
    }
    for table, values in (document or {}).items():
        defaults[table] = defaults.get(table, {}) | values if isinstance(values, dict) else values

    def read_again() -> Settings:
        return read_settings(defaults | (again or {}))

    settings = read_settings(defaults)
    program_folders = await asyncio.to_thread(find_program_folders)
    program_folders = replace(program_folders, model_cards=model_cards or program_folders.model_cards)
    app = await asyncio.to_thread(lambda: App(settings, program_folders, argv_for=argv_for, read_again=read_again))
    running = asyncio.create_task(app.run())
    started = asyncio.create_task(app.started.wait())
    await asyncio.wait([running, started], return_when=asyncio.FIRST_COMPLETED)
    try:
        if not app.started.is_set():
            started.cancel()
            await running
        yield app
    finally:
        app.stop()
        await running


@contextmanager
def life_logged() -> Iterator[None]:
    """Log what becomes of a daemon that several tests share, as `caplog` does for one test."""
    logger = logging.getLogger("unitd")
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(logging.NOTSET)


@asynccontextmanager
async def tcp_client(app: App) -> AsyncIterator[WireClient]:
    """Connect a client to the daemon's TCP port."""
    host, port = app.endpoints["tcp"]
    client = WireClient(*await asyncio.open_connection(host, port, limit=32 * 1024 * 1024))
    try:
        yield client
    finally:
        await client.close()


@contextmanager
def shared_app(
    folder: Path, document: dict[str, Any], setups: Mapping[str, dict[str, Any]], *more: tuple[str, dict[str, Any]]
) -> Iterator[App]:
    """Run a daemon in a thread of its own, so that tests with loops of their own can share it.

    It has a task of each of these units, so that their programs, whose start takes longer than most tests, stay; `more`
    are further ones, such as of other models.
    """
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(running_app(folder, document)) as app:
        portal.call(_set_up, app, [*setups.items(), *more])
        with kept_children():
            yield app


async def _set_up(app: App, setups: Sequence[tuple[str, dict[str, Any]]]) -> None:
    async with tcp_client(app) as client:
        for unit, setup in setups:
            await client.setup(unit, setup)


async def start_programs(app: App, *setups: tuple[str, dict[str, Any]]) -> None:
    """Start the programs of these setups; they stay without a task, as those do that served HTTP."""
    host, port = app.endpoints["http"]
    async with connect(f"ws://{host}:{port}/ws/units") as socket:
        for unit, setup in setups:
            request = {"request_id": "1", "work_id": unit, "action": "setup", "data": setup}
            await socket.send(orjson.dumps(request).decode())
            reply = orjson.loads(await socket.recv())
            assert reply["error"]["code"] == 0, reply
            await socket.send(orjson.dumps({"work_id": reply["work_id"], "action": "exit"}).decode())
            await socket.recv()


async def start_audio(app: App) -> None:
    """Start the program of the sound devices, which then stays."""
    async with tcp_client(app) as client:
        await client.ask(work_id="audio", action="audio_status")


@asynccontextmanager
async def own_tasks_ended(app: App) -> AsyncIterator[App]:
    """End the tasks that are set up inside the `async with` block, and the programs that nobody else uses."""
    async with tcp_client(app) as client:
        before = await _tasks(client)
        yield app
        for work_id in await _tasks(client) - before:
            await client.ask(work_id=work_id, action="exit")
    await eventually(lambda: not children_left())


async def _tasks(client: WireClient) -> set[str]:
    return {task["work_id"] for task in (await client.ask(work_id="sys", action="lstask"))["data"]}
