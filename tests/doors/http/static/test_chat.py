"""Covers the page's chat.js and conversation.js: questions, interrupts, pauses, in a real browser."""

import importlib
from collections.abc import AsyncIterator
from typing import NamedTuple

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, expect

from tests.support.children import kept_children
from tests.support.clients.browser import Visit, page_fixture, visit
from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, start_programs
from tests.support.servers.brokers import Listener, listening, running_broker
from tests.support.servers.teller import Teller
from tests.support.setups import LLM_SETUP
from unitd.app import App

# The daemon imports these when it has tools; here they come first, for the guard against blocking calls.
for _module in ("unitd.doors.mqtt.door", "unitd.doors.home.toolbox", "jinja2.sandbox"):
    importlib.import_module(_module)

TOOLS = """
[[entity]]
name = "desk lamp"
kind = "light"

[[tool]]
name = "turn_on"
description = "Switches a device on"
kinds = ["light"]
topic = "home/{{ entity.id }}/set"
payload = "ON"
"""

pytestmark = [pytest.mark.asyncio(loop_scope="package"), pytest.mark.timeout(60)]


class House(NamedTuple):
    """Another board, which has a lamp and lacks its usual model."""

    address: str
    listener: Listener


@pytest_asyncio.fixture(scope="module", loop_scope="package")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """The daemon of that board, and who hears what the lamp is told."""
    folder = tmp_path_factory.mktemp("house")
    (folder / "tools.toml").write_text(TOOLS)
    async with running_broker(folder / "broker") as broker, listening(broker) as listener:
        home = {"mqtt": {"host": "127.0.0.1", "port": broker.port}, "home": {"tools": str(folder / "tools.toml")}}
        tables = {"http": {"enabled": True}, "llm": {"model": "qwen2.5-0.5b"}} | home
        async with running_app(folder, tables) as app:
            await start_programs(app, ("llm", LLM_SETUP | {"tools": "auto"}))
            host, port = app.endpoints["http"]
            with kept_children():
                yield House(f"{host}:{port}", listener)


@page_fixture
async def seen(shared_seen: Visit, http_daemon: App) -> AsyncIterator[Visit]:
    """One page for the tests of this file, each with a conversation of its own."""
    yield shared_seen
    await shared_seen.press("End", exact=True)
    await shared_seen.page.locator("#chat .choice select").select_option("default")


async def test_the_chat_answers(seen: Visit) -> None:
    """The bundled model, streamed; under the answer its figures."""
    await seen.ask("what is 12 times 7?")

    await expect(seen.answer.locator(".words")).to_have_text("That is 84.")
    await expect(seen.answer.locator(".under")).to_contain_text("first word")
    assert seen.complaints == []


async def test_an_example_is_a_question_too(seen: Visit) -> None:
    """One press, for who does not know what to ask; the next question can be written at once."""
    await seen.press("what is 12 times 7?")

    await expect(seen.answer.locator(".words")).to_have_text("That is 84.")
    await expect(seen.page.get_by_label("Message")).to_be_focused()


async def test_a_board_without_devices_offers_to_switch_none(shared_seen: Visit) -> None:
    """An answer to it would claim what was not done."""
    examples = shared_seen.page.get_by_role("region", name="Chat").get_by_role("button")

    await expect(examples.filter(has_text="tell me a story")).to_be_enabled()
    await expect(examples.filter(has_text="turn on")).to_have_count(0)


async def test_a_board_without_devices_claims_to_have_switched_none(seen: Visit) -> None:
    """Whatever is asked."""
    await seen.ask("turn on the kitchen light")

    await expect(seen.answer.locator(".under")).to_contain_text("token")
    await expect(seen.answer.locator(".words")).to_contain_text("sorry")
    await expect(seen.answer.get_by_role("list", name="Tools used")).to_have_count(0)


async def test_a_board_with_devices_switches_them(browser: BrowserContext, house: House) -> None:
    """What is offered first is done; the call is seen above the answer."""
    seen = await visit(browser, house.address)

    await seen.press("turn on the desk lamp")

    calls = seen.answer.get_by_role("list", name="Tools used").get_by_role("listitem")
    await expect(calls).to_have_text(["turn_on desk lamp"])
    await expect(seen.answer.locator(".words")).to_have_text("Turned on the light")
    await expect(seen.answer).to_contain_text("recognised in")
    await house.listener.until(lambda: house.listener.on("home/desk_lamp/set") == [b"ON"])
    assert seen.complaints == []


async def test_a_model_that_stands_in_says_so(browser: BrowserContext, house: House) -> None:
    """In the chat, and where the task is looked at."""
    seen = await visit(browser, house.address)

    await seen.ask("what is 12 times 7?")

    chat = seen.page.get_by_role("region", name="Chat")
    words = "qwen2.5-0.5b is not installed, unitd-chat answers in its place."
    await expect(chat.get_by_role("status").filter(has_text=words)).to_be_visible()
    work_id = await seen.page.locator(".chip").inner_text()
    await seen.press(f"{work_id}, unitd-chat")
    details = seen.page.get_by_role("region", name=f"Task {work_id}")
    await expect(details).to_contain_text("default (unitd-chat)")
    await expect(details).to_contain_text(words)


async def test_an_answer_has_room_for_a_story(seen_slow: Visit, teller: Teller) -> None:
    """The daemon's default would cut every second story of the bundled model."""
    await seen_slow.ask("tell me a story")
    await expect(seen_slow.answer).to_contain_text("word2 ")

    assert [body["max_tokens"] for body in teller.asked] == [512]


