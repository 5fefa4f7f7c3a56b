"""Covers websocket: what a client that reads nothing, ends nothing or may not come in can make the daemon do."""

import asyncio
import base64
import os
import socket
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import psutil
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tests.doors.http.conftest import Start
from tests.support.daemon import running_app
from tests.support.tokens import NO_TRUST, write_tokens
from tests.support.waiting import MS
from unitd.app import App
from unitd.core.access.grants import Limits, Role
from unitd.doors.http import websocket

PATHS = ["/ws", "/ws/units", "/ws/chat"]
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
CONTINUATION = 0
POLICY_VIOLATION, MESSAGE_TOO_BIG, TRY_AGAIN_LATER = 1008, 1009, 1013
PING_REQUEST = b'{"request_id":"1","work_id":"sys","action":"ping"}'


def frame(opcode: int, payload: bytes = b"", *, is_last: bool = True) -> bytes:
    """A frame of a client."""
    head = bytes([(0x80 if is_last else 0) | opcode])
    if len(payload) < 126:
        return head + bytes([0x80 | len(payload)]) + bytes(4) + payload
    return head + b"\xff" + struct.pack("!Q", len(payload)) + bytes(4) + payload


PINGS = frame(PING, b"x" * 125) * 500


class RawSocket:
    """A WebSocket client that says what no library would."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def say(self, *frames: bytes) -> None:
        """Sends these."""
        self._writer.write(b"".join(frames))
        await self._writer.drain()

    async def hear(self) -> list[tuple[int, bytes]]:
        """All frames until the daemon hangs up: opcode and payload of each."""
        data = b""
        try:
            async with asyncio.timeout(10):
                while more := await self._reader.read(65536):
                    data += more
        except ConnectionError:  # the rest of what we said was not read
            pass
        finally:
            await self.close()
        heard = []
        while data:
            size, at = data[1], 2
            if size == 126:
                size, at = int.from_bytes(data[2:4], "big"), 4
            heard.append((data[0] & 15, data[at : at + size]))
            data = data[at + size :]
        return heard

    async def answer(self) -> bytes:
        """The payload of the next frame."""
        size = (await self._reader.readexactly(2))[1]
        if size == 126:
            size = int.from_bytes(await self._reader.readexactly(2), "big")
        return await self._reader.readexactly(size)

    async def close(self) -> None:
        """Leaves."""
        self._writer.transport.abort()
        with suppress(ConnectionError):
            await self._writer.wait_closed()


async def raw_socket(app: App, path: str, key: str = "", *, buffer_bytes: int = 0) -> RawSocket:
    """One that has been accepted; `buffer_bytes` is how much of what it does not read the kernel keeps for it."""
    plug = socket.socket()
    if buffer_bytes:
        plug.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
    plug.setblocking(False)
    await asyncio.get_running_loop().sock_connect(plug, tuple(app.endpoints["http"]))
    reader, writer = await asyncio.open_connection(sock=plug)
    nonce = base64.b64encode(os.urandom(16)).decode()
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    head += f"Sec-WebSocket-Key: {nonce}\r\nSec-WebSocket-Version: 13\r\nX-API-Key: {key}\r\n\r\n"
    writer.write(head.encode())
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
    return RawSocket(reader, writer)


def close_code(frames: list[tuple[int, bytes]]) -> int:
    """That of the last frame."""
    opcode, payload = frames[-1]
    assert opcode == CLOSE
    return int.from_bytes(payload[:2], "big")


# Who may not come in


@pytest.mark.parametrize("path", PATHS)
async def test_who_has_no_key_is_told_and_heard_no_more(start: Start, path: str) -> None:
    """It gets no answer to its pings, and is gone soon, whatever it goes on to say."""
    app = await start(http={"api_key": "secret"})
    stranger = await raw_socket(app, path)

    await stranger.say(PINGS)
    frames = await stranger.hear()

    assert [opcode for opcode, _ in frames] == [TEXT, CLOSE]
    assert close_code(frames) == POLICY_VIOLATION


@pytest.mark.parametrize("path", PATHS)
async def test_who_finds_no_place_is_told_and_heard_no_more(start: Start, path: str) -> None:
    """The same, with the code that says to come again; nor is it answered while it waits for a place."""
    app = await start(http={"connections": 1, "barge_in": {"acquire_timeout_s": 0.1}})
    inside = await raw_socket(app, "/ws/units")
    late = await raw_socket(app, path)

    await late.say(PINGS)
    frames = await late.hear()

    assert [opcode for opcode, _ in frames] == [TEXT, CLOSE]
    assert close_code(frames) == TRY_AGAIN_LATER
    await inside.say(frame(PING, b"still here"))
    await inside.say(frame(CLOSE))
    assert (PONG, b"still here") in await inside.hear()
    await inside.close()


async def test_who_is_refused_does_not_keep_its_connection(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when it neither reads nor closes: the daemon does."""
    monkeypatch.setattr(websocket, "LAST_SECONDS", 100 * MS)
    app = await start(http={"api_key": "secret"})
    stranger = await raw_socket(app, "/ws", buffer_bytes=4096)

    with pytest.raises(ConnectionError):
        async with asyncio.timeout(10):
            while True:
                await stranger.say(PINGS)
    await stranger.close()


# Who does not read


