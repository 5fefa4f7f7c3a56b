"""Covers the page's microphone.js, microphone-button.js, recorder.js, resampler.js: a browser as an ear."""

import socket
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.async_api import BrowserContext, expect

from tests.support.clients.browser import Visit, visit
from tests.support.clients.wire_client import WireClient
from tests.support.setups import KWS_SETUP
from tests.support.units.spoken import RATE, Samples, speak

pytestmark = [pytest.mark.asyncio(loop_scope="package"), pytest.mark.timeout(60)]


@pytest.fixture
def say(microphone: Path) -> Iterator[Callable[[Samples], None]]:
    """Says this into the microphone, with quiet before it (until somebody listens) and after it.

    At 48 kHz, as most are.
    """

    def say(samples: Samples) -> None:
        quiet = np.zeros(3 * RATE, np.int16)
        with wave.open(str(microphone), "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(3 * RATE)
            out.writeframes(np.repeat(np.concatenate([quiet, samples, quiet]), 3).tobytes())

    yield say
    microphone.unlink()


async def test_what_is_spoken_into_the_browser_is_answered(seen: Visit, say: Callable[[Samples], None]) -> None:
    """An ear is set up and linked to the chat; the words appear, and an answer to them."""
    say(speak("turn on the kitchen light"))
    ears = seen.page.locator(".node").filter(has_text="asr.")

    await seen.press("Talk")

    await expect(seen.page.get_by_role("button", name="Listening")).to_be_visible()
    await expect(seen.page.locator(".turn.you.done")).to_contain_text("kitchen")
    await expect(seen.answer.locator(".words")).not_to_be_empty()
    await expect(seen.page.locator("[data-link]")).to_have_count(1)
    await expect(ears).to_have_count(1)
    await seen.press("Listening")
    await expect(ears).to_have_count(0)
    assert seen.complaints == []


async def test_the_buttons_stay_in_one_row_while_it_listens(seen: Visit) -> None:
    """The button that says "Listening" is longer; Send does not leave its neighbours, on a phone and on a desk."""
    await seen.press("Talk")

    names = ("Listening", "Interrupt", "Pause", "Send")
    buttons = [seen.page.get_by_role("button", name=name, exact=True) for name in names]
    await expect(buttons[0]).to_be_visible()
    for width in (375, 1280, 1440):
        await seen.page.set_viewport_size({"width": width, "height": 800})
        boxes = [await button.bounding_box() for button in buttons]
        assert len({box and box["y"] for box in boxes}) == 1


async def test_a_wake_word_into_the_browser_interrupts(
    seen_slow: Visit, tcp: WireClient, say: Callable[[Samples], None]
) -> None:
    """The microphone feeds any task that takes audio from clients; this one is linked to the chat."""
    say(speak("hey jarvis"))
    kws = await tcp.setup("kws", KWS_SETUP, model="unitd-kws", kws="hey jarvis", input="kws.base64")
    await seen_slow.ask("tell me a story")
    llm = await seen_slow.page.locator(".chip").inner_text()
    await tcp.ask(work_id=llm, action="link", data=kws)
    await seen_slow.press(f"{kws}, ")

    await seen_slow.press("Listen with this microphone")

    await expect(seen_slow.answer.locator(".under")).to_contain_text("Interrupted.")
    await seen_slow.press("Stop listening")
    await expect(seen_slow.page.get_by_role("button", name="Listen with this microphone")).to_be_visible()


async def test_a_page_that_may_not_hear_says_why(browser: BrowserContext, address: str) -> None:
    """Over plain http from another machine there is no microphone; the page tells the way round."""
    port = address.split(":")[1]
    seen = await visit(browser, f"{socket.gethostname()}:{port}")

    await seen.press("Talk")

    await expect(seen.page.get_by_role("status").filter(has_text="https or from localhost")).to_be_visible()
    assert await seen.page.evaluate("isSecureContext") is False


@pytest.mark.parametrize("rate", [16000, 44100, 48000])
async def test_sound_of_any_rate_becomes_16_khz(shared_seen: Visit, rate: int) -> None:
    """What lies in the band stays, what does not is gone, and no sample is lost between blocks."""
    heard: Any = await shared_seen.page.evaluate(
        """async (rate) => {
            const { Resampler } = await import("/static/resampler.js");
            const level = (hertz) => {
                const resampler = new Resampler(rate);
                const turn = (2 * Math.PI * hertz) / rate;
                const tone = Float32Array.from({ length: rate }, (_, at) => Math.sin(turn * at));
                const out = [];
                for (let at = 0; at < rate; at += 128) out.push(...resampler.push(tone.subarray(at, at + 128)));
                const middle = out.slice(2000, -2000);
                return [out.length, Math.sqrt(2 * middle.reduce((sum, each) => sum + each * each, 0) / middle.length)];
            };
            return { low: level(300), high: level(6000), above: level(rate > 16000 ? 11000 : 0) };
        }""",
        rate,
    )

    assert heard["low"][0] == pytest.approx(RATE, abs=32)
    assert heard["low"][1] == pytest.approx(1, abs=0.01)
    assert heard["high"][1] == pytest.approx(1, abs=0.05)
    assert heard["above"][1] < 0.003
