"""Conversations become prompts: the model's own chat template, rendered in a sandbox; ChatML where it has none."""

from collections.abc import Sequence
from typing import Any, NoReturn

from jinja2.exceptions import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from units.base import RUN_FAILED, UnitFault
from units.llm.llama import Model
from units.llm.task import Turn, conversation

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# No tokenizer makes less than one token of this many bytes, so a longer text needs no counting to be refused.
MAX_BYTES_PER_TOKEN = 64


class PromptMaker:
    """Renders and tokenizes for one model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._control_texts = [text for text in model.control_texts() if text]
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        environment.globals["raise_exception"] = _raise
        self._template = environment.from_string(model.chat_template or CHATML)
        self._tokens = {"bos_token": model.bos, "eos_token": model.eos}

    def make(self, system: str, history: Sequence[Turn], user: str | None, *, context: int, thinks: bool) -> list[int]:
        """The tokens of a conversation that waits for its answer; without `user`, of its beginning.

        Raises:
            UnitFault: it does not fit into `context`, or the template fails on it.
        """
        messages = conversation(system, history, user)
        size = sum(len(message["content"].encode()) for message in messages)
        if size > context * MAX_BYTES_PER_TOKEN:
            raise too_long(f"over {size // MAX_BYTES_PER_TOKEN}", context)
        for message in messages:
            message["content"] = self._disarm(message["content"])
        try:
            text = self._template.render(
                messages=messages, add_generation_prompt=user is not None, enable_thinking=thinks, **self._tokens
            )
        except (TemplateError, TypeError) as error:
            raise UnitFault(RUN_FAILED, f"the chat template failed: {error}") from error
        return self._model.tokenize(text, parse_special=True)

    def _disarm(self, content: str) -> str:
        """A user who writes a control token gets its letters, not its power."""
        for text in self._control_texts:
            if text in content:
                content = content.replace(text, f"{text[0]} {text[1:]}")
        return content


def too_long(tokens: int | str, context: int) -> UnitFault:
    """The error for a prompt that cannot fit."""
    return UnitFault(RUN_FAILED, f"prompt is {tokens} tokens, the context holds {context}")


def _raise(message: Any) -> NoReturn:
    raise TemplateError(str(message))
