"""Covers guard, auth, context and admission of unitd.doors.http: tokens over HTTP and WebSockets, TLS, and limits."""

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

from tests.support.clients.bargein_client import capacity_of, person_at
from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app
from tests.support.setups import LLM_SETUP, LONG_QUESTION
from tests.support.tokens import NO_TRUST, asking_app, client_with, keep_tokens, write_tokens
from tests.support.waiting import MS
from unitd.__main__ import main
from unitd.app import App
from unitd.core.access.grants import Limits, Role
from unitd.doors.http import admission
from unitd.doors.tls import Tls
from unitd.runtime.sys import access
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


async def until_seats_taken(app: App, seats: int) -> None:
    """The daemon has noticed who left."""
    async with asyncio.timeout(5):
        while (await capacity_of(app))["active"] != seats:
            await asyncio.sleep(MS)


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
    """Then the key that may be guessed has to wait, too; a token's holder, who comes by the same proxy, does not."""
    token = write_tokens(tmp_path, {"anna": Role.USE})["anna"]
    async with asking_app(tmp_path, http={"enabled": True, "api_key": "k"}) as app, http_client(app) as client:
        guesses = [await client.get("/status", headers={"X-API-Key": f"guess {each}"}) for each in range(7)]
        assert [each.status_code for each in guesses] == [401] * access.FREE_TRIES + [429] * 2

        answer = await client.get("/status", headers={"X-API-Key": "k"})

        assert (await client.get("/status", headers={"X-API-Key": token})).status_code == 200
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
    """Every WebSocket route refuses a client without a token, and serves one that has it."""
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


@pytest.mark.parametrize(
    ("http", "has_token", "accepts"),
    [
        ({}, False, ["token"]),
        ({}, True, ["token"]),
        ({"api_key": "k"}, False, ["api_key"]),
        ({"api_key": "k"}, True, ["api_key", "token"]),
    ],
)
async def test_a_refused_page_is_told_what_to_ask_for(
    tmp_path: Path, http: dict[str, str], has_token: bool, accepts: list[str]
) -> None:
    """A key is asked for only where there is one; a token also where none was made yet."""
    write_tokens(tmp_path, {"anna": Role.USE} if has_token else {})
    async with (
        asking_app(tmp_path, http={"enabled": True} | http) as app,
        connect(address_of(app, "/ws/units")) as ws,
    ):
        refusal = orjson.loads(await ws.recv())

    assert (refusal["error_code"], refusal["accepts"]) == ("authentication_failed", accepts)


async def test_a_refused_socket_is_told_why(tmp_path: Path) -> None:
    """A wrong key is another matter than one that comes too soon after wrong ones, though it is right."""
    async with asking_app(tmp_path, http={"enabled": True, "api_key": "right"}) as app:
        reasons = []
        for key in ["guess"] * access.FREE_TRIES + ["right"]:
            async with connect(address_of(app, f"/ws/units?api_key={key}")) as ws:
                reasons.append(orjson.loads(await ws.recv())["message"])

    assert reasons[0] == "this key or token is not known, or its time is over"
    assert reasons[-1].startswith("too many wrong tokens came from here; try again in ")


async def test_a_stranger_learns_only_that_somebody_is_here(tmp_path: Path) -> None:
    """Not what computes the answers, nor how many there are."""
    token = write_tokens(tmp_path, {"anna": Role.USE})["anna"]
    async with asking_app(tmp_path, **HTTP) as app, http_client(app) as client:
        assert (await client.get("/health")).json() == {"status": "ok"}
        assert "llama_url" in (await client.get("/health", headers={"X-API-Key": token})).json()


