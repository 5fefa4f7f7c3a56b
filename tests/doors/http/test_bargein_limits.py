"""Covers unitd.doors.http.bargein.handler: limits, silence, damage, and who may come in."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from websockets.exceptions import ConnectionClosed

from tests.support.clients.bargein_client import Person, engine_that_says, kinds_of, person_at
from tests.support.clients.onlooker import at_work
from tests.support.daemon import running_app
from tests.support.setups import LLM_SETUP, LONG_QUESTION
from tests.support.waiting import MS
from unitd import __version__
from unitd.app import App
from unitd.doors.local_client import LocalClient

# Far more than the bundled model can hold.
BOOK = "the old mill by the river " * 15_000
TURN = ["ack", "token", "final", "done"]
Visit = Callable[..., AbstractAsyncContextManager[Person]]


@pytest.fixture
def visit(tmp_path: Path) -> Visit:
    """A client of a daemon with these settings of the dialect."""

    @asynccontextmanager
    async def visiting(**barge_in: Any) -> AsyncIterator[Person]:
        settings = {"http": {"enabled": True, "barge_in": barge_in}}
        async with running_app(tmp_path, settings) as app, person_at(app) as person:
            yield person

    return visiting


async def closed_with(person: Person) -> int | None:
    """The code that the socket closes with."""
    with pytest.raises(ConnectionClosed):
        async with asyncio.timeout(5):
            while True:
                await person.hear()
    return person.socket.close_code


# Limits


async def test_too_many_messages_are_told_when_to_come_again(visit: Visit) -> None:
    """The turn that goes on is not disturbed; cancels have a window of their own."""
    async with visit(messages=2) as person:
        await person.start(LONG_QUESTION)
        await person.until("token")
        await person.say(type="warm_persona", persona_text="x")
        await person.start("hello")
        refusal = (await person.until("error"))[-1]
        rest = await person.until("done")
        await person.say(type="cancel")
        cancelled = await person.hear()

    assert (refusal["error_code"], set(refusal)) == (
        "message_rate_limited",
        {"type", "error_code", "message", "retry_in"},
    )
    assert 1 <= refusal["retry_in"] <= 60
    assert "usage" in rest[-1]
    assert cancelled["cancelled"]


async def test_too_many_cancels_are_told_when_to_come_again(visit: Visit) -> None:
    """In all their spellings together."""
    async with visit(cancels=2) as person:
        for message in ("__CANCEL__", '{"cancel":true}', '{"type":"cancel"}'):
            await person.socket.send(message)
        frames = [await person.hear() for _ in range(3)]
        frames += await person.turn("hello")

    assert kinds_of(frames[:2]) == ["done", "done"]
    assert (frames[2]["error_code"], frames[2]["retry_in"] > 50) == ("cancel_rate_limited", True)
    assert kinds_of(frames[3:]) == TURN


async def test_a_window_moves_on(visit: Visit) -> None:
    """A client that waits as long as it was told is served."""
    async with visit(messages=1, message_window_s=0.2) as person:
        await person.turn("hello")
        await person.start("hello")
        await person.until("done", "error")
        await asyncio.sleep(200 * MS)
        frames = await person.turn("hello")

    assert kinds_of(frames) == TURN


async def test_personas_of_a_session_change_only_so_often(visit: Visit) -> None:
    """Counted for the session, not for the connection; the answer has the form of the message's ack."""
    async with visit(persona_updates=1) as person:
        for session_id in ("ann", "bob", "ann"):
            await person.say(type="chat_prompt", session_id=session_id, persona_text="A robot.")
        codes = [(answer["ok"], answer["code"]) for answer in (await person.hear(), await person.hear())]
        refusal = await person.hear()

    assert codes == [(True, 200), (True, 200)]
    assert (refusal["for"], refusal["ok"], refusal["code"]) == ("chat_prompt", False, 429)
    assert 1 <= refusal["retry_in"] <= 60


