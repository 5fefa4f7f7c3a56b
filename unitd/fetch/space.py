"""Room on the disk, asked for before it is needed."""

import shutil
from pathlib import Path

from unitd.core.models.progress import size_words
from unitd.fetch.failures import PullFailed

# For logs, the journal and everything else that shares the disk with the models.
RESERVE_BYTES = 100_000_000


def check_space(folder: Path, needed: int, what: str) -> None:
    """Refuses what the disk of a folder cannot take.

    Raises:
        PullFailed: with figures.
    """
    free = shutil.disk_usage(folder).free
    if needed + RESERVE_BYTES > free:
        raise PullFailed(
            f"{what} needs {size_words(needed)} on the disk of {folder}: {size_words(free)} are free, "
            f"{size_words(RESERVE_BYTES)} of them stay free for everything else"
        )
