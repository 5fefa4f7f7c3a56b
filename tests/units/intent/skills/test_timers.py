"""Covers units.intent.skills.timers, timer_setting, timer_choice, timer_answers: timers, alarms and reminders."""

from typing import Any

import pytest

from tests.support.units.timer_board import Speaker


@pytest.fixture
def somebody() -> Speaker:
    """Return somebody without timers."""
    return Speaker()


STARTED = (
    ("set a timer for 5 minutes", [(300.0, "")], "The timer is set for 5 minutes."),
    ("set a pizza timer for 12 minutes", [(720.0, "pizza")], "Your pizza timer is set for 12 minutes."),
    ("uh set a timer for um five and a half minutes", [(330.0, "")], "The timer is set for 5 minutes and 30 seconds."),
    ("Could you please start a ten-minute timer?", [(600.0, "")], "The timer is set for 10 minutes."),
    ("would you mind setting a timer for ten minutes", [(600.0, "")], "The timer is set for 10 minutes."),
    ("um could you like set a timer for uh twenty five minutes", [(1500.0, "")], "The timer is set for 25 minutes."),
    ("I need a timer for 15 minutes", [(900.0, "")], "The timer is set for 15 minutes."),
    ("12 minute timer", [(720.0, "")], "The timer is set for 12 minutes."),
    ("timer for the eggs 4 minutes", [(240.0, "eggs")], "Your eggs timer is set for 4 minutes."),
    (
        "set a timer for 5 minutes and another for 10",
        [(300.0, ""), (600.0, "")],
        "2 timers are set: 5 minutes and 10 minutes.",
    ),
    ("set two timers for 5 and 10 minutes", [(300.0, ""), (600.0, "")], "2 timers are set: 5 minutes and 10 minutes."),
    ("count down from ten seconds", [(10.0, "")], "The timer is set for 10 seconds."),
    ("let me know in half an hour", [(1800.0, "")], "The timer is set for 30 minutes."),
    ("i have to start a timer for a quarter of an hour", [(900.0, "")], "The timer is set for 15 minutes."),
    ("the timer should run for six minutes", [(360.0, "")], "The timer is set for 6 minutes."),
    ("heads up in 15 minutes", [(900.0, "")], "The timer is set for 15 minutes."),
    ("could you maybe set a timer for like 7 minutes", [(420.0, "")], "The timer is set for 7 minutes."),
    (
        "timer for both 5 and 10 minutes",
        [(300.0, ""), (600.0, "")],
        "2 timers are set: 5 minutes and 10 minutes.",
    ),
    (
        "tell me in 20 minutes to drain the potatoes",
        [(1200.0, "drain the potatoes")],
        "I will remind you in 20 minutes: drain the potatoes.",
    ),
    ("set a timer until 3 pm", [(5400.0, "")], "The timer is set for 3 PM."),
    ("wake me up in 20 minutes", [(1200.0, "")], "I will wake you in 20 minutes."),
    ("remind me to call Mum in 10 minutes", [(600.0, "call Mum")], "I will remind you in 10 minutes: call Mum."),
    (
        "remind me in 10 minutes to take out the trash",
        [(600.0, "take out the trash")],
        "I will remind you in 10 minutes: take out the trash.",
    ),
)


@pytest.mark.parametrize(("text", "expected", "answer"), STARTED)
def test_a_timer_is_started(somebody: Speaker, text: str, expected: list[Any], answer: str) -> None:
    """With its length and its name."""
    assert somebody.answer(text) == answer
    assert [(row["seconds"], row["name"]) for row in somebody.timers.rows] == expected


ALARMS: tuple[tuple[str, str, list[int], str, str], ...] = (
    ("wake me at half past six on weekdays", "06:30", [0, 1, 2, 3, 4], "", "I will wake you at 6:30 AM on weekdays."),
    ("wake me up at 7", "07:00", [], "", "I will wake you at 7 AM tomorrow."),
    ("set an alarm for 6:30 tomorrow", "06:30", [], "2026-11-23", "The alarm is set for 6:30 AM tomorrow."),
    ("set my gym alarm for seven pm", "19:00", [], "", "Your gym alarm is set for 7 PM today."),
    ("alarm for friday at 8", "08:00", [], "2026-11-27", "The alarm is set for 8 AM on Friday."),
    ("sound an alarm to get me up at 6:15", "06:15", [], "", "The alarm is set for 6:15 AM tomorrow."),
    ("set up a wake up alarm for nine am", "09:00", [], "", "The alarm is set for 9 AM tomorrow."),
    ("i gotta be out of bed by 5 am", "05:00", [], "", "I will wake you at 5 AM tomorrow."),
    ("6 am alarm tomorrow", "06:00", [], "2026-11-23", "The alarm is set for 6 AM tomorrow."),
    ("remind me at 7 to feed the cat", "19:00", [], "", "I will remind you at 7 PM today: feed the cat."),
    (
        "remind me to feed the cat tomorrow at 7",
        "07:00",
        [],
        "2026-11-23",
        "I will remind you at 7 AM tomorrow: feed the cat.",
    ),
)


