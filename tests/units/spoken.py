"""Speech for tests: flite speaks it anew on every machine, recordings are read from where UNITD_SPEECH_DIR says."""

import functools
import os
import shutil
import subprocess
import tempfile
import wave
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soxr
from numpy.typing import NDArray

Samples = NDArray[np.int16]

RATE = 16000
VOICES = ("kal16", "awb", "rms", "slt")

_DEFAULT_FOLDER = Path(__file__).parents[3] / "shared" / "voice"


@functools.cache
def speak(text: str, voice: str = "slt") -> Samples:
    """What flite says at 16 kHz; the test is skipped where flite is missing."""
    if shutil.which("flite") is None:
        pytest.skip("flite is missing: sudo apt-get install flite")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "speech.wav"
        subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(file)], check=True, timeout=15)
        samples = read_wav(file)
    samples.flags.writeable = False
    return samples


def recording(name: str) -> Samples:
    """A recording such as "wake/alexa/0.wav"; the test is skipped where there are none."""
    return read_wav(recordings_folder() / name)


def recordings_folder() -> Path:
    """Where the recordings lie; the test is skipped where they do not."""
    folder = Path(os.environ.get("UNITD_SPEECH_DIR", _DEFAULT_FOLDER))
    if not folder.is_dir():
        pytest.skip(f"no recordings in {folder}: UNITD_SPEECH_DIR names their folder")
    return folder


def read_wav(path: Path) -> Samples:
    """All samples of a file of 16 bits, as one channel at 16 kHz."""
    with wave.open(str(path)) as file:
        assert file.getsampwidth() == 2, path
        frames = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, file.getnchannels())
        rate = file.getframerate()
    samples = frames.mean(axis=1).astype(np.int16)
    return samples if rate == RATE else np.asarray(soxr.resample(samples, rate, RATE), np.int16)


def silence(seconds: float) -> Samples:
    """Digital silence."""
    return np.zeros(int(seconds * RATE), np.int16)


def joined(*pieces: Samples) -> Samples:
    """One after the other."""
    return np.concatenate(pieces)


def cut_up(samples: Samples, length: int) -> Iterator[Samples]:
    """In pieces of `length` samples; the last may be shorter."""
    return (samples[at : at + length] for at in range(0, len(samples), length))
