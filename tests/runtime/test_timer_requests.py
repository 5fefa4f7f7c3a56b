"""Covers unitd.runtime.sys.timer_requests: `sys.timer` on the wire, and who is told of which timer."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.setups import KWS_SETUP
from tests.support.tokens import asking_app, client_with, write_tokens
from unitd.core.access.grants import Role


async def timer(client: WireClient, do: str, **arguments: Any) -> dict[str, Any]:
    """Return the answer to one request about timers."""
    return await client.ask(work_id="sys", action="timer", data={"do": do, **arguments})


async def test_a_subscriber_is_told_what_becomes_of_a_timer(clients: Callable[[], Any]) -> None:
    """Frames in the id of its request, also when another client is at work."""
    watcher, worker = await clients(), await clients()
    subscribed = await timer(watcher, "subscribe")

    row = (await timer(worker, "start", seconds=0.05, name="pizza"))["data"]["timer"]
    frames = [await watcher.receive() for _ in range(2)]
    await timer(worker, "snooze", seconds=60)
    await timer(worker, "cancel", id=row["id"])
    frames += [await watcher.receive() for _ in range(2)]

    assert subscribed["data"] == {"timers": []}
    assert [each["data"]["event"] for each in frames] == ["started", "ringing", "snoozed", "cancelled"]
    assert {each["object"] for each in frames} == {"sys.timer.stream"}
    assert {each["request_id"] for each in frames} == {subscribed["request_id"]}
    assert {each["data"]["timer"]["name"] for each in frames} == {"pizza"}


async def test_who_has_unsubscribed_is_told_nothing(client: WireClient) -> None:
    """The next that comes is the answer to the next request."""
    await timer(client, "subscribe")
    await timer(client, "unsubscribe")

    started = await timer(client, "start", seconds=100)

    assert started["object"] == "sys.timer"
    assert (await timer(client, "list"))["data"]["timers"][0]["id"] == started["data"]["timer"]["id"]


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (None, -2, "do must be one of list, start"),
        ({"do": "explode"}, -2, "not 'explode'"),
        ({"do": "start"}, -2, "seconds must be a number"),
        ({"do": "start", "seconds": "5"}, -2, "not '5'"),
        ({"do": "alarm", "time": "25:00"}, -2, "time must be a time"),
        ({"do": "cancel", "id": 5}, -10, "There is no timer 5."),
        ({"do": "snooze"}, -10, "Nothing rings."),
        ({"do": "stop", "area": 5}, -2, "area must be a text"),
    ],
)
async def test_bad_input_is_told_what_would_be_right(client: WireClient, data: Any, code: int, words: str) -> None:
    """With the wire's code."""
    reply = await client.ask(work_id="sys", action="timer", data=data)

    assert reply["error"]["code"] == code
    assert words in reply["error"]["message"]


async def test_a_token_sees_its_own_timers_and_an_observer_changes_none(tmp_path: Path) -> None:
    """As with tasks; an administrator sees and changes all."""
    tokens = write_tokens(tmp_path, {"anna": Role.USE, "ben": Role.USE, "eve": Role.OBSERVE, "root": Role.ADMIN})
    async with asking_app(tmp_path) as app, AsyncExitStack() as stack:
        anna, ben, eve, root = [await stack.enter_async_context(client_with(app, each)) for each in tokens.values()]
        await timer(ben, "subscribe")
        await timer(eve, "subscribe")
        number = (await timer(anna, "start", seconds=600))["data"]["timer"]["id"]
        told = await eve.receive()
        lists = [len((await timer(each, "list"))["data"]["timers"]) for each in (anna, ben, eve, root)]
        codes = [(await timer(each, "cancel", id=number))["error"]["code"] for each in (ben, eve, root)]

    assert told["data"]["event"] == "started"
    assert lists == [1, 0, 1, 1]
    assert codes == [-10, -8, 0]


async def test_a_wake_ends_the_ring(clients: Callable[[], Any]) -> None:
    """Of any wake-word task, also by its button."""
    watcher, worker = await clients(), await clients()
    kws = await worker.setup("kws", KWS_SETUP | {"enoutput": False, "input": "kws.base64"})
    await timer(watcher, "subscribe")
    await timer(worker, "start", seconds=0)
    before = [(await watcher.receive())["data"]["event"] for _ in range(2)]

    await worker.ask(work_id=kws, action="trigger")
    stopped = (await watcher.receive())["data"]

    assert before == ["started", "ringing"]
    assert (stopped["event"], stopped["reason"]) == ("stopped", "wake")
