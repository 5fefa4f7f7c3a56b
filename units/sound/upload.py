"""Audio that a client uploads, in any slicing, as samples at the one rate of all units."""

import numpy as np
import soxr
from numpy.typing import NDArray

from units.base import RUN_FAILED, UnitFault
from units.sound.decoding import decoded
from units.sound.wav import SAMPLE_BYTES, OtherAudio, WavFormat, WavReader, stranger_of

RATE = 16000
"""Samples a second, everywhere in the units."""

Samples = NDArray[np.int16]

MAX_FILE_BYTES = 64 * 1024 * 1024
"""The largest file that must be whole before it can be decoded."""

NOTHING: Samples = np.zeros(0, np.int16)
_OURS = WavFormat(RATE, 1)


class Upload:
    """One client's audio: raw s16le at 16 kHz, WAV files one after the other, or a file that is decoded as a whole."""

    def __init__(self) -> None:
        self.rate = RATE
        """The rate of the audio as it came."""

        self._forget()

    def _forget(self) -> None:
        self._wav: WavReader | None = None
        self._format = _OURS
        self._resampler: soxr.ResampleStream | None = None
        self._odd = b""
        """The bytes of a sample (of all channels) that is not complete."""
        self._has_begun = False
        self._other: OtherAudio | None = None
        """The kind of the present file, if it is to be decoded as a whole; else None."""

        self._file = bytearray()

    def feed(self, data: bytes, form: str) -> Samples:
        """Return the samples that these bytes complete. A payload with RIFF at its beginning is a WAV, whatever `form`
        says.

        Raises:
            UnitFault: the audio cannot be used; the next bytes begin anew.
        """
        try:
            return self._feed(data, form)
        except UnitFault:
            self._forget()
            raise

    def finish(self) -> Samples:
        """Return the rest that the resampler held, or a file that was decoded; the next bytes begin anew.

        Raises:
            UnitFault: a WAV ended before its first sample, or a file cannot be decoded.
        """
        if self._other is not None:
            file, what = bytes(self._file), self._other.what
            self._forget()
            samples, self.rate = decoded(file, what, RATE)
            return samples
        is_cut = self._wav is not None and self._wav.is_in_header
        tail = self._flush()
        self._forget()
        if is_cut:
            raise UnitFault(RUN_FAILED, "the audio is a WAV that ends in its header")
        return tail

    def _feed(self, data: bytes, form: str) -> Samples:
        if self._other is not None:
            self._collect(data)
            return NOTHING
        pieces = []
        if data.startswith(b"RIFF"):
            pieces.append(self._flush())
            self._wav = WavReader()
        elif form != "wav" and self._wav is not None and self._wav.has_ended:
            pieces.append(self._flush())
            self._wav = None
        elif form == "wav" and self._wav is None and data:
            self._wav = WavReader()
        if self._wav is None:
            self._check_raw(data)
            pieces.append(self._samples_of(data))
        else:
            pieces += self._feed_wav(data)
        self._has_begun = self._has_begun or bool(data)
        return pieces[0] if len(pieces) == 1 else np.concatenate([NOTHING, *pieces])

    def _check_raw(self, data: bytes) -> None:
        """Refuse compressed audio that is sent as raw: it would be heard as noise."""
        if not self._has_begun and (name := stranger_of(data)):
            raise UnitFault(RUN_FAILED, f"the audio is {name}; 16-bit PCM (WAV or raw) is understood")

    def _feed_wav(self, data: bytes) -> list[Samples]:
        pieces = []
        rest: bytes | None = data
        while rest is not None:
            wav = self._wav = self._wav or WavReader()
            try:
                sound, rest = wav.feed(rest), wav.rest
            except OtherAudio as other:
                if not wav.header:
                    raise
                self._other = other
                self._collect(wav.header)
                break
            if wav.format is not None and wav.format != self._format:
                self._begin_format(wav.format)
            pieces.append(self._samples_of(sound))
            if rest is not None:
                pieces.append(self._flush())
                self._wav = None
        return pieces

    def _collect(self, data: bytes | bytearray) -> None:
        if len(self._file) + len(data) > MAX_FILE_BYTES:
            raise UnitFault(RUN_FAILED, f"the audio is a file of over {MAX_FILE_BYTES} bytes")
        self._file += data

    def _begin_format(self, format_: WavFormat) -> None:
        self._format = format_
        self.rate = format_.rate
        self._odd = b""
        self._resampler = None
        if format_.rate != RATE:
            self._resampler = soxr.ResampleStream(format_.rate, RATE, 1, dtype="int16")

    def _samples_of(self, sound: bytes) -> Samples:
        sound = self._odd + sound
        whole = len(sound) - len(sound) % self._format.frame_bytes
        self._odd = sound[whole:]
        samples: Samples = np.frombuffer(sound, "<i2", whole // SAMPLE_BYTES).astype(np.int16)
        if self._format.channels == 2:
            samples = (samples.reshape(-1, 2).sum(axis=1, dtype=np.int32) // 2).astype(np.int16)
        if self._resampler is None or not len(samples):
            return samples
        return np.asarray(self._resampler.resample_chunk(samples), np.int16)

    def _flush(self) -> Samples:
        """Return what the resampler holds; our own format applies again."""
        tail = NOTHING
        if self._resampler is not None:
            tail = np.asarray(self._resampler.resample_chunk(NOTHING, last=True), np.int16)
        self._begin_format(_OURS)
        return tail
