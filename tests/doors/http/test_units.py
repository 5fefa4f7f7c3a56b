"""Covers units, ws, admission, door and context of unitd.doors.http."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import orjson
import pytest
import websockets
from websockets.asyncio.client import ClientConnection, connect

from tests.support.clients.onlooker import tasks_of, until_no_task_is_left
from tests.support.daemon import running_app
from tests.support.setups import KWS_SETUP, LLM_SETUP, LONG_QUESTION
from unitd.app import App
from unitd.core.config.loader import read_settings
from unitd.core.config.schema import BODY_FRAMES
from unitd.doors.http.context import ConnectionSlots
from unitd.doors.http.door import HTTP_CONNECTIONS
from unitd.wire.errors import Unavailable


@pytest.fixture
async def units(address: str) -> AsyncIterator[ClientConnection]:
    """A client of the wire over a WebSocket."""
    async with connect(f"ws://{address}/ws/units") as ws:
        yield ws


async def ask(ws: ClientConnection, **fields: Any) -> dict[str, Any]:
    """One request and the next message."""
    await ws.send(orjson.dumps({"request_id": "1", **fields}).decode())
    return await hear(ws)


async def hear(ws: ClientConnection) -> dict[str, Any]:
    """The next message."""
    reply: dict[str, Any] = orjson.loads(await ws.recv())
    return reply


async def test_a_socket_speaks_the_wire(units: ClientConnection) -> None:
    """Setup, inference, stream, exit: as over TCP, one object per message."""
    work_id = (await ask(units, work_id="llm", action="setup", data=LLM_SETUP))["work_id"]

    frame = await ask(units, work_id=work_id, action="inference", object="llm.utf-8", data="hello")
    frames = [frame]
    while not frames[-1]["data"]["finish"]:
        frames.append(await hear(units))

    assert "".join(each["data"]["delta"] for each in frames)
    assert {each["work_id"] for each in frames} == {work_id}
    assert (await ask(units, work_id=work_id, action="exit"))["error"]["code"] == 0


async def test_pcm_comes_as_a_binary_message_behind_its_header(units: ClientConnection) -> None:
    """What a browser's microphone sends; silence wakes nobody, bad audio is answered."""
    setup = KWS_SETUP | {"kws": "alexa", "input": "kws.base64"}
    work_id = (await ask(units, work_id="kws", action="setup", data=setup))["work_id"]
    header = {"request_id": "7", "work_id": work_id, "action": "inference", "object": "kws.base64", "RAW": 3}

    await units.send(orjson.dumps(header).decode())
    await units.send(b"\0\0\0")
    await units.send(orjson.dumps(header | {"object": "kws.mp3.base64"}).decode())
    await units.send(b"\0\0\0")

    refusal = await hear(units)
    assert (refusal["request_id"], refusal["error"]["code"]) == ("7", -11)
    assert "MP3" in refusal["error"]["message"]


@pytest.mark.parametrize("message", ["hello", '{"request_id":', "[]", "{broken}", ""])
async def test_what_is_no_object_is_refused_at_once(units: ClientConnection, message: str) -> None:
    """-2, and the next message is served."""
    await units.send(message)

    assert (await hear(units))["error"]["code"] == -2
    assert (await ask(units, work_id="sys", action="ping"))["error"]["code"] == 0


async def test_tasks_end_with_their_socket(http_daemon: App, address: str) -> None:
    """Whoever is linked to nothing any more leaves nothing behind."""
    async with connect(f"ws://{address}/ws/units") as ws:
        work_id = (await ask(ws, work_id="llm", action="setup", data=LLM_SETUP))["work_id"]
        await ask(ws, work_id=work_id, action="inference", object="llm.utf-8", data=LONG_QUESTION)
        assert [task["work_id"] for task in await tasks_of(http_daemon)] == [work_id]

    await until_no_task_is_left(http_daemon)


async def test_a_message_over_the_limit_ends_only_its_own_socket(http_daemon: App, address: str) -> None:
    """Close code 1009; others do not notice."""
    limit = BODY_FRAMES * read_settings({}).limits.frame_bytes
    async with connect(f"ws://{address}/ws/units") as other, connect(f"ws://{address}/ws/units") as ws:
        with pytest.raises(websockets.ConnectionClosed) as closed:
            await ws.send("x" * (limit + 1))
            await ws.recv()

        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009
        assert (await ask(other, work_id="sys", action="ping"))["error"]["code"] == 0


