"""A hearing unit without a daemon: microphone and messages in, events out."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.support.units.fake_host import FakeHost
from tests.support.units.spoken import RATE, Samples, cut_up
from unitd.wire.envelope import Envelope
from units.sound.hearing import HearingUnit

PERIOD = RATE // 50


class Ears:
    """One unit and one microphone, whose clock begins at 0."""

    def __init__(self, make: Callable[..., HearingUnit], **load: Any) -> None:
        self.host = FakeHost()
        self.unit = make(self.host)
        self.unit.load({"engine": "auto", "path": None, "engine_options": {}} | load)
        self.now = 0.0

    def setup(self, task: str = "asr.1", **data: Any) -> None:
        """One task that listens to the microphone."""
        usual = {"response_format": "asr.utf-8", "input": ["sys.pcm"]}
        self.host.settle(self.unit, self.tell("setup", task=task, data=usual | data))

    def tell(self, type_: str, payload: bytes = b"", task: str = "asr.1", **fields: Any) -> Any:
        """One message."""
        return self.unit.handlers[type_](Envelope(type_, {"seq": 1, "task": task, **fields}, payload))

    def hear(self, samples: Samples, tasks: tuple[str, ...] = ("asr.1",), *, is_slow: bool = False) -> None:
        """The microphone hears, period by period; a slow unit gets no time to compute meanwhile."""
        for period in cut_up(samples, PERIOD):
            self.now += len(period) / RATE
            self.unit.handlers["pcm"](Envelope("pcm", {"tasks": list(tasks), "at": self.now}, period.tobytes()))
            if not is_slow:
                self.drain()

    def upload(self, sound: bytes, *, is_whole: bool = True, form: str = "pcm", task: str = "asr.1") -> None:
        """A client's audio."""
        self.tell("hear", sound, task=task, form=form, is_whole=is_whole)
        self.drain()

    def drain(self) -> None:
        """Everything that waits is heard."""
        while self.unit.is_busy:
            self.unit.step()

    def events(self) -> list[dict[str, Any]]:
        """All events."""
        return [fields for type_, fields in self.host.said if type_ == "event"]

    def data(self) -> list[Any]:
        """What clients would see."""
        return [event["data"] for event in self.events()]

    def answers(self) -> list[dict[str, Any]]:
        """All results that came late."""
        return [fields for type_, fields in self.host.said if type_ == "result"]


def as_float(samples: Samples) -> Any:
    """As sherpa-onnx wants it."""
    return samples.astype(np.float32) / np.float32(32768)
