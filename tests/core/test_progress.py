"""Covers progress: what people are told of a pull."""

import pytest

from unitd.core.models.progress import Progress, size_words, time_words


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        (Progress(), "waiting to begin"),
        (Progress("fetching", "x", 120_000_000, 428_000_000, 12e6, 25.7), "120 MB of 428 MB, 12 MB/s, 26 s left"),
        (Progress("fetching", "x", 0, 428_000_000), "0 bytes of 428 MB"),
        (Progress("fetching", "x", 1_900_000, 0, 250e3), "1.9 MB, 250 kB/s"),
        (Progress("checking", "x", 10, 10), "checking what came"),
        (Progress("done"), "installed"),
        (Progress("failed", reason="the disk is full"), "the disk is full"),
    ],
)
def test_people_are_told_in_words(progress: Progress, words: str) -> None:
    """How much of it, how fast, how long; or what is being done."""
    assert str(progress) == words


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (9_960_000, "10 MB"),
        (428_000_000, "428 MB"),
        (999_600_000, "1.0 GB"),
        (1_900_000_000, "1.9 GB"),
    ],
)
def test_sizes_are_short(size: int, words: str) -> None:
    """Two or three digits and a unit."""
    assert size_words(size) == words


@pytest.mark.parametrize(("seconds", "words"), [(0.4, "0 s"), (99, "99 s"), (170, "3 min"), (7800, "2 h 10 min")])
def test_times_are_short(seconds: float, words: str) -> None:
    """Nobody counts the seconds of an hour."""
    assert time_words(seconds) == words


def test_a_line_changes_what_it_says() -> None:
    """The rest stays; keys that are not known are left out."""
    before = Progress("fetching", "x", 10, 20, 5.0, 2.0)

    assert before.after({"state": "checking", "colour": "red"}) == Progress("checking", "x", 10, 20, 5.0, 2.0)
