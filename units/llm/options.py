"""What a setup may say to an llm task: one frozen dataclass, every bad value refused by name.

Keys are the seed's and the original's `mode_param` (docs/original-firmware.md, section 2, llm). Keys of other units or
of newer clients are ignored, as by the original.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from units.llm.devices import Devices
from units.llm.messages import Message, read_messages
from units.llm.policy import NEVER, PausePolicy, read_policy
from units.llm.tools import Tools, read_tools
from units.llm.vision.picture import Picture
from units.setup_values import SetupValues, refusal

DEFAULT_MAX_TOKENS = 127
"""The original's Arduino client sends this; documents show 256."""


class SamplerSpec(NamedTuple):
    """Settings of one sequence. Zero or one, as usual for each, means off."""

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repeat_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    penalty_window: int = 64
    seed: int | None = None
    logit_bias: tuple[tuple[int, float], ...] = ()
    """Pairs of token id and what is added to its logit; -inf forbids the token."""

    grammar: str = ""
    """GBNF with a rule named root."""

    json_schema: str = ""
    """A JSON schema as JSON; excludes a grammar."""

    wakes_at: str = ""
    """The text from which on the grammar is obeyed; before it anything may be said."""

    @property
    def has_penalties(self) -> bool:
        """Return True when the text before a token counts."""
        return (self.repeat_penalty, self.presence_penalty, self.frequency_penalty) != (1.0, 0.0, 0.0)


@dataclass(frozen=True)
class LlmOptions:
    """The settings of one task."""

    system_prompt: str
    max_tokens: int
    """Output tokens of one answer."""

    context: int
    """Tokens that the whole conversation may hold."""

    sampler: SamplerSpec
    stop: tuple[str, ...] = ()
    policy: PausePolicy = NEVER
    keeps_history: bool = False
    thinks: bool = False
    messages: tuple[Message, ...] | None = None
    """The whole conversation of one inference, instead of system prompt, history and question."""

    images: tuple[Picture, ...] = ()
    """The pictures before the question of one inference."""

    end_bias: float = 0.0
    """What is added to the logits of all tokens that end an answer: below zero answers grow longer, above zero
    shorter."""

    tells_prompt: bool = False
    """True when the client is told that the prompt is read."""

    is_raw: bool = False
    """The text is the prompt itself: no template, no history, and no control token is read in it."""

    tools: Tools | None = None
    """The functions that the model may call, or None."""

    devices: Devices | None = None
    """The form in which a model reads these tools that was taught with lists of devices."""


# Far beyond any logit; beyond 3e38 llama.cpp would count with infinities.
MAX_BIAS = 1e6
_TOKEN_DIGITS = 10

# The text of each token is searched for all of them.
MAX_STOPS = 32
MAX_STOP_LENGTH = 256


@dataclass(frozen=True)
class _Number:
    """The range of a numeric key, and the key that switches it off."""

    low: float
    high: float
    is_whole: bool = False
    switch: str = ""


_NUMBERS = {
    "max_token_len": _Number(1, 1_048_576, is_whole=True),
    "context": _Number(64, 1_048_576, is_whole=True),
    "temperature": _Number(0.0, 100.0, switch="enable_temperature"),
    "top_k": _Number(0, 1_000_000, is_whole=True, switch="enable_top_k_sampling"),
    "top_p": _Number(0.0, 1.0, switch="enable_top_p_sampling"),
    "min_p": _Number(0.0, 1.0),
    "repetition_penalty": _Number(0.01, 100.0, switch="enable_repetition_penalty"),
    "presence_penalty": _Number(-100.0, 100.0),
    "frequency_penalty": _Number(-100.0, 100.0),
    "penalty_window": _Number(0, 1_048_576, is_whole=True),
    "seed": _Number(0, 2**32 - 1, is_whole=True),
    "end_bias": _Number(-100.0, 100.0),
}
_BOOLEANS = ("history", "usage", "thinking", "enable_thinking", "prompt_done", "raw")
_SAMPLER_FIELDS = {
    "temperature": "temperature",
    "top_k": "top_k",
    "top_p": "top_p",
    "min_p": "min_p",
    "repetition_penalty": "repeat_penalty",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "penalty_window": "penalty_window",
    "seed": "seed",
}


