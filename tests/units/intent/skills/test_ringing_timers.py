"""Covers units.intent.skills.timers, timer_choice: what is said while something rings."""

import pytest

from tests.support.units.timer_board import Speaker


@pytest.fixture
def somebody() -> Speaker:
    """Return somebody without timers."""
    return Speaker()


@pytest.mark.parametrize(
    "text", ["stop", "stop it", "OK stop!", "be quiet", "that's enough", "stop the timer", "turn off the alarm"]
)
def test_stop_ends_what_rings(somebody: Speaker, text: str) -> None:
    """In a few words."""
    kind = {"kind": "alarm", "time": "13:30"} if "alarm" in text else {}
    somebody.timers.add(0, name="pizza", state="ringing", **kind)

    assert somebody.answer(text) in ("The pizza timer has stopped.", "The pizza alarm has stopped.")
    assert somebody.timers.rows == []


def test_an_alarm_of_every_week_that_rings_is_not_lost(somebody: Speaker) -> None:
    """To cancel it while it rings is to stop it."""
    somebody.timers.add_alarm("06:30", (0, 1, 2, 3, 4), state="ringing")

    assert somebody.say("cancel the alarm")[0] == [("timer_list",), ("timer_stop",)]


def test_another_timer_rings_on(somebody: Speaker) -> None:
    """Where one is named that does not ring."""
    somebody.timers.add(0, name="eggs", state="ringing")
    somebody.timers.add(300, name="pizza")

    somebody.say("stop the pizza timer")

    assert [row["name"] for row in somebody.timers.rows] == ["eggs"]
    assert somebody.answer("cancel my alarm") == "There is no alarm."


def test_stop_means_what_it_did_where_nothing_rings(somebody: Speaker) -> None:
    """All right."""
    somebody.timers.add(600)

    assert somebody.say("stop") == ([("timer_stop",)], "All right")
    assert len(somebody.timers.rows) == 1
    somebody.timers.refusals["timer_stop"] = "failed", "This board cannot do that."
    assert somebody.answer("stop") == "All right"


@pytest.mark.parametrize(
    ("text", "left"),
    [("snooze", 540), ("snooze for ten minutes", 600), ("five more minutes", 300), ("wake me again in 5 minutes", 300)],
)
def test_what_rings_is_put_off(somebody: Speaker, text: str, left: float) -> None:
    """For nine minutes, or as long as is said."""
    somebody.timers.add(0, kind="alarm", time="13:30", state="ringing")

    assert somebody.answer(text) == f"I will ring again in {left // 60:.0f} minutes."


@pytest.mark.parametrize("text", ["what is ringing?", "which timer is beeping", "is anything going off?"])
def test_what_rings_is_told(somebody: Speaker, text: str) -> None:
    """Tell what rings, or that nothing does."""
    assert somebody.answer(text) == "Nothing is ringing."
    somebody.timers.add(600)
    somebody.timers.add(0, name="pizza", state="ringing")

    assert somebody.answer(text) == "The pizza timer is ringing."
