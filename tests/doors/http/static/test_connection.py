"""Covers the page's wire.js, daemon.js and connection.js: the key, a daemon that goes and comes back."""

import re
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, WebSocketRoute, expect

from tests.support.clients.browser import PATIENCE_MS, Visit, visit
from tests.support.daemon import running_app
from tests.support.tokens import asking_app, write_tokens
from tests.support.waiting import eventually
from unitd.app import App
from unitd.core.access.grants import Role
from unitd.runtime.sys import access
from unitd.wire.errors import NotAllowed

pytestmark = [pytest.mark.asyncio(loop_scope="package"), pytest.mark.timeout(60)]


async def test_the_key_is_asked_for_once(browser: BrowserContext, tmp_path: Path) -> None:
    """A wrong one is refused, the right one opens; a reload does not ask again."""
    async with running_app(tmp_path, {"http": {"enabled": True, "api_key": "open sesame & co"}}) as app:
        host, port = app.endpoints["http"]
        seen = await visit(browser, f"{host}:{port}")

        await seen.page.get_by_label("Key", exact=True).fill("guess")
        await seen.page.keyboard.press("Enter")
        await expect(seen.page.get_by_role("alert")).to_have_text(
            "This key or token is not known, or its time is over."
        )
        await seen.page.get_by_label("Key", exact=True).fill("open sesame & co")
        await seen.page.keyboard.press("Enter")
        await expect(seen.page.locator(".light.open")).to_be_visible()
        await expect(seen.page.locator("dialog")).to_be_hidden()
        await seen.page.reload()

        await expect(seen.page.locator(".light.open")).to_be_visible()
        await expect(seen.page.locator(".plot").filter(has_text="Tokens").locator(".figure")).to_contain_text("/s")
        assert seen.complaints == []
        await seen.page.close()


async def test_a_board_that_knows_tokens_asks_for_one(browser: BrowserContext, tmp_path: Path) -> None:
    """And says how to get one; also when none was made yet."""
    async with asking_app(tmp_path, http={"enabled": True}) as app:
        host, port = app.endpoints["http"]
        seen = await visit(browser, f"{host}:{port}")
        dialog = seen.page.get_by_role("dialog", name="This board asks for a token")
        await expect(dialog).to_contain_text("unitd token new NAME")
        await expect(dialog.get_by_label("Token")).to_be_focused()
        token = write_tokens(tmp_path, {"anna": Role.ADMIN})["anna"]
        await app.reload()

        await dialog.get_by_label("Token").fill("unitd_guess")
        await seen.page.keyboard.press("Enter")
        await expect(dialog.get_by_role("alert")).to_have_text("This token is not known, or its time is over.")
        await dialog.get_by_label("Token").fill(token)
        await dialog.get_by_role("button", name="Enter").click()

        await expect(seen.page.locator(".light.open")).to_be_visible()
        await expect(dialog).to_be_hidden()
        await seen.page.close()


async def test_a_key_or_a_token_will_do_where_there_are_both(browser: BrowserContext, tmp_path: Path) -> None:
    """One field takes either; the dialog fits a phone."""
    token = write_tokens(tmp_path, {"anna": Role.ADMIN})["anna"]
    async with asking_app(tmp_path, http={"enabled": True, "api_key": "open sesame"}) as app:
        for given in ("open sesame", token):
            host, port = app.endpoints["http"]
            seen = await visit(browser, f"{host}:{port}")
            await seen.page.set_viewport_size({"width": 375, "height": 812})
            dialog = seen.page.get_by_role("dialog")
            await dialog.get_by_label("Key or token").fill(given)
            assert await dialog.evaluate("dialog => dialog.scrollWidth - dialog.clientWidth") == 0
            await seen.page.keyboard.press("Enter")
            await expect(seen.page.locator(".light.open")).to_be_visible()
            await seen.page.close()


async def test_too_many_guesses_are_told_from_a_wrong_key(
    browser: BrowserContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The right key has to wait; nobody is to think that it is wrong."""
    monkeypatch.setattr(access, "FIRST_WAIT_SECONDS", 60.0)
    async with asking_app(tmp_path, http={"enabled": True, "api_key": "open sesame"}) as app:
        host, port = app.endpoints["http"]
        for _ in range(access.FREE_TRIES):
            with pytest.raises(NotAllowed):
                app.access.admit("guess", host)
        seen = await visit(browser, f"{host}:{port}")

        await seen.page.get_by_label("Key", exact=True).fill("open sesame")
        await seen.page.keyboard.press("Enter")

        await expect(seen.page.get_by_role("alert")).to_contain_text("try again in")
        await seen.page.close()


async def test_a_daemon_that_is_full_says_so(browser: BrowserContext, tmp_path: Path) -> None:
    """It is there, and the key was right; only this page has to wait."""
    async with running_app(tmp_path, {"http": {"enabled": True, "api_key": "open sesame", "connections": 1}}) as app:
        host, port = app.endpoints["http"]
        first, second = [await visit(browser, f"{host}:{port}") for _ in range(2)]
        for seen in (first, second):
            await seen.page.get_by_label("Key", exact=True).fill("open sesame")
            await seen.page.keyboard.press("Enter")

        alert = second.page.get_by_role("alert")
        await expect(alert).to_contain_text("1 clients are connected, no more are taken")
        await expect(second.page.get_by_role("dialog")).to_be_hidden()
        await first.page.close()
        await expect(second.page.locator(".light.open")).to_be_visible()
        await second.page.close()


async def test_the_page_comes_back_with_the_daemon(browser: BrowserContext, tmp_path: Path) -> None:
    """It says that the daemon is away; when there is one again it needs nobody, and a question is answered."""
    async with running_app(tmp_path, {"http": {"enabled": True}}) as app:
        host, port = app.endpoints["http"]
        seen = await visit(browser, f"{host}:{port}")
        await seen.ask("what is 12 times 7?")
        await expect(seen.answer.locator(".words")).to_have_text("That is 84.")

    await expect(seen.page.get_by_role("alert")).to_contain_text("The daemon does not answer.")
    await expect(seen.page.get_by_label("Message")).to_have_attribute("placeholder", "Not connected")

    async with running_app(tmp_path, {"http": {"enabled": True, "port": port}}):
        await expect(seen.page.locator(".light.open")).to_be_visible()
        await seen.ask("what is 3 plus 4?")
        await expect(seen.answer.locator(".words")).to_have_text(re.compile(r"\w\.$"))
        await seen.page.close()


@pytest.mark.own_daemon
async def test_an_answer_that_a_stop_cut_says_so(seen_slow: Visit, http_daemon: App) -> None:
    """The page does not show the answer as still being written."""
    await seen_slow.ask("tell me a story")
    await expect(seen_slow.answer).to_contain_text("word2 ")

    http_daemon.stop()

    await expect(seen_slow.answer.locator(".under")).to_contain_text(re.compile("Interrupted|connection was lost"))
    await expect(seen_slow.page.locator('.turn[aria-busy="true"]')).to_have_count(0)


async def test_a_daemon_that_says_nothing_is_given_up(browser: BrowserContext, tmp_path: Path) -> None:
    """A socket may stay open with nobody behind it, as after a sleep; by its clock, which is put forward, the page does
    not believe it for long."""
    async with running_app(tmp_path, {"http": {"enabled": True}}) as app:
        host, port = app.endpoints["http"]
        page = await browser.new_page()
        await page.clock.install()
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
        await page.clock.run_for(15_000)
        await eventually(lambda: len(sockets) == 2, timeout=2 * PATIENCE_MS / 1000)
        await expect(page.locator(".light.open")).to_be_visible()
        await page.close()
