"""The ChatML frame of a conversation, the special tokens that a vocabulary reserves, and the list of tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from train.corpus.base import Message

END_OF_TEXT = "<|endoftext|>"
TURN_START = "<|im_start|>"
TURN_END = "<|im_end|>"
CALL_MARKS = ("<tool_call>", "</tool_call>")
TOOLS_TITLE = "Tools:"
RESULT_MARKS = ("<tool_response>", "</tool_response>")
SPECIAL_TOKENS = (
    END_OF_TEXT,
    TURN_START,
    TURN_END,
    *CALL_MARKS,
    *RESULT_MARKS,
    "<think>",
    "</think>",
    *(f"<|reserved_{number}|>" for number in range(7)),
)
OPTIONAL_MARK = "{{ '' if name in (tool['function']['parameters']['required'] or []) else '?' }}"
"""Marks a parameter that a call may leave out."""

# The system turn ends with the tools, one line each; the devices are listed once, not in every tool.
_TOOLS = (
    "{{ 'Tools:' }}"
    "{% for tool in tools %}{{ '\n' + tool['function']['name'] + '(' }}"
    "{% for name, schema in ((tool['function']['parameters'] or {})['properties'] or {}).items() %}"
    "{{ name if loop.first else ', ' + name }}" + OPTIONAL_MARK + "{% if schema['enum'] and name != 'entity' %}"
    "{{ ': ' + schema['enum'] | join('|') }}{% endif %}"
    "{% endfor %}{{ ')' }}{% endfor %}{{ '<|im_end|>\n' }}"
)
_CALLS = (
    "{% for call in message['tool_calls'] or [] %}"
    "{{ '<tool_call>{\"name\": \"' + call['function']['name'] + '\", \"arguments\": ' }}"
    "{{ call['function']['arguments'] | tojson }}{{ '}</tool_call>' }}{% endfor %}"
)
CHAT_TEMPLATE = (
    "{% if tools %}{{ '<|im_start|>system\n' }}"
    "{% if messages and messages[0]['role'] == 'system' %}{{ messages[0]['content'] + '\n\n' }}{% endif %}"
    + _TOOLS
    + "{% endif %}"
    "{% for message in messages %}"
    "{% if not (tools and loop.first and message['role'] == 'system') %}"
    "{{ '<|im_start|>' + message['role'] + '\n' }}"
    "{% if message['role'] == 'tool' %}{{ '<tool_response>' + message['content'] + '</tool_response>' }}"
    "{% else %}{{ message['content'] or '' }}" + _CALLS + "{% endif %}{{ '<|im_end|>' + '\n' }}"
    "{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
"""Without tools it writes what :func:`render_prompt` writes."""


def render_prompt(messages: Sequence[Message]) -> str:
    """Return the messages in the ChatML frame, up to the beginning of the assistant's answer."""
    turns = (f"{TURN_START}{m.role}\n{m.content}{TURN_END}\n" for m in messages)
    return "".join(turns) + f"{TURN_START}assistant\n"


def tools_text(functions: Sequence[Mapping[str, Any]]) -> str:
    """Return the list of tools as the template writes it at the end of the system turn."""
    return "\n".join([TOOLS_TITLE, *(_signature(tool["function"]) for tool in functions)])


def _signature(function: Mapping[str, Any]) -> str:
    properties = (function.get("parameters") or {}).get("properties") or {}
    required = (function.get("parameters") or {}).get("required") or ()
    shown = (_parameter(name, schema, is_optional=name not in required) for name, schema in properties.items())
    return f"{function['name']}({', '.join(shown)})"


def _parameter(name: str, schema: Mapping[str, Any], *, is_optional: bool) -> str:
    values = schema.get("enum") if name != "entity" else None
    shown = f"{name}?" if is_optional else name
    return f"{shown}: {'|'.join(map(str, values))}" if values else shown


def result_text(result: str) -> str:
    """Return the text of a turn with the result of a tool."""
    return result.join(RESULT_MARKS)
