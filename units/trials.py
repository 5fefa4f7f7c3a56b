"""Trials: work for a request in a process of its own (units.confined) while other requests are served.

A trial belongs to a task. The main thread begins it, a thread waits for its end, and the request goes on in the main
thread with the result. Only few run at once: each may take a core and its share of memory.
"""

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from unitd.wire.envelope import Envelope
from units.host import Host

AT_ONCE = 2
# A trial limits its own computing time; this limit is for a machine that gives it hardly any.
PATIENCE_SECONDS = 20.0


class Source(Protocol):
    """The connection that brings a result."""

    def poll(self, timeout: float, /) -> bool:
        """Wait so many seconds and return True when the result is there."""

    def recv(self) -> Any:
        """Return the result; raise EOFError or OSError when none will come."""


class Began(NamedTuple):
    """A trial that runs."""

    connection: Source
    """The connection that brings the result."""

    end: Callable[[], None]
    """Ends the trial while its result is awaited."""

    close: Callable[[], None]
    """Frees the trial; called last, once, in any case."""


class Trial(NamedTuple):
    """A trial that can be begun."""

    begin: Callable[[], Began]
    check: Callable[[Any], None]
    """Raises UnitFault for a bad result; None is the result of a trial that failed."""


Then = Callable[[Any], Mapping[str, Any] | None]
"""A function that goes on with the result (None: the trial failed), and returns or raises as a handler does."""


@dataclass(eq=False)
class _Attempt:
    envelope: Envelope
    begin: Callable[[], Began]
    then: Then
    began: Began | None = None
    is_dropped: bool = False


class Trials:
    """All trials of a unit program."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._waiting: deque[_Attempt] = deque()
        self._running: list[_Attempt] = []

    def add(self, envelope: Envelope, begin: Callable[[], Began], then: Then) -> None:
        """Begin a trial, or let it wait for others, and go on with its result. The handler returns LATER."""
        self._waiting.append(_Attempt(envelope, begin, then))
        self._begin_waiting()

    def drop(self, task: str, inference: int | None = None) -> list[Envelope]:
        """End the trials of a task, or of one inference of it; return the requests that do not go on."""
        of_task = [each for each in (*self._running, *self._waiting) if each.envelope.fields["task"] == task]
        wanted = [each for each in of_task if inference in (None, each.envelope.fields.get("inference"))]
        dropped = [each for each in wanted if not each.is_dropped]
        for each in dropped:
            each.is_dropped = True
            if each.began is not None:
                each.began.end()
        self._waiting = deque(each for each in self._waiting if not each.is_dropped)
        return [each.envelope for each in dropped]

    def on_tried(self, envelope: Envelope) -> None:
        """Handle the end of a trial, which the waiting thread has posted as a message."""
        attempt: _Attempt = envelope.fields["attempt"]
        assert attempt.began is not None
        self._running.remove(attempt)
        if not attempt.is_dropped:
            self._host.carry_out(attempt.envelope, lambda: attempt.then(envelope.fields["result"]))
        attempt.began.close()
        self._begin_waiting()

    def _begin_waiting(self) -> None:
        while self._waiting and len(self._running) < AT_ONCE:
            attempt = self._waiting.popleft()
            self._running.append(attempt)
            attempt.began = attempt.begin()
            waiting = threading.Thread(target=self._wait, args=(attempt, attempt.began.connection), daemon=True)
            waiting.start()

    def _wait(self, attempt: _Attempt, connection: Source) -> None:
        try:
            result = connection.recv() if connection.poll(PATIENCE_SECONDS) else None
        except (EOFError, OSError):
            result = None
        self._host.post(Envelope("tried", {"attempt": attempt, "result": result}))
