"""Processes that work in several threads for months keep one heap, not one for each thread."""

import os
import subprocess
import sys

import pytest

from unitd.runtime.children.malloc import HEAP_VARIABLES

# Blocks of many sizes are made in six threads, a few of them are kept for a while. Prints the growth in MiB.
CROWD = """
import random, psutil
from concurrent.futures import ThreadPoolExecutor
def work(seed):
    rng = random.Random(seed)
    return [bytes(rng.randint(600, 200_000)) for _ in range(40)][::13]
kept, pool, before = [], ThreadPoolExecutor(6), psutil.Process().memory_info().rss
for n in range(0, 1200, 6):
    kept += pool.map(work, range(n, n + 6))
    del kept[:-20]
print((psutil.Process().memory_info().rss - before) / 2**20)
"""
BOUND = "from unitd.runtime.children.malloc import bound_heap; bound_heap()\n"


def growth(program: str, variables: dict[str, str]) -> float:
    """What it keeps in the end."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    command = [sys.executable, "-c", program]
    return float(subprocess.run(command, env=environment | variables, check=True, capture_output=True).stdout)


@pytest.mark.parametrize(("first", "variables"), [(BOUND, {}), ("", HEAP_VARIABLES)], ids=["daemon", "unit program"])
def test_what_threads_leave_behind_lies_in_one_heap(first: str, variables: dict[str, str]) -> None:
    """Beside the same work with the heaps that glibc makes by itself."""
    assert growth(first + CROWD, variables) < 0.7 * growth(CROWD, {})
