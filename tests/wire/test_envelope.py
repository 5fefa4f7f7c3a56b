"""Covers envelope: messages between daemon and child, over any slicing."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.wire.packets import Transport, over_each_transport, random_slices
from unitd.wire import envelope
from unitd.wire.envelope import Envelope, EnvelopeReader, encode_envelope


def read(reader: EnvelopeReader, pieces: Iterable[bytes]) -> list[Envelope]:
    """All messages of these pieces."""
    return [message for piece in pieces for message in reader.feed(piece)]


# The happy day


@over_each_transport
def test_messages_arrive_in_order(transport: Transport) -> None:
    """With and without payload, over any slicing."""
    messages = [
        Envelope("ready"),
        Envelope("infer", {"task": "llm.1002", "text": "line\nbreak 🙂"}),
        Envelope("audio", {"task": "asr.1003"}, b'\n{"type":"x"}\n' + bytes(range(256))),
        Envelope("audio", {"task": "asr.1003"}, b"\n"),
        Envelope("exit"),
    ]

    received = read(EnvelopeReader(), transport([encode_envelope(message) for message in messages]))

    assert received == messages


def test_the_bytes_are_as_documented() -> None:
    """A header line with the length, then the payload; no length without one."""
    with_payload = Envelope("audio", {"task": "asr.1003"}, b"\x00\x01")

    assert encode_envelope(with_payload) == b'{"type":"audio","task":"asr.1003","length":2}\n\x00\x01'
    assert encode_envelope(Envelope("ping")) == b'{"type":"ping"}\n'


@pytest.mark.parametrize("line", [b'{"length": 0, "type": "ping"}\n', b' {"type":"ping"}\r\n', b'{"type":"ping"} \n'])
@over_each_transport
def test_other_languages_may_space_their_headers(line: bytes, transport: Transport) -> None:
    """A unit need not be written in Python."""
    assert read(EnvelopeReader(), transport([line])) == [Envelope("ping")]


names = st.text("abcdé\n ", min_size=1, max_size=5)
values = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=["Cs"]))
messages = st.builds(Envelope, names, st.dictionaries(names, values, max_size=3), st.binary(max_size=40))


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.lists(messages, max_size=6), st.integers(0, 1000))
def test_any_messages_make_the_round_trip(sent: list[Envelope], seed: int) -> None:
    """What goes in comes out."""
    pieces = random_slices([encode_envelope(message) for message in sent], seed)

    assert read(EnvelopeReader(), pieces) == sent


# The limits


def test_no_bytes_make_no_messages() -> None:
    """An empty packet changes nothing."""
    assert read(EnvelopeReader(), [b"", b'{"type":"ping"}', b"", b"\n", b""]) == [Envelope("ping")]


def test_a_message_waits_for_its_last_byte() -> None:
    """Neither an unfinished header nor an unfinished payload comes out."""
    reader = EnvelopeReader()

    assert read(reader, [b'{"type":"audio","length":3}', b"\n", b"ab"]) == []
    assert read(reader, [b"c"]) == [Envelope("audio", {}, b"abc")]


@over_each_transport
def test_a_header_may_be_as_long_as_the_limit(transport: Transport, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit itself is allowed."""
    line = encode_envelope(Envelope("infer", {"text": "x" * 100}))
    monkeypatch.setattr(envelope, "MAX_HEADER_BYTES", len(line) - 1)

    assert read(EnvelopeReader(), transport([line])) == [Envelope("infer", {"text": "x" * 100})]


@over_each_transport
def test_a_longer_header_ends_the_talk(transport: Transport, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing sensible can follow it."""
    line = encode_envelope(Envelope("infer", {"text": "x" * 100}))
    monkeypatch.setattr(envelope, "MAX_HEADER_BYTES", len(line) - 2)

    with pytest.raises(ValueError, match="header line of over"):
        read(EnvelopeReader(), transport([line]))


def test_a_header_without_an_end_is_not_collected_forever() -> None:
    """The real limit, without a newline in sight."""
    with pytest.raises(ValueError, match="header line of over"):
        read(EnvelopeReader(), [b"x" * (envelope.MAX_HEADER_BYTES + 1)])


# The damage


@pytest.mark.parametrize(
    "line",
    [
        b"\n", b"[]\n", b"1\n", b'"type"\n', b"null\n", b"{}\n", b'{"type":1}\n', b'{"type":null}\n', b'{"task":"a"}\n',
        b"{\n", b"hello\n", b'{"type":"\xff"}\n', b"\x00\n",
    ],
    ids=repr,
)  # fmt: skip
@over_each_transport
def test_a_header_must_be_an_object_with_a_type(line: bytes, transport: Transport) -> None:
    """A child that prints into its channel speaks another language."""
    with pytest.raises(ValueError):
        read(EnvelopeReader(), transport([line]))


@pytest.mark.parametrize("length", ["-1", "true", "null", '"3"', "1.0", str(envelope.MAX_PAYLOAD_BYTES + 1), "[]"])
@over_each_transport
def test_a_length_must_be_a_number_within_the_limit(length: str, transport: Transport) -> None:
    """A length that cannot be trusted is not waited for."""
    with pytest.raises(ValueError, match="payload length"):
        read(EnvelopeReader(), transport([f'{{"type":"audio","length":{length}}}\n'.encode()]))


def test_messages_before_the_damage_arrive() -> None:
    """The error comes in its turn."""
    reader, received = EnvelopeReader(), list[Any]()

    with pytest.raises(ValueError):
        received.extend(reader.feed(b'{"type":"ping"}\n'))
        received.extend(reader.feed(b"damage\n"))

    assert received == [Envelope("ping")]
