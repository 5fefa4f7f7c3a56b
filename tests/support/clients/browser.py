"""A real browser for the page: Debian's Chromium, headless, told to leave the network alone."""

import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, async_playwright

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

OpenPage = Callable[..., Any]


@asynccontextmanager
async def chromium(*flags: str) -> AsyncIterator[Browser]:
    """A browser of its own; the test is skipped where there is none."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is missing: sudo apt-get install chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=[*FLAGS, *flags])
        try:
            yield browser
        finally:
            await browser.close()


@dataclass(frozen=True)
class Visit:
    """Somebody who looks at the page, in the words of what is seen."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    """Errors of the console, and requests that went to another host."""

    @property
    def answer(self) -> Locator:
        """The newest answer of the chat."""
        return self.page.locator(".turn.unit").last

    async def ask(self, question: str) -> None:
        """Writes into the chat and sends."""
        await self.page.get_by_label("Message").fill(question)
        await self.page.keyboard.press("Enter")

    async def press(self, name: str, **options: Any) -> None:
        """Presses the first button of this name."""
        await self.page.get_by_role("button", name=name, **options).first.click()

    def node(self, work_id: str) -> Locator:
        """A task in the graph."""
        return self.page.locator(".node").filter(has_text=work_id)

    def link(self, source: str, target: str) -> Locator:
        """A link in the graph."""
        return self.page.locator(f'[data-link="{source} {target}"]')


async def visit(browser: Browser, address: str, **context: Any) -> Visit:
    """Opens the page and waits until it is connected, or asks for a key."""
    page = await browser.new_page(**context)
    page.set_default_timeout(PATIENCE_MS)
    seen = Visit(page)
    page.on("console", lambda message: seen.complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on("request", lambda request: seen.complaints.append(request.url) if address not in request.url else None)
    await page.goto(f"http://{address}/")
    await page.locator(".light.open, dialog[open]").first.wait_for()
    return seen
