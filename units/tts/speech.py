"""One inference of the tts unit: its text on the way in, its sound on the way out."""

from collections import deque
from collections.abc import Callable, Iterator

import numpy as np
import soxr

from units.sound.fades import FADE_SECONDS, faded_in, faded_out
from units.sound.upload import Samples
from units.sound.wav import wav_header
from units.tts.container import Encoder
from units.tts.engine import Sound, SpeechFailed
from units.tts.options import TtsOptions
from units.tts.pieces import Pieces

# 35 minutes at 16 kHz; a client that wants more asks for a stream.
MAX_KEPT_BYTES = 64 * 1024 * 1024


class Speech:
    """The text still to be spoken, the present piece, and what a client that does not stream will get."""

    def __init__(self, number: int, options: TtsOptions, is_open: bool, gap_seconds: float) -> None:
        self.number = number
        self.options = options
        self._gap_seconds = gap_seconds
        self._has_spoken = False
        self.is_open = is_open
        """True while more text may come."""

        self.is_finished = False
        """True after its end: nothing of it may be sent any more."""

        self.piece = ""
        """The piece that is being spoken."""

        self.sounds: Iterator[Sound] | None = None
        """The rest of the piece's sound; None between two pieces."""

        self._splitter = Pieces()
        self._pieces: deque[str] = deque()
        self._heard: list[Sound] = []
        self._kept: list[Samples] = []
        self._encoder: Encoder | None = None
        self._kept_bytes = 0

    def feed(self, text: str, is_last: bool) -> None:
        """Take more of the text."""
        self._pieces += self._splitter.feed(text)
        if is_last:
            self.is_open = False
            self._pieces += self._splitter.finish()

    @property
    def has_work(self) -> bool:
        """Return True while there is a piece to speak, or the end to be told."""
        return not self.is_finished and (self.sounds is not None or bool(self._pieces) or not self.is_open)

    def maybe_next_piece(self) -> str | None:
        """Return the next piece of the text; None when all that has come is spoken."""
        return self._pieces.popleft() if self._pieces else None

    def hear(self, sound: Sound) -> None:
        """Take one stretch of the present piece."""
        self._heard.append(sound)

    def take_heard(self) -> Sound | None:
        """Return the whole sound of the finished piece, after a pause if it follows another; None when it is silent."""
        heard, self._heard, self.sounds = self._heard, [], None
        if not any(len(sound.samples) for sound in heard):
            return None
        rate = heard[0].rate
        gap = np.zeros(round(self._gap_seconds * rate) if self._has_spoken else 0, np.int16)
        self._has_spoken = True
        spoken, fade = np.concatenate([sound.samples for sound in heard]), round(FADE_SECONDS * rate)
        return Sound(rate, np.concatenate([gap, faded_out(faded_in(spoken, fade), fade)]))

    def keep(self, samples: Samples, is_cut: Callable[[], bool]) -> None:
        """Keep the samples for the end of a text; raise SpeechFailed if they are too many, or cannot be encoded."""
        self._kept_bytes += samples.nbytes
        if self._kept_bytes > MAX_KEPT_BYTES:
            raise SpeechFailed(f"the speech is over {MAX_KEPT_BYTES} bytes; ask for a stream (response_format)")
        if self.options.is_encoded:
            self._encoder = self._encoder or Encoder(self.options.container, self.options.rate)
            self._encoder.write(samples, is_cut)
        else:
            self._kept.append(samples)

    def take_kept(self) -> bytes:
        """Return all that was kept, in the client's container; b"" if there was nothing."""
        if not self._kept_bytes:
            return b""
        return self._encoder.finish() if self._encoder else contained(np.concatenate(self._kept), self.options)

    def close(self) -> None:
        """End the text; stop an engine in the middle of a piece."""
        self.is_finished = True
        sounds, self.sounds = self.sounds, None
        if sounds is not None and hasattr(sounds, "close"):
            sounds.close()


def contained(samples: Samples, options: TtsOptions) -> bytes:
    """Return a stretch of sound as a client gets it; raise SpeechFailed when it cannot be encoded."""
    if options.is_encoded:
        encoder = Encoder(options.container, options.rate)
        encoder.write(samples, lambda: False)
        return encoder.finish()
    return (wav_header(len(samples), options.rate) if options.container == "wav" else b"") + samples.tobytes()


def resampled(sound: Sound, rate: int) -> Samples:
    """Return the sound at another rate; what overshoots is held at full scale."""
    if sound.rate == rate:
        return sound.samples
    return np.asarray(soxr.resample(sound.samples, sound.rate, rate), np.int16)
