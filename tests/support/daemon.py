"""A whole daemon in the process of the test, and clients of its TCP port."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.clients.wire_client import WireClient
from unitd.app import App, unit_argv
from unitd.core.config.loader import read_settings
from unitd.core.config.schema import Settings
from unitd.settings import find_places


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
    places = await asyncio.to_thread(find_places)
    places = replace(places, model_cards=model_cards or places.model_cards)
    app = await asyncio.to_thread(lambda: App(settings, places, argv_for=argv_for, read_again=read_again))
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


@asynccontextmanager
async def tcp_client(app: App) -> AsyncIterator[WireClient]:
    """Connect a client to the daemon's TCP port."""
    host, port = app.endpoints["tcp"]
    client = WireClient(*await asyncio.open_connection(host, port, limit=32 * 1024 * 1024))
    try:
        yield client
    finally:
        await client.close()
