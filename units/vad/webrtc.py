"""WebRTC's detector: forty times cheaper than silero, and misled by rain, pianos and fans."""

from units.base import LoadError
from units.sound.upload import RATE, Samples

try:
    import webrtcvad
except ImportError as error:
    raise LoadError("the webrtc engine needs webrtcvad-wheels: pip install webrtcvad-wheels") from error

# 0 takes everything for speech, 3 the least.
STRICTEST = 3


class Webrtc:
    """The detector of one stream; it knows only yes and no."""

    frame_samples = RATE * 30 // 1000

    def __init__(self) -> None:
        self.reset()

    def probability(self, frame: Samples) -> float:
        """Return 1 for speech, 0 for anything else."""
        return float(self._detector.is_speech(frame.tobytes(), RATE))

    def reset(self) -> None:
        """Make a new detector: the library cannot clear one."""
        self._detector = webrtcvad.Vad(STRICTEST)
