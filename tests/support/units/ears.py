"""A hearing unit without a daemon: takes messages and the microphone's sound, collects events."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.support.units.fake_host import FakeHost
from tests.support.units.spoken import RATE, Samples, cut_up
from unitd.wire.envelope import Envelope
from units.sound.hearing import HearingUnit

PERIOD = RATE // 50


class Ears:
    """A unit and a microphone whose clock begins at 0."""

    def __init__(self, make: Callable[..., HearingUnit], **load: Any) -> None:
        self.host = FakeHost()
        self.unit = make(self.host)
        self.unit.load({"engine": "auto", "path": None, "engine_options": {}} | load)
        self.now = 0.0
        self._tasks: set[str] = set()

    def forget(self) -> None:
        """End all tasks, and forget what was said; the engine stays loaded, and the clock begins anew."""
        for task in self._tasks:
            self.tell("exit", task=task)
        self._tasks.clear()
        self.host.said.clear()
        self.now = 0.0

    def setup(self, task: str = "asr.1", **data: Any) -> None:
        """Set up a task that listens to the microphone."""
        usual = {"response_format": "asr.utf-8", "input": ["sys.pcm"]}
        self.host.settle(self.unit, self.tell("setup", task=task, data=usual | data))

    def tell(self, type_: str, payload: bytes = b"", task: str = "asr.1", **fields: Any) -> Any:
        """Send one message to the unit; return the result of its handler."""
        self._tasks |= {task} if type_ == "setup" else set()
        return self.unit.handlers[type_](Envelope(type_, {"seq": 1, "task": task, **fields}, payload))

    def hear(self, samples: Samples, tasks: tuple[str, ...] = ("asr.1",), *, is_slow: bool = False) -> None:
        """Send sound of the microphone, period by period; with `is_slow` the unit computes nothing meanwhile."""
        for period in cut_up(samples, PERIOD):
            self.now += len(period) / RATE
            self.unit.handlers["pcm"](Envelope("pcm", {"tasks": list(tasks), "at": self.now}, period.tobytes()))
            if not is_slow:
                self.drain()

    def upload(self, sound: bytes, *, is_whole: bool = True, form: str = "pcm", task: str = "asr.1") -> None:
        """Send audio of a client."""
        self.tell("hear", sound, task=task, form=form, is_whole=is_whole)
        self.drain()

    def drain(self) -> None:
        """Let the unit compute until nothing waits."""
        while self.unit.is_busy:
            self.unit.step()

    def events(self) -> list[dict[str, Any]]:
        """Return all events."""
        return [fields for type_, fields in self.host.said if type_ == "event"]

    def data(self) -> list[Any]:
        """Return the data of all events, which is what clients see."""
        return [event["data"] for event in self.events()]

    def answers(self) -> list[dict[str, Any]]:
        """Return all results that came late."""
        return [fields for type_, fields in self.host.said if type_ == "result"]


def as_float(samples: Samples) -> Any:
    """Return samples as sherpa-onnx takes them, between -1 and 1."""
    return samples.astype(np.float32) / np.float32(32768)
