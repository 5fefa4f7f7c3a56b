"""Covers unitd.doors.http.guard: keys, origins, sizes, and errors without a traceback."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.daemon import running_app
from unitd.core.config.loader import read_settings
from unitd.core.config.schema import BODY_FRAMES

BODY_BYTES = BODY_FRAMES * read_settings({}).limits.frame_bytes


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a daemon with a key."""
    async with running_app(tmp_path, {"http": {"enabled": True, "api_key": "secret"}}) as app:
        host, port = app.endpoints["http"]
        async with httpx.AsyncClient(base_url=f"http://{host}:{port}") as client:
            yield client


async def test_probes_need_no_key(http: httpx.AsyncClient) -> None:
    """Service managers look at these."""
    assert (await http.get("/health")).status_code == 200
    assert (await http.get("/healthz")).status_code == 200


@pytest.mark.parametrize("headers", [{}, {"X-API-Key": "guess"}, {"Authorization": "Bearer secre"}])
async def test_everything_else_needs_the_key(http: httpx.AsyncClient, headers: dict[str, str]) -> None:
    """Also paths that do not exist: nobody learns which do."""
    for path in ("/status", "/v1/models", "/metrics", "/nowhere"):
        answer = await http.get(path, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_api_key")


async def test_an_unknown_path_is_an_error_in_json(http: httpx.AsyncClient) -> None:
    """With the key."""
    answer = await http.get("/nowhere", headers={"X-API-Key": "secret"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize("site", ["https://evil.example", "null", "http://["])
async def test_a_page_of_another_site_may_not_post(http: httpx.AsyncClient, site: str) -> None:
    """Not even with the key, which its browser might know."""
    headers = {"X-API-Key": "secret", "Origin": site}
    answer = await http.post("/v1/chat/completions", headers=headers, json={})

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "origin_not_allowed")


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("evil.example", 403), ("evil.example:8000", 403), ("127.0.0.1.evil.example", 403), ("", 403),
        ("127.0.0.1", 200), ("localhost:8000", 200), ("[::1]:8000", 200), (socket.gethostname(), 200),
        (f"{socket.gethostname()}.local", 200), ("page.localhost", 200),
    ],
)  # fmt: skip
async def test_a_name_that_somebody_else_lets_lead_here_is_not_trusted(tmp_path: Path, host: str, status: int) -> None:
    """DNS rebinding: the page's own name, which its browser takes for the same origin."""
    async with running_app(tmp_path, {"http": {"enabled": True}}) as app:
        address, port = app.endpoints["http"]
        async with httpx.AsyncClient(base_url=f"http://{address}:{port}") as client:
            assert (await client.get("/status", headers={"Host": host})).status_code == status


async def test_a_name_of_its_own_is_good_with_a_key(http: httpx.AsyncClient) -> None:
    """Behind a proxy, say: a page knows no key."""
    answer = await http.get("/status", headers={"Host": "board.example", "X-API-Key": "secret"})

    assert answer.status_code == 200


async def test_a_body_that_says_it_is_too_large_is_refused_unread(http: httpx.AsyncClient) -> None:
    """413."""
    host, port = http.base_url.host, http.base_url.port
    reader, writer = await asyncio.open_connection(host, port)
    request = (
        f"POST /api/chat HTTP/1.1\r\nHost: {host}\r\nX-API-Key: secret\r\nContent-Length: {BODY_BYTES + 1}\r\n\r\n"
    )
    writer.write(request.encode())

    status = await reader.readline()

    writer.close()
    await writer.wait_closed()
    assert status.startswith(b"HTTP/1.1 413")


async def test_a_body_without_a_length_is_counted(http: httpx.AsyncClient) -> None:
    """Chunk by chunk."""

    def endless() -> Iterator[bytes]:
        for _ in range(BODY_BYTES // 65536 + 2):
            yield b" " * 65536

    async def body() -> AsyncIterator[bytes]:
        for chunk in endless():
            yield chunk

    answer = await http.post("/v1/chat/completions", headers={"X-API-Key": "secret"}, content=body())

    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "body_too_large")


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/audio/transcriptions", "/api/chat"])
async def test_who_leaves_in_the_middle_of_a_body_leaves_no_trace(
    http: httpx.AsyncClient, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A line that breaks is no bug of ours."""
    head = "Host: here\r\nX-API-Key: secret\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 100"
    _, writer = await asyncio.open_connection(http.base_url.host, http.base_url.port)
    writer.write(f"POST {path} HTTP/1.1\r\n{head}\r\n\r\n--x".encode())
    await http.get("/healthz")

    writer.close()
    await writer.wait_closed()

    assert (await http.get("/healthz")).status_code == 200
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


async def test_a_key_may_hold_any_letter(tmp_path: Path) -> None:
    """A header carries its UTF-8."""
    async with running_app(tmp_path, {"http": {"enabled": True, "api_key": "Schlüssel"}}) as app:
        host, port = app.endpoints["http"]
        async with httpx.AsyncClient(base_url=f"http://{host}:{port}") as client:
            by_header = await client.get("/status", headers={b"X-API-Key": "Schlüssel".encode()})
            by_query = await client.get("/status", params={"api_key": "Schlüssel"})
            wrong = await client.get("/status", headers={"X-API-Key": "Schlussel"})

    assert (by_header.status_code, by_query.status_code, wrong.status_code) == (200, 200, 401)


@pytest.mark.parametrize(
    "host",
    ["[evil]", "[evil]:80", "[::1", "::1]", "localhost:99999999", "localhost:x", "a b", "127.0.0.1#x", "x@127.0.0.1"],
)
async def test_a_host_that_is_none_is_a_bad_request(http: httpx.AsyncClient, host: str) -> None:
    """And no bug of ours, nor taken for what stands in it."""
    answer = await http.get("/health", headers={"Host": host})

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")


@pytest.mark.parametrize("host", ["[::1]:80", "my-board.local:8000", "under_score", "127.0.0.1"])
async def test_a_host_that_is_a_name_or_an_address_is_served(http: httpx.AsyncClient, host: str) -> None:
    """With or without a port."""
    assert (await http.get("/health", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize("origin", ["http://[", "http://[evil]", "null", "", "://", "http://x:99999999"])
async def test_an_origin_that_is_none_is_another_sites(http: httpx.AsyncClient, origin: str) -> None:
    """A malformed Origin header counts as another site's."""
    answer = await http.post("/v1/completions", headers={"Origin": origin, "X-API-Key": "secret"}, content=b"{}")

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "origin_not_allowed")
