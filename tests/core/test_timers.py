"""Covers unitd.core.timers."""

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from unitd.core.timers import (
    Moment,
    State,
    Timer,
    after_jump,
    after_new_zone,
    after_reboot,
    check,
    in_order,
    lengthened,
    next_time,
    paused,
    row_of,
    running,
    scheduled,
    seconds_left,
)

BERLIN = ZoneInfo("Europe/Berlin")
APIA = ZoneInfo("Pacific/Apia")
YEAR = 365 * 86400.0
NOW = Moment(1_800_000_000.0, 1000.0, "boot 1")
TIMER = Timer(1, "timer", NOW.wall, name="pizza", seconds=600)


def at(text: str, zone: ZoneInfo = BERLIN) -> float:
    """Return the seconds since 1970 of a local time; the first of two where it exists twice."""
    return datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()


def alarm(time: str, days: tuple[int, ...] = (), date: str = "") -> Timer:
    """Return an alarm that has not been reckoned yet."""
    return Timer(1, "alarm", NOW.wall, time=time, days=days, date=date, set_in=NOW.boot_id)


def later(seconds: float, *, wall: float | None = None) -> Moment:
    """Return the moment after so many seconds; the clock on the wall may have been set meanwhile."""
    return Moment(NOW.wall + seconds if wall is None else wall, NOW.boot + seconds, NOW.boot_id)


@pytest.mark.parametrize(
    ("after", "given", "due"),
    [
        ("2026-03-10 05:00", alarm("06:30"), "2026-03-10 06:30"),
        ("2026-03-10 06:30", alarm("06:30"), "2026-03-11 06:30"),
        ("2026-03-13 07:00", alarm("06:30", (0, 1, 2, 3, 4)), "2026-03-16 06:30"),
        ("2026-03-10 07:00", alarm("06:30", (1,)), "2026-03-17 06:30"),
        ("2026-03-10 05:00", alarm("06:30", (), "2028-02-29"), "2028-02-29 06:30"),
        ("2026-12-31 23:59", alarm("00:00"), "2027-01-01 00:00"),
        ("2026-03-28 12:00", alarm("07:00"), "2026-03-29 07:00"),  # the night is an hour shorter, not the morning
        ("2026-10-24 12:00", alarm("07:00"), "2026-10-25 07:00"),
    ],
)
def test_an_alarm_rings_at_the_next_such_time(after: str, given: Timer, due: str) -> None:
    """By the clock on the wall, whatever the clocks do in the night before."""
    assert next_time(given, at(after), BERLIN) == at(due)


def test_an_alarm_whose_time_does_not_exist_rings_at_the_next_that_does() -> None:
    """In spring 02:30 does not exist: the clocks go from 02:00 to 03:00."""
    due = next_time(alarm("02:30"), at("2026-03-28 12:00"), BERLIN)

    assert due == at("2026-03-29 03:00")
    assert next_time(alarm("02:30"), due, BERLIN) == at("2026-03-30 02:30")


def test_an_alarm_whose_time_exists_twice_rings_once() -> None:
    """In autumn 02:30 comes again an hour later; the next ring is that of the next day."""
    first = next_time(alarm("02:30", (0, 1, 2, 3, 4, 5, 6)), at("2026-10-24 12:00"), BERLIN)

    assert first == at("2026-10-25 02:30")
    assert next_time(alarm("02:30"), first, BERLIN) == at("2026-10-26 02:30")
    assert at("2026-10-26 02:30") - first == 25 * 3600


def test_an_alarm_on_a_day_that_a_zone_left_out_rings_when_it_is_over() -> None:
    """Samoa had no 30 December 2011."""
    due = next_time(alarm("08:00", (), "2011-12-30"), at("2011-12-29 12:00", APIA), APIA)

    assert due == at("2011-12-31 00:00", APIA)


def test_an_alarm_whose_date_is_over_has_no_next_time() -> None:
    """Neither has a weekly one without days before its date."""
    assert next_time(alarm("06:30", (), "2020-01-01"), at("2026-03-10 05:00"), BERLIN) is None
    assert scheduled(alarm("06:30", (), "2020-01-01"), NOW, BERLIN) is None


@pytest.mark.parametrize("year", [YEAR, -YEAR])
def test_a_timer_does_not_notice_that_the_clock_is_set(year: float) -> None:
    """Show that the seconds left stay, and that the time of day at which it rings changes with the clock."""
    timer = running(TIMER, 600, NOW)
    now = later(100, wall=NOW.wall + 100 + year)

    assert seconds_left(timer, now) == 500
    assert after_jump(timer, year, now, BERLIN) is timer
    assert row_of(timer, now)["due"] == pytest.approx(now.wall + 500)


