"""Covers firstline: what browsers can send is refused before anything of it is served, everything else is not."""

import pytest

from unitd.wire.firstline import HELD_BYTES, FirstLine

PING = b'{"request_id":"1","work_id":"sys","action":"ping"}'

SLICES = (1, 2, 3, 7, 64, 100_000)

REQUESTS = {
    "no body is read": b"PUT / HTTP/1.1\r\nHost: x\r\n\r\n" + PING,
    "no header is read": b"DELETE / HTTP/1.1\r\nX: " + PING + b"\r\n\r\n",
    "no request line is read": b"PATCH /" + PING + b" HTTP/1.1\r\n\r\n",
    "a target that is an object": b"GRAB " + PING + b" HTTP/1.1\r\n\r\n",
    "a method of a page's own": b"X-Light!2 / HTTP/1.1\r\n\r\n" + PING,
    "a method in small letters": b"patch /x HTTP/1.1\r\n\r\n" + PING,
    "a method of 70 kB": b"A" * 70_000 + b" / HTTP/1.1\r\n\r\n" + PING,
    "an address of 70 kB": b"GRAB /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n" + PING,
    "HTTP 0.9": b"GET /" + PING + b"\r\n",
    "HTTP 2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + PING,
    "an empty line first": b"\r\n\r\nPUT / HTTP/1.1\r\n\r\n" + PING,
}

HANDSHAKE = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + PING

GARBAGE = {
    "nothing": b"",
    "blanks": b" \r\n\t",
    "the noise of a start": b"ets Jul 29 2019 12:21:46\r\n\r\nrst:0x1 (POWERON_RESET)\r\n",
    "a modem's command": b"AT+GMR\r\n",
    "words": b"hello there my board\n",
    "a word at once before it": b"boot",
    "a line that almost is one": b"SEND it HTTPS\n",
    "another byte behind 0x16": b"\x16\x02\x16\x03\n",
    "no letters": b"\x00\xff\xfe\x80\n",
    "a long word": b"x" * 70_000 + b"\n",
    "two long words": b"x" * 70_000 + b" " + b"y" * 70_000 + b"\n",
}


def taken(data: bytes, size: int) -> tuple[str, bytes]:
    """What is said of bytes that come so many at a time, and what of them may be served."""
    line, served = FirstLine(), b""
    for at in range(0, len(data), size):
        if line.is_over:
            return "", served + data[at:]
        served += line.take(data[at : at + size])
        if line.protocol:
            break
    return line.protocol, served


@pytest.mark.parametrize("size", SLICES)
@pytest.mark.parametrize("what", REQUESTS)
def test_a_request_of_http_is_known_and_nothing_of_it_served(what: str, size: int) -> None:
    """Whatever its method is, wherever the object stands, and in pieces of any size."""
    protocol, served = taken(REQUESTS[what], size)

    assert protocol == "HTTP"
    assert b"{" not in served


@pytest.mark.parametrize("size", SLICES)
def test_a_handshake_of_tls_is_known(size: int) -> None:
    """A server chooses what its session tickets hold, and a browser shows them again."""
    assert taken(HANDSHAKE, size) == ("TLS", b"")


@pytest.mark.parametrize("size", SLICES)
@pytest.mark.parametrize("what", GARBAGE)
def test_what_comes_behind_other_garbage_is_served(what: str, size: int) -> None:
    """As soon as the line can be no request, and with its object whole."""
    protocol, served = taken(GARBAGE[what] + PING, size)

    assert protocol == ""
    assert served.endswith(PING)


def test_an_object_behind_a_word_is_held_until_the_line_shows_what_it_is() -> None:
    """The rest of the line may make it a request; the end of what is sent cannot."""
    line = FirstLine()
    assert line.take(b"boot " + PING) == b""
    assert line.holds_object

    assert line.release() == b"boot " + PING

    line = FirstLine()
    line.take(b"boot " + PING)
    assert line.take(b"\n") == b"boot " + PING + b"\n"


def test_what_is_held_is_bounded() -> None:
    """Neither a first line without an end nor one with an object in it is kept for ever."""
    line = FirstLine()
    for _ in range(4 * HELD_BYTES // 1000):
        assert line.take(b"x" * 1000) == b""
        assert len(line.release()) <= HELD_BYTES

    line = FirstLine()
    line.take(b"boot {")
    line.take(b"x" * HELD_BYTES)
    assert line.protocol == "HTTP"
