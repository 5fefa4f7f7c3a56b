"""Covers units.intent.skills.timer_wish, timer_phrase, timer_setting: timers and alarms in sentences of many forms."""

import pytest

from tests.support.units.timer_board import Speaker


@pytest.fixture
def somebody() -> Speaker:
    """Return somebody without timers."""
    return Speaker()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("set an alarm for 06:00 and one for 18:00", [("06:00", [], ""), ("18:00", [], "")]),
        ("two alarms please, one at 5 am and the next at 5:30 am", [("05:00", [], ""), ("05:30", [], "")]),
        ("set alarms for friday morning at 6 am and 7 am", [("06:00", [], "2026-11-27"), ("07:00", [], "2026-11-27")]),
        ("set my alarm for 6:40 am mon - thu", [("06:40", [0, 1, 2, 3], "")]),
        ("set a repeating friday alarm for 4 pm", [("16:00", [4], "")]),
        ("set an alarm for 2 am tonight", [("02:00", [], "2026-11-23")]),
        ("turn the alarm on for 5 am tomorrow", [("05:00", [], "2026-11-23")]),
        ("make sure the alarm is set for a quarter past six", [("06:15", [], "")]),
        ("put an alarm on for 7p", [("19:00", [], "")]),
        ("tomorrow i need my alarm to go off at half past 5", [("05:30", [], "2026-11-23")]),
    ],
)
def test_an_alarm_is_set(somebody: Speaker, text: str, expected: list[tuple[str, list[int], str]]) -> None:
    """At a time of day, which is never a length of time."""
    somebody.say(text)

    assert [(row["time"], row["days"], row["date"]) for row in somebody.timers.rows] == expected


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("set an alarm for 8 am to water the plants", "water the plants"),
        ("set my alarm for 7 am for work", "work"),
        ("i want an alarm at 9 pm to remind me to lock the shed", "lock the shed"),
        ("set the alarm for 6 pm so i can watch the news", ""),
    ],
)
def test_it_is_called_what_it_reminds_of(somebody: Speaker, text: str, name: str) -> None:
    """A reason is no name."""
    somebody.say(text)

    assert [row["name"] for row in somebody.timers.rows] == [name]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (
            "set an alarm every 20 minutes",
            "I cannot repeat that after minutes or hours; an alarm can ring on days of every week.",
        ),
        (
            "remind me every hour to stretch",
            "I cannot repeat that after minutes or hours; an alarm can ring on days of every week.",
        ),
        ("set a recurring alarm for 6 am", "On which days?"),
        ("set 2 alarms for tonight", "At what time?"),
        ("new alarm", "At what time?"),
        ("alarm for lunch", "At what time?"),
    ],
)
def test_nothing_is_guessed(somebody: Speaker, text: str, answer: str) -> None:
    """What is missing, or cannot be done, is said."""
    assert somebody.answer(text) == answer
    assert somebody.timers.rows == []


def test_the_days_of_a_recurring_alarm_are_asked(somebody: Speaker) -> None:
    """And the reply completes it."""
    somebody.say("set a recurring alarm for 6 am")

    assert somebody.answer("on weekends") == "The alarm is set for 6 AM at weekends."


@pytest.mark.parametrize(
    "text",
    [
        "set an alarm ten minutes before the movie",
        "set an alarm for 7 am every day this month",
        "set my alarm to go off 3 times",
        "delete all alarms except the first one",
        "turn off all alarms until monday",
        "set an alarm for the same time",
    ],
)
def test_what_is_not_wholly_understood_is_left_alone(somebody: Speaker, text: str) -> None:
    """No alarm is set, and none is cancelled."""
    somebody.timers.add_alarm("07:00")

    somebody.say(text)

    assert [row["time"] for row in somebody.timers.rows] == ["07:00"]


@pytest.mark.parametrize(
    "text",
    [
        "how many hours do i have left before my alarm goes off",
        "what time have you set the alarm for",
        "is my alarm set for tomorrow morning",
        "do i have any alarm that is set for tomorrow",
        "show me all of the alarms i have set",
        "the alarm status",
        "i'd like to know when my next alarm rings",
    ],
)
def test_it_is_told_when_it_rings(somebody: Speaker, text: str) -> None:
    """In whatever order it is asked."""
    somebody.timers.add_alarm("06:30")

    assert somebody.answer(text).startswith("An alarm is set for 6:30 AM tomorrow")


def test_an_alarm_is_changed(somebody: Speaker) -> None:
    """To another time, or another day, or as somebody replies."""
    somebody.timers.add_alarm("17:00")
    somebody.timers.add_alarm("08:00")

    assert somebody.answer("change my alarm from 5 pm to 6 pm") == "The alarm is set for 6 PM today."
    assert somebody.answer("repeat the 6 pm alarm every weekday") == "The alarm is set for 6 PM on weekdays."
    assert somebody.answer("change the 8 am alarm") == "At what time?"
    assert somebody.answer("nine") == "The alarm is set for 9 AM tomorrow."
    assert sorted(row["time"] for row in somebody.timers.rows) == ["09:00", "18:00"]


def test_an_alarm_of_every_week_is_not_lost_for_one_day(somebody: Speaker) -> None:
    """It is asked first."""
    somebody.timers.add_alarm("06:30", (0, 1, 2, 3, 4))
    question = "The 6:30 AM alarm rings on weekdays. Shall I cancel it for all of its days?"

    assert somebody.answer("cancel my alarm for tomorrow") == question
    assert somebody.answer("no") == "All right, it stays."
    assert somebody.answer("change my alarm to 8 tomorrow") == (
        "The 6:30 AM alarm rings on weekdays; I can only change it for all of its days."
    )
    assert len(somebody.timers.rows) == 1
    somebody.say("cancel my alarm for tomorrow")
    assert somebody.answer("yes") == "The 6:30 AM alarm is cancelled."


def test_a_part_of_the_day_names_an_alarm(somebody: Speaker) -> None:
    """By when it rings."""
    somebody.timers.add_alarm("07:00")
    somebody.timers.add_alarm("21:00")

    assert somebody.answer("skip the morning alarm") == "The 7 AM alarm is cancelled."
    assert somebody.answer("turn off tonight's alarm") == "The 9 PM alarm is cancelled."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("put the alarm on a five minute snooze", 300),
        ("snooze the alarm 12 minutes", 720),
        ("snooze for another hour", 3600),
        ("set the alarm to snooze", 540),
    ],
)
def test_what_rings_is_put_off(somebody: Speaker, text: str, left: float) -> None:
    """As long as is said."""
    somebody.timers.add_alarm("13:30", state="ringing")

    somebody.say(text)

    assert [(row["state"], row["left"]) for row in somebody.timers.rows] == [("snoozed", left)]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("i need to be reminded to buy stamps", "When should I remind you?"),
        ("help me remember to charge the drill", "When should I remind you?"),
        ("i have to fetch the kids at 5 pm, remind me", "I will remind you at 5 PM today: fetch the kids."),
        ("remind me 8 pm to lock up", "I will remind you at 8 PM today: lock up."),
        ("alert me at 6 pm to close the gate", "I will remind you at 6 PM today: close the gate."),
    ],
)
def test_a_reminder_is_set(somebody: Speaker, text: str, answer: str) -> None:
    """Whatever stands before it."""
    assert somebody.answer(text) == answer
