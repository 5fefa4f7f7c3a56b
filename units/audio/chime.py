"""The sounds of a wake: two soft notes that rise ("I am listening") or fall ("I heard nothing").

They are computed here, so that no file has to be shipped.
"""

from collections.abc import Mapping

import numpy as np

from units.sound.upload import RATE, Samples

NOTES_HZ: Mapping[str, tuple[float, ...]] = {"wake": (659.3, 880.0), "unheard": (587.3, 392.0)}
"""The notes of each kind of chime."""

NOTE_SECONDS = 0.11
PEAK = 6000


def chime(kind: str) -> Samples:
    """Return s16 at 16 kHz, a quarter of a second; each note swells and fades, so that nothing clicks."""
    times = np.arange(int(NOTE_SECONDS * RATE)) / RATE
    swell = np.sin(np.pi * times / NOTE_SECONDS) ** 2
    notes = [np.sin(2 * np.pi * pitch * times) * swell for pitch in NOTES_HZ[kind]]
    return np.round(np.concatenate(notes) * PEAK).astype(np.int16)