@pytest.mark.parametrize(("text", "time", "days", "date", "answer"), ALARMS)
def test_an_alarm_is_set(somebody: Speaker, text: str, time: str, days: list[int], date: str, answer: str) -> None:
    """Once, or every week."""
    assert somebody.answer(text) == answer
    assert [(row["time"], row["days"], row["date"]) for row in somebody.timers.rows] == [(time, days, date)]


def test_several_alarms_are_set(somebody: Speaker) -> None:
    """What is said of the last one's day holds for all."""
    answer = somebody.answer("set alarms for both 6 and 7 am on friday")

    assert answer == "The alarm is set for 6 AM on Friday. The alarm is set for 7 AM on Friday."
    assert [row["time"] for row in somebody.timers.rows] == ["06:00", "07:00"]


def test_a_mere_word_is_a_wish_without_its_length(somebody: Speaker) -> None:
    """So it is asked for."""
    assert somebody.answer("timer") == "For how long?"
    assert somebody.answer("timer for 5") == "For how long?"
    assert somebody.answer("alarm") == "At what time?"


def test_it_is_asked_by_how_much(somebody: Speaker) -> None:
    """Where a timer is to be longer or shorter."""
    somebody.timers.add(600, name="pizza")

    assert somebody.answer("shorten the timer") == "By how much?"
    assert somebody.answer("two minutes") == "The pizza timer now has 8 minutes left."
    assert somebody.answer("extend the pizza timer") == "By how much?"
    assert somebody.answer("a minute") == "The pizza timer now has 9 minutes left."


def test_the_next_one_is_the_one_that_rings_first(somebody: Speaker) -> None:
    """Of all of its kind."""
    somebody.timers.add_alarm("07:00")
    somebody.timers.add_alarm("08:00")

    assert somebody.answer("what is my next alarm") == "An alarm is set for 7 AM tomorrow."
    assert somebody.answer("delete the next alarm") == "The 7 AM alarm is cancelled."


def test_it_is_the_only_timer(somebody: Speaker) -> None:
    """Cancel what rings, or the only timer."""
    assert somebody.say("cancel it")[1] == "All right"
    somebody.timers.add(600, name="pizza")

    assert somebody.answer("cancel it") == "The pizza timer is cancelled."
    assert somebody.say("got it")[0] == [("timer_stop",)]


def test_a_room_is_told_where_the_home_has_it(somebody: Speaker) -> None:
    """An oven is no room, and so a name."""
    somebody.say("set a timer for 10 minutes in the kitchen")
    somebody.say("set a timer for 20 minutes in the oven")

    assert [(row["area"], row["name"]) for row in somebody.timers.rows] == [("kitchen", ""), ("", "oven")]


def test_what_is_missing_is_asked(somebody: Speaker) -> None:
    """And the reply completes the wish."""
    assert somebody.answer("set a timer") == "For how long?"
    assert somebody.answer("ten minutes") == "The timer is set for 10 minutes."
    assert somebody.answer("set a pizza timer") == "For how long?"
    assert somebody.answer("12") == "Your pizza timer is set for 12 minutes."
    assert somebody.answer("set a timer for a few minutes") == "For how long?"
    assert somebody.answer("make it five minutes") == "The timer is set for 5 minutes."
    assert somebody.answer("set an alarm for tomorrow") == "At what time?"
    assert somebody.answer("half past six") == "The alarm is set for 6:30 AM tomorrow."
    assert somebody.answer("remind me to call mum") == "When should I remind you?"
    assert somebody.answer("in an hour") == "I will remind you in 1 hour: call mum."


def test_something_new_is_no_reply(somebody: Speaker) -> None:
    """The question is forgotten."""
    somebody.say("set a timer")

    assert somebody.say("turn on the desk lamp")[0] == [("turn_on", "desk lamp")]
    assert somebody.timers.rows == []
    assert somebody.answer("ten minutes") == ""


def test_never_mind_ends_the_question(somebody: Speaker) -> None:
    """No timer is set."""
    somebody.say("set a timer")

    assert somebody.answer("never mind") == "All right"
    assert somebody.timers.rows == []


@pytest.mark.parametrize(
    "text",
    [
        "how long is left",
        "how much time is left on the timer",
        "how long is left on the pizza timer",
        "how much longer on the timer",
        "time left on the pizza timer",
        "when does the pizza timer go off",
        "how's the pizza timer doing",
        "is my timer still running",
        "what timers are running",
        "do i have any timers set",
        "list my timers",
    ],
)
def test_it_is_told_how_long_is_left(somebody: Speaker, text: str) -> None:
    """In minutes and seconds."""
    somebody.timers.add(200, name="pizza")

    assert somebody.answer(text) == "3 minutes and 20 seconds left on the pizza timer."


