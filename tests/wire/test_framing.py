"""Covers framing: bytes in any slicing become objects and RAW blocks, and damage costs one error."""

import itertools
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from tests.support.wire.packets import PING, PING_BYTES, PING_FRAME, Transport, gist, over_each_transport
from unitd.wire.errors import NotJson
from unitd.wire.framing import Frame, Framer

# The happy day


@over_each_transport
def test_objects_need_no_delimiter(transport: Transport) -> None:
    """Objects that touch each other arrive one by one, in order."""
    requests = [PING | {"request_id": str(number)} for number in range(5)]

    received = gist(Framer(), transport([orjson.dumps(request) for request in requests]))

    assert received == [Frame(request) for request in requests]


@pytest.mark.parametrize("keys", list(itertools.permutations(PING)), ids="-".join)
@over_each_transport
def test_keys_may_come_in_any_order(keys: tuple[str, ...], transport: Transport) -> None:
    """MicroPython's dicts are unordered."""
    shuffled = orjson.dumps({key: PING[key] for key in keys})

    assert gist(Framer(), transport([shuffled, shuffled])) == [PING_FRAME, PING_FRAME]


@pytest.mark.parametrize(
    "between",
    [
        b"\n",
        b"\r\n",
        b"\r\n\r\n",
        b" ",
        b"\x00\xff\xfe",
        b'"',
        b'"half',
        b"\\",
        b"[1, 2]",
        b"AT+RST\r\nOK\r\n",
        b"x" * 64,
    ],
)
@over_each_transport
def test_what_stands_between_objects_is_skipped(between: bytes, transport: Transport) -> None:
    """Line ends and noise without a brace cost nothing."""
    frames = [between, PING_BYTES, between, PING_BYTES, between]

    assert gist(Framer(), transport(frames)) == [PING_FRAME, PING_FRAME]


@pytest.mark.parametrize("dumps", [orjson.dumps, lambda value: orjson.dumps(value, option=orjson.OPT_INDENT_2)])
@pytest.mark.parametrize(
    "text",
    ["}", "{", "}{", "{{{", "}}}", '"', '\\"', "\\", "\\\\", 'a"}', '{"a": "b"}', "\\}", "line\nbreak\t\x00", "/"],
)
@over_each_transport
def test_a_string_may_hold_anything(text: str, dumps: Callable[[Any], bytes], transport: Transport) -> None:
    """Braces, quotes and escapes inside strings are text, whatever the original made of them."""
    request = PING | {"data": {"delta": text, text: [text]}}

    assert gist(Framer(), transport([dumps(request), PING_BYTES])) == [Frame(request), PING_FRAME]


@over_each_transport
def test_an_emoji_may_be_cut_in_half(transport: Transport) -> None:
    """A packet may end inside a UTF-8 character."""
    request = PING | {"data": "naïve 🙂🙃 日本語"}

    assert gist(Framer(), transport([orjson.dumps(request)])) == [Frame(request)]


@pytest.mark.parametrize("escaped", [rb"\ud83d\ude42", "🙂".encode(), b"\\u007b\\u007d"])
@over_each_transport
def test_escapes_are_decoded(escaped: bytes, transport: Transport) -> None:
    """A surrogate pair and a raw character mean the same."""
    sent = b'{"data":"' + escaped + b'"}'

    assert gist(Framer(), transport([sent])) == [Frame({"data": orjson.loads(b'"' + escaped + b'"')})]


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 50])
@over_each_transport
def test_nested_objects_are_one_object(depth: int, transport: Transport) -> None:
    """The end is the brace that closes the first one."""
    sent = b'{"a":' * depth + b"[{}, {}]" + b"}" * depth

    assert gist(Framer(), transport([sent, PING_BYTES])) == [Frame(orjson.loads(sent)), PING_FRAME]


