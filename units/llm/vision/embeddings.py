"""The embeddings of pictures that were encoded: the newest in memory, more on disk for the next start."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

import numpy as np

from units.llm.kept_files import KeptFiles
from units.llm.vision.projector import Floats

# Twenty large pictures of a small model.
MEMORY_BYTES = 64 * 1024 * 1024
DISK_BYTES = 256 * 1024 * 1024


class Embeddings:
    """Embeddings by the key of their picture, from any thread."""

    def __init__(self, folder: Path | None, width: int, warn: Callable[[str], None]) -> None:
        """Keep rows of `width` numbers; without a folder in memory only."""
        self._files = None if folder is None else KeptFiles(folder, ".rows", lambda: DISK_BYTES, warn)
        self._width = width
        self._known: OrderedDict[bytes, Floats] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: bytes) -> Floats | None:
        """Return the embeddings of a picture that are in memory, or None."""
        with self._lock:
            if (rows := self._known.get(key)) is not None:
                self._known.move_to_end(key)
            return rows

    def load(self, key: bytes, count: int) -> Floats | None:
        """Return embeddings from the disk, and have them in memory from now on; None where there are not so many."""
        data = None if self._files is None else self._files.load(key)
        if data is None or len(data) != 4 * count * self._width:
            return None
        rows = np.frombuffer(data, np.float32).reshape(count, self._width)
        self.add(key, rows)
        return rows

    def add(self, key: bytes, rows: Floats) -> None:
        """Have embeddings in memory; the ones unused for longest leave first."""
        with self._lock:
            self._known[key] = rows
            while len(self._known) > 1 and sum(each.nbytes for each in self._known.values()) > MEMORY_BYTES:
                self._known.popitem(last=False)

    def keep(self, key: bytes, rows: Floats) -> None:
        """Write embeddings to the disk."""
        if self._files is not None:
            self._files.write(key, rows.tobytes())
