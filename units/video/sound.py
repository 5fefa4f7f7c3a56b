"""The sound track of a video as 16-bit PCM, whole or in pieces that end where it is quiet."""

from typing import Any

import av

from unitd.wire.envelope import Envelope
from unitd.wire.videos import MAX_SOUND_SECONDS, SOUND_RATE

_MOST_BYTES = MAX_SOUND_SECONDS * SOUND_RATE * 2

PIECE_SECONDS = (3, 8)
"""The shortest and the longest piece: a sentence or two."""

QUIET_SECONDS = 0.1
"""A pause between words is about as long."""


class SoundTrack:
    """Collects the sound of a video."""

    def __init__(self) -> None:
        self.is_full = False
        """True when there was more sound than is listened to."""

        self._pcm = bytearray()
        self._resampler = av.AudioResampler(format="s16", layout="mono", rate=SOUND_RATE)

    def take(self, frame: Any) -> None:
        """Add a piece of sound."""
        if self.is_full:
            return
        for each in self._resampler.resample(frame):
            self._pcm += bytes(each.planes[0])[: each.samples * 2]
        if len(self._pcm) > _MOST_BYTES:
            del self._pcm[_MOST_BYTES:]
            self.is_full = True

    def messages(self, *, in_pieces: bool) -> list[Envelope]:
        """Return the sound; nothing without a sound track."""
        pieces = _pieces_of(memoryview(self._pcm).cast("h")) if in_pieces else [(0, len(self._pcm) // 2)]
        return [self._message(begin, end) for begin, end in pieces if end > begin]

    def _message(self, begin: int, end: int) -> Envelope:
        times = {"at": begin / SOUND_RATE, "until": end / SOUND_RATE}
        return Envelope("sound", times, bytes(self._pcm[2 * begin : 2 * end]))


def _pieces_of(samples: memoryview) -> list[tuple[int, int]]:
    """Return the beginnings and ends of the pieces."""
    shortest, longest = (seconds * SOUND_RATE for seconds in PIECE_SECONDS)
    pieces, begin = [], 0
    while len(samples) - begin > longest:
        end = _quietest(samples, begin + shortest, begin + longest)
        pieces.append((begin, end))
        begin = end
    return [*pieces, (begin, len(samples))]


def _quietest(samples: memoryview, begin: int, end: int) -> int:
    """Return the middle of the quietest moment between two places."""
    width = round(QUIET_SECONDS * SOUND_RATE)

    def loudness(at: int) -> int:
        moment = samples[at : at + width]
        return int(max(moment) - min(moment))

    return min(range(begin, end - width, width), key=loudness) + width // 2
