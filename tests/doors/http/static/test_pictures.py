"""Covers the page's attachments.js and picture-tools.js: pictures for the chat, in a real browser."""

import asyncio
import base64
import io
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from PIL import Image
from playwright.async_api import Locator, expect

from tests.support.children import kept_children
from tests.support.clients.browser import Visit, page_fixture
from tests.support.daemon import running_app, start_programs
from tests.support.models.projector import BLIND, blind_model, vision_model
from tests.support.pictures import file_of, square
from tests.support.servers.teller import Teller
from tests.support.setups import LLM_SETUP
from unitd.app import App

pytestmark = [pytest.mark.asyncio(loop_scope="package"), pytest.mark.timeout(60)]

EYE = "unitd-eye-test"
FAR = "far-eye"
PUT = """([chat, name, type, base64, event]) => {
  const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name, { type }));
  const options = { bubbles: true, cancelable: true };
  chat.dispatchEvent(event === "drop"
    ? new DragEvent("drop", { ...options, dataTransfer: transfer })
    : new ClipboardEvent("paste", { ...options, clipboardData: transfer }));
}"""
"""Drops a file on an element, or pastes it."""


class Seeing(NamedTuple):
    """The page of a daemon whose usual model sees."""

    page: Visit

    @property
    def choice(self) -> Locator:
        """Return the choice of a model."""
        return self.page.page.locator("#chat .choice select")

    @property
    def thumbnails(self) -> Locator:
        """Return the pictures that go with the next question."""
        return self.page.page.get_by_role("list", name="Attached pictures").get_by_role("img")

    @property
    def shown(self) -> Locator:
        """Return the pictures of the newest question in the conversation."""
        return self.page.page.locator(".turn.you").last.get_by_role("img")

    async def choose(self, *files: tuple[str, bytes]) -> None:
        """Choose files with the button for pictures."""
        payloads: Any = [{"name": name, "mimeType": "image/png", "buffer": data} for name, data in files]
        await self.page.page.get_by_label("Picture file").set_input_files(payloads)

    async def put(self, event: str, name: str, data: bytes, kind: str = "image/png") -> None:
        """Drop or paste a file."""
        chat = await self.page.page.query_selector("#chat")
        await self.page.page.evaluate(PUT, [chat, name, kind, base64.b64encode(data).decode(), event])


@pytest_asyncio.fixture(scope="module", loop_scope="package")
async def module_app(tmp_path_factory: pytest.TempPathFactory, kept_teller: Teller) -> AsyncIterator[App]:
    """A daemon whose usual model has an eye, of random weights; another one has none.

    A third one is behind a server, which keeps what it is shown.
    """
    folder = tmp_path_factory.mktemp("daemon")
    await asyncio.to_thread(vision_model, folder / "models", EYE)
    await asyncio.to_thread(blind_model, folder / "models")
    lines = ('unit = "llm"', 'engine = "openai"', 'remote_model = "x"', 'capabilities = ["vision"]')
    far = folder / "models" / FAR
    far.mkdir()
    (far / "card.toml").write_text("\n".join([f'name = "{FAR}"', *lines, f'base_url = "{kept_teller.url}"', ""]))
    tables = {"http": {"enabled": True}, "llm": {"model": EYE}, "models": {"idle_s": 3600}}
    async with running_app(folder, tables) as app:
        setup = LLM_SETUP | {"tools": "auto"}
        await start_programs(app, ("llm", setup | {"model": EYE}), ("llm", setup | {"model": FAR}))
        with kept_children():
            yield app


@pytest.fixture
def seeing(seen: Visit) -> Seeing:
    """The page of that daemon."""
    return Seeing(seen)


@page_fixture
async def far_seeing(seeing: Seeing) -> Seeing:
    """The same, where the model behind the server is chosen."""
    await seeing.choice.select_option(FAR)
    return seeing


async def test_a_picture_is_chosen_seen_and_asked_about(seeing: Seeing) -> None:
    """A thumbnail before it is sent, the picture in the conversation, an answer under it."""
    await seeing.choose(("red.png", file_of(square())))
    await expect(seeing.thumbnails).to_have_count(1)

    await seeing.page.ask("what is this?")

    await expect(seeing.shown).to_have_count(1)
    await expect(seeing.thumbnails).to_have_count(0)
    await expect(seeing.page.answer.locator(".under")).to_contain_text("token")
    assert await seeing.shown.evaluate("(image) => image.naturalWidth") == 96
    assert seeing.page.complaints == []


async def test_pictures_are_dropped_and_pasted(seeing: Seeing) -> None:
    """One after the other; one is taken away again."""
    await seeing.put("drop", "red.png", file_of(square()))
    await seeing.put("paste", "blue.png", file_of(square("blue")))
    await expect(seeing.thumbnails).to_have_count(2)

    await seeing.page.press("Remove picture 1")
    await expect(seeing.thumbnails).to_have_count(1)
    await seeing.page.ask("what is this?")

    await expect(seeing.shown).to_have_count(1)
    await expect(seeing.page.answer.locator(".under")).to_contain_text("token")


