"""Covers the stream doors and access: what those reach who show no token, were refused, or whose token is no more."""

import asyncio
import importlib
import logging
import socket
import ssl
import struct
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.support.daemon import running_app, tcp_client
from tests.support.setups import KWS_SETUP, LLM_SETUP
from tests.support.tokens import NO_TRUST, asking_app, client_with, keep_tokens, show, write_tokens
from tests.support.waiting import MS, eventually
from unitd.app import App
from unitd.core.access.grants import Role
from unitd.doors.stream import door

importlib.import_module("unitd.doors.http.door")

PUSH = b'{"request_id":"1","work_id":"sys","action":"push","object":"sys.file./x","data":"x"}'
HANGING_UP_BY_RESET = struct.pack("ii", 1, 0)
NOT_ALLOWED, UNAVAILABLE = -8, -10


def said_behind_a_handshake(port: int, trusting: ssl.SSLContext, request: bytes) -> bytes:
    """What a daemon answers to a request that comes in one packet with the last message of the client's handshake."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusting.wrap_bio(incoming, outgoing, server_hostname="localhost")
    with socket.create_connection(("127.0.0.1", port)) as connection:
        while True:
            try:
                client.do_handshake()
                break
            except ssl.SSLWantReadError:
                connection.sendall(outgoing.read())
                incoming.write(connection.recv(65536))
        client.write(request)
        connection.sendall(outgoing.read())
        answer = b""
        while data := connection.recv(65536):
            incoming.write(data)
            try:
                answer += client.read()
            except ssl.SSLWantReadError:
                continue
            except ssl.SSLZeroReturnError:
                break
        return answer


async def said_by(app: App, door: str, *pieces: bytes, is_ended: bool = False) -> bytes:
    """All that a door says to these pieces, each of which it reads before the next, until it hangs up."""
    at = app.endpoints[door]
    reader, writer = await (asyncio.open_unix_connection(at) if door == "unix" else asyncio.open_connection(*at))
    with suppress(ConnectionError):
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
        if is_ended:
            writer.write_eof()
    answer = b""
    async with asyncio.timeout(10):
        with suppress(ConnectionError):  # a connection that is cut off loses what we wrote behind
            answer = await reader.read()
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()
    return answer


def count_of(app: App) -> int:
    """How many requests have come as far as a handler."""
    return sum(app.metrics.requests.values())


async def test_what_stands_behind_a_token_in_its_packet_is_judged_by_the_token(tmp_path: Path) -> None:
    """A setup with a long prompt: a stranger may not say so much, its sender may."""
    tokens = write_tokens(tmp_path, {"phone": Role.USE})
    shown = {"request_id": "1", "work_id": "sys", "action": "auth", "data": {"token": tokens["phone"]}}
    setup = {"request_id": "2", "work_id": "llm", "action": "setup", "data": LLM_SETUP | {"prompt": "Be brief. " * 600}}
    async with asking_app(tmp_path) as app, tcp_client(app) as client:
        await client.send_bytes(orjson.dumps(shown) + orjson.dumps(setup))
        replies = [await client.receive() for _ in range(2)]

    assert [(each["request_id"], each["error"]["code"]) for each in replies] == [("1", 0), ("2", 0)]


async def test_tasks_of_a_client_that_left_before_they_were_there_make_room(tmp_path: Path) -> None:
    """It sent two setups and was gone; its tasks have no owner from the beginning."""
    data = KWS_SETUP | {"kws": "alexa"}
    request = {"work_id": "kws", "action": "setup", "data": data}
    async with running_app(tmp_path, {"limits": {"tasks": 2}}) as app:
        with socket.create_connection(app.endpoints["tcp"]) as vanishing:
            vanishing.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, HANGING_UP_BY_RESET)
            vanishing.sendall(b"".join(orjson.dumps(request | {"request_id": each}) for each in ("1", "2")))
        async with tcp_client(app) as client:
            async with asyncio.timeout(5):
                while len((await client.ask(work_id="sys", action="lstask"))["data"]) < 2:
                    pass
            made = [await client.setup("kws", data) for _ in range(2)]

    assert len(set(made)) == 2


async def test_whoever_is_refused_is_not_served(tmp_path: Path, certificate: dict[str, str]) -> None:
    """What came by TLS with the handshake is still read behind the goodbye: it does nothing."""
    tables: dict[str, Any] = {"tcp": {"host": "0.0.0.0", "max_connections": 1}}
    trusting = await asyncio.to_thread(ssl.create_default_context, cafile=certificate["tls_cert"])
    async with running_app(tmp_path, tables | {"auth": NO_TRUST["auth"] | certificate}) as app:
        port = app.endpoints["tcp"][1]
        _, first = await asyncio.open_connection("127.0.0.1", port, ssl=trusting)

        answer = await asyncio.to_thread(said_behind_a_handshake, port, trusting, PUSH)

        assert b"1 clients are connected already" in answer
        assert count_of(app) == 0
        first.close()
        await first.wait_closed()
    assert not await asyncio.to_thread((tmp_path / "files" / "x").exists)


async def test_a_client_that_has_left_already_is_not_taken_for_one_of_this_machine(tmp_path: Path) -> None:
    """The kernel does not know any more where it was; what it asked over HTTP is asked by a stranger."""
    token = write_tokens(tmp_path, {"anna": Role.USE})["anna"]
    question = b'{"messages": [{"role": "user", "content": "Hello!"}]}'
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(question)
    async with asking_app(tmp_path, http={"enabled": True}) as app:
        for _ in range(5):
            with socket.create_connection(tuple(app.endpoints["http"])) as connection:
                connection.sendall(head + question)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, HANGING_UP_BY_RESET)
        reader, writer = await asyncio.open_connection(*app.endpoints["http"])
        writer.write(
            b"GET /v1/models HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nConnection: close\r\n\r\n" % token.encode()
        )

        assert (await reader.read()).startswith(b"HTTP/1.1 200 ")
        assert set(app.metrics.requests) == {("sys", "lsmode")}
        writer.close()
        await writer.wait_closed()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "patch", "X-OWN"])
async def test_a_page_of_the_web_cannot_speak_by_a_browser(tmp_path: Path, method: str) -> None:
    """What it sends to the port stands behind a request of HTTP; programs on this machine are trusted otherwise."""
    request = b"%s / HTTP/1.1\r\nHost: localhost:10001\r\nContent-Type: text/plain\r\n\r\n" % method.encode() + PUSH
    async with running_app(tmp_path) as app:
        for door in ("tcp", "unix"):
            assert await said_by(app, door, request) == b""
            assert await said_by(app, door, *(request[at : at + 1] for at in range(len(request)))) == b""
        assert count_of(app) == 0


async def test_a_server_of_the_web_cannot_speak_by_a_browsers_session_ticket(tmp_path: Path) -> None:
    """The ticket stands in the clear in the first message of a handshake."""
    hello = b"\x16\x03\x01" + struct.pack(">H", len(PUSH) + 2) + b"\x01\x00" + PUSH
    async with running_app(tmp_path) as app:
        for door in ("tcp", "unix"):
            assert await said_by(app, door, hello) == b""
            assert await said_by(app, door, hello[:1], hello[1:]) == b""
        assert count_of(app) == 0


async def test_noise_before_the_first_object_is_skipped(tmp_path: Path) -> None:
    """As it always was, also where its client says nothing more and waits for the end."""
    noise = b"boot: ESP-ROM, AT+OK "
    async with running_app(tmp_path) as app:
        for door in ("tcp", "unix"):
            assert b'"code":0' in await said_by(app, door, b"noise ", PUSH, is_ended=True)
            assert b'"code":0' in await said_by(app, door, noise + PUSH, is_ended=True)


async def test_a_first_line_that_does_not_end_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It could still be a request of HTTP; its client learns that nothing of it is served."""
    monkeypatch.setattr(door, "TCP_IDLE_SECONDS", 100 * MS)
    async with running_app(tmp_path) as app:
        answer = await said_by(app, "tcp", b"noise " + PUSH)

        assert b"the first line does not end" in answer
        assert count_of(app) == 0


