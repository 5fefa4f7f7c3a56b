"""Covers unitd.runtime.sys.log_stream: the last lines, new ones as they come, and what never gets in."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.support.clients.fake_client import FakeClient
from tests.support.clients.wire_client import WireClient
from tests.support.waiting import eventually
from unitd.runtime.dispatcher import Call
from unitd.runtime.sys.log_stream import KEPT_LINES, LogStream
from unitd.wire.errors import BadField
from unitd.wire.messages import Reply, Request

log = logging.getLogger("unitd.tests")


@pytest.fixture
async def logbook(caplog: pytest.LogCaptureFixture) -> AsyncIterator[LogStream]:
    """A logbook that is open, with every level let through."""
    caplog.set_level(logging.DEBUG)
    book = LogStream()
    book.open()
    yield book
    book.close()


def ask(logbook: LogStream, client: FakeClient, data: Any = None) -> Reply:
    """The answer to sys.log."""
    answer = logbook.handlers["log"](Call(client, Request("1", "sys", "log", data=data)))
    assert isinstance(answer, Reply)
    return answer


def texts(lines: list[dict[str, Any]]) -> list[str]:
    """The words of lines."""
    return [line["text"] for line in lines]


async def test_the_last_lines_are_told(logbook: LogStream) -> None:
    """Oldest first, each with its time, level and source."""
    log.info("one %s", "thing")
    log.warning("another")

    reply = ask(logbook, FakeClient())

    assert reply.object == "sys.log"
    assert texts(reply.data) == ["one thing", "another"]
    assert (reply.data[1]["level"], reply.data[1]["source"]) == ("WARNING", "unitd.tests")
    assert reply.data[0]["at"] == pytest.approx(reply.data[1]["at"], abs=1)


async def test_as_many_lines_as_are_wanted(logbook: LogStream) -> None:
    """The newest; none is a number, too."""
    for number in range(KEPT_LINES + 10):
        log.info("%d", number)

    assert texts(ask(logbook, FakeClient(), {"lines": 2}).data) == [str(KEPT_LINES + 8), str(KEPT_LINES + 9)]
    assert ask(logbook, FakeClient(), {"lines": 0}).data == []
    assert len(ask(logbook, FakeClient(), {"lines": KEPT_LINES}).data) == KEPT_LINES


async def test_debug_never_gets_in(logbook: LogStream) -> None:
    """Lines of level DEBUG hold prompts and answers."""
    log.debug("> tell me a secret")

    assert ask(logbook, FakeClient()).data == []


async def test_of_an_exception_only_its_class_is_told(logbook: LogStream) -> None:
    """The message of an exception may quote a client."""
    try:
        raise ValueError("a secret")
    except ValueError:
        log.exception("a bug")

    assert texts(ask(logbook, FakeClient()).data) == ["a bug (ValueError)"]


async def test_new_lines_come_to_whoever_subscribed(logbook: LogStream) -> None:
    """Those of one moment in one frame, in the subscription's request_id, from whichever thread."""
    client = FakeClient()
    ask(logbook, client, {"lines": 0, "subscribe": True})

    log.info("one")
    await asyncio.to_thread(log.info, "from a thread")
    await eventually(lambda: sum(len(frame.data) for frame in client.received) == 2)

    assert {(frame.request_id, frame.object) for frame in client.received} == {("1", "sys.log.stream")}
    assert [text for frame in client.received for text in texts(frame.data)] == ["one", "from a thread"]


async def test_a_subscription_ends(logbook: LogStream) -> None:
    """When the client says so, and when it is gone."""
    quiet, gone = FakeClient("quiet"), FakeClient("gone")
    for client in (quiet, gone):
        ask(logbook, client, {"subscribe": True})
    ask(logbook, quiet, {"subscribe": False})
    gone.is_gone = True

    witness = FakeClient("witness")
    ask(logbook, witness, {"subscribe": True})
    log.info("anybody there?")
    await eventually(lambda: len(witness.received) == 1)

    assert (quiet.received, gone.received) == ([], [])


@pytest.mark.parametrize(
    "data", ["all", [], {"lines": -1}, {"lines": KEPT_LINES + 1}, {"lines": True}, {"lines": "2"}, {"subscribe": "yes"}]
)
async def test_what_makes_no_sense_is_refused(logbook: LogStream, data: Any) -> None:
    """With the sentence that says what would."""
    with pytest.raises(BadField):
        ask(logbook, FakeClient(), data)


async def test_the_daemon_s_own_lines_are_read_over_the_wire(client: WireClient) -> None:
    """Any client may; its own requests leave no trace in them."""
    reply = await client.ask(work_id="sys", action="log", data={"lines": 5})

    assert reply["object"] == "sys.log"
    assert any(line["text"].startswith("ready: ") for line in reply["data"])