async def test_interrupt_stops_the_answer(seen_slow: Visit, tcp: WireClient) -> None:
    """In the middle of it; the task is free again, and the next question is answered."""
    await seen_slow.ask("tell me a story")
    await expect(seen_slow.answer).to_contain_text("word5 ")

    await seen_slow.press("Interrupt")

    await expect(seen_slow.answer.locator(".under")).to_contain_text("Interrupted.")
    [task] = (await tcp.ask(work_id="sys", action="lstask"))["data"]
    assert task["state"] == "idle"
    await seen_slow.ask("and another")
    await expect(seen_slow.answer).to_contain_text("word2 ")


async def test_escape_interrupts(seen_slow: Visit) -> None:
    """With the hands on the keyboard."""
    await seen_slow.ask("tell me a story")
    await expect(seen_slow.answer).to_contain_text("word2 ")

    await seen_slow.page.keyboard.press("Escape")

    await expect(seen_slow.answer.locator(".under")).to_contain_text("Interrupted.")


async def test_the_keyboard_finds_its_place_again(seen_slow: Visit) -> None:
    """A button that is switched off by its own press leaves the focus to the field."""
    await seen_slow.ask("tell me a story")
    await expect(seen_slow.answer).to_contain_text("word2 ")

    for name in ("Picture", "Camera", "Talk", "Interrupt"):
        await seen_slow.page.keyboard.press("Tab")
        await expect(seen_slow.page.get_by_role("button", name=name)).to_be_focused()
    await seen_slow.page.keyboard.press("Enter")

    await expect(seen_slow.answer.locator(".under")).to_contain_text("Interrupted.")
    await expect(seen_slow.page.get_by_label("Message")).to_be_focused()


async def test_pause_holds_and_resume_goes_on(seen_slow: Visit) -> None:
    """No word comes while it is paused, none is lost behind it."""
    await seen_slow.ask("tell me a story")
    await expect(seen_slow.answer).to_contain_text("word3 ")

    await seen_slow.press("Pause")
    await expect(seen_slow.answer.locator(".under")).to_contain_text("Paused")
    held = await seen_slow.answer.locator(".words").inner_text()
    await expect(seen_slow.page.locator(".node.paused")).to_be_visible()
    assert await seen_slow.answer.locator(".words").inner_text() == held
    await seen_slow.press("Resume")
    following = f"word{len(held.split()) + 5} "
    await expect(seen_slow.answer).to_contain_text(following)

    words = (await seen_slow.answer.locator(".words").inner_text()).split()
    assert words == [f"word{number}" for number in range(1, len(words) + 1)]


async def test_a_pause_by_somebody_else_is_seen(seen_slow: Visit, tcp: WireClient) -> None:
    """The task is the same for all."""
    await seen_slow.ask("tell me a story")
    await expect(seen_slow.answer).to_contain_text("word2 ")
    [task] = (await tcp.ask(work_id="sys", action="lstask"))["data"]

    await tcp.ask(work_id=task["work_id"], action="pause")

    await expect(seen_slow.page.get_by_role("button", name="Resume")).to_be_visible()


async def test_a_new_question_takes_the_place_of_the_answer(seen_slow: Visit) -> None:
    """Also of one that is held."""
    await seen_slow.ask("tell me a story")
    await expect(seen_slow.answer).to_contain_text("word2 ")
    await seen_slow.press("Pause")
    await expect(seen_slow.answer.locator(".under")).to_contain_text("Paused")

    await seen_slow.ask("no, another one")

    await expect(seen_slow.page.locator(".turn.unit").first.locator(".under")).to_contain_text("Interrupted.")
    await expect(seen_slow.answer).to_contain_text("word2 ")
    await expect(seen_slow.page.locator(".turn.unit")).to_have_count(2)


async def test_end_ends_the_task(seen_slow: Visit, tcp: WireClient) -> None:
    """The conversation is empty, the daemon has forgotten it; the next question, which can be written at once, begins
    a new one."""
    await seen_slow.ask("tell me a story")
    await expect(seen_slow.answer).to_contain_text("word2 ")

    await seen_slow.press("End", exact=True)

    await expect(seen_slow.page.locator(".turn")).to_have_count(0)
    await expect(seen_slow.page.get_by_label("Message")).to_be_focused()
    await expect(seen_slow.page.locator(".node")).to_have_count(0)
    assert (await tcp.ask(work_id="sys", action="lstask"))["data"] == []
    await seen_slow.ask("tell me another")
    await expect(seen_slow.answer).to_contain_text("word2 ")


async def test_a_task_that_somebody_ended_is_replaced(seen: Visit, tcp: WireClient) -> None:
    """The next question sets up a new one; nobody has to know."""
    await seen.ask("tell me a joke")
    await expect(seen.answer.locator(".under")).to_contain_text("token")
    [task] = (await tcp.ask(work_id="sys", action="lstask"))["data"]
    await tcp.ask(work_id=task["work_id"], action="exit")

    await seen.ask("what is 3 plus 4?")

    await expect(seen.answer.locator(".words")).to_have_text("That is 7.")
    await expect(seen.page.locator(".turn")).to_have_count(4)


async def test_what_goes_wrong_is_said(seen: Visit, tcp: WireClient) -> None:
    """The daemon's own words, where the answer would stand."""
    await seen.ask("word " * 6000)

    await expect(seen.answer.locator(".state.failed")).to_contain_text("Model run failed")
