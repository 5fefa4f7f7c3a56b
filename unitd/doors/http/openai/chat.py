"""The format of answers of `/v1/chat/completions`."""

from typing import Any

import orjson

from unitd.doors.chat_session import ToolCall
from unitd.doors.http.openai.answer import Choice
from unitd.doors.http.responses import event


class ChatForm:
    """The format of one response; id, time and model are part of every event."""

    def __init__(self, id_: str, created: int, model: str, *, tells_usage: bool) -> None:
        self._head = {"id": f"chatcmpl-{id_}", "object": "chat.completion.chunk", "created": created, "model": model}
        # When usage is requested, it is null until the last event.
        self._tail: dict[str, Any] = {"usage": None} if tells_usage else {}

    def opening(self, index: int) -> bytes:
        """Return the event with the role."""
        return event(self._chunk(index, {"role": "assistant", "content": "", "refusal": None}))

    def around_text(self, index: int) -> tuple[bytes, bytes]:
        """Return an event, split at the place of its text."""
        before, _, behind = event(self._chunk(index, {"content": ""})).rpartition(b'""')
        return before, behind

    def call(self, choice: Choice) -> bytes:
        """Return an event with a whole call."""
        at = len(choice.calls) - 1
        return event(self._chunk(choice.index, {"tool_calls": [{"index": at, **_call(choice.calls[at])}]}))

    def end(self, choice: Choice) -> bytes:
        """Return the event with the reason of the end."""
        return event(self._chunk(choice.index, {}, choice.finish_reason))

    def usage(self, usage: dict[str, int]) -> bytes:
        """Return an event without choices."""
        return event({**self._head, "choices": [], "usage": usage})

    def whole(self, choices: list[Choice], usage: dict[str, int]) -> dict[str, Any]:
        """Return the response to a request without `stream`."""
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
