"""Covers units.intent.values.number and units.intent.values.number_words: numbers in digits and in words."""

from fractions import Fraction

import pytest
from hassil.numbers import get_rbnf_engine
from hypothesis import example, given, settings
from hypothesis import strategies as st

from units.intent.values.number import MAX_DIGITS, number_at, read_number, words_of


@pytest.mark.parametrize(
    ("language", "words", "value"),
    [
        ("en", "three hundred forty five", 345),
        ("en", "three hundred and forty-five", 345),
        ("en", "twelve hundred", 1200),
        ("en", "a hundred", 100),
        ("en", "three point one four", Fraction("3.14")),
        ("en", "two and a half", Fraction(5, 2)),
        ("en", "one and three quarters", Fraction(7, 4)),
        ("en", "a third", Fraction(1, 3)),
        ("en", "half", Fraction(1, 2)),
        ("en", "2.5 million", 2500000),
        ("en", "1,234,567.5", Fraction("1234567.5")),
        ("en", "minus five", -5),
        ("de", "dreihundertfünfundvierzig", 345),
        ("de", "drei und zwanzig", 23),
        ("de", "anderthalb", Fraction(3, 2)),
        ("de", "zweieinhalb", Fraction(5, 2)),
        ("de", "drei Viertel", Fraction(3, 4)),
        ("de", "drei Komma fünf", Fraction(7, 2)),
        ("de", "1.234,5", Fraction("1234.5")),
        ("de", "3.5", Fraction("3.5")),
        ("fr", "quatre-vingt-dix-sept", 97),
        ("fr", "soixante et onze", 71),
        ("fr", "septante-deux", 72),
        ("fr", "trois virgule vingt-cinq", Fraction("3.25")),
        ("fr", "1 234,5", Fraction("1234.5")),
        ("es", "treinta y cinco", 35),
        ("es", "veintidós", 22),
        ("es", "dos mil millones", 2 * 10**9),
        ("zh-CN", "三百四十五", 345),
        ("zh-CN", "两百五", 250),
        ("zh-CN", "两千零二十六", 2026),
        ("zh-CN", "三点一四", Fraction("3.14")),
        ("zh-CN", "三分之二", Fraction(2, 3)),
    ],
)
def test_a_number_is_read_as_it_is_said(language: str, words: str, value: Fraction) -> None:
    """Digits, words, halves and decimals are exact numbers."""
    assert read_number(words, language) == value


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "zh-CN"])
@given(number=st.integers(0, 10**9))
@example(422_001_000)
@settings(max_examples=150, deadline=None)
def test_every_number_in_words_is_read(language: str, number: int) -> None:
    """The words that CLDR has for a number are read as that number."""
    spelled = get_rbnf_engine(language).format_number(number).text_by_ruleset[_rules(language)]

    assert read_number(spelled.replace("\u00ad", ""), language) == number


def _rules(language: str) -> str:
    return "spellout-cardinal-masculine" if language in ("de", "fr", "es") else "spellout-cardinal"


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "two three"), ("en", "five and"), ("en", "a"), ("en", "and five"), ("en", ""), ("en", "1,2,3"),
     ("de", "die"), ("de", "Einkauf"), ("zh-CN", "二三"), ("en", "9" * (MAX_DIGITS + 1))],
)  # fmt: skip
def test_other_words_are_no_number(language: str, words: str) -> None:
    """Two numbers, articles and words that begin like numbers are none."""
    assert read_number(words, language) is None


def test_the_longest_number_is_taken() -> None:
    """The words after a number are left."""
    words = words_of("two hundred and five and seven", "en")

    found = number_at(words, 0, "en")

    assert found is not None
    assert (found.value, words[found.end :]) == (Fraction(205), ["and", "seven"])
