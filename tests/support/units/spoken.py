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

SAID_IN_CLIPS: dict[int, list[str]] = {
    0: [],
    1: [],
    2: [],
    3: ["文森特卡索", "法国"],
    4: ["蒋友伯", "女儿"],
    5: ["周望军", "落实"],
    6: ["朱丽楠", "见面会"],
}
"""What is said in the test clips of the Chinese model, of the words in its list."""

_DEFAULT_FOLDER = Path(__file__).parents[4] / "shared" / "voice"


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


def chinese_model() -> Path:
    """The folder of a small model that hears Chinese; the test is skipped where it, or what it needs, is missing."""
    for library in ("sherpa_onnx", "sentencepiece", "pypinyin"):
        pytest.importorskip(library, reason="pip install sherpa-onnx sentencepiece pypinyin")
    return recordings_folder() / "kws-zh"


def chinese_clip(number: int) -> Path:
    """One of its test clips."""
    return recordings_folder() / "kws-zh" / "test_wavs" / f"{number}.wav"


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
