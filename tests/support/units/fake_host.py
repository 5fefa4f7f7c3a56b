"""A host without a daemon: keeps what a unit says."""

import queue
from typing import Any

from unitd.wire.envelope import Envelope
from units.base import LATER, Unit, UnitFault
from units.host import Host


class FakeHost(Host):
    """Keeps what a unit says; it has no channel."""

    def __init__(self) -> None:
        self.said: list[tuple[str, dict[str, Any]]] = []
        self.posted: queue.SimpleQueue[Envelope] = queue.SimpleQueue()

    def post(self, envelope: Envelope) -> None:
        """A message of the unit to itself."""
        self.posted.put(envelope)

    def settle(self, unit: Unit, answer: Any) -> Any:
        """What a handler answers, late if need be; a refusal is raised, as it is by a handler that does not put off."""
        if answer is not LATER:
            return answer
        said = len(self.said)
        while len(self.said) == said:
            self.go_on(unit, LATER)
        _, fields = self.said.pop()
        if "code" in fields:
            raise UnitFault(fields["code"], fields["message"])
        return fields

    def go_on(self, unit: Unit, answer: Any) -> None:
        """Lets what was put off go on."""
        if answer is LATER:
            envelope = self.posted.get(timeout=30)
            unit.handlers[envelope.type](envelope)

    def say(self, type_: str, payload: bytes = b"", **fields: Any) -> None:
        """One message."""
        self.said.append((type_, fields))

    def flush(self) -> None:
        """Nothing is held back."""

    def log(self, level: str, text: str) -> None:
        """One line."""
        self.say("log", level=level, text=text)

    def answer(self, envelope: Envelope, **fields: Any) -> None:
        """An answer, to a message that wants one."""
        if "seq" in envelope.fields:
            self.say("result", **fields)

    def text(self) -> str:
        """All deltas."""
        return "".join(fields["text"] for type_, fields in self.said if type_ == "delta")

    def logged(self) -> str:
        """All lines."""
        return "".join(fields["text"] for type_, fields in self.said if type_ == "log")

    def ends(self) -> list[dict[str, Any]]:
        """All finish messages."""
        return [fields for type_, fields in self.said if type_ == "finish"]
