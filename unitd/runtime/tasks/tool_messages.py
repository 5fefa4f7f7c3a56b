"""The messages of a conversation in which a model uses the board's own tools."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from unitd.core.outcomes import Outcome, told_of_set

Call = dict[str, Any]
"""id, name and arguments."""


def last_question(setup: Mapping[str, Any]) -> str:
    """Return the last words of the person in a setup with messages; "" if there are none."""
    messages = setup.get("messages") or ()
    said = [each.get("content") for each in messages if isinstance(each, dict) and each.get("role") == "user"]
    return _text_of(said[-1]) if said else ""


def _text_of(content: Any) -> str:
    """Return the text of a message, without its pictures."""
    parts = content if isinstance(content, list) else [{"text": content}]
    return "".join(str(each.get("text", "")) for each in parts if isinstance(each, dict))


def conversation_so_far(setup: Mapping[str, Any], memory: Any, question: str) -> list[dict[str, Any]]:
    """Return what the unit had as its prompt."""
    messages = list(setup.get("messages") or ())
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
    messages = list(setup.get("messages") or ())
    if not messages:
        return {"images": [*(setup.get("images") or ()), *images]}
    asked = max(at for at, each in enumerate(messages) if each["role"] == "user")
    content = messages[asked]["content"]
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


def _as_chat(call: Call) -> dict[str, Any]:
    return {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
