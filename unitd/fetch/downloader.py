"""Parallel downloads, each of which continues at the length of its partial file on disk.

A partial file is written as bytes come, so a lost connection, a killed process or a power cut loses at most the bytes
in the network's buffers. Its name contains a digest of the expected content, so another version never continues it.
"""

import hashlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from io import FileIO
from pathlib import Path, PurePosixPath
from typing import TypeVar

from unitd.core.models.catalog import ModelFile
from unitd.fetch.failures import PullFailed, Retries, TemporaryFailure, disk_errors_explained
from unitd.fetch.reporter import ProgressReporter
from unitd.fetch.sources import Hub, Source

# Enough to hide the time between small files; more would only share the same bandwidth.
PARALLEL_FILES = 4
# A connection that breaks after this many bytes does not count as a failure of the server.
BLOCK_BYTES = 64 * 1024
T = TypeVar("T")
R = TypeVar("R")


class Downloader:
    """Downloads the files of one model."""

    def __init__(self, hub: Hub, folder: Path) -> None:
        """Take the existing folder of partial files."""
        self._hub = hub
        self._folder = folder
        self._stop = threading.Event()

    def locate(self, parts: Sequence[ModelFile]) -> list[Source]:
        """Look all files up and return their sources; raise PullFailed if one is not available."""
        return self._parallel(self._locate_with_retries, parts)

    def missing_bytes(self, sources: Sequence[Source]) -> int:
        """Return how many bytes are not fetched yet."""
        return sum(max(0, source.size - _length(self.partial_file(source))) for source in sources)

    def fetch(self, sources: Sequence[Source], reporter: ProgressReporter) -> None:
        """Fetch all files to their ends, without a check of their content; raise PullFailed if one is not available."""
        reporter.found(sum(source.size for source in sources) - self.missing_bytes(sources))
        self._parallel(lambda source: self._fetch(source, reporter), sources)

    def partial_file(self, source: Source) -> Path:
        """Return the path of the partial file of a source."""
        identity = source.sha256 or f"{source.url} {source.etag} {source.size}"
        digest = hashlib.sha256(f"{source.part.path} {identity}".encode()).hexdigest()[:16]
        return self._folder / f"{PurePosixPath(source.part.path).name}.{digest}"

    def _parallel(self, work: Callable[[T], R], each: Sequence[T]) -> list[R]:
        """Do the work for each item in threads and return the results; the first failure stops the others."""
        with ThreadPoolExecutor(PARALLEL_FILES, "fetch") as threads:
            running = [threads.submit(work, one) for one in each]
            try:
                for finished in as_completed(running):
                    finished.result()
            except BaseException:
                self._stop.set()
                threads.shutdown(wait=False, cancel_futures=True)
                raise
        return [finished.result() for finished in running]

    def _locate_with_retries(self, part: ModelFile) -> Source:
        retries = Retries(self._stop)
        while True:
            try:
                return self._hub.locate(part)
            except TemporaryFailure as cause:
                retries.wait(cause, has_advanced=False)

    def _fetch(self, source: Source, reporter: ProgressReporter) -> None:
        partial, retries = self.partial_file(source), Retries(self._stop)
        with disk_errors_explained(self._folder):
            partial.touch()
            furthest = _length(partial)
            while _length(partial) < source.size:
                try:
                    self._continue(source, partial, reporter)
                except TemporaryFailure as cause:
                    # A server without Range begins anew each time, so only new bytes count as progress.
                    retries.wait(cause, has_advanced=_length(partial) - furthest >= BLOCK_BYTES)
                    furthest = max(furthest, _length(partial))

    def _continue(self, source: Source, partial: Path, reporter: ProgressReporter) -> None:
        """Append what the server sends to the partial file; raise TemporaryFailure if it stops too early."""
        start, name = _length(partial), source.part.path
        with self._hub.opened(source, start) as (at, chunks), partial.open("r+b", buffering=0) as file:
            if at > start:
                raise PullFailed(f"{source.part.label}: byte {start} was asked for, the server sends from {at}")
            if at < start:
                file.truncate(at)
                reporter.add(name, at - start)
            file.seek(at)
            for chunk in chunks:
                at += len(chunk)
                self._check(source, at)
                _write(file, chunk)
                reporter.add(name, len(chunk))
        if at < source.size:
            raise TemporaryFailure(f"{source.part.label}: the connection ended after {at} of {source.size} bytes")

    def _check(self, source: Source, at: int) -> None:
        if at > source.size:
            raise PullFailed(f"{source.part.label} is longer than the {source.size} bytes that it should have")
        if self._stop.is_set():
            raise PullFailed(f"{source.part.label} is not fetched to its end: another file failed")


def _write(file: FileIO, chunk: bytes) -> None:
    """Write all bytes of a chunk: a nearly full disk takes a part of them without an error."""
    left = memoryview(chunk)
    while left:
        left = left[file.write(left) :]


def _length(partial: Path) -> int:
    return partial.stat().st_size if partial.exists() else 0
