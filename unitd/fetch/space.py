"""Check of the space on disk before it is needed."""

import shutil
from pathlib import Path

from unitd.core.models.progress import size_words
from unitd.fetch.failures import PullFailed

# Space that stays free for logs, the journal and other files on the disk.
RESERVE_BYTES = 100_000_000


def check_space(folder: Path, needed: int, what: str) -> None:
    """Check that the disk of a folder has room for `needed` bytes of `what`.

    Raises:
        PullFailed: it has not; the words have the figures.
    """
    free = shutil.disk_usage(folder).free
    if needed + RESERVE_BYTES > free:
        raise PullFailed(
            f"{what} needs {size_words(needed)} on the disk of {folder}: {size_words(free)} are free, "
            f"{size_words(RESERVE_BYTES)} of them stay free for everything else"
        )
