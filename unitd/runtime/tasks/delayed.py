"""Commands of the home that are due later ("turn off the fan in 5 minutes"). They survive the daemon.

A command is recognised again when it is due, so a device that came meanwhile is found. What became of it stands in the
log; there may be nobody left to tell.
"""

import asyncio
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any

import orjson

from unitd.core.outcomes import Outcome
from unitd.runtime.atomic_write import replace_file
from unitd.runtime.tasks.recognizer import Recognizer
from unitd.runtime.tasks.tool_loop import Toolbox, ToolUse
from unitd.runtime.tasks.tool_messages import Call

log = logging.getLogger("unitd.tools")

MAX_WAITING = 64
# After a longer outage a person has long done it by hand, and would be surprised.
MAX_LATE_SECONDS = 600.0
# The clock of a board without a battery jumps when it finds the time.
LONGEST_SLEEP_SECONDS = 30.0


@dataclass(frozen=True)
class DelayedCommand:
    """A sentence to be understood and done at a time."""

    due: float
    """Seconds since 1970."""

    text: str
    """A sentence; if it was asked back about, the replies are further lines."""

    setup: Mapping[str, Any]
    """Room and language of the task that was told."""


class DelayedCommands:
    """All commands that wait, in a file of the state directory."""

    def __init__(
        self, path: Path, clock: Callable[[], float], recognizer_for: Callable[[str, dict[str, Any]], Recognizer]
    ) -> None:
        self._path = path
        self._clock = clock
        self._recognizer_for = recognizer_for
        self._waiting: list[DelayedCommand] = []
        self._is_read = asyncio.Event()
        self._changed = asyncio.Event()
        self._numbers = count(1)

    async def run(self, toolbox: Toolbox) -> None:
        """Do what is due, until cancelled; first what the last daemon left."""
        self._waiting = await asyncio.to_thread(self._read)
        self._is_read.set()
        while True:
            self._changed.clear()
            now = self._clock()
            for each in [each for each in self._waiting if each.due <= now]:
                self._waiting.remove(each)
                await self._save()  # before it is done: a command that kills the daemon must not do so for ever
                if now - each.due > MAX_LATE_SECONDS:
                    log.warning("a command was due %.0f minutes ago and is left undone", (now - each.due) / 60)
                else:
                    await self._do(each, toolbox)
            pause = min([LONGEST_SLEEP_SECONDS, *(each.due - self._clock() for each in self._waiting)])
            try:
                async with asyncio.timeout(max(0.0, pause)):
                    await self._changed.wait()
            except TimeoutError:
                continue

    async def add(self, seconds: float, text: str, setup: Mapping[str, Any]) -> bool:
        """Let a command wait. Return False when too many wait."""
        await self._is_read.wait()
        if len(self._waiting) >= MAX_WAITING or not math.isfinite(seconds):
            return False
        room_and_language = {key: setup[key] for key in ("area", "language") if key in setup}
        self._waiting.append(DelayedCommand(self._clock() + seconds, text, room_and_language))
        await self._save()
        self._changed.set()
        return True

    async def _do(self, command: DelayedCommand, toolbox: Toolbox) -> None:
        recognizer = self._recognizer_for(f"delayed.{next(self._numbers)}", toolbox.recognition(command.setup))
        user = _Unattended()
        try:
            for text in command.text.splitlines():
                if not user.calls:  # what is clear by now needs no reply
                    use = ToolUse(toolbox, recognizer, user, setup=command.setup, text=text)
                    await use.answer(lambda: None, has_model=False)
        finally:
            recognizer.close()
        if user.calls:
            log.info("a delayed command was carried out: %s", ", ".join(user.calls))
        else:
            log.warning("a delayed command could not be carried out: it is not recognised any more, or is asked about")

    def _read(self) -> list[DelayedCommand]:
        try:
            return [DelayedCommand(**row) for row in orjson.loads(self._path.read_bytes())]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError) as error:
            log.error("%s cannot be read, its commands are left undone: %s", self._path, error)
            return []

    async def _save(self) -> None:
        """Write the file; a full disk is logged and stops nothing."""
        content = orjson.dumps([asdict(each) for each in self._waiting])
        try:
            await asyncio.to_thread(replace_file, self._path, content, 0o600)
        except OSError as error:
            log.error("delayed commands cannot be saved, they wait only while this daemon runs: %s", error)


class _Unattended:
    """A command that nobody waits for."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        """The names of the tools that were used."""

    async def may_go_on(self, use: ToolUse) -> bool:
        return True

    def tell(self, call: Call) -> None:
        self.calls.append(call["name"])

    def ask_model(self, changes: Mapping[str, Any], question: str = "") -> None:
        raise AssertionError("a delayed command has no model")

    def say(self, words: str) -> None:
        raise AssertionError("a delayed command has no model")

    async def delay(self, seconds: float, text: str) -> bool:
        return False

    async def act(self, call: Call) -> Outcome:
        return Outcome("A skill is not asked later.", is_done=False)
