"""What the loudspeaker plays next. Items are added and stopped by one thread and taken by another.

Each holder (a token, or this machine) has a queue of its own. Where there are several they take turns, item by item, so
that nobody waits for all that another one has given.

An item that is cut while it sounds ends with 5 ms that fade away, and one that goes on after a pause fades in.

The lock is held for some microseconds, with no waiting inside: the taking thread has a device's buffer as its slack.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from units.audio.devices import NOTHING, Samples
from units.sound.fades import FADE_SAMPLES, faded_in, faded_out
from units.sound.upload import RATE

# An hour of 16 kHz mono is 115 MB; a book in one go is paused and sent in parts.
MAX_QUEUED_SECONDS = 1800
# So much is taken of each holder, however much others have here.
OWN_SECONDS = 60
# A voice gives a few in a second; each costs time at every look at the list.
MAX_QUEUED_ITEMS = 10_000


@dataclass(eq=False)
class Item:
    """Something to play, and how much of it has been."""

    owner: str
    number: int
    samples: Samples
    played: int = 0
    is_resumed: bool = False
    """It was held, and its next samples fade in."""

    holder: str = ""
    """In whose name it is played."""


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
        self._queues: dict[str, deque[Item]] = {}
        """By holder; whose turn is next stands first."""

        self._held: set[str] = set()
        self._fading = NOTHING
        """The last of what was cut, to be played before anything else."""
        self._has_items = threading.Event()

    def add(self, item: Item, at_once: bool = False, instead_of: str | None = None) -> list[Item]:
        """Behind all others of its holder, or instead of them; returns the items that this cut.

        `at_once` it takes the place of what this holder (None: anybody) has here.
        """
        with self._lock:
            cut = self._cut(lambda each: instead_of in (None, each.holder)) if at_once else []
            self._queues.setdefault(item.holder, deque()).append(item)
            self._mark()
        return cut

    def stop(self, owner: str | None) -> list[Item]:
        """Takes out what one owner (None: anybody) has here; only a fade of it is taken any more. Returns it."""
        with self._lock:
            cut = self._cut(lambda each: owner in (None, each.owner))
            self._mark()
        return cut

    def hold(self, owner: str, is_held: bool) -> None:
        """What one owner has here waits where it is, or goes on from there; others are heard meanwhile."""
        with self._lock:
            if is_held:
                self._fade_sounding(lambda each: each.owner == owner)
                self._held.add(owner)
            else:
                self._held.discard(owner)
            self._mark()

    def lose_device(self) -> list[Item]:
        """Takes out everything, also what was to fade: nobody hears it. Returns it."""
        with self._lock:
            cut, self._fading = self._all(), NOTHING
            self._queues.clear()
            self._mark()
        return cut

    def _cut(self, is_unwanted: Callable[[Item], bool]) -> list[Item]:
        self._fade_sounding(is_unwanted)
        cut = [item for item in self._all() if is_unwanted(item)]
        kept = {
            holder: deque(each for each in queue if not is_unwanted(each)) for holder, queue in self._queues.items()
        }
        self._queues = {holder: queue for holder, queue in kept.items() if queue}
        return cut

    def _all(self, holder: str | None = None) -> list[Item]:
        """Items of one holder (None: of all)."""
        return [item for name, queue in self._queues.items() if holder in (None, name) for item in queue]

    def _fade_sounding(self, is_unwanted: Callable[[Item], bool]) -> None:
        """Keeps 5 ms of the item that sounds now, if it is one of these."""
        item = self._maybe_next()
        if item is not None and item.played and is_unwanted(item):
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
                    self._remove(item)
                    ended.append(item)
            self._mark()
        return Taken(np.concatenate(pieces), begun, ended)

    def _remove(self, item: Item) -> None:
        """Takes out an item that has been played; the other holders are next."""
        queue = self._queues.pop(item.holder)
        queue.remove(item)
        if queue:
            self._queues[item.holder] = queue

    def _maybe_next(self) -> Item | None:
        waiting = (item for queue in self._queues.values() for item in queue)
        return next((item for item in waiting if item.owner not in self._held), None)

    def _mark(self) -> None:
        if len(self._fading) or self._maybe_next() is not None:
            self._has_items.set()
        else:
            self._has_items.clear()

    def wait(self, seconds: float) -> None:
        """Returns when there is something to play, or after a while."""
        self._has_items.wait(seconds)

    def has_sound(self, holder: str | None = None) -> bool:
        """True when there is something to play now, of one holder (None: of anybody)."""
        if holder is None:
            return self._has_items.is_set()
        with self._lock:
            return any(item.owner not in self._held for item in self._all(holder))

    @property
    def is_speaking(self) -> bool:
        """True when there is something to play now besides chimes."""
        with self._lock:
            return any(item.owner != CHIME and item.owner not in self._held for item in self._all())

    def fullness(self, holder: str) -> str:
        """Returns why nothing more of this holder may wait here; "" while there is room."""
        with self._lock:
            own = self._all(holder)
            if len(own) >= MAX_QUEUED_ITEMS:
                return f"{MAX_QUEUED_ITEMS} sounds are waiting"
            if _seconds(self._all()) > MAX_QUEUED_SECONDS and _seconds(own) > OWN_SECONDS:
                return f"over {MAX_QUEUED_SECONDS} s of sound are waiting"
        return ""

    def seconds(self, holder: str | None = None) -> float:
        """How long it would play, of one holder (None: of all)."""
        with self._lock:
            return _seconds(self._all(holder))


def _seconds(items: Iterable[Item]) -> float:
    return sum(len(item.samples) - item.played for item in items) / RATE
