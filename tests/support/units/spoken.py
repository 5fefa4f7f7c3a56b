"""Speech for tests: spoken by flite, or read from the folder of recordings that UNITD_SPEECH_DIR names."""

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
"""The words of the Chinese model's list that are said in its test clips, by the number of the clip."""

_DEFAULT_FOLDER = Path(__file__).parents[4] / "shared" / "voice"


@functools.cache
def speak(text: str, voice: str = "slt") -> Samples:
    """Return what flite says, at 16 kHz; skip the test where flite is missing."""
    if shutil.which("flite") is None:
        pytest.skip("flite is missing: sudo apt-get install flite")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "speech.wav"
        subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(file)], check=True, timeout=15)
        samples = read_wav(file)
    samples.flags.writeable = False
    return samples


def recording(name: str) -> Samples:
    """Return a recording such as "wake/alexa/0.wav"; skip the test where there are no recordings."""
    return read_wav(recordings_folder() / name)


def recordings_folder() -> Path:
    """Return the folder of the recordings; skip the test where there is none."""
    folder = Path(os.environ.get("UNITD_SPEECH_DIR", _DEFAULT_FOLDER))
    if not folder.is_dir():
        pytest.skip(f"no recordings in {folder}: UNITD_SPEECH_DIR names their folder")
    return folder


def chinese_model() -> Path:
    """Return the folder of a small Chinese model; skip the test where the model or a library for it is missing."""
    for library in ("sherpa_onnx", "sentencepiece", "pypinyin"):
        pytest.importorskip(library, reason="pip install sherpa-onnx sentencepiece pypinyin")
    return recordings_folder() / "kws-zh"


def chinese_clip(number: int) -> Path:
    """Return the path of a test clip of the Chinese model."""
    return recordings_folder() / "kws-zh" / "test_wavs" / f"{number}.wav"


def read_wav(path: Path) -> Samples:
    """Return all samples of a file of 16 bits, as one channel at 16 kHz."""
    with wave.open(str(path)) as file:
        assert file.getsampwidth() == 2, path
        frames = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, file.getnchannels())
        rate = file.getframerate()
    samples = frames.mean(axis=1).astype(np.int16)
    return samples if rate == RATE else np.asarray(soxr.resample(samples, rate, RATE), np.int16)


def silence(seconds: float) -> Samples:
    """Return digital silence."""
    return np.zeros(int(seconds * RATE), np.int16)


def joined(*pieces: Samples) -> Samples:
    """Return the pieces one after the other."""
    return np.concatenate(pieces)


def cut_up(samples: Samples, length: int) -> Iterator[Samples]:
    """Yield pieces of `length` samples; the last may be shorter."""
    return (samples[at : at + length] for at in range(0, len(samples), length))
