"""Covers units.intent.values.saying: lengths of time, times of day and days in words."""

from datetime import date, time

import pytest

from units.intent.values.saying import said_day, said_days, said_duration, said_time


@pytest.mark.parametrize(
    ("language", "seconds", "expected"),
    [
        ("en", 60, "1 minute"),
        ("en", 720, "12 minutes"),
        ("en", 5400, "1 hour and 30 minutes"),
        ("en", 3725, "1 hour, 2 minutes and 5 seconds"),
        ("en", 0, "0 seconds"),
        ("de", 90, "1 Minute und 30 Sekunden"),
        ("fr", 5400, "1 heure et 30 minutes"),
        ("es", 3660, "1 hora y 1 minuto"),
        ("zh-CN", 5400, "1小时30分钟"),
        ("pl", 60, "1 minute"),
    ],
)
def test_a_length_of_time_is_said(language: str, seconds: float, expected: str) -> None:
    """In all its units."""
    assert said_duration(seconds, language) == expected


def test_what_is_left_is_said_roughly() -> None:
    """Nobody wants the seconds of an hour."""
    assert said_duration(3725.4, "en", is_rough=True) == "1 hour and 2 minutes"
    assert said_duration(3605, "en", is_rough=True) == "1 hour"
    assert said_duration(200.3, "en", is_rough=True) == "3 minutes and 20 seconds"
    assert said_duration(12, "en", is_rough=True) == "12 seconds"


def test_times_and_days_are_said_as_each_language_does() -> None:
    """With twelve hours in English, and names for near days."""
    today = date(2026, 11, 22)

    assert [said_time(time(18, 30), each) for each in ("en", "de", "fr")] == ["6:30 PM", "18:30 Uhr", "18 h 30"]
    assert [said_time(time(7), each) for each in ("en", "es", "zh-CN")] == ["7 AM", "7:00", "7点"]
    assert said_day(today, today, "en") == "today"
    assert said_day(date(2026, 11, 27), today, "de") == "am Freitag"
    assert said_day(date(2026, 12, 24), today, "es") == "el 24 de diciembre"
    assert said_days((0, 4), "en") == "every Monday and Friday"
    assert said_days((0, 1, 2, 3, 4), "fr") == "en semaine"
    assert said_days((0, 1, 4), "zh-CN") == "每星期一, 星期二和星期五"
