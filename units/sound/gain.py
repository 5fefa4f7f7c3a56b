"""How much louder a quiet microphone must be made, frame by frame, so that its speech is taken for speech.

Detectors of speech have a level below which nothing counts. The gain lifts speech to where they were made for, but
never the noise of the room to where they would take it for speech; at the levels of usual microphones it is 1.
"""

from collections import deque

import numpy as np

from units.sound.upload import Samples

_SPEECH_RMS = 3000.0
"""What speech is lifted to: read speech has 1600 to 3600 in usual recordings."""

# What the quietest tenth of the last frames is lifted to at most. Measured with WebRTC's detector in its strictest mode
# and nine noises from a tap to a pub, at six levels: with 60 two of them (a washing machine, dishes) are taken for
# speech a little more often than without any gain, with 120 music and a pub are, too.
_ROOM_RMS = 50.0
_MOST = 50.0
"""34 dB; what is quieter is lost in the rounding to 16 bits."""

_ROOM_FRAMES = 100
_ROOM_PERCENTILE = 10
# Of the loudest frame so far, in a frame of 30 ms: half of it is forgotten in 5 s.
_FADING = 0.5 ** (0.03 / 5)


class Gain:
    """Follows one microphone; it remembers the room from one utterance to the next."""

    def __init__(self) -> None:
        self._room: deque[float] = deque(maxlen=_ROOM_FRAMES)
        self._loudest = 0.0

    @property
    def loudest(self) -> float:
        """The level (root of the mean square) of the loudest frame lately."""
        return self._loudest

    def follow(self, frame: Samples, *, is_speech: bool) -> float:
        """Takes the next 30 ms and returns their gain, 1 or more. Speech is no part of the room."""
        level = float(np.sqrt(np.mean(np.square(frame, dtype=np.float32))))
        self._loudest = max(level, self._loudest * _FADING)
        if not is_speech or not self._room:
            self._room.append(level)
        room = float(np.percentile(self._room, _ROOM_PERCENTILE))
        # A level of 0 is a file's silence.
        wanted = min(_SPEECH_RMS / max(self._loudest, 1e-3), _ROOM_RMS / max(room, 1e-3), _MOST)
        return max(1.0, wanted)


def amplified(frame: Samples, gain: float) -> Samples:
    """The frame that much louder; what would overshoot is held at full scale."""
    if gain == 1.0:
        return frame
    louder: Samples = np.clip(np.rint(frame * np.float32(gain)), -32768, 32767).astype(np.int16)
    return louder
