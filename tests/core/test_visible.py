"""Covers visible: what a terminal or a log shows of characters that act instead of showing."""

import sys
import unicodedata

from unitd.core.visible import SHOWN, SHOWN_IN_PROSE, SHOWN_IN_TEXT

ACTING = ("Cc", "Cf", "Zl", "Zp")


def test_every_control_and_format_character_is_shown() -> None:
    """Every such character of this Python's Unicode data is escaped."""
    acting = [each for each in map(chr, range(sys.maxunicode)) if unicodedata.category(each) in ACTING]

    assert [each for each in acting if each.translate(SHOWN) == each] == []
    assert "".join(acting).translate(SHOWN).isascii()


def test_what_is_shown_can_be_read_back() -> None:
    """As Python writes it."""
    name = "photo\x1b\u202egpj.exe\U000e0041"

    assert name.translate(SHOWN) == "photo\\x1b\\u202egpj.exe\\U000e0041"
    assert name.translate(SHOWN).encode().decode("unicode-escape") == name


def test_text_keeps_its_lines_and_prose_its_joiners() -> None:
    """No other control or format character is left."""
    assert "one\ttwo\nthree".translate(SHOWN_IN_TEXT) == "one\ttwo\nthree"
    assert "می‌خواهم 👩‍🚀".translate(SHOWN_IN_PROSE) == "می‌خواهم 👩‍🚀"
    assert "a\u202eb\x1b[31m".translate(SHOWN_IN_PROSE) == "a\\u202eb\\x1b[31m"


def test_letters_stay_as_they_are() -> None:
    """Of every script."""
    text = "Grüße, 日本語, עברית, العربية 🙂"

    assert text.translate(SHOWN) == text