def test_of_several_timers_all_are_told(somebody: Speaker) -> None:
    """In the order in which they ring."""
    somebody.timers.add(3700, name="bread")
    somebody.timers.add(90)
    somebody.timers.add(300, name="eggs", state="paused")

    assert somebody.answer("how long is left") == (
        "1 minute and 30 seconds left on the timer for 1 minute and 30 seconds. "
        "The eggs timer is paused with 5 minutes left. 1 hour and 1 minute left on the bread timer."
    )


def test_alarms_are_told(somebody: Speaker) -> None:
    """With their days."""
    somebody.timers.add_alarm("06:30", (0, 1, 2, 3, 4))

    assert somebody.answer("when does my alarm go off") == ("An alarm is set for 6:30 AM on weekdays, in 17 hours.")
    assert somebody.answer("how many alarms do i have") == "There is 1. An alarm is set for 6:30 AM on weekdays."
    assert somebody.answer("what alarms do i have") == "An alarm is set for 6:30 AM on weekdays."
    assert somebody.answer("how long is left on my timer") == "There is no timer."


CHANGES = (
    (
        "add 5 minutes to the pizza timer",
        [("timer_list",), ("timer_change", 1, 300.0)],
        "The pizza timer now has 15 minutes left.",
    ),
    (
        "extend my timer by two minutes",
        [("timer_list",), ("timer_change", 1, 120.0)],
        "The pizza timer now has 12 minutes left.",
    ),
    ("five more minutes", [("timer_list",), ("timer_change", 1, 300.0)], "The pizza timer now has 15 minutes left."),
    (
        "take two minutes off the timer",
        [("timer_list",), ("timer_change", 1, -120.0)],
        "The pizza timer now has 8 minutes left.",
    ),
    ("take twenty minutes off the timer", [("timer_list",)], "The pizza timer has only 10 minutes left."),
    (
        "change the pizza timer to 15 minutes",
        [("timer_list",), ("timer_change", 1, 300.0)],
        "The pizza timer now has 15 minutes left.",
    ),
    ("pause the timer", [("timer_list",), ("timer_pause", 1)], "The pizza timer is paused with 10 minutes left."),
    ("cancel the timer", [("timer_list",), ("timer_cancel", 1)], "The pizza timer is cancelled."),
    ("stop the pizza timer", [("timer_list",), ("timer_cancel", 1)], "The pizza timer is cancelled."),
)


@pytest.mark.parametrize(("text", "calls", "answer"), CHANGES)
def test_a_timer_is_changed(somebody: Speaker, text: str, calls: list[Any], answer: str) -> None:
    """The only one is meant, named or not."""
    somebody.timers.add(600, name="pizza")

    assert somebody.say(text) == (calls, answer)


def test_a_paused_timer_goes_on(somebody: Speaker) -> None:
    """Only a paused one can."""
    somebody.timers.add(600, name="pizza", state="paused")

    assert somebody.answer("pause the timer") == "The pizza timer is paused with 10 minutes left."
    assert somebody.answer("resume the pizza timer") == "The pizza timer goes on, with 10 minutes left."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("cancel the second one", ["eggs", "bread"]),
        ("cancel the second timer", ["eggs", "bread"]),
        ("cancel the last timer", ["eggs", "pizza"]),
        ("delete timer 2", ["eggs", "bread"]),
        ("close the next timer", ["pizza", "bread"]),
        ("remove pizza timer", ["eggs", "bread"]),
        ("bread timer cancel it", ["eggs", "pizza"]),
        ("cancel the pizza timer", ["eggs", "bread"]),
        ("cancel the timer for the pizza", ["eggs", "bread"]),
        ("cancel the 5 minute timer", ["pizza", "bread"]),
        ("cancel the kitchen timer", ["eggs", "pizza"]),
        ("cancel all timers", []),
        ("delete all of my timers", []),
    ],
)
def test_one_of_several_is_cancelled(somebody: Speaker, text: str, left: list[str]) -> None:
    """By its name, its length, its place in the row, or its room."""
    somebody.timers.add(300, name="eggs")
    somebody.timers.add(600, name="pizza")
    somebody.timers.add(900, name="bread", area="kitchen")

    somebody.say(text)

    assert [row["name"] for row in somebody.timers.rows] == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("cancel all timers", ["call mom", "", "school"]),
        ("cancel all alarms", ["", "eggs", "call mom"]),
        ("cancel all reminders", ["", "eggs", "", "school"]),
    ],
)
def test_a_reminder_is_no_timer_and_no_alarm(somebody: Speaker, text: str, left: list[str]) -> None:
    """Who has all of one sort cancelled keeps the others."""
    for each in ("set a timer for 5 minutes", "set an eggs timer for 6 minutes", "remind me in 7 minutes to call mom"):
        somebody.say(each)
    for each in ("wake me at 6", "set an alarm for 7 called school"):
        somebody.say(each)

    somebody.say(text)

    assert sorted(row["name"] for row in somebody.timers.rows) == sorted(left)


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        ("the second one", ["eggs"]),
        ("pizza", ["eggs"]),
        ("the pizza one", ["eggs"]),
        ("ten minutes", ["eggs"]),
        ("both", []),
    ],
)
def test_it_is_asked_which_is_meant(somebody: Speaker, reply: str, left: list[str]) -> None:
    """And the reply may say it in any of these ways."""
    somebody.timers.add(300, name="eggs")
    somebody.timers.add(600, name="pizza")

    assert somebody.answer("cancel the timer") == "Which one: the eggs timer or the pizza timer?"
    somebody.say(reply)

    assert [row["name"] for row in somebody.timers.rows] == left


