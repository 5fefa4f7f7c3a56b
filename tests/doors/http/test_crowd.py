"""Covers the whole HTTP door: a crowd of WebSocket clients, for a fiftieth of the time that `bench.http` takes."""

from pathlib import Path

import pytest

from bench.crowd import BUSY, IDLE, crowd
from tests.support.waiting import MS

pytestmark = pytest.mark.alone

SECONDS = 6


@pytest.mark.timeout(90)
async def test_nobody_notices_the_others(tmp_path: Path) -> None:
    """Every answer is the client's own, pings are answered beside them, and memory stays as it is."""
    outcome = await crowd(tmp_path / "daemon", SECONDS)

    early, late = sum(outcome.memory[1]), sum(outcome.memory[-1])
    assert outcome.answers >= BUSY
    assert outcome.mixed == 0
    assert len(outcome.pings) == IDLE
    assert sorted(outcome.pings)[IDLE * 99 // 100] < 50 * MS
    assert late < early * 1.1