async def test_a_client_that_does_not_read_is_cut_off(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Its lines wait up to the outbox limit; the daemon serves on."""
    limits = {"http": {"enabled": True}, "limits": {"outbox_bytes": 65536}}
    async with running_app(tmp_path, limits) as app:
        host, port = app.endpoints["http"]
        async with connect(f"ws://{host}:{port}/ws/units", max_queue=1, close_timeout=0) as ws:
            assert (await ask(ws, work_id="llm", action="setup", data=LLM_SETUP))["work_id"] == "llm.1000"
            request = orjson.dumps({"request_id": "x" * 250, "work_id": "llm", "action": "€" * 400}).decode()

            async def flood() -> None:
                while True:
                    await ws.send(request * 64)

            flooding = asyncio.create_task(flood())
            await until_no_task_is_left(app, timeout=10)
            flooding.cancel()
            await asyncio.wait([flooding])

        assert "does not read" in caplog.text


# Who may come in


@pytest.fixture
async def locked(tmp_path: Path) -> AsyncIterator[str]:
    """The address of a daemon with a key and two slots."""
    async with running_app(tmp_path, {"http": {"enabled": True, "api_key": "secret", "connections": 2}}) as app:
        host, port = app.endpoints["http"]
        yield f"{host}:{port}"


@pytest.mark.parametrize("path", ["/ws", "/ws/units", "/ws/chat"])
async def test_who_leaves_while_waiting_for_a_seat_leaves_no_trace(
    tmp_path: Path, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    """There is nobody to be told that there is none."""
    document = {"http": {"enabled": True, "connections": 1, "barge_in": {"acquire_timeout_s": 0.1}}}
    async with running_app(tmp_path, document) as app:
        host, port = app.endpoints["http"]
        async with connect(f"ws://{host}:{port}/ws"):
            waiting = await connect(f"ws://{host}:{port}{path}")
            waiting.transport.abort()

            async with connect(f"ws://{host}:{port}{path}") as later:
                refusal = await hear(later)

    assert refusal["type"] == "error"
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize("path", ["/ws", "/ws/units"])
async def test_a_socket_without_the_key_is_told_and_closed(locked: str, path: str) -> None:
    """1008, with the documented message first."""
    async with connect(f"ws://{locked}{path}?api_key=guess") as ws:
        refusal = await hear(ws)
        with pytest.raises(websockets.ConnectionClosed) as closed:
            await ws.recv()

    assert refusal["error_code"] == "authentication_failed"
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1008


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("?api_key=secret", {}),
        ("", {"X-API-Key": "secret"}),
        ("", {"Authorization": "Bearer secret"}),
        ("", {"Authorization": "bearer secret"}),
    ],
)
async def test_the_key_opens_in_all_its_places(locked: str, query: str, headers: dict[str, str]) -> None:
    """The query, for browsers; a header, for everybody else."""
    async with connect(f"ws://{locked}/ws/units{query}", additional_headers=headers) as ws:
        assert (await ask(ws, work_id="sys", action="ping"))["error"]["code"] == 0


async def test_one_client_too_many_is_told_and_closed(locked: str) -> None:
    """1013, with the figures; a seat that is left is free again."""
    key = "?api_key=secret"
    async with connect(f"ws://{locked}/ws{key}") as first, connect(f"ws://{locked}/ws/units{key}"):
        async with connect(f"ws://{locked}/ws{key}") as third:
            refusal = await hear(third)
            with pytest.raises(websockets.ConnectionClosed) as closed:
                await third.recv()
        await first.close()
        async with connect(f"ws://{locked}/ws/units{key}") as fourth:
            assert (await ask(fourth, work_id="sys", action="ping"))["error"]["code"] == 0

    assert refusal["capacity"] == {"active": 2, "max": 2, "available": 0, "at_capacity": True}
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1013


@pytest.mark.parametrize("site", ["https://evil.example", "null", "http://["])
async def test_a_page_of_another_site_is_refused(address: str, site: str, caplog: pytest.LogCaptureFixture) -> None:
    """A browser says whose page asks; no site can fill the log."""
    with pytest.raises(websockets.InvalidStatus) as refused:
        await connect(f"ws://{address}/ws/units", origin=websockets.Origin(site))

    assert refused.value.response.status_code == 403
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []
    async with connect(f"ws://{address}/ws/units", origin=websockets.Origin(f"http://{address}")) as ws:
        assert (await ask(ws, work_id="sys", action="ping"))["error"]["code"] == 0


async def test_the_first_message_of_ws_must_belong_to_a_dialect(address: str) -> None:
    """Until one does, errors have the barge-in form."""
    async with connect(f"ws://{address}/ws") as ws:
        await ws.send("what?")
        first = await hear(ws)
        await ws.send(base64.b64encode(b"what?"))
        second = await hear(ws)
        await ws.send('{"action": "ping"}')
        third = await hear(ws)

    assert first["error_code"] == second["error_code"] == "invalid_message"
    assert third == {"status": "pong"}


async def test_several_ports_are_one_door(tmp_path: Path) -> None:
    """Where clients of the originals look."""
    async with running_app(tmp_path, {"http": {"enabled": True, "extra_ports": [0, 0]}}) as app:
        assert len(app.endpoints["http"]) == 3
        for host, port in app.endpoints["http"]:
            async with connect(f"ws://{host}:{port}/ws/units") as ws:
                assert (await ask(ws, work_id="sys", action="ping"))["error"]["code"] == 0


async def test_connections_that_say_nothing_have_a_bound(tmp_path: Path) -> None:
    """One too many is closed, who is there is served, and a place that is left is free again."""
    async with running_app(tmp_path, {"http": {"enabled": True, "connections": 1}}) as app, AsyncExitStack() as stack:
        host, port = app.endpoints["http"]
        client = await stack.enter_async_context(connect(f"ws://{host}:{port}/ws/units"))
        silent = [await asyncio.open_connection(host, port) for _ in range(HTTP_CONNECTIONS)]
        for _, writer in silent:
            stack.callback(writer.close)

        with pytest.raises((OSError, websockets.InvalidMessage)):
            await connect(f"ws://{host}:{port}/ws/units")
        silent[0][1].close()
        await silent[0][1].wait_closed()

        assert (await ask(client, work_id="sys", action="ping"))["error"]["code"] == 0
        reader, writer = await asyncio.open_connection(host, port)
        stack.callback(writer.close)
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")


async def test_seats_are_waited_for() -> None:
    """A client that comes a moment too early gets the seat that is left."""
    slots = ConnectionSlots(1)
    await slots.take()
    with pytest.raises(Unavailable, match="1 clients are connected"):
        await slots.take()

    waiting = asyncio.create_task(slots.take(5.0))
    await asyncio.sleep(0)
    slots.leave()

    await waiting
    assert slots.capacity["at_capacity"]
