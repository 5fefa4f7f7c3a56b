"""Covers session and joining: chunks, base64 and RAW bytes become one input; a talk's bytes become lines."""

import base64
import json
from typing import Any

import orjson
import pytest

from tests.wire.test_framing import Transport, over_each_transport
from unitd.wire.errors import BadIndex, Unavailable
from unitd.wire.joining import MAX_OPEN_STREAMS, StreamJoiner, decode_base64
from unitd.wire.messages import Reply, Request
from unitd.wire.session import Session

TEXT_STREAM = "llm.utf-8.stream"
BASE64_STREAM = "kws.base64.stream"


def sent(object_: str, data: Any, request_id: str = "7", **changes: Any) -> bytes:
    """An inference as a client sends it."""
    fields = {"request_id": request_id, "work_id": "llm.1002", "action": "inference", "object": object_, "data": data}
    return orjson.dumps(fields | changes)


def raw(object_: str, payload: bytes, **changes: Any) -> bytes:
    """An inference with its bytes behind a RAW header."""
    fields = {"RAW": len(payload), "request_id": "7", "work_id": "llm.1002", "action": "inference", "object": object_}
    return orjson.dumps(fields | changes) + payload


def chunk(index: Any, delta: Any = "", finish: Any = False) -> dict[str, Any]:
    """One piece of a streamed input."""
    return {"delta": delta, "index": index, "finish": finish}


def talk(session: Session, *packets: bytes) -> list[Request | Reply]:
    """Everything a session makes of these packets."""
    return [outcome for packet in packets for outcome in session.receive_data(packet)]


def inputs(*packets: bytes) -> list[Any]:
    """What arrives as input over a fresh session; for a refusal its code."""
    return [outcome.data if isinstance(outcome, Request) else outcome.code for outcome in talk(Session(), *packets)]


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


@over_each_transport
def test_a_single_chunk_is_a_whole_input(transport: Transport) -> None:
    """The normal form of the Arduino client: index 0 and finish."""
    received = talk(Session(), *transport([sent(TEXT_STREAM, chunk(0, "hello", True))]))

    assert received == [Request("7", "llm.1002", "inference", TEXT_STREAM, "hello")]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0), (2, 0, 1)], ids=str)
def test_chunks_are_joined_by_index(order: tuple[int, ...]) -> None:
    """They may arrive in any order; the last to arrive says finish."""
    words = ["one ", "two ", "three"]

    received = inputs(*(sent(TEXT_STREAM, chunk(index, words[index], index == order[-1])) for index in order))

    assert received == ["one two three"]


def test_ten_comes_behind_nine() -> None:
    """The original's push sorted chunks as words, 10 before 2."""
    packets = [sent(TEXT_STREAM, chunk(index, f"{index} ", index == 11)) for index in range(12)]

    assert inputs(*packets) == ["0 1 2 3 4 5 6 7 8 9 10 11 "]


def test_a_missing_finish_counts_as_true() -> None:
    """As in the original."""
    assert inputs(sent(TEXT_STREAM, {"delta": "hello", "index": 0})) == ["hello"]


def test_a_missing_delta_counts_as_empty() -> None:
    """A client may end a stream with a bare finish."""
    packets = [sent(TEXT_STREAM, chunk(0, "hello")), sent(TEXT_STREAM, {"index": 1, "finish": True})]

    assert inputs(*packets) == ["hello"]


def test_two_streams_do_not_mix() -> None:
    """Each request_id collects its own chunks, where the original kept one buffer per process."""
    received = talk(
        Session(),
        sent(TEXT_STREAM, chunk(0, "a"), "first"),
        sent(TEXT_STREAM, chunk(0, "x"), "second"),
        sent(TEXT_STREAM, chunk(1, "y", True), "second"),
        sent(TEXT_STREAM, chunk(1, "b", True), "first"),
    )

    assert [(each.request_id, each.data) for each in received] == [("second", "xy"), ("first", "ab")]


def test_two_tasks_do_not_mix() -> None:
    """The same request_id on two tasks makes two streams."""
    received = inputs(
        sent(TEXT_STREAM, chunk(0, "a")),
        sent(TEXT_STREAM, chunk(0, "x"), work_id="llm.1003"),
        sent(TEXT_STREAM, chunk(1, "b", True)),
        sent(TEXT_STREAM, chunk(1, "y", True), work_id="llm.1003"),
    )

    assert received == ["ab", "xy"]


def test_two_clients_do_not_mix() -> None:
    """Two sessions know nothing of each other."""
    one, other = Session(), Session()

    assert talk(one, sent(TEXT_STREAM, chunk(0, "a"))) == []
    assert [each.data for each in talk(other, sent(TEXT_STREAM, chunk(0, "x", True)))] == ["x"]


