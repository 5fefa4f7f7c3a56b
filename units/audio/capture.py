"""The thread that reads the microphone while a task listens."""

import threading
import traceback
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from units.audio.devices import PERIOD, DeviceLost, DeviceMissing, Source
from units.audio.state import DeviceStatus, Report, State
from units.backoff import Backoff
from units.sound.fades import scaled
from units.sound.upload import NOTHING, Samples

Hear = Callable[[Samples, float], None]
"""Takes one period and the monotonic time of its last sample."""


class Opener(Protocol):
    """A way to open the microphone that is configured."""

    def look(self) -> None:
        """Raise DeviceMissing when it is clear without opening the microphone that it is missing."""

    def open(self) -> Source:
        """Return the open microphone; raise DeviceMissing when it cannot be opened."""


class Capture:
    """A thread that opens the microphone when it is wanted, again when it comes back, and hands out whole periods."""

    def __init__(self, setting: str, opener: Opener, hear: Hear, report: Report) -> None:
        self.volume = 1.0
        self._status = DeviceStatus(setting, report)
        self._opener = opener
        self._hear = hear
        self._backoff = Backoff()
        self._overruns = 0
        self._is_wanted = threading.Event()
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="capture", daemon=True)
        self._thread.start()

    def listen(self, is_on: bool) -> None:
        """Begin or end to hear."""
        if is_on:
            self._is_wanted.set()
        else:
            self._is_wanted.clear()

    def close(self) -> None:
        """End the thread within a period."""
        self._is_closing.set()
        self._is_wanted.set()
        self._thread.join()

    def about(self) -> dict[str, Any]:
        """Return the fields of `status`."""
        return self._status.about() | {"overruns": self._overruns}

    def _run(self) -> None:
        try:
            self._opener.look()
        except DeviceMissing as error:
            self._status.change("missing", str(error))
        while self._is_wanted.wait() and not self._is_closing.is_set():
            try:
                source = self._opener.open()
            except DeviceMissing as error:
                self._lose("missing", str(error))
                continue
            try:
                self._read(source)
            except Exception as bug:
                traceback.print_exc()
                self._lose("lost", f"internal error: {bug}")
            finally:
                source.close()

    def _lose(self, state: State, reason: str) -> None:
        """Note that nothing is heard, and pause before the next try."""
        self._status.change(state, reason)
        self._is_closing.wait(self._backoff.next_seconds())

    def _read(self, source: Source) -> None:
        """Read until no task listens any more or the device fails. The device is open once it has been heard."""
        has_heard = False
        rest, lost_before = NOTHING, self._overruns
        while self._is_wanted.is_set() and not self._is_closing.is_set() and not source.is_stale:
            try:
                samples, at = source.read()
            except DeviceLost as error:
                self._lose("lost" if has_heard else "missing", str(error))
                return
            if not has_heard:
                has_heard, self._status.name = True, source.name
                self._backoff.reset()
                self._status.change("open")
            self._overruns = lost_before + source.overruns
            rest = self._hand_out(np.concatenate([rest, samples]), at)
        self._status.change("idle")

    def _hand_out(self, samples: Samples, at: float) -> Samples:
        """Hand out whole periods and return what is left over."""
        whole = len(samples) - len(samples) % PERIOD
        for start in range(0, whole, PERIOD):
            later = len(samples) - start - PERIOD
            self._hear(scaled(samples[start : start + PERIOD], self.volume), at - later / (PERIOD * 50))
        return samples[whole:]