async def test_pings_are_not_counted(visit: Visit) -> None:
    """They keep a quiet connection open; nonsense is not counted either."""
    async with visit(messages=1) as person:
        for _ in range(50):
            await person.say(type="ping")
        pongs = [await person.hear() for _ in range(50)]
        frames = await person.turn("hello")

    assert pongs == [{"type": "pong"}] * 50
    assert kinds_of(frames) == TURN


async def test_zero_is_no_limit(visit: Visit) -> None:
    """A limit of 0 and a window of 0 both switch the limit off."""
    async with visit(messages=0, cancel_window_s=0, persona_updates=0) as person:
        for _ in range(30):
            await person.say(type="cancel")
            await person.say(type="chat_prompt", session_id="ann", persona_text="A robot.")
        answers = [await person.hear() for _ in range(60)]

    assert kinds_of(answers) == ["done", "ack"] * 30


# Silence


async def test_a_silent_client_is_sent_away(visit: Visit) -> None:
    """With the code that says why; pings until then keep it."""
    async with visit(idle_timeout_s=0.3) as person:
        for _ in range(4):
            await asyncio.sleep(150 * MS)
            await person.say(type="ping")
        began = asyncio.get_running_loop().time()
        code = await closed_with(person)

    assert code == 4000
    assert asyncio.get_running_loop().time() - began > 0.25


async def test_listening_is_not_silence(tmp_path: Path) -> None:
    """An answer that takes longer than the limit is heard to its end, then the time runs."""
    async with engine_that_says(*["la "] * 10) as script:
        script.pause_seconds = 0.05
        settings: dict[str, Any] = {"http": {"enabled": True, "barge_in": {"idle_timeout_s": 0.2}}}
        async with running_app(tmp_path, settings | {"llm": {"url": script.url}}) as app, person_at(app) as person:
            frames = await person.turn("sing")
            code = await closed_with(person)

    assert kinds_of(frames) == TURN
    assert code == 4000


# Damage


async def test_nonsense_in_mid_answer_disturbs_nothing(http_daemon: App) -> None:
    """The answer is heard to its end."""
    nonsense: dict[str | bytes, str] = {
        "{": "invalid_message",
        b"\xff": "invalid_message",
        '{"type":"start"}': "missing_session_id",
        '{"type":"chat_prompt","persona_text":"x","session_id":7}': "validation_error",
        '{"type":"sing"}': "unknown_message_type",
    }
    async with person_at(http_daemon) as person:
        whole = (await person.turn(LONG_QUESTION))[-2]
        await person.start(LONG_QUESTION)
        for message in nonsense:
            await person.socket.send(message)
        frames = await person.until("done")

    assert [frame["error_code"] for frame in frames if frame["type"] == "error"] == list(nonsense.values())
    assert frames[-2] == whole


@pytest.mark.parametrize("message", ["hello", "[]", "", b"\x00\x01"])
async def test_a_connection_may_begin_with_nonsense(http_daemon: App, message: str | bytes) -> None:
    """As long as nobody knows which dialect it is, errors have this one's form."""
    async with person_at(http_daemon) as person:
        await person.socket.send(message)
        refusal = await person.hear()
        frames = await person.turn("hello")

    assert refusal["error_code"] == "invalid_message"
    assert kinds_of(frames) == TURN


async def test_a_persona_without_a_session_is_refused(http_daemon: App) -> None:
    """Without a session id it could not be found again."""
    async with person_at(http_daemon) as person:
        await person.say(type="chat_prompt", persona_text="A robot.")
        refusal = await person.hear()

    assert refusal["error_code"] == "missing_session_id"


async def test_a_prompt_that_does_not_fit_is_refused(http_daemon: App) -> None:
    """The words say how long it may be; the next turn is served."""
    async with person_at(http_daemon) as person:
        refused = await person.turn("hello", history_text=BOOK)
        await person.say(type="warm_history", history_text=BOOK)
        cold = await person.hear()
        frames = await person.turn("hello")

    assert kinds_of(refused) == ["ack", "error"]
    assert refused[-1]["error_code"] == cold["error_code"] == "validation_error"
    assert "the context holds" in refused[-1]["message"]
    assert kinds_of(frames) == TURN


