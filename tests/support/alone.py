"""Lets a test with the marker `alone` have the machine to itself when several workers run tests (`pytest -n 2`)."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

_kept: list[IO[str]] = []
"""The lock of the machine, between two tests of this worker that are alone."""


def is_alone(item: pytest.Item | None) -> bool:
    """Return whether a test must have the machine to itself."""
    return item is not None and item.get_closest_marker("alone") is not None


@contextmanager
def place_for(item: pytest.Item, next_item: pytest.Item | None) -> Iterator[None]:
    """Wait until no test that is `alone` runs, or, for one that is `alone`, until no test runs at all.

    A worker whose next test is `alone`, too, keeps the machine: between them the others would begin new tests, and each
    time it would have to wait for the longest of these.
    """
    if not hasattr(item.config, "workerinput"):  # there are no other workers
        yield
        return
    machine = _kept.pop() if _kept else _take_machine(Path(item.config.option.basetemp).parent, is_alone(item))
    try:
        yield
    finally:
        if is_alone(item) and is_alone(next_item):
            _kept.append(machine)
        else:
            machine.close()  # which unlocks it


def _take_machine(folder: Path, alone: bool) -> IO[str]:
    """Return the locked file in a folder of the run; whoever is not alone shares it."""
    machine = (folder / "machine").open("a")
    # Whoever waits for the machine keeps the turnstile, so that the others cannot pass it for ever.
    with (folder / "turnstile").open("a") as turnstile:
        fcntl.flock(turnstile, fcntl.LOCK_EX)
        fcntl.flock(machine, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
    return machine