async def test_a_picture_is_a_question_too(far_seeing: Seeing, teller: Teller) -> None:
    """Without a word; the model is asked what it sees."""
    await far_seeing.choose(("red.png", file_of(square())))
    await far_seeing.page.press("Send")

    await expect(far_seeing.page.answer).to_contain_text("word2 ")
    *_, question = teller.asked[-1]["messages"]
    assert [part.get("text", "image") for part in question["content"]] == ["image", "What do you see?"]


async def test_a_large_picture_is_scaled_down_before_it_is_sent(far_seeing: Seeing, teller: Teller) -> None:
    """To 1024 pixels; what is transparent becomes white."""
    large = square(size=(2000, 1500), ground="blue").convert("RGBA")
    large.paste((0, 0, 0, 0), (0, 0, 200, 200))
    await far_seeing.choose(("large.png", await asyncio.to_thread(file_of, large)))
    await expect(far_seeing.thumbnails).to_have_count(1)

    await far_seeing.page.ask("what is this?")
    await expect(far_seeing.page.answer).to_contain_text("word2 ")

    *_, question = teller.asked[-1]["messages"]
    [url] = [part["image_url"]["url"] for part in question["content"] if part["type"] == "image_url"]
    sent = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))
    assert (sent.format, sent.size) == ("JPEG", (1024, 768))
    darkest, _ = sent.convert("L").crop((8, 8, 90, 90)).getextrema()
    assert isinstance(darkest, int) and darkest > 240


async def test_what_is_no_picture_is_told(seeing: Seeing) -> None:
    """By its name; the rest is taken."""
    await seeing.choose(("notes.txt", b"hello"), ("red.png", file_of(square())))

    status = seeing.page.page.get_by_role("status")
    await expect(status.filter(has_text="notes.txt is no picture that the browser can read.")).to_be_visible()
    await expect(seeing.thumbnails).to_have_count(1)


async def test_a_question_has_so_many_pictures(seeing: Seeing) -> None:
    """One more is told."""
    await seeing.choose(*[(f"{number}.png", file_of(square())) for number in range(9)])

    await expect(seeing.page.page.get_by_role("status").filter(has_text="8 pictures go with")).to_be_visible()
    await expect(seeing.thumbnails).to_have_count(8)


async def test_a_model_that_sees_nothing_says_so(seeing: Seeing) -> None:
    """However a picture comes, and before it is sent."""
    page = seeing.page
    blind = page.page.get_by_role("status").filter(has_text=f"{BLIND} sees no pictures.")
    await expect(page.page.locator("#models")).to_contain_text(BLIND)
    await seeing.choice.select_option(BLIND)

    await page.press("Camera")
    await expect(blind).to_be_visible()
    await page.press("Camera")
    await expect(blind).to_have_count(0)
    await seeing.put("drop", "red.png", file_of(square()))

    await expect(blind).to_be_visible()
    await expect(page.page.get_by_role("list", name="Attached pictures")).to_have_count(0)


async def test_a_picture_stays_where_it_is_if_the_model_chosen_then_sees_nothing(seeing: Seeing) -> None:
    """Show that no question is sent until a model with vision is chosen again."""
    await seeing.choose(("red.png", file_of(square())))
    await expect(seeing.thumbnails).to_have_count(1)
    await seeing.choice.select_option(BLIND)

    await seeing.page.ask("what is this?")
    words = f"{BLIND} sees no pictures. Choose a model that does."
    await expect(seeing.page.page.get_by_role("status").filter(has_text=words)).to_be_visible()
    await expect(seeing.page.page.locator(".turn")).to_have_count(0)
    await seeing.choice.select_option(EYE)
    await seeing.page.press("Send")

    await expect(seeing.shown).to_have_count(1)
    await expect(seeing.page.answer.locator(".under")).to_contain_text("token")


async def test_the_camera_takes_a_picture(seeing: Seeing) -> None:
    """Its film is seen first; afterwards the camera is off."""
    await seeing.page.press("Camera")
    film = seeing.page.page.locator("dialog video")
    await expect(seeing.page.page.get_by_role("button", name="Take picture")).to_be_enabled()
    track = await film.evaluate_handle("(film) => film.srcObject.getTracks()[0]")

    await seeing.page.press("Take picture")
    await expect(seeing.thumbnails).to_have_count(1)
    await seeing.page.ask("what is this?")

    await expect(seeing.shown).to_have_count(1)
    await expect(seeing.page.answer.locator(".under")).to_contain_text("token")
    await expect(film).to_have_count(0)
    assert await track.evaluate("(track) => track.readyState") == "ended"
    assert seeing.page.complaints == []


async def test_the_camera_is_closed_without_a_picture(seeing: Seeing) -> None:
    """By the button or by Escape."""
    for close in (seeing.page.press("Cancel"), seeing.page.page.keyboard.press("Escape")):
        await seeing.page.press("Camera")
        await expect(seeing.page.page.get_by_role("button", name="Take picture")).to_be_enabled()
        await close
        await expect(seeing.page.page.locator("dialog.camera")).to_have_count(0)

    await expect(seeing.thumbnails).to_have_count(0)
