"""What waits for the broker, so that nothing that a unit says ever waits for it.

Three kinds, each with its bound. Retained topics are a table of what is true now: only the last value of each counts,
and all of them are said again after a reconnect. Answers are kept in their order until the broker has taken them; a
command stands among them, and is taken back when it has waited too long: a light that turns on minutes later helps
nobody. Output in passing is dropped, oldest first, when nobody takes it, and counted.
"""

import asyncio
import logging
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

from unitd.core.repeats import is_doubling

log = logging.getLogger("unitd.mqtt")

# Far more than a board answers while its broker restarts; past it something is wrong.
LIMIT_ANSWERS, LIMIT_ANSWER_BYTES = 20_000, 16 * 1024 * 1024
# A few seconds of many tasks' output; older output helps a listener of this moment no more.
LIMIT_PASSING, LIMIT_PASSING_BYTES = 1_024, 1024 * 1024
# A broker that restarts again and again takes something in between.
MOST_DEATHS = 5


@dataclass(frozen=True)
class Publication:
    """One message to the broker."""

    topic: str
    payload: bytes
    is_retained: bool = False
    is_answer: bool = False
    correlation: bytes | None = None
    outcome: asyncio.Future[bool] | None = field(default=None, compare=False)
    """For whoever waits for it: whether the broker has taken or refused it."""

    @property
    def qos(self) -> int:
        """What must arrive is acknowledged by the broker."""
        return int(self.is_retained or self.is_answer)


class _Queue:
    """Publications in their order, bounded in number and in bytes; one alone may be of any size."""

    def __init__(self, limit: int, limit_bytes: int) -> None:
        self._limit = limit
        self._limit_bytes = limit_bytes
        self._waiting: deque[Publication] = deque()
        self._bytes = 0

    @property
    def first(self) -> Publication | None:
        """The oldest, or None when nothing waits."""
        return self._waiting[0] if self._waiting else None

    def has_room_for(self, publication: Publication) -> bool:
        """Return whether both bounds hold with one more."""
        total = self._bytes + len(publication.payload)
        return not self._waiting or (len(self._waiting) < self._limit and total <= self._limit_bytes)

    @property
    def is_half_full(self) -> bool:
        """Return whether half of either bound is reached."""
        return len(self._waiting) * 2 >= self._limit or self._bytes * 2 >= self._limit_bytes

    def append(self, publication: Publication) -> None:
        """Add one at the end, whatever the bounds."""
        self._waiting.append(publication)
        self._bytes += len(publication.payload)

    def remove_first(self) -> None:
        """Remove the oldest."""
        self._bytes -= len(self._waiting.popleft().payload)

    def remove(self, publication: Publication) -> None:
        """Remove this one; do nothing when it is not there."""
        kept = deque(each for each in self._waiting if each is not publication)
        if len(kept) < len(self._waiting):
            self._bytes -= len(publication.payload)
        self._waiting = kept


class PublishQueue:
    """Filled by the daemon at any time, emptied by the connection while there is one."""

    def __init__(self) -> None:
        self._truth: dict[str, bytes] = {}
        self._stale: dict[str, None] = {}
        """Retained topics whose value the broker does not know; an ordered set."""

        self._answers = _Queue(LIMIT_ANSWERS, LIMIT_ANSWER_BYTES)
        self._passing = _Queue(LIMIT_PASSING, LIMIT_PASSING_BYTES)
        self._arrived = asyncio.Event()
        self._has_room = asyncio.Event()
        self._dropped = 0
        self._suspect: Publication | None = None
        self._deaths = 0

    def retain(self, topic: str, payload: bytes) -> None:
        """This is true from now on; an empty payload forgets the topic."""
        if payload and self._truth.get(topic) == payload:
            return
        if payload:
            self._truth[topic] = payload
        else:
            self._truth.pop(topic, None)
        self._stale[topic] = None
        self._arrived.set()

    def say_again(self, topic: str) -> None:
        """Publish once more what is true on a topic: somebody else has written there."""
        if topic in self._truth:
            self._stale[topic] = None
            self._arrived.set()

    def answer(self, publication: Publication) -> None:
        """Something that somebody waits for."""
        if not self._answers.has_room_for(publication):
            self._drop("answers")
            return
        self._answers.append(publication)
        self._arrived.set()

    async def deliver(self, topic: str, payload: bytes, patience_seconds: float) -> bool:
        """A command: True once the broker has it, False when it was refused, or taken back instead."""
        outcome: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        publication = Publication(topic, payload, is_answer=True, outcome=outcome)
        self.answer(publication)
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_seconds):
                return await outcome
        self._answers.remove(publication)
        self._has_room.set()
        return False

    async def wait_for_room(self) -> None:
        """Return when the broker has taken at least half of what answers may wait."""
        while self._answers.is_half_full:
            self._has_room.clear()
            await self._has_room.wait()

    def pass_on(self, topic: str, payload: bytes) -> None:
        """Something for whoever listens at this moment."""
        publication = Publication(topic, payload)
        while not self._passing.has_room_for(publication):
            self._passing.remove_first()
            self._drop("output")
        self._passing.append(publication)
        self._arrived.set()

    def say_all_again(self) -> None:
        """A new connection: the broker may have forgotten what was retained."""
        self._stale |= dict.fromkeys(self._truth)
        self._arrived.set()

    async def next(self) -> Publication:
        """What is most urgent; it stays here until `taken`."""
        while (first := self.first) is None:
            self._arrived.clear()
            await self._arrived.wait()
        return first

    @property
    def first(self) -> Publication | None:
        """What is most urgent now, if anything is."""
        if (answer := self._answers.first) is not None:
            return answer
        if self._stale:
            topic = next(iter(self._stale))
            return Publication(topic, self._truth.get(topic, b""), is_retained=True)
        return self._passing.first

    def taken(self, publication: Publication) -> None:
        """The broker has it."""
        self._settle(publication, is_taken=True)

    def refused(self, publication: Publication, reason: str) -> None:
        """The broker does not want it, now or ever."""
        log.warning("the broker refuses what was said on %s: %s", publication.topic, reason)
        self._settle(publication, is_taken=False)

    def broke_on(self, publication: Publication) -> None:
        """The connection ended before the broker had it; what no connection survives is given up."""
        self._deaths = self._deaths + 1 if publication == self._suspect else 1
        self._suspect = publication
        if self._deaths >= MOST_DEATHS:
            self.refused(publication, f"{self._deaths} connections in a row ended on it")

    def _settle(self, publication: Publication, *, is_taken: bool) -> None:
        self._suspect = None
        if publication.outcome is not None and not publication.outcome.done():
            publication.outcome.set_result(is_taken)
        if publication.is_retained:
            if self._truth.get(publication.topic, b"") == publication.payload:
                self._stale.pop(publication.topic, None)
            return
        queue = self._answers if publication.is_answer else self._passing
        if queue.first is publication:
            queue.remove_first()
            self._has_room.set()

    def _drop(self, what: str) -> None:
        self._dropped += 1
        if is_doubling(self._dropped):
            log.warning("%d messages dropped so far: the broker does not take them (%s)", self._dropped, what)
