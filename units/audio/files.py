"""Files and FIFOs that stand in for a microphone or a loudspeaker."""

import errno
import fcntl
import os
import select
import struct
import time
import wave
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unitd.wire.errors import reason_of
from units.audio.devices import BLOCK, PERIOD, Clock, DeviceLost, DeviceMissing, Pace, is_fifo
from units.base import UnitFault
from units.sound.upload import NOTHING, RATE, Samples, Upload
from units.sound.wav import stranger_of

_READ_BYTES = 4096

# A writer may be this late before silence is heard instead.
_LATE_SECONDS = 0.2

# 0.25 s: how late a reader of a FIFO may be, and how old what it hears can be.
_FIFO_BYTES = 8192


def _reason(error: OSError) -> str:
    return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)


Warn = Callable[[str], None]
"""Writes to the daemon's log what is wrong with a file that is used all the same."""


class FileSource:
    """A WAV of any rate or raw s16le at 16 kHz, followed by silence at real pace. A FIFO lasts for ever.

    A file of another kind (FLAC, 24 bits …) is decoded when all of it has been read, before its first period.

    The times of a file that is read fast are those at which it would have sounded: tasks compare them (what was said
    since the wake?).
    """

    is_stale = False

    def __init__(self, path: Path, pace: Pace, warn: Warn) -> None:
        self.name = str(path)
        self.overruns = 0
        self._warn = warn
        self._has_warned = False
        self._samples = 0
        """The number of samples read so far."""

        self._is_fifo = is_fifo(path)
        # Open for writing, too, a FIFO neither waits for its first writer nor ends with its last.
        flags = os.O_RDWR | os.O_NONBLOCK if self._is_fifo else os.O_RDONLY
        try:
            self._fd = os.open(path, flags)
        except OSError as error:
            raise DeviceMissing(_reason(error)) from error
        self._is_fast = pace == "fast"
        self._clock = Clock()
        self._heard_at = time.monotonic()
        self._upload = Upload()
        self._form = "pcm"
        self._has_ended = False
        self._buffer = NOTHING

    def read(self) -> tuple[Samples, float]:
        """Return one period, in its time unless the file is read fast."""
        while len(self._buffer) < PERIOD and not self._has_ended:
            more = self._read_fifo() if self._is_fifo else self._read_file()
            self._buffer = np.concatenate([self._buffer, more])
        period, self._buffer = self._buffer[:PERIOD], self._buffer[PERIOD:]
        is_silence = not len(period)
        if len(period) < PERIOD:
            period = np.concatenate([period, np.zeros(PERIOD - len(period), np.int16)])
        if is_silence or not self._is_fast:
            self._clock.wait(PERIOD)
        self._heard_at = self._heard_at + PERIOD / RATE if self._is_fast and not self._is_fifo else time.monotonic()
        return period, self._heard_at

    def _read_file(self) -> Samples:
        try:
            data = os.read(self._fd, _READ_BYTES)
        except OSError as error:
            raise DeviceLost(f"{self.name}: {error.strerror}") from error
        if not data:
            self._has_ended = True
            return self._decoded(b"")
        return self._decoded(data)

    def _read_fifo(self) -> Samples:
        """Return what a writer has sent, or silence while the writer is late."""
        ready, _, _ = select.select([self._fd], [], [], _LATE_SECONDS)
        if not ready:
            return np.zeros(int(_LATE_SECONDS * RATE), np.int16)
        return self._decoded(os.read(self._fd, _READ_BYTES))

    def _decoded(self, data: bytes) -> Samples:
        try:
            # What comes from a FIFO has no end at which it could be decoded.
            if data.startswith(b"RIFF") or (stranger_of(data) and not (self._samples or self._is_fifo)):
                self._form = "wav"
            samples = self._upload.finish() if self._has_ended else self._upload.feed(data, self._form)
        except UnitFault as fault:
            raise DeviceLost(f"{self.name}: {fault}") from fault
        self._samples += len(samples)
        self._warn_of_format()
        return samples

    def _warn_of_format(self) -> None:
        """Warn once of what makes the sound of the file hard or impossible to understand."""
        if self._has_warned:
            return
        if self._has_ended and not self._samples:
            self._warn(f"{self.name} holds no sound: only silence is heard")
        elif self._upload.rate < RATE:
            self._warn(f"{self.name} has {self._upload.rate} samples a second: words are misheard below {RATE}")
        else:
            return
        self._has_warned = True

    def close(self) -> None:
        """Close the file; the next one is read from its beginning."""
        os.close(self._fd)


@dataclass(frozen=True)
class FileOpener:
    """A microphone that is a file."""

    path: Path
    pace: Pace
    warn: Warn

    def look(self) -> None:
        """Raise DeviceMissing when there is no such file."""
        if not self.path.exists():
            raise DeviceMissing(f"{self.path}: {os.strerror(errno.ENOENT)}")

    def open(self) -> FileSource:
        """Return the open file; raise DeviceMissing when it cannot be read."""
        return FileSource(self.path, self.pace, self.warn)


class WavSink:
    """A WAV that grows. Its header is right after every block, so a killed program leaves a whole file."""

    latency = 0.0
    is_stale = False

    def __init__(self, path: Path, pace: Pace) -> None:
        self.name = str(path)
        self.underruns = 0
        self.needs_silence = pace == "real"
        self._clock = Clock()
        try:
            self._file = path.open("wb", buffering=0)
        except OSError as error:
            raise DeviceMissing(_reason(error)) from error
        self._wav = wave.open(self._file, "wb")  # noqa: SIM115  # open for as long as the sink is
        self._wav.setnchannels(1)
        self._wav.setsampwidth(2)
        self._wav.setframerate(RATE)

    def write(self, block: Samples) -> None:
        """Append a block; wait only at real pace."""
        try:
            self._wav.writeframes(block.astype("<i2").tobytes())
        except (OSError, struct.error) as error:  # the disk is full, or the WAV, at 4 GiB
            raise DeviceLost(f"{self.name}: {reason_of(error)}") from error
        if self.needs_silence:
            self._clock.wait(len(block))

    def close(self) -> None:
        """Close the file."""
        try:
            self._wav.close()
        except (OSError, struct.error):
            pass  # as above: what is there stays
        finally:
            self._file.close()


class FifoSink:
    """A FIFO that is written as raw s16le at 16 kHz. A reader that is late loses blocks."""

    latency = 0.0
    needs_silence = True
    is_stale = False

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.underruns = 0
        self._clock = Clock()
        try:
            self._fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            words = f"nobody reads {path}" if error.errno == errno.ENXIO else _reason(error)
            raise DeviceMissing(words) from error
        fcntl.fcntl(self._fd, fcntl.F_SETPIPE_SZ, _FIFO_BYTES)

    def write(self, block: Samples) -> None:
        """Write one block, whole or not at all: it is smaller than what a pipe takes as a whole."""
        try:
            os.write(self._fd, block.astype("<i2").tobytes())
        except BlockingIOError:
            self.underruns += 1
        except OSError as error:
            raise DeviceLost(f"{self.name}: nobody reads it any more") from error
        self._clock.wait(BLOCK)

    def close(self) -> None:
        """Close the FIFO; its reader sees the end."""
        os.close(self._fd)


def open_file_sink(path: Path, pace: Pace) -> WavSink | FifoSink:
    """Return the open file; raise DeviceMissing when it cannot be written."""
    return FifoSink(path) if is_fifo(path) else WavSink(path, pace)
