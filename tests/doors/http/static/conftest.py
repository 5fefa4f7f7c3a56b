"""The daemon with its page, and browsers that look at it."""

import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from playwright.async_api import BrowserContext, async_playwright

from tests.support.children import kept_children
from tests.support.clients.browser import Visit, chromium, visit
from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.servers.brokers import free_port
from tests.support.servers.teller import Teller, story_teller
from unitd.app import App


@pytest.fixture(scope="package")
def shared_chromium() -> Iterator[str]:
    """The address of a browser for all tests of this folder: a start takes as long as most of them."""
    port = free_port()
    flag = f"--remote-debugging-port={port}"
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(chromium(flag)), kept_children():
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
async def browser(shared_chromium: str) -> AsyncIterator[BrowserContext]:
    """The browser's own context, for a new one takes longer than most tests; nothing that a test leaves stays in it.

    A page of the same host that stays open keeps the process that draws them: its start takes long, too.
    """
    async with async_playwright() as playwright:
        connected = await playwright.chromium.connect_over_cdp(shared_chromium)
        [context] = connected.contexts
        kept = f"{shared_chromium}/json/version"
        if not context.pages:
            await (await context.new_page()).goto(kept)
        yield context
        for page in [each for each in context.pages if each.url != kept]:
            session = await context.new_cdp_session(page)
            await session.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
            await page.close()
        await connected.close()


@pytest.fixture
async def seen(browser: BrowserContext, address: str) -> Visit:
    """The page of a daemon with its defaults."""
    return await visit(browser, address)


@pytest.fixture
def teller() -> Iterator[Teller]:
    """A language model that takes its time."""
    with story_teller() as server:
        yield server


@pytest.fixture
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


@pytest.fixture
async def seen_slow(browser: BrowserContext, slow_daemon: App) -> Visit:
    """The page of the slow daemon."""
    host, port = slow_daemon.endpoints["http"]
    return await visit(browser, f"{host}:{port}")


@pytest.fixture
async def tcp(http_daemon: App) -> AsyncIterator[WireClient]:
    """Somebody else, who talks to the same daemon over TCP."""
    async with tcp_client(http_daemon) as client:
        yield client


@pytest.fixture
async def slow_tcp(slow_daemon: App) -> AsyncIterator[WireClient]:
    """Somebody else at the slow daemon."""
    async with tcp_client(slow_daemon) as client:
        yield client
