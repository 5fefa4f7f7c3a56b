"""Covers unitd.runtime.skills.rings, ringer: what is due rings, and what ends it."""

import asyncio
from collections.abc import Callable

import pytest

from tests.support.timer_board import START, TimerBoard
from tests.support.waiting import eventually
from unitd.runtime.skills import ringer
from unitd.runtime.skills.actions import Where
from unitd.runtime.skills.rings import MAX_LATE_SECONDS, RING_SECONDS

YEAR = 365 * 86400.0


async def rings(board: TimerBoard) -> None:
    """Return when something rings."""
    await eventually(lambda: "ringing" in [each for each, _ in board.told()])


async def test_a_timer_rings_when_it_is_due(board: TimerBoard) -> None:
    """Not before; until somebody stops it, and then it is gone."""
    number = await board.start(600, name="pizza")
    board.pass_time(599)
    early = (await board.rows())[0]["state"]

    board.pass_time(1)
    await eventually(lambda: board.loudspeaker.rings == [0])
    ringing = await board.rows()
    stopped = await board.act("timer_stop")

    assert early == "running"
    assert (ringing[0]["state"], ringing[0]["missed"], ringing[0]["left"]) == ("ringing", 0, 0)
    assert [each["id"] for each in stopped.data["stopped"]] == [number]
    assert board.told() == [("started", number), ("ringing", number), ("stopped", number)]
    assert await board.rows() == []
    await eventually(lambda: board.loudspeaker.stops == 1)
    assert board.metrics.rings == {"stopped": 1}


async def test_a_timer_of_0_seconds_rings_at_once(board: TimerBoard) -> None:
    """As one of a millisecond."""
    await board.start(0)

    await eventually(lambda: board.loudspeaker.rings == [0])


async def test_a_timer_of_10_years_waits(boards: Callable[..., TimerBoard]) -> None:
    """Over a reboot nine years later, and rings in its second."""
    board = boards()
    await board.start(10 * YEAR)
    await board.die()

    later = boards(wall=START + 10 * YEAR - 1, boot=1000 + 10 * YEAR - 1)
    (row,) = await later.rows()
    later.pass_time(1)

    assert row["left"] == pytest.approx(1)
    await rings(later)


async def test_a_thousand_timers_ring(board: TimerBoard) -> None:
    """All of them, in their order; one sound is enough."""
    numbers = await asyncio.gather(*[board.start(600 + each) for each in range(1000)])
    refused = await board.timers.commands.delay(1, "turn off the fan", {}, "")

    board.pass_time(1600)
    await eventually(lambda: len(board.told()) == 2000, timeout=20)

    assert not refused  # a token has room for so many
    assert [number for what, number in board.told() if what == "ringing"] == numbers
    assert len((await board.act("timer_stop")).data["stopped"]) == 1000
    assert await board.rows() == []