def test_a_finished_stream_is_forgotten() -> None:
    """The next question may use the same request_id, as the Arduino client does."""
    assert inputs(*[sent(TEXT_STREAM, chunk(0, "hello", True))] * 3) == ["hello"] * 3


# Base64 and RAW

PCM = bytes(range(256)) * 3 + b"\xff"
ENCODED = base64.b64encode(PCM).decode()


@pytest.mark.parametrize("object_", ["kws.base64", "asr.base64", "asr.base64.wav", "cv.jpeg.base64"])
def test_base64_becomes_bytes(object_: str) -> None:
    """Any object that says base64 is decoded."""
    assert inputs(sent(object_, ENCODED)) == [PCM]


@pytest.mark.parametrize("text", ["hello", "日本語 🙂", ""])
def test_base64_text_becomes_text(text: str) -> None:
    """utf-8 in the object says that it is text underneath."""
    assert inputs(sent("llm.utf-8.base64", base64.b64encode(text.encode()).decode())) == [text]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 64, 1000, 1026, 5000])
def test_base64_may_be_cut_anywhere(size: int) -> None:
    """One base64 text in chunks of any size."""
    pieces = [ENCODED[at : at + size] for at in range(0, len(ENCODED), size)]

    packets = [sent(BASE64_STREAM, chunk(at, piece, at == len(pieces) - 1)) for at, piece in enumerate(pieces)]

    assert inputs(*packets) == [PCM]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 100, 767, 1000])
def test_each_chunk_may_be_encoded_for_itself(size: int) -> None:
    """Chunks that end in padding are decoded one by one."""
    pieces = [base64.b64encode(PCM[at : at + size]).decode() for at in range(0, len(PCM), size)]

    packets = [sent(BASE64_STREAM, chunk(at, piece, at == len(pieces) - 1)) for at, piece in enumerate(pieces)]

    assert inputs(*packets) == [PCM]


def test_a_character_may_be_cut_between_base64_chunks() -> None:
    """Text is decoded after it is joined."""
    halves = [base64.b64encode(half).decode() for half in (b"\xf0\x9f", b"\x99\x82")]

    packets = [sent("llm.utf-8.base64.stream", chunk(at, half, at == 1)) for at, half in enumerate(halves)]

    assert inputs(*packets) == ["🙂"]


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


# The limits


def test_the_ninth_open_stream_replaces_the_oldest() -> None:
    """Streams that lost their end on a bad line are bounded and block nobody; the oldest's rest gets an error."""
    session = Session()
    begun = [talk(session, sent(TEXT_STREAM, chunk(0, "a"), str(number))) for number in range(MAX_OPEN_STREAMS)]

    ninth = talk(session, sent(TEXT_STREAM, chunk(0, "a"), "one more"))
    [oldest] = talk(session, sent(TEXT_STREAM, chunk(1, "b", True), "0"))
    [second] = talk(session, sent(TEXT_STREAM, chunk(1, "b", True), "1"))

    assert [*begun, ninth] == [[]] * (MAX_OPEN_STREAMS + 1)
    assert isinstance(oldest, Reply) and (oldest.code, oldest.request_id) == (-25, "0")
    assert isinstance(second, Request) and second.data == "ab"


def joiner_request(data: Any) -> Request:
    """A chunk as the joiner sees it."""
    return Request("7", "llm.1002", "inference", TEXT_STREAM, data)


def test_a_joined_text_may_be_as_long_as_the_limit() -> None:
    """The limit itself is allowed."""
    joiner = StreamJoiner(limit_bytes=10)

    assert joiner.add(joiner_request(chunk(0, "12345"))) is None
    assert joiner.add(joiner_request(chunk(1, "67890", True))) == ["12345", "67890"]


@pytest.mark.parametrize("finish", [False, True])
def test_a_joined_text_over_the_limit_is_refused(finish: bool) -> None:
    """Also when the chunk that is too much is the last one."""
    joiner = StreamJoiner(limit_bytes=10)
    joiner.add(joiner_request(chunk(0, "12345")))

    with pytest.raises(Unavailable, match="10 bytes"):
        joiner.add(joiner_request(chunk(1, "678901", finish)))

    assert joiner.open_streams == 0


class CountedText(str):
    """A text that counts how often its length is asked for."""

    asked = 0

    def __len__(self) -> int:
        CountedText.asked += 1
        return super().__len__()


def lengths_asked(count: int) -> int:
    """How often a stream of so many chunks looks at a chunk's length."""
    joiner, CountedText.asked = StreamJoiner(10_000), 0
    for index in range(count):
        joiner.add(joiner_request(chunk(index, CountedText("x"))))
    return CountedText.asked


def test_each_chunk_is_measured_once() -> None:
    """Four times the chunks make four times the work, not sixteen."""
    assert lengths_asked(400) <= 5 * max(lengths_asked(100), 100)


