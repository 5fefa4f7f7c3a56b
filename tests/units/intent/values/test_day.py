"""Covers units.intent.values.day, day_words, plain: days as people say them, in five languages."""

from datetime import date

import pytest

from units.intent.values.day import EVERY_DAY, WEEKEND, WORKDAYS, read_date, read_day

SUNDAY = date(2026, 11, 22)

ONE_DAY = (
    ("en", "today", "2026-11-22"),
    ("en", "tomorrow", "2026-11-23"),
    ("en", "the day after tomorrow", "2026-11-24"),
    ("en", "in three days", "2026-11-25"),
    ("en", "in a week", "2026-11-29"),
    ("en", "two weeks from now", "2026-12-06"),
    ("en", "on Monday", "2026-11-23"),
    ("en", "Sunday", "2026-11-22"),
    ("en", "next sunday", "2026-11-29"),
    ("en", "wednesday next week", "2026-11-25"),
    ("en", "on the 24th of December", "2026-12-24"),
    ("en", "december twenty fourth", "2026-12-24"),
    ("en", "the first of march 2027", "2027-03-01"),
    ("en", "March 3rd, 2028", "2028-03-03"),
    ("en", "the fifth", "2026-12-05"),
    ("en", "february 29", "2028-02-29"),
    ("en", "2026-12-24", "2026-12-24"),
    ("en", "christmas", "2026-12-25"),
    ("en", "New Year's Eve", "2026-12-31"),
    ("de", "übermorgen", "2026-11-24"),
    ("de", "am Montag", "2026-11-23"),
    ("de", "nächsten Sonntag", "2026-11-29"),
    ("de", "in drei Tagen", "2026-11-25"),
    ("de", "am 24. Dezember", "2026-12-24"),
    ("de", "am vierundzwanzigsten Dezember", "2026-12-24"),
    ("de", "am 24.12.", "2026-12-24"),
    ("de", "am dritten", "2026-12-03"),
    ("fr", "demain", "2026-11-23"),
    ("fr", "après-demain", "2026-11-24"),
    ("fr", "le 24 décembre", "2026-12-24"),
    ("fr", "le premier janvier 2027", "2027-01-01"),
    ("fr", "vendredi", "2026-11-27"),
    ("fr", "dans trois jours", "2026-11-25"),
    ("es", "pasado mañana", "2026-11-24"),
    ("es", "el viernes", "2026-11-27"),
    ("es", "el veinticuatro de diciembre", "2026-12-24"),
    ("es", "dentro de dos semanas", "2026-12-06"),
    ("zh-CN", "明天", "2026-11-23"),
    ("zh-CN", "十二月二十四号", "2026-12-24"),
    ("zh-CN", "星期五", "2026-11-27"),
    ("zh-CN", "下周一", "2026-11-23"),
    ("zh-CN", "三天后", "2026-11-25"),
    ("pl", "2026-12-24", "2026-12-24"),
)

EVERY_WEEK = (
    ("en", "weekdays", WORKDAYS),
    ("en", "on weekdays", WORKDAYS),
    ("en", "every weekday", WORKDAYS),
    ("en", "every day", EVERY_DAY),
    ("en", "at weekends", None),
    ("en", "on weekends", WEEKEND),
    ("en", "every Monday and Friday", (0, 4)),
    ("en", "mondays, wednesdays and fridays", (0, 2, 4)),
    ("en", "monday wednesday and friday", (0, 2, 4)),
    ("en", "monday to friday", WORKDAYS),
    ("en", "every saturday", (5,)),
    ("de", "jeden Montag und Freitag", (0, 4)),
    ("de", "montags", (0,)),
    ("de", "unter der Woche", WORKDAYS),
    ("de", "am Wochenende", WEEKEND),
    ("de", "täglich", EVERY_DAY),
    ("de", "von Montag bis Freitag", WORKDAYS),
    ("fr", "tous les lundis", (0,)),
    ("fr", "en semaine", WORKDAYS),
    ("fr", "du lundi au vendredi", WORKDAYS),
    ("fr", "chaque jour", EVERY_DAY),
    ("es", "todos los lunes y viernes", (0, 4)),
    ("es", "los lunes", (0,)),
    ("es", "entre semana", WORKDAYS),
    ("es", "de lunes a viernes", WORKDAYS),
    ("zh-CN", "每天", EVERY_DAY),
    ("zh-CN", "每周一和周五", (0, 4)),
    ("zh-CN", "工作日", WORKDAYS),
    ("zh-CN", "周一到周五", WORKDAYS),
)

PARTS = (
    ("en", "tomorrow morning", "morning"),
    ("en", "tonight", "evening"),
    ("en", "every morning", "morning"),
    ("en", "friday afternoon", "afternoon"),
    ("de", "morgen früh", "morning"),
    ("de", "heute Abend", "evening"),
    ("fr", "demain matin", "morning"),
    ("es", "mañana por la mañana", "morning"),
    ("zh-CN", "明天早上", "morning"),
    ("zh-CN", "今晚", "evening"),
)

NO_DAYS = (
    ("en", ""),
    ("en", "pizza"),
    ("en", "seven"),
    ("en", "at half past six"),
    ("en", "february 30"),
    ("en", "the 32nd"),
    ("en", "monday and pizza"),
    ("de", "Minuten"),
    ("fr", "midi"),
    ("es", "las siete"),
    ("zh-CN", "早上"),
    ("pl", "jutro"),
)


@pytest.mark.parametrize(("language", "words", "expected"), ONE_DAY)
def test_words_for_one_day_say_its_date(language: str, words: str, expected: str) -> None:
    """Said on a Sunday in November."""
    assert str(read_date(words, language, SUNDAY)) == expected


@pytest.mark.parametrize(("language", "words", "expected"), EVERY_WEEK)
def test_words_for_days_of_every_week_say_which(language: str, words: str, expected: tuple[int, ...] | None) -> None:
    """They are no date."""
    day = read_day(words, language)

    assert (day.weekly if day else None) == expected
    assert read_date(words, language, SUNDAY) is None


@pytest.mark.parametrize(("language", "words", "expected"), PARTS)
def test_a_day_keeps_the_part_that_is_said(language: str, words: str, expected: str) -> None:
    """It decides between seven in the morning and in the evening."""
    day = read_day(words, language)

    assert day is not None
    assert day.part == expected


@pytest.mark.parametrize(("language", "words"), NO_DAYS)
def test_other_words_are_no_day(language: str, words: str) -> None:
    """Nor is a date that no year has."""
    assert read_day(words, language) is None


def test_a_date_that_has_passed_is_next_year() -> None:
    """And the day of a month that has passed is next month."""
    assert read_date("march 3rd", "en", SUNDAY) == date(2027, 3, 3)
    assert read_date("the 31st", "en", SUNDAY) == date(2026, 12, 31)
    assert read_date("the 22nd", "en", SUNDAY) == SUNDAY
