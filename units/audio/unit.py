"""The audio unit: the messages of the daemon, and the two threads that have the devices.

All waiting for a device happens in the threads, which send their messages to the daemon themselves. A daemon that does
not take the microphone's periods holds the capture thread, and the device's own buffer loses what is too old: whole
stretches, counted in `status`, with a line in the log when it begins. A file that is read fast loses nothing: the unit
sends so many periods, and one more for each `heard`.
"""

import threading
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np
import soxr

from unitd.wire.envelope import Envelope
from units.audio.capture import Capture, Opener
from units.audio.chime import chime, ring
from units.audio.devices import DeviceMissing, OpenSink, Pace, maybe_path
from units.audio.files import FileOpener, Warn, open_file_sink
from units.audio.playback import Playback
from units.audio.playlist import CHIME, RING, Item
from units.audio.portaudio import DeviceOpener, PortAudio
from units.audio.state import State
from units.base import RUN_FAILED, UNAVAILABLE, Handler, LoadError, Unit, UnitFault
from units.host import Host
from units.setup_values import SetupValues
from units.sound.upload import RATE, Samples, Upload
from units.sound.wav import HIGHEST_RATE, LOWEST_RATE

PACES = ("real", "fast")

# How far a file that is read fast may be ahead of the slowest task: enough to keep all of them busy, and less than the
# 2 s that a sleeping task remembers for the wake that is still to come.
PERIODS_AHEAD = 50


class AudioUnit(Unit):
    """One microphone and one loudspeaker for all tasks."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._capture: Capture
        self._playback: Playback
        self._overruns_told = 0
        self.handlers: Mapping[str, Handler] = {
            "listen": self._listen,
            "heard": self._go_on,
            "play": self._play,
            "chime": self._chime,
            "ring": self._ring,
            "stop": self._stop,
            "hold": self._hold,
            "status": self._status,
            "volume": self._volume,
        }

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Start the threads. They report a device that is missing, and try it again."""
        options = _Options(load.get("engine_options") or {})
        capture, playback = options.text("capture", "default"), options.text("playback", "default")
        pace = options.one_of("pace", "real", PACES)
        library = PortAudio()
        self._can_wait = pace == "fast" and maybe_path(capture) is not None
        self._room = threading.Semaphore(PERIODS_AHEAD)
        warn = partial(self._host.log, "warning")
        opener = _source_opener(capture, cast(Pace, pace), library, warn)
        open_sink = _sink_opener(playback, cast(Pace, pace), library)
        report = partial(self._tell_device, "playback")
        self._playback = Playback(playback, open_sink, self._tell_playing, self._tell_played, report)
        self._capture = Capture(capture, opener, self._tell_heard, partial(self._tell_device, "capture"))
        return {"about": f"capture {capture or 'none'}, playback {playback or 'none'}"}

    def close(self) -> None:
        """End the threads; files are complete after this."""
        self._can_wait = False
        self._room.release()  # the thread may wait with a period, and no `heard` comes any more
        self._capture.close()
        self._playback.close()

    # Messages

    def _listen(self, envelope: Envelope) -> None:
        self._capture.listen(bool(envelope.fields["is_on"]))

    def _go_on(self, envelope: Envelope) -> None:
        """Let the next period follow: all listening tasks have heard one."""
        self._room.release()

    def _play(self, envelope: Envelope) -> None:
        """Play a sound. One that cannot be played has ended at once, with the reason, and is refused too."""
        fields = envelope.fields
        item = Item(fields["owner"], fields["number"], np.zeros(0, np.int16), holder=fields.get("holder", ""))
        try:
            item.samples = _decoded(envelope.payload, fields)
        except UnitFault as fault:
            self._tell_played(item, True, str(fault))
            raise
        if reason := self._playback.play(item, bool(fields.get("at_once")), fields.get("instead_of")):
            raise UnitFault(UNAVAILABLE, reason)

    def _chime(self, envelope: Envelope) -> None:
        """Play the sound of a wake, or of a wake after which nothing was said."""
        self._playback.play(Item(CHIME, 0, chime(envelope.fields["kind"])), at_once=False)

    def _ring(self, envelope: Envelope) -> None:
        """Play the ring of a timer over what else sounds, the louder the higher its level."""
        if reason := self._playback.play_over(Item(RING, 0, ring(int(envelope.fields["level"])))):
            raise UnitFault(UNAVAILABLE, reason)

    def _stop(self, envelope: Envelope) -> None:
        self._playback.stop(envelope.fields.get("owner"))

    def _hold(self, envelope: Envelope) -> None:
        self._playback.hold(envelope.fields["owner"], bool(envelope.fields["is_held"]))

    def _status(self, envelope: Envelope) -> dict[str, Any]:
        holder = envelope.fields.get("holder")
        return {
            "is_playing": self._playback.is_playing(holder),
            "queued_seconds": round(self._playback.queued_seconds(holder), 3),
            "capture": self._capture.about() | {"volume": self._capture.volume},
            "playback": self._playback.about() | {"volume": self._playback.volume},
        }

    def _volume(self, envelope: Envelope) -> None:
        values = SetupValues({f"the volume of {key}": each for key, each in envelope.fields.items()})
        capture = values.number("the volume of capture", self._capture.volume, 0, 1)
        playback = values.number("the volume of playback", self._playback.volume, 0, 1)
        self._capture.volume, self._playback.volume = capture, playback

    # Messages of the threads

    def _tell_heard(self, samples: Samples, at: float) -> None:
        waits = {"can_wait": True} if self._can_wait else {}
        if self._can_wait:
            self._room.acquire()
        self._host.say("pcm", samples.astype("<i2").tobytes(), at=at, is_playing=self._playback.is_speaking, **waits)
        overruns = self._capture.about()["overruns"]
        if overruns > self._overruns_told == 0:
            self._host.log("warning", "the microphone loses sound: nobody takes it in time; audio_status counts")
        self._overruns_told = overruns

    def _tell_playing(self, item: Item, at: float) -> None:
        self._host.say("playing", owner=item.owner, number=item.number, at=at)

    def _tell_played(self, item: Item, is_cut: bool, reason: str) -> None:
        why: dict[str, Any] = {"reason": reason} if reason else {}
        # What a device has taken of the item is heard to its end.
        at = time.monotonic() + (self._playback.latency if is_cut and item.played else 0.0)
        self._host.say("played", owner=item.owner, number=item.number, is_cut=is_cut, at=at, **why)

    def _tell_device(self, which: str, state: State, reason: str) -> None:
        self._host.say("device", which=which, state=state, reason=reason)


