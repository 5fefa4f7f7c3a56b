"""Covers door and protocol of unitd.doors.stream: the TCP and Unix socket doors of a whole daemon."""

import asyncio
import logging
import socket
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.programs.bad_unit import bad_unit
from tests.support.setups import LLM_SETUP
from tests.support.waiting import MS, eventually
from unitd.app import App
from unitd.doors.stream import door
from unitd.wire.errors import ConfigError

SUBSCRIBE = b'{"request_id":"1","work_id":"sys","action":"log","data":{"lines":0,"subscribe":true}}'
PING = b'{"request_id":"1","work_id":"sys","action":"ping"}'


@pytest.fixture
def folder(tmp_path: Path, no_blocking: None, caplog: pytest.LogCaptureFixture) -> Path:
    """Where a daemon keeps its state."""
    caplog.set_level(logging.INFO)
    return tmp_path


@pytest.fixture
async def unix_client(daemon: App) -> AsyncIterator[WireClient]:
    """A client on the Unix socket."""
    client = WireClient(*await asyncio.open_unix_connection(daemon.endpoints["unix"]))
    yield client
    await client.close()


@pytest.fixture
def quick_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """A TCP client may be silent in mid-object for a tenth of a second."""
    monkeypatch.setattr(door, "TCP_IDLE_SECONDS", 100 * MS)


async def deaf_connection(app: App) -> WireClient:
    """A client with small buffers, so that what it does not read waits in the daemon."""
    plug = socket.socket()
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    plug.setblocking(False)
    await asyncio.get_running_loop().sock_connect(plug, tuple(app.endpoints["tcp"]))
    return WireClient(*await asyncio.open_connection(sock=plug, limit=4096))


async def ping_at(path: str) -> dict[str, Any]:
    """What a new client of a Unix socket is answered."""
    client = WireClient(*await asyncio.open_unix_connection(path))
    reply = await client.ask(work_id="sys", action="ping")
    await client.close()
    return reply


# The happy day


async def test_unix_socket_speaks_like_tcp(unix_client: WireClient) -> None:
    """The same wire behind another door."""
    assert (await unix_client.ask(work_id="sys", action="ping"))["error"]["code"] == 0


async def test_requests_in_one_packet_are_answered_in_order(client: WireClient) -> None:
    """No newline is needed between objects."""
    await client.send_bytes(b"".join(PING.replace(b'"1"', b'"%d"' % number) for number in range(50)))

    received = [(await client.receive())["request_id"] for _ in range(50)]

    assert received == [str(number) for number in range(50)]


async def test_request_in_single_bytes_is_answered(client: WireClient) -> None:
    """Any slicing will do."""
    for at in range(len(PING)):
        await client.send_bytes(PING[at : at + 1])

    assert (await client.receive())["error"]["code"] == 0


async def test_endpoints_are_written_when_ready_and_removed_at_stop(folder: Path) -> None:
    """Programs that started a daemon on port 0 find its real addresses."""
    path = folder / "endpoints.json"
    async with running_app(folder) as app:
        written = orjson.loads(path.read_bytes())
        host, port = written["tcp"]
        _, writer = await asyncio.open_connection(host, port)
        writer.close()
        await writer.wait_closed()

        assert (host, written["unix"]) == ("127.0.0.1", str(folder / "unitd.sock"))
        assert written == app.endpoints
    assert not path.exists()
    assert not path.with_name("endpoints.json.partial").exists()


async def test_stale_endpoints_are_gone_while_the_daemon_starts(folder: Path) -> None:
    """A start that fails leaves no addresses of the last run behind."""
    (folder / "endpoints.json").write_text('{"tcp": ["127.0.0.1", 1]}')
    (folder / "taken").touch()

    with pytest.raises(ConfigError):
        async with running_app(folder, {"unix": {"path": str(folder / "taken")}}):
            pass

    assert not (folder / "endpoints.json").exists()


async def test_closed_doors_are_no_endpoints(folder: Path) -> None:
    """`enabled = false` closes a door."""
    async with running_app(folder, {"tcp": {"enabled": False}}) as app:
        assert list(app.endpoints) == ["unix"]


# The limits


async def test_one_connection_too_many_is_told_so(folder: Path) -> None:
    """It gets -10 and is closed; those that are here are served, and a free place is given again."""
    async with running_app(folder, {"tcp": {"max_connections": 1}}) as app, tcp_client(app) as first:
        await first.ask(work_id="sys", action="ping")
        async with tcp_client(app) as second:
            refusal = await second.receive()
            with pytest.raises(EOFError):
                await second.receive()

        assert refusal["error"]["code"] == -10
        assert (await first.ask(work_id="sys", action="ping"))["error"]["code"] == 0


async def test_place_of_a_lost_client_is_free_again(folder: Path) -> None:
    """A client that has left does not count against the limit."""
    async with running_app(folder, {"tcp": {"max_connections": 1}}) as app:
        async with tcp_client(app) as first:
            await first.ask(work_id="sys", action="ping")
        async with tcp_client(app) as second:
            reply = await second.ask(work_id="sys", action="ping")

    assert reply["error"]["code"] == 0


async def test_pipelining_client_that_does_not_read_waits(folder: Path) -> None:
    """We do not read a client that does not read us: nothing is lost, nobody else waits."""
    count = 20_000
    async with running_app(folder) as app, tcp_client(app) as other:
        deaf = await deaf_connection(app)
        flooding = asyncio.create_task(deaf.send_bytes(PING * count))
        assert (await other.ask(work_id="sys", action="ping"))["error"]["code"] == 0

        received = [(await deaf.receive())["error"]["code"] for _ in range(count)]

        await flooding
        await deaf.close()
    assert received == [0] * count


