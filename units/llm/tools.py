"""Tools: functions that a model may call instead of answering, and the form of a call.

For every model, a call is written as Hermes and Qwen write it:

    <tool_call>
    {"name": "set_light", "arguments": {"room": "kitchen", "is_on": true}}
    </tool_call>

A chat template that knows this mark is given the functions, calls and results as they are. For any other (also one with
a mark of its own) the functions are explained in the system prompt, calls stand in the text of the assistant and
results come as a turn of the user.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

CALL_MARKS = OPEN, CLOSE = "<tool_call>", "</tool_call>"
RESULT_MARKS = OPEN_RESULT, CLOSE_RESULT = "<tool_response>", "</tool_response>"

# More than a model of a board's size can tell apart, and little enough for a grammar.
MAX_FUNCTIONS = 128
MAX_NAME_LENGTH = 64
# JSON is read to 1024 levels and written to 254, of which messages need some around a call's arguments.
MAX_NESTING = 200


class ToolCall(NamedTuple):
    """One call, as the model made it or as a client says that it was made."""

    id: str
    name: str
    arguments: dict[str, Any]

    def as_chat(self) -> dict[str, Any]:
        """Return the call in the shape of templates, with the arguments as an object."""
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}


@dataclass(frozen=True)
class Tools:
    """The functions of one answer, and what the model must do with them."""

    functions: tuple[dict[str, Any], ...]
    """Objects with `name`, and mostly `description` and `parameters` (a JSON schema)."""

    must_call: bool = False
    """True when the answer must be a call and nothing else; else the model decides."""

    only: str = ""
    """The one function that the model must call, "" for any."""

    is_parallel: bool = True
    """True when it may call several at once."""

    @property
    def callable(self) -> tuple[dict[str, Any], ...]:
        """Return the functions among which the model chooses."""
        return tuple(each for each in self.functions if self.only in ("", each["name"]))

    def as_chat(self) -> list[dict[str, Any]]:
        """Return the functions in the shape of templates and of OpenAI's API."""
        return [{"type": "function", "function": function} for function in self.functions]


def read_tools(tools: Any, choice: Any = None, is_parallel: Any = None) -> Tools | None:
    """Read `tools`, `tool_choice` and `parallel_tool_calls` in OpenAI's shapes; return None when nothing can be called.

    Raises:
        ValueError: another shape; the words begin with the option's name.
    """
    if tools is not None and not isinstance(tools, list):
        raise ValueError("tools must be a list of functions")
    functions = tuple(_function(each, f"tools[{at}]") for at, each in enumerate(tools or ()))
    names = {each["name"] for each in functions}
    if len(functions) > MAX_FUNCTIONS or len(names) < len(functions):
        raise ValueError(f"tools may hold {MAX_FUNCTIONS} functions of different names")
    if not isinstance(is_parallel, bool | None):
        raise ValueError(f"parallel_tool_calls is {is_parallel!r}, it must be true or false")
    must_call = choice == "required" or isinstance(choice, dict)
    only = _named(choice) if isinstance(choice, dict) else ""
    if not must_call and choice not in (None, "auto", "none"):
        raise ValueError(f"tool_choice is {choice!r}, it must be none, auto, required, or name a function")
    if (must_call and not names) or (only and only not in names):
        raise ValueError(f"tool_choice wants a call of {only or 'a function'}, tools does not have it")
    if not functions or choice == "none":
        return None
    return Tools(functions, must_call, only, is_parallel is not False)


def _function(value: Any, where: str) -> dict[str, Any]:
    function = value.get("function") if isinstance(value, dict) and value.get("type") == "function" else None
    if not isinstance(function, dict):
        raise ValueError(f'{where} must be an object such as {{"type": "function", "function": {{"name": …}}}}')
    name = function.get("name")
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME_LENGTH or not name.isprintable():
        raise ValueError(f"{where}.function.name must be a text of 1 to {MAX_NAME_LENGTH} characters")
    for key, type_, wanted in (("description", str, "a text"), ("parameters", dict, "a JSON schema")):
        if not isinstance(function.get(key), type_ | None):
            raise ValueError(f"{where}.function.{key} must be {wanted}")
    return {key: each for key, each in function.items() if each is not None}


def _named(choice: dict[str, Any]) -> str:
    function = choice.get("function")
    name = function.get("name") if isinstance(function, dict) else None
    if choice.get("type") != "function" or not isinstance(name, str) or not name:
        raise ValueError('tool_choice must be an object such as {"type": "function", "function": {"name": …}}')
    return name


def read_calls(value: Any, where: str) -> tuple[ToolCall, ...]:
    """Read the `tool_calls` of a message, with arguments as an object or as JSON; raise ValueError for a bad value."""
    if not isinstance(value, list):
        raise ValueError(f"{where} must be a list")
    return tuple(_call(each, f"{where}[{at}]") for at, each in enumerate(value))


def _call(value: Any, where: str) -> ToolCall:
    function = value.get("function") if isinstance(value, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(function, dict) or not isinstance(name, str):
        raise ValueError(f"{where} must be an object with id, type and function")
    arguments = function.get("arguments") or {}
    try:
        arguments = orjson.loads(arguments) if isinstance(arguments, str) else arguments
    except orjson.JSONDecodeError as error:
        raise ValueError(f"{where}.function.arguments is no JSON: {error}") from error
    if not isinstance(arguments, dict):
        raise ValueError(f"{where}.function.arguments must be an object")
    if _is_too_deep(arguments):
        raise ValueError(f"{where}.function.arguments may hold {MAX_NESTING} levels")
    return ToolCall(str(value.get("id", "")), name, arguments)


def maybe_call(text: str) -> ToolCall | None:
    """Return the call that a model wrote between the marks; None for anything else."""
    try:
        said = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(said, dict) or not isinstance(said.get("name"), str):
        return None
    arguments = said.get("arguments", {})
    if not isinstance(arguments, dict) or _is_too_deep(arguments):
        return None
    return ToolCall(new_id(), said["name"], arguments)


def _is_too_deep(arguments: dict[str, Any]) -> bool:
    level: list[Any] = [arguments]
    for _ in range(MAX_NESTING + 1):
        inner = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        level = [each for values in inner for each in values]
    return bool(level)


def new_id() -> str:
    """Return a new name of a call, by which its result comes back."""
    return f"call_{secrets.token_hex(12)}"


def explained(functions: Sequence[dict[str, Any]]) -> str:
    """Return what the system prompt says where the template cannot show functions."""
    listed = "\n".join(_json(function) for function in functions)
    return (
        f"You can use these functions:\n{listed}\n"
        f'To use one, write only {OPEN}{{"name": …, "arguments": {{…}}}}{CLOSE}. If none is needed, answer in words.'
    )


def call_text(arguments: dict[str, Any], name: str) -> str:
    """Return a call as a model writes it."""
    return f"{OPEN}\n{_json({'name': name, 'arguments': arguments})}\n{CLOSE}"


def result_text(result: str) -> str:
    """Return the result of a function as a user's turn gives it."""
    return f"{OPEN_RESULT}\n{result}\n{CLOSE_RESULT}"


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
