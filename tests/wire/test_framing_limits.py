"""Covers framing: how long and how deep an object may be, and how much work hostile bytes may make."""

import re
import sys
from types import FrameType
from typing import Any

import orjson
import pytest

from tests.support.wire.packets import PING, PING_BYTES, PING_FRAME, Transport, gist, over_each_transport
from unitd.wire import framing
from unitd.wire.errors import NotJson, TooLong
from unitd.wire.framing import DEFAULT_LIMIT_BYTES, Frame, Framer

LIMIT = 200


def sized(size: int, text: str = "x") -> bytes:
    """A valid object of exactly this many bytes."""
    empty = len(orjson.dumps(PING | {"data": ""}))
    return orjson.dumps(PING | {"data": (text * size)[: size - empty]})


# Length and depth


@over_each_transport
def test_an_object_may_be_as_long_as_the_limit(transport: Transport) -> None:
    """The limit itself is allowed."""
    sent = sized(LIMIT)

    assert gist(Framer(LIMIT), transport([sent, PING_BYTES])) == [Frame(orjson.loads(sent)), PING_FRAME]


@pytest.mark.parametrize("text", ["x", "}", "{", "}{"])
@pytest.mark.parametrize("size", [LIMIT + 1, LIMIT + 2, 10 * LIMIT])
@over_each_transport
def test_a_longer_object_is_refused_once_and_skipped(size: int, text: str, transport: Transport) -> None:
    """The next request is found behind its end, not inside its strings."""
    received = gist(Framer(LIMIT), transport([sized(size, text), PING_BYTES, PING_BYTES]))

    assert received == [TooLong, PING_FRAME, PING_FRAME]


@over_each_transport
def test_a_longer_object_that_lost_its_brace_is_skipped_to_the_next_line(transport: Transport) -> None:
    """However slowly the lines behind it come."""
    error, *received = gist(Framer(LIMIT), transport([sized(2 * LIMIT)[:-1], b"\n", PING_BYTES, b"\n", PING_BYTES]))

    assert error in (TooLong, NotJson)  # whichever is seen first
    assert received == [PING_FRAME, PING_FRAME]


def test_the_refusal_does_not_wait_for_the_end() -> None:
    """An object over the limit is reported when the limit is passed."""
    framer = Framer(LIMIT)

    received = gist(framer, [sized(10 * LIMIT)[: LIMIT + 1]])

    assert received == [TooLong]
    assert framer.is_incomplete


@over_each_transport
def test_raw_bytes_may_be_as_many_as_the_limit(transport: Transport) -> None:
    """The limit itself is allowed for payloads, too."""
    header = orjson.dumps({"RAW": LIMIT})

    received = gist(Framer(LIMIT), transport([header, b"{" * LIMIT, PING_BYTES]))

    assert received == [Frame({}, b"{" * LIMIT), PING_FRAME]


@pytest.mark.parametrize("size", [LIMIT + 1, 10 * LIMIT])
@over_each_transport
def test_more_raw_bytes_are_refused_once_and_skipped(size: int, transport: Transport) -> None:
    """The announced bytes are passed over, whatever they look like."""
    header = orjson.dumps({"RAW": size} | PING)

    received = gist(Framer(LIMIT), transport([header, (PING_BYTES * size)[:size], PING_BYTES]))

    assert received == [TooLong, PING_FRAME]


def test_refused_raw_bytes_name_their_request() -> None:
    """The header was readable, so its ids are echoed."""
    [error] = Framer(LIMIT).feed(b'{"RAW":201,"request_id":"photo","work_id":"llm.1000"}')

    assert isinstance(error, TooLong)
    assert (error.request_id, error.work_id) == ("photo", "llm.1000")


@over_each_transport
def test_endless_nesting_is_refused_and_skipped(transport: Transport) -> None:
    """Nesting that no parser takes is one damaged object."""
    bottomless = b'{"a":' * 2000 + b"1" + b"}" * 2000

    assert gist(Framer(), transport([bottomless, PING_BYTES])) == [NotJson, PING_FRAME]