async def test_frame_over_the_limit_is_refused(folder: Path) -> None:
    """One -2, and the connection stays usable."""
    async with running_app(folder, {"limits": {"frame_bytes": 1024}}) as app, tcp_client(app) as client:
        await client.send_bytes(b'{"request_id":"big","data":"' + b"x" * 5000 + b'"}')
        await client.send_bytes(PING)

        assert [(await client.receive())["error"]["code"] for _ in range(2)] == [-2, 0]


# The damage


async def test_incomplete_object_is_dropped_when_no_byte_follows(quick_idle: None, client: WireClient) -> None:
    """One -2 after the silence, then the next object is served."""
    await client.send_bytes(b'{"request_id":"1","work_')

    assert (await client.receive())["error"]["code"] == -2
    assert (await client.ask(work_id="sys", action="ping"))["error"]["code"] == 0


async def test_each_incomplete_object_is_dropped_for_itself(quick_idle: None, client: WireClient) -> None:
    """The watch begins anew with every begun object."""
    await client.send_bytes(b'{"half')
    first = await client.receive()
    await client.send_bytes(b'{"another half')

    assert (first["error"]["code"], (await client.receive())["error"]["code"]) == (-2, -2)


async def test_client_that_is_silent_between_objects_is_left_alone(quick_idle: None, client: WireClient) -> None:
    """Only a begun object is waited for."""
    await client.ask(work_id="sys", action="ping")

    with pytest.raises(TimeoutError):
        await client.receive(timeout=300 * MS)

    assert (await client.ask(work_id="sys", action="ping"))["error"]["code"] == 0


async def test_dead_socket_file_is_replaced(folder: Path) -> None:
    """The file of a daemon that was killed does not keep the next one out."""
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(folder / "unitd.sock"))

    async with running_app(folder) as app:
        reply = await ping_at(app.endpoints["unix"])

    assert reply["error"]["code"] == 0


async def test_live_socket_is_an_error(folder: Path) -> None:
    """Two daemons on one path would steal each other's clients."""
    async with running_app(folder) as first:
        with pytest.raises(ConfigError, match="another daemon listens"):
            async with running_app(folder / "second", {"unix": {"path": first.endpoints["unix"]}}):
                pass

        reply = await ping_at(first.endpoints["unix"])

    assert reply["error"]["code"] == 0


async def test_refused_second_daemon_leaves_the_first_alone(folder: Path) -> None:
    """Started twice by mistake on one state directory: the endpoints of the one that runs stay."""
    async with running_app(folder) as first:
        with pytest.raises(ConfigError):
            async with running_app(folder):
                pass

        assert orjson.loads((folder / "endpoints.json").read_bytes()) == first.endpoints


async def test_file_that_is_no_socket_is_an_error(folder: Path) -> None:
    """It is somebody's file: not ours to remove."""
    path = folder / "precious"
    path.write_text("a diary")

    with pytest.raises(ConfigError, match="is no socket"):
        async with running_app(folder, {"unix": {"path": str(path)}}):
            pass

    assert path.read_text() == "a diary"


@pytest.mark.parametrize("name", ["file/unitd.sock", "x" * 120], ids=["below a file", "too long"])
async def test_impossible_socket_path_is_an_error(folder: Path, name: str) -> None:
    """A path that cannot be made ends in a sentence that names it, not in a traceback."""
    (folder / "file").touch()

    with pytest.raises(ConfigError, match="unix"):
        async with running_app(folder, {"unix": {"path": str(folder / name)}}):
            pass


async def test_taken_port_is_an_error(folder: Path) -> None:
    """The sentence names the address."""
    async with running_app(folder) as first:
        port = first.endpoints["tcp"][1]

        with pytest.raises(ConfigError, match=str(port)):
            async with running_app(folder / "second", {"tcp": {"port": port}}):
                pass


async def test_client_that_hangs_up_in_mid_object_harms_nobody(folder: Path) -> None:
    """Its half object is forgotten with it."""
    async with running_app(folder, argv_for=bad_unit()) as app, tcp_client(app) as other:
        async with tcp_client(app) as rude:
            await rude.send_bytes(b'{"request_id":"1","wo')

        assert (await other.ask(work_id="sys", action="ping"))["error"]["code"] == 0


async def test_last_request_before_a_reset_is_served(folder: Path) -> None:
    """A client that closes its socket with unread frames in it resets the connection; its `exit` still counts."""
    loop = asyncio.get_running_loop()
    async with running_app(folder, argv_for=bad_unit()) as app, tcp_client(app) as other:
        work_id = await other.setup("llm", LLM_SETUP)
        with socket.create_connection(app.endpoints["tcp"]) as leaver:
            leaver.setblocking(False)
            await loop.sock_sendall(leaver, SUBSCRIBE)
            await loop.sock_recv(leaver, 65536)

            # In one turn of the loop a frame for this client is due, and its request and its reset are there.
            logging.getLogger("unitd.tests").warning("a frame for the subscriber")
            leaver.send(orjson.dumps({"request_id": "bye", "work_id": work_id, "action": "exit"}))
            leaver.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

        async with asyncio.timeout(10):
            while (listed := await other.ask(work_id="llm", action="taskinfo"))["data"]:
                await asyncio.sleep(0)

    assert listed["error"]["code"] == 0


# The goodbye


async def test_stopping_daemon_closes_every_connection(folder: Path) -> None:
    """Clients see the end of the line, and new ones are not taken."""
    async with running_app(folder) as app, tcp_client(app) as client:
        await client.ask(work_id="sys", action="ping")

        app.stop()

        with pytest.raises(EOFError):
            await client.receive()
        await eventually(lambda: not (folder / "endpoints.json").exists())
        with pytest.raises(OSError):
            await asyncio.open_connection(*app.endpoints["tcp"])
