"""Audio files of other kinds than 16-bit WAV: FLAC, Ogg, MP3, WAV of 24 bits or floats, and what else soundfile reads.

A file is decoded when all of it has arrived, in the unit's own program and block by block: some kilobytes of FLAC may
hold hours of silence.
"""

import io
from typing import Any

import numpy as np
import soxr
from numpy.typing import NDArray

from units.base import RUN_FAILED, UnitFault

LONGEST_SECONDS = 1800
"""The longest decoded sound: 58 MB."""

_BLOCK_FRAMES = 65_536
_LOWEST_RATE, _HIGHEST_RATE = 1000, 768_000


def decoded(file: bytes, what: str, rate: int) -> tuple[NDArray[np.int16], int]:
    """Return the file's sound in one channel at `rate`, and the file's own rate; `what` names the kind of the file.

    Raises:
        UnitFault: the file cannot be read, holds no sound, or too much; the words say which.
    """
    try:
        import soundfile
    except (ImportError, OSError) as error:  # the library is missing, or its libsndfile
        raise _fault(what, f"({error}): pip install soundfile") from error
    try:
        with soundfile.SoundFile(io.BytesIO(file)) as reader:
            return _read(reader, what, rate), int(reader.samplerate)
    except soundfile.SoundFileError as error:
        raise _fault(what, f"({getattr(error, 'error_string', error)})") from error


def _read(reader: Any, what: str, rate: int) -> NDArray[np.int16]:
    if not _LOWEST_RATE <= reader.samplerate <= _HIGHEST_RATE:
        raise _fault(what, f"with {reader.samplerate} samples a second")
    resampler = soxr.ResampleStream(reader.samplerate, rate, 1, dtype="float32")
    pieces, frames = [], 0
    for block in reader.blocks(_BLOCK_FRAMES, dtype="float32", always_2d=True):
        frames += len(block)
        if frames > LONGEST_SECONDS * reader.samplerate:
            raise UnitFault(RUN_FAILED, f"the audio is {what} of more than {LONGEST_SECONDS // 60} minutes")
        mono = np.nan_to_num(block.mean(axis=1, dtype=np.float32), posinf=1.0, neginf=-1.0)
        pieces.append(_s16(resampler.resample_chunk(mono)))
    if not frames:
        raise UnitFault(RUN_FAILED, f"the audio is {what} without any sound")
    pieces.append(_s16(resampler.resample_chunk(np.zeros(0, np.float32), last=True)))
    return np.concatenate(pieces)


def _s16(floats: NDArray[np.float32]) -> NDArray[np.int16]:
    samples: NDArray[np.int16] = np.clip(np.rint(floats * np.float32(32768)), -32768, 32767).astype(np.int16)
    return samples


def _fault(what: str, reason: str) -> UnitFault:
    return UnitFault(RUN_FAILED, f"the audio is {what}, which cannot be read {reason}")