async def test_a_socket_ends_with_its_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that only listens."""
    monkeypatch.setattr(admission, "LOOK_SECONDS", 20 * MS)
    token = write_tokens(tmp_path, {"anna": Role.USE})["anna"]
    async with asking_app(tmp_path, **HTTP) as app, connect(address_of(app, f"/ws/units?api_key={token}")) as ws:
        await ws.send('{"request_id": "1", "work_id": "sys", "action": "ping"}')
        await ws.recv()
        await asyncio.to_thread(keep_tokens, tmp_path, [])
        await app.reload()

        with pytest.raises(ConnectionClosed):
            await ws.recv()


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
    """One more is told that it is the token that has no more, not the daemon; by POST, too."""
    token = write_tokens(tmp_path, {"anna": Role.USE}, Limits(connections=1))["anna"]
    async with asking_app(tmp_path, **HTTP) as app, connect(address_of(app, f"/ws?api_key={token}")) as first:
        await first.send('{"type": "ping"}')
        await first.recv()
        async with connect(address_of(app, f"/ws?api_key={token}")) as second:
            refusal = orjson.loads(await second.recv())
        async with connect(address_of(app, f"/ws/chat?api_key={token}")) as chat:
            told = orjson.loads(await chat.recv())
        async with http_client(app, headers={"X-API-Key": token}) as client:
            answer = await client.post("/api/chat", json={})

    words = "1 connections of 'anna' are open already"
    assert (refusal["error_code"], refusal["message"]) == ("server_at_capacity", words)
    assert told == {"type": "error", "error": words}
    assert (answer.status_code, answer.json()) == (503, told)


async def test_a_socket_that_shows_a_token_later_is_one_of_its_sockets(tmp_path: Path) -> None:
    """Until it is closed: then the token may open the next one."""
    token = write_tokens(tmp_path, {"anna": Role.USE}, Limits(connections=1))["anna"]
    auth = orjson.dumps({"request_id": "1", "work_id": "sys", "action": "auth", "data": {"token": token}}).decode()
    async with running_app(tmp_path, HTTP) as app, connect(address_of(app, "/ws/units")) as other:
        codes = []
        async with connect(address_of(app, "/ws/units")) as ws:
            for each in (ws, other):
                await each.send(auth)
                codes.append(orjson.loads(await each.recv())["error"]["code"])
        await until_seats_taken(app, 1)
        await other.send(auth)
        codes.append(orjson.loads(await other.recv())["error"]["code"])

    assert codes == [0, -10, 0]


# TLS


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


async def test_a_pair_that_does_not_belong_together_changes_nothing_at_a_reload(
    tmp_path: Path, certificate: dict[str, str]
) -> None:
    """New connections are taken with the one before."""
    trusting = await asyncio.to_thread(ssl.create_default_context, cafile=certificate["tls_cert"])
    async with running_app(tmp_path, {"tcp": {"host": "0.0.0.0"}, "auth": certificate}) as app:
        with pytest.raises(SystemExit):
            await asyncio.to_thread(main, ["cert", "new", "--dir", str(tmp_path / "other"), "--name", "x"])
        await asyncio.to_thread((tmp_path / "other" / "cert.pem").replace, certificate["tls_cert"])

        with pytest.raises(ConfigError, match="do the two belong together"):
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


async def test_a_recorded_chat_is_its_token_s(tmp_path: Path) -> None:
    """Another one does not find it by its id; who sees what runs is not told what was said; an administrator is."""
    roles = {"anna": Role.USE, "ben": Role.USE, "olga": Role.OBSERVE, "root": Role.ADMIN}
    tokens = write_tokens(tmp_path, roles)
    body = {"messages": [{"role": "user", "content": "Hello!"}], "streaming": False}
    async with (
        asking_app(tmp_path, http={"enabled": True, "record_sessions": True}) as app,
        http_client(app) as client,
    ):
        chat = await client.post("/api/chat", json=body, headers={"X-API-Key": tokens["anna"]})
        path = f"/api/sessions/{chat.json()['recording_session_id']}"
        answers = {name: await client.get(path, headers={"X-API-Key": token}) for name, token in tokens.items()}

    assert {name: each.status_code for name, each in answers.items()} == {
        "anna": 200,
        "ben": 404,
        "olga": 403,
        "root": 200,
    }


async def test_metrics_name_a_token_its_own_tasks_only(tmp_path: Path) -> None:
    """Who sees what runs sees all of them."""
    tokens = write_tokens(tmp_path, {"anna": Role.USE, "ben": Role.USE, "olga": Role.OBSERVE})
    async with (
        asking_app(tmp_path, **HTTP) as app,
        client_with(app, tokens["anna"]) as anna,
        http_client(app) as client,
    ):
        task = await anna.setup("llm", LLM_SETUP)
        pages = {name: await client.get("/metrics", headers={"X-API-Key": token}) for name, token in tokens.items()}

    assert {name: task in page.text for name, page in pages.items()} == {"anna": True, "ben": False, "olga": True}
