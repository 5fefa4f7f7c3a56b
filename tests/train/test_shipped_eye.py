"""The eye in the repository answers questions about pictures; only llama.cpp and Pillow are needed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("PIL", reason="needs Pillow: pip install pillow")

from train.evaluate import DEFAULT_FILE
from train.eye.evaluate import FOLDER, FOREIGN, ask, foreign
from train.eye.watcher import ADAPTER_FILE, EYE_FILE, Watcher

ROOT = Path(__file__).parents[2]
MOST_BYTES = 6_000_000


@pytest.fixture(scope="module")
def watcher() -> Iterator[Watcher]:
    watcher = Watcher(ROOT / DEFAULT_FILE, ROOT / FOLDER / EYE_FILE, ROOT / FOLDER / ADAPTER_FILE)
    yield watcher
    watcher.close()


def test_the_files_are_small_enough() -> None:
    assert sum((ROOT / FOLDER / name).stat().st_size for name in (EYE_FILE, ADAPTER_FILE)) <= MOST_BYTES


@pytest.mark.timeout(90)
def test_pictures_of_another_program_are_answered(watcher: Watcher) -> None:
    """A hundred pictures that a browser drew; the figure by kind is in train/README.md."""
    right, _ = ask(watcher, foreign(ROOT / FOREIGN))
    results = [result for results in right.values() for result in results]

    assert len(results) == 100
    # It answers 86; rounding differs a little between processors.
    assert sum(results) >= 82
