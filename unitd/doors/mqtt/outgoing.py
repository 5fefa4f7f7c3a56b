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

log = logging.getLogger("unitd.mqtt")

# Far more than a board answers while its broker restarts; past it something is wrong.
LIMIT_ANSWERS = 20_000
LIMIT_PASSING = 4_096


@dataclass(frozen=True)
class Publication:
    """One message to the broker."""

    topic: str
    payload: bytes
    is_retained: bool = False
    is_answer: bool = False
    correlation: bytes | None = None
    was_taken: asyncio.Event | None = field(default=None, compare=False)
    """Set when the broker has it, for whoever waits for that."""

    @property
    def qos(self) -> int:
        """What must arrive is acknowledged by the broker."""
        return int(self.is_retained or self.is_answer)


class Outgoing:
    """Filled by the daemon at any time, emptied by the connection while there is one."""

    def __init__(self) -> None:
        self._truth: dict[str, bytes] = {}
        self._stale: dict[str, None] = {}
        """Retained topics whose value the broker does not know; an ordered set."""

        self._answers: deque[Publication] = deque()
        self._passing: deque[Publication] = deque()
        self._arrived = asyncio.Event()
        self._dropped = 0

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

    def answer(self, publication: Publication) -> None:
        """Something that somebody waits for."""
        if len(self._answers) >= LIMIT_ANSWERS:
            self._drop("answers")
            return
        self._answers.append(publication)
        self._arrived.set()

    async def deliver(self, topic: str, payload: bytes, patience_seconds: float) -> bool:
        """A command: True once the broker has it, False when it was taken back instead."""
        was_taken = asyncio.Event()
        publication = Publication(topic, payload, is_answer=True, was_taken=was_taken)
        self.answer(publication)
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_seconds):
                await was_taken.wait()
        if not was_taken.is_set():
            self._answers = deque(each for each in self._answers if each is not publication)
        return was_taken.is_set()

    def pass_on(self, topic: str, payload: bytes) -> None:
        """Something for whoever listens at this moment."""
        if len(self._passing) >= LIMIT_PASSING:
            self._passing.popleft()
            self._drop("output")
        self._passing.append(Publication(topic, payload))
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
        if self._answers:
            return self._answers[0]
        if self._stale:
            topic = next(iter(self._stale))
            return Publication(topic, self._truth.get(topic, b""), is_retained=True)
        return self._passing[0] if self._passing else None

    def taken(self, publication: Publication) -> None:
        """The broker has it."""
        if publication.was_taken is not None:
            publication.was_taken.set()
        if publication.is_retained:
            if self._truth.get(publication.topic, b"") == publication.payload:
                self._stale.pop(publication.topic, None)
            return
        queue = self._answers if publication.is_answer else self._passing
        if queue and queue[0] is publication:
            queue.popleft()

    def _drop(self, what: str) -> None:
        self._dropped += 1
        if self._dropped & (self._dropped - 1) == 0:
            log.warning("%d messages dropped so far: the broker does not take them (%s)", self._dropped, what)
