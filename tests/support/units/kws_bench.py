"""A kws unit without a daemon."""

from typing import Any

from tests.support.units.fake_host import FakeHost
from tests.support.units.spoken import RATE, Samples, cut_up
from unitd.wire.envelope import Envelope
from units.kws.unit import KwsUnit

TASK = "kws.1000"


class KwsBench:
    """Takes the place of the daemon for one kws unit."""

    def __init__(self, engine: str = "auto", path: str = "") -> None:
        self.host = FakeHost()
        self.unit = KwsUnit(self.host)
        self.unit.load({"model": "unitd-kws", "engine": engine, "path": path, "engine_options": {}})
        self.clock = 0.0
        """How many seconds the microphone has run."""

    def tell(self, type_: str, payload: bytes = b"", **fields: Any) -> None:
        """Send one message, and let the unit compute until nothing waits."""
        envelope = Envelope(type_, {"seq": 1, "task": TASK, **fields}, payload)
        self.unit.handlers[type_](envelope)
        self.drain()

    def drain(self) -> None:
        """Let the unit compute until nothing waits."""
        while self.unit.is_busy:
            self.unit.step()

    def setup(self, task: str = TASK, **data: Any) -> None:
        """Set up a task with these keys."""
        self.tell("setup", task=task, data={"response_format": "kws.bool", **data}, memory=None)

    def upload(self, samples: Samples, *, task: str = TASK) -> None:
        """Send a whole utterance of a client."""
        self.tell("hear", samples.tobytes(), task=task, form="pcm", is_whole=True)

    def upload_in_pieces(self, samples: Samples, length: int) -> None:
        """Send an utterance of a client in pieces of `length` samples."""
        for piece in cut_up(samples, length):
            self.tell("hear", piece.tobytes(), form="pcm", is_whole=False)
        self.tell("hear", form="pcm", is_whole=True)

    def listen(self, samples: Samples, *, tasks: tuple[str, ...] = (TASK,), period: int = 320) -> None:
        """Send sound of the microphone, whose clock begins at 0."""
        for piece in cut_up(samples, period):
            self.clock += len(piece) / RATE
            self.unit.handlers["pcm"](Envelope("pcm", {"tasks": list(tasks), "at": self.clock}, piece.tobytes()))
            self.drain()

    def events(self) -> list[dict[str, Any]]:
        """Return all wakes so far."""
        events = [fields for type_, fields in self.host.said if type_ == "event"]
        return [fields for fields in events if fields.get("data", False) is not False]

    def repeats(self) -> list[dict[str, Any]]:
        """Return all wakes that came within the debounce time of another."""
        return [fields for type_, fields in self.host.said if type_ == "event" and fields.get("is_repeat")]

    def phrases(self) -> list[str]:
        """Return the phrases of all wakes, in order."""
        return [event["phrase"] for event in self.events()]

    def results(self) -> list[dict[str, Any]]:
        """Return the answers of the unit to messages."""
        return [fields for type_, fields in self.host.said if type_ == "result"]

    def answers(self) -> int:
        """Return how many answers the unit has given."""
        return len(self.results())
