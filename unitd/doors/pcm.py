"""Conversion of audio between browsers and units, with the standard library alone.

Browsers use 32-bit floats from -1 to 1, units 16-bit integers; both mono and little-endian. A minute of audio takes a
sixth of a second, so convert in a thread. The conversion works in blocks: during a block no other thread can run.
"""

import math
import struct
import sys
from array import array

_FULL_SCALE = 32767.0
_STEP = 1 / 32768

# Two milliseconds of work.
_BLOCK_SAMPLES = 16_384

LOWEST_RATE, HIGHEST_RATE = 8000, 192_000
"""The range of sample rates that speech to text accepts."""


def s16_of_floats(floats: bytes) -> bytes:
    """Return float PCM as 16-bit PCM; louder samples are clipped to 1.

    Raises:
        ValueError: the bytes are no whole number of samples, or a sample is not finite.
    """
    if len(floats) % 4:
        raise ValueError(f"{len(floats)} bytes are no whole number of 32-bit samples")
    step = 4 * _BLOCK_SAMPLES
    return b"".join([_s16_block(floats[start : start + step]) for start in range(0, len(floats), step)])


def floats_of_s16(pcm: bytes) -> bytes:
    """Return 16-bit PCM as float PCM."""
    step = 2 * _BLOCK_SAMPLES
    return b"".join([_float_block(pcm[start : start + step]) for start in range(0, len(pcm), step)])


def wav_of(pcm: bytes, rate: int) -> bytes:
    """Return a WAV file of 16-bit PCM."""
    sizes = (36 + len(pcm), b"WAVE", b"fmt ", 16, 1, 1, rate, rate * 2, 2, 16, b"data", len(pcm))
    return b"RIFF" + struct.pack("<I4s4sIHHIIHH4sI", *sizes) + pcm


def _s16_block(floats: bytes) -> bytes:
    samples = array("f", floats)
    if sys.byteorder == "big":
        samples.byteswap()
    # A 64-bit sum of 32-bit floats cannot overflow: it is finite exactly when all samples are.
    if not math.isfinite(sum(samples)):
        raise ValueError("it holds samples that are no numbers")
    if max(samples) > 1 or min(samples) < -1:
        samples = array("f", [min(max(sample, -1.0), 1.0) for sample in samples])
    return _bytes_of(array("h", map(int, map(_FULL_SCALE.__mul__, samples))))


def _float_block(pcm: bytes) -> bytes:
    samples = array("h", pcm)
    if sys.byteorder == "big":
        samples.byteswap()
    return _bytes_of(array("f", map(_STEP.__mul__, samples)))


def _bytes_of(samples: "array[int] | array[float]") -> bytes:
    if sys.byteorder == "big":
        samples.byteswap()
    return samples.tobytes()
