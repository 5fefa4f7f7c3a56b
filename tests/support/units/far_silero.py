"""The Silero detector in another process, which serves all detectors of a file.

The process of the tests has loaded llama.cpp. Both bring a library named libggml.so.0, and the linker takes only the
first. In the daemon each unit runs in a process of its own, so the two never meet.
"""

import itertools
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from tests.support.children import kept_children
from units.sound.upload import Samples

_PROGRAM = """
import struct, sys
import numpy as np
from units.vad.silero import Silero

detectors = {}
while header := sys.stdin.buffer.read(5):
    command, number = struct.unpack("<cI", header)
    if number not in detectors:
        detectors[number] = Silero()
    if command == b"r":
        detectors[number].reset()
        continue
    frame = np.frombuffer(sys.stdin.buffer.read(2 * Silero.frame_samples), np.int16)
    sys.stdout.buffer.write(struct.pack("<d", detectors[number].probability(frame)))
    sys.stdout.buffer.flush()
"""


class FarSilero:
    """A `units.vad.gate.Detector`; there are some while their process is `running`."""

    frame_samples = 512
    _process: ClassVar[subprocess.Popen[bytes]]
    _numbers = itertools.count()

    def __init__(self) -> None:
        self._number = next(self._numbers)

    def probability(self, frame: Samples) -> float:
        """Return Silero's probability of speech."""
        self._send(b"f", frame.tobytes())
        assert self._process.stdout is not None
        (probability,) = struct.unpack("<d", self._process.stdout.read(8))
        return float(probability)

    def reset(self) -> None:
        """Reset Silero's state."""
        self._send(b"r")

    def _send(self, command: bytes, data: bytes = b"") -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(struct.pack("<cI", command, self._number) + data)
        self._process.stdin.flush()

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[None]:
        """Run the process for the tests inside the `with` block."""
        root = Path(__file__).parents[3]
        command = [sys.executable, "-c", _PROGRAM]
        cls._process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with kept_children():
            yield
        cls._process.communicate()
