"""Covers joining: the chunks of a streamed input become one, by their index or as they come."""

import base64
from typing import Any

import pytest

from tests.support.wire.inferences import ENCODED, PCM, TEXT_STREAM, chunk, inputs, sent, talk
from tests.support.wire.packets import Transport, over_each_transport
from unitd.wire.errors import BadIndex, Unavailable
from unitd.wire.joining import MAX_OPEN_STREAMS, StreamJoiner, decode_base64
from unitd.wire.messages import Reply, Request
from unitd.wire.session import Session

BASE64_STREAM = "kws.base64.stream"


# The happy day


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


def test_chunks_under_ids_of_their_own_are_one_stream() -> None:
    """M5Stack's own plugin numbers each request; the answer goes to the last one."""
    received = talk(
        Session(),
        sent(TEXT_STREAM, chunk(0, "turn "), "10"),
        sent(TEXT_STREAM, chunk(1, "it "), "11"),
        sent(TEXT_STREAM, chunk(2, "on", True), "12"),
    )

    assert [(each.request_id, each.data) for each in received] == [("12", "turn it on")]


def test_a_chunk_continues_the_newest_stream_only_if_it_is_its_next() -> None:
    """Another index, task or object continues nothing; what it might have continued is not harmed."""
    received = talk(
        Session(),
        sent(TEXT_STREAM, chunk(0, "a"), "first"),
        sent(TEXT_STREAM, chunk(2, "x", True), "second"),
        sent(TEXT_STREAM, chunk(1, "x", True), "third", work_id="llm.1003"),
        sent("llm.utf-8.base64.stream", chunk(1, "eA==", True), "fourth"),
        sent(TEXT_STREAM, chunk(1, "b", True), "first"),
    )

    assert [each.code for each in received[:3] if isinstance(each, Reply)] == [-25] * 3
    assert [(each.request_id, each.data) for each in received[3:]] == [("first", "ab")]


# Voices take chunks as they come


def chunk_to(work_id: str, delta: str, index: Any, *, finish: bool) -> Request:
    """One chunk of an inference."""
    data = {"delta": delta, "index": index, "finish": finish}
    return Request("1", work_id, "inference", f"{work_id.partition('.')[0]}.utf-8.stream", data)


@pytest.mark.parametrize("work_id", ["tts.1000", "melotts.1000"])
@pytest.mark.parametrize("indices", [(1, 2), (0, 0), (7, 3), (None, None)], ids=str)
def test_a_voice_takes_chunks_as_they_come(work_id: str, indices: tuple[Any, Any]) -> None:
    """The original's tts never looks at the index (docs/original-firmware.md, section 3, -25)."""
    joiner = StreamJoiner(1000)

    waiting = joiner.add(chunk_to(work_id, "one ", indices[0], finish=False))
    joined = joiner.add(chunk_to(work_id, "two", indices[1], finish=True))

    assert (waiting, joined) == (None, ["one ", "two"])


@pytest.mark.parametrize("index", [1, None, "0"])
def test_other_units_count(index: Any) -> None:
    """A prompt with a gap would be another prompt."""
    with pytest.raises(BadIndex):
        StreamJoiner(1000).add(chunk_to("llm.1000", "hello", index, finish=True))


# Base64


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
    chunks = (chunk(0, "a"), chunk(1, "b"), chunk(1, "c", finish))

    assert inputs(*(sent(TEXT_STREAM, each) for each in chunks)) == [-25]


def test_index_zero_begins_anew() -> None:
    """A client that gave its first attempt up is served the second time."""
    chunks = (chunk(0, "a"), chunk(1, "b"), chunk(0, "new"), chunk(1, " text", True))

    assert inputs(*(sent(TEXT_STREAM, each) for each in chunks)) == ["new text"]


@pytest.mark.parametrize("bad", [chunk("x"), chunk(1, 5), chunk(1, "b", "yes"), chunk(9, "b", True)], ids=repr)
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


@pytest.mark.parametrize("pieces", [["AAA", "AA"], ["AAAA", "A"], ["AA==", "A*=="], ["A", "A", "A"]], ids=str)
def test_bad_base64_in_chunks_is_refused(pieces: list[str]) -> None:
    """Joined or one by one, it must be base64."""
    packets = [sent(BASE64_STREAM, chunk(at, piece, at == len(pieces) - 1)) for at, piece in enumerate(pieces)]

    assert inputs(*packets) == [-23]


# The goodbye


def test_a_silence_between_chunks_is_in_order() -> None:
    """A person may take time to speak: an open stream outlives a dropped object."""
    session = Session()
    talk(session, sent(TEXT_STREAM, chunk(0, "a")), b'{"half')

    session.drop_incomplete()

    assert [each.data for each in talk(session, sent(TEXT_STREAM, chunk(1, "b", True)))] == ["ab"]
    assert session.drop_incomplete() is None


def test_joining_can_be_used_alone() -> None:
    """The joiner and the decoder know no session."""
    joiner = StreamJoiner(100)

    assert joiner.add(joiner_request(chunk(0, "AAE"))) is None
    assert joiner.open_streams == 1
    assert decode_base64(joiner.add(joiner_request(chunk(1, "C", True))) or []) == b"\x00\x01\x02"
    with pytest.raises(BadIndex):
        joiner.add(joiner_request(None))
