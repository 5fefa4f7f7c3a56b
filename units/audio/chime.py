"""The sound that says "I am listening": two soft notes, made here so that nothing has to be shipped or found."""

import numpy as np

from units.audio.devices import Samples
from units.sound.upload import RATE

NOTES_HZ = (659.3, 880.0)
NOTE_SECONDS = 0.11
PEAK = 6000


def chime() -> Samples:
    """s16 at 16 kHz, a quarter of a second; each note swells and fades, so that nothing clicks."""
    times = np.arange(int(NOTE_SECONDS * RATE)) / RATE
    swell = np.sin(np.pi * times / NOTE_SECONDS) ** 2
    notes = [np.sin(2 * np.pi * pitch * times) * swell for pitch in NOTES_HZ]
    return np.round(np.concatenate(notes) * PEAK).astype(np.int16)
