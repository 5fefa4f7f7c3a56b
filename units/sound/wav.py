"""WAV: the header of what we write, and a reader for what arrives in pieces.

A file is read as chunks (id, length, body). What stands between `fmt ` and `data` and after `data` is skipped without
being kept, and a reader holds 8 MiB at most. Lengths are not trusted: a `data` of length 0 or 0xFFFFFFFF, which
programs write that cannot seek, lasts as long as bytes come, and a length that promises too much ends with the bytes.
"""

import struct
from dataclasses import dataclass

from units.base import RUN_FAILED, UnitFault

SAMPLE_BYTES = 2
HEADER_BYTES = 44
"""The length of what `wav_header` writes."""

LOWEST_RATE, HIGHEST_RATE = 8000, 192000

_ENDLESS = (0, 0xFFFFFFFF)
_PCM, _EXTENSIBLE = 0x0001, 0xFFFE
_CODINGS = {0x0002: "ADPCM", 0x0003: "float", 0x0006: "A-law", 0x0007: "mu-law", 0x0055: "MP3"}
# The size of one request: within it the format is known, or the file is no usual WAV.
_LONGEST_HEADER = 8 * 1024 * 1024
# The longest `fmt ` in use has 40 bytes.
_LONGEST_FMT = 256

_STRANGERS = {
    b"OggS": "Ogg",
    b"fLaC": "FLAC",
    b"ID3\x02": "MP3",
    b"ID3\x03": "MP3",
    b"ID3\x04": "MP3",
    b"RIFX": "big-endian RIFF",
    b"RF64": "RF64",
    b"\x1aE\xdf\xa3": "WebM",
}
"""Four bytes that begin other formats, and are hardly ever the first two samples of PCM."""


def wav_header(samples: int, rate: int) -> bytes:
    """Return the 44 bytes before `samples` samples of 16-bit mono PCM; lengths that do not fit mean "endless"."""
    length = min(samples * SAMPLE_BYTES, 0xFFFFFFFF)
    parts = (b"RIFF", min(length + HEADER_BYTES - 8, 0xFFFFFFFF), b"WAVE", b"fmt ", 16, _PCM, 1, rate)
    return struct.pack("<4sI4s4sIHHI", *parts) + struct.pack("<IHH4sI", rate * 2, SAMPLE_BYTES, 16, b"data", length)


def stranger_of(beginning: bytes) -> str:
    """Return the name of the format that begins so, "" for what may be PCM or WAV."""
    return _STRANGERS.get(beginning[:4], "")


@dataclass(frozen=True)
class WavFormat:
    """The format of a WAV; always 16-bit PCM."""

    rate: int
    channels: int

    @property
    def frame_bytes(self) -> int:
        """Return the bytes of one sample of each channel."""
        return self.channels * SAMPLE_BYTES


class OtherAudio(UnitFault):
    """The bytes are no 16-bit WAV; they may be audio of another kind."""

    def __init__(self, what: str) -> None:
        super().__init__(RUN_FAILED, f"the audio is {what}; 16-bit PCM (WAV or raw) is understood")
        self.what = what
        """The apparent kind, with its article."""


