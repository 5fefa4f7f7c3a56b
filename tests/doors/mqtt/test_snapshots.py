"""Covers the topic `see` of unitd.doors.mqtt.bridge: a snapshot of a camera goes with the next question."""

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.daemon import running_app
from tests.support.models.projector import vision_model
from tests.support.pictures import file_of, square
from tests.support.servers.brokers import Broker, Listener
from tests.support.setups import LLM_SETUP

pytestmark = pytest.mark.timeout(60)

BASE = "unitd/kitchen"
SETUP = LLM_SETUP | {
    "model": "unitd-eye-test",
    "response_format": "vlm.utf-8.stream",
    "input": "vlm.utf-8",
    "usage": True,
    "max_token_len": 8,
}
PICTURE_TOKENS = 16


@pytest.fixture
async def vlm(
    tmp_path: Path, broker: Broker, listener: Listener, caplog: pytest.LogCaptureFixture
) -> AsyncIterator[str]:
    """A vlm of the daemon "kitchen"."""
    caplog.set_level(logging.INFO)
    await asyncio.to_thread(vision_model, tmp_path / "models")
    document = {
        "models": {"dir": [str(tmp_path / "models")]},
        "mqtt": {"host": "127.0.0.1", "port": broker.port, "node": "kitchen"},
    }
    async with running_app(tmp_path / "state", document):
        await listener.until(lambda: b"online" in listener.on(f"{BASE}/status"))
        reply = await listener.ask("kitchen", request_id="1", work_id="vlm", action="setup", data=SETUP)
        yield str(reply["work_id"])


async def prompt_tokens(listener: Listener, vlm: str, number: int) -> int:
    """Ask for the so-manieth time; return the number of tokens of the prompt."""
    await listener.publish(f"{BASE}/{vlm}/ask", "what is this?")
    await listener.until(lambda: len(listener.on(f"{BASE}/{vlm}/answer")) == number)
    tokens: int = listener.objects_on(f"{BASE}/{vlm}/output")[-1]["data"]["usage"]["prompt_tokens"]
    return tokens


async def test_a_snapshot_goes_with_the_next_question(listener: Listener, vlm: str) -> None:
    """The bytes of the picture are the message; the question after it is asked without."""
    unseen = await prompt_tokens(listener, vlm, 1)
    await listener.publish(f"{BASE}/{vlm}/see", file_of(square("red"), "JPEG"))

    assert await prompt_tokens(listener, vlm, 2) == unseen + PICTURE_TOKENS
    assert await prompt_tokens(listener, vlm, 3) == unseen


async def test_the_bundled_model_says_what_a_snapshot_shows(listener: Listener, vlm: str) -> None:
    """Truly, and without a download."""
    data = SETUP | {"model": "unitd-chat", "max_token_len": 40, "temperature": 0}
    reply = await listener.ask("kitchen", request_id="2", work_id="vlm", action="setup", data=data)
    seeing = reply["work_id"]
    await listener.publish(f"{BASE}/{seeing}/see", file_of(square("red", size=(320, 240)), "JPEG"))
    await listener.publish(f"{BASE}/{seeing}/ask", "what colour is the square?")
    await listener.until(lambda: bool(listener.on(f"{BASE}/{seeing}/answer")))

    assert b"red" in listener.on(f"{BASE}/{seeing}/answer")[0]


async def test_what_is_no_picture_is_told_in_the_log(
    listener: Listener, vlm: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Show that only the log has the error, and that the next question is answered."""
    unseen = await prompt_tokens(listener, vlm, 1)
    await listener.publish(f"{BASE}/{vlm}/see", b"no picture")

    assert await prompt_tokens(listener, vlm, 2) == unseen
    assert f"asking {vlm} by mqtt failed" in caplog.text
    assert "it is no PNG, JPEG, WebP, BMP or GIF" in caplog.text
