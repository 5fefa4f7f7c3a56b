"""Covers units.intent.values.moment: when alarms and reminders ring."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from units.intent.values.moment import alarm_at, find_moment, read_moment

ZONE = ZoneInfo("Europe/Berlin")
EVENING = datetime(2026, 11, 22, 21, 0, tzinfo=ZONE)  # a Sunday
MORNING = datetime(2026, 11, 22, 8, 0, tzinfo=ZONE)
NOON = datetime(2026, 11, 22, 13, 30, tzinfo=ZONE)

ALARMS = (
    ("en", "at seven", EVENING, "2026-11-23 07:00"),
    ("en", "at seven", MORNING, "2026-11-23 07:00"),
    ("en", "at seven pm", MORNING, "2026-11-22 19:00"),
    ("en", "seven tonight", MORNING, "2026-11-22 19:00"),
    ("en", "at nine", MORNING, "2026-11-22 09:00"),
    ("en", "at three", NOON, "2026-11-22 15:00"),
    ("en", "at half past two", NOON, "2026-11-22 14:30"),
    ("en", "at 12", MORNING, "2026-11-22 12:00"),
    ("en", "tomorrow at half past six", NOON, "2026-11-23 06:30"),
    ("en", "at half past six tomorrow morning", NOON, "2026-11-23 06:30"),
    ("en", "at half past six tomorrow evening", NOON, "2026-11-23 18:30"),
    ("en", "on friday at 8", NOON, "2026-11-27 08:00"),
    ("en", "sunday at 8", NOON, "2026-11-29 08:00"),
    ("en", "at 5 in the morning on december 24th", NOON, "2026-12-24 05:00"),
    ("en", "at 4 tomorrow", NOON, "2026-11-23 04:00"),
    ("de", "um 5 Uhr heute Abend", NOON, "2026-11-22 17:00"),
    ("de", "um 6:30 Uhr morgen", EVENING, "2026-11-23 06:30"),
    ("de", "Freitagabend um 7", NOON, "2026-11-27 19:00"),
    ("fr", "7 h demain soir", NOON, "2026-11-23 19:00"),
    ("zh-CN", "明早八点", NOON, "2026-11-23 08:00"),
    ("de", "morgen früh um halb sieben", NOON, "2026-11-23 06:30"),
    ("de", "um 7 Uhr", NOON, "2026-11-23 07:00"),
    ("de", "am Freitag um 18 Uhr", NOON, "2026-11-27 18:00"),
    ("fr", "demain matin à sept heures", NOON, "2026-11-23 07:00"),
    ("fr", "à 7h30", NOON, "2026-11-23 07:30"),
    ("es", "mañana a las siete y media", NOON, "2026-11-23 07:30"),
    ("es", "mañana por la tarde a las cinco", NOON, "2026-11-23 17:00"),
    ("zh-CN", "明天早上六点半", NOON, "2026-11-23 06:30"),
    ("zh-CN", "晚上八点", NOON, "2026-11-22 20:00"),
)

WEEKLY = (
    ("en", "half past six on weekdays", "06:30", (0, 1, 2, 3, 4), "2026-11-23 06:30"),
    ("en", "every day at 7 am", "07:00", tuple(range(7)), "2026-11-23 07:00"),
    ("en", "every monday and friday at quarter past eight", "08:15", (0, 4), "2026-11-23 08:15"),
    ("en", "every morning at 7", "07:00", tuple(range(7)), "2026-11-23 07:00"),
    ("en", "every evening at 7", "19:00", tuple(range(7)), "2026-11-22 19:00"),
    ("de", "werktags um halb sieben", "06:30", (0, 1, 2, 3, 4), "2026-11-23 06:30"),
    ("fr", "tous les lundis à 7 heures", "07:00", (0,), "2026-11-23 07:00"),
    ("es", "de lunes a viernes a las siete", "07:00", (0, 1, 2, 3, 4), "2026-11-23 07:00"),
    ("zh-CN", "每天早上七点", "07:00", tuple(range(7)), "2026-11-23 07:00"),
)


@pytest.mark.parametrize(("language", "words", "now", "expected"), ALARMS)
def test_an_alarm_rings_when_people_expect_it(language: str, words: str, now: datetime, expected: str) -> None:
    """The next time that comes, but an alarm of the evening must be said to be one."""
    moment = read_moment(words, language)

    assert moment is not None
    assert moment.clock is not None
    alarm = alarm_at(moment.clock, moment.day, now, is_alarm=True)
    assert alarm is not None
    assert f"{alarm.at:%Y-%m-%d %H:%M}" == expected


@pytest.mark.parametrize(("language", "words", "at", "days", "first"), WEEKLY)
def test_an_alarm_of_every_week_has_its_days(
    language: str, words: str, at: str, days: tuple[int, ...], first: str
) -> None:
    """And rings first on the next of them."""
    moment = read_moment(words, language)

    assert moment is not None
    assert moment.clock is not None
    alarm = alarm_at(moment.clock, moment.day, NOON, is_alarm=True)
    assert alarm is not None
    assert (alarm.time, alarm.days, f"{alarm.at:%Y-%m-%d %H:%M}") == (at, days, first)


def test_a_reminder_may_ring_in_the_evening() -> None:
    """It is the next seven o'clock that comes."""
    moment = read_moment("at seven", "en")

    assert moment is not None
    assert moment.clock is not None
    alarm = alarm_at(moment.clock, None, NOON, is_alarm=False)
    assert alarm is not None
    assert alarm.time == "19:00"


def test_a_time_that_is_over_today_is_no_alarm_for_today() -> None:
    """Nobody is reminded in the past."""
    moment = read_moment("today at 8 am", "en")

    assert moment is not None
    assert moment.clock is not None
    assert alarm_at(moment.clock, moment.day, NOON, is_alarm=True) is None


@pytest.mark.parametrize(
    ("language", "words", "seconds", "rest"),
    [
        ("en", "to call mum in 10 minutes", 600, "to call mum"),
        ("en", "in 10 minutes to call mum", 600, "to call mum"),
        ("en", "in half an hour about the laundry", 1800, "the laundry"),
        ("de", "in zehn Minuten an die Wäsche", 600, "an die Wäsche"),
        ("fr", "dans dix minutes d'appeler maman", 600, "d'appeler maman"),
        ("es", "en diez minutos que llame a mamá", 600, "que llame a mamá"),
        ("zh-CN", "十分钟后打电话", 600, "打电话"),
    ],
)
def test_a_moment_is_found_beside_what_is_to_be_remembered(
    language: str, words: str, seconds: float, rest: str
) -> None:
    """Before it or after it."""
    moment, other = next(find_moment(words, language))

    assert (moment.seconds, other) == (seconds, rest)


def test_other_words_are_no_moment() -> None:
    """Nor is a text that is far too long."""
    assert read_moment("to call mum", "en") is None
    assert read_moment("at seven " * 20, "en") is None
    assert read_moment("za 5 minut", "pl") is None
