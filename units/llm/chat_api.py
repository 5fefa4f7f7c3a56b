"""The OpenAI chat API from its client's side: the body of a request, and calls that come back in pieces."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from unitd.wire.pictures import media_type
from units.llm.messages import Message
from units.llm.options import LlmOptions
from units.llm.tools import ToolCall, Tools, maybe_call, new_id
from units.llm.vision.picture import Picture


def request_body(model: str, options: LlmOptions, messages: Sequence[Message]) -> dict[str, Any]:
    """Return the body with only the options that were set: servers refuse what they do not know."""
    spec = options.sampler
    body: dict[str, Any] = {
        "model": model,
        "messages": [_turn(message) for message in messages],
        "temperature": spec.temperature,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    optional: dict[str, tuple[Any, Any]] = {
        # No limit: only the server knows how many there is room for.
        "max_tokens": (min(options.max_tokens, options.context), options.context),
        "top_p": (spec.top_p, 1.0),
        "top_k": (spec.top_k, 0),
        "min_p": (spec.min_p, 0.0),
        "repetition_penalty": (spec.repeat_penalty, 1.0),
        "presence_penalty": (spec.presence_penalty, 0.0),
        "frequency_penalty": (spec.frequency_penalty, 0.0),
        "seed": (spec.seed, None),
        "stop": (list(options.stop), []),
        # Sent only where it is asked for: many servers refuse a key that is not OpenAI's.
        "chat_template_kwargs": ({"enable_thinking": options.thinks}, {"enable_thinking": False}),
        "logit_bias": ({str(token): max(bias, -100.0) for token, bias in spec.logit_bias}, {}),
    }
    body |= {key: value for key, (value, unset) in optional.items() if value != unset}
    if spec.json_schema:
        schema = {"name": "answer", "schema": orjson.loads(spec.json_schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body | (_tools(options.tools) if options.tools is not None else {})


def _turn(message: Message) -> dict[str, Any]:
    content = [_part(part) for part in message.parts] if message.parts else message.content
    turn: dict[str, Any] = {"role": message.role, "content": content}
    if message.calls:
        turn["tool_calls"] = [_call(call) for call in message.calls]
    if message.call_id:
        turn["tool_call_id"] = message.call_id
    return turn


def _part(part: str | Picture) -> dict[str, Any]:
    """Return a text, or a picture with its file in a data: URL."""
    if isinstance(part, str):
        return {"type": "text", "text": part}
    url = f"data:{media_type(part.data)};base64,{base64.b64encode(part.data).decode()}"
    detail = {"detail": "low"} if part.most_slices == 1 else {}
    return {"type": "image_url", "image_url": {"url": url, **detail}}


def _call(call: ToolCall) -> dict[str, Any]:
    """Return a call with its arguments as JSON in a text."""
    function = {"name": call.name, "arguments": orjson.dumps(call.arguments).decode()}
    return {"id": call.id, "type": "function", "function": function}


def _tools(tools: Tools) -> dict[str, Any]:
    body: dict[str, Any] = {"tools": tools.as_chat(), "parallel_tool_calls": tools.is_parallel}
    if tools.only:
        body["tool_choice"] = {"type": "function", "function": {"name": tools.only}}
    elif tools.must_call:
        body["tool_choice"] = "required"
    return body


class CallPieces:
    """Calls on their way: names come first, arguments letter by letter."""

    def __init__(self) -> None:
        self._calls: dict[int, dict[str, str]] = {}

    def add(self, pieces: Sequence[Mapping[str, Any]]) -> None:
        """Take the `tool_calls` of one delta."""
        for piece in pieces:
            call = self._calls.setdefault(piece.get("index", 0), {"id": "", "name": "", "arguments": ""})
            call["id"] = piece.get("id") or call["id"]
            function = piece.get("function") or {}
            call["name"] += function.get("name") or ""
            call["arguments"] += function.get("arguments") or ""

    def complete(self) -> list[ToolCall]:
        """Return all calls of the finished answer; a call that a server cut in the middle is dropped."""
        said = [(each["id"], _object_text(each["name"], each["arguments"])) for each in self._calls.values()]
        return [call._replace(id=id_ or new_id()) for id_, text in said if (call := maybe_call(text)) is not None]


def _object_text(name: str, arguments: str) -> str:
    return f'{{"name": {orjson.dumps(name).decode()}, "arguments": {arguments or "{}"}}}'