async def test_a_ring_grows(board: TimerBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    """The audio program bounds it."""
    monkeypatch.setattr(ringer, "EVERY_SECONDS", 0.001)

    await board.start(0)
    await eventually(lambda: len(board.loudspeaker.rings) > 8)

    assert board.loudspeaker.rings[:8] == list(range(8))


async def test_the_loudspeaker_is_made_ready_before_the_ring(board: TimerBoard) -> None:
    """A quarter of a minute before; not for a timer that runs for hours."""
    await board.start(3600)
    board.pass_time(3600 - 16)
    await board.rows()
    early = board.loudspeaker.is_prepared

    board.pass_time(2)

    await eventually(lambda: board.loudspeaker.is_prepared)
    assert not early


async def test_a_broken_loudspeaker_is_told_in_the_log(
    board: TimerBoard, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once for all the rings; clients are told of the ring."""
    board.loudspeaker.is_broken = True
    monkeypatch.setattr(ringer, "EVERY_SECONDS", 0.001)

    await board.start(0)
    await eventually(lambda: "the ring is not heard" in caplog.text)
    board.loudspeaker.is_broken = False
    await eventually(lambda: bool(board.loudspeaker.rings))

    assert caplog.text.count("the ring is not heard") == 1
    assert ("ringing", 1) in board.told()


async def test_a_ring_that_nobody_stops_is_given_up(board: TimerBoard, caplog: pytest.LogCaptureFixture) -> None:
    """Counted and logged; a weekly alarm waits for its next day."""
    await board.act("alarm_set", time="10:00", days=[0, 1, 2, 3, 4, 5, 6])
    board.pass_time(3600)
    await rings(board)

    board.pass_time(RING_SECONDS - 1)
    await board.rows()
    before = board.told()[-1]
    board.pass_time(1)
    await eventually(lambda: board.told()[-1] == ("stopped", 1))

    assert before == ("ringing", 1)
    assert board.events[-1].reason == "unanswered"
    assert board.metrics.rings == {"unanswered": 1}
    assert "nobody stopped it" in caplog.text
    assert (await board.rows())[0]["due"] == START + 3600 + 86400


async def test_a_wake_word_ends_the_ring_and_snooze_may_follow(board: TimerBoard) -> None:
    """ "Hey Jarvis" silences it; "snooze" is about what rang, and the same timer rings again."""
    number = await board.start(0, name="pizza")
    await rings(board)

    board.timers.wake()
    silent = await board.rows()
    snoozed = await board.act("timer_snooze", seconds=60)
    board.pass_time(60)
    await eventually(lambda: board.told()[-1] == ("ringing", number))

    assert silent == []
    assert (snoozed.data["timer"]["state"], snoozed.data["timer"]["left"]) == ("snoozed", 60)
    assert board.metrics.rings == {"wake": 1, "snoozed": 1}


async def test_stop_after_a_wake_word_is_about_the_ring_that_it_ended(board: TimerBoard) -> None:
    """Once; and not a minute later."""
    await board.start(0)
    await rings(board)
    board.timers.wake()

    first, second = await board.act("timer_stop"), await board.act("timer_stop")

    assert len(first.data["stopped"]) == 1
    assert second.data["stopped"] == []


async def test_what_rings_in_the_room_is_stopped_first(board: TimerBoard) -> None:
    """Elsewhere only if nothing rings here."""
    kitchen, bath = Where(area="kitchen"), Where(area="bath")
    first, second = await board.start(0, kitchen), await board.start(0, bath)
    await eventually(lambda: board.told().count(("ringing", second)) == 1)

    here = await board.act("timer_stop", bath)
    there = await board.act("timer_stop", bath)

    assert [each["id"] for each in here.data["stopped"]] == [second]
    assert [each["id"] for each in there.data["stopped"]] == [first]


@pytest.mark.parametrize("jump", [YEAR, -YEAR])
async def test_a_timer_rings_in_time_while_the_clock_is_set_by_a_year(board: TimerBoard, jump: float) -> None:
    """And does not say that it is late."""
    await board.start(600)
    board.pass_time(300, jump=jump)
    (row,) = await board.rows()

    board.pass_time(300)
    await rings(board)

    assert (row["state"], row["left"]) == ("running", 300)
    assert row["due"] == pytest.approx(START + 600 + jump)
    assert (await board.rows())[0]["missed"] == 0


@pytest.mark.parametrize("jump", [YEAR, -YEAR])
async def test_an_alarm_moves_with_a_clock_that_was_wrong(board: TimerBoard, jump: float) -> None:
    """The next half past six of the new time, without a ring in between."""
    await board.act("alarm_set", time="06:30")

    board.pass_time(10, jump=jump)
    await eventually(lambda: board.told()[-1] == ("changed", 1))
    (row,) = await board.rows()

    assert row["state"] == "running"
    assert 0 < row["left"] <= 86400


async def test_an_alarm_with_a_date_that_a_jump_passes_says_that_it_is_late(board: TimerBoard) -> None:
    """It rings at once."""
    await board.act("alarm_set", time="06:30", date="2027-02-01")

    board.pass_time(10, jump=YEAR)
    await rings(board)

    assert (await board.rows())[0]["missed"] > 300 * 86400


async def test_a_command_is_done_when_it_is_due(board: TimerBoard) -> None:
    """In the room and the languages of the task that was told, without a sound."""
    setup = {"area": "kitchen", "language": ["de", "en"], "prompt": "Be brief."}
    assert await board.timers.commands.delay(300, "turn off the fan", setup, "")
    board.pass_time(299)
    await board.rows()
    early = list(board.done)

    board.pass_time(1)
    await eventually(lambda: board.told()[-1] == ("stopped", 1))

    assert early == []
    assert board.done == [("turn off the fan", {"area": "kitchen", "language": ["de", "en"]})]
    assert (board.loudspeaker.rings, board.events[-1].reason) == ([], "done")
    assert await board.rows() == []


async def test_a_command_that_is_long_overdue_is_left_undone(
    boards: Callable[..., TimerBoard], caplog: pytest.LogCaptureFixture
) -> None:
    """A lamp that goes out an hour late surprises; the log and the metrics have it."""
    board = boards()
    await board.start(300, command="turn off the fan")
    await board.die()

    late = boards(wall=START + 300 + MAX_LATE_SECONDS + 60, boot=2000)
    rows = await late.rows()

    assert (rows, late.done) == ([], [])
    assert "left undone" in caplog.text
    assert late.told() == [("missed", 1)]
    assert late.metrics.rings == {"missed": 1}


async def test_an_alarm_follows_the_board_into_another_zone(board: TimerBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    """The zone is looked at now and then."""
    await board.act("alarm_set", time="06:30")
    before = (await board.rows())[0]["due"]
    monkeypatch.setenv("TZ", "America/New_York")
    monkeypatch.setattr("unitd.runtime.skills.rings.LONGEST_SLEEP_SECONDS", 0.01)

    board.pass_time(1)
    await eventually(lambda: board.told()[-1] == ("changed", 1))

    assert (await board.rows())[0]["due"] == before + 6 * 3600 - 86400


async def test_one_of_several_rings_is_stopped_by_its_number(board: TimerBoard) -> None:
    """As the buttons of the page do; without a room "stop" ends them all."""
    first, second, third = [await board.start(0, Where(area=area)) for area in ("kitchen", "", "bath")]
    await eventually(lambda: board.told()[-1] == ("ringing", third))

    one = await board.act("timer_stop", id=second)
    rest = await board.act("timer_stop")

    assert [each["id"] for each in one.data["stopped"]] == [second]
    assert {each["id"] for each in rest.data["stopped"]} == {first, third}
