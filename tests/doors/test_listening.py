"""Covers listening: who is connected is counted from accept on, also while TLS shakes hands."""

import asyncio
import gc
import importlib
import resource
import socket
import ssl
from asyncio.sslproto import SSLProtocol
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app
from tests.support.waiting import MS, eventually
from unitd.app import App
from unitd.core.config.schema import Settings
from unitd.core.tasks.table import TaskTable
from unitd.doors import listening
from unitd.doors.listening import Connection, Connections, Network
from unitd.runtime.metrics import Metrics
from unitd.runtime.sys.access import Access

importlib.import_module("unitd.doors.http.door")

HERE, THERE, ELSEWHERE = "127.0.0.1", "192.0.2.7", "198.51.100.9"
SILENT = 22
HELLO = b"\x16\x03\x01\x02"


@pytest.fixture
def tables(certificate: dict[str, str]) -> dict[str, Any]:
    """A daemon that other machines reach by TLS."""
    return {
        "tcp": {"host": "0.0.0.0"},
        "http": {"enabled": True, "host": "0.0.0.0", "api_key": "sesame"},
        "auth": certificate,
    }


@contextmanager
def silent_clients(app: App, door: str, count: int = SILENT, first: bytes = b"") -> Iterator[list[socket.socket]]:
    """Clients that begin a handshake, if at all, and then say nothing."""
    with ExitStack() as stack:
        made = []
        for _ in range(count):
            made.append(stack.enter_context(socket.create_connection((HERE, app.endpoints[door][1]))))
            made[-1].sendall(first)
            made[-1].setblocking(False)
        yield made


async def secured_client(app: App, certificate: dict[str, str]) -> WireClient:
    """A client of the TCP door that shakes hands."""
    trusting = await asyncio.to_thread(ssl.create_default_context, cafile=certificate["tls_cert"])
    return WireClient(*await asyncio.open_connection(HERE, app.endpoints["tcp"][1], ssl=trusting))


def is_ended(client: socket.socket) -> bool:
    """Whether the daemon has hung up on it."""
    try:
        return client.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def access() -> Access:
    """32 connections of each address."""
    return Access(Settings(), TaskTable(64), Metrics(), lambda: 0.0)


def entered(crowd: Connections, address: str, count: int, stack: ExitStack) -> list[Connection]:
    """Those of so many clients that found a place."""
    found = []
    for _ in range(count):
        ours, theirs = socket.socketpair()
        theirs.close()
        if connection := crowd.admit(ours, address):
            found.append(stack.enter_context(connection))
        ours.close()
    return found


@pytest.mark.parametrize("first", [b"", HELLO], ids=["silent", "a few bytes"])
@pytest.mark.parametrize("door", ["tcp", "http"])
async def test_a_handshake_that_does_not_end_is_ended(
    tmp_path: Path, tables: dict[str, Any], monkeypatch: pytest.MonkeyPatch, door: str, first: bytes
) -> None:
    """On every door with TLS, and no descriptor of it is left."""
    monkeypatch.setattr(listening, "HANDSHAKE_SECONDS", 300 * MS)
    async with running_app(tmp_path, tables) as app:
        before = psutil.Process().num_fds()
        with silent_clients(app, door, first=first) as silent:
            await eventually(lambda: all(is_ended(each) for each in silent))
        await eventually(lambda: psutil.Process().num_fds() <= before)


async def test_a_slow_handshake_gives_its_place_up(
    tmp_path: Path, tables: dict[str, Any], certificate: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who comes behind a crowd that fills the door and says nothing is served."""
    monkeypatch.setattr(listening, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(listening, "HANDSHAKES", SILENT // 2)
    async with running_app(tmp_path, tables) as app:
        with silent_clients(app, "tcp", first=HELLO) as silent:
            client = await secured_client(app, certificate)

            assert (await client.ask(work_id="sys", action="ping"))["error"]["code"] == 0
            assert sum(is_ended(each) for each in silent) >= SILENT // 2
            await client.close()


async def test_a_handshake_is_not_given_up_at_once(
    tmp_path: Path, tables: dict[str, Any], certificate: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newcomer who finds no place is sent away instead, and so on until the first ones have had their time."""
    monkeypatch.setattr(listening, "HANDSHAKES", 4)
    async with running_app(tmp_path, tables) as app:
        with silent_clients(app, "tcp", first=HELLO) as silent:
            await eventually(lambda: sum(is_ended(each) for each in silent) == SILENT - 4)
            assert not any(is_ended(each) for each in silent[:4])


async def test_what_broken_handshakes_leave_is_collected(tmp_path: Path, tables: dict[str, Any]) -> None:
    """asyncio's object of each holds itself."""
    async with running_app(tmp_path, tables) as app:
        for _ in range(3):
            with silent_clients(app, "http", listening.COLLECT_EVERY, HELLO):
                await asyncio.sleep(0)

        def is_collected() -> bool:
            return sum(type(each) is SSLProtocol for each in gc.get_objects()) < listening.COLLECT_EVERY

        await eventually(is_collected)


async def test_connections_of_an_address_are_counted_from_accept_on() -> None:
    """Whoever comes from elsewhere finds a place beside those who say nothing; the machine itself always."""
    crowd = Connections("tcp", 256, access(), Network(), is_encrypted=True)
    with ExitStack() as stack:
        there = entered(crowd, THERE, 40, stack)

        assert (len(there), crowd.count_from(THERE), crowd.count_from(f"::ffff:{THERE}")) == (32, 32, 32)
        assert len(entered(crowd, ELSEWHERE, 1, stack)) == 1
        assert len(entered(crowd, HERE, 40, stack)) == 40
        there[0].close()
        assert len(entered(crowd, THERE, 2, stack)) == 1
    assert len(crowd) == 0


async def test_descriptors_are_kept_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all that there are the doors to the network leave some, whatever each of them might take."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (listening.RESERVED_DESCRIPTORS + 400, hard))
    try:
        network = Network()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    one, other = (Connections(door, 250, access(), network) for door in ("tcp", "http"))
    with ExitStack() as stack:
        assert len(entered(one, HERE, 300, stack)) == 250
        assert len(entered(other, HERE, 300, stack)) == 150
    assert not network.is_full
