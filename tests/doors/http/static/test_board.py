"""Covers the page's board.js, models.js, log.js, theme-choice.js: what is shown beside graph and chat."""

import re
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import BrowserContext, expect

from tests.doors.http.static.conftest import SLOW
from tests.support.clients.browser import Visit, visit
from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app
from tests.support.setups import KWS_SETUP

pytestmark = [pytest.mark.asyncio(loop_scope="package"), pytest.mark.timeout(60)]

# The board is measured beside all else that runs on it.
MEASURED_MS = 120_000


async def test_the_board_is_measured(shared_seen: Visit) -> None:
    """CPU and memory as the daemon measures them; a board without a sensor says so; each has its plot."""
    plots = shared_seen.page.locator(".plot")

    await expect(plots.filter(has_text="CPU").locator(".figure")).to_have_text(re.compile(r"^\s*\d+%\s*$"))
    await expect(plots.filter(has_text="Memory").locator(".figure")).to_have_text(re.compile(r"^\s*\d+%\s*$"))
    await expect(plots.filter(has_text="Temperature").locator(".figure")).to_have_text(re.compile(r"°C|no sensor"))
    await expect(plots.locator("canvas")).to_have_count(4)


async def test_tokens_are_counted_while_they_come(seen_slow: Visit) -> None:
    """25 words a second are told, whoever asked for them."""
    await seen_slow.ask("tell me a story")

    figure = seen_slow.page.locator(".plot").filter(has_text="Tokens").locator(".figure")
    await expect(figure).to_have_text(re.compile(r"^\s*(1\d|2\d)/s\s*$"))


async def test_the_last_lines_of_the_log_are_there_and_new_ones_follow(seen: Visit, tcp: WireClient) -> None:
    """Life events; never what somebody asked."""
    log = seen.page.locator(".lines")
    await expect(log).to_contain_text("ready: ")

    await seen.ask("what is 12 times 7?")
    await expect(seen.answer.locator(".words")).to_have_text("That is 84.")
    await tcp.setup("kws", KWS_SETUP)

    await expect(log).to_contain_text("kws/unitd-kws is ready")
    assert "times" not in await log.inner_text()


async def test_models_are_listed_and_what_else_is_understood(shared_seen: Visit) -> None:
    """Installed ones by kind; names that another model answers for are folded away."""
    models = shared_seen.page.locator(".models")
    await expect(models.locator(".scroll > .rows .name")).to_contain_text([SLOW, "unitd-chat", "unitd-tts"])

    await models.get_by_text("more names are understood").click()

    await expect(models.locator(".replaced")).to_contain_text("qwen2.5-0.5B-prefill-20e")
    await expect(models.locator(".replaced")).to_contain_text("unitd-chat answers")


async def test_a_download_has_a_bar(shared_seen: Visit) -> None:
    """A row of sys.lsmode with `download` is drawn with how far it is."""
    await shared_seen.page.evaluate("""async () => {
        const { render } = await import("/static/vendor/preact.js");
        const { html } = await import("/static/html.js");
        const { ModelList } = await import("/static/models.js");
        const row = { mode: "qwen", card: "qwen", model: "unitd-chat", type: "llm", installed: false };
        row.download = { state: "fetching", bytes: 125e6, total: 500e6, bytes_per_s: 12e6, seconds_left: 31.2 };
        const place = document.body.appendChild(document.createElement("div"));
        render(html`<${ModelList} rows=${[row]} />`, place);
    }""")

    bar = shared_seen.page.get_by_role("progressbar", name="Download of qwen")
    assert await bar.evaluate("bar => bar.value / bar.max") == 0.25
    await expect(shared_seen.page.get_by_text("125 MB of 500 MB, 12 MB/s, 31 s left")).to_be_visible()