class WavReader:
    """A reader of one WAV in any slicing; it returns the PCM of `data`."""

    def __init__(self) -> None:
        self.header = bytearray()
        """What was fed until the format is known, for a reader of other formats; empty where that is too much."""

        self._fed_bytes = 0
        self._buffer = bytearray()
        self._step = self._take_beginning
        self._left = 0
        self._is_endless = False
        self._is_padded = False
        self._is_behind_data = False
        self.format: WavFormat | None = None
        self.rest: bytes | None = None
        """The bytes from the beginning of the next WAV on, None when no other follows in the same bytes."""

    @property
    def is_in_header(self) -> bool:
        """Return True while bytes have come and none of them was sound."""
        return self._step != self._take_sound and not self._is_behind_data

    @property
    def has_ended(self) -> bool:
        """Return True after `data`, with no piece of another chunk waiting."""
        return self._is_behind_data and not self._buffer and self._step == self._take_chunk

    def feed(self, data: bytes) -> bytes:
        """Return the PCM in these bytes; raise OtherAudio unless it is 16-bit, mono or stereo, at a usual rate."""
        if self.format is None:
            self._keep(data)
        self._buffer += data
        sound = bytearray()
        while self._step(sound):
            pass
        return bytes(sound)

    def _keep(self, data: bytes) -> None:
        if self._fed_bytes == len(self.header):  # nothing is missing
            self.header += data
        self._fed_bytes += len(data)
        if len(self.header) > _LONGEST_HEADER:
            self.header.clear()

    def _take(self, count: int) -> bytes:
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    def _take_beginning(self, sound: bytearray) -> bool:
        if len(self._buffer) < 12:
            _check_beginning(bytes(self._buffer))
            return False
        beginning = self._take(12)
        _check_beginning(beginning)
        if beginning[8:] != b"WAVE":
            raise OtherAudio(f"a RIFF file of the kind {_shown(beginning[8:])}, not WAVE")
        self._step = self._take_chunk
        return True

    def _take_chunk(self, sound: bytearray) -> bool:
        if self._is_behind_data and self._buffer[:4] == b"RIFF":
            self.rest = self._take(len(self._buffer))
            return False
        if len(self._buffer) < 8:
            return False
        name, length = struct.unpack("<4sI", self._take(8))
        self._left, self._is_padded = length, length % 2 == 1
        if name == b"fmt " and not self._is_behind_data:
            self._step = self._take_format
        elif name == b"data" and not self._is_behind_data:
            self._begin_sound()
        else:
            self._step = self._skip
        return True

    def _begin_sound(self) -> None:
        if self.format is None:
            raise OtherAudio("a WAV whose data comes before its format")
        self._is_endless = self._left in _ENDLESS
        self._step = self._take_sound

    def _take_format(self, sound: bytearray) -> bool:
        if not 16 <= self._left <= _LONGEST_FMT:
            raise OtherAudio(f"a WAV with a format chunk of {self._left} bytes")
        if len(self._buffer) < self._left:
            return False
        self.format = _read_format(self._take(self._left))
        self._left = 0
        self._step = self._skip
        return True

    def _take_sound(self, sound: bytearray) -> bool:
        taken = self._take(len(self._buffer) if self._is_endless else self._left)
        sound += taken
        self._left -= len(taken)
        if self._is_endless or self._left > 0:
            return False
        self._is_behind_data = True
        self._step = self._skip
        return True

    def _skip(self, sound: bytearray) -> bool:
        """Skip the rest of a chunk, and the byte that makes an odd length even."""
        self._left -= len(self._take(self._left))
        if self._left:
            return False
        if self._is_padded:
            self._left, self._is_padded = 1, False
            return bool(self._buffer)
        self._step = self._take_chunk
        return True


def _read_format(body: bytes) -> WavFormat:
    coding, channels, rate, _, _, bits = struct.unpack("<HHIIHH", body[:16])
    if coding == _EXTENSIBLE and len(body) >= 26:
        (coding,) = struct.unpack("<H", body[24:26])
    if coding != _PCM:
        raise OtherAudio(f"a {bits}-bit {_CODINGS.get(coding, f'coding {coding:#x}')} WAV")
    if bits != 16:
        raise OtherAudio(f"a {bits}-bit WAV")
    if channels not in (1, 2):
        raise OtherAudio(f"a WAV of {channels} channels")
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise OtherAudio(f"a WAV of {rate} samples a second")
    return WavFormat(rate, channels)


def _check_beginning(beginning: bytes) -> None:
    """Refuse what cannot become a WAV any more, by its name where it has one."""
    if b"RIFF".startswith(beginning[:4]):
        return
    name = stranger_of(beginning)
    if not name and len(beginning) >= 2 and beginning[0] == 0xFF and beginning[1] & 0xE0 == 0xE0:
        name = "MP3"
    if name or not any(each.startswith(beginning[:4]) for each in (*_STRANGERS, b"\xff")):
        raise OtherAudio(name or f"no WAV, it begins with {_shown(beginning[:4])}")


def _shown(some: bytes) -> str:
    return some.decode("latin-1").encode("unicode_escape").decode()
