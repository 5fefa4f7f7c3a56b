"""How `/v1/completions`, OpenAI's older API for plain texts, writes an answer."""

from typing import Any

from unitd.doors.http.openai.answer import Choice
from unitd.doors.http.responses import event


class CompletionForm:
    """One response; its id, time and model stand in every event."""

    def __init__(self, id_: str, created: int, model: str, *, tells_usage: bool) -> None:
        self._head = {"id": f"cmpl-{id_}", "object": "text_completion", "created": created, "model": model}
        self._tail: dict[str, Any] = {"usage": None} if tells_usage else {}

    def opening(self, index: int) -> bytes:
        """Nothing: a text has no role."""
        return b""

    def around_text(self, index: int) -> tuple[bytes, bytes]:
        """A chunk that is cut open where its text belongs."""
        before, _, behind = event(self._chunk(_choice(index, "", None))).rpartition(b'""')
        return before, behind

    def call(self, choice: Choice) -> bytes:
        """Nothing: a text calls nobody."""
        return b""

    def end(self, choice: Choice) -> bytes:
        """Why it ended."""
        return event(self._chunk(_choice(choice.index, "", choice.finish_reason)))

    def usage(self, usage: dict[str, int]) -> bytes:
        """Without a choice."""
        return event({**self._head, "choices": [], "usage": usage})

    def whole(self, choices: list[Choice], usage: dict[str, int]) -> dict[str, Any]:
        """The response of who does not stream."""
        said = [_choice(each.index, "".join(each.texts), each.finish_reason) for each in choices]
        return {**self._head, "choices": said, "usage": usage}

    def _chunk(self, choice: dict[str, Any]) -> dict[str, Any]:
        return {**self._head, "choices": [choice], **self._tail}


def _choice(index: int, text: str, reason: str | None) -> dict[str, Any]:
    return {"index": index, "text": text, "logprobs": None, "finish_reason": reason}
