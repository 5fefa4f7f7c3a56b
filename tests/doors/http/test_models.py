"""Covers unitd.doors.http.models: the models by HTTP."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from tests.support.models.small_model import CONTENT, FETCHED, HALF, board, held_at_half, small_hub
from tests.support.servers.local_hub import LocalHub
from tests.support.tokens import asking_app, write_tokens
from tests.support.waiting import MS
from unitd.core.access.grants import Role

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHub]:
    """Has the small model."""
    with small_hub(monkeypatch) as hub:
        yield hub


@pytest.fixture
async def http(tmp_path: Path, hub: LocalHub) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a daemon beside the hub."""
    async with board(tmp_path, {"http": {"enabled": True}}) as app:
        host, port = app.endpoints["http"]
        async with httpx.AsyncClient(base_url=f"http://{host}:{port}", timeout=20) as client:
            yield client


async def models(http: httpx.AsyncClient) -> dict[str, dict[str, Any]]:
    """What is listed, by name."""
    return {each["mode"]: each for each in (await http.get("/api/models")).raise_for_status().json()["models"]}


async def events(response: httpx.Response) -> list[dict[str, Any]]:
    """What a stream of events says until it ends."""
    return [orjson.loads(line.removeprefix("data: ")) async for line in response.aiter_lines() if line]


async def test_each_model_is_listed_once(http: httpx.AsyncClient) -> None:
    """With what it weighs, whether it fits, and its other names."""
    listed = await models(http)

    small = listed["small"]
    assert small["aliases"] == ["small-from-the-original", "small-too"]
    assert (small["installed"], small["size"], small["fits"], small["bundled"]) == (False, len(CONTENT), True, False)
    assert listed["unitd-chat"]["installed"]
    assert "small-too" not in listed


async def test_a_model_may_take_another_s_name(http: httpx.AsyncClient, tmp_path: Path) -> None:
    """The other one has only its further names then, and no row."""
    (tmp_path / "models" / "mine").mkdir(parents=True)
    (tmp_path / "models" / "mine" / "card.toml").write_text('name = "mine"\nunit = "llm"\naliases = ["small"]\n')

    listed = await models(http)

    assert listed["mine"]["aliases"] == ["small"]
    assert "small" not in listed


async def test_a_pull_is_a_stream_of_events(http: httpx.AsyncClient) -> None:
    """The last one says that it is done; then the model is there."""
    async with http.stream("POST", "/api/models/pull", json={"model": "small-too"}) as response:
        told = await events(response)

    assert response.headers["content-type"].startswith("text/event-stream")
    assert (told[-1]["state"], told[-1]["finish"]) == ("done", True)
    assert [each["finish"] for each in told[:-1]] == [False] * (len(told) - 1)
    assert (await models(http))["small"]["installed"]


async def test_who_leaves_does_not_stop_a_pull(http: httpx.AsyncClient, hub: LocalHub) -> None:
    """It is seen in the list, and ends without anybody."""
    hub.holds_at = HALF
    async with http.stream("POST", "/api/models/pull", json={"model": "small"}):
        await held_at_half(hub)
    async with asyncio.timeout(10):
        while (await models(http))["small"]["download"]["total"] != len(CONTENT):
            await asyncio.sleep(10 * MS)
    hub.released.set()

    async with asyncio.timeout(10):
        while not (await models(http))["small"]["installed"]:
            await asyncio.sleep(10 * MS)
    assert len(hub.gets(FETCHED)) == 1


async def test_a_pull_that_fails_ends_with_an_error(http: httpx.AsyncClient, hub: LocalHub) -> None:
    """The stream has begun by then, so it is the last event."""
    hub.files.clear()

    async with http.stream("POST", "/api/models/pull", json={"model": "small"}) as response:
        told = await events(response)

    assert told[-1]["error"]["code"] == "not_available"
    assert "me/model" in told[-1]["error"]["message"]


async def test_an_installed_model_is_removed(http: httpx.AsyncClient, tmp_path: Path) -> None:
    """And is not found a second time."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "tiny.gguf").touch()

    first, second = [await http.delete("/api/models/tiny") for _ in range(2)]

    assert (first.status_code, first.json()) == (200, {"removed": "tiny"})
    assert (second.status_code, second.json()["error"]["code"]) == (404, "model_not_found")
    assert not (tmp_path / "models" / "tiny.gguf").exists()


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b'{"model": "no-such-model"}', 404, "model_not_found"),
        (b'{"model": "unitd-chat"}', 409, "not_available"),
        (b'{"model": ""}', 400, "invalid_value"),
        (b'{"name": "small"}', 400, "invalid_value"),
        (b"small", 400, "invalid_value"),
    ],
)
async def test_what_cannot_be_pulled_has_a_status(http: httpx.AsyncClient, body: bytes, status: int, code: str) -> None:
    """The error has an HTTP status, because no stream has begun yet."""
    response = await http.post("/api/models/pull", content=body)

    assert (response.status_code, response.json()["error"]["code"]) == (status, code)


async def test_a_bundled_model_stays(http: httpx.AsyncClient) -> None:
    """It came with unitd."""
    response = await http.delete("/api/models/unitd-chat")

    assert (response.status_code, response.json()["error"]["message"]) == (409, "unitd-chat came with unitd")


async def test_an_onlooker_sees_the_models_and_changes_nothing(tmp_path: Path, hub: LocalHub) -> None:
    """To fetch and to remove is for administrators."""
    token = write_tokens(tmp_path, {"eye": Role.OBSERVE})["eye"]
    async with asking_app(tmp_path, http={"enabled": True}) as app:
        host, port = app.endpoints["http"]
        headers = {"X-API-Key": token}
        async with httpx.AsyncClient(base_url=f"http://{host}:{port}", headers=headers) as onlooker:
            listed = await models(onlooker)
            pulled = await onlooker.post("/api/models/pull", json={"model": "qwen2.5-0.5b"})
            removed = await onlooker.delete("/api/models/qwen2.5-0.5b")

    assert listed["unitd-chat"]["installed"]
    assert (pulled.status_code, removed.status_code) == (403, 403)
    assert hub.seen == []
