"""Real microphones and loudspeakers, by PortAudio (ALSA, and PipeWire or PulseAudio through it).

Streams are read and written by waiting calls. Between these calls and the sound card are PortAudio's own buffers, which
its own thread fills and empties, so that the sound card never waits for Python. What these buffers lose is counted.

PortAudio looks for devices once, when it is initialised, and can only be initialised again while no stream is open.
That is done whenever a device is opened and no other is open. When one stream is open, the other device is missing and
the kernel's list of sound cards has changed, the open stream is declared stale: its thread closes and opens it again in
a quiet moment.
"""

import contextlib
import importlib.util
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import soxr

from units.audio.devices import DeviceLost, DeviceMissing
from units.sound.upload import RATE, Samples

Kind = Literal["input", "output"]

# Between the thread that writes and the sound card. A stop is heard this much later; an interpreter that is busy for
# so long is not heard.
_OUTPUT_LATENCY_SECONDS = 0.04
_INPUT_LATENCY_SECONDS = 0.1

_READS_A_SECOND = 50
_CARDS = Path("/proc/asound/cards")
_WORDS = {"input": "microphone", "output": "loudspeaker"}


class PortAudio:
    """The library, shared by both directions."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open_streams = 0
        self._cards_seen = _cards()
        self.is_stale = False
        """True when an open stream hides a device that was plugged in."""

    def look_for(self, setting: str, kind: Kind) -> str:
        """Return the name of the device; raise DeviceMissing when there is none."""
        with self._lock:
            library = _import()
            return str(_find(library, setting, kind)["name"])

    def open_source(self, setting: str) -> "DeviceSource":
        """Return the open microphone; raise DeviceMissing when there is none, or it does not open."""
        library, stream, device = self._open(setting, "input", "RawInputStream", _INPUT_LATENCY_SECONDS)
        return DeviceSource(self, library, stream, device)

    def open_sink(self, setting: str) -> "DeviceSink":
        """Return the open loudspeaker; raise DeviceMissing when there is none, or it does not open."""
        library, stream, device = self._open(setting, "output", "RawOutputStream", _OUTPUT_LATENCY_SECONDS)
        return DeviceSink(self, library, stream, device)

    def _open(self, setting: str, kind: Kind, maker: str, latency: float) -> tuple[Any, Any, dict[str, Any]]:
        with self._lock:
            library = _import()
            if not self._open_streams:
                self._look_again(library)
            try:
                device = _find(library, setting, kind)
                stream = _start(library, getattr(library, maker), device, latency)
            except (library.PortAudioError, DeviceMissing) as error:
                self.is_stale = self._open_streams > 0 and _cards() != self._cards_seen
                raise DeviceMissing(str(error)) from error
            self._open_streams += 1
        return library, stream, device

    def _look_again(self, library: Any) -> None:
        self._cards_seen, self.is_stale = _cards(), False
        # The library's author names these two as the way to see new devices; there is no public one.
        library._terminate()
        library._initialize()

    def close(self, library: Any, stream: Any) -> None:
        """Close a stream, even if its device is gone."""
        with self._lock, contextlib.suppress(library.PortAudioError):
            self._open_streams -= 1
            stream.abort()
            stream.close()


@dataclass(frozen=True)
class DeviceOpener:
    """A microphone of this machine."""

    library: PortAudio
    setting: str

    def look(self) -> None:
        """Raise DeviceMissing when no device has this name."""
        self.library.look_for(self.setting, "input")

    def open(self) -> "DeviceSource":
        """Return the open device; raise DeviceMissing when it does not open."""
        return self.library.open_source(self.setting)


def _cards() -> str:
    """Return the kernel's list of sound cards; "" where there is none."""
    try:
        return _CARDS.read_text()
    except OSError:
        return ""


def _import() -> Any:
    if importlib.util.find_spec("sounddevice") is None:
        raise DeviceMissing("sounddevice is not installed; pip install sounddevice")
    try:
        import sounddevice
    except OSError as error:
        raise DeviceMissing(f"{error}; apt install libportaudio2") from error
    return sounddevice


