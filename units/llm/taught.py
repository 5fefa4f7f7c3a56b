"""The options of an inference for a model that was taught its tools with a list of devices (devices.py)."""

import math
from dataclasses import replace
from typing import Any

from units.llm.devices import DEVICES_TITLE, devices_of
from units.llm.messages import Message
from units.llm.options import LlmOptions
from units.llm.tools import Tools

MOST_CHARACTERS = 100
"""The limit of a free text in a call, where its schema sets none."""

_LIMITS = {"enum", "const", "pattern", "minLength"}


def taught(options: LlmOptions) -> LlmOptions:
    """Return the options with their tools in this form, and with the list of devices in their system prompt.

    They stay as they are without tools that name things, and where a list of devices is there already.
    """
    messages = options.messages
    prompts = [options.system_prompt, *(each.content for each in messages or () if each.role == "system")]
    if options.tools is None or any(DEVICES_TITLE in prompt for prompt in prompts):
        return options
    options = replace(options, tools=_bounded(options.tools))
    if options.tools is None or (devices := devices_of(options.tools)) is None:
        return options
    if messages is not None:
        has_system = bool(messages) and messages[0].role == "system"
        before = messages[0] if has_system else Message("system", "")
        parts = (*before.parts, f"\n\n{devices.listing}") if before.parts else ()
        first = Message("system", _joined(before.content, devices.listing), parts=parts)
        rest = (each._replace(calls=tuple(map(devices.shown, each.calls))) for each in messages[int(has_system) :])
        messages = (first, *rest)
    system_prompt = _joined(options.system_prompt, devices.listing)
    return replace(options, tools=devices.tools, devices=devices, messages=messages, system_prompt=system_prompt)


def narrowed(options: LlmOptions, text: str, call_token: int) -> LlmOptions:
    """Return the options for a user's words: calls are for the devices that they name.

    No call is due where they name what is not there; `call_token`, which begins a call, is forbidden then.
    """
    if options.devices is None or options.tools is None:
        return options
    if options.messages is not None:
        text = options.messages[-1].content if options.messages and options.messages[-1].role == "user" else ""
    if options.devices.misses(text) and not options.tools.must_call:
        bias = (*options.sampler.logit_bias, (call_token, -math.inf))
        return replace(options, sampler=options.sampler._replace(logit_bias=bias))
    return replace(options, tools=options.devices.narrowed(text))


def _bounded(tools: Tools) -> Tools:
    """Return the tools with free texts of a few words: a model of this size writes on until the context is full."""
    return replace(tools, functions=tuple(map(_bounded_function, tools.functions)))


def _bounded_function(function: dict[str, Any]) -> dict[str, Any]:
    parameters = function.get("parameters") or {}
    properties = parameters.get("properties")
    if not isinstance(properties, dict):
        return function
    bounded = {
        key: {"maxLength": MOST_CHARACTERS, **each} if _is_free(each) else each for key, each in properties.items()
    }
    return {**function, "parameters": {**parameters, "properties": bounded}}


def _is_free(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string" and not _LIMITS & schema.keys()


def _joined(prompt: str, listing: str) -> str:
    return f"{prompt}\n\n{listing}" if prompt else listing