async def test_a_stranger_who_reads_nothing_is_sent_away_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers that wait for it do not keep its place."""
    monkeypatch.setattr(door, "STRANGER_SECONDS", 500 * MS)
    roomy = {"outbox_bytes": 256 * 1024 * 1024}
    async with asking_app(tmp_path, tcp={"max_connections": 1}, limits=roomy) as app:
        deaf = socket.socket()
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(tuple(app.endpoints["tcp"]))
        deaf.setblocking(False)
        ping = b'{"request_id":"1","work_id":"sys","action":"ping"}' * 1000
        async with asyncio.timeout(10):
            try:
                while True:  # until it is cut off, long after nobody takes its requests any more
                    await asyncio.get_running_loop().sock_sendall(deaf, ping)
            except ConnectionError:
                pass

        async with tcp_client(app) as client:
            assert (await client.ask(work_id="sys", action="ping"))["error"]["code"] == NOT_ALLOWED
        deaf.close()


async def test_a_revoked_token_hears_nothing_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its connection ends by itself: the microphone, say, may have been asked for long ago."""
    monkeypatch.setattr(door, "STRANGER_SECONDS", 50 * MS)
    tokens = write_tokens(tmp_path, {"anna": Role.USE})
    async with asking_app(tmp_path) as app, client_with(app, tokens["anna"]) as anna:
        await asyncio.to_thread(keep_tokens, tmp_path, [])
        await app.reload()

        with pytest.raises(EOFError):
            await anna.receive()


async def test_a_new_token_of_an_old_name_is_another_one(tmp_path: Path) -> None:
    """Whoever came in by the old one, which may have been stolen, is out; and so it is with the configuration's key."""
    old = await asyncio.to_thread(write_tokens, tmp_path, {"anna": Role.USE})
    key = {"http": {"enabled": False, "api_key": "old"}}
    async with (
        running_app(tmp_path, NO_TRUST | key, again=NO_TRUST | {"http": {"enabled": False, "api_key": "new"}}) as app,
        client_with(app, old["anna"]) as thief,
        client_with(app, "old") as other,
    ):
        await asyncio.to_thread(write_tokens, tmp_path, {"anna": Role.USE})

        await app.reload()

        for client in (thief, other):
            assert (await client.ask(work_id="sys", action="ping"))["error"]["code"] == NOT_ALLOWED


async def test_a_token_is_not_in_the_log_at_any_level(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Neither at once nor in pieces, nor when it is shown again."""
    caplog.set_level(logging.DEBUG)
    token = write_tokens(tmp_path, {"anna": Role.USE})["anna"]
    auth = b'{"request_id":"1","work_id":"sys","action":"auth","data":{"token":"%s"}}' % token.encode()
    secret = token.split("_", 2)[2]

    def has_received(count: int) -> bool:
        return sum(record.getMessage().startswith("< tcp") for record in caplog.records) == count

    async with asking_app(tmp_path) as app, tcp_client(app) as client:
        for number, piece in enumerate((auth[:90], auth[90:], auth), start=1):
            await client.send_bytes(piece)
            await eventually(partial(has_received, number))
        replies = [await client.receive() for _ in range(2)]

        await show(client, token)

    assert [reply["error"]["code"] for reply in replies] == [0, 0]
    assert not any(part in caplog.text for part in (secret[:20], secret[-20:]))
    assert "sys.auth" in caplog.text
