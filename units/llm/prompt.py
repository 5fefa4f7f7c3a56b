"""Conversations become prompts: by the file's chat template, rendered in a sandbox, else the card's, else ChatML."""

import itertools
import json
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NoReturn

import orjson
from jinja2.exceptions import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from units.base import RUN_FAILED, UnitFault
from units.llm.llama import Model
from units.llm.messages import Message, pictures_of
from units.llm.tools import CALL_MARKS, OPEN, RESULT_MARKS, Tools, call_text, explained, result_text
from units.llm.vision.picture import Picture

Show = Callable[[Picture], Sequence[int]]
"""Returns the tokens of a picture."""

# Nobody can write it into a message by chance or by intent: it is another one in each program.
_NONCE = secrets.token_hex(16)
_MARK = re.compile(rf"<picture {_NONCE} (\d+)>")
_END_OF_WORDS = f"<end {_NONCE}>"
"""Stands where a prompt ends in the middle of a message."""

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_SIGNATURES = "{{ 'Tools:' }}"

# No tokenizer makes less than one token of this many bytes, so a longer text needs no counting to be refused.
MAX_BYTES_PER_TOKEN = 64


def _no_picture(_: Picture) -> Sequence[int]:
    raise ValueError("a picture was not measured")


class PromptMaker:
    """A renderer and tokenizer of conversations for one model."""

    def __init__(self, model: Model, card_template: str = "") -> None:
        """`card_template` is for a file without a template."""
        self._model = model
        self._control_texts = [text for text in model.control_texts() if text]
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        environment.globals["raise_exception"] = _raise
        environment.filters["tojson"] = _to_json
        template = model.chat_template or card_template or CHATML
        self._template = environment.from_string(template)
        self._knows_calls = OPEN in template and "tools" in template
        self.lists_signatures = self._knows_calls and _SIGNATURES in template
        """True when the template shows of a tool only its name and parameters, as train/chatml.py writes it."""

        self._tokens = {"bos_token": model.bos, "eos_token": model.eos}
        self._may_want_parts = "text" in template

    @cached_property
    def _wants_parts(self) -> bool:
        """True for a template that knows a content only as a list of parts. It is asked for a conversation first.

        A template is a program that came with the model: one that never ends shall not keep the model from loading.
        """
        return self._may_want_parts and not self._shows(_NONCE) and self._shows([{"type": "text", "text": _NONCE}])

    def _shows(self, content: Any) -> bool:
        """Return True when the template writes a content of this kind."""
        try:
            text = self._template.render(
                messages=[{"role": "user", "content": content}], tools=None, add_generation_prompt=True, **self._tokens
            )
        except Exception:  # it says why when it is asked for a conversation
            return False
        return _NONCE in text

    @property
    def call_token(self) -> int:
        """Return the first token of a call's opening mark."""
        return self._model.tokenize(OPEN, parse_special=True)[0]

    def make(
        self,
        messages: Sequence[Message],
        *,
        context: int,
        thinks: bool,
        asks: bool = True,
        tools: Tools | None = None,
        show: Show = _no_picture,
    ) -> list[int]:
        """Return the tokens of a conversation that waits for its answer; unless it `asks`, of the beginning of one.

        `show` returns the tokens of a picture.

        Raises:
            UnitFault: it is far too long for `context`, or the template fails on it.
        """
        _check_size((message.content for message in messages), context)
        pictures = pictures_of(messages)
        turns = self._turns(_marked(messages), tools)
        if not turns:
            return []  # many templates look at the first message, and fail where there is none
        if self._wants_parts:
            turns = [turn | {"content": [{"type": "text", "text": turn["content"]}]} for turn in turns]
        listed = self._disarmed(tools.as_chat()) if tools is not None and self._knows_calls else None
        try:
            text = self._template.render(
                messages=turns, tools=listed, add_generation_prompt=asks, enable_thinking=thinks, **self._tokens
            )
        except Exception as error:  # a template is a program that came with the model
            raise UnitFault(RUN_FAILED, f"the chat template failed: {error}") from error
        text = text.partition(_END_OF_WORDS)[0]
        _check_size([text], context)  # with tools and calls
        texts = _MARK.split(text)
        tokens = self._model.tokenize(texts[0], parse_special=True)
        for number, following in zip(texts[1::2], texts[2::2], strict=True):
            tokens += show(pictures[int(number)])
            tokens += self._model.tokenize(following, parse_special=True)
        return tokens

    def make_raw(self, text: str, context: int) -> list[int]:
        """Return the tokens of a text that is the prompt itself; raise as `make` does."""
        _check_size([text], context)
        return self._model.tokenize(text, parse_special=False, add_special=True)

    def _turns(self, messages: Sequence[Message], tools: Tools | None) -> list[dict[str, Any]]:
        """Return the messages as the template wants them."""
        if tools is None and not any(each.role == "tool" or each.calls for each in messages):
            return [{"role": each.role, "content": self._disarm(each.content)} for each in messages]
        return [self._turn(each) for each in messages] if self._knows_calls else self._plain_turns(messages, tools)

    def _turn(self, message: Message) -> dict[str, Any]:
        """Return a message for a template that knows calls and results."""
        turn: dict[str, Any] = {"role": message.role, "content": self._said(message)}
        if message.calls:
            turn["tool_calls"] = self._disarmed([call.as_chat() for call in message.calls])
        if message.call_id:
            turn["tool_call_id"] = message.call_id
        return turn

    def _plain_turns(self, messages: Sequence[Message], tools: Tools | None) -> list[dict[str, Any]]:
        """Return the messages for a template that knows no calls: functions, calls and results become text."""
        turns: list[dict[str, Any]] = []
        for before, message in zip((None, *messages), messages, strict=False):
            content = self._said(message)
            if message.role == "tool":
                content = result_text(content)
            if message.role == "tool" and before is not None and before.role == "tool":
                turns[-1]["content"] += f"\n{content}"  # templates want user and assistant in turns
                continue
            calls = [call_text(self._disarmed(call.arguments), call.name) for call in message.calls]
            role = "user" if message.role == "tool" else message.role
            turns.append({"role": role, "content": "\n".join([content, *calls] if content else calls)})
        if tools is not None:
            if not turns or turns[0]["role"] != "system":
                turns.insert(0, {"role": "system", "content": ""})
            system = [turns[0]["content"], explained(self._disarmed(list(tools.functions)))]
            turns[0]["content"] = "\n\n".join(filter(None, system))
        return turns

    def _said(self, message: Message) -> str:
        """Return the content; text of users and tools cannot look like a call or a result."""
        marks = (*CALL_MARKS, *RESULT_MARKS) if message.role in ("user", "tool") else ()
        return _without(marks, self._disarm(message.content))

    def _disarmed(self, value: Any) -> Any:
        """Disarm every text in a JSON value."""
        return orjson.loads(self._disarm(orjson.dumps(value).decode()))

    def _disarm(self, content: str) -> str:
        """Return the text with control tokens broken up: a user may write their letters only."""
        return _without(self._control_texts, content)


