"""The gain that a quiet microphone needs, frame by frame, so that its speech is detected as speech.

Detectors of speech ignore everything below a certain level. The gain lifts speech to the level that they were made for,
but never the noise of the room to a level at which they take it for speech. For usual microphones it is 1.
"""

from collections import deque

import numpy as np

from units.sound.upload import Samples

_SPEECH_RMS = 3000.0
"""The level to which speech is lifted: read speech has 1600 to 3600 in usual recordings."""

# The highest level of the quietest tenth of the last frames. Measured with WebRTC's detector in its strictest mode and
# nine noises from a tap to a pub, at six levels: with 60 two of them (a washing machine, dishes) are taken for
# speech a little more often than without any gain, with 120 music and a pub are, too.
_ROOM_RMS = 50.0
_MOST = 50.0
"""The highest gain, 34 dB; what is quieter is lost in the rounding to 16 bits."""

_ROOM_FRAMES = 100
_ROOM_PERCENTILE = 10
# The level of the loudest frame fades by this in a frame of 30 ms, by half in 5 s.
_FADING = 0.5 ** (0.03 / 5)


class Gain:
    """The gain of one microphone; it remembers the room from one utterance to the next."""

    def __init__(self) -> None:
        self._room: deque[float] = deque(maxlen=_ROOM_FRAMES)
        self._loudest = 0.0

    @property
    def loudest(self) -> float:
        """Return the level (root of the mean square) of the loudest recent frame."""
        return self._loudest

    def follow(self, frame: Samples, *, is_speech: bool) -> float:
        """Take the next 30 ms and return their gain, 1 or more. Speech does not count for the level of the room."""
        level = float(np.sqrt(np.mean(np.square(frame, dtype=np.float32))))
        self._loudest = max(level, self._loudest * _FADING)
        if not is_speech or not self._room:
            self._room.append(level)
        room = float(np.percentile(self._room, _ROOM_PERCENTILE))
        # The level is 0 in the silence of a file.
        wanted = min(_SPEECH_RMS / max(self._loudest, 1e-3), _ROOM_RMS / max(room, 1e-3), _MOST)
        return max(1.0, wanted)


def amplified(frame: Samples, gain: float) -> Samples:
    """Return the frame, louder by a gain; what would overshoot is held at full scale."""
    if gain == 1.0:
        return frame
    louder: Samples = np.clip(np.rint(frame * np.float32(gain)), -32768, 32767).astype(np.int16)
    return louder
