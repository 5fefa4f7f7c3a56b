"""Covers units.llm.threads: the number of threads follows the cores that other programs leave free."""

import itertools
import os
import subprocess
import time
from pathlib import Path

import pytest

from units.llm import threads
from units.llm.threads import FREE_SECONDS, WINDOW_SECONDS, Load, ThreadCount, read_load

STEP_SECONDS = 0.02


class Board:
    """A board with a clock of its own, on which other programs use so many cores."""

    def __init__(self, cores: int = 2) -> None:
        self.cores = cores
        self.others = 0.0
        self.runnable = 1
        self.is_told = True
        self.looks = 0
        self._now = 100.0
        self._busy = 0.0
        self._own = 0.0
        self._is_momentary = False

    def count(self, most: int | None = None) -> ThreadCount:
        """The number of threads of a program on this board."""
        return ThreadCount(
            most or self.cores,
            self.cores,
            read=self._look,
            own=lambda: self._own,
            clock=lambda: self._now,
            sleep=self.rest,
        )

    def rest(self, seconds: float) -> None:
        """Time passes in which this program does nothing."""
        self._now += seconds
        self._busy += seconds * self.others

    def decode(self, count: ThreadCount, seconds: float) -> list[int]:
        """Steps for so long; the numbers of threads they had."""
        used = []
        for _ in range(round(seconds / STEP_SECONDS)):
            used.append(count.before_decode())
            own = min(used[-1], max(self.cores - self.others, 1)) * STEP_SECONDS
            self._own += own
            self._busy += own
            self.rest(STEP_SECONDS)
            count.after_decode()
        return used

    def hand_over(self) -> None:
        """Somebody else runs, for this moment only."""
        self.runnable, self._is_momentary = 2, True

    def _look(self) -> Load | None:
        self.looks += 1
        load = Load(self._busy, self.runnable)
        if self._is_momentary:
            self.runnable, self._is_momentary = 1, False
        return load if self.is_told else None


# The happy day


def test_a_quiet_board_computes_with_all_cores() -> None:
    """Also with a daemon and a wake word beside, which take some hundredths."""
    board = Board()
    count = board.count()
    board.others = 0.1

    assert set(board.decode(count, 3.0)) == {2}


def test_a_core_that_is_taken_is_left_at_once() -> None:
    """Within one window of measurement."""
    board = Board()
    count = board.count()
    board.decode(count, 1.0)

    board.others = 1.0
    used = board.decode(count, 2.0)

    assert used.index(1) * STEP_SECONDS <= 2 * WINDOW_SECONDS
    assert set(used[used.index(1) :]) == {1}


def test_a_core_that_is_free_again_is_used_after_a_while() -> None:
    """Not at once: who speaks in bursts would make the number jump."""
    board = Board()
    count = board.count()
    board.others = 1.0
    board.decode(count, 1.0)

    board.others = 0.0
    used = board.decode(count, 2.0)

    assert FREE_SECONDS <= used.index(2) * STEP_SECONDS <= FREE_SECONDS + 3 * WINDOW_SECONDS
    assert set(used[used.index(2) :]) == {2}


def test_four_cores_lose_one_for_each_busy_program() -> None:
    """The others go on."""
    board = Board(cores=4)
    count = board.count()
    board.decode(count, 1.0)

    board.others = 2.0
    taken = board.decode(count, 1.0)
    board.others = 0.0
    back = board.decode(count, 1.0)

    assert (taken[-1], back[-1]) == (2, 4)


@pytest.mark.parametrize("runnable", [1, 2])
def test_the_first_step_after_a_rest_counts_who_wants_to_run(runnable: int) -> None:
    """What was measured before says nothing any more, and a prompt may be one long step."""
    board = Board()
    count = board.count()
    board.others = runnable - 1.0
    board.decode(count, 1.0)
    board.others = 2.0 - runnable
    board.rest(1.0)

    board.runnable = runnable

    assert count.before_decode() == 3 - runnable


def test_who_hands_over_a_prompt_is_no_busy_program() -> None:
    """The daemon runs for a moment when it sends one; a millisecond later it is looked at again."""
    board = Board()
    count = board.count()
    board.hand_over()

    assert count.before_decode() == 2
    assert board.looks == 2


# The limits


def test_one_thread_stays_however_busy_the_board_is() -> None:
    """Somebody has to compute."""
    board = Board()
    count = board.count()
    board.others = 2.0

    assert set(board.decode(count, 2.0)[-50:]) == {1}


def test_the_configured_number_is_the_most() -> None:
    """`[llm] threads` on a board with more cores."""
    board = Board(cores=4)
    count = board.count(most=2)

    assert set(board.decode(count, 3.0)) == {2}


def test_a_model_for_one_thread_measures_nothing() -> None:
    """A small model is computed by one anyway."""
    board = Board()
    count = board.count(most=1)

    assert set(board.decode(count, 1.0)) == {1}
    assert board.looks == 0


def test_bursts_do_not_make_the_number_jump() -> None:
    """Speech is recognised in bursts; while they last, one core is left to them."""
    board = Board()
    count = board.count()
    board.decode(count, 1.0)
    used = []
    for _ in range(10):
        board.others = 1.0
        used += board.decode(count, WINDOW_SECONDS)
        board.others = 0.0
        used += board.decode(count, WINDOW_SECONDS)

    changes = sum(earlier != later for earlier, later in itertools.pairwise(used))

    assert changes == 1


# The damage


def test_a_kernel_that_tells_nothing_leaves_the_number_alone() -> None:
    """Without /proc/stat there is nothing to follow."""
    board = Board()
    board.is_told = False
    count = board.count()

    assert set(board.decode(count, 2.0)) == {2}


def test_a_missing_file_is_no_reading(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without /proc there is no reading."""
    monkeypatch.setattr(threads, "STAT", tmp_path / "stat")

    assert read_load() is None


# The real kernel


@pytest.mark.alone
def test_a_real_busy_program_is_counted() -> None:
    """A loop in another process uses a core, or its share of one."""
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as busy:
        before, began, own = read_load(), time.monotonic(), time.process_time()
        while time.monotonic() - began < 0.5:
            pass
        after = read_load()
        busy.kill()

    assert before is not None and after is not None
    assert after.seconds - before.seconds - (time.process_time() - own) > 0.1
    assert after.running >= 2


def test_a_program_of_lower_priority_is_not_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It gives way by itself; so its column (nice) is left out, and so are idle and waiting for disks."""
    path = tmp_path / "stat"
    core = min(os.sched_getaffinity(0))
    path.write_text(f"cpu  9 9 9 9 9 9 9 9 0 0\ncpu{core} 100 5000 20 7000 300 3 4 50 0 0\nprocs_running 3\n")
    monkeypatch.setattr(threads, "STAT", path)

    assert read_load() == Load((100 + 20 + 3 + 4 + 50) / os.sysconf("SC_CLK_TCK"), 3)