@pytest.mark.parametrize("behind", [b"", b"\n"], ids=["no newline", "a newline"])
@pytest.mark.parametrize(
    "payload",
    [b"", b"a", b"{", b'}"{\\', b"\n", b"\r\n", b"\x00" * 100, bytes(range(256)), PING_BYTES],
    ids=["empty", "a", "open", "braces", "newline", "crlf", "zeros", "all bytes", "a request"],
)
@over_each_transport
def test_bytes_follow_a_raw_header(payload: bytes, behind: bytes, transport: Transport) -> None:
    """The announced bytes are taken as they are, with or without a newline behind them."""
    header = orjson.dumps({"RAW": len(payload)} | PING)

    received = gist(Framer(), transport([header, payload, behind, PING_BYTES]))

    assert received == [Frame(PING, payload), PING_FRAME]


@pytest.mark.parametrize("position", range(4))
@over_each_transport
def test_raw_may_be_any_key(position: int, transport: Transport) -> None:
    """The original wanted RAW first; clients with unordered dicts cannot promise that."""
    keys = list(PING)
    keys.insert(position, "RAW")
    header = orjson.dumps({key: PING.get(key, 3) for key in keys}, option=orjson.OPT_INDENT_2)

    assert gist(Framer(), transport([header, b"{{{", PING_BYTES])) == [Frame(PING, b"{{{"), PING_FRAME]


@over_each_transport
def test_raw_inside_data_announces_nothing(transport: Transport) -> None:
    """Only a top-level RAW is a header."""
    request = PING | {"data": {"RAW": 1000}}

    assert gist(Framer(), transport([orjson.dumps(request), PING_BYTES])) == [Frame(request), PING_FRAME]


# The damage


@pytest.mark.parametrize(
    "damaged",
    [
        b"{'a':1}", b"{a:1}", b'{"a":}', b'{"a":1,}', b'{"a" 1}', b"{]}", b'{"a":[}', b'{"a":NaN}', b'{"a":01}',
        b'{"a":"\xff"}', b'{"a":"\xf0\x9f\x99"}', b'{"\xc3":1}', b'{"a":"\\ud800"}', b'{"a":"\\q"}', b'{"a":tru}',
        b'{"a":\x00}', b'{"a":{"b":{"c":{"d":}}}}',
    ],
)  # fmt: skip
@over_each_transport
def test_an_object_that_does_not_parse_costs_one_error(damaged: bytes, transport: Transport) -> None:
    """A complete object with bad JSON inside is dropped whole, the next one is served."""
    assert gist(Framer(), transport([damaged, PING_BYTES])) == [NotJson, PING_FRAME]


@pytest.mark.parametrize("control", [b"\n", b"\r", b"\t", b"\x00", b"\x1f", b"\\\n"], ids=repr)
@pytest.mark.parametrize("damaged", [b'{"request_id":"1', b'{"a":{"b":{"c":{"d":"}', b'{"data":"{'], ids=repr)
@over_each_transport
def test_a_control_character_ends_a_broken_string(damaged: bytes, control: bytes, transport: Transport) -> None:
    """A line end cannot stand inside a string, so the string that lost its quote ends there."""
    assert gist(Framer(), transport([damaged, control, PING_BYTES])) == [NotJson, PING_FRAME]


@pytest.mark.parametrize("damaged", [b'{"a":"x\ny"}', b'{"a":{"b":"x\x00","c":1},"d":2}', b'{"a":"x\\\ny"}'])
@over_each_transport
def test_an_object_with_a_raw_line_end_costs_one_error(damaged: bytes, transport: Transport) -> None:
    """The rest of an object that was reported already is not reported again."""
    assert gist(Framer(), transport([damaged, b"\n", PING_BYTES])) == [NotJson, PING_FRAME]