@pytest.mark.parametrize("path", PATHS)
async def test_pings_whose_answers_are_not_read_take_no_memory(http_daemon: App, path: str) -> None:
    """16 MB of them; each answer has the length of its ping."""
    deaf = await raw_socket(http_daemon, path, buffer_bytes=4096)
    before = psutil.Process().memory_info().rss

    async with asyncio.timeout(30):
        for _ in range(16_000_000 // len(PINGS)):
            await deaf.say(PINGS)

    assert psutil.Process().memory_info().rss < before + 8_000_000
    await deaf.close()


# Who does not end


async def test_a_message_ends_in_time(http_daemon: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pings in between do not make it longer."""
    monkeypatch.setattr(websocket, "MESSAGE_SECONDS", 300 * MS)
    slow = await raw_socket(http_daemon, "/ws/units")

    await slow.say(frame(TEXT, b"{", is_last=False), frame(PING))

    assert close_code(await slow.hear()) == POLICY_VIOLATION


async def test_messages_one_after_the_other_have_a_time_each(http_daemon: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """Although there is always one that has begun."""
    monkeypatch.setattr(websocket, "MESSAGE_SECONDS", 500 * MS)
    busy = await raw_socket(http_daemon, "/ws/units")
    begun, rest = PING_REQUEST[:10], PING_REQUEST[10:]

    await busy.say(frame(TEXT, begun, is_last=False))
    for _ in range(8):
        await asyncio.sleep(100 * MS)
        await busy.say(frame(CONTINUATION, rest), frame(TEXT, begun, is_last=False))
    await busy.say(frame(CONTINUATION, rest), frame(CLOSE))

    assert [opcode for opcode, _ in await busy.hear()].count(TEXT) >= 8


async def test_fragments_are_counted(http_daemon: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty ones too; as many as may be are one message."""
    monkeypatch.setattr(websocket, "MAX_FRAGMENTS", 200)
    empty = frame(CONTINUATION, is_last=False)
    good, bad = [await raw_socket(http_daemon, "/ws/units") for _ in range(2)]

    await good.say(frame(TEXT, b"", is_last=False), empty * 199, frame(CONTINUATION, PING_REQUEST))
    await bad.say(frame(TEXT, b"", is_last=False), empty * 201)

    assert close_code(await bad.hear()) == MESSAGE_TOO_BIG
    assert orjson.loads(await good.answer())["error"]["code"] == 0
    await good.close()


async def test_all_clients_together_may_have_begun_so_much(start: Start) -> None:
    """The one with the longest message is sent away; the others, and who says little, are served."""
    app = await start(limits={"frame_bytes": 262_144, "unfinished_bytes": 1024 * 1024})
    crowd = [await raw_socket(app, "/ws/units") for _ in range(5)]
    for number, each in enumerate(crowd):
        await each.say(frame(TEXT, b" " * (210_000 + number), is_last=False))

    assert close_code(await crowd[-1].hear()) == TRY_AGAIN_LATER
    await crowd[0].say(frame(CONTINUATION, PING_REQUEST))
    assert orjson.loads(await crowd[0].answer())["error"]["code"] == 0
    for each in crowd:
        await each.close()


async def test_many_small_messages_at_once_are_all_answered_in_order(http_daemon: App) -> None:
    """They are parsed a little at a time, and wait for each other."""
    many = await raw_socket(http_daemon, "/ws/units")

    requests = [PING_REQUEST.replace(b'"1"', b'"%d"' % number) for number in range(3000)]
    await many.say(*(frame(TEXT, each) for each in requests), frame(CLOSE))

    answers = [orjson.loads(payload)["request_id"] for opcode, payload in await many.hear() if opcode == TEXT]
    assert answers == [str(number) for number in range(len(answers))]
    assert len(answers) > 2900  # those behind the close are not waited for


# What a token may


@pytest.mark.parametrize("path", PATHS)
async def test_a_tokens_frame_bytes_hold_for_messages(tmp_path: Path, path: str) -> None:
    """In one piece or in many."""
    key = write_tokens(tmp_path, {"anna": Role.USE}, Limits(frame_bytes=4096))["anna"]
    tables: dict[str, Any] = NO_TRUST | {"http": {"enabled": True}}
    async with running_app(tmp_path, tables) as app:
        whole, parts = [await raw_socket(app, path, key) for _ in range(2)]
        await whole.say(frame(TEXT, b" " * 8000))
        await parts.say(frame(TEXT, b" " * 2000, is_last=False), frame(CONTINUATION, b" " * 6000, is_last=False))

        assert close_code(await whole.hear()) == MESSAGE_TOO_BIG
        assert close_code(await parts.hear()) == MESSAGE_TOO_BIG
        host, port = app.endpoints["http"]
        async with connect(f"ws://{host}:{port}/ws/units?api_key={key}") as ws:
            await ws.send(PING_REQUEST.decode())
            assert orjson.loads(await ws.recv())["error"]["code"] == 0


async def test_a_long_message_arrives_whole(http_daemon: App) -> None:
    """What libraries send in pieces, or as one frame of megabytes."""
    host, port = http_daemon.endpoints["http"]
    push = {"request_id": "1", "work_id": "sys", "action": "push", "object": "sys.file./long"}
    text = orjson.dumps(push | {"data": "é" * 1_500_000}).decode()
    async with connect(f"ws://{host}:{port}/ws/units") as ws:
        for message in (text, [text[at : at + 100_000] for at in range(0, len(text), 100_000)]):
            await ws.send(message)
            assert orjson.loads(await ws.recv())["error"]["code"] == 0

        with pytest.raises(ConnectionClosed):
            await ws.send("x" * 40_000_000)
            await ws.recv()


async def test_a_handshake_that_is_none_is_answered(http_daemon: App) -> None:
    """The library leaves it without an answer, and its connection open."""
    reader, writer = await asyncio.open_connection(*http_daemon.endpoints["http"])
    writer.write(b"POST /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n")
    writer.write(b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")

    async with asyncio.timeout(10):
        assert (await reader.read()).startswith(b"HTTP/1.1 405 ")

    writer.close()
    await writer.wait_closed()
