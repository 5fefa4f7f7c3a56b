"""Covers the page's models.js and daemon.js: models are fetched and removed by those who look at the page."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Locator, expect

from tests.support.clients.browser import Visit, page_fixture, visit
from tests.support.models.small_model import HALF, board, small_hub
from tests.support.servers.local_hub import LocalHub

pytestmark = [
    pytest.mark.asyncio(loop_scope="package"),
    pytest.mark.timeout(60),
    pytest.mark.usefixtures("unmeasured"),
]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHub]:
    """Has the small model."""
    with small_hub(monkeypatch) as hub:
        yield hub


@page_fixture
async def address(tmp_path: Path, hub: LocalHub) -> AsyncIterator[str]:
    """Of a daemon beside the hub."""
    async with board(tmp_path, {"http": {"enabled": True}}) as app:
        host, port = app.endpoints["http"]
        yield f"{host}:{port}"


def here(seen: Visit, name: str) -> Locator:
    """A model among the installed and coming ones."""
    return seen.page.locator(".models .scroll > .rows li").filter(has_text=name)


async def test_a_model_is_fetched_and_removed(seen: Visit, hub: LocalHub) -> None:
    """Size and description before, a bar meanwhile, a button that asks back in the end."""
    hub.holds_at = HALF
    await seen.page.get_by_text("1 more to fetch").click()
    offer = seen.page.locator(".available").get_by_role("listitem").filter(has_text="small")
    await expect(offer).to_contain_text("262 kB, a small model")

    await seen.press("Fetch small")

    bar = seen.page.get_by_role("progressbar", name="Download of small")
    await expect(bar).to_be_visible()
    await expect(here(seen, "small")).to_contain_text("kB of 262 kB")
    hub.released.set()
    await expect(bar).to_have_count(0)
    await expect(here(seen, "small")).to_contain_text("263 kB")  # with its card and its record
    await seen.press("Remove small")
    await seen.press("Really remove small")
    await expect(here(seen, "small")).to_have_count(0)
    await expect(seen.page.get_by_text("1 more to fetch")).to_be_visible()
    assert seen.complaints == []


async def test_a_download_is_given_up(seen: Visit, hub: LocalHub) -> None:
    """The model is offered again, with a word why it is not here."""
    hub.holds_at = HALF
    await seen.page.get_by_text("1 more to fetch").click()
    await seen.press("Fetch small")

    await seen.press("Cancel the download of small")

    await expect(here(seen, "small")).to_contain_text("it was cancelled")
    await expect(here(seen, "small").get_by_role("button", name="Fetch small")).to_be_visible()
    hub.released.set()
    assert seen.complaints == []


async def test_a_pull_of_somebody_else_is_seen(browser: BrowserContext, address: str, hub: LocalHub) -> None:
    """By a page that comes later, and its end, too."""
    hub.holds_at = HALF
    first = await visit(browser, address)
    await first.page.get_by_text("1 more to fetch").click()
    await first.press("Fetch small")
    await expect(here(first, "small")).to_contain_text("kB of 262 kB")

    second = await visit(browser, address)
    await expect(here(second, "small")).to_contain_text("kB of 262 kB")
    hub.released.set()

    await expect(second.page.get_by_role("button", name="Remove small")).to_be_visible()


async def test_what_goes_wrong_is_said_beside_the_model(seen: Visit, hub: LocalHub) -> None:
    """In the daemon's words, not folded away; it may be tried again."""
    hub.files.clear()
    await seen.page.get_by_text("1 more to fetch").click()

    await seen.press("Fetch small")

    await expect(seen.page.get_by_role("alert")).to_contain_text("me/model")
    await expect(seen.page.get_by_role("button", name="Fetch small")).to_be_visible()