def test_the_timer_of_this_room_is_meant(somebody: Speaker) -> None:
    """Where each room has one."""
    somebody.timers.add(300, area="kitchen")
    somebody.timers.add(600, area="study")

    assert somebody.answer("cancel the timer", area="study") == "The timer for 10 minutes is cancelled."


def test_what_is_not_there_is_said(somebody: Speaker) -> None:
    """By its name."""
    assert somebody.answer("cancel the timer") == "There is no timer."
    assert somebody.answer("cancel the pizza timer") == "There is no pizza timer."
    assert somebody.answer("cancel my alarm") == "There is no alarm."
    assert somebody.answer("snooze") == "Nothing is ringing."


def test_an_alarm_is_moved(somebody: Speaker) -> None:
    """It keeps its days."""
    somebody.timers.add_alarm("06:30", (0, 1, 2, 3, 4), name="work")

    assert somebody.answer("change my alarm to 7") == "Your work alarm is set for 7 AM on weekdays."
    assert [(row["time"], row["days"]) for row in somebody.timers.rows] == [("07:00", [0, 1, 2, 3, 4])]


@pytest.mark.parametrize(
    ("reason", "answer"),
    [
        ("too_many", "There are too many timers already."),
        ("not_saved", "The timer could not be saved, so I did not set it."),
        ("failed", "That did not work: the disk is on fire."),
    ],
)
def test_a_failure_is_told_with_its_reason(somebody: Speaker, reason: str, answer: str) -> None:
    """And nothing is claimed."""
    somebody.timers.refusals["timer_start"] = reason, "That did not work: the disk is on fire."

    assert somebody.answer("set a timer for 5 minutes") == answer


def test_a_time_that_is_over_is_refused(somebody: Speaker) -> None:
    """Nobody is woken in the past."""
    assert somebody.answer("wake me today at 6 am") == "That time is over already."


SEVERAL = (
    ("set a timer for 5 minutes and turn off the desk lamp", [("timer_start", 300.0), ("turn_off", "desk lamp")]),
    ("turn off the desk lamp and set a timer for 5 minutes", [("turn_off", "desk lamp"), ("timer_start", 300.0)]),
    ("set a 5 minute timer and a 10 minute timer", [("timer_start", 300.0), ("timer_start", 600.0)]),
    (
        "set a timer for pasta for 8 minutes and a timer for sauce for 20 minutes",
        [("timer_start", 480.0, "pasta"), ("timer_start", 1200.0, "sauce")],
    ),
    (
        "set a timer for 5 minutes, turn on the desk lamp and lock the front door",
        [("timer_start", 300.0), ("turn_on", "desk lamp"), ("lock", "front door")],
    ),
)


@pytest.mark.parametrize(("text", "calls"), SEVERAL)
def test_several_wishes_are_divided(somebody: Speaker, text: str, calls: list[Any]) -> None:
    """Whether they are for the home or for a skill."""
    assert somebody.say(text)[0] == calls


def test_each_of_several_wishes_is_answered(somebody: Speaker) -> None:
    """In one answer."""
    answer = somebody.answer("set a timer for 5 minutes and lock the front door")

    assert answer == "The timer is set for 5 minutes. Locking."


def test_names_with_and_are_names(somebody: Speaker) -> None:
    """Nothing is divided where a part means nothing."""
    somebody.say("set a timer for 10 minutes for mac and cheese")
    somebody.say("remind me to wash the car and turn off the desk lamp in 10 minutes")

    assert [row["name"] for row in somebody.timers.rows] == [
        "mac and cheese",
        "wash the car and turn off the desk lamp",
    ]