@pytest.mark.parametrize("length", [2**31, 2**63, 2**64 - 1])
def test_a_huge_raw_is_reported_at_once(length: int) -> None:
    """Nobody waits for bytes that would not be taken."""
    framer = Framer()

    received = gist(framer, [b'{"RAW":%d}' % length, PING_BYTES])

    assert received == [TooLong]
    assert framer.is_incomplete


@pytest.mark.parametrize(
    "begun", [sized(300)[:250], b'{"RAW":300}', b'{"RAW":300}{"half"'], ids=["json", "header", "raw"]
)
@over_each_transport
def test_what_was_refused_already_is_dropped_in_silence(begun: bytes, transport: Transport) -> None:
    """A frame over the limit gets one error, also when its end never comes."""
    framer = Framer(LIMIT)

    assert gist(framer, transport([begun])) == [TooLong]
    assert framer.drop_incomplete() is None
    assert not framer.is_incomplete
    assert gist(framer, transport([PING_BYTES])) == [PING_FRAME]


# Work


class Work:
    """Counts what the framer does instead of timing it: every call, and every byte that a pattern passes over."""

    def __init__(self) -> None:
        self.units = 0

    def note(self, frame: FrameType, event: str, argument: object) -> None:
        """A profile function for sys.setprofile."""
        self.units += event in ("call", "c_call")


class CountingPattern:
    """A compiled pattern that adds the length of its matches to the work."""

    def __init__(self, pattern: re.Pattern[bytes], work: Work) -> None:
        self.pattern = pattern
        self.work = work

    def match(self, *arguments: Any) -> re.Match[bytes] | None:
        """As the pattern's own."""
        found = self.pattern.match(*arguments)
        self.work.units += 0 if found is None else found.end() - found.start()
        return found


def work_for(stream: bytes, limit_bytes: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """The work of taking a stream in pieces of 1000 bytes."""
    work, framer, before = Work(), Framer(limit_bytes), sys.getprofile()
    with monkeypatch.context() as patched:
        for name, value in vars(framing).items():
            if isinstance(value, re.Pattern):
                patched.setattr(framing, name, CountingPattern(value, work))
        sys.setprofile(work.note)
        try:
            for at in range(0, len(stream), 1000):
                list(framer.feed(stream[at : at + 1000]))
        finally:
            sys.setprofile(before)
    return work.units


@pytest.mark.parametrize("limit_bytes", [DEFAULT_LIMIT_BYTES, 5000], ids=["within the limit", "over the limit"])
@pytest.mark.parametrize(
    "hostile",
    [
        b"{", b"}", b"}{", b"{}", b'"', b'{"', b'{"a":', b'{"a":"', b'{"a\\', b'{"\n', b'{"\\\n', b"{}}", b'{"a":{}',
        b'{"RAW":0}', b'{"RAW":9}', b'{"RAW":-1}', b"{{{{{{}", b'{"}"}', b"\\", b"x", b"\n",
        b"{\n", b'{"a":1\n', b'{"a":\n',
    ],
    ids=repr,
)  # fmt: skip
def test_work_grows_no_faster_than_the_bytes(hostile: bytes, limit_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the hostile bytes make four times the work."""
    once = work_for(hostile * (8_000 // len(hostile)), limit_bytes, monkeypatch)
    four_times = work_for(hostile * (32_000 // len(hostile)), limit_bytes, monkeypatch)

    assert four_times <= 5 * once


@pytest.mark.parametrize("inside", [b"x", b'\\"', b"{", b"\\\\", "é".encode(), b"\\u0041"], ids=repr)
@pytest.mark.parametrize("start", [b'{"a":"', b'{"a":{"b":{"c":{"d":"'], ids=["shallow", "deep"])
def test_a_string_that_never_ends_is_read_once(start: bytes, inside: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dribbled string is not searched again from its start."""
    once = work_for(start + inside * (8_000 // len(inside)), DEFAULT_LIMIT_BYTES, monkeypatch)
    four_times = work_for(start + inside * (32_000 // len(inside)), DEFAULT_LIMIT_BYTES, monkeypatch)

    assert four_times <= 5 * once
