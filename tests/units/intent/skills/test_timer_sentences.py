"""Covers units.intent.skills.timer_said, timer_name: timers in sentences of any order, and what is no name of one."""

import pytest

from tests.support.units.timer_board import Speaker
from units.intent.skills.timer_setting import read_reminder


@pytest.fixture
def somebody() -> Speaker:
    """Return somebody without timers."""
    return Speaker()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("set a timer for nine minutes beginning now", [("", 540)]),
        ("make a timer that is set to ring after 40 minutes", [("", 2400)]),
        ("start one more timer for 6 minutes", [("", 360)]),
        ("in 12 minutes the timer should ring", [("", 720)]),
        ("begin the timer right now and end at eight minutes", [("", 480)]),
        ("the timer needs to have 11 minutes on it", [("", 660)]),
        ("start 45 minutes for the roast", [("roast", 2700)]),
        ("can you time 4 minutes for my coffee", [("coffee", 240)]),
        ("time my pancakes for 3 minutes", [("pancakes", 180)]),
        ("I'm boiling potatoes, timer for 20 minutes", [("", 1200)]),
        ("set a timer for 20 minutes because I'm boiling potatoes", [("", 1200)]),
        ("set a warm up timer for 5 minutes", [("warm up", 300)]),
        ("set two timers for 5 minutes and 10 minutes", [("", 300), ("", 600)]),
    ],
)
def test_a_timer_is_set(somebody: Speaker, text: str, expected: list[tuple[str, float]]) -> None:
    """A word of the grammar is no name."""
    somebody.say(text)

    assert [(row["name"], row["seconds"]) for row in somebody.timers.rows] == expected


@pytest.mark.parametrize(
    "text",
    [
        "set the timer back 5 minutes",
        "stop the timer in 5 minutes",
        "let the timer keep another 5 minutes",
        "I had a timer for 5 minutes",
        "the timer is at 5 minutes",
        "start the dishwasher in 10 minutes",
        "time for a 5 minute break",
    ],
)
def test_nothing_is_set(somebody: Speaker, text: str) -> None:
    """Leave sentences that only sound like an order."""
    somebody.say(text)

    assert somebody.timers.rows == []


def test_a_name_that_is_introduced_may_be_any_word(somebody: Speaker) -> None:
    """Take any word as a name after "called"."""
    assert somebody.answer("set a timer called later for 5 minutes") == "Your later timer is set for 5 minutes."


@pytest.mark.parametrize(("text", "left"), [("cancel timer one", [2]), ("cancel timer two", [1])])
def test_a_timer_is_counted(somebody: Speaker, text: str, left: list[int]) -> None:
    """In words as in digits."""
    somebody.timers.add(300)
    somebody.timers.add(600)

    somebody.say(text)

    assert [row["id"] for row in somebody.timers.rows] == left


@pytest.mark.parametrize(
    "text", ["how long left on the roast?", "is the roast ready yet", "when will my roast be done"]
)
def test_a_timer_is_known_by_its_name(somebody: Speaker, text: str) -> None:
    """Without the word; where there is no such timer, the question is about something else."""
    somebody.timers.add(600)
    assert somebody.answer(text) == ""
    somebody.timers.add(300, name="roast")

    assert somebody.answer(text) == "5 minutes left on the roast timer."


def test_a_timer_is_cancelled_by_its_name(somebody: Speaker) -> None:
    """And what has no such timer is something else."""
    somebody.timers.add(300, name="roast")

    assert "cancelled" not in somebody.answer("stop the radio")
    assert "cancelled" not in somebody.answer("stop the roast show")
    assert somebody.answer("stop the roast") == "The roast timer is cancelled."


@pytest.mark.parametrize(("text", "left"), [("make it 2 minutes longer", 420), ("how much longer", 300)])
def test_it_is_the_only_timer(somebody: Speaker, text: str, left: int) -> None:
    """Without a timer it is something else."""
    assert somebody.answer(text) == ""
    somebody.timers.add(300)

    assert f"{left // 60} minutes left" in somebody.answer(text)


def test_a_number_alone_is_no_time_of_day(somebody: Speaker) -> None:
    """Ask for how long, as a mere number has no unit."""
    assert somebody.answer("timer 20") == "For how long?"
    assert somebody.answer("set a timer for 20") == "For how long?"


@pytest.mark.parametrize("text", ["cancel both", "delete them", "stop all of them"])
def test_several_are_cancelled_by_a_pronoun(somebody: Speaker, text: str) -> None:
    """Only timers, and only where there are as many; an alarm stays, and so does what is to be done later."""
    somebody.timers.add_alarm("06:30", ())
    somebody.timers.add(600)
    with_one = somebody.answer(text)
    somebody.timers.add(900)
    somebody.timers.add(60, command="unmute")

    assert (with_one, somebody.answer(text)) == ("", "Both are cancelled.")
    assert somebody.answer("which alarms are set") != "No alarm is set."


@pytest.mark.parametrize("text", ["cancel the timer and the alarm", "delete both the alarm and the timer"])
def test_two_are_cancelled(somebody: Speaker, text: str) -> None:
    """Cancel a timer and an alarm that one sentence names."""
    somebody.timers.add(600)
    somebody.timers.add_alarm("06:30", ())

    assert somebody.answer(text) == "Both are cancelled."
    assert somebody.timers.rows == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at 8 tomorrow set off my alarm", [("08:00", [])]),
        ("set an alarm for 515am and another a quarter of an hour later", [("05:15", []), ("05:30", [])]),
        ("wake me daily at 6 am except on weekends", [("06:00", [0, 1, 2, 3, 4])]),
        ("set an alarm every day except Wednesday at 9 am", [("09:00", [0, 1, 3, 4, 5, 6])]),
    ],
)
def test_an_alarm_is_set(somebody: Speaker, text: str, expected: list[tuple[str, list[int]]]) -> None:
    """A length of time after another, or on all days but some."""
    somebody.say(text)

    assert [(row["time"], row["days"]) for row in somebody.timers.rows] == expected


@pytest.mark.parametrize("text", ["of the tasks on my to-do list", "about all items on my list"])
def test_what_is_on_a_list_is_no_reminder(text: str) -> None:
    """Leave a question for a list to the skill of lists."""
    assert read_reminder(text, "en") is None
    assert read_reminder(f"{text} at 5", "en") is not None
