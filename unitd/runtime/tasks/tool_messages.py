"""The messages of a conversation in which a model uses the board's own tools.

A client may send anything as messages; the unit refuses what makes no sense.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from unitd.core.outcomes import Outcome, told_of_set

Call = dict[str, Any]
"""id, name and arguments."""


def last_question(setup: Mapping[str, Any]) -> str:
    """Return the last words of the person in a setup with messages; "" if there are none."""
    messages = _messages_of(setup)
    asked = _last_asked(messages)
    return "" if asked is None else _text_of(messages[asked].get("content"))


def _messages_of(setup: Mapping[str, Any]) -> list[Any]:
    messages = setup.get("messages")
    return list(messages) if isinstance(messages, list) else []


def _last_asked(messages: Sequence[Any]) -> int | None:
    """Return which message is the last one of the person; None if there is none."""
    asked = [at for at, each in enumerate(messages) if isinstance(each, dict) and each.get("role") == "user"]
    return asked[-1] if asked else None


def _text_of(content: Any) -> str:
    """Return the text of a message, without its pictures."""
    parts = content if isinstance(content, list) else [{"text": content}]
    return "".join(str(each.get("text", "")) for each in parts if isinstance(each, dict))


def conversation_so_far(setup: Mapping[str, Any], memory: Any, question: str) -> list[dict[str, Any]]:
    """Return what the unit had as its prompt."""
    messages = _messages_of(setup)
    if not messages:
        prompt = str(setup.get("prompt") or setup.get("system_prompt") or "")
        messages = [{"role": "system", "content": prompt}] if prompt else []
        for user, assistant in (memory or {}).get("history", []):
            messages += [{"role": "user", "content": user}, {"role": "assistant", "content": assistant}]
    pictures = [{"type": "image", **each} for each in setup.get("images") or ()]
    content = [*pictures, {"type": "text", "text": question}] if pictures else question
    return [*messages, {"role": "user", "content": content}] if question else messages


def with_pictures(setup: Mapping[str, Any], pictures: Sequence[bytes]) -> dict[str, Any]:
    """Return the keys of a setup that change when these pictures go with its question."""
    images: list[dict[str, Any]] = [{"image": base64.b64encode(each).decode()} for each in pictures]
    if not setup.get("messages"):
        own = setup.get("images") or []
        return {"images": [*own, *images]} if isinstance(own, list) else {}
    messages = _messages_of(setup)
    asked = _last_asked(messages)
    if asked is None:
        return {}
    content = messages[asked].get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    shown = [{"type": "image", **each} for each in images]
    messages[asked] = {**messages[asked], "content": [*shown, *parts]}
    return {"messages": messages}


def results_of(calls: Sequence[Sequence[Call]], outcomes: Sequence[Sequence[Outcome]]) -> list[dict[str, Any]]:
    """Return the messages with a model's calls, and with what came of each."""
    chats = [_as_chat(each[0]) for each in calls]
    results = [
        {"role": "tool", "tool_call_id": call[0]["id"], "content": told_of_set(found)}
        for call, found in zip(calls, outcomes, strict=True)
    ]
    return [{"role": "assistant", "content": "", "tool_calls": chats}, *results]


def ends_with_results(setup: Mapping[str, Any]) -> bool:
    """Return whether the last message says what came of a call."""
    last = next(reversed(_messages_of(setup)), None)
    return isinstance(last, dict) and last.get("role") == "tool"


def _as_chat(call: Call) -> dict[str, Any]:
    return {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