class NoMicrophone:
    """The microphone of a configuration without one."""

    def look(self) -> None:
        """Raise DeviceMissing."""
        _refuse("no microphone is configured ([audio] capture)")

    def open(self) -> NoReturn:
        """Raise DeviceMissing."""
        _refuse("no microphone is configured ([audio] capture)")


def _source_opener(setting: str, pace: Pace, library: PortAudio, warn: Warn) -> Opener:
    if not setting:
        return NoMicrophone()
    path = maybe_path(setting)
    return DeviceOpener(library, setting) if path is None else FileOpener(path, pace, warn)


def _sink_opener(setting: str, pace: Pace, library: PortAudio) -> OpenSink:
    if not setting:
        return partial(_refuse, "no loudspeaker is configured ([audio] playback)")
    path: Path | None = maybe_path(setting)
    return partial(open_file_sink, path, pace) if path is not None else partial(library.open_sink, setting)


def _refuse(reason: str) -> NoReturn:
    raise DeviceMissing(reason)


class _Options(SetupValues):
    def error(self, words: str) -> Exception:
        return LoadError(words)


def _decoded(payload: bytes, fields: dict[str, Any]) -> Samples:
    """Return the item's sound at our rate."""
    upload = Upload()
    if fields["form"] == "wav":
        return np.concatenate([upload.feed(payload, "wav"), upload.finish()])
    rate = fields.get("rate", RATE)
    if type(rate) is not int or not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise UnitFault(RUN_FAILED, f"rate must be a whole number from {LOWEST_RATE} to {HIGHEST_RATE}, it is {rate!r}")
    samples = np.frombuffer(payload, "<i2", len(payload) // 2).astype(np.int16)
    return samples if rate == RATE else np.asarray(soxr.resample(samples, rate, RATE), np.int16)