def _find(library: Any, setting: str, kind: Kind) -> dict[str, Any]:
    """Return the device of a setting: the default, or the first whose name contains it in any case."""
    devices = [device for device in library.query_devices() if device[f"max_{kind}_channels"] > 0]
    if setting == "default":
        default = library.default.device[kind]
        found = [device for device in devices if device["index"] == default] or devices
    else:
        found = [device for device in devices if setting.lower() in device["name"].lower()]
    if found:
        return dict(found[0])
    if not devices:
        raise DeviceMissing(f"this machine has no {_WORDS[kind]}")
    names = ", ".join(device["name"] for device in devices)
    raise DeviceMissing(f"no {_WORDS[kind]} has {setting!r} in its name; there is {names}")


def _start(library: Any, maker: Any, device: dict[str, Any], latency: float) -> Any:
    """Return a running stream: mono where the device can, else stereo."""
    refusal: Exception | None = None
    for channels in (1, 2):
        try:
            stream = maker(
                device=device["index"],
                channels=channels,
                samplerate=int(device["default_samplerate"]),
                dtype="int16",
                latency=latency,
            )
            stream.start()
            return stream
        except library.PortAudioError as error:
            refusal = error
    raise DeviceMissing(f"{device['name']} does not open: {refusal}")


class DeviceSource:
    """A microphone at its own rate."""

    def __init__(self, owner: PortAudio, library: Any, stream: Any, device: dict[str, Any]) -> None:
        self.name = str(device["name"])
        self.overruns = 0
        self._owner, self._library, self._stream = owner, library, stream
        self._rate = int(stream.samplerate)
        self._resampler = None if self._rate == RATE else soxr.ResampleStream(self._rate, RATE, 1, dtype="int16")

    @property
    def is_stale(self) -> bool:
        """Return True when the device should be opened again soon."""
        return self._owner.is_stale

    def read(self) -> tuple[Samples, float]:
        """Wait for 20 ms of sound and return it, with the time of its last sample."""
        try:
            data, has_lost = self._stream.read(self._rate // _READS_A_SECOND)
            behind = self._stream.read_available / self._rate
        except self._library.PortAudioError as error:
            raise DeviceLost(f"{self.name}: {error}") from error
        self.overruns += has_lost
        samples: Samples = np.frombuffer(data, np.int16)
        if self._stream.channels > 1:
            samples = samples.reshape(-1, self._stream.channels).mean(axis=1).astype(np.int16)
        if self._resampler is not None:
            samples = np.asarray(self._resampler.resample_chunk(samples), np.int16)
            behind += self._resampler.delay() / RATE
        return samples, time.monotonic() - behind

    def close(self) -> None:
        """Close the stream."""
        self._owner.close(self._library, self._stream)


class DeviceSink:
    """A loudspeaker at its own rate."""

    needs_silence = True

    def __init__(self, owner: PortAudio, library: Any, stream: Any, device: dict[str, Any]) -> None:
        self.name = str(device["name"])
        self.underruns = 0
        self.latency = float(stream.latency)
        self._owner, self._library, self._stream = owner, library, stream
        self._rate = int(stream.samplerate)
        self._resampler = None if self._rate == RATE else soxr.ResampleStream(RATE, self._rate, 1, dtype="int16")

    @property
    def is_stale(self) -> bool:
        """Return True when the device should be opened again soon."""
        return self._owner.is_stale

    def write(self, block: Samples) -> None:
        """Wait until PortAudio's buffer takes the block."""
        if self._resampler is not None:
            block = np.asarray(self._resampler.resample_chunk(block), np.int16)
        if self._stream.channels > 1:
            block = np.repeat(block, self._stream.channels)
        try:
            self.underruns += self._stream.write(block.tobytes())
        except self._library.PortAudioError as error:
            raise DeviceLost(f"{self.name}: {error}") from error

    def close(self) -> None:
        """Close the stream."""
        self._owner.close(self._library, self._stream)
