"""Covers guard and door: bodies that are too long, too slow, too many, or of somebody who may not send them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.doors.http.conftest import Start
from tests.support.tokens import asking_app, write_tokens
from tests.support.waiting import MS
from unitd.app import App
from unitd.core.access.grants import Limits, Role
from unitd.doors.http import door, guard


async def told_of(app: App, head: str, body: bytes = b"") -> bytes:
    """The beginning of an answer to a request whose body is not all sent."""
    reader, writer = await asyncio.open_connection(*app.endpoints["http"])
    writer.write(f"{head}\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode())
    writer.write(b"Content-Length: 200000\r\n\r\n" + body)
    try:
        async with asyncio.timeout(10):
            return await reader.readuntil(b"\r\n\r\n")
    finally:
        writer.transport.abort()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def test_a_role_is_judged_before_the_body(tmp_path: Path) -> None:
    """Who may only look sends nothing: it is told before the first byte of what it announces."""
    key = write_tokens(tmp_path, {"olga": Role.OBSERVE})["olga"]
    async with asking_app(tmp_path, http={"enabled": True}) as app:
        for path in ("/v1/chat/completions", "/v1/audio/transcriptions", "/api/chat"):
            answer = await told_of(app, f"POST {path} HTTP/1.1\r\nX-API-Key: {key}")
            assert answer.startswith(b"HTTP/1.1 403 ")


async def test_a_tokens_frame_bytes_hold_for_bodies(tmp_path: Path) -> None:
    """Announced, or counted while they come; what is within them is served."""
    key = write_tokens(tmp_path, {"anna": Role.USE}, Limits(frame_bytes=4096))["anna"]
    async with asking_app(tmp_path, http={"enabled": True}) as app:
        answer = await told_of(app, f"POST /api/chat HTTP/1.1\r\nX-API-Key: {key}")
        assert answer.startswith(b"HTTP/1.1 413 ")

        host, port = app.endpoints["http"]
        async with httpx.AsyncClient(base_url=f"http://{host}:{port}", headers={"X-API-Key": key}) as client:

            async def pieces(count: int) -> AsyncIterator[bytes]:
                for _ in range(count):
                    yield b" " * 1000

            assert (await client.post("/v1/completions", content=pieces(5))).status_code == 413
            assert (await client.post("/v1/completions", content=pieces(4))).status_code == 400


async def test_a_body_ends_in_time(http_daemon: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that takes longer than the limit is answered with 408."""
    monkeypatch.setattr(guard, "BODY_SECONDS", 300 * MS)

    answer = await told_of(http_daemon, "POST /v1/completions HTTP/1.1", b"{")

    assert answer.startswith(b"HTTP/1.1 408 ")


async def test_the_rest_of_a_body_that_was_answered_is_not_waited_for(
    http_daemon: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read for a while, so that the answer arrives."""
    monkeypatch.setattr(door, "REQUEST_SECONDS", 200 * MS)
    reader, writer = await asyncio.open_connection(*http_daemon.endpoints["http"])
    writer.write(b"POST /no/such/path HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 404 ")

    with pytest.raises(ConnectionError):
        async with asyncio.timeout(10):
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(10 * MS)

    writer.transport.abort()


async def test_bodies_of_all_clients_together_have_a_bound(start: Start) -> None:
    """Over it the longest is a 503, and who says little is served."""
    app = await start(limits={"frame_bytes": 65_536, "unfinished_bytes": 1024 * 1024})
    head = "POST /v1/completions HTTP/1.1"
    asked = [asyncio.create_task(told_of(app, head, b" " * 199_000)) for _ in range(6)]

    done, waiting = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)

    assert all(each.result().startswith(b"HTTP/1.1 503 ") for each in done)
    host, port = app.endpoints["http"]
    async with httpx.AsyncClient(base_url=f"http://{host}:{port}") as client:
        assert (await client.post("/v1/completions", content=b"{}")).status_code == 400
    for each in waiting:
        each.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
