"""The timers of a board whose clocks a test moves, with a loudspeaker that notes its rings."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unitd.core.outcomes import Outcome
from unitd.runtime.metrics import Metrics
from unitd.runtime.skills.actions import Where
from unitd.runtime.skills.board_timers import BoardTimers
from unitd.runtime.skills.clocks import Clocks
from unitd.runtime.skills.timer_table import TimerEvent
from unitd.wire.errors import RunFailed

START = 1_800_000_000.0
"""The wall clock of a new board: a Friday in January, 8 in the morning in UTC."""

HERE = Where()
"""A task of this machine, in no room."""


class Loudspeaker:
    """Notes each ring; one that is broken refuses them."""

    wants_loudspeaker = True

    def __init__(self) -> None:
        self.rings: list[int] = []
        self.is_prepared = False
        self.is_broken = False
        self.stops = 0

    def prepare_ring(self) -> None:
        """Note it."""
        self.is_prepared = True

    async def ring(self, level: int) -> None:
        """Note the level."""
        if self.is_broken:
            raise RunFailed("nobody is there")
        self.rings.append(level)

    def stop_ring(self) -> None:
        """Note it."""
        self.stops += 1


class TimerBoard:
    """One life of a daemon, as far as timers go."""

    def __init__(self, folder: Path, *, wall: float = START, boot: float = 1000.0) -> None:
        self.wall, self.boot = wall, boot
        self.loudspeaker = Loudspeaker()
        self.metrics = Metrics()
        self.done: list[tuple[str, Mapping[str, Any]]] = []
        """The commands that were carried out."""

        self.events: list[TimerEvent] = []
        clocks = Clocks(lambda: self.wall, lambda: self.boot)
        audio: Any = self.loudspeaker
        self.timers = BoardTimers(folder, clocks, audio, self.metrics, self._do)
        self.timers.table.follow(self.events.append)
        self.running = asyncio.create_task(self.timers.run())

    async def _do(self, text: str, setup: Mapping[str, Any]) -> None:
        self.done.append((text, setup))

    async def act(self, action: str, where: Where = HERE, **arguments: Any) -> Outcome:
        """Do an action, as a skill does."""
        return await self.timers.commands.actions[action](arguments, where)

    async def start(self, seconds: float, where: Where = HERE, **arguments: Any) -> int:
        """Start a timer. Return its number."""
        number: int = (await self.act("timer_start", where, seconds=seconds, **arguments)).data["timer"]["id"]
        return number

    async def rows(self, where: Where = HERE) -> list[dict[str, Any]]:
        """Return the rows of all timers."""
        rows: list[dict[str, Any]] = (await self.act("timer_list", where)).data["timers"]
        return rows

    def told(self) -> list[tuple[str, int]]:
        """Return what happened to which timer."""
        return [(event.happening.value, event.timer.id) for event in self.events]

    def pass_time(self, seconds: float, *, jump: float = 0.0) -> None:
        """Let the clocks go on, and set the one on the wall; whoever sleeps looks at them again."""
        self.boot += seconds
        self.wall += seconds + jump
        self.timers.table.changed.set()

    async def die(self) -> None:
        """End as with kill -9: nothing more is written."""
        self.running.cancel()
        await asyncio.wait([self.running])
