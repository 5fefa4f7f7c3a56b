"""Covers unitd.doors.http.openai where a chat has images, as OpenAI's own client package sends them."""

import asyncio
import base64
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from tests.doors.http.conftest import Start
from tests.support.models.projector import BLIND, blind_model, vision_model
from tests.support.pictures import file_of, huge_png, square
from tests.support.servers.web_site import web_site
from unitd.app import App

pytestmark = pytest.mark.timeout(60)

EYE = "unitd-eye-test"


def image(data: bytes, kind: str = "png", **fields: str) -> Any:
    """An image as a part of a message."""
    url = f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
    return {"type": "image_url", "image_url": {"url": url, **fields}}


def at(address: str) -> Any:
    """An image that is on the web."""
    return {"type": "image_url", "image_url": {"url": address}}


def text(words: str) -> Any:
    """A text as a part of a message."""
    return {"type": "text", "text": words}


RED, BLUE = (image(file_of(square(color))) for color in ("red", "blue"))


def client_of(app: App) -> AsyncOpenAI:
    """OpenAI's own client; a failure is not tried again."""
    host, port = app.endpoints["http"]
    return AsyncOpenAI(base_url=f"http://{host}:{port}/v1", api_key="any", max_retries=0)


@pytest.fixture
async def seeing(start: Start, tmp_path: Path) -> AsyncIterator[AsyncOpenAI]:
    """A client of a daemon that has a model with an eye."""
    await asyncio.to_thread(vision_model, tmp_path / "models")
    await asyncio.to_thread(blind_model, tmp_path / "models")
    async with client_of(await start()) as client:
        yield client


@pytest.fixture
async def fetching(start: Start, tmp_path: Path) -> AsyncIterator[AsyncOpenAI]:
    """A client of a daemon that fetches images."""
    await asyncio.to_thread(vision_model, tmp_path / "models")
    await asyncio.to_thread(blind_model, tmp_path / "models")
    async with client_of(await start(http={"fetch_images": True})) as client:
        yield client


async def chat(client: AsyncOpenAI, *parts: Any, model: str = EYE, **fields: Any) -> Any:
    """One greedy completion of a message with these parts."""
    messages: Any = [{"role": "user", "content": list(parts)}]
    return await client.chat.completions.create(model=model, messages=messages, temperature=0, max_tokens=20, **fields)


async def refused(client: AsyncOpenAI, *parts: Any, **fields: Any) -> str:
    """The words with which these parts are refused, as bad values of `messages`."""
    with pytest.raises(openai.BadRequestError) as raised:
        await chat(client, *parts, **fields)
    body: Any = raised.value.body
    assert (raised.value.status_code, body["param"], body["type"]) == (400, "messages", "invalid_request_error")
    return str(body["message"])


async def test_an_answer_depends_on_what_is_seen(seeing: AsyncOpenAI) -> None:
    """Streamed or not; the tokens of the image are counted."""
    red, blue = [await chat(seeing, text("what is this? "), each) for each in (RED, BLUE)]
    chunks = [chunk async for chunk in await chat(seeing, text("what is this? "), RED, stream=True)]
    none = await chat(seeing, text("what is this? "))

    streamed = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert red.choices[0].message.content == streamed != blue.choices[0].message.content
    assert red.usage.prompt_tokens == none.usage.prompt_tokens + 16


async def test_a_conversation_may_show_several_images(seeing: AsyncOpenAI) -> None:
    """In any order, with any detail, in several choices."""
    blue = image(file_of(square("blue"), "JPEG"), "jpeg", detail="low")

    answer = await chat(seeing, RED, text("and"), blue, text("differ?"), text("How?"), n=2)

    assert len(answer.choices) == 2
    assert answer.usage.prompt_tokens > 32


async def test_what_an_image_must_be_is_told(seeing: AsyncOpenAI) -> None:
    """By its place; before or after it reaches the model's program."""
    broken = image(file_of(square())[:60])
    cases = {
        "messages[0].content[0].image_url must be an object": {"type": "image_url", "image_url": "data:,"},
        "messages[0].content[0].image_url.url must be a data: URL in base64": at("file:///etc/passwd"),
        "messages[0].content[0].image_url.detail must be one of auto, low, high": image(b"x", detail="highest"),
        "messages[0].content[0].image is no base64": at("data:image/png;base64,***"),
        "messages[0].content[0] cannot be read: it is truncated": broken,
        "messages[0].content[0] cannot be read: it is no PNG, JPEG": image(b"hello"),
        "messages[0].content[0] cannot be read: it has 100.0 megapixels": image(
            await asyncio.to_thread(huge_png, 10_000, 10_000)
        ),
    }

    said = [await refused(seeing, part) for part in cases.values()]

    assert [words.startswith(begin) for words, begin in zip(said, cases, strict=True)] == [True] * len(cases), said


async def test_a_model_without_vision_says_so(seeing: AsyncOpenAI) -> None:
    """Not that there is no room, which clients would try again."""
    words = await refused(seeing, text("what is this?"), RED, model=BLIND)

    assert words == "messages[0].content[1] is an image; this model has no vision"


async def test_an_image_on_the_web_is_not_fetched(seeing: AsyncOpenAI) -> None:
    """Unless the configuration says so, which is told."""
    words = await refused(seeing, text("look: "), at("http://93.184.216.34/red.png"))

    assert words == "messages[0].content[1] is not fetched: send it as a data: URL, or set [http] fetch_images = true"


async def test_what_only_the_daemon_can_reach_is_not_fetched(fetching: AsyncOpenAI) -> None:
    """This machine, its network, a cloud's own service."""
    hosts = ("127.0.0.1:8000", "localhost", "192.168.1.1", "[::1]", "169.254.169.254")

    said = [await refused(fetching, at(f"http://{host}/")) for host in hosts]

    assert all(words.startswith("messages[0].content[0] is not fetched: ") for words in said), said


async def test_nothing_is_fetched_for_a_model_that_cannot_see(fetching: AsyncOpenAI) -> None:
    """Its answer would be the same error."""
    words = await refused(fetching, at("http://127.0.0.1/"), model=BLIND)

    assert words == "messages[0].content[0] is an image; this model has no vision"


async def test_an_image_on_the_web_is_seen(fetching: AsyncOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if it had been sent. This machine counts as a public one here: tests have no other."""
    monkeypatch.setattr("unitd.doors.http.openai.fetching.is_public", lambda address: True)

    with web_site() as site:
        there = await chat(fetching, text("what is this? "), at(f"http://127.0.0.1:{site.port}/red.png"))
    sent = await chat(fetching, text("what is this? "), RED)

    assert there.choices[0].message.content == sent.choices[0].message.content
    assert there.usage == sent.usage
