"""Covers units.intent.values.duration: durations as people say them and as recognisers write them."""

import pytest

from units.intent.values.duration import Found, find_durations, read_duration

SAID = (
    ("en", "five minutes", 300),
    ("en", "Five and a half minutes", 330),
    ("en", "5 minutes and a half", 330),
    ("en", "1 h 30", 5400),
    ("en", "1h30m", 5400),
    ("en", "an hour and a quarter", 4500),
    ("en", "90 seconds", 90),
    ("en", "half an hour", 1800),
    ("en", "a half hour", 1800),
    ("en", "an hour and a half", 5400),
    ("en", "one and a half hours", 5400),
    ("en", "1 1/2 hours", 5400),
    ("en", "2½ minutes", 150),
    ("en", "twenty five minutes", 1500),
    ("en", "twenty-five minutes", 1500),
    ("en", "a hundred and twenty seconds", 120),
    ("en", "three hundred seconds", 300),
    ("en", "three hundred and twenty seconds", 320),
    ("en", "quarter of an hour", 900),
    ("en", "three quarters of an hour", 2700),
    ("en", "2 hours, 3 minutes and 4 seconds", 7384),
    ("en", "one hour thirty", 5400),
    ("en", "one minute thirty", 90),
    ("en", "a couple of minutes", 120),
    ("en", "two point five hours", 9000),
    ("en", "2.5 hours", 9000),
    ("en", "ten-minute", 600),
    ("en", "uh five minutes", 300),
    ("en", "2:30", 150),
    ("en", "1:30:00", 5400),
    ("en", "a minute", 60),
    ("en", "half a minute", 30),
    ("en", "3 days", 259200),
    ("en", "one week", 604800),
    ("en", "0 seconds", 0),
    ("en", "hour and a half", 5400),
    ("de", "fünf Minuten", 300),
    ("de", "eineinhalb Stunden", 5400),
    ("de", "anderthalb Stunden", 5400),
    ("de", "zweieinhalb Minuten", 150),
    ("de", "eine halbe Stunde", 1800),
    ("de", "eine Viertelstunde", 900),
    ("de", "eine Dreiviertelstunde", 2700),
    ("de", "dreiviertel Stunde", 2700),
    ("de", "eine Stunde und zwanzig Minuten", 4800),
    ("de", "eine Stunde dreißig", 5400),
    ("de", "fünfundzwanzig Minuten lang", 1500),
    ("de", "2,5 Stunden", 9000),
    ("de", "zwo Minuten", 120),
    ("de", "hundertzwanzig Sekunden", 120),
    ("fr", "cinq minutes", 300),
    ("fr", "une demi-heure", 1800),
    ("fr", "une heure et demie", 5400),
    ("fr", "deux heures et quart", 8100),
    ("fr", "un quart d'heure", 900),
    ("fr", "trois quarts d'heure", 2700),
    ("fr", "une minute trente", 90),
    ("fr", "1h30", 5400),
    ("fr", "vingt-cinq minutes", 1500),
    ("es", "cinco minutos", 300),
    ("es", "media hora", 1800),
    ("es", "hora y media", 5400),
    ("es", "una hora y media", 5400),
    ("es", "un cuarto de hora", 900),
    ("es", "tres cuartos de hora", 2700),
    ("es", "un minuto y medio", 90),
    ("es", "treinta y cinco minutos", 2100),
    ("es", "una hora y veinte minutos", 4800),
    ("zh-CN", "五分钟", 300),
    ("zh-CN", "一个半小时", 5400),
    ("zh-CN", "半小时", 1800),
    ("zh-CN", "半个小时", 1800),
    ("zh-CN", "一刻钟", 900),
    ("zh-CN", "三刻钟", 2700),
    ("zh-CN", "两个小时", 7200),
    ("zh-CN", "一分三十秒", 90),
    ("zh-CN", "五分半", 330),
    ("zh-CN", "1小时30分钟", 5400),
    ("zh-CN", "一小时零五分", 3900),
    ("zh-CN", "二十五分钟", 1500),
)

NONE = (
    ("zh-CN", "一个m"),
    ("en", "five"),
    ("en", "minutes"),
    ("en", "half"),
    ("en", "five minutes of jazz"),
    ("en", "five pizzas"),
    ("en", "10 minutes 2 hours"),
    ("en", "a few minutes"),
    ("en", ""),
    ("de", "halb sieben"),
    ("fr", "midi"),
    ("es", "la una"),
    ("zh-CN", "七点"),
    ("pl", "pięć minut"),
)

INSIDE: tuple[tuple[str, str, list[Found]], ...] = (
    ("en", "pizza for 12 minutes in the kitchen", [Found(720, "pizza for", "in the kitchen")]),
    ("en", "a 5 minute egg", [Found(300, "a", "egg")]),
    ("en", "5 minutes and another for 10 minutes", [
        Found(300, "", "and another for 10 minutes"), Found(600, "5 minutes and another for", ""),
    ]),
    ("en", "the pizza", []),
    ("en", "twenty five minutes to call mum", [Found(1500, "", "to call mum")]),
    ("de", "zehn Minuten für die Nudeln", [Found(600, "", "für die nudeln")]),
    ("fr", "dix minutes pour les pâtes", [Found(600, "", "pour les pâtes")]),
    ("zh-CN", "煮面五分钟", [Found(300, "煮面", "")]),
)  # fmt: skip


@pytest.mark.parametrize(("language", "words", "expected"), SAID)
def test_a_duration_is_read(language: str, words: str, expected: float) -> None:
    """In words, in digits, and in both."""
    assert read_duration(words, language) == expected


@pytest.mark.parametrize(("language", "words"), NONE)
def test_other_words_are_no_duration(language: str, words: str) -> None:
    """Nor is a number without a unit."""
    assert read_duration(words, language) is None


@pytest.mark.parametrize(("language", "words", "expected"), INSIDE)
def test_a_duration_is_found_among_other_words(language: str, words: str, expected: list[Found]) -> None:
    """What stands around it may be a name."""
    assert list(find_durations(words, language)) == expected
