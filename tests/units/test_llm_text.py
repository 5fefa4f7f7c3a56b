"""Covers units.llm.text."""

import pytest

from units.llm.text import TextStream


def shown(stream: TextStream, pieces: list[bytes]) -> list[str]:
    """What each token lets out, and what the end lets out."""
    return [*(stream.feed(piece) for piece in pieces), stream.finish()]


def test_text_passes_through() -> None:
    """Without stop strings nothing waits."""
    assert shown(TextStream(), [b"Hello", b" there"]) == ["Hello", " there", ""]


@pytest.mark.parametrize("text", ["é", "€", "🦊", "a🦊b€c"])
def test_a_character_is_never_cut(text: str) -> None:
    """Bytes of one character wait for each other."""
    outputs = shown(TextStream(), [bytes([byte]) for byte in text.encode()])

    assert "".join(outputs) == text
    assert "\ufffd" not in "".join(outputs)


def test_half_a_character_at_the_end_is_replaced() -> None:
    """Nothing follows that could complete it."""
    assert shown(TextStream(), ["🦊".encode()[:2]]) == ["", "\ufffd"]


def test_a_stop_string_ends_the_text_before_itself() -> None:
    """Also when it comes in pieces; what follows is not shown."""
    stream = TextStream(["STOP"])

    outputs = [stream.feed(piece) for piece in (b"one S", b"TO", b"P two")]

    assert "".join(outputs) == "one "
    assert stream.stop_word == "STOP"
    assert stream.finish() == ""


def test_what_only_looked_like_a_stop_string_is_shown() -> None:
    """Held back as long as it may become one."""
    assert shown(TextStream(["STOP"]), [b"ST", b"AR", b" ST"]) == ["", "STAR", " ", "ST"]


def test_the_first_of_several_stop_strings_wins() -> None:
    """By place in the text, not in the list."""
    stream = TextStream(["two", "one"])

    assert stream.feed(b"a one b two c") == "a "