async def test_the_suggested_model_is_the_first_to_fetch(shared_seen: Visit) -> None:
    """Before those whose names come first; with what is to be expected of it."""
    await shared_seen.page.evaluate("""async () => {
        const { render } = await import("/static/vendor/preact.js");
        const { html } = await import("/static/html.js");
        const { ModelList } = await import("/static/models.js");
        const rows = ["deepseek", "gemma", "qwen"].map(
            (mode) => ({ mode, card: mode, model: "unitd-chat", type: "llm", installed: false, size: 5e8, fits: true }),
        );
        const suggestion = { model: "qwen", tokens_per_s: 12.34, first_token_s: 0.456 };
        const place = document.body.appendChild(document.createElement("div"));
        render(html`<${ModelList} rows=${rows} suggestion=${suggestion} pull=${() => {}} />`, place);
    }""")
    await shared_seen.page.get_by_text("3 more to fetch").click()

    offers = shared_seen.page.locator(".available").last.get_by_role("listitem")
    await expect(offers.locator(".name")).to_contain_text(["qwen", "deepseek", "gemma"])
    await expect(offers.first).to_contain_text("suggested")
    await expect(offers.first).to_contain_text("about 12 tokens/s on this board, the first after 0.46 s")


@pytest.mark.timeout(180)
async def test_the_board_is_measured_for_who_looks_for_a_model(browser: BrowserContext, tmp_path: Path) -> None:
    """With little memory for models the bundled one is suggested, as `unitd models suggest` does."""
    document = {"http": {"enabled": True}, "limits": {"memory": "300M"}, "llm": {"threads": 1}}
    async with running_app(tmp_path, document) as app:
        host, port = app.endpoints["http"]
        seen = await visit(browser, f"{host}:{port}")
        models = seen.page.get_by_role("region", name="List of models")

        await models.get_by_text("more to fetch").click()

        await expect(models.get_by_role("status")).to_have_text("This board is measured, to suggest a model.")
        suggested = models.get_by_role("listitem").filter(has_text="suggested")
        await expect(suggested).to_contain_text("unitd-chat", timeout=MEASURED_MS)
        await expect(models.get_by_role("status")).to_have_count(0)
        assert seen.complaints == []
        await seen.page.close()


async def test_a_chosen_theme_stays(seen: Visit) -> None:
    """As the system says until somebody chooses; also after a reload."""
    ground = "getComputedStyle(document.body).backgroundColor"
    await seen.page.emulate_media(color_scheme="light")
    light = await seen.page.evaluate(ground)
    await seen.page.emulate_media(color_scheme="dark")
    dark = await seen.page.evaluate(ground)

    await seen.press("Theme: as the system")
    assert (await seen.page.evaluate(ground), light == dark) == (light, False)
    await seen.page.reload()

    await expect(seen.page.get_by_role("button", name="Theme: light")).to_be_visible()
    assert await seen.page.evaluate(ground) == light
    assert seen.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_words_can_be_read(seen: Visit, tcp: WireClient, scheme: Literal["light", "dark"]) -> None:
    """A contrast of 4.5 to 1 at least, for whatever is not switched off."""
    await seen.page.emulate_media(color_scheme=scheme)
    await seen.ask("what is 12 times 7?")
    await expect(seen.answer.locator(".under")).to_contain_text("first word")

    faint = await seen.page.evaluate("""() => {
        const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
        const bytes = (colour) => (canvas.clearRect(0, 0, 1, 1), canvas.fillStyle = colour, canvas.fillRect(0, 0, 1, 1),
            [...canvas.getImageData(0, 0, 1, 1).data]);
        const light = ([r, g, b]) => [r, g, b].map((each) => each / 255)
            .map((each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
            .reduce((sum, each, at) => sum + each * [0.2126, 0.7152, 0.0722][at], 0);
        const ground = (element) => {
            const colour = bytes(getComputedStyle(element).backgroundColor);
            return colour[3] || !element.parentElement ? colour : ground(element.parentElement);
        };
        const hasWords = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        return [...document.querySelectorAll("body *")]
            .filter((each) => hasWords(each) && each.checkVisibility() && !each.closest(":disabled"))
            .map((each) => [each, light(bytes(getComputedStyle(each).color)), light(ground(each))])
            .filter(([, words, behind]) => (Math.max(words, behind) + 0.05) / (Math.min(words, behind) + 0.05) < 4.5)
            .map(([each]) => each.outerHTML);
    }""")

    assert faint == []
