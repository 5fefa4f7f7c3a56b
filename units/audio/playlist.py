"""What the loudspeaker plays next. One thread adds and stops items, another takes them.

Each holder (a token, or this machine) has a queue of its own. Several holders take turns, item by item, so that none
waits for all that another one has given.

An item that is cut while it sounds fades away within 5 ms, and one that goes on after a pause fades in.

The lock is held for some microseconds, with no waiting inside: the taking thread has a device's buffer as its slack.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from units.sound.fades import FADE_SAMPLES, faded_in, faded_out, scaled
from units.sound.upload import NOTHING, RATE, Samples

# An hour of 16 kHz mono is 115 MB; a book in one go is paused and sent in parts.
MAX_QUEUED_SECONDS = 1800
# Each holder may have so much here, however much others have.
OWN_SECONDS = 60
# A voice adds a few in a second; each costs time whenever the list is searched.
MAX_QUEUED_ITEMS = 10_000


@dataclass(eq=False)
class Item:
    """Sound to be played, and how much of it has been."""

    owner: str
    number: int
    samples: Samples
    played: int = 0
    is_resumed: bool = False
    """True after a pause: the next samples fade in."""

    holder: str = ""
    """The name in which the item is played."""


RING = "ring"
"""The owner of the ring of timers."""

LEAST_RING_VOLUME = 0.3
"""A ring is heard on a board that is muted, too."""

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
        """By holder; the holder whose turn is next stands first."""

        self._held: set[str] = set()
        self._fading = NOTHING
        """The end of what was cut, to be played before anything else."""
        self._over: Item | None = None
        """What sounds at the same time as the rest."""

        self._has_items = threading.Event()

    def add(self, item: Item, at_once: bool = False, instead_of: str | None = None) -> list[Item]:
        """Add an item after the others of its holder, or instead of them; return the items that this cuts.

        `at_once` replaces the items of `instead_of` (None: of all holders).
        """
        with self._lock:
            cut = self._cut(lambda each: instead_of in (None, each.holder)) if at_once else []
            self._queues.setdefault(item.holder, deque()).append(item)
            self._mark()
        return cut

    def add_over(self, item: Item) -> list[Item]:
        """Play an item at the same time as the others, instead of the last such item; return that, if it sounds."""
        with self._lock:
            cut, self._over = [self._over] if self._over is not None else [], item
            self._mark()
        return cut

    def stop(self, owner: str | None) -> list[Item]:
        """Remove and return the items of one owner (None: of all); only a fade of them is still played."""
        with self._lock:
            cut = self._cut(lambda each: owner in (None, each.owner))
            if self._over is not None and owner in (None, self._over.owner):
                self._over.samples = faded_out(self._over.samples[: self._over.played + FADE_SAMPLES])
            self._mark()
        return cut

    def hold(self, owner: str, is_held: bool) -> None:
        """Hold the items of one owner where they are, or let them go on; others are played meanwhile."""
        with self._lock:
            if is_held:
                self._fade_sounding(lambda each: each.owner == owner)
                self._held.add(owner)
            else:
                self._held.discard(owner)
            self._mark()

    def lose_device(self) -> list[Item]:
        """Remove and return everything, including what was to fade."""
        with self._lock:
            cut, self._fading = self._all(), NOTHING
            cut += [self._over] if self._over is not None else []
            self._queues.clear()
            self._over = None
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
        """Return the items of one holder (None: of all)."""
        return [item for name, queue in self._queues.items() if holder in (None, name) for item in queue]

    def _fade_sounding(self, is_unwanted: Callable[[Item], bool]) -> None:
        """Keep 5 ms of the item that sounds now, if it is unwanted."""
        item = self._maybe_next()
        if item is not None and item.played and is_unwanted(item):
            self._fading = faded_out(item.samples[item.played : item.played + FADE_SAMPLES])
            item.played += len(self._fading)
            item.is_resumed = True

    def take(self, count: int, volume: float = 1.0) -> Taken:
        """Return the next samples at a volume of 0 to 1, at most `count`."""
        begun: list[Item] = []
        ended: list[Item] = []
        wanted = count
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
            samples = scaled(np.concatenate(pieces), volume)
            samples = self._with_over(samples, wanted, max(volume, LEAST_RING_VOLUME), begun, ended)
            self._mark()
        return Taken(samples, begun, ended)

    def _with_over(self, samples: Samples, count: int, volume: float, begun: list[Item], ended: list[Item]) -> Samples:
        """Return the samples with what sounds over them, at this volume."""
        item = self._over
        if item is None:
            return samples
        if not item.played:
            begun.append(item)
        piece = item.samples[item.played : item.played + count]
        item.played += len(piece)
        if item.played >= len(item.samples):
            self._over = None
            ended.append(item)
        mixed = np.zeros(max(len(samples), len(piece)), np.int32)
        mixed[: len(samples)] += samples
        mixed[: len(piece)] += scaled(piece, volume)
        return np.clip(mixed, -32768, 32767).astype(np.int16)

    def _remove(self, item: Item) -> None:
        """Remove an item that has been played; the other holders are next."""
        queue = self._queues.pop(item.holder)
        queue.remove(item)
        if queue:
            self._queues[item.holder] = queue

    def _maybe_next(self) -> Item | None:
        waiting = (item for queue in self._queues.values() for item in queue)
        return next((item for item in waiting if item.owner not in self._held), None)

    def _mark(self) -> None:
        if len(self._fading) or self._over is not None or self._maybe_next() is not None:
            self._has_items.set()
        else:
            self._has_items.clear()

    def wait(self, seconds: float) -> None:
        """Wait until there is something to play, at most so long."""
        self._has_items.wait(seconds)

    def has_sound(self, holder: str | None = None) -> bool:
        """Return True when a holder (None: any) has something to play now."""
        if holder is None:
            return self._has_items.is_set()
        with self._lock:
            return any(item.owner not in self._held for item in self._all(holder))

    @property
    def is_speaking(self) -> bool:
        """Return True when something other than a chime is to be played now."""
        with self._lock:
            is_spoken = any(item.owner != CHIME and item.owner not in self._held for item in self._all())
            return is_spoken or self._over is not None

    def fullness(self, holder: str) -> str:
        """Return why this holder may add nothing more, "" while there is room."""
        with self._lock:
            own = self._all(holder)
            if len(own) >= MAX_QUEUED_ITEMS:
                return f"{MAX_QUEUED_ITEMS} sounds are waiting"
            if _seconds(self._all()) > MAX_QUEUED_SECONDS and _seconds(own) > OWN_SECONDS:
                return f"over {MAX_QUEUED_SECONDS} s of sound are waiting"
        return ""

    def seconds(self, holder: str | None = None) -> float:
        """Return how long the items of one holder (None: of all) would play."""
        with self._lock:
            return _seconds(self._all(holder))


def _seconds(items: Iterable[Item]) -> float:
    return sum(len(item.samples) - item.played for item in items) / RATE
