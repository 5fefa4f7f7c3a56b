"""The daemon with its page, and browsers that look at it."""

import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, Page, Playwright, async_playwright

from tests.support.children import kept_children
from tests.support.clients.browser import Visit, chromium, page_fixture, visit
from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.servers.teller import Teller, story_teller
from unitd.app import App


@page_fixture
async def own_daemon(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[App]:
    """The daemon with its defaults, on the loop of the browser."""
    caplog.set_level(logging.INFO)
    async with running_app(tmp_path, {"http": {"enabled": True}}) as app:
        yield app


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def playwright() -> AsyncIterator[Playwright]:
    """Provide the driver of browsers, one for all tests of this folder."""
    async with async_playwright() as playwright:
        with kept_children():
            yield playwright


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def kept_page(playwright: Playwright) -> AsyncIterator[Page]:
    """An empty page of this machine in a browser for all tests of this folder.

    As long as it is open, one process draws all pages of this machine. The start of that process takes as much time as
    most tests, and so does that of the browser.
    """
    async with chromium(playwright, "--process-per-site") as browser:
        page = await (await browser.new_context()).new_page()
        await page.route("**/*", lambda route: route.fulfill(body=""))
        await page.goto("http://127.0.0.1/")
        yield page


@page_fixture
async def browser(kept_page: Page) -> AsyncIterator[BrowserContext]:
    """Provide the shared browser without anything of an earlier test; a new context for each would start processes."""
    context = kept_page.context
    yield context
    for page in context.pages:
        if page != kept_page:
            await page.close()
    session = await context.new_cdp_session(kept_page)
    await session.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
    await session.detach()


@page_fixture
async def seen(browser: BrowserContext, address: str) -> Visit:
    """The page of a daemon with its defaults."""
    return await visit(browser, address)


@pytest.fixture
def teller() -> Iterator[Teller]:
    """A language model that takes its time."""
    with story_teller() as server:
        yield server


@page_fixture
async def slow_daemon(tmp_path: Path, teller: Teller, caplog: pytest.LogCaptureFixture) -> AsyncIterator[App]:
    """A daemon with that model."""
    caplog.set_level(logging.INFO)
    folder = tmp_path / "models" / "story-teller"
    folder.mkdir(parents=True)
    (folder / "card.toml").write_text(
        f'name = "story-teller"\nunit = "llm"\nengine = "openai"\nbase_url = "{teller.url}"\nremote_model = "x"\n'
    )
    async with running_app(tmp_path, {"http": {"enabled": True}, "llm": {"model": "story-teller"}}) as app:
        yield app


@page_fixture
async def seen_slow(browser: BrowserContext, slow_daemon: App) -> Visit:
    """The page of the slow daemon."""
    host, port = slow_daemon.endpoints["http"]
    return await visit(browser, f"{host}:{port}")


@page_fixture
async def tcp(http_daemon: App) -> AsyncIterator[WireClient]:
    """Somebody else, who talks to the same daemon over TCP."""
    async with tcp_client(http_daemon) as client:
        yield client


@page_fixture
async def slow_tcp(slow_daemon: App) -> AsyncIterator[WireClient]:
    """Somebody else at the slow daemon."""
    async with tcp_client(slow_daemon) as client:
        yield client
