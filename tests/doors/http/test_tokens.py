"""Covers guard, desk and access: tokens over HTTP and WebSockets, TLS, and limits of addresses."""

import asyncio
import importlib
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tests.conftest import running_app
from tests.doors.http.bargein_client import person_at
from tests.doors.tokens import NO_TRUST, asking_app, write_tokens
from tests.helpers import LLM_SETUP, LONG_QUESTION, WireClient
from unitd.__main__ import main
from unitd.app import App
from unitd.core.access import Limits, Role
from unitd.doors.tls import Tls
from unitd.runtime import access
from unitd.wire.errors import ConfigError

importlib.import_module("unitd.doors.http.door")

QUESTION = {"model": "default", "messages": [{"role": "user", "content": "Hello!"}], "temperature": 0}
HTTP = {"http": {"enabled": True}}


@asynccontextmanager
async def http_client(app: App, **options: Any) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the HTTP door."""
    host, port = app.endpoints["http"]
    async with httpx.AsyncClient(base_url=f"http://{host}:{port}", timeout=30, **options) as client:
        yield client


def address_of(app: App, path: str) -> str:
    """A WebSocket's address."""
    host, port = app.endpoints["http"]
    return f"ws://{host}:{port}{path}"


# Coming in


async def test_a_token_comes_in_by_header_bearer_or_query(tmp_path: Path) -> None:
    """And without one nobody does, even from this machine, where it is not trusted."""
    token = write_tokens(tmp_path, {"anna": Role.USE})["anna"]
    async with asking_app(tmp_path, **HTTP) as app, http_client(app) as client:
        assert (await client.get("/v1/models")).status_code == 401
        for given in ({"X-API-Key": token}, {"Authorization": f"Bearer {token}"}):
            assert (await client.get("/v1/models", headers=given)).status_code == 200
        assert (await client.get("/v1/models", params={"api_key": token})).status_code == 200


async def test_any_key_will_do_where_none_is_needed(tmp_path: Path) -> None:
    """Libraries of the OpenAI API always send one."""
    async with running_app(tmp_path, HTTP) as app, http_client(app) as client:
        answer = await client.post("/v1/chat/completions", json=QUESTION, headers={"Authorization": "Bearer none"})
    assert answer.status_code == 200
    assert answer.json()["choices"][0]["message"]["content"]


async def test_guessing_becomes_slow(tmp_path: Path) -> None:
    """Then the right token has to wait, too."""
    token = write_tokens(tmp_path, {"anna": Role.USE})["anna"]
    async with asking_app(tmp_path, **HTTP) as app, http_client(app) as client:
        guesses = [await client.get("/status", headers={"X-API-Key": f"guess {each}"}) for each in range(7)]
        assert [each.status_code for each in guesses] == [401] * access.FREE_TRIES + [429] * 2

        answer = await client.get("/status", headers={"X-API-Key": token})

        assert (answer.status_code, answer.json()["error"]["code"]) == (429, "too_many_wrong_keys")
        assert (await client.get("/health")).status_code == 200


async def test_refused_tokens_are_a_metric(tmp_path: Path) -> None:
    """For whoever watches many boards."""
    token = write_tokens(tmp_path, {"eye": Role.OBSERVE})["eye"]
    async with asking_app(tmp_path, **HTTP) as app, http_client(app) as client:
        await client.get("/status", headers={"X-API-Key": "guess"})

        metrics = (await client.get("/metrics", headers={"X-API-Key": token})).text

    assert "unitd_refused_tokens_total 1.0" in metrics


async def test_sockets_ask_for_a_token_too(tmp_path: Path) -> None:
    """All of them; with one they serve."""
    token = write_tokens(tmp_path, {"anna": Role.USE})["anna"]
    async with asking_app(tmp_path, **HTTP) as app:
        for path in ("/ws", "/ws/units", "/ws/chat"):
            async with connect(address_of(app, path)) as ws:
                await ws.recv()
                with pytest.raises(ConnectionClosed):
                    await ws.recv()
        async with connect(address_of(app, f"/ws?api_key={token}")) as ws:
            await ws.send('{"type": "ping"}')
            assert orjson.loads(await ws.recv())["type"] == "pong"


# What a token may do


async def test_who_may_only_look_gets_no_answer(tmp_path: Path) -> None:
    """403 with a reason; what runs is seen."""
    token = write_tokens(tmp_path, {"eye": Role.OBSERVE})["eye"]
    async with asking_app(tmp_path, **HTTP) as app, http_client(app, headers={"X-API-Key": token}) as client:
        answer = await client.post("/v1/chat/completions", json=QUESTION)

        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_allowed")
        assert (await client.get("/status")).status_code == 200


async def test_units_over_a_socket_are_the_token_s_own(tmp_path: Path) -> None:
    """The same ownership as on TCP."""
    tokens = write_tokens(tmp_path, {"anna": Role.USE, "ben": Role.USE})
    async with (
        asking_app(tmp_path, **HTTP) as app,
        connect(address_of(app, f"/ws/units?api_key={tokens['anna']}")) as anna,
        connect(address_of(app, f"/ws/units?api_key={tokens['ben']}")) as ben,
    ):
        setup = {"request_id": "1", "work_id": "llm", "action": "setup", "data": LLM_SETUP}
        await anna.send(orjson.dumps(setup).decode())
        hers = orjson.loads(await anna.recv())["work_id"]

        await ben.send(orjson.dumps({"request_id": "1", "work_id": hers, "action": "exit"}).decode())

        assert orjson.loads(await ben.recv())["error"]["code"] == -6


