"""Lets a test with the marker `alone` have the machine to itself when several workers run tests (`pytest -n 2`)."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def place_for(item: pytest.Item) -> Iterator[None]:
    """Wait until no test that is `alone` runs, or, for one that is `alone`, until no test runs at all."""
    if not hasattr(item.config, "workerinput"):  # there are no other workers
        yield
        return
    folder = Path(item.config.option.basetemp).parent  # the run's own, above those of its workers
    with (folder / "turnstile").open("a") as turnstile, (folder / "machine").open("a") as machine:
        # Whoever waits for the machine keeps the turnstile, so that the others cannot pass it for ever.
        fcntl.flock(turnstile, fcntl.LOCK_EX)
        fcntl.flock(machine, fcntl.LOCK_EX if item.get_closest_marker("alone") else fcntl.LOCK_SH)
        fcntl.flock(turnstile, fcntl.LOCK_UN)
        yield
