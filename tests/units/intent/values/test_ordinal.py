"""Covers units.intent.values.ordinal: places in a row."""

import pytest

from units.intent.values.ordinal import LAST, read_ordinal


@pytest.mark.parametrize(
    ("language", "words", "expected"),
    [
        ("en", "second", 2),
        ("en", "the second one", 2),
        ("en", "my 3rd", 3),
        ("en", "the last one", LAST),
        ("de", "der zweite", 2),
        ("de", "den dritten", 3),
        ("de", "den letzten", LAST),
        ("fr", "le deuxième", 2),
        ("fr", "la première", 1),
        ("fr", "le dernier", LAST),
        ("es", "el segundo", 2),
        ("es", "la última", LAST),
        ("zh-CN", "第二个", 2),
        ("zh-CN", "最后一个", LAST),
    ],
)
def test_a_place_is_read(language: str, words: str, expected: int) -> None:
    """With or without what belongs around it."""
    assert read_ordinal(words, language) == expected


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "pizza"), ("en", "two"), ("en", ""), ("de", "zwei"), ("zh-CN", "二"), ("pl", "drugi")],
)
def test_other_words_are_no_place(language: str, words: str) -> None:
    """Nor is a number of things."""
    assert read_ordinal(words, language) is None
