"""Pictures are encoded one after the other in a thread of their own, while the engine computes other answers.

The thread has a lower priority, and its own threads inherit it: where others speak, they take the core first, and they
leave one core to it (`Context.leaves_core`). A picture that no answer waits for any
more is given up, wherever its work stands.
"""

import os
import threading
import traceback
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from units.llm.vision.embeddings import Embeddings
from units.llm.vision.picture_reader import BadPicture, PictureReader, Reading, Size, answer_of
from units.llm.vision.projector import Floats, Projector

NICENESS = 10


class WantedPicture(NamedTuple):
    """A picture that was measured and can be encoded."""

    key: bytes
    size: Size
    rows: int
    """The number of its embeddings."""

    data: bytes
    """The file."""

    where: str
    """Its place in the request."""


@dataclass(eq=False)
class _Job:
    picture: WantedPicture
    priority: int
    askers: set[Hashable] = field(default_factory=set)

    @property
    def is_given_up(self) -> bool:
        """Return True when no answer waits for it any more."""
        return not self.askers


class Encoder:
    """The pictures that are wanted, and the thread that encodes them."""

    def __init__(
        self,
        projector: Projector,
        reader: PictureReader,
        embeddings: Embeddings,
        on_done: Callable[[bytes, str], None],
    ) -> None:
        """`on_done` is called in the thread with the key of a picture, and with words when it cannot be encoded."""
        self._projector = projector
        self._reader = reader
        self._embeddings = embeddings
        self._on_done = on_done
        self._changed = threading.Condition()
        self._jobs: dict[bytes, _Job] = {}
        self._running: _Job | None = None
        self._reading: Reading | None = None
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self.encoded = 0
        """How many pictures the projector has computed."""

    @property
    def is_at_work(self) -> bool:
        """Return True while a picture is being encoded."""
        return self._running is not None

    def want(self, asker: Hashable, picture: WantedPicture, priority: int) -> None:
        """Encode a picture for an answer."""
        with self._changed:
            job = self._jobs.setdefault(picture.key, _Job(picture, priority))
            job.askers.add(asker)
            job.priority = max(job.priority, priority)
            self._changed.notify()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="encoder", daemon=True)
                self._thread.start()

    def forget(self, asker: Hashable) -> None:
        """Give up the pictures that only this answer waits for."""
        with self._changed:
            for key, job in list(self._jobs.items()):
                job.askers.discard(asker)
                if job.is_given_up:
                    del self._jobs[key]
            if self._running is not None and self._running.is_given_up and self._reading is not None:
                self._reading.end()

    def close(self) -> None:
        """Give everything up and wait for the thread."""
        with self._changed:
            self._is_closed = True
            for job in self._jobs.values():
                job.askers.clear()
            self._jobs.clear()
            if self._reading is not None:
                self._reading.end()
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    # In the thread

    def _run(self) -> None:
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + NICENESS)
        while (job := self._next_job()) is not None:
            rows, words = self._result_of(job)
            with self._changed:
                self._running = None
                if job.is_given_up:
                    continue
                del self._jobs[job.picture.key]
            self._on_done(job.picture.key, words)
            if rows is not None:
                self._embeddings.keep(job.picture.key, rows)

    def _next_job(self) -> _Job | None:
        """Wait for the most urgent picture; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._is_closed)
            if self._is_closed:
                return None
            self._running = max(self._jobs.values(), key=lambda job: job.priority)  # the first of equal ones
            return self._running

    def _result_of(self, job: _Job) -> tuple[Floats | None, str]:
        """Return what was encoded and is not on the disk yet, or words that say why it cannot be."""
        try:
            return self._encode(job), ""
        except (BadPicture, RuntimeError, ValueError) as error:
            return None, str(error)
        except Exception as bug:
            traceback.print_exc()
            return None, f"internal error: {bug!r}"

    def _encode(self, job: _Job) -> Floats | None:
        picture = job.picture
        if (
            self._embeddings.find(picture.key) is not None
            or self._embeddings.load(picture.key, picture.rows) is not None
        ):
            return None
        pixels = self._pixels_of(job)
        rows = None if job.is_given_up else self._projector.encode(picture.size, pixels, lambda: job.is_given_up)
        if rows is None:
            return None
        if rows.shape[0] != picture.rows:
            raise RuntimeError(f"{rows.shape[0]} embeddings instead of {picture.rows}")
        self.encoded += 1
        self._embeddings.add(picture.key, rows)
        return rows

    def _pixels_of(self, job: _Job) -> bytes:
        reading = self._reader.pixels(job.picture.data, job.picture.size)
        with self._changed:
            self._reading = reading
            if job.is_given_up:
                reading.end()
        try:
            pixels: bytes = answer_of(reading)
        finally:
            with self._changed:
                self._reading = None
            reading.close()
        return pixels
