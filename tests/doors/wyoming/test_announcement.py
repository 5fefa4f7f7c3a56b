"""Covers unitd.doors.wyoming.announcing: how others in the network find it, by a real responder of multicast DNS."""

import asyncio
import errno
import logging
import socket
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pytest
from wyoming.client import AsyncTcpClient
from wyoming.ping import Ping, Pong
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from tests.support.daemon import running_app
from tests.support.waiting import eventually
from unitd.doors.wyoming import announcing

OPEN = {"auth": {"without_token": ["wyoming"], "without_tls": ["wyoming"]}}


def own_addresses(family: socket.AddressFamily) -> list[str]:
    """This machine's, in its networks."""
    found = [
        each.address for addresses in psutil.net_if_addrs().values() for each in addresses if each.family == family
    ]
    return [each for each in found if not each.startswith(("127.", "::1", "fe80"))]


pytestmark = pytest.mark.skipif(not own_addresses(socket.AF_INET), reason="this machine is in no network")


def board(host: str, **tables: Any) -> dict[str, Any]:
    """A board that lets the network in."""
    return {"wyoming": {"host": host, "port": 0}} | OPEN | tables


async def found_as(name: str) -> AsyncServiceInfo | None:
    """What another machine reads under this name."""
    async with AsyncZeroconf() as network:
        info = AsyncServiceInfo("_wyoming._tcp.local.", f"{name}._wyoming._tcp.local.")
        return info if await info.async_request(network.zeroconf, 3000) else None


async def test_two_boards_of_one_name_are_both_found(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """As when a card was copied: the second one takes a number, and each has its own port and host."""
    caplog.set_level(logging.INFO)
    name = socket.gethostname()
    async with running_app(tmp_path / "1", board("0.0.0.0")) as first:
        await eventually(lambda: f"announced as {name}._wyoming" in caplog.text)
        async with running_app(tmp_path / "2", board("0.0.0.0")) as second:
            await eventually(lambda: f"announced as {name}-2._wyoming" in caplog.text)

            one, two = await asyncio.gather(found_as(name), found_as(f"{name}-2"))

    assert one is not None and two is not None
    assert [one.port, two.port] == [first.endpoints["wyoming"][1], second.endpoints["wyoming"][1]]
    assert one.server != two.server
    assert set(own_addresses(socket.AF_INET)) <= set(one.parsed_addresses())


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
async def test_a_board_is_found_at_the_address_that_it_listens_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, family: socket.AddressFamily
) -> None:
    """Of either kind, and no other one."""
    caplog.set_level(logging.INFO)
    if not own_addresses(family):
        pytest.skip(f"this machine has no address of {family.name}")
    host = own_addresses(family)[0]
    async with running_app(tmp_path, board(host)):
        await eventually(lambda: "announced as" in caplog.text)
        found = await found_as(socket.gethostname())

    assert found is not None and found.parsed_addresses() == [host]


async def test_a_board_that_cannot_be_announced_serves_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Its name is too long for multicast DNS, say: who knows its address is served."""
    tables = board("0.0.0.0", mqtt={"host": "127.0.0.1", "port": 1, "node": "k" * 64})
    async with running_app(tmp_path, tables) as app:
        await eventually(lambda: "not announced: Too long" in caplog.text)
        async with AsyncTcpClient("127.0.0.1", app.endpoints["wyoming"][1]) as client:
            await client.write_event(Ping(text="here").event())
            answer = await client.read_event()

    assert answer is not None and Pong.from_event(answer).text == "here"


async def test_a_board_whose_network_comes_later_is_announced_then(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a power cut the board is there before the router is."""
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(announcing, "CHECK_SECONDS", 0.1)
    with monkeypatch.context() as without_network:
        without_network.setattr(psutil, "net_if_addrs", dict)
        async with running_app(tmp_path, board("0.0.0.0")) as app:
            async with AsyncTcpClient("127.0.0.1", app.endpoints["wyoming"][1]) as client:
                await client.write_event(Ping().event())
                await client.read_event()
            assert "announced as" not in caplog.text

            without_network.undo()
            await eventually(lambda: "announced as" in caplog.text)
            found = await found_as(socket.gethostname())

    assert found is not None and found.port == app.endpoints["wyoming"][1]


async def test_a_daemon_without_a_free_descriptor_lives_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which its addresses are asked for with; it is announced when one is free again, and stays so when none is."""

    def without_descriptors() -> NoReturn:
        raise OSError(errno.EMFILE, "Too many open files")

    caplog.set_level(logging.INFO)
    monkeypatch.setattr(announcing, "CHECK_SECONDS", 0.05)
    with monkeypatch.context() as crowded:
        crowded.setattr(psutil, "net_if_addrs", without_descriptors)
        async with running_app(tmp_path, board("0.0.0.0")) as app:
            await eventually(lambda: "not announced: [Errno 24] Too many open files" in caplog.text)
            crowded.undo()
            await eventually(lambda: "announced as" in caplog.text)
            crowded.setattr(psutil, "net_if_addrs", without_descriptors)
            async with AsyncTcpClient("127.0.0.1", app.endpoints["wyoming"][1]) as client:
                await client.write_event(Ping().event())
                await client.read_event()
            found = await found_as(socket.gethostname())

    assert found is not None and caplog.text.count("announced") == 2
