"""Which generation gets the next slot of the KV cache, and which gives one up for it.

The daemon says for whom an answer is computed: an owner (a token, or this machine) and a client of it (a connection, or
all HTTP requests of one address). A free slot goes to the generation whose owner, then whose client, holds least; among
equals to speech, then to the one that has waited longest.

Where no slot is free a newcomer waits a moment. Then the answer that has run longest, of those who hold most, gives its
slot up. That answer is a returning one from then on: it waits longer, and takes a slot only from one that had it for as
long. So each answer is moved at most once for each newcomer, and once in each turn.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable

from units.llm.sequence import Generation

# Most answers that are there first end by themselves within a moment, and moving one takes time.
NEWCOMER_SECONDS = 0.5
# What is free goes to an answer that has waited so long for its return before it goes to a newcomer: else, where there
# are always newcomers, a long answer would wait ten seconds for each short one.
RETURN_SECONDS = 2.0
# A generation keeps a new slot until it has said something.
SHORTEST_TURN_SECONDS = 0.2
# Moving the cache of a long answer out and in takes up to a fifth of a second (0.5B, two x86 cores at work).
TURN_SECONDS = 10.0

CanRotate = Callable[[Generation], bool]
"""Returns whether there is room for all to take turns, with this returning generation next."""


class Shares:
    """The number of slots that each owner and each client holds at this moment."""

    def __init__(self, working: Iterable[Generation]) -> None:
        """`working` are the generations that have a slot and are not held."""
        self._working = list(working)
        self._owners = Counter(each.owner for each in self._working)
        self._clients = Counter((each.owner, each.client) for each in self._working)
        self._now = time.monotonic()

    def place_in_line(self, waiting: Generation) -> tuple[int, int, int, float]:
        """Return the key by which waiting generations are sorted."""
        deadline = waiting.waits_since + (RETURN_SECONDS if waiting.is_returning else NEWCOMER_SECONDS)
        return *self._held_by(waiting), -waiting.priority, deadline

    def maybe_giver(self, waiting: Generation, can_rotate: CanRotate) -> Generation | None:
        """Return the generation whose slot this one gets; None while it has to wait."""
        is_due = self._now - waiting.waits_since >= _patience(waiting)
        is_due = is_due and (not waiting.is_returning or can_rotate(waiting))
        givers = [each for each in self._working if self._may_take(waiting, each, is_due=is_due)]
        return min(givers, key=self._by_claim, default=None)

    def _held_by(self, generation: Generation) -> tuple[int, int]:
        return self._owners[generation.owner], self._clients[generation.owner, generation.client]

    def _by_claim(self, working: Generation) -> tuple[int, int, int, float]:
        owners, clients = self._held_by(working)
        return working.priority, -owners, -clients, working.turn_began

    def _may_take(self, waiting: Generation, working: Generation, *, is_due: bool) -> bool:
        if waiting.priority < 0 or not self._holds_more(working, waiting):
            return False
        if waiting.priority > working.priority:
            return True
        return is_due and self._now - working.turn_began >= self._turn_due(waiting, working)

    def _holds_more(self, working: Generation, waiting: Generation) -> bool:
        """Return True when `working` holds more, as none gives way to one that has more; or for one client."""
        if working.owner != waiting.owner:
            return self._owners[working.owner] > self._owners[waiting.owner]
        more = self._held_by(working)[1] > self._held_by(waiting)[1]
        return more or working.client == waiting.client

    def _turn_due(self, waiting: Generation, working: Generation) -> float:
        """Return how long an answer keeps its slot against this one. Speech with a single slot is not hurried."""
        is_spoken = working.priority > waiting.priority and self._held_by(working)[1] == 1
        is_long = waiting.is_returning or working.is_relearning or is_spoken
        return TURN_SECONDS if is_long else SHORTEST_TURN_SECONDS


def _patience(waiting: Generation) -> float:
    return TURN_SECONDS if waiting.is_returning else NEWCOMER_SECONDS
