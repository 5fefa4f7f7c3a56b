"""Covers units.tts.pieces, units.tts.speech."""

import random

import numpy as np
import pytest

from units.tts.engine import Sound
from units.tts.options import read_options
from units.tts.pieces import MAX_PIECE, Pieces, speakable
from units.tts.speech import Speech


def pieces_of(text: str, *sizes: int) -> list[str]:
    """The pieces of a text that comes in bits of these sizes, over and over."""
    pieces = Pieces()
    found: list[str] = []
    begin, turn = 0, 0
    while begin < len(text):
        size = sizes[turn % len(sizes)] if sizes else len(text)
        found += pieces.feed(text[begin : begin + size])
        begin, turn = begin + size, turn + 1
    return found + pieces.finish()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello. How are you? Fine!", ["Hello.", "How are you?", "Fine!"]),
        ("你好。今天天气很好！真的吗？", ["你好。", "今天天气很好！", "真的吗？"]),  # noqa: RUF001  # Chinese has marks of its own
        ("Pi is 3.14. It costs 1,000.5 dollars.", ["Pi is 3.14.", "It costs 1,000.5 dollars."]),
        ("Mr. Smith and Dr. Jones met. They ate.", ["Mr. Smith and Dr. Jones met.", "They ate."]),
        ("Take fruit, e.g. apples. Or none.", ["Take fruit, e.g. apples.", "Or none."]),
        ("He came at 5 p.m. and left. At 6 p.m. She came.", ["He came at 5 p.m. and left.", "At 6 p.m.", "She came."]),
        ("No. See No. 5 of it.", ["No.", "See No. 5 of it."]),
        ("J. R. Smith was I. Then I. went.", ["J. R. Smith was I.", "Then I.", "went."]),
        ("Go to www.example.com or v1.2.3 now. Yes.", ["Go to www.example.com or v1.2.3 now.", "Yes."]),
        ("1. First\n2. Second", ["1. First", "2. Second"]),
        ('He said "No." Then left...', ['He said "No."', "Then left..."]),
        ("... !? 😀", []),
        ("", []),
    ],
)
def test_a_text_is_cut_where_a_reader_breathes(text: str, expected: list[str]) -> None:
    """At its marks, not in numbers, abbreviations and addresses."""
    assert pieces_of(text) == expected


def test_the_slicing_does_not_matter() -> None:
    """Letter by letter or at once, the pieces are the same."""
    text = "Well, Mr. Smith, it is 3.14 e.g. now. So? Yes... And 1. no\n2. two, U.S. made. U.S. Then " * 5
    rng = random.Random(4)

    cuts = [pieces_of(text, *(rng.randint(1, 9) for _ in range(7))) for _ in range(50)]

    assert all(cut == pieces_of(text) for cut in cuts)


def test_a_piece_is_ready_as_soon_as_it_can_be_told() -> None:
    """At its mark, or at the character that shows that a stop was one."""
    pieces = Pieces()

    assert pieces.feed("How are you?") == ["How are you?"]
    assert pieces.feed(" I am fine.") == []
    assert pieces.feed(" ") == ["I am fine."]


def test_a_long_first_sentence_begins_early() -> None:
    """It is cut at a comma; the second is not."""
    long = "As I was going to the market this morning, I met a man with seven wives, and a cat."

    first, second, third = pieces_of(f"{long} {long}", 3)

    assert (first, second) == ("As I was going to the market this morning,", "I met a man with seven wives, and a cat.")
    assert third == long


@pytest.mark.parametrize("text", ["word " * 1000, "x" * 5000, "字" * 2000, "a, " * 2000, "a,b" * 3000])
def test_no_piece_is_endless(text: str) -> None:
    """A text without stops is cut at commas, spaces, or anywhere, and nothing is lost."""
    pieces = pieces_of(text, 7)

    assert max(len(piece) for piece in pieces) <= MAX_PIECE
    assert "".join("".join(pieces).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Hi there 😀👍🏽!", "Hi there !"),
        ("**Bold.** and *so* and `code` and ~~not~~", "Bold. and so and code and not"),
        ("**Half of it.", "Half of it."),
        ("## Title", "Title"),
        ("- an item", "an item"),
        ("[the page](https://example.com/a_b) is", "the page is"),
        ("2 * 3 = 6 and 2*3 and a_name", "2 * 3 = 6 and 2*3 and a_name"),
        ("It is 20 °C, 5 €.", "It is 20 °C, 5 €."),
        ("| one | two |", "one, two, "),
        ("```python", ""),
        ("---", ""),
        ("❤️ 1️⃣", "1"),
    ],
)
def test_what_has_no_sound_is_not_spoken(text: str, spoken: str) -> None:
    """Emoji and marks of Markdown go, signs that are words stay."""
    assert speakable(text).strip() == spoken.strip()


def test_speech_begins_and_ends_in_5_ms() -> None:
    """An engine that cuts its sound off is not heard to click, whatever its rate."""
    speech = Speech(1, read_options({"response_format": "sys.pcm"}), is_open=False, gap_seconds=0.25)
    speech.hear(Sound(22050, np.full(2000, 8000, np.int16)))
    speech.hear(Sound(22050, np.full(2000, 8000, np.int16)))

    sound = speech.take_heard()

    assert sound is not None
    assert (sound.samples[0], sound.samples[-1]) == (0, 0)
    assert np.abs(np.diff(sound.samples.astype(int))).max() <= 8000 / 110 + 1
    assert np.all(sound.samples[111:-111] == 8000)
