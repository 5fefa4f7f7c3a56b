"""How `/v1/chat/completions` writes an answer."""

from typing import Any

import orjson

from unitd.doors.chat_session import ToolCall
from unitd.doors.http.openai.answer import Choice
from unitd.doors.http.responses import event


class ChatForm:
    """One response; its id, time and model stand in every event."""

    def __init__(self, id_: str, created: int, model: str, *, tells_usage: bool) -> None:
        self._head = {"id": f"chatcmpl-{id_}", "object": "chat.completion.chunk", "created": created, "model": model}
        # Where usage was asked for, it is null until the last event.
        self._tail: dict[str, Any] = {"usage": None} if tells_usage else {}

    def opening(self, index: int) -> bytes:
        """Who speaks."""
        return event(self._chunk(index, {"role": "assistant", "content": "", "refusal": None}))

    def around_text(self, index: int) -> tuple[bytes, bytes]:
        """A chunk that is cut open where its text belongs."""
        before, _, behind = event(self._chunk(index, {"content": ""})).rpartition(b'""')
        return before, behind

    def call(self, choice: Choice) -> bytes:
        """A whole call in one chunk."""
        at = len(choice.calls) - 1
        return event(self._chunk(choice.index, {"tool_calls": [{"index": at, **_call(choice.calls[at])}]}))

    def end(self, choice: Choice) -> bytes:
        """Why it ended."""
        return event(self._chunk(choice.index, {}, choice.finish_reason))

    def usage(self, usage: dict[str, int]) -> bytes:
        """Without a choice."""
        return event({**self._head, "choices": [], "usage": usage})

    def whole(self, choices: list[Choice], usage: dict[str, int]) -> dict[str, Any]:
        """The response of who does not stream."""
        said = [_choice(each) for each in choices]
        return {**self._head, "object": "chat.completion", "choices": said, "usage": usage}

    def _chunk(self, index: int, delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": reason}
        return {**self._head, "choices": [choice], **self._tail}


def _choice(choice: Choice) -> dict[str, Any]:
    text = "".join(choice.texts)
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
    if choice.calls:
        message |= {"content": text or None, "tool_calls": [_call(each) for each in choice.calls]}
    return {"index": choice.index, "message": message, "logprobs": None, "finish_reason": choice.finish_reason}


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": orjson.dumps(call.arguments).decode()}
    return {"id": call.id, "type": "function", "function": function}
