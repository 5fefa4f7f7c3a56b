"""Covers session: a talk's bytes become requests with one input each, text or bytes; its replies become lines."""

import base64
import json
from typing import Any

import orjson
import pytest

from tests.support.wire.inferences import ENCODED, PCM, TEXT_STREAM, chunk, inputs, raw, sent, talk
from tests.support.wire.packets import Transport, over_each_transport
from unitd.wire.messages import Reply, Request
from unitd.wire.session import Session

# The happy day


@over_each_transport
def test_a_request_is_passed_on(transport: Transport) -> None:
    """What is no input travels untouched."""
    data = {"model": "default", "index": 0, "delta": 1}

    received = talk(Session(), *transport([sent("llm.setup", data, action="setup", work_id="llm")]))

    assert received == [Request("7", "llm", "setup", "llm.setup", data)]


@pytest.mark.parametrize("text", ["hello", "", "None", "日本語 🙂", '{"}'])
@over_each_transport
def test_text_is_text(text: str, transport: Transport) -> None:
    """The plain form."""
    received = talk(Session(), *transport([sent("llm.utf-8", text)]))

    assert received == [Request("7", "llm.1002", "inference", "llm.utf-8", text)]


# Base64 and RAW


@pytest.mark.parametrize("object_", ["kws.base64", "asr.base64", "asr.base64.wav", "cv.jpeg.base64"])
def test_base64_becomes_bytes(object_: str) -> None:
    """Any object that says base64 is decoded."""
    assert inputs(sent(object_, ENCODED)) == [PCM]


@pytest.mark.parametrize("text", ["hello", "日本語 🙂", ""])
def test_base64_text_becomes_text(text: str) -> None:
    """utf-8 in the object says that it is text underneath."""
    assert inputs(sent("llm.utf-8.base64", base64.b64encode(text.encode()).decode())) == [text]


@pytest.mark.parametrize("payload", [b"", b"hello", '🙂{"}'.encode()])
@over_each_transport
def test_raw_bytes_of_a_text_object_are_text(payload: bytes, transport: Transport) -> None:
    """RAW saves the escaping, not the meaning."""
    received = talk(Session(), *transport([raw("llm.utf-8", payload)]))

    assert received == [Request("7", "llm.1002", "inference", "llm.utf-8", payload.decode())]


@pytest.mark.parametrize("object_", ["kws.base64", "cv.jpeg.base64", "cv.jpeg.stream.base64", "kws.pcm"])
@over_each_transport
def test_raw_bytes_of_other_objects_stay_bytes(object_: str, transport: Transport) -> None:
    """They are the input as it is; "stream" and "base64" were words for the original's encoder."""
    received = talk(Session(), *transport([raw(object_, PCM)]))

    assert received == [Request("7", "llm.1002", "inference", object_, PCM)]


def test_raw_bytes_win_over_data() -> None:
    """A header that also holds data announces its bytes all the same."""
    assert inputs(raw("kws.base64", b"bytes", data="AAAA")) == [b"bytes"]


# Files for sys

PUSH = {"work_id": "sys", "action": "push"}


@pytest.mark.parametrize("path", ["/stream.txt", "/a.stream.file./b", "/base64"])
def test_a_pushed_path_may_hold_any_word(path: str) -> None:
    """What stands behind ".file." is a name, no form."""
    assert inputs(sent(f"sys.file.{path}", "content", **PUSH)) == ["content"]


@pytest.mark.parametrize("path", ["/utf-8.bin", "/table.utf-8"])
def test_a_pushed_path_does_not_make_bytes_text(path: str) -> None:
    """A path that says utf-8 is still a name."""
    assert inputs(sent(f"sys.base64.file.{path}", ENCODED, **PUSH)) == [PCM]


def test_a_streamed_push_is_joined() -> None:
    """The form stands before ".file."."""
    object_ = "sys.base64.stream.file./a.bin"

    packets = [sent(object_, chunk(0, ENCODED[:10]), **PUSH), sent(object_, chunk(1, ENCODED[10:], True), **PUSH)]

    assert inputs(*packets) == [PCM]


# The damage


@pytest.mark.parametrize("bad", ["a", "ab", "abc", "====", "AA=A", "A A=", "AAA*", "AAAA\n", "é", "AAAA-_==", "=AAA"])
def test_bad_base64_is_refused(bad: str) -> None:
    """An illegal character or a wrong length."""
    assert inputs(sent("kws.base64", bad)) == [-23]


@pytest.mark.parametrize("content", [b"\xff", b"ok \xf0\x9f", b"\xed\xa0\x80"])
def test_bytes_that_are_no_text_are_refused(content: bytes) -> None:
    """base64 and RAW of a text object must be utf-8 underneath."""
    packets = [sent("llm.utf-8.base64", base64.b64encode(content).decode()), raw("llm.utf-8", content)]

    assert inputs(*packets) == [-23, -23]


@pytest.mark.parametrize("changes", [{}, {"data": None}])
def test_missing_data_is_refused(changes: dict[str, Any]) -> None:
    """There is nothing to infer from."""
    fields = {"request_id": "7", "work_id": "llm.1002", "action": "inference", "object": "llm.utf-8"} | changes

    assert inputs(orjson.dumps(fields)) == [-24]


@pytest.mark.parametrize("data", [5, True, [], {}, chunk(0, "a", True)], ids=repr)
def test_data_of_another_type_is_refused(data: Any) -> None:
    """An input that is not streamed is a string."""
    assert inputs(sent("llm.utf-8", data)) == [-2]


@pytest.mark.parametrize(
    "packet",
    [sent(TEXT_STREAM, "no chunk"), sent("kws.base64", "*"), sent("llm.utf-8", None), sent("llm.utf-8", 5)],
)
def test_a_refusal_goes_to_its_request(packet: bytes) -> None:
    """With its own request_id and work_id, object and data "None"."""
    [refused] = talk(Session(), packet)

    assert isinstance(refused, Reply)
    assert (refused.request_id, refused.work_id, refused.object, refused.data) == ("7", "llm.1002", "None", "None")


@over_each_transport
def test_refusals_and_requests_keep_their_order(transport: Transport) -> None:
    """Each packet's outcome comes in its turn, also behind damage."""
    frames = [
        sent("llm.utf-8", "one"),
        b"{]}",
        sent("kws.base64", "*"),
        b'{"request_id":"x"}',
        sent("llm.utf-8", "two"),
    ]

    assert inputs(*transport(frames)) == ["one", -2, -23, -2, "two"]


# The goodbye


def test_a_silence_in_an_object_is_refused() -> None:
    """The door watches the clock while something is incomplete, and then sends this."""
    session = Session()
    talk(session, sent("llm.utf-8", "half")[:-5])

    assert session.is_incomplete
    refused = session.drop_incomplete()
    assert refused is not None and (refused.code, refused.request_id, refused.work_id) == (-2, "0", "sys")
    assert not session.is_incomplete


@pytest.mark.parametrize(("is_ascii", "delta"), [(False, "{🙂}".encode()), (True, b"\\u007b\\ud83d\\ude42\\u007d")])
def test_a_line_suits_its_client(is_ascii: bool, delta: bytes) -> None:
    """A client that counts braces gets none inside strings; the others get plain UTF-8."""
    line = Session(is_ascii=is_ascii).encode(Reply("7", "llm.1002", TEXT_STREAM, chunk(0, "{🙂}")), 5)

    assert b'"delta":"' + delta + b'"' in line
    assert json.loads(line)["data"]["delta"] == "{🙂}"
