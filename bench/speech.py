"""Speech for measurements: recordings from UNITD_SPEECH_DIR (default ../shared/voice), flite for the rest."""

import os
import subprocess
import tempfile
import wave
from pathlib import Path

import numpy as np
import soxr
from numpy.typing import NDArray

Samples = NDArray[np.int16]

RATE = 16000
RECORDINGS = Path(os.environ.get("UNITD_SPEECH_DIR", Path(__file__).parents[2] / "shared" / "voice"))
LIBRI = {
    "libri-0": (
        "after early nightfall the yellow lamps would light up here and there the squalid quarter of the brothels"
    ),
    "libri-1": (
        "god as a direct consequence of the sin which man thus punished had given her a lovely child whose place was "
        "on that same dishonored bosom to connect her parent for ever with the race and descent of mortals and to be "
        "finally a blessed soul in heaven"
    ),
}


def speak(text: str, voice: str = "slt") -> Samples:
    """Return a text spoken by flite."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "speech.wav"
        subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(file)], check=True)
        return read_wav(file)


def read_wav(path: Path) -> Samples:
    """Return a recording, mixed to mono at 16 kHz."""
    with wave.open(str(path)) as file:
        data = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, file.getnchannels())
        mono = data.mean(axis=1).astype(np.int16)
        rate = file.getframerate()
    return mono if rate == RATE else np.asarray(soxr.resample(mono, rate, RATE), np.int16)


def silence(seconds: float) -> Samples:
    """Return silence."""
    return np.zeros(int(seconds * RATE), np.int16)


def clips_of(folder: str) -> list[Samples]:
    """Return the recordings of a folder; empty when there are none."""
    return [read_wav(path) for path in sorted((RECORDINGS / folder).glob("*.wav"))]


def a_minute() -> Samples:
    """Return a minute of read speech with pauses: recordings if there are any, else flite."""
    pieces = clips_of("speech") or [speak(text) for text in LIBRI.values()]
    joined = np.concatenate([sound for piece in pieces for sound in (piece, silence(1.5))])
    return np.resize(joined, 60 * RATE)


def word_errors(said: str, heard: str) -> int:
    """Return the number of words that must be changed, inserted or deleted."""
    wanted, got = said.split(), heard.replace(".", "").split()
    row = list(range(len(got) + 1))
    for at, word in enumerate(wanted, 1):
        previous, row[0] = row[0], at
        for to, other in enumerate(got, 1):
            previous, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, previous + (word != other))
    return row[-1]
