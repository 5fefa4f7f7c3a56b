"""Covers unitd.doors.http.health, and chunked streams with a server as engine: what /health says about either."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.clients.voice_agent import Agent, Message, agent_at, asking, health_of
from tests.support.daemon import running_app
from tests.support.servers.far_server import far_server
from unitd.app import App

# A server behind the engine


@asynccontextmanager
async def relayed(folder: Path) -> AsyncIterator[tuple[App, Agent, asyncio.Server, str]]:
    """A daemon whose default llm is a server elsewhere, as with --llama-url."""
    async with far_server() as (server, url):
        settings = {"http": {"enabled": True}, "llm": {"url": url}}
        async with running_app(folder, settings) as app, agent_at(app) as agent:
            yield app, agent, server, url


async def test_a_server_answers_in_chunks(tmp_path: Path) -> None:
    """What it says beyond a pause waits; an end without a word for it is eos."""
    async with relayed(tmp_path) as (_, agent, _, _):
        started = await agent.ask("start_stream", "a", **asking("12", pause={"max_tokens": 10}))
        done = await agent.ask("continue_stream", "a")

    assert (started["reason"], started["text"]) == ("max_tokens", "la " * 10)
    assert (done["reason"], done["tokens"], done["full_text"]) == ("eos", 2, "la " * 12)


@pytest.mark.parametrize(("pause", "cap"), [({}, 500), ({"sentence_boundary": True}, 200)], ids=["whole", "sentence"])
async def test_a_cap_is_a_pause(tmp_path: Path, pause: Message, cap: int) -> None:
    """The client decides whether it wants more."""
    async with relayed(tmp_path) as (_, agent, _, _):
        started = await agent.ask("start_stream", "a", **asking("600", pause=pause))
        continued = await agent.ask("continue_stream", "a", pause={"max_tokens": 1})

    assert (started["reason"], started["paused"], started["tokens"]) == ("max_tokens", True, cap)
    assert continued["text"] == "la "


async def test_an_empty_answer_is_empty(tmp_path: Path) -> None:
    """No token at all."""
    async with relayed(tmp_path) as (_, agent, _, _):
        done = await agent.ask("start_stream", "a", **asking("0"))

    assert (done["reason"], done["done"], done["full_text"], done["ttft_ms"]) == ("empty_response", True, "", 0)


async def test_a_server_that_fails_in_mid_answer_is_a_connection_error(tmp_path: Path) -> None:
    """The text that came before the failure is kept."""
    async with relayed(tmp_path) as (_, agent, _, _):
        done = await agent.ask("start_stream", "a", **asking("-3"))

    assert (done["reason"], done["done"], done["text"], done["tokens"]) == ("connection_error", True, "la " * 3, 3)


async def test_a_server_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    """/health is degraded, a stream a connection error; both are well again with the server."""
    async with relayed(tmp_path) as (app, agent, server, url):
        well = await health_of(app)
        server.close()
        await server.wait_closed()

        assert (well["status"], well["llama_server"], well["llama_url"]) == ("ok", "healthy", url)
        ill = await health_of(app)
        assert (ill["status"], ill["llama_server"], ill["llama_url"]) == ("degraded", "unreachable", url)
        done = await agent.ask("start_stream", "a", **asking("3"))
        assert (done["reason"], done["done"], done["tokens"]) == ("connection_error", True, 0)


# Health


async def test_health_says_what_the_document_says(http_daemon: App) -> None:
    """Streams count until they are ended."""
    async with agent_at(http_daemon) as agent:
        await agent.ask("start_stream", "a", **asking("hello"))

        assert await health_of(http_daemon) == {
            "status": "ok",
            "llama_server": "healthy",
            "llama_url": "llama:unitd-chat",
            "active_streams": 1,
            "slot_cooldown_ms": 0,
        }
        await agent.ask("end_stream", "a")
        assert (await health_of(http_daemon))["active_streams"] == 0


async def test_health_is_degraded_without_the_model(tmp_path: Path) -> None:
    """The engine could not be started."""
    async with running_app(tmp_path, {"http": {"enabled": True}, "llm": {"model": "nowhere"}}) as app:
        health = await health_of(app)

    assert (health["status"], health["llama_server"]) == ("degraded", "unreachable")
    assert health["llama_url"] == "llama:nowhere"
