"""The queue of messages to the broker, so that no unit ever waits for the broker.

There are three kinds, each with a limit. Retained topics are a table with the last value of each; all are published
again after a reconnect. Answers are kept in order until the broker has accepted them; commands are among them, and are
withdrawn when they have waited too long, because a light must not turn on minutes later. Transient output is dropped,
the oldest first, when the broker does not accept it, and counted.
"""

import asyncio
import logging
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

from unitd.core.repeats import is_doubling

log = logging.getLogger("unitd.mqtt")

# Far more answers than a board makes while its broker restarts.
LIMIT_ANSWERS, LIMIT_ANSWER_BYTES = 20_000, 16 * 1024 * 1024
# A few seconds of the output of many tasks; older output is of no use.
LIMIT_PASSING, LIMIT_PASSING_BYTES = 1_024, 1024 * 1024
# A broker that restarts again and again accepts at least something in between.
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
    """Set to True when the broker has accepted the message, to False when it has refused it."""

    @property
    def qos(self) -> int:
        """Return the QoS: 1 for answers and retained topics, which the broker must acknowledge, else 0."""
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
        """Return the oldest message; None when none waits."""
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
    """The queue: the daemon fills it at any time, the connection empties it."""

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
        """Set the value of a retained topic; an empty payload removes it."""
        if payload and self._truth.get(topic) == payload:
            return
        if payload:
            self._truth[topic] = payload
        else:
            self._truth.pop(topic, None)
        self._stale[topic] = None
        self._arrived.set()

    def say_again(self, topic: str) -> None:
        """Publish the value of a retained topic again, after another client has overwritten it."""
        if topic in self._truth:
            self._stale[topic] = None
            self._arrived.set()

    def answer(self, publication: Publication) -> None:
        """Add an answer; drop it when too many wait."""
        if not self._answers.has_room_for(publication):
            self._drop("answers")
            return
        self._answers.append(publication)
        self._arrived.set()

    async def deliver(self, topic: str, payload: bytes, patience_seconds: float) -> bool:
        """Publish a command. Return True once the broker has it, False when it was refused or withdrawn."""
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
        """Return when at most half of the limits for answers is in use."""
        while self._answers.is_half_full:
            self._has_room.clear()
            await self._has_room.wait()

    def pass_on(self, topic: str, payload: bytes) -> None:
        """Add transient output; drop the oldest when too much waits."""
        publication = Publication(topic, payload)
        while not self._passing.has_room_for(publication):
            self._passing.remove_first()
            self._drop("output")
        self._passing.append(publication)
        self._arrived.set()

    def say_all_again(self) -> None:
        """Publish all retained topics again: the broker may have lost them."""
        self._stale |= dict.fromkeys(self._truth)
        self._arrived.set()

    async def next(self) -> Publication:
        """Wait for and return the most urgent message; it stays in the queue until `taken`."""
        while (first := self.first) is None:
            self._arrived.clear()
            await self._arrived.wait()
        return first

    @property
    def first(self) -> Publication | None:
        """Return the most urgent message; None when nothing waits."""
        if (answer := self._answers.first) is not None:
            return answer
        if self._stale:
            topic = next(iter(self._stale))
            return Publication(topic, self._truth.get(topic, b""), is_retained=True)
        return self._passing.first

    def taken(self, publication: Publication) -> None:
        """Remove a message that the broker has accepted."""
        self._settle(publication, is_taken=True)

    def refused(self, publication: Publication, reason: str) -> None:
        """Remove a message that the broker has refused."""
        log.warning("the broker refuses what was said on %s: %s", publication.topic, reason)
        self._settle(publication, is_taken=False)

    def broke_on(self, publication: Publication) -> None:
        """Note that the connection ended on a message; after MOST_DEATHS in a row the message is removed."""
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