@pytest.mark.parametrize(
    "damaged",
    [
        b"{", b"{{", b'{"a":1', b'{"a":"x"', b'{"a":{"b":1}', b'{"a":[1]', b'{"a":tru', b'{"a":1 }{',
        PING_BYTES[:-1], b"{" + PING_BYTES[:20],
    ],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\n  "], ids=repr)
@over_each_transport
def test_a_lost_brace_costs_its_own_object(damaged: bytes, line_end: bytes, transport: Transport) -> None:
    """A brace that begins a line is the next request where it cannot be a part of the one before."""
    received = gist(Framer(), transport([line_end, damaged, line_end, PING_BYTES, b"\n", PING_BYTES]))

    assert received[-3:] == [NotJson, PING_FRAME, PING_FRAME]
    assert PING_FRAME not in received[:-3]


@over_each_transport
def test_no_part_of_a_damaged_object_is_taken_for_a_request(transport: Transport) -> None:
    """One that was written over several lines and lost a comma: what stands deeper in it is not the next one."""
    written = orjson.dumps({"request_id": "1", "data": [PING, PING, {"a": PING}]}, option=orjson.OPT_INDENT_2)
    for at in (each for each in range(len(written)) if written[each] == ord(",")):
        damaged = written[:at] + written[at + 1 :]

        assert gist(Framer(), transport([damaged, b"\n", PING_BYTES])) == [NotJson, PING_FRAME]


@pytest.mark.parametrize("surplus", [b"}", b"}}}}", b"}\n}\r\n}", b"noise}noise"], ids=repr)
@over_each_transport
def test_a_surplus_brace_costs_one_error(surplus: bytes, transport: Transport) -> None:
    """Where the original lost the rest of the packet, the next request is served."""
    assert gist(Framer(), transport([PING_BYTES, surplus, PING_BYTES])) == [PING_FRAME, NotJson, PING_FRAME]


@over_each_transport
def test_each_run_of_surplus_braces_is_reported(transport: Transport) -> None:
    """An object between two runs makes them two."""
    frames = [b"}}", PING_BYTES, b"}}", PING_BYTES]

    assert gist(Framer(), transport(frames)) == [NotJson, PING_FRAME, NotJson, PING_FRAME]


@pytest.mark.parametrize("length", [b"-1", b"true", b"false", b"null", b'"3"', b"3.0", b"[3]", b"{}", b"1e2"])
@over_each_transport
def test_raw_must_be_a_number_of_bytes(length: bytes, transport: Transport) -> None:
    """A header without a length is refused; nothing is taken for its payload."""
    assert gist(Framer(), transport([b'{"RAW":' + length + b"}", PING_BYTES])) == [NotJson, PING_FRAME]


def test_a_bad_raw_header_is_answered_by_name() -> None:
    """Its ids were readable, so they are echoed."""
    [error] = Framer().feed(b'{"request_id":"photo","RAW":-1,"work_id":"llm.1000"}')

    assert isinstance(error, NotJson)
    assert (error.request_id, error.work_id) == ("photo", "llm.1000")


# The goodbye

BEGUN = [
    b"{", b'{"request_id', b'{"data":"}', b'{"data":"\\', b'{"a":{"b":{"c":{"d":', b'{"RAW":', b'{"RAW":10}',
    b'{"RAW":10}{"half', PING_BYTES[:-1], PING_BYTES + b"{", b"}{",
]  # fmt: skip


@pytest.mark.parametrize("begun", BEGUN, ids=repr)
@over_each_transport
def test_an_unfinished_object_can_be_dropped(begun: bytes, transport: Transport) -> None:
    """After a silence the object is given up with one error and the next one is served."""
    framer = Framer()
    gist(framer, transport([begun]))

    assert framer.is_incomplete
    assert isinstance(framer.drop_incomplete(), NotJson)
    assert gist(framer, transport([PING_BYTES])) == [PING_FRAME]


@pytest.mark.parametrize(
    "settled", [b"", b"\n", b"noise", PING_BYTES, b"}", b'{"RAW":2}{}', b"{]}", b'{"a":"\n'], ids=repr
)
@over_each_transport
def test_nothing_begun_is_nothing_to_drop(settled: bytes, transport: Transport) -> None:
    """A silent line between objects is in order."""
    framer = Framer()
    gist(framer, transport([settled]))

    assert not framer.is_incomplete
    assert framer.drop_incomplete() is None
    assert gist(framer, transport([PING_BYTES])) == [PING_FRAME]