async def test_an_engine_that_fails_is_an_internal_error(tmp_path: Path) -> None:
    """Its client is told, and can try again."""
    async with engine_that_says() as script:
        settings = {"http": {"enabled": True}, "llm": {"url": script.url}}
        script.pieces = ["half of", None]
        async with running_app(tmp_path, settings) as app, person_at(app) as person:
            failed = await person.turn("hello")
            script.pieces = ["all of it"]
            frames = await person.turn("hello")

    assert failed[-1]["error_code"] == "internal_error"
    assert kinds_of(frames) == TURN


async def test_an_engine_that_dies_is_started_again(http_daemon: App) -> None:
    """Here while it reads a prompt; the next turn has a new one."""
    async with person_at(http_daemon) as person:
        await person.turn("hello")
        await person.start("hello", history_text=BOOK[:12_000])
        await person.hear()
        await at_work(http_daemon)
        (engine,) = psutil.Process().children()
        engine.kill()
        died = await person.hear()
        frames = await person.turn("hello")

    assert died["error_code"] == "internal_error"
    assert kinds_of(frames) == TURN


async def test_a_full_daemon_says_so(tmp_path: Path) -> None:
    """Every task has an owner that is here: no turn until one is gone."""
    settings = {"http": {"enabled": True}, "limits": {"tasks": 1}}
    async with running_app(tmp_path, settings) as app, person_at(app) as person:
        owner = LocalClient(app, "owner", "tcp")
        await owner.set_up("llm", LLM_SETUP)
        refused = await person.turn("hello")
        owner.close()
        frames = await person.turn("hello")

    assert refused[-1]["error_code"] == "server_at_capacity"
    assert kinds_of(frames) == TURN


# Who may come in


async def test_a_wrong_key_is_refused(tmp_path: Path) -> None:
    """In the words of the original, with its close code; the right one opens, in the query or in a header."""
    async with running_app(tmp_path, {"http": {"enabled": True, "api_key": "secret"}}) as app:
        async with person_at(app, "?api_key=guess") as stranger:
            refusal = await stranger.hear()
            code = await closed_with(stranger)
        async with person_at(app, "?api_key=secret") as friend:
            await friend.say(type="ping")
            pong = await friend.hear()

    assert (refusal["error_code"], code) == ("authentication_failed", 1008)
    assert pong == {"type": "pong"}


async def test_one_too_many_is_refused(tmp_path: Path) -> None:
    """Told how many there are, and to come again."""
    settings = {"http": {"enabled": True, "connections": 1, "barge_in": {"acquire_timeout_s": 0}}}
    async with running_app(tmp_path, settings) as app, person_at(app) as first:
        await first.say(type="ping")
        await first.hear()
        async with person_at(app) as second:
            refusal = await second.hear()
            code = await closed_with(second)

    assert (refusal["error_code"], code) == ("server_at_capacity", 1013)
    assert refusal["capacity"] == {"active": 1, "max": 1, "available": 0, "at_capacity": True}


async def test_status_tells_capacity_and_queue(tmp_path: Path) -> None:
    """To who has the key; that the daemon is well is told to everybody."""
    async with (
        running_app(tmp_path, {"http": {"enabled": True, "api_key": "secret"}}) as app,
        person_at(app, "?api_key=secret") as person,
    ):
        await person.say(type="ping")
        await person.hear()
        host, port = app.endpoints["http"]
        async with httpx.AsyncClient(base_url=f"http://{host}:{port}") as http:
            health = await http.get("/healthz")
            locked = await http.get("/status")
            status = await http.get("/status", headers={"X-API-Key": "secret"})

    assert (health.json(), locked.status_code) == ({"status": "ok"}, 401)
    assert status.json() == {
        "status": "ok",
        "version": __version__,
        "capacity": {"active": 1, "max": 256, "available": 255, "at_capacity": False},
        "queue": {"slots": 4, "active": 0, "queued": 0},
    }
