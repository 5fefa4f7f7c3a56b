"""A kws unit without a daemon: what it is told, and what it says."""

from typing import Any

from tests.support.units.fake_host import FakeHost
from tests.support.units.spoken import RATE, Samples, cut_up
from unitd.wire.envelope import Envelope
from units.kws.unit import KwsUnit

TASK = "kws.1000"


class KwsBench:
    """Plays the daemon to one unit program."""

    def __init__(self, engine: str = "auto", path: str = "") -> None:
        self.host = FakeHost()
        self.unit = KwsUnit(self.host)
        self.unit.load({"model": "unitd-kws", "engine": engine, "path": path, "engine_options": {}})
        self.clock = 0.0
        """Seconds that the microphone has run."""

    def tell(self, type_: str, payload: bytes = b"", **fields: Any) -> None:
        """One message, with an answer if it wants one; uploads that wait are heard."""
        envelope = Envelope(type_, {"seq": 1, "task": TASK, **fields}, payload)
        self.unit.handlers[type_](envelope)
        self.drain()

    def drain(self) -> None:
        """Everything that waits is heard."""
        while self.unit.is_busy:
            self.unit.step()

    def setup(self, task: str = TASK, **data: Any) -> None:
        """A task with these setup keys."""
        self.tell("setup", task=task, data={"response_format": "kws.bool", **data}, memory=None)

    def upload(self, samples: Samples, *, task: str = TASK) -> None:
        """A whole utterance of a client."""
        self.tell("hear", samples.tobytes(), task=task, form="pcm", is_whole=True)

    def upload_in_pieces(self, samples: Samples, length: int) -> None:
        """The same in pieces."""
        for piece in cut_up(samples, length):
            self.tell("hear", piece.tobytes(), form="pcm", is_whole=False)
        self.tell("hear", form="pcm", is_whole=True)

    def listen(self, samples: Samples, *, tasks: tuple[str, ...] = (TASK,), period: int = 320) -> None:
        """The microphone, whose clock begins at 0."""
        for piece in cut_up(samples, period):
            self.clock += len(piece) / RATE
            self.unit.handlers["pcm"](Envelope("pcm", {"tasks": list(tasks), "at": self.clock}, piece.tobytes()))
            self.drain()

    def events(self) -> list[dict[str, Any]]:
        """All wakes so far."""
        events = [fields for type_, fields in self.host.said if type_ == "event"]
        return [fields for fields in events if fields.get("data", False) is not False]

    def repeats(self) -> list[dict[str, Any]]:
        """All wakes that came within the debounce of another."""
        return [fields for type_, fields in self.host.said if type_ == "event" and fields.get("is_repeat")]

    def phrases(self) -> list[str]:
        """What woke, in order."""
        return [event["phrase"] for event in self.events()]

    def results(self) -> list[dict[str, Any]]:
        """The answers that the unit itself has given to messages."""
        return [fields for type_, fields in self.host.said if type_ == "result"]

    def answers(self) -> int:
        """How many they are."""
        return len(self.results())
