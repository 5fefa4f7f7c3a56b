"""Covers unitd.core.access.rate_limit: so many in any minute, not in each."""

import pytest

from unitd.core.access.rate_limit import SlidingWindow


def test_as_many_as_the_limit_pass_at_once() -> None:
    """The next one has to wait."""
    window = SlidingWindow(3, 60.0)

    taken = [window.take(100.0) for _ in range(4)]

    assert taken == [True, True, True, False]


def test_a_place_is_free_when_its_event_is_as_old_as_the_window() -> None:
    """Places come back one by one, as they were taken."""
    window = SlidingWindow(2, 60.0)
    window.take(0.0)
    window.take(30.0)

    assert [window.take(59.9), window.take(60.0), window.take(60.0), window.take(90.0)] == [False, True, False, True]


def test_a_refused_event_takes_no_place() -> None:
    """A client that keeps trying is let in as early as one that waits."""
    window = SlidingWindow(1, 10.0)
    window.take(0.0)

    refused = [window.take(second / 10) for second in range(1, 100)]

    assert not any(refused)
    assert window.take(10.0)


def test_it_tells_how_long_to_wait() -> None:
    """Until the oldest event leaves the window."""
    window = SlidingWindow(2, 60.0)
    window.take(100.0)
    window.take(110.0)

    assert window.seconds_until_room(130.0) == 30.0
    assert window.seconds_until_room(1000.0) == 0.0


def test_who_waits_as_long_as_told_is_let_in() -> None:
    """Also where binary fractions do not add up."""
    window = SlidingWindow(1, 0.3)
    window.take(0.1)
    now = 0.2

    now += window.seconds_until_room(now)

    assert window.take(now)


def test_there_is_nothing_to_wait_for_while_there_is_room() -> None:
    """An empty window and a half-full one."""
    window = SlidingWindow(2, 60.0)
    before = window.seconds_until_room(0.0)
    window.take(0.0)

    assert (before, window.seconds_until_room(0.0)) == (0.0, 0.0)


@pytest.mark.parametrize(("limit", "seconds"), [(0, 60.0), (25, 0.0), (0, 0.0)])
def test_zero_is_no_limit(limit: int, seconds: float) -> None:
    """Any number of events is allowed, and no event is remembered."""
    window = SlidingWindow(limit, seconds)

    assert all(window.take(0.0) for _ in range(1000))
    assert window.seconds_until_room(0.0) == 0.0
