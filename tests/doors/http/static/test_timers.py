"""Covers the page's timers.js: timers count down, and what rings is stopped there."""

import re
from typing import Any

import pytest
from playwright.async_api import expect

from tests.support.clients.browser import Visit
from tests.support.clients.wire_client import WireClient

pytestmark = [pytest.mark.asyncio(loop_scope="package"), pytest.mark.timeout(60)]


@pytest.fixture
def seen(shared_seen: Visit) -> Visit:
    """One page for the tests of this file."""
    return shared_seen


async def timer(client: WireClient, **data: Any) -> dict[str, Any]:
    """Return the answer of `sys.timer` to somebody else."""
    reply = await client.ask(work_id="sys", action="timer", data=data)
    answer: dict[str, Any] = reply["data"]
    return answer


async def test_a_timer_counts_down_until_it_is_cancelled(seen: Visit, tcp: WireClient) -> None:
    """Timers of other clients are shown too, and without timers there is no region for them."""
    await expect(seen.page.get_by_role("region", name="Timers")).to_have_count(0)
    await timer(tcp, do="start", seconds=600, name="pizza")
    await timer(tcp, do="start", seconds=7200, area="kitchen")

    pizza = seen.page.get_by_role("group", name="pizza")
    await expect(pizza.get_by_role("timer")).to_have_text(re.compile(r"^9:5\d$"))
    await expect(seen.page.get_by_role("group", name="Timer of 2:00:00 (kitchen)")).to_be_visible()
    await pizza.get_by_role("button", name="Cancel").click()

    await expect(pizza).to_have_count(0)
    (left,) = (await timer(tcp, do="list"))["timers"]
    assert left["area"] == "kitchen"
    await timer(tcp, do="cancel", id=left["id"])
    await expect(seen.page.get_by_role("region", name="Timers")).to_have_count(0)
    assert seen.complaints == []


async def test_what_rings_is_snoozed_and_stopped(seen: Visit, tcp: WireClient) -> None:
    """A timer that rings is an alert, so that screen readers speak of it at once."""
    await timer(tcp, do="start", seconds=0.1, name="tea")
    tea = seen.page.get_by_role("group", name="tea")
    await expect(tea.get_by_role("alert")).to_have_text("rings")

    await tea.get_by_role("button", name="Snooze").click()
    await expect(tea.get_by_role("timer")).to_have_text(re.compile(r"^(9:00|8:5\d)$"))
    (row,) = (await timer(tcp, do="list"))["timers"]
    await timer(tcp, do="change", id=row["id"], add_seconds=-600)
    await expect(tea.get_by_role("alert")).to_have_text("rings")
    await tea.get_by_role("button", name="Stop").click()

    await expect(tea).to_have_count(0)
    assert (await timer(tcp, do="list"))["timers"] == []
    assert seen.complaints == []


async def test_timers_that_were_there_before_are_shown(seen: Visit, tcp: WireClient) -> None:
    """Also after the page was loaded anew; a paused one stands still."""
    row = (await timer(tcp, do="start", seconds=90, name="eggs"))["timer"]
    await timer(tcp, do="pause", id=row["id"])

    await seen.page.reload()

    eggs = seen.page.get_by_role("group", name="eggs")
    await expect(eggs.get_by_role("timer")).to_have_text(re.compile(r"^1:(30|29), paused$"))
    await timer(tcp, do="cancel", id=row["id"])
    await expect(eggs).to_have_count(0)
