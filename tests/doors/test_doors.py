"""Covers base, registry and manager of unitd.doors: a sixth door is its own module and a row."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.daemon import running_app, tcp_client
from unitd.doors import registry
from unitd.doors.base import Door, DoorContext
from unitd.doors.local_client import LocalClient
from unitd.doors.registry import DoorRow


class PingDoor(Door):
    """Answers each connection with what `sys.ping` says, in one word."""

    name = "ping"

    def __init__(self, context: DoorContext) -> None:
        self.life: list[str] = []
        self._local_client = LocalClient(context.server, "ping", "ping")
        self._path = str(context.settings.state.dir / "ping.sock")
        self._served = 0

    @property
    def connections(self) -> Mapping[str, int]:
        """Those that were served."""
        return {self.name: self._served}

    async def open(self) -> str:
        """Listens."""
        self._listener = await asyncio.start_unix_server(self._serve, self._path)
        return self._path

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reply = await self._local_client.ask("sys", "ping")
        self._served += 1
        writer.write(b"yes" if reply.code == 0 else b"no")
        writer.close()

    async def run(self) -> None:
        """Notes that it runs until cancelled."""
        self.life.append("runs")
        try:
            await asyncio.Event().wait()
        finally:
            self.life.append("is over")

    def stop_accepting(self) -> None:
        """Listens no more."""
        self.life.append("stops accepting")
        self._listener.close()

    async def close(self) -> None:
        """Says goodbye."""
        self.life.append("closes")


@pytest.fixture
def doors(monkeypatch: pytest.MonkeyPatch) -> list[PingDoor]:
    """A sixth door is in the table; those that are made."""
    made: list[PingDoor] = []

    def make(context: DoorContext) -> Door:
        made.append(PingDoor(context))
        return made[-1]

    monkeypatch.setitem(registry.DOORS, "ping", DoorRow(lambda settings: settings.unix.enabled, make))
    return made


async def test_a_sixth_door_is_opened_and_counted(tmp_path: Path, doors: list[PingDoor]) -> None:
    """Its address stands with the others, and its clients in the metrics."""
    async with running_app(tmp_path) as app:
        reader, writer = await asyncio.open_unix_connection(app.endpoints["ping"])

        assert await reader.read() == b"yes"
        assert list(app.endpoints) == ["unix", "tcp", "ping"]
        assert doors[0].connections == {"ping": 1}
        writer.close()


async def test_a_sixth_door_lives_like_the_others(tmp_path: Path, doors: list[PingDoor]) -> None:
    """Open, run, stop accepting, close, over: in this order."""
    async with running_app(tmp_path) as app, tcp_client(app) as client:
        await client.ask(work_id="sys", action="ping")

        assert doors[0].life == ["runs"]

    assert doors[0].life == ["runs", "stops accepting", "closes", "is over"]


async def test_a_door_that_the_configuration_closes_is_not_made(tmp_path: Path, doors: list[PingDoor]) -> None:
    """A closed door is not among the endpoints either."""
    async with running_app(tmp_path, {"unix": {"enabled": False}}) as app:
        assert list(app.endpoints) == ["tcp"]

    assert doors == []


NEIGHBOURS = [
    ("stream", "http", "mqtt", "wyoming", "home"),
    tuple(f"http/{dialect}" for dialect in ("bargein", "chunked", "openai", "turnchat")),
]
"""Folders side by side: doors, and the dialects of HTTP."""


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
def test_neighbours_do_not_import_each_other(neighbours: tuple[str, ...]) -> None:
    """Code that two dialects need is in the folder above them."""
    modules = {folder: "unitd.doors." + folder.replace("/", ".") for folder in neighbours}

    borrowed = [
        (path.name, other)
        for folder in neighbours
        for path in (Path(registry.__file__).parent / folder).rglob("*.py")
        for other in modules.keys() - {folder}
        if f"from {modules[other]}" in path.read_text()
    ]

    assert borrowed == []
