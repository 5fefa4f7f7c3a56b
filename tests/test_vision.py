"""Pictures through the whole daemon: a client shows them to a model of its own, over TCP."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.wire_client import WireClient, text_of
from tests.support.daemon import running_app, tcp_client
from tests.support.models.projector import BLIND, blind_model, vision_model
from tests.support.pictures import file_of, part, square, text
from tests.support.setups import LLM_SETUP
from unitd.app import App

EYE = "unitd-eye-test"
RED, BLUE = (part(file_of(square(color))) for color in ("red", "blue"))


@pytest.fixture
async def seeing(tmp_path: Path) -> AsyncIterator[App]:
    """A daemon with a model that has vision."""
    await asyncio.to_thread(vision_model, tmp_path / "models")
    async with running_app(tmp_path / "state", {"models": {"dir": [str(tmp_path / "models")]}}) as app:
        yield app


async def asked(client: WireClient, work_id: str, *parts: dict[str, str]) -> str:
    """Return the answer to a message with pictures."""
    messages = [{"role": "user", "content": list(parts)}]
    sent = await client.send(work_id=work_id, action="inference", object="llm.utf-8", options={"messages": messages})
    return text_of(await client.frames(sent))


@pytest.mark.timeout(60)
async def test_a_client_shows_pictures(tmp_path: Path) -> None:
    """Two give two answers, also after a restart of the daemon; lsmode names the capability."""
    await asyncio.to_thread(vision_model, tmp_path / "models")
    answers = []
    for _ in range(2):
        async with running_app(tmp_path / "state", {"models": {"dir": [str(tmp_path / "models")]}}) as app:
            card = await app._model_store.resolve("llm", EYE)
            async with tcp_client(app) as client:
                work_id = await client.setup("llm", LLM_SETUP | {"model": EYE})
                answers.append([await asked(client, work_id, text("what is this? "), each) for each in (RED, BLUE)])
        assert card.has_vision
        assert "vision" in card.capabilities

    assert answers[0] == answers[1]
    assert answers[0][0] != answers[0][1]


@pytest.mark.timeout(60)
async def test_pictures_before_a_question(seeing: App) -> None:
    """A task that keeps its conversation takes pictures with a question, and remembers them."""
    tokens = []
    async with tcp_client(seeing) as client:
        work_id = await client.setup("llm", LLM_SETUP | {"model": EYE, "history": True, "usage": True})
        for question, options in (("what is this?", {"images": [{"image": RED["image"]}]}), ("and now?", {})):
            sent = await client.send(
                work_id=work_id, action="inference", object="llm.utf-8", data=question, options=options
            )
            tokens.append((await client.frames(sent))[-1]["data"]["usage"]["prompt_tokens"])

    assert 16 < tokens[0] < tokens[1]


async def test_a_model_without_vision_says_so(tmp_path: Path) -> None:
    """With a code and the place of the picture; the task goes on."""
    await asyncio.to_thread(blind_model, tmp_path / "models")
    messages = [{"role": "user", "content": [text("what is this? "), RED]}]
    request: dict[str, Any] = {"action": "inference", "object": "llm.utf-8", "options": {"messages": messages}}
    settings = {"models": {"dir": [str(tmp_path / "models")]}}
    async with running_app(tmp_path / "state", settings) as app, tcp_client(app) as client:
        work_id = await client.setup("llm", LLM_SETUP | {"model": BLIND})
        await client.send(work_id=work_id, **request)
        error = (await client.receive())["error"]
        answer = await client.answer(work_id, "hello")

    assert error["code"] == -10
    assert "messages[0].content[1] is an image; this model has no vision" in error["message"]
    assert answer


@pytest.mark.timeout(60)
async def test_a_damaged_picture_ends_its_own_answer(seeing: App) -> None:
    """Another client's answer goes on, and the next picture is seen."""
    broken = part(file_of(square())[:60])
    async with tcp_client(seeing) as client, tcp_client(seeing) as other:
        work_id = await client.setup("llm", LLM_SETUP | {"model": EYE})
        beside = await other.setup("llm", LLM_SETUP | {"model": EYE})
        story = asyncio.create_task(other.answer(beside, "tell me a story"))
        messages = [{"role": "user", "content": [broken]}]
        await client.send(work_id=work_id, action="inference", object="llm.utf-8", options={"messages": messages})
        error = (await client.receive())["error"]
        seen = await asked(client, work_id, RED, text("what is this?"))
        assert await story

    assert error["code"] == -11
    assert "messages[0].content[0] cannot be read: it is truncated" in error["message"]
    assert seen
