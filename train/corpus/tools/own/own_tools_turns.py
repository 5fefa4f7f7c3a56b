"""Messages of calls, results and answers."""

from __future__ import annotations

from dataclasses import dataclass

from train.chatml import result_text
from train.corpus.base import Message
from train.corpus.tools.toolbox import Call, call_text


@dataclass(frozen=True)
class Exchange:
    """A request with all that follows from it, up to the assistant's last answer."""

    kind: str
    messages: list[Message]


def called(*calls: Call) -> Message:
    """Return the assistant's message with calls."""
    return Message("assistant", call_text(*calls))


def resulted(result: str) -> Message:
    """Return the message with the result of one call."""
    return Message("tool", result_text(result))


def answered(text: str) -> Message:
    """Return the assistant's message in words."""
    return Message("assistant", text)
