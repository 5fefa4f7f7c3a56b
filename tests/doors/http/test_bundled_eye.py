"""The bundled model sees: questions about pictures are answered truly through the daemon, without a download."""

import base64
from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI
from PIL import Image, ImageDraw

from tests.support.clients.wire_client import WireClient, text_of
from tests.support.command_line import unitd
from tests.support.daemon import running_app, tcp_client
from tests.support.pictures import file_of, noise, part, square, text
from tests.support.setups import LLM_SETUP
from unitd.app import App

pytestmark = pytest.mark.timeout(60)

VGA = (640, 480)
RED, BLUE = (file_of(square(color, size=VGA)) for color in ("red", "blue"))
GREEDY = {"temperature": 0}


def circles(count: int) -> bytes:
    """Return a picture of so many green circles in a row."""
    image = Image.new("RGB", VGA, "white")
    for number in range(count):
        left = 40 + number * 200
        ImageDraw.Draw(image).ellipse((left, 160, left + 150, 310), fill=(20, 160, 60))
    return file_of(image)


async def on_the_wire(client: WireClient, *pictures: bytes, question: str) -> str:
    """Return the answer of a task of its own, whose model is the usual one."""
    work_id = await client.setup("llm", LLM_SETUP | GREEDY)
    messages = [{"role": "user", "content": [*(part(each) for each in pictures), text(question)]}]
    sent = await client.send(work_id=work_id, action="inference", object="llm.utf-8", options={"messages": messages})
    return text_of(await client.frames(sent))


async def by_openai(app: App, picture: bytes, question: str) -> str:
    """Return what OpenAI's own client is answered."""
    host, port = app.endpoints["http"]
    url = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    content: Any = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": question}]
    async with AsyncOpenAI(base_url=f"http://{host}:{port}/v1", api_key="any", max_retries=0) as client:
        done = await client.chat.completions.create(
            model="default", messages=[{"role": "user", "content": content}], temperature=0
        )
    return str(done.choices[0].message.content)


async def test_questions_about_pictures_are_answered_truly(tmp_path: Path) -> None:
    """With the usual settings: on the wire, by OpenAI's API, and by the command."""
    (tmp_path / "blue.png").write_bytes(BLUE)
    async with (
        running_app(tmp_path / "state", {"http": {"enabled": True, "port": 0}}) as app,
        tcp_client(app) as client,
    ):
        card = await app._model_store.resolve("llm", "default")
        colour = await on_the_wire(client, RED, question="what colour is the square?")
        count = await on_the_wire(client, circles(3), question="how many green circles do you see?")
        unknown = await on_the_wire(client, file_of(noise(1)), question="what do you see?")
        openai = await by_openai(app, BLUE, "what colour is the square?")
        said = await unitd(
            "chat",
            "--socket",
            str(app.endpoints["unix"]),
            "--image",
            str(tmp_path / "blue.png"),
            "describe the picture",
        )

    assert (card.name, card.has_vision) == ("unitd-chat", True)
    assert "red" in colour
    assert "three green circles" in count
    assert "can't tell" in unknown
    assert "blue" in openai
    assert "blue square" in said.out


async def test_a_text_is_answered_as_by_the_model_alone(tmp_path: Path) -> None:
    """Token for token, before and after a picture; the picture stays in the conversation while its answer does."""
    async with running_app(tmp_path / "state", {}) as app, tcp_client(app) as client:
        asked = ("what is 12 times 7?", "tell me a story of a fox")
        before = [await on_the_wire(client, question=each) for each in asked]
        shown = await on_the_wire(client, RED, question="what colour is the square?")
        after = [await on_the_wire(client, question=each) for each in asked]

        work_id = await client.setup("llm", LLM_SETUP | GREEDY | {"history": True})
        answers = []
        for question, options in (
            ("what colour is the square?", {"images": [{"image": base64.b64encode(BLUE).decode()}]}),
            ("how many blue squares do you see?", {}),
        ):
            sent = await client.send(
                work_id=work_id, action="inference", object="llm.utf-8", data=question, options=options
            )
            answers.append(text_of(await client.frames(sent)))

    assert before == after
    assert "84" in before[0]
    assert "red" in shown
    assert "blue" in answers[0]
    assert "one blue square" in answers[1]
