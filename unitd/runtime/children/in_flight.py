"""Work that one program has been given and has not finished, and which task may give it more.

Usually every task may, at once. A suspect (`core.tasks.deaths`) begins its work while nothing else runs, and other work
waits until that has ended: a death then shows its cause. No task waits long for that: a suspect that cannot be alone
within ALONE_SECONDS begins in company, and after the same time others begin beside it. Only its setup is waited for to
the end.
"""

import asyncio
import math
from collections.abc import Callable
from typing import Any, NamedTuple

WORK = frozenset({"setup", "hear", "idle", "warm"})
"""Messages that a program computes for until it answers. So it does for `infer`, whose task knows when that ends."""

# Most programs that die of a prompt die of its first tokens; those that hang are judged by `at_work`.
ALONE_SECONDS = 2.0


class Message(NamedTuple):
    """What a program is told, now or at its task's turn."""

    type: str
    payload: bytes
    fields: dict[str, Any]


class InFlight:
    """The work of one program, by task."""

    def __init__(self, is_suspect: Callable[[str], bool], on_turn: Callable[[], None]) -> None:
        """`on_turn` is called whenever a task that had to wait may ask `may_begin` again."""
        self._is_suspect = is_suspect
        self._on_turn = on_turn
        self._work: dict[str, dict[int | str, float]] = {}
        """When each piece of work was begun."""

        self._alone: str | None = None
        self._alone_until = 0.0
        self._waits_since: dict[str, float] = {}
        self._timers: set[asyncio.TimerHandle] = set()

    def may_begin(self, task: str) -> bool:
        """Return False while the task has to wait."""
        now = asyncio.get_running_loop().time()
        if self._alone not in (None, task) and now < self._alone_until:
            return False
        if not self._is_suspect(task) or not self._work.keys() - {task}:
            return True
        if task not in self._waits_since:
            self._waits_since[task] = now
            self._call_later(task)
        return now - self._waits_since[task] >= ALONE_SECONDS

    def begin(self, task: str, piece: int | str, *, is_setup: bool = False) -> None:
        """Note that the program was given a piece of work, named within its task."""
        now = asyncio.get_running_loop().time()
        if self._is_suspect(task) and not self._work.keys() - {task}:
            self._alone, self._alone_until = task, math.inf if is_setup else now + ALONE_SECONDS
            if not is_setup:
                self._call_later(task)
        self._waits_since.pop(task, None)
        self._work.setdefault(task, {})[piece] = now

    def end(self, task: str, piece: int | str) -> None:
        """Note that a piece of work is finished; safe to call twice."""
        work = self._work.get(task, {})
        if work.pop(piece, None) is not None and not work:
            self.leave(task)

    def leave(self, task: str) -> None:
        """Note that the task has no work here any more."""
        self._work.pop(task, None)
        self._waits_since.pop(task, None)
        if self._alone == task:
            self._alone = None
        self._on_turn()

    def at_work(self, before: float) -> set[str]:
        """Return the tasks with work that was begun before a moment of the loop's clock.

        A program that hangs has not touched what it was given after that moment.
        """
        return {task for task, work in self._work.items() if min(work.values()) <= before}

    def clear(self) -> None:
        """Forget everything: the program is gone."""
        self._work.clear()
        self._waits_since.clear()
        self._alone = None
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _call_later(self, task: str) -> None:
        """Call `on_turn` when a task's time alone, or its wait for that, is over."""

        def ring() -> None:
            self._timers.discard(timer)
            self._on_turn()
            self._waits_since.pop(task, None)  # what does not begin now is not wanted any more, or waits anew

        # A little later: a loop may call within the resolution of its clock too early.
        timer = asyncio.get_running_loop().call_later(ALONE_SECONDS * 1.01, ring)
        self._timers.add(timer)
