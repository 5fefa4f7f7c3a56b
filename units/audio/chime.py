"""The sounds of a wake: two soft notes that rise ("I am listening") or fall ("I heard nothing"). The ring of a timer.

They are computed here, so that no file has to be shipped.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from units.sound.upload import RATE, Samples

NOTES_HZ: Mapping[str, tuple[float, ...]] = {"wake": (659.3, 880.0), "unheard": (587.3, 392.0)}
"""The notes of each kind of chime."""

NOTE_SECONDS = 0.11
PEAK = 6000

RING_HZ = (880.0, 1108.7, 1318.5)
"""The notes of a ring, which is played three times with a short pause after each."""

RING_NOTE_SECONDS = 0.12
RING_PAUSE_SECONDS = 0.14
RING_TIMES = 3
RING_PEAKS = (3000, 6000, 10000, 15000, 20000, 26000)
"""The loudness of the first ring, the second, and so on; the last goes on."""


def chime(kind: str) -> Samples:
    """Return s16 at 16 kHz, a quarter of a second."""
    return _scaled(_notes(NOTES_HZ[kind], NOTE_SECONDS), PEAK)


def ring(level: int) -> Samples:
    """Return s16 at 16 kHz, a second and a half, the louder the higher the level; from the last level on the same."""
    call = np.concatenate([_notes(RING_HZ, RING_NOTE_SECONDS), np.zeros(int(RING_PAUSE_SECONDS * RATE))])
    return _scaled(np.tile(call, RING_TIMES), RING_PEAKS[min(level, len(RING_PEAKS) - 1)])


def _notes(pitches: Sequence[float], seconds: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return one note after the other; each swells and fades, so that nothing clicks."""
    times = np.arange(int(seconds * RATE)) / RATE
    swell = np.sin(np.pi * times / seconds) ** 2
    return np.concatenate([np.sin(2 * np.pi * pitch * times) * swell for pitch in pitches])


def _scaled(wave: np.ndarray[tuple[int], np.dtype[np.float64]], peak: int) -> Samples:
    return np.round(wave * peak).astype(np.int16)
