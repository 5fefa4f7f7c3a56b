"""The format of answers of `/v1/completions`, OpenAI's older API for plain texts."""

from typing import Any

from unitd.doors.http.openai.answer import Choice
from unitd.doors.http.responses import event


class CompletionForm:
    """The format of one response; id, time and model are part of every event."""

    def __init__(self, id_: str, created: int, model: str, *, tells_usage: bool) -> None:
        self._head = {"id": f"cmpl-{id_}", "object": "text_completion", "created": created, "model": model}
        self._tail: dict[str, Any] = {"usage": None} if tells_usage else {}

    def opening(self, index: int) -> bytes:
        """Return b"": a text has no role."""
        return b""

    def around_text(self, index: int) -> tuple[bytes, bytes]:
        """Return an event, split at the place of its text."""
        before, _, behind = event(self._chunk(_choice(index, "", None))).rpartition(b'""')
        return before, behind

    def call(self, choice: Choice) -> bytes:
        """Return b"": a text has no calls."""
        return b""

    def end(self, choice: Choice) -> bytes:
        """Return the event with the reason of the end."""
        return event(self._chunk(_choice(choice.index, "", choice.finish_reason)))

    def usage(self, usage: dict[str, int]) -> bytes:
        """Return an event without choices."""
        return event({**self._head, "choices": [], "usage": usage})

    def whole(self, choices: list[Choice], usage: dict[str, int]) -> dict[str, Any]:
        """Return the response to a request without `stream`."""
        said = [_choice(each.index, "".join(each.texts), each.finish_reason) for each in choices]
        return {**self._head, "choices": said, "usage": usage}

    def _chunk(self, choice: dict[str, Any]) -> dict[str, Any]:
        return {**self._head, "choices": [choice], **self._tail}


def _choice(index: int, text: str, reason: str | None) -> dict[str, Any]:
    return {"index": index, "text": text, "logprobs": None, "finish_reason": reason}
