"""Chromium for the tests of the page: headless, and without access to the network."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Locator, Page, Playwright, expect

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 15_000
expect.set_options(timeout=PATIENCE_MS)

page_fixture = pytest_asyncio.fixture(loop_scope="package")
"""Decorates an asynchronous fixture of tests that share a browser: it runs on the event loop that drives it."""


@asynccontextmanager
async def chromium(playwright: Playwright, *flags: str) -> AsyncIterator[Browser]:
    """Run a browser; skip the test where Chromium is not installed."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is missing: sudo apt-get install chromium")
    browser = await playwright.chromium.launch(executable_path=program, args=[*FLAGS, *flags])
    try:
        yield browser
    finally:
        await browser.close()


@dataclass(frozen=True)
class Visit:
    """A visit to the page, with methods for what a person does and sees."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    """Errors in the console, and URLs of requests to another host."""

    @property
    def answer(self) -> Locator:
        """Return the newest answer of the chat."""
        return self.page.locator(".turn.unit").last

    async def ask(self, question: str) -> None:
        """Write a question into the chat and send it."""
        await self.page.get_by_label("Message").fill(question)
        await self.page.keyboard.press("Enter")

    async def press(self, name: str, **options: Any) -> None:
        """Press the first button of this name."""
        await self.page.get_by_role("button", name=name, **options).first.click()

    def node(self, work_id: str) -> Locator:
        """Return a task in the graph."""
        return self.page.locator(".node").filter(has_text=work_id)

    def link(self, source: str, target: str) -> Locator:
        """Return a link in the graph."""
        return self.page.locator(f'[data-link="{source} {target}"]')


async def visit(browser: Browser | BrowserContext, address: str) -> Visit:
    """Open the page; return when it is connected or asks for a key."""
    page = await browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    seen = Visit(page)
    page.on("console", lambda message: seen.complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on("request", lambda request: seen.complaints.append(request.url) if address not in request.url else None)
    await page.goto(f"http://{address}/")
    await page.locator(".light.open, dialog[open]").first.wait_for()
    return seen
