"""Covers the page's rights.js: what the role of a token does not allow is switched off, and why is said."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, expect

from tests.support.children import kept_children
from tests.support.clients.browser import Visit, visit
from tests.support.daemon import life_logged
from tests.support.setups import KWS_SETUP, LLM_SETUP
from tests.support.tokens import asking_app, client_with, write_tokens
from unitd.app import App
from unitd.core.access.grants import Role

pytestmark = [pytest.mark.asyncio(loop_scope="package"), pytest.mark.timeout(60)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the daemon."""
    return tmp_path_factory.mktemp("daemon")


@pytest.fixture(scope="module")
def tokens(folder: Path) -> dict[str, str]:
    """One of each role, by the role's name."""
    return write_tokens(folder, {role.value: role for role in Role})


@pytest_asyncio.fixture(scope="module", loop_scope="package")
async def asking(folder: Path, tokens: dict[str, str]) -> AsyncIterator[App]:
    """A daemon that asks everybody for a token, where an administrator has set up a wake word and a language model."""
    with life_logged():
        async with asking_app(folder, http={"enabled": True}) as app, client_with(app, tokens["admin"]) as admin:
            await admin.setup("kws", KWS_SETUP, kws="hey jarvis", input="kws.base64")
            await admin.setup("llm", LLM_SETUP, tools="auto")
            with kept_children():
                yield app


async def seen_with(token: str, browser: BrowserContext, app: App) -> Visit:
    """The page for who has this token."""
    host, port = app.endpoints["http"]
    seen = await visit(browser, f"{host}:{port}")
    await seen.page.get_by_role("dialog").get_by_label("Token").fill(token)
    await seen.page.keyboard.press("Enter")
    await expect(seen.page.get_by_role("status").filter(has_text="Connected")).to_be_visible()
    return seen


async def test_who_may_only_look_changes_nothing(browser: BrowserContext, asking: App, tokens: dict[str, str]) -> None:
    """Neither chat, nor tasks, nor models; what runs is seen."""
    seen = await seen_with(tokens["observe"], browser, asking)
    words = "The role of your token is observe: it sees what runs and changes nothing."
    await seen.press("kws.1000, ")
    await seen.page.get_by_text("more to fetch").click()

    details = seen.page.get_by_role("region", name="Task kws.1000")
    for name in ("Pause", "Listen with this microphone", "End task"):
        await expect(details.get_by_role("button", name=name)).to_be_disabled()
    await expect(details).to_contain_text(words)
    for name in ("Wake kws.1000", "Talk", "tell me a story", "Fetch qwen2.5-0.5b"):
        await expect(seen.page.get_by_role("button", name=name)).to_be_disabled()
    await expect(seen.page.get_by_label("Message")).to_be_disabled()
    await expect(seen.page.get_by_role("region", name="Chat")).to_contain_text(words)
    await expect(seen.page.get_by_role("region", name="List of models")).to_contain_text(words)
    await expect(seen.page.get_by_role("list", name="Log lines")).to_have_text("Only administrators see the log.")
    assert seen.complaints == []
    await seen.page.close()


async def test_who_may_use_the_board_chats_and_leaves_its_models_alone(
    browser: BrowserContext, asking: App, tokens: dict[str, str]
) -> None:
    """Another one's task is not even there."""
    seen = await seen_with(tokens["use"], browser, asking)
    await seen.page.get_by_text("more to fetch").click()

    await seen.ask("what is 12 times 7?")

    await expect(seen.answer.locator(".words")).to_have_text("That is 84.")
    await expect(seen.node("llm.1002").get_by_role("button")).to_be_enabled()
    await expect(seen.page.locator(".node")).to_have_count(1)
    await expect(seen.page.get_by_role("button", name="Fetch qwen2.5-0.5b")).to_be_disabled()
    await expect(seen.page.get_by_role("list", name="Log lines")).to_have_text("Only administrators see the log.")
    assert seen.complaints == []
    await seen.page.close()


@pytest.mark.usefixtures("unmeasured")
async def test_an_administrator_may_everything(browser: BrowserContext, asking: App, tokens: dict[str, str]) -> None:
    """An administrator sees the page as it is without tokens."""
    seen = await seen_with(tokens["admin"], browser, asking)
    await seen.page.get_by_text("more to fetch").click()

    for name in ("Wake kws.1000", "Talk", "tell me a story", "Fetch qwen2.5-0.5b"):
        await expect(seen.page.get_by_role("button", name=name)).to_be_enabled()
    await expect(seen.page.get_by_label("Message")).to_be_enabled()
    await expect(seen.page.get_by_role("list", name="Log lines")).to_contain_text("ready: ")
    await seen.page.close()


async def test_a_token_that_is_revoked_is_asked_for_again(
    browser: BrowserContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And why is said."""
    monkeypatch.setattr("unitd.doors.http.admission.LOOK_SECONDS", 0.1)
    token = write_tokens(tmp_path, {"anna": Role.USE})["anna"]
    async with asking_app(tmp_path, http={"enabled": True}) as app:
        seen = await seen_with(token, browser, app)

        write_tokens(tmp_path, {"another": Role.USE})
        await app.reload()

        dialog = seen.page.get_by_role("dialog", name="This board asks for a token")
        await expect(dialog.get_by_role("alert")).to_have_text("This token is not known, or its time is over.")
        await seen.page.close()
