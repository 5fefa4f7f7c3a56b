"""Covers unitd.doors.http.turnchat.handler where a request cannot be answered, by the socket and by POST."""

import orjson
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tests.doors.http.conftest import Start
from tests.support.clients.turnchat_client import ask, chat, chat_socket, everything, post, receive, types_of, url
from unitd.app import App

pytestmark = pytest.mark.timeout(60)

BAD_REQUESTS: list[tuple[bytes, str]] = [
    (b"hello", "the request is no JSON"),
    (orjson.dumps({"messages": []}), "messages is empty"),
    (orjson.dumps(ask([{"type": "audio", "data": "AAAAAAA="}])), "messages[0].content[0].data is no 32-bit float PCM"),
    (orjson.dumps(ask([{"type": "image", "data": "AAAA"}])), "messages[0].content[0].data is no image"),
    (orjson.dumps(ask("Hello!", generation={"temperature": "hot"})), "generation.temperature must be a number"),
    (orjson.dumps(ask(" ")), "messages[0] says nothing"),
]


@pytest.mark.parametrize(("request_", "words"), BAD_REQUESTS)
async def test_a_bad_request_is_told_what_is_wrong(http_daemon: App, request_: bytes, words: str) -> None:
    """One `error`, and the connection is closed; by POST it is status 400."""
    (error,) = await chat(http_daemon, request_.decode())
    response = await post(http_daemon, request_)

    assert error["type"] == "error"
    assert error["error"].startswith(words)
    assert (response.status_code, response.json()) == (400, error)


async def test_a_binary_message_is_no_request(http_daemon: App) -> None:
    """Not even one that holds JSON."""
    messages = await chat(http_daemon, orjson.dumps(ask("Hello!")))

    assert messages == [{"type": "error", "error": "the request must be a text message, this one is binary"}]


async def test_a_prompt_that_does_not_fit_is_an_error(start: Start) -> None:
    """With the numbers; by POST it is status 422."""
    app = await start(llm={"context": 256})

    (error,) = await chat(app, ask("word " * 1000))
    response = await post(app, ask("word " * 1000))

    assert "the context holds 256" in error["error"]
    assert (response.status_code, response.json()) == (422, error)


async def test_a_message_of_100_megabytes_disturbs_nobody(http_daemon: App) -> None:
    """It is not even read: close code 1009, or status 413."""
    huge = "x" * 100_000_000
    async with chat_socket(http_daemon) as ws:
        with pytest.raises(ConnectionClosed):
            await ws.send(huge)
            await receive(ws)
    response = await post(http_daemon, huge.encode())

    assert ws.close_code == 1009
    assert response.status_code == 413
    assert types_of(await chat(http_daemon, ask("Hello!")))[-1] == "done"


async def test_what_comes_behind_the_request_changes_nothing(http_daemon: App) -> None:
    """One request for each connection."""
    async with chat_socket(http_daemon) as ws:
        await ws.send(orjson.dumps(ask("Hello!")).decode())
        await ws.send("and another thing")
        messages = await everything(ws)

    assert types_of(messages) == ["prefill_done", "chunk", "done"]


async def test_a_key_is_asked_for_where_there_is_one(start: Start) -> None:
    """Without it: an error and close code 1008, or status 401."""
    app = await start(http={"api_key": "secret"})

    async with chat_socket(app) as ws:
        messages = await everything(ws)
    async with connect(url(app, "/ws/chat?api_key=secret", "ws")) as allowed:
        await allowed.send(orjson.dumps(ask("Hello!")).decode())
        answered = await everything(allowed)
    response = await post(app, ask("Hello!"))

    assert [each["type"] for each in messages] == ["error"]
    assert (ws.close_code, response.status_code) == (1008, 401)
    assert types_of(answered)[-1] == "done"


async def test_there_are_only_so_many_seats(start: Start) -> None:
    """One more client is told so: close code 1013, or status 503."""
    app = await start(http={"connections": 1})

    async with chat_socket(app) as seated:
        await seated.ping()
        async with chat_socket(app) as ws:
            messages = await everything(ws)
        response = await post(app, ask("Hello!"))
        await seated.send(orjson.dumps(ask("Hello!")).decode())
        answered = await everything(seated)

    assert messages == [{"type": "error", "error": "1 clients are connected, no more are taken"}]
    assert (ws.close_code, response.status_code, response.json()) == (1013, 503, messages[0])
    assert types_of(answered)[-1] == "done"
