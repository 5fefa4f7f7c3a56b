"""Covers unitd.doors.mqtt.publish_queue and the memory of unitd.doors.mqtt.requests: bounds, order, one execution."""

import asyncio

import pytest

from tests.support.waiting import MS
from unitd.doors.mqtt.publish_queue import (
    LIMIT_ANSWER_BYTES,
    LIMIT_ANSWERS,
    LIMIT_PASSING,
    LIMIT_PASSING_BYTES,
    MOST_DEATHS,
    Publication,
    PublishQueue,
)
from unitd.doors.mqtt.requests import Executed, Incoming


def drained(outgoing: PublishQueue) -> list[tuple[str, bytes]]:
    """Everything that waits, in the order in which the broker gets it."""
    sent = []
    while (publication := outgoing.first) is not None:
        sent.append((publication.topic, publication.payload))
        outgoing.taken(publication)
    return sent


def test_answers_go_first_then_what_is_true_then_what_passes() -> None:
    """Messages are sent by kind: answers, then states, then passing events."""
    outgoing = PublishQueue()
    outgoing.pass_on("output", b"1")
    outgoing.retain("state", b"idle")
    outgoing.answer(Publication("answer", b"2", is_answer=True))

    assert drained(outgoing) == [("answer", b"2"), ("state", b"idle"), ("output", b"1")]


def test_only_the_last_value_of_a_retained_topic_counts() -> None:
    """A broker that was away hears how things are, not how they were."""
    outgoing = PublishQueue()
    for value in (b"idle", b"running", b"paused"):
        outgoing.retain("state", value)

    assert drained(outgoing) == [("state", b"paused")]


def test_a_new_connection_says_everything_true_again() -> None:
    """And takes back what is not true any more."""
    outgoing = PublishQueue()
    outgoing.retain("a", b"1")
    outgoing.retain("b", b"2")
    assert drained(outgoing)
    outgoing.retain("b", b"")

    outgoing.say_all_again()

    assert sorted(drained(outgoing)) == [("a", b"1"), ("b", b"")]


def test_what_changed_while_it_was_sent_is_sent_again() -> None:
    """The broker's acknowledgement is for the older value."""
    outgoing = PublishQueue()
    outgoing.retain("state", b"old")
    sending = outgoing.first
    outgoing.retain("state", b"new")
    assert sending is not None

    outgoing.taken(sending)

    assert drained(outgoing) == [("state", b"new")]


def test_output_in_passing_has_a_bound(caplog: pytest.LogCaptureFixture) -> None:
    """The oldest goes first, and the log counts."""
    outgoing = PublishQueue()
    for number in range(LIMIT_PASSING + 2):
        outgoing.pass_on("output", str(number).encode())

    sent = drained(outgoing)

    assert len(sent) == LIMIT_PASSING
    assert sent[0] == ("output", b"2")
    assert "2 messages dropped" in caplog.text


