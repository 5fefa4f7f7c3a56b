"""What a task's prompt says about the devices and tools of a home. Pure."""

from collections.abc import Mapping
from typing import Any

NO_TOOLS = "Tools: none()"
"""The list of tools in a prompt if there are none, in the form that the bundled model has learned.

With it the model says that it cannot find the kitchen light; without it, or in other words, it says that it turns the
light on.
"""


def with_prompt_text(setup: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the setup with a text added at the end of its prompt, or of the system message in its messages."""
    if not isinstance(messages := setup.get("messages"), list):
        own = str(setup.get("prompt") or setup.get("system_prompt") or "")
        return {**setup, "prompt": _joined(own, text)}
    first = messages[0] if messages and isinstance(messages[0], dict) else {}
    has_system = first.get("role") == "system" and isinstance(first.get("content"), str)
    system = {"role": "system", "content": _joined(first["content"] if has_system else "", text)}
    return {**setup, "messages": [system, *messages[int(has_system) :]] if text else messages}


def _joined(own: str, text: str) -> str:
    return "\n\n".join(filter(None, (own, text)))
