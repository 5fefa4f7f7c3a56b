"""The ChatML frame around a conversation, and the special tokens that a vocabulary reserves."""

from __future__ import annotations

from collections.abc import Sequence

from train.corpus.base import Message

END_OF_TEXT = "<|endoftext|>"
TURN_START = "<|im_start|>"
TURN_END = "<|im_end|>"
SPECIAL_TOKENS = (
    END_OF_TEXT,
    TURN_START,
    TURN_END,
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
    "<think>",
    "</think>",
    *(f"<|reserved_{number}|>" for number in range(7)),
)
CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def render_prompt(messages: Sequence[Message]) -> str:
    """The messages in the ChatML frame, ending where the assistant begins to speak."""
    turns = (f"{TURN_START}{m.role}\n{m.content}{TURN_END}\n" for m in messages)
    return "".join(turns) + f"{TURN_START}assistant\n"
