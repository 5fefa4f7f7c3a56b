"""Results that took long to compute, kept on disk: a restarted program reads them instead.

There is one file for each result: a checksum, then the data. Its name is a hash of everything that the result depends
on, so a file that fits by name is valid; a stale one is never asked for and is removed when room is needed. A damaged
file is deleted.
"""

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

_CHECKSUM_BYTES = hashlib.sha256().digest_size


class KeptFiles:
    """The files with one suffix in one folder."""

    def __init__(self, folder: Path, suffix: str, largest: Callable[[], int], warn: Callable[[str], None]) -> None:
        """`largest` returns how many bytes all files may have together; the oldest leave first."""
        self._folder = folder
        self._suffix = suffix
        self._largest = largest
        self._warn = warn

    def load(self, key: bytes) -> bytearray | None:
        """Return the data of this key; None if there is none or it is damaged."""
        path = self._path(key)
        try:
            with path.open("rb") as file:
                checksum, data = file.read(_CHECKSUM_BYTES), bytearray(file.read())
        except OSError:
            return None
        if hashlib.sha256(data).digest() != checksum:
            self._warn(f"{path.name} is damaged, it is computed anew")
            path.unlink(missing_ok=True)
            return None
        return data

    def store(self, key: bytes, data: bytes | bytearray) -> threading.Thread:
        """Write data beside other work; return the thread, for a caller that wants to wait."""
        writer = threading.Thread(target=self.write, args=(key, data), name=f"writer{self._suffix}")
        writer.start()
        return writer

    def write(self, key: bytes, data: bytes | bytearray) -> None:
        """Write data by rename; a full disk costs the file and a line in the log."""
        path = self._path(key)
        partial = path.with_suffix(".partial")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._make_room(len(data))
            partial.write_bytes(hashlib.sha256(data).digest() + data)
            partial.replace(path)
        except OSError as error:
            self._warn(f"{path.name} cannot be kept: {error}")

    def _path(self, key: bytes) -> Path:
        return self._folder / f"{hashlib.sha256(key).hexdigest()}{self._suffix}"

    def _make_room(self, needed: int) -> None:
        files = sorted(self._folder.glob(f"*{self._suffix}"), key=lambda each: each.stat().st_mtime)
        total = sum(each.stat().st_size for each in files) + needed
        for each in files:
            if total <= self._largest():
                return
            total -= each.stat().st_size
            each.unlink()
