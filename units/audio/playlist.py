"""What the loudspeaker plays next. Items are added and stopped by one thread and taken by another.

An item that is cut while it sounds ends with 5 ms that fade away, and one that goes on after a pause fades in.

The lock is held for some microseconds, with no waiting inside: the taking thread has a device's buffer as its slack.
"""

import threading
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from units.audio.devices import NOTHING, Samples
from units.sound.fades import FADE_SAMPLES, faded_in, faded_out
from units.sound.upload import RATE

# An hour of 16 kHz mono is 115 MB; a book in one go is paused and sent in parts.
MAX_QUEUED_SECONDS = 1800


@dataclass(eq=False)
class Item:
    """Something to play, and how much of it has been."""

    owner: str
    number: int
    samples: Samples
    played: int = 0
    is_resumed: bool = False
    """It was held, and its next samples fade in."""


CHIME = "chime"
"""The owner of the sounds of a wake. They are no speech: wake words are listened for while they play."""


class Taken(NamedTuple):
    """The next stretch of sound, and the items that begin and end in it."""

    samples: Samples
    begun: list[Item]
    ended: list[Item]


class Playlist:
    """Items in their order, and which of them have begun and ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._items: deque[Item] = deque()
        self._held: set[str] = set()
        self._fading = NOTHING
        """The last of what was cut, to be played before anything else."""
        self._has_items = threading.Event()

    def add(self, item: Item, at_once: bool = False) -> list[Item]:
        """Behind all others, or instead of them; returns the items that this cut."""
        with self._lock:
            cut = list(self._items) if at_once else []
            if at_once:
                self._fade_sounding(None)
                self._items.clear()
            self._items.append(item)
            self._mark()
        return cut

    def stop(self, owner: str | None) -> list[Item]:
        """Takes out what one owner (None: anybody) has here; only a fade of it is taken any more. Returns it."""
        with self._lock:
            self._fade_sounding(owner)
            cut = [item for item in self._items if owner in (None, item.owner)]
            self._items = deque(item for item in self._items if owner not in (None, item.owner))
            self._mark()
        return cut

    def hold(self, owner: str, is_held: bool) -> None:
        """What one owner has here waits where it is, or goes on from there; others are heard meanwhile."""
        with self._lock:
            if is_held:
                self._fade_sounding(owner)
                self._held.add(owner)
            else:
                self._held.discard(owner)
            self._mark()

    def lose_device(self) -> list[Item]:
        """Takes out everything, also what was to fade: nobody hears it. Returns it."""
        with self._lock:
            cut, self._fading = list(self._items), NOTHING
            self._items.clear()
            self._mark()
        return cut

    def _fade_sounding(self, owner: str | None) -> None:
        """Keeps 5 ms of the item that sounds now, if it is this owner's (None: anybody's)."""
        item = self._maybe_next()
        if item is not None and item.played and owner in (None, item.owner):
            self._fading = faded_out(item.samples[item.played : item.played + FADE_SAMPLES])
            item.played += len(self._fading)
            item.is_resumed = True

    def take(self, count: int) -> Taken:
        """The next samples, at most `count`."""
        begun: list[Item] = []
        ended: list[Item] = []
        with self._lock:
            pieces = [self._fading[:count]]
            self._fading = self._fading[count:]
            count -= len(pieces[0])
            while count > 0 and (item := self._maybe_next()) is not None:
                if not item.played:
                    begun.append(item)
                piece = item.samples[item.played : item.played + count]
                if item.is_resumed:
                    piece, item.is_resumed = faded_in(piece), False
                item.played += len(piece)
                count -= len(piece)
                pieces.append(piece)
                if item.played >= len(item.samples):
                    self._items.remove(item)
                    ended.append(item)
            self._mark()
        return Taken(np.concatenate(pieces), begun, ended)

    def _maybe_next(self) -> Item | None:
        return next((item for item in self._items if item.owner not in self._held), None)

    def _mark(self) -> None:
        if len(self._fading) or self._maybe_next() is not None:
            self._has_items.set()
        else:
            self._has_items.clear()

    def wait(self, seconds: float) -> None:
        """Returns when there is something to play, or after a while."""
        self._has_items.wait(seconds)

    @property
    def is_empty(self) -> bool:
        """True when there is nothing to play now."""
        return not self._has_items.is_set()

    @property
    def is_speaking(self) -> bool:
        """True when there is something to play now besides chimes."""
        with self._lock:
            return any(item.owner != CHIME and item.owner not in self._held for item in self._items)

    @property
    def seconds(self) -> float:
        """How long it would play."""
        with self._lock:
            return sum(len(item.samples) - item.played for item in self._items) / RATE