async def test_sessions_of_the_barge_in_socket_are_the_token_s_own(tmp_path: Path) -> None:
    """Who begins a turn under another one's session_id interrupts nobody."""
    tokens = write_tokens(tmp_path, {"anna": Role.USE, "ben": Role.USE})
    async with (
        asking_app(tmp_path, **HTTP) as app,
        person_at(app, f"?api_key={tokens['anna']}") as anna,
        person_at(app, f"?api_key={tokens['ben']}") as ben,
    ):
        await anna.start(LONG_QUESTION, "s")
        await anna.until("token")

        await ben.turn("Hello!", "s")

        assert "cancelled" not in (await anna.until("done"))[-1]


async def test_a_token_opens_so_many_sockets(tmp_path: Path) -> None:
    """One more is told that there is no room."""
    token = write_tokens(tmp_path, {"anna": Role.USE}, Limits(connections=1))["anna"]
    async with asking_app(tmp_path, **HTTP) as app, connect(address_of(app, f"/ws?api_key={token}")) as first:
        await first.send('{"type": "ping"}')
        await first.recv()
        async with connect(address_of(app, f"/ws?api_key={token}")) as second:
            assert orjson.loads(await second.recv())["error_code"] == "server_at_capacity"


# TLS


@pytest.fixture
def certificate(tmp_path: Path) -> dict[str, str]:
    """A certificate of one's own, made as an administrator makes it."""
    with pytest.raises(SystemExit) as end:
        main(["cert", "new", "--dir", str(tmp_path / "tls"), "--name", "localhost", "--name", "127.0.0.1"])
    assert end.value.code == 0
    return {"tls_cert": str(tmp_path / "tls" / "cert.pem"), "tls_key": str(tmp_path / "tls" / "key.pem")}


async def test_doors_for_other_machines_speak_tls(tmp_path: Path, certificate: dict[str, str]) -> None:
    """TCP and HTTP with one certificate, which clients verify; who speaks in the clear gets nowhere."""
    token = write_tokens(tmp_path, {"anna": Role.USE})["anna"]
    tables = {"tcp": {"host": "0.0.0.0"}, "http": {"enabled": True, "host": "0.0.0.0"}}
    trusting = await asyncio.to_thread(ssl.create_default_context, cafile=certificate["tls_cert"])
    async with running_app(tmp_path, tables | {"auth": NO_TRUST["auth"] | certificate}) as app:
        tcp_port, http_port = app.endpoints["tcp"][1], app.endpoints["http"][1]

        streams = await asyncio.open_connection("127.0.0.1", tcp_port, ssl=trusting)
        client = WireClient(*streams)
        assert (await client.ask(work_id="sys", action="auth", data={"token": token}))["error"]["code"] == 0
        await client.close()
        async with httpx.AsyncClient(verify=trusting, headers={"X-API-Key": token}) as http:
            assert (await http.get(f"https://127.0.0.1:{http_port}/v1/models")).status_code == 200

        clear = WireClient(*await asyncio.open_connection("127.0.0.1", tcp_port))
        await clear.send(work_id="sys", action="ping")
        with pytest.raises((EOFError, ConnectionError)):
            await clear.receive()
        await clear.close()


async def test_a_certificate_tells_when_it_ends(certificate: dict[str, str]) -> None:
    """Warned of in its last month, and afterwards."""
    tls = await asyncio.to_thread(Tls, Path(certificate["tls_cert"]), Path(certificate["tls_key"]))

    assert tls.expires - time.time() == pytest.approx(825 * 86_400, abs=600)
    assert tls.warning(time.time()) == ""
    assert tls.warning(tls.expires - 5 * 86_400) == "the TLS certificate expires in 5 days"
    assert "expired 2 days ago" in tls.warning(tls.expires + 2 * 86_400)


async def test_a_new_certificate_is_taken_over_by_a_reload(tmp_path: Path, certificate: dict[str, str]) -> None:
    """New connections see it."""
    tables = {"tcp": {"host": "0.0.0.0"}, "auth": certificate}
    async with running_app(tmp_path, tables) as app:
        arguments = ["cert", "new", "--dir", str(tmp_path / "tls"), "--name", "127.0.0.1", "--force"]
        with pytest.raises(SystemExit):
            await asyncio.to_thread(main, arguments)
        trusting = await asyncio.to_thread(ssl.create_default_context, cafile=certificate["tls_cert"])

        await app.reload()

        client = WireClient(*await asyncio.open_connection("127.0.0.1", app.endpoints["tcp"][1], ssl=trusting))
        assert (await client.ask(work_id="sys", action="ping"))["error"]["code"] == 0
        await client.close()


@pytest.mark.parametrize("swap", ["key of another", "no PEM", "missing"])
def test_a_certificate_that_cannot_be_used_is_a_mistake_of_the_configuration(
    tmp_path: Path, certificate: dict[str, str], swap: str
) -> None:
    """Named with its file, before any door opens."""
    cert, key = Path(certificate["tls_cert"]), Path(certificate["tls_key"])
    if swap == "key of another":
        with pytest.raises(SystemExit):
            main(["cert", "new", "--dir", str(tmp_path / "other"), "--name", "x"])
        key = tmp_path / "other" / "key.pem"
    elif swap == "no PEM":
        cert.write_text("hello")
    else:
        cert.unlink()

    with pytest.raises(ConfigError, match=str(cert)):
        Tls(cert, key)
