"""Covers unitd.runtime.skills.timers, timer_actions: what people do with timers, and what is refused."""

import asyncio
from typing import Any

import pytest

from tests.support.timer_board import START, TimerBoard
from tests.support.waiting import eventually
from unitd.core.outcomes import Reason, SkillReason
from unitd.runtime.skills.actions import ActionFailed, Where
from unitd.runtime.skills.timer_table import MAX_OF_TOKEN


async def test_several_timers_are_listed_in_the_order_in_which_they_ring(board: TimerBoard) -> None:
    """Each with what a person wants to know of it."""
    late, soon = await board.start(600, Where(area="kitchen", language="en"), name="pizza"), await board.start(60)
    await board.act("alarm_set", time="09:05", name="school")

    rows = await board.rows()

    assert [row["id"] for row in rows] == [soon, 3, late]
    assert rows[2] == {
        "id": late,
        "kind": "timer",
        "reminder": False,
        "name": "pizza",
        "area": "kitchen",
        "command": "",
        "state": "running",
        "due": START + 600,
        "left": 600,
        "seconds": 600,
        "time": "",
        "days": [],
        "date": "",
        "created": START,
        "language": "en",
        "missed": 0,
        "again": False,
    }


async def test_a_timer_for_another_room_belongs_to_it(board: TimerBoard) -> None:
    """Where a sentence names a room, that is not the one in which it was said."""
    await board.start(600, Where(area="kitchen"), area="bath")

    assert (await board.rows())[0]["area"] == "bath"


async def test_a_timer_is_changed_paused_resumed_and_cancelled(board: TimerBoard) -> None:
    """Its number stays, and is never used again."""
    number = await board.start(600)
    board.pass_time(100)

    longer = await board.act("timer_change", id=number, add_seconds=60)
    held = await board.act("timer_pause", id=number)
    board.pass_time(1000)
    resumed = await board.act("timer_resume", id=number)
    await board.act("timer_cancel", id=number)

    lefts = [each.data["timer"]["left"] for each in (longer, held, resumed)]
    assert lefts == [560, 560, 560]
    assert longer.data["timer"]["seconds"] == 660
    assert await board.rows() == []
    assert [what for what, _ in board.told()] == ["started", "changed", "changed", "changed", "cancelled"]
    assert await board.start(1) == number + 1


async def test_a_timer_that_is_shortened_below_nothing_rings(board: TimerBoard) -> None:
    """At once."""
    number = await board.start(60)

    await board.act("timer_change", id=number, add_seconds=-300)

    assert (await board.rows())[0]["left"] == 0


async def test_a_weekly_alarm_waits_for_its_next_day_when_it_is_stopped(board: TimerBoard) -> None:
    """It is a Friday; after Friday comes Monday."""
    await board.act("alarm_set", time="09:30", days=[4, 0])
    (friday,) = await board.rows()
    board.pass_time(1800)
    await eventually(lambda: board.told()[-1] == ("ringing", 1))

    await board.act("timer_stop")
    (monday,) = await board.rows()

    assert friday["due"] == START + 1800
    assert (monday["state"], monday["due"], monday["days"]) == ("running", START + 1800 + 3 * 86400, [0, 4])


@pytest.mark.parametrize(
    ("action", "arguments", "words"),
    [
        ("timer_start", {}, "seconds must be a number from 0"),
        ("timer_start", {"seconds": -1}, "seconds must be a number from 0"),
        ("timer_start", {"seconds": True}, "not True"),
        ("timer_start", {"seconds": 1e12}, "not 1000000000000.0"),
        ("timer_start", {"seconds": 1, "name": 7}, "name must be a text"),
        ("timer_start", {"seconds": 1, "name": "x" * 301}, "at most 300 characters"),
        ("alarm_set", {"time": "6:30"}, 'a time such as "06:30"'),
        ("alarm_set", {"time": "24:00"}, 'a time such as "06:30"'),
        ("alarm_set", {"time": "06:30", "days": [7]}, "0 (Monday) to 6"),
        ("alarm_set", {"time": "06:30", "days": [True]}, "0 (Monday) to 6"),
        ("alarm_set", {"time": "06:30", "date": "2026-02-30"}, 'a date such as "2026-02-28"'),
        ("alarm_set", {"time": "06:30", "date": "2027-02-01", "days": [1]}, "absent where days are given"),
        ("timer_change", {"id": 1}, "add_seconds must be a number"),
        ("timer_change", {"add_seconds": 5}, "id must be the number of a timer"),
        ("timer_change", {"id": 1, "add_seconds": 3e9}, "too long"),
        ("timer_cancel", {"id": "1"}, "id must be a whole number"),
        ("timer_snooze", {"seconds": 0}, "seconds must be a number from 1"),
    ],
)
async def test_a_wrong_argument_is_refused_with_what_would_be_right(
    board: TimerBoard, action: str, arguments: dict[str, Any], words: str
) -> None:
    """And the timers stay as they are."""
    await board.start(1e9)

    with pytest.raises(ActionFailed) as failure:
        await board.act(action, **arguments)

    assert words in str(failure.value)
    assert failure.value.reason is Reason.NOT_ALLOWED
    assert len(await board.rows()) == 1


@pytest.mark.parametrize(
    ("action", "arguments", "reason"),
    [
        ("timer_pause", {"id": 9}, SkillReason.UNKNOWN_TIMER),
        ("timer_snooze", {}, SkillReason.UNKNOWN_TIMER),
        ("alarm_set", {"time": "06:30", "date": "2020-01-01"}, SkillReason.PASSED),
    ],
)
async def test_what_cannot_be_done_has_its_reason(
    board: TimerBoard, action: str, arguments: dict[str, Any], reason: Reason
) -> None:
    """For the words of the skill."""
    with pytest.raises(ActionFailed) as failure:
        await board.act(action, **arguments)

    assert failure.value.reason is reason


async def test_a_token_has_its_own_timers(board: TimerBoard) -> None:
    """It sees no others, and this machine sees all."""
    garden, attic = Where(grant_name="garden"), Where(grant_name="attic")
    number = await board.start(600, garden)

    with pytest.raises(ActionFailed, match="There is no timer"):
        await board.act("timer_cancel", attic, id=number)

    assert await board.rows(attic) == []
    assert len(await board.rows(garden)) == len(await board.rows()) == 1


async def test_a_token_cannot_fill_the_board(board: TimerBoard) -> None:
    """Others still have room."""
    garden = Where(grant_name="garden")
    await asyncio.gather(*[board.start(600, garden) for _ in range(MAX_OF_TOKEN)])

    with pytest.raises(ActionFailed) as failure:
        await board.start(600, garden)

    assert failure.value.reason is SkillReason.TOO_MANY
    assert await board.start(600) == MAX_OF_TOKEN + 1
