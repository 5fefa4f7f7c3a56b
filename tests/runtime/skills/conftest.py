"""Boards with timers."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.support.timer_board import TimerBoard
from unitd.runtime.skills import clocks


@pytest.fixture(autouse=True)
def boot_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file with the id of the boot, and a board in Berlin."""
    path = tmp_path / "boot_id"
    path.write_text("boot 1\n")
    monkeypatch.setattr(clocks, "BOOT_ID", path)
    monkeypatch.setenv("TZ", "Europe/Berlin")
    return path


@pytest.fixture
async def boards(tmp_path: Path) -> AsyncIterator[Callable[..., TimerBoard]]:
    """Return a function that starts a board on the same state directory; what is left of them ends with the test."""
    made: list[TimerBoard] = []

    def make(**given: float) -> TimerBoard:
        made.append(TimerBoard(tmp_path, **given))
        return made[-1]

    yield make
    for each in made:
        each.running.cancel()
    if made:
        await asyncio.wait([each.running for each in made])
    assert not [each.running.exception() for each in made if not each.running.cancelled()]


@pytest.fixture
async def board(boards: Callable[..., TimerBoard]) -> TimerBoard:
    """Return a board with an empty state directory."""
    return boards()