def test_bytes_have_a_bound_too(caplog: pytest.LogCaptureFixture) -> None:
    """Sound on a topic is thousands of times as long as a word; one long message alone passes."""
    outgoing = PublishQueue()
    outgoing.pass_on("sound", b"1" * 2 * LIMIT_PASSING_BYTES)
    assert len(drained(outgoing)) == 1

    for number in range(5):
        outgoing.pass_on("sound", str(number).encode() * (LIMIT_PASSING_BYTES // 3))
    for number in range(5):
        outgoing.answer(Publication(str(number), b"1" * (LIMIT_ANSWER_BYTES // 3), is_answer=True))

    assert [topic or payload[:1] for topic, payload in drained(outgoing)] == ["0", "1", "2", "sound", "sound", "sound"]
    assert "messages dropped" in caplog.text


async def test_who_can_wait_waits_for_the_broker() -> None:
    """A long file is not put into memory as a whole."""
    outgoing = PublishQueue()
    outgoing.answer(Publication("file", b"1" * LIMIT_ANSWER_BYTES, is_answer=True))

    waiting = asyncio.create_task(outgoing.wait_for_room())
    await asyncio.sleep(0)
    assert not waiting.done()

    drained(outgoing)
    await asyncio.wait_for(waiting, 1000 * MS)


def test_answers_have_a_bound(caplog: pytest.LogCaptureFixture) -> None:
    """Far away, and not silent."""
    outgoing = PublishQueue()
    for _ in range(LIMIT_ANSWERS + 1):
        outgoing.answer(Publication("answer", b"", is_answer=True))

    assert len(drained(outgoing)) == LIMIT_ANSWERS
    assert "dropped" in caplog.text


PING = b'{"request_id":"1","work_id":"sys","action":"ping"}'


@pytest.mark.parametrize(
    ("first", "second", "is_repeated"),
    [
        (Incoming(PING), Incoming(PING), False),
        (Incoming(PING), Incoming(PING, is_duplicate=True), True),
        (Incoming(PING), Incoming(PING + b" ", is_duplicate=True), False),
        (Incoming(PING, correlation=b"1"), Incoming(PING, correlation=b"1"), True),
        (Incoming(PING, correlation=b"1"), Incoming(PING, correlation=b"2"), False),
        (Incoming(PING, correlation=b"1"), Incoming(PING + b" ", correlation=b"1"), False),
        (Incoming(PING, True, "a", b"1"), Incoming(PING, True, "b", b"1"), False),
        (Incoming(PING, correlation=b"1"), Incoming(PING, is_duplicate=True), False),
    ],
)
def test_a_repetition_is_known_by_correlation_else_by_the_brokers_mark(
    first: Incoming, second: Incoming, is_repeated: bool
) -> None:
    """A request_id says nothing, and a client may ask the same twice."""
    executed = Executed()
    assert not executed.is_repetition(first)

    assert executed.is_repetition(second) is is_repeated


def test_a_redelivered_message_that_was_not_executed_is_executed() -> None:
    """The broker marks it, but the daemon died before it came to it."""
    assert not Executed().is_repetition(Incoming(PING, is_duplicate=True))


def test_the_memory_has_a_bound() -> None:
    """The oldest is forgotten."""
    executed = Executed(limit=2)
    for correlation in (b"1", b"2", b"3"):
        executed.is_repetition(Incoming(PING, correlation=correlation))

    assert executed.is_repetition(Incoming(PING, correlation=b"3"))
    assert not executed.is_repetition(Incoming(PING, correlation=b"1"))


# Commands: now or never


async def test_a_command_is_done_when_the_broker_has_it() -> None:
    """In its turn among the answers."""
    outgoing = PublishQueue()
    outgoing.answer(Publication("answer", b"1", is_answer=True))
    delivering = asyncio.create_task(outgoing.deliver("light/set", b"ON", 10))

    first = await outgoing.next()
    outgoing.taken(first)
    second = await outgoing.next()
    outgoing.taken(second)

    assert [first.topic, second.topic, second.qos] == ["answer", "light/set", 1]
    assert await delivering
    assert outgoing.first is None


async def test_a_command_that_has_waited_too_long_is_taken_back() -> None:
    """A light that turns on minutes later helps nobody; what stands beside it stays."""
    outgoing = PublishQueue()
    outgoing.answer(Publication("answer", b"1", is_answer=True))

    assert not await outgoing.deliver("light/set", b"ON", 10 * MS)

    outgoing.taken(await outgoing.next())
    assert outgoing.first is None


async def test_a_command_that_is_refused_is_not_waited_for() -> None:
    """It is not done, and not said again."""
    outgoing = PublishQueue()
    delivering = asyncio.create_task(outgoing.deliver("light/set", b"ON", 10))

    outgoing.refused(await outgoing.next(), "Not authorized")

    assert not await delivering
    assert outgoing.first is None


def test_a_message_that_no_connection_survives_is_given_up(caplog: pytest.LogCaptureFixture) -> None:
    """What stands behind it goes out; a message that gets through in between was not to blame."""
    outgoing = PublishQueue()
    outgoing.answer(Publication("bad", b"1", is_answer=True))
    outgoing.answer(Publication("good", b"2", is_answer=True))

    for _ in range(MOST_DEATHS):
        assert outgoing.first is not None
        assert outgoing.first.topic == "bad"
        outgoing.broke_on(outgoing.first)

    assert outgoing.first is not None
    assert outgoing.first.topic == "good"
    assert "the broker refuses what was said on bad" in caplog.text


async def test_two_commands_of_the_same_words_are_two() -> None:
    """Taking one back leaves the other."""
    outgoing = PublishQueue()
    waiting = asyncio.create_task(outgoing.deliver("light/set", b"ON", 10))

    assert not await outgoing.deliver("light/set", b"ON", 10 * MS)
    outgoing.taken(await outgoing.next())

    assert await waiting
