"""Covers the page's chat.js and conversation.js: questions, interrupts, pauses, in a real browser."""

import pytest
from playwright.async_api import expect

from tests.doors.http.static.browser import Visit
from tests.helpers import WireClient

pytestmark = pytest.mark.timeout(60)


async def test_the_chat_answers(seen: Visit) -> None:
    """The bundled model, streamed; under the answer its figures."""
    await seen.ask("turn on the kitchen light")

    await expect(seen.answer.locator(".words")).to_have_text("Turning on the kitchen light.")
    await expect(seen.answer.locator(".under")).to_contain_text("first word")
    assert seen.complaints == []


async def test_an_example_is_a_question_too(seen: Visit) -> None:
    """One press, for who does not know what to ask."""
    await seen.press("turn on the kitchen light")

    await expect(seen.answer.locator(".words")).to_have_text("Turning on the kitchen light.")


async def test_interrupt_stops_the_answer(seen_slow: Visit, slow_tcp: WireClient) -> None:
    """In the middle of it; the task is free again, and the next question is answered."""
    await seen_slow.ask("tell me a story")
    await expect(seen_slow.answer).to_contain_text("word5 ")

    await seen_slow.press("Interrupt")

    await expect(seen_slow.answer.locator(".under")).to_contain_text("Interrupted.")
    [task] = (await slow_tcp.ask(work_id="sys", action="lstask"))["data"]
    assert task["state"] == "idle"
    await seen_slow.ask("and another")
    await expect(seen_slow.answer).to_contain_text("word2 ")


async def test_escape_interrupts(seen_slow: Visit) -> None:
    """With the hands on the keyboard."""
    await seen_slow.ask("tell me a story")
    await expect(seen_slow.answer).to_contain_text("word2 ")

    await seen_slow.page.keyboard.press("Escape")

    await expect(seen_slow.answer.locator(".under")).to_contain_text("Interrupted.")


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


async def test_a_pause_by_somebody_else_is_seen(seen_slow: Visit, slow_tcp: WireClient) -> None:
    """The task is the same for all."""
    await seen_slow.ask("tell me a story")
    await expect(seen_slow.answer).to_contain_text("word2 ")
    [task] = (await slow_tcp.ask(work_id="sys", action="lstask"))["data"]

    await slow_tcp.ask(work_id=task["work_id"], action="pause")

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


async def test_end_ends_the_task(seen_slow: Visit, slow_tcp: WireClient) -> None:
    """The conversation is empty, the daemon has forgotten it; the next question begins a new one."""
    await seen_slow.ask("tell me a story")
    await expect(seen_slow.answer).to_contain_text("word2 ")

    await seen_slow.press("End", exact=True)

    await expect(seen_slow.page.locator(".turn")).to_have_count(0)
    await expect(seen_slow.page.locator(".node")).to_have_count(0)
    assert (await slow_tcp.ask(work_id="sys", action="lstask"))["data"] == []
    await seen_slow.ask("tell me another")
    await expect(seen_slow.answer).to_contain_text("word2 ")


async def test_a_task_that_somebody_ended_is_replaced(seen: Visit, tcp: WireClient) -> None:
    """The next question sets up a new one; nobody has to know."""
    await seen.ask("turn on the kitchen light")
    await expect(seen.answer.locator(".under")).to_contain_text("token")
    [task] = (await tcp.ask(work_id="sys", action="lstask"))["data"]
    await tcp.ask(work_id=task["work_id"], action="exit")

    await seen.ask("turn off the kitchen light")

    await expect(seen.answer.locator(".words")).to_have_text("Turning off the kitchen light.")
    await expect(seen.page.locator(".turn")).to_have_count(4)


async def test_what_goes_wrong_is_said(seen: Visit, tcp: WireClient) -> None:
    """The daemon's own words, where the answer would stand."""
    await seen.ask("word " * 6000)

    await expect(seen.answer.locator(".state.failed")).to_contain_text("Model run failed")