def unfinished(messages: Sequence[Message]) -> list[Message]:
    """Return messages whose prompt ends with the words of the last one, whatever the template writes after them."""
    *before, last = messages
    return [*before, last._replace(content=last.content + _END_OF_WORDS)]


def _marked(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with a mark in their text for each picture; the marks are numbered through."""
    marks = (f"<picture {_NONCE} {number}>" for number in itertools.count())
    return [each._replace(content=_text_of(each.parts, marks)) if each.parts else each for each in messages]


def _text_of(parts: Iterable[str | Picture], marks: Iterator[str]) -> str:
    return "".join(part if isinstance(part, str) else next(marks) for part in parts)


def _check_size(texts: Iterable[str], context: int) -> None:
    """Refuse a far too long prompt before it is tokenized, which takes seconds and delays all tasks."""
    size = sum(len(text.encode()) for text in texts)
    if size > context * MAX_BYTES_PER_TOKEN:
        raise too_long(f"over {size // MAX_BYTES_PER_TOKEN}", context)


def _without(marks: Sequence[str], content: str) -> str:
    for mark in marks:
        if mark in content:
            content = content.replace(mark, f"{mark[0]} {mark[1:]}")
    return content


def _to_json(value: Any, indent: int | None = None) -> str:
    """Return JSON for chat templates: Jinja's own filter sorts keys and escapes "<"."""
    return json.dumps(value, ensure_ascii=False, indent=indent)


def too_long(tokens: int | str, context: int, for_pictures: int = 0) -> UnitFault:
    """Return the error for a prompt that cannot fit."""
    share = f"{for_pictures} of them for pictures, " if for_pictures else ""
    return UnitFault(RUN_FAILED, f"prompt is {tokens} tokens, {share}the context holds {context}")


def _raise(message: Any) -> NoReturn:
    raise TemplateError(str(message))
