"""Small versions of bench.soak, bench.kills, bench.timers and bench.fuzz; how long things take is measured there."""

import statistics
from pathlib import Path

import pytest

from bench.fuzz import fuzz
from bench.kills import kills
from bench.soak import growth, soak
from bench.timers import kills as kills_of_timers
from bench.timers import lateness
from tests.support.waiting import MS

CLIENTS, SECONDS = 30, 7
FRAMES = 5_000
TIMES = 4
TIMER_TIMES = 8


@pytest.mark.alone
@pytest.mark.timeout(120)
async def test_the_polite_do_not_notice_the_others(tmp_path: Path) -> None:
    """Slow, silent, vanishing, flooding and malformed clients cost them no reply and no wrong word."""
    outcome = await soak(tmp_path, CLIENTS, SECONDS, seed=1)

    assert (outcome.wrong, outcome.missing, outcome.errors) == ([], [], [])
    assert outcome.answers.total() > SECONDS
    assert len(outcome.visits) == 5
    assert outcome.leaked == 0
    assert statistics.median(outcome.pings) < 50 * MS
    assert all(late < early * 1.1 for early, late in growth(outcome.memory, SECONDS))


@pytest.mark.timeout(120)
async def test_kill_9_costs_no_task_that_was_acknowledged(tmp_path: Path) -> None:
    """Of the daemon and of its programs; who waits is told."""
    outcome = await kills(tmp_path, TIMES, seed=1)

    assert (outcome.lost, outcome.untold) == ([], [])
    assert (outcome.kills.total(), outcome.kills["daemon"]) == (TIMES, TIMES // 2)
    assert len(outcome.back) == TIMES // 2


@pytest.mark.timeout(120)
async def test_kill_9_costs_no_timer_that_was_acknowledged(tmp_path: Path) -> None:
    """Also around its ring; what rings after the restart says that it is late, or that it rings again."""
    outcome = await kills_of_timers(tmp_path / "state", TIMER_TIMES, seed=1)

    assert (outcome.lost, outcome.back, outcome.unsaid) == ([], [], [])
    assert (outcome.kills, outcome.acknowledged > TIMER_TIMES) == (TIMER_TIMES, True)


@pytest.mark.alone
async def test_timers_ring_within_a_tenth_of_a_second(tmp_path: Path) -> None:
    """On a quiet board."""
    assert max(await lateness(tmp_path / "state", 5)) < 100 * MS


@pytest.mark.timeout(120)
async def test_damaged_frames_cost_nobody_an_answer(tmp_path: Path) -> None:
    """Through every door; the daemon logs no error of its own and keeps no descriptor."""
    outcome = await fuzz(tmp_path, FRAMES, seed=1)

    assert outcome.is_alive
    assert (outcome.unanswered, outcome.errors, outcome.leaked) == ([], [], 0)
    assert outcome.frames.total() == FRAMES
    assert outcome.fresh == FRAMES // 250
