"""A host without a daemon."""

import queue
from typing import Any

from unitd.wire.envelope import Envelope
from units.base import LATER, Unit, UnitFault
from units.host import Host


class FakeHost(Host):
    """Keeps what a unit says instead of sending it."""

    def __init__(self) -> None:
        self.said: list[tuple[str, dict[str, Any]]] = []
        self.posted: queue.SimpleQueue[Envelope] = queue.SimpleQueue()

    def post(self, envelope: Envelope) -> None:
        """Keep a message of the unit to itself."""
        self.posted.put(envelope)

    def settle(self, unit: Unit, answer: Any) -> Any:
        """Return the answer of a handler, also one that comes late; raise UnitFault for a late refusal."""
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
        """Handle the message that continues what a handler put off."""
        if answer is LATER:
            envelope = self.posted.get(timeout=30)
            unit.handlers[envelope.type](envelope)

    def say(self, type_: str, payload: bytes = b"", **fields: Any) -> None:
        """Keep one message."""
        self.said.append((type_, fields))

    def flush(self) -> None:
        """Do nothing: no message is held back."""

    def log(self, level: str, text: str) -> None:
        """Keep one line of the log."""
        self.say("log", level=level, text=text)

    def answer(self, envelope: Envelope, **fields: Any) -> None:
        """Keep the answer to a message that wants one."""
        if "seq" in envelope.fields:
            self.say("result", **fields)

    def text(self) -> str:
        """Return the joined deltas."""
        return "".join(fields["text"] for type_, fields in self.said if type_ == "delta")

    def logged(self) -> str:
        """Return the joined lines of the log."""
        return "".join(fields["text"] for type_, fields in self.said if type_ == "log")

    def ends(self) -> list[dict[str, Any]]:
        """Return all finish messages."""
        return [fields for type_, fields in self.said if type_ == "finish"]
