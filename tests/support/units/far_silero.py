"""The Silero detector in a process of its own.

The process of the tests has loaded llama.cpp. Both bring a library named libggml.so.0, and the linker takes only the
first. In the daemon each unit runs in a process of its own, so the two never meet.
"""

import struct
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

from units.sound.upload import Samples

_PROGRAM = """
import struct, sys
import numpy as np
from units.vad.silero import Silero

silero = Silero()
while command := sys.stdin.buffer.read(1):
    if command == b"r":
        silero.reset()
        continue
    frame = np.frombuffer(sys.stdin.buffer.read(2 * silero.frame_samples), np.int16)
    sys.stdout.buffer.write(struct.pack("<d", silero.probability(frame)))
    sys.stdout.buffer.flush()
"""


class FarSilero:
    """A `units.vad.gate.Detector`."""

    frame_samples = 512
    _all: ClassVar[list["FarSilero"]] = []

    def __init__(self) -> None:
        root = Path(__file__).parents[3]
        command = [sys.executable, "-c", _PROGRAM]
        self._process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._all.append(self)

    def probability(self, frame: Samples) -> float:
        """Return Silero's probability of speech."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(b"f" + frame.tobytes())
        self._process.stdin.flush()
        (probability,) = struct.unpack("<d", self._process.stdout.read(8))
        return float(probability)

    def reset(self) -> None:
        """Reset Silero's state."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"r")

    def close(self) -> None:
        """End the process."""
        self._process.communicate()
        self._all.remove(self)

    @classmethod
    def close_all(cls) -> None:
        """End every process."""
        for far in list(cls._all):
            far.close()
