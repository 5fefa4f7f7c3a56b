"""Files that take the place of a microphone and of a loudspeaker."""

import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from units.audio.unit import AudioUnit
from units.sound.wav import wav_header

Start = Callable[..., AudioUnit]
"""Makes an audio unit with these devices."""


def write_wav(path: Path, samples: NDArray[np.int16], rate: int = 16000) -> None:
    """Write a file to hear."""
    path.write_bytes(wav_header(len(samples), rate) + samples.tobytes())


def read_wav(path: Path) -> NDArray[np.int16]:
    """Return what was played."""
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), np.int16)


def states_of(devices: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return which device went to which state."""
    return [(each["which"], each["state"]) for each in devices]
