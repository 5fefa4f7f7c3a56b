"""Covers units.intent.values.clock_time: times of day as people say them and as recognisers write them."""

from datetime import time

import pytest

from units.intent.values.clock_time import read_clock_time

CERTAIN = (
    ("en", "6:30 am", "06:30"),
    ("en", "6:30 PM", "18:30"),
    ("en", "6 a.m.", "06:00"),
    ("en", "6am", "06:00"),
    ("en", "six thirty p m", "18:30"),
    ("en", "quarter to seven in the evening", "18:45"),
    ("en", "half past six in the morning", "06:30"),
    ("en", "twelve at night", "00:00"),
    ("en", "12 am", "00:00"),
    ("en", "12 pm", "12:00"),
    ("en", "noon", "12:00"),
    ("en", "midnight", "00:00"),
    ("en", "18:30", "18:30"),
    ("en", "06:30", "06:30"),
    ("en", "two o'clock in the afternoon", "14:00"),
    ("en", "3 in the morning", "03:00"),
    ("de", "18 Uhr", "18:00"),
    ("de", "7 Uhr", "07:00"),
    ("de", "sieben Uhr dreißig", "07:30"),
    ("de", "sieben Uhr abends", "19:00"),
    ("de", "halb sieben abends", "18:30"),
    ("de", "um sechs Uhr früh", "06:00"),
    ("de", "ein Uhr", "01:00"),
    ("de", "Mittag", "12:00"),
    ("fr", "sept heures et demie", "07:30"),
    ("fr", "sept heures du soir", "19:00"),
    ("fr", "7h30", "07:30"),
    ("fr", "huit heures moins le quart", "07:45"),
    ("fr", "midi", "12:00"),
    ("es", "las siete y media de la mañana", "07:30"),
    ("es", "las ocho de la noche", "20:00"),
    ("es", "las 6:15am", "06:15"),
    ("es", "las 9:40 pm de la noche", "21:40"),
    ("es", "las 17:25", "17:25"),
    ("de", "3 Uhr nachmittags", "15:00"),
    ("de", "um halb elf vormittags", "10:30"),
    ("es", "mediodía", "12:00"),
    ("zh-CN", "早上六点半", "06:30"),
    ("zh-CN", "下午三点一刻", "15:15"),
    ("zh-CN", "晚上八点", "20:00"),
    ("zh-CN", "中午十二点", "12:00"),
    ("zh-CN", "十九点", "19:00"),
)

EITHER = (
    ("en", "half past six", "06:30"),
    ("en", "seven", "07:00"),
    ("en", "at 7 o'clock", "07:00"),
    ("en", "6:30", "06:30"),
    ("en", "630", "06:30"),
    ("en", "six thirty", "06:30"),
    ("en", "seven oh five", "07:05"),
    ("en", "quarter past eight", "08:15"),
    ("en", "ten to nine", "08:50"),
    ("en", "twenty five past six", "06:25"),
    ("en", "half six", "06:30"),
    ("de", "halb sieben", "06:30"),
    ("de", "viertel vor acht", "07:45"),
    ("de", "dreiviertel acht", "07:45"),
    ("de", "viertel nach acht", "08:15"),
    ("de", "fünf vor halb sieben", "06:25"),
    ("de", "zehn nach sechs", "06:10"),
    ("es", "las siete y media", "07:30"),
    ("es", "a la una", "01:00"),
    ("es", "las ocho menos cuarto", "07:45"),
    ("zh-CN", "七点", "07:00"),
    ("zh-CN", "六点四十五分", "06:45"),
    ("zh-CN", "差五分七点", "06:55"),
)

NONE = (
    ("en", "pizza"),
    ("en", "twenty five"),
    ("en", "five minutes"),
    ("en", "tomorrow"),
    ("en", ""),
    ("en", "the morning"),
    ("de", "fünf Minuten"),
    ("fr", "pâtes"),
    ("es", "pizza"),
    ("zh-CN", "五分钟"),
    ("pl", "siódma"),
)


@pytest.mark.parametrize(("language", "words", "expected"), CERTAIN)
def test_a_time_of_day_is_read(language: str, words: str, expected: str) -> None:
    """The part of the day is said, or the clock has 24 hours."""
    read = read_clock_time(words, language)

    assert read is not None
    assert read.times() == (time.fromisoformat(expected),)


@pytest.mark.parametrize(("language", "words", "expected"), EITHER)
def test_a_time_without_a_part_of_the_day_may_be_either(language: str, words: str, expected: str) -> None:
    """In the morning or in the evening."""
    early = time.fromisoformat(expected)
    read = read_clock_time(words, language)

    assert read is not None
    assert read.times() == (early, early.replace(hour=early.hour + 12))
    assert read.times("morning") == (early,)


@pytest.mark.parametrize(("language", "words"), NONE)
def test_other_words_are_no_time(language: str, words: str) -> None:
    """Nor are numbers that no clock shows."""
    assert read_clock_time(words, language) is None
