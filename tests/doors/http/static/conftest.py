"""The daemon with its page, and a browser that looks at it."""

import logging
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, Page, async_playwright

from tests.support.children import kept_children
from tests.support.clients.browser import Visit, chromium, page_fixture, visit
from tests.support.clients.wire_client import WireClient
from tests.support.daemon import life_logged, own_tasks_ended, running_app, start_programs, tcp_client
from tests.support.servers.teller import Teller, story_teller
from tests.support.setups import ASR_SETUP, LLM_SETUP
from unitd.app import App
from unitd.core.models.forecast import Speed
from unitd.wire.errors import Unavailable

SLOW = "story-teller"
"""The name of a language model that takes its time."""


@pytest.fixture(scope="package")
def kept_teller() -> Iterator[Teller]:
    """Run the server of that model for all tests of this folder."""
    with story_teller() as server:
        yield server


@pytest.fixture
def teller(kept_teller: Teller) -> Teller:
    """Return that server, which has forgotten what it was asked before."""
    kept_teller.asked.clear()
    return kept_teller


@asynccontextmanager
async def page_app(folder: Path, teller: Teller) -> AsyncIterator[App]:
    """Run the daemon with its defaults, which has the slow model, too."""
    model = folder / "models" / SLOW
    model.mkdir(parents=True)
    (model / "card.toml").write_text(
        f'name = "{SLOW}"\nunit = "llm"\nengine = "openai"\nbase_url = "{teller.url}"\nremote_model = "x"\n'
    )
    async with running_app(folder, {"http": {"enabled": True}, "models": {"idle_s": 3600}}) as app:
        yield app


@page_fixture
async def own_daemon(tmp_path: Path, kept_teller: Teller, caplog: pytest.LogCaptureFixture) -> AsyncIterator[App]:
    """Run the daemon for one test, on the loop of the browser."""
    caplog.set_level(logging.INFO)
    async with page_app(tmp_path, kept_teller) as app:
        yield app


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def module_app(tmp_path_factory: pytest.TempPathFactory, kept_teller: Teller) -> AsyncIterator[App]:
    """Run the daemon for all tests of this folder. The programs that a page needs wait for its tasks."""
    with life_logged():
        async with page_app(tmp_path_factory.mktemp("daemon"), kept_teller) as app:
            llm = LLM_SETUP | {"tools": "auto"}
            await start_programs(app, ("llm", llm), ("llm", llm | {"model": SLOW}), ("asr", ASR_SETUP))
            with kept_children():
                yield app


@page_fixture
async def reused_daemon(module_app: App, caplog: pytest.LogCaptureFixture) -> AsyncIterator[App]:
    """Return that daemon; the tasks that a test sets up end with it."""
    caplog.set_level(logging.INFO)
    async with own_tasks_ended(module_app):
        yield module_app


@pytest.fixture
def http_daemon(shared_daemon: App) -> App:
    """Return that daemon, or for a test with the marker `own_daemon` one of its own."""
    return shared_daemon


@pytest.fixture(scope="package")
def microphone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the WAV file that the browser's microphone hears once somebody listens."""
    return tmp_path_factory.mktemp("microphone") / "heard.wav"


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def kept_page(microphone: Path) -> AsyncIterator[Page]:
    """An empty page of this machine in a browser for all tests of this folder.

    As long as it is open, one process draws all pages of this machine. The start of that process takes as much time as
    most tests, and so does that of the browser.
    """
    flags = (
        "--process-per-site",
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={microphone}%noloop",
        f"--host-resolver-rules=MAP {socket.gethostname()} 127.0.0.1",
    )
    async with async_playwright() as playwright, chromium(playwright, *flags) as browser:
        with kept_children():
            page = await (await browser.new_context()).new_page()
            await page.route("**/*", lambda route: route.fulfill(body=""))
            await page.goto("http://127.0.0.1/")
            yield page


@page_fixture
async def browser(kept_page: Page) -> AsyncIterator[BrowserContext]:
    """Provide the shared browser without anything of an earlier test; a new context for each would start processes."""
    context = kept_page.context
    kept = context.pages
    yield context
    for page in context.pages:
        if page not in kept:
            await page.close()
    session = await context.new_cdp_session(kept_page)
    await session.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
    await session.detach()


@pytest_asyncio.fixture(scope="module", loop_scope="package")
async def open_page(kept_page: Page, module_app: App) -> AsyncIterator[Visit]:
    """The page of the daemon, for the tests of a file that leave it as it was."""
    host, port = module_app.endpoints["http"]
    seen = await visit(kept_page.context, f"{host}:{port}")
    yield seen
    await seen.page.close()


@pytest.fixture
def shared_seen(open_page: Visit) -> Visit:
    """The same, without the complaints of an earlier test. A file that needs no other page returns it as `seen`."""
    open_page.complaints.clear()
    return open_page


@page_fixture
async def seen(browser: BrowserContext, address: str) -> AsyncIterator[Visit]:
    """The page of the daemon."""
    seen = await visit(browser, address)
    yield seen
    await seen.page.close()


@page_fixture
async def seen_slow(seen: Visit) -> Visit:
    """The same, where the slow model is chosen."""
    await seen.page.locator("#chat .choice select").select_option(SLOW)
    return seen


@page_fixture
async def tcp(http_daemon: App) -> AsyncIterator[WireClient]:
    """Somebody else, who talks to the same daemon over TCP."""
    async with tcp_client(http_daemon) as client:
        yield client


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not measure the board when a page lists the models to fetch, where nobody looks at what is suggested.

    It takes longer than the whole test; `test_board` has a page that waits for it.
    """

    async def measure(*arguments: object) -> Speed:
        raise Unavailable("the board is not measured")

    monkeypatch.setattr("unitd.app.measure_board", measure)
