"""Covers the page's wire.js, daemon.js and connection.js: the key, a daemon that goes and comes back."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, WebSocketRoute, expect

from tests.conftest import running_app
from tests.doors.http.static.browser import PATIENCE_MS, Visit, visit
from unitd.app import App

pytestmark = pytest.mark.timeout(60)


async def test_the_key_is_asked_for_once(browser: Browser, tmp_path: Path) -> None:
    """A wrong one is refused, the right one opens; a reload does not ask again."""
    async with running_app(tmp_path, {"http": {"enabled": True, "api_key": "open sesame & co"}}) as app:
        host, port = app.endpoints["http"]
        seen = await visit(browser, f"{host}:{port}")

        await seen.page.get_by_label("Key", exact=True).fill("guess")
        await seen.page.keyboard.press("Enter")
        await expect(seen.page.get_by_text("This is not the key.")).to_be_visible()
        await seen.page.get_by_label("Key", exact=True).fill("open sesame & co")
        await seen.page.keyboard.press("Enter")
        await expect(seen.page.locator(".light.open")).to_be_visible()
        await expect(seen.page.locator("dialog")).to_be_hidden()
        await seen.page.reload()

        await expect(seen.page.locator(".light.open")).to_be_visible()
        await expect(seen.page.locator(".plot").filter(has_text="Tokens").locator(".figure")).to_contain_text("/s")
        assert seen.complaints == []
        await seen.page.close()


async def test_the_page_comes_back_with_the_daemon(browser: Browser, tmp_path: Path) -> None:
    """It says that the daemon is away; when there is one again it needs nobody, and a question is answered."""
    async with running_app(tmp_path, {"http": {"enabled": True}}) as app:
        host, port = app.endpoints["http"]
        seen = await visit(browser, f"{host}:{port}")
        await seen.ask("turn on the kitchen light")
        await expect(seen.answer.locator(".words")).to_have_text("Turning on the kitchen light.")

    await expect(seen.page.get_by_role("alert")).to_contain_text("The daemon does not answer.")
    await expect(seen.page.get_by_label("Message")).to_have_attribute("placeholder", "Not connected")

    async with running_app(tmp_path, {"http": {"enabled": True, "port": port}}):
        await expect(seen.page.locator(".light.open")).to_be_visible()
        await seen.ask("turn off the kitchen light")
        await expect(seen.answer.locator(".words")).to_have_text("Turning off the kitchen light.")
        await seen.page.close()


async def test_an_answer_that_a_stop_cut_says_so(seen_slow: Visit, slow_daemon: App) -> None:
    """Nothing on the page waits for ever."""
    await seen_slow.ask("tell me a story")
    await expect(seen_slow.answer).to_contain_text("word2 ")

    slow_daemon.stop()

    await expect(seen_slow.answer.locator(".under")).to_contain_text(re.compile("Interrupted|connection was lost"))
    await expect(seen_slow.page.locator('.turn[aria-busy="true"]')).to_have_count(0)


async def test_a_daemon_that_says_nothing_is_given_up(browser: Browser, tmp_path: Path) -> None:
    """A socket may stay open with nobody behind it, as after a sleep; the page does not believe it for long."""
    async with running_app(tmp_path, {"http": {"enabled": True}}) as app:
        host, port = app.endpoints["http"]
        page = await browser.new_page()
        sockets: list[WebSocketRoute] = []

        async def pass_on(socket: WebSocketRoute) -> None:
            sockets.append(socket)
            daemon = socket.connect_to_server()
            is_first = len(sockets) == 1
            socket.on_message(lambda message: None if is_first and "hwinfo" in message else daemon.send(message))
            daemon.on_message(lambda message: None if is_first and "lstask" in message else socket.send(message))

        await page.route_web_socket("**/ws/units", pass_on)
        await page.goto(f"http://{host}:{port}/")

        await expect(page.locator(".light.open")).to_be_visible()
        await expect(page.locator(".light.open")).to_have_count(0, timeout=PATIENCE_MS)
        await expect(page.locator(".light.open")).to_be_visible()
        await page.close()
