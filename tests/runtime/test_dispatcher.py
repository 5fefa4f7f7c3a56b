"""Covers dispatcher: what must not happen in a handler, and does."""

import asyncio

import orjson

from tests.runtime.test_outbox import SlowTransport, an_outbox
from unitd.runtime.dispatcher import Call, Dispatcher, Handler
from unitd.runtime.metrics import Metrics
from unitd.runtime.waiting import Waiting
from unitd.wire.messages import Reply, Request


async def name_of_a_file(call: Call) -> Reply:
    """Half a surrogate pair, as Python has it for a byte that is no UTF-8."""
    return call.ok(data="\udcff")


async def test_a_reply_that_cannot_be_encoded_is_an_error_of_its_own() -> None:
    """It reaches the client as a bug, and neither other requests nor the daemon end with it."""
    line = SlowTransport()
    client = an_outbox(line, is_lossy=False)
    handlers: dict[str, Handler] = {"ask": name_of_a_file, "tell": lambda call: call.ok(data="\udcff")}
    dispatcher = Dispatcher({}, {}, handlers, {}, lambda *_: None, Metrics(), Waiting(1024 * 1024))

    async with asyncio.TaskGroup() as group:
        dispatcher.open(group)
        dispatcher.serve(client, Request("1", "sys", "ask"))
        dispatcher.serve(client, Request("2", "sys", "tell"))

    answers = [orjson.loads(each) for each in line.lines]
    assert {each["request_id"]: each["error"]["message"] for each in answers} == dict.fromkeys("12", "internal error")
