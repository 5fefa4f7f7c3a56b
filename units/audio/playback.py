"""The thread that writes the loudspeaker: what the playlist holds, else silence."""

import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from units.audio.devices import BLOCK, DeviceLost, DeviceMissing, OpenSink, Sink
from units.audio.playlist import CHIME, Item, Playlist
from units.audio.state import DeviceStatus, Report, State
from units.backoff import Backoff
from units.sound.upload import Samples

Playing = Callable[[Item, float], None]
"""Takes an item whose first sample has been written, and the monotonic time at which the sample is heard."""

Played = Callable[[Item, bool, str], None]
"""Takes an item that has ended, whether it was cut, and why."""

# How soon a loudspeaker that needs no silence notices that it is to close.
_IDLE_SECONDS = 0.1


class Playback:
    """A thread that opens the loudspeaker, and again when it comes back. Without one, items end at once, cut."""

    def __init__(self, setting: str, open_sink: OpenSink, playing: Playing, played: Played, report: Report) -> None:
        self.volume = 1.0
        self.latency = 0.0
        """Seconds from writing a block until it is heard, while a device is open."""

        self._status = DeviceStatus(setting, report)
        self._open_sink = open_sink
        self._playing = playing
        self._played = played
        self._playlist = Playlist()
        self._sounding: deque[tuple[float, Item]] = deque()
        """Items whose last sample has been written, and the time at which it is heard."""

        self._backoff = Backoff()
        self._underruns = 0
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="playback", daemon=True)
        self._thread.start()

    def play(self, item: Item, at_once: bool, instead_of: str | None = None) -> str:
        """Play after the other items of the same holder, or instead of those of this holder (None: of all).

        Return why the item will not be heard, "" if it will.
        """
        if not at_once and (reason := self._playlist.fullness(item.holder)):
            self._played(item, True, reason)
            return reason
        self._tell_cut(self._playlist.add(item, at_once, instead_of), "")
        if self._status.is_usable:
            return ""
        self._tell_cut(self._playlist.lose_device(), self._status.reason)
        return self._status.reason

    def play_over(self, item: Item) -> str:
        """Play over what else sounds, instead of the last such item. Return why it will not be heard, "" if it will."""
        self._tell_cut(self._playlist.add_over(item), "")
        if self._status.is_usable:
            return ""
        self._tell_cut(self._playlist.lose_device(), self._status.reason)
        return self._status.reason

    def stop(self, owner: str | None) -> None:
        """Silence an owner (None: all) from the next block on, but for a fade of 5 ms."""
        self._tell_cut(self._playlist.stop(owner), "")

    def hold(self, owner: str, is_held: bool) -> None:
        """Hold the items of an owner from the next block on, or let them go on where they were."""
        self._playlist.hold(owner, is_held)

    def close(self) -> None:
        """End the thread within a block; what is left is not played."""
        self._is_closing.set()
        self._thread.join()

    def is_playing(self, holder: str | None = None) -> bool:
        """Return True until the last sample of this holder (None: of all) has been heard."""
        sounding = (item for _, item in list(self._sounding) if holder in (None, item.holder))
        return self._playlist.has_sound(holder) or any(sounding)

    @property
    def is_speaking(self) -> bool:
        """Return the same as `is_playing`, but False for chimes: after a chime the wake word may be said again."""
        return self._playlist.is_speaking or any(item.owner != CHIME for _, item in list(self._sounding))

    def about(self) -> dict[str, Any]:
        """Return the fields of `status`."""
        return self._status.about() | {"underruns": self._underruns}

    def queued_seconds(self, holder: str | None = None) -> float:
        """Return how much sound of this holder (None: of all) is still to be played."""
        return self._playlist.seconds(holder)

    def _tell_cut(self, items: list[Item], reason: str) -> None:
        for item in items:
            self._played(item, True, reason)

    def _run(self) -> None:
        while not self._is_closing.is_set():
            try:
                sink = self._open_sink()
            except DeviceMissing as error:
                self._fail("missing", str(error))
                continue
            self._status.name = sink.name
            try:
                self._write(sink)
            except DeviceLost as error:
                self._fail("lost", str(error))
            except Exception as bug:
                traceback.print_exc()
                self._fail("lost", f"internal error: {bug}")
            finally:
                sink.close()

    def _fail(self, state: State, reason: str) -> None:
        """End all items, as nothing sounds any more, and pause before the next try."""
        self._status.change(state, reason)
        lost = [item for _, item in self._sounding]
        self._sounding.clear()
        self._tell_cut(lost + self._playlist.lose_device(), reason)
        self._is_closing.wait(self._backoff.next_seconds())

    def _write(self, sink: Sink) -> None:
        """Write until the device fails or is stale. The device is open once it has taken a block."""
        underruns_before, self.latency = self._underruns, sink.latency
        while not self._is_closing.is_set() and not (sink.is_stale and not self.is_playing()):
            taken = self._playlist.take(BLOCK, self.volume)
            heard_at = time.monotonic() + sink.latency
            try:
                self._write_block(sink, taken.samples)
            except Exception as error:
                self._tell_cut(taken.ended, str(error))  # they are in no other list any more
                raise
            for item in taken.begun:
                self._playing(item, heard_at)
            if self._status.state != "open":
                self._status.change("open")
                self._backoff.reset()
            self._underruns = underruns_before + sink.underruns
            now = time.monotonic()
            self._sounding += [(now + sink.latency, item) for item in taken.ended]
            self._tell_played(now)

    def _write_block(self, sink: Sink, block: Samples) -> None:
        """Write the block, and silence after it where the loudspeaker wants that."""
        if sink.needs_silence:
            sink.write(np.concatenate([block, np.zeros(BLOCK - len(block), np.int16)]))
        elif len(block):
            sink.write(block)
        else:
            self._playlist.wait(_IDLE_SECONDS)

    def _tell_played(self, now: float) -> None:
        while self._sounding and self._sounding[0][0] <= now:
            self._played(self._sounding.popleft()[1], False, "")
