"""Covers the page's graph.js, graph-layout.js, links.js and task-details.js: tasks and links as they come and go."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.doors.http.static.conftest import SLOW, page_app
from tests.support.children import kept_children
from tests.support.clients.browser import Visit
from tests.support.clients.wire_client import WireClient
from tests.support.daemon import tcp_client
from tests.support.servers.teller import Teller
from tests.support.setups import KWS_SETUP, LLM_SETUP
from tests.support.videos import write_video
from unitd.app import App

pytestmark = [pytest.mark.asyncio(loop_scope="package"), pytest.mark.timeout(60)]

SPEAKER = {"model": "unitd-tts", "response_format": "tts.base64", "enoutput": True, "input": "tts.utf-8"}


@pytest_asyncio.fixture(scope="module", loop_scope="package")
async def module_app(tmp_path_factory: pytest.TempPathFactory, kept_teller: Teller) -> AsyncIterator[App]:
    """The daemon for all tests of this file, with a task of each unit, so that their programs stay."""
    async with page_app(tmp_path_factory.mktemp("daemon"), kept_teller) as app, tcp_client(app) as client:
        for unit, setup in (("llm", LLM_SETUP), ("tts", SPEAKER), ("kws", KWS_SETUP)):
            await client.setup(unit, setup)
        with kept_children():
            yield app


@pytest.fixture
def seen(shared_seen: Visit) -> Visit:
    """One page for the tests of this file."""
    return shared_seen


async def test_the_graph_follows_a_link_and_an_exit(seen: Visit, tcp: WireClient) -> None:
    """Whoever makes them, over whichever door."""
    llm = await tcp.setup("llm", LLM_SETUP)
    tts = await tcp.setup("tts", SPEAKER)
    await expect(seen.node(llm)).to_be_visible()
    await expect(seen.link(llm, tts)).to_have_count(0)

    await tcp.ask(work_id=tts, action="link", data=llm)
    await expect(seen.link(llm, tts)).to_have_count(1)
    await expect(seen.page.get_by_role("button", name=f"{tts}, unitd-tts, idle, listens to {llm}")).to_be_visible()

    await tcp.ask(work_id=llm, action="exit")
    await expect(seen.node(llm)).to_have_count(0)
    await expect(seen.link(llm, tts)).to_have_count(0)
    assert seen.complaints == []


async def test_a_camera_and_the_vlm_that_sees_it(seen: Visit, tcp: WireClient, tmp_path: Path) -> None:
    """They have their places, and a link between them."""
    video = write_video(tmp_path / "video.mp4", ["red"])
    setup = {"response_format": "image.jpeg.base64", "enoutput": False, "frame_width": 64, "frame_height": 48}
    camera = await tcp.setup("camera", setup, input=str(video), loop=True)
    vlm = await tcp.setup("vlm", LLM_SETUP, input=["vlm.utf-8", camera])

    await expect(seen.link(camera, vlm)).to_have_count(1)
    await expect(seen.node(vlm)).to_be_visible()
    assert seen.complaints == []


async def test_what_runs_and_waits_is_seen(seen: Visit, tcp: WireClient) -> None:
    """State and queue."""
    llm = await tcp.setup("llm", LLM_SETUP, model=SLOW)

    for question in ("one", "two", "three"):
        await tcp.infer(llm, question)

    await expect(seen.node(llm)).to_contain_text("running · 2 waiting")


async def test_wake_wakes(seen: Visit, tcp: WireClient) -> None:
    """The button of a wake word's task does what the word does; its owner gets the frame."""
    kws = await tcp.setup("kws", KWS_SETUP, request_id="listening")

    await seen.press(f"Wake {kws}")

    woken = await tcp.receive()
    assert (woken["work_id"], woken["object"], woken["data"]) == (kws, "kws.bool", True)
    await expect(seen.node(kws)).to_contain_text("Woken")


async def test_a_wake_that_cannot_be_says_so(seen: Visit, tcp: WireClient) -> None:
    """A paused task does not wake."""
    kws = await tcp.setup("kws", KWS_SETUP)
    await tcp.ask(work_id=kws, action="pause")

    await seen.press(f"Wake {kws}")

    await expect(seen.node(kws)).to_contain_text("Not now")


async def test_a_chosen_task_tells_about_itself(seen: Visit, tcp: WireClient) -> None:
    """What it listens to and why; by keyboard, and away again."""
    kws = await tcp.setup("kws", KWS_SETUP)
    llm = await tcp.setup("llm", LLM_SETUP, input=["llm.utf-8", kws])

    await seen.page.get_by_role("button", name=f"{llm}, ").focus()
    await seen.page.keyboard.press("Enter")
    details = seen.page.get_by_role("region", name=f"Task {llm}")

    await expect(details).to_contain_text(f"{kws} (a wake interrupts it)")
    await expect(details).to_contain_text("over tcp")
    await seen.page.keyboard.press("Escape")
    await expect(details).to_have_count(0)
    await expect(seen.page.get_by_role("button", name=f"{llm}, ")).to_be_focused()


async def test_a_task_is_paused_and_ended_from_its_details(seen: Visit, tcp: WireClient) -> None:
    """The graph is a switchboard, too."""
    llm = await tcp.setup("llm", LLM_SETUP)
    await seen.press(f"{llm}, ")
    details = seen.page.get_by_role("region", name=f"Task {llm}")

    await details.get_by_role("button", name="Pause").click()
    await expect(seen.node(llm)).to_contain_text("paused")
    await details.get_by_role("button", name="End task").click()

    await expect(seen.node(llm)).to_have_count(0)
    await expect(seen.page.get_by_role("region", name="Units and tasks")).to_be_focused()
    left = (await tcp.ask(work_id="sys", action="lstask"))["data"]
    assert llm not in {task["work_id"] for task in left}


@pytest.mark.parametrize("width", [375, 820, 1440])
async def test_a_link_never_runs_behind_a_task(seen: Visit, tcp: WireClient, width: int) -> None:
    """On every width: no point of a link lies inside a task, and nothing is wider than the window."""
    await seen.page.set_viewport_size({"width": width, "height": 900})
    kws = await tcp.setup("kws", KWS_SETUP)
    first, second = [await tcp.setup("llm", LLM_SETUP, input=["llm.utf-8", kws]) for _ in range(2)]
    for source in (first, second):
        await tcp.setup("tts", SPEAKER, input=[source, kws])
    await expect(seen.page.locator("[data-link]")).to_have_count(6)

    behind = await seen.page.evaluate("""() => {
        const boxes = [...document.querySelectorAll(".node")].map((node) => node.getBoundingClientRect());
        const origin = document.querySelector(".edges").getBoundingClientRect();
        const inside = (x, y) => boxes.some((box) =>
            x > box.left + 2 && x < box.right - 2 && y > box.top + 2 && y < box.bottom - 2);
        return [...document.querySelectorAll("[data-link]")].filter((edge) => {
            const length = edge.getTotalLength();
            return Array.from({length: 200}, (_, at) => edge.getPointAtLength((length * at) / 199))
                .some(({x, y}) => inside(x + origin.left, y + origin.top));
        }).map((edge) => edge.dataset.link);
    }""")

    assert behind == []
    assert await seen.page.evaluate("document.documentElement.scrollWidth") == width