def read_options(data: dict[str, Any], context: int) -> LlmOptions:
    """Return the options of a setup, for sequences of `context` tokens; raise UnitFault, which names a bad key."""
    values = SetupValues(data)
    numbers = {key: _number(values, key, rule) for key, rule in _NUMBERS.items() if key in values}
    for key, rule in _NUMBERS.items():
        if rule.switch and not values.flag(rule.switch, True):
            numbers.pop(key, None)
    flags = {key: values.flag(key, False) for key in _BOOLEANS}
    wanted = int(numbers.get("context", context))
    if wanted > context:
        raise refusal(f"context is {wanted}, the daemon gives {context} ([llm] context)")
    sampler = {field: numbers[key] for key, field in _SAMPLER_FIELDS.items() if key in numbers}
    grammar, schema = values.text("grammar", ""), _schema(values.get("json_schema"))
    if grammar and schema:
        raise refusal("grammar and json_schema exclude each other")
    sampler |= {"grammar": grammar, "json_schema": schema, "logit_bias": _logit_bias(data.get("logit_bias", {}))}
    return LlmOptions(
        system_prompt=values.text("prompt", "") or values.text("system_prompt", ""),
        max_tokens=int(numbers.get("max_token_len", DEFAULT_MAX_TOKENS)),
        context=wanted,
        sampler=SamplerSpec(**sampler),
        stop=_stop(values.texts("stop", "a text or a list of texts, none of them empty")),
        policy=_policy(data.get("pause", {})),
        keeps_history=flags["history"],
        thinks=flags["thinking"] or flags["enable_thinking"],
        messages=read_messages(values.get("messages")),
        end_bias=numbers.get("end_bias", 0.0),
        tells_prompt=flags["prompt_done"],
        is_raw=flags["raw"],
        tools=_tools(data),
    )


def _number(values: SetupValues, key: str, rule: _Number) -> Any:
    return (values.whole if rule.is_whole else values.number)(key, None, rule.low, rule.high)


def _tools(data: dict[str, Any]) -> Tools | None:
    try:
        return read_tools(data.get("tools"), data.get("tool_choice"), data.get("parallel_tool_calls"))
    except ValueError as error:
        raise refusal(str(error)) from error


def _policy(value: Any) -> PausePolicy:
    try:
        return read_policy(value)
    except ValueError as error:
        raise refusal(str(error)) from error


def _stop(listed: Sequence[str]) -> tuple[str, ...]:
    if not all(listed):
        raise refusal("stop must be a text or a list of texts, none of them empty")
    if len(listed) > MAX_STOPS or any(len(each) > MAX_STOP_LENGTH for each in listed):
        raise refusal(f"stop may hold {MAX_STOPS} texts of {MAX_STOP_LENGTH} characters")
    return tuple(listed)


def _schema(value: Any) -> str:
    if value is not None and not isinstance(value, dict):
        raise refusal("json_schema must be an object")
    return "" if value is None else json.dumps(value)


def _logit_bias(value: Any) -> tuple[tuple[int, float], ...]:
    """Read {"1234": -5, "99": false}: token ids and their biases; false forbids a token, as in llama-server."""
    if not isinstance(value, dict):
        raise refusal('logit_bias must be an object such as {"1234": -5}')
    pairs = []
    for token, bias in value.items():
        is_token = token.isdecimal() and len(token) <= _TOKEN_DIGITS
        is_number = type(bias) in (int, float) and abs(bias) <= MAX_BIAS
        if not is_token or not (is_number or bias is False):
            known = f"numbers from {-MAX_BIAS:.0f} to {MAX_BIAS:.0f} or false"
            raise refusal(f"logit_bias holds {token[:100]!r}: {bias!r}, it must map token ids to {known}")
        pairs.append((int(token), -math.inf if bias is False else float(bias)))
    return tuple(pairs)
