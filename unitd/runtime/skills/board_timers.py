"""The timers of the board, with all that belongs to them."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from unitd.runtime.audio.hub import AudioHub
from unitd.runtime.metrics import Metrics
from unitd.runtime.skills.clocks import Clocks
from unitd.runtime.skills.ringer import Ringer
from unitd.runtime.skills.rings import Rings
from unitd.runtime.skills.timer_actions import TimerActions
from unitd.runtime.skills.timer_store import TimerStore
from unitd.runtime.skills.timer_table import TimerTable
from unitd.runtime.skills.timers import Timers


class BoardTimers:
    """Builds the parts, and has what the rest of the daemon needs of them."""

    def __init__(
        self,
        folder: Path,
        clocks: Clocks,
        audio: AudioHub,
        metrics: Metrics,
        do_command: Callable[[str, Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        """`folder` is the state directory; `do_command` carries out a sentence, with room and languages."""
        self.table = TimerTable(TimerStore(folder / "timers.json", folder / "delayed.json"), clocks)
        rings = Rings(self.table, Ringer(audio), metrics, do_command)
        self.commands = TimerActions(self.table, Timers(self.table, rings, metrics))
        self.run = rings.run
        self.wake = rings.wake
        self.delay = self.commands.delay