def test_a_timer_of_another_boot_follows_the_clock_on_the_wall() -> None:
    """The board was away for five minutes of its ten."""
    timer = running(TIMER, 600, NOW)
    now = Moment(NOW.wall + 300, 20.0, "boot 2")

    taken = after_reboot(timer, NOW.offset, now)

    assert seconds_left(taken, now) == 300
    assert after_reboot(timer, NOW.offset, later(10)) is timer


def test_a_paused_timer_keeps_what_is_left() -> None:
    """However long the pause is, and over a reboot."""
    stopped = paused(running(TIMER, 600, NOW), later(200))
    next_boot = Moment(NOW.wall + 90_000, 20.0, "boot 2")

    assert row_of(after_reboot(stopped, NOW.offset, next_boot), next_boot)["left"] == 400
    assert row_of(stopped, later(5000))["due"] is None
    assert seconds_left(running(stopped, stopped.left, next_boot), next_boot) == 400


def test_a_timer_is_lengthened_and_shortened() -> None:
    """Also while it is paused; its length is told with what was added."""
    timer = running(TIMER, 600, NOW)

    longer = lengthened(timer, 660, NOW)
    shorter = lengthened(paused(timer, NOW), 60, NOW)

    assert (seconds_left(longer, NOW), longer.seconds) == (660, 660)
    assert (seconds_left(shorter, NOW), shorter.seconds) == (60, 60)


def test_an_alarm_that_was_set_by_a_wrong_clock_moves_with_it() -> None:
    """A board without a battery starts in 1970 and learns the time later."""
    wrong = Moment(1000.0, 1000.0, NOW.boot_id)
    planned = scheduled(replace(alarm("06:30"), created=wrong.wall), wrong, BERLIN)
    assert planned is not None

    moved = after_jump(planned, NOW.wall - wrong.wall, NOW, BERLIN)

    assert moved.end == next_time(planned, NOW.wall, BERLIN)
    assert after_jump(moved, wrong.wall - NOW.wall, wrong, BERLIN).end == planned.end


def test_an_alarm_of_an_earlier_boot_that_a_jump_passes_is_late() -> None:
    """The board was switched off meanwhile; so is one with a date, and any that a small correction passes."""
    planned = scheduled(alarm("06:30"), NOW, BERLIN)
    dated = scheduled(alarm("06:30", (), "2027-03-01"), NOW, BERLIN)
    assert planned is not None and dated is not None
    old = replace(planned, set_in="boot 0")
    jumped = later(0, wall=NOW.wall + YEAR)

    assert after_jump(old, YEAR, jumped, BERLIN) is old
    assert after_jump(dated, YEAR, jumped, BERLIN) is dated
    assert after_jump(planned, 60, later(0, wall=NOW.wall + 60), BERLIN) is planned
    assert seconds_left(old, jumped) < 0


def test_an_alarm_follows_the_board_into_another_zone() -> None:
    """Half past six is another moment there; what counts elapsed time stays."""
    planned = scheduled(alarm("06:30"), NOW, BERLIN)
    assert planned is not None
    timer = running(TIMER, 600, NOW)

    moved = after_new_zone(planned, NOW, ZoneInfo("America/New_York"))

    assert datetime.fromtimestamp(moved.end, ZoneInfo("America/New_York")).strftime("%H:%M") == "06:30"
    assert after_new_zone(timer, NOW, BERLIN) is timer


def test_timers_are_told_in_the_order_in_which_they_ring() -> None:
    """Timers and alarms together, paused ones last."""
    soon, late = running(TIMER, 5, NOW), running(replace(TIMER, id=2), 500, NOW)
    held = paused(running(replace(TIMER, id=3), 1, NOW), NOW)
    morning = replace(alarm("06:30"), id=4, end=NOW.wall + 60)

    ordered = in_order([held, late, morning, soon], NOW)

    assert [each.id for each in ordered] == [1, 4, 2, 3]


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": "1"},
        {"end": float("inf")},
        {"name": 7},
        {"kind": "alarm", "time": "6"},
        {"setup": []},
        {"days": None},
        {"days": [1]},
    ],
)
def test_a_damaged_timer_is_refused(wrong: dict[str, object]) -> None:
    """Before it can stop the daemon each time that it is read."""
    check(running(TIMER, 5, NOW))

    with pytest.raises((ValueError, TypeError)):
        check(replace(TIMER, state=State.RUNNING, **wrong))  # type: ignore[arg-type]