# The damage


@pytest.mark.parametrize(
    "data",
    [
        chunk(-1, "a"), chunk("0", "a"), chunk(0.0, "a"), chunk(True, "a"), chunk(None, "a"), {"delta": "a"}, {},
        "text", None, [], 7,
    ],
    ids=repr,
)  # fmt: skip
def test_a_chunk_without_an_index_is_refused(data: Any) -> None:
    """A chunk is an object with a whole number from 0."""
    assert inputs(sent(TEXT_STREAM, data)) == [-25]


@pytest.mark.parametrize("indices", [(1,), (0, 2), (0, 1, 3), (1, 2)], ids=str)
def test_a_gap_is_refused_at_the_finish(indices: tuple[int, ...]) -> None:
    """What never came cannot be joined."""
    packets = [sent(TEXT_STREAM, chunk(index, "a", index == indices[-1])) for index in indices]

    assert inputs(*packets) == [-25]


@pytest.mark.parametrize("finish", [False, True])
def test_a_repeated_index_is_refused(finish: bool) -> None:
    """Nobody can say which of the two was meant."""
    assert inputs(sent(TEXT_STREAM, chunk(0, "a")), sent(TEXT_STREAM, chunk(0, "b", finish))) == [-25]


@pytest.mark.parametrize(
    "bad", [chunk("x"), chunk(0), chunk(1, 5), chunk(1, "b", "yes"), chunk(9, "b", True)], ids=repr
)
def test_a_refused_stream_is_forgotten(bad: dict[str, Any]) -> None:
    """The same request_id may begin anew at once."""
    received = inputs(
        sent(TEXT_STREAM, chunk(0, "old")),
        sent(TEXT_STREAM, bad),
        sent(TEXT_STREAM, chunk(0, "new")),
        sent(TEXT_STREAM, chunk(1, " text", True)),
    )

    assert received[0] in (-2, -25)
    assert received[1:] == ["new text"]


@pytest.mark.parametrize("bad", [chunk(0, 5), chunk(0, None), chunk(0, ["a"]), chunk(0, "a", 1), chunk(0, "a", None)])
def test_a_chunk_of_another_type_is_refused(bad: dict[str, Any]) -> None:
    """A delta is a text, finish is true or false."""
    assert inputs(sent(TEXT_STREAM, bad)) == [-2]


@pytest.mark.parametrize("bad", ["a", "ab", "abc", "====", "AA=A", "A A=", "AAA*", "AAAA\n", "é", "AAAA-_==", "=AAA"])
def test_bad_base64_is_refused(bad: str) -> None:
    """An illegal character or a wrong length."""
    assert inputs(sent("kws.base64", bad)) == [-23]


@pytest.mark.parametrize("pieces", [["AAA", "AA"], ["AAAA", "A"], ["AA==", "A*=="], ["A", "A", "A"]], ids=str)
def test_bad_base64_in_chunks_is_refused(pieces: list[str]) -> None:
    """Joined or one by one, it must be base64."""
    packets = [sent(BASE64_STREAM, chunk(at, piece, at == len(pieces) - 1)) for at, piece in enumerate(pieces)]

    assert inputs(*packets) == [-23]


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


def test_a_silence_between_chunks_is_in_order() -> None:
    """A person may take time to speak: an open stream outlives a dropped object."""
    session = Session()
    talk(session, sent(TEXT_STREAM, chunk(0, "a")), b'{"half')

    session.drop_incomplete()

    assert [each.data for each in talk(session, sent(TEXT_STREAM, chunk(1, "b", True)))] == ["ab"]
    assert session.drop_incomplete() is None


@pytest.mark.parametrize(("is_ascii", "delta"), [(False, "{🙂}".encode()), (True, b"\\u007b\\ud83d\\ude42\\u007d")])
def test_a_line_suits_its_client(is_ascii: bool, delta: bytes) -> None:
    """A client that counts braces gets none inside strings; the others get plain UTF-8."""
    line = Session(is_ascii=is_ascii).encode(Reply("7", "llm.1002", TEXT_STREAM, chunk(0, "{🙂}")), 5)

    assert b'"delta":"' + delta + b'"' in line
    assert json.loads(line)["data"]["delta"] == "{🙂}"


def test_joining_can_be_used_alone() -> None:
    """The joiner and the decoder know no session."""
    joiner = StreamJoiner(100)

    assert joiner.add(joiner_request(chunk(0, "AAE"))) is None
    assert joiner.open_streams == 1
    assert decode_base64(joiner.add(joiner_request(chunk(1, "C", True))) or []) == b"\x00\x01\x02"
    with pytest.raises(BadIndex):
        joiner.add(joiner_request(None))
