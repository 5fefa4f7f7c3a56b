"""Sound at a volume, and sound that begins and ends softly: a step from or to silence is heard as a click."""

import numpy as np

from units.sound.upload import RATE, Samples

FADE_SECONDS = 0.005
FADE_SAMPLES = round(FADE_SECONDS * RATE)
"""The length of a fade at the rate of the loudspeaker's queue."""


def scaled(samples: Samples, volume: float) -> Samples:
    """Return the samples at a volume; 1.0 leaves them unchanged."""
    if volume == 1.0:
        return samples
    return (samples * np.float32(volume)).astype(np.int16)


def faded_in(sound: Samples, count: int = FADE_SAMPLES) -> Samples:
    """Return the sound with its first `count` samples rising from silence."""
    return _ramped(sound, np.arange(min(count, len(sound))) / count, slice(0, count))


def faded_out(sound: Samples, count: int = FADE_SAMPLES) -> Samples:
    """Return the sound with its last `count` samples falling to silence."""
    length = min(count, len(sound))
    return _ramped(sound, np.arange(length, 0, -1) / count - 1 / count, slice(len(sound) - length, None))


def _ramped(sound: Samples, ramp: "np.ndarray[tuple[int], np.dtype[np.float64]]", part: slice) -> Samples:
    faded = sound.copy()
    faded[part] = (faded[part] * ramp).astype(np.int16)
    return faded
