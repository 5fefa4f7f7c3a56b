"""Requests of the OpenAI API, translated to the names and types of the units.

Only values that have another shape here are checked. A number, a list of stops or a tool is passed on unchanged: the
unit checks it, with an error that names the key (see `errors`). Unknown keys are ignored, as other servers of this API
do.
"""

import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from unitd.doors.http.bodies import Body
from unitd.doors.http.errors import SAME, bad_value
from unitd.wire.pictures import DETAILS
from unitd.wire.reading import is_too_deep

Messages = list[dict[str, Any]]

NO_LIMIT = 1_048_576
"""Output tokens when the client sets no limit: until the model ends, or until the context is full."""

USUAL_COMPLETION_TOKENS = 16
"""The default of OpenAI's older API."""

MAX_CHOICES = 16
MAX_SEED = 2**32

_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
_NOT_HERE = {
    "input_audio": "audio is not understood in a chat; send it to /v1/audio/transcriptions",
    "file": "files are not understood in a chat",
}
# Refused, except with these values, which switch them off: a requested feature must not be left out silently.
_NEVER = {
    "audio": (None,),
    "best_of": (None, 1),
    "echo": (None, False),
    "function_call": (None,),
    "functions": (None,),
    "logprobs": (None, False),
    "modalities": (None, ["text"]),
    "suffix": (None, ""),
    "top_logprobs": (None,),
}

ADDRESS = "address"
"""The key of an image's address on the web, until the image is there."""

_DATA_URL = re.compile(r"data:[^,]{0,200};base64,", re.IGNORECASE)
_WEB_URL = re.compile(r"https?://", re.IGNORECASE)

_NEVER_IN_A_TEXT: Mapping[str, tuple[Any, ...]] = {"tools": (None, [])}


@dataclass(frozen=True)
class Asked:
    """One or several answers of the llm unit."""

    model: str
    prompts: tuple[Messages | str, ...]
    """The prompt of each choice: a conversation, or a text to continue."""

    options: dict[str, Any]
    """For the llm unit."""

    repeats: int = 1
    """How many choices have the same prompt."""

    is_stream: bool = False
    tells_usage: bool = False
    """True when a stream must end with the usage."""

    def options_of(self, choice: int) -> dict[str, Any]:
        """Return the options of a choice; each repeat has another seed, so that answers differ and can be repeated."""
        repeat = choice % self.repeats
        return self.options | ({"seed": (self.options["seed"] + repeat) % MAX_SEED} if "seed" in self.options else {})

    @property
    def web_images(self) -> dict[str, str]:
        """Return the addresses of images that must be fetched, by their places; all choices have the same."""
        return {place: part[ADDRESS] for place, part in self._parts() if ADDRESS in part}

    def put_images(self, files: Mapping[str, bytes]) -> None:
        """Put these files in their places."""
        for place, part in self._parts():
            if place in files:
                del part[ADDRESS]
                part["image"] = base64.b64encode(files[place]).decode()

    def _parts(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the parts of a conversation, each with its place."""
        conversation = self.prompts[0]
        for at, message in enumerate([] if isinstance(conversation, str) else conversation):
            if isinstance(message["content"], list):
                for number, part in enumerate(message["content"]):
                    yield f"messages[{at}].content[{number}]", part


def read_chat(body: Body) -> Asked:
    """Return a request of `/v1/chat/completions`.

    Raises:
        ApiError: a value cannot be used.
    """
    listed = body.get("messages")
    if not isinstance(listed, list) or not listed:
        raise bad_value("messages must be a list of at least one message.", "messages")
    messages = [_message(each, f"messages[{at}]") for at, each in enumerate(listed)]
    limit = body.get("max_completion_tokens")
    options = _options(body, body.get("max_tokens") if limit is None else limit, NO_LIMIT) | _form(body)
    return _asked(body, (messages,), options | _thinking(body))


def read_completion(body: Body) -> Asked:
    """Return a request of `/v1/completions`.

    Raises:
        ApiError: a value cannot be used.
    """
    prompt = body.get("prompt")
    prompts = [prompt] if isinstance(prompt, str) else prompt
    if not isinstance(prompts, list) or not prompts or not all(isinstance(each, str) for each in prompts):
        raise bad_value("prompt must be a text or a list of texts.", "prompt")
    if not all(each.strip() for each in prompts):
        raise bad_value("prompt is empty.", "prompt")
    _refuse(body, _NEVER_IN_A_TEXT)
    return _asked(body, tuple(prompts), _options(body, body.get("max_tokens"), USUAL_COMPLETION_TOKENS))


def _refuse(body: Body, never: Mapping[str, tuple[Any, ...]]) -> None:
    for key, off in never.items():
        if body.get(key) not in off:
            raise bad_value(f"{key} is not supported here.", key)


def _asked(body: Body, prompts: tuple[Messages | str, ...], options: dict[str, Any]) -> Asked:
    """Return the request, with the parts that chats and completions have in common."""
    _refuse(body, _NEVER)
    repeats = body.get("n") if "n" in body else 1
    if type(repeats) is not int or not 1 <= repeats * len(prompts) <= MAX_CHOICES:
        raise bad_value(f"n must be a whole number that makes at most {MAX_CHOICES} choices.", "n")
    if is_too_deep(prompts, options):
        raise bad_value("The body is nested too deeply.", None)
    return Asked(
        model=body.text("model", "") or "default",
        prompts=tuple(prompt for prompt in prompts for _ in range(repeats)),
        options=options,
        repeats=repeats,
        is_stream=body.flag("stream", False),
        tells_usage=body.table("stream_options").flag("include_usage", False),
    )


def _options(body: Body, limit: Any, usual_limit: int) -> dict[str, Any]:
    """Return the options for the unit; null counts as absent."""
    options = {key: body.get(key) for key in SAME if key in body}
    options["max_token_len"] = usual_limit if limit is None else limit
    if (seed := body.whole("seed", None)) is not None:
        options["seed"] = seed % MAX_SEED
    return options


def _form(body: Body) -> dict[str, Any]:
    """Return the options for `response_format`: a text, any JSON object, or one that fits a schema."""
    form = body.get("response_format")
    kind = form.get("type") if isinstance(form, dict) else None
    if form is None or kind == "text":
        return {}
    if kind == "json_object":
        return {"json_schema": {"type": "object"}}
    if kind != "json_schema":
        raise bad_value("response_format.type must be text, json_object or json_schema.", "response_format")
    named = form.get("json_schema")
    schema = named.get("schema") if isinstance(named, dict) else None
    if not isinstance(schema, dict):
        raise bad_value("response_format.json_schema.schema must be an object.", "response_format")
    return {"json_schema": schema}


def _thinking(body: Body) -> dict[str, Any]:
    """Return the options for `chat_template_kwargs`, which other servers of this API have for models that think."""
    thinks = body.table("chat_template_kwargs").get("enable_thinking")
    return {} if thinks is None else {"thinking": thinks}


def _message(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        raise bad_value(f"{where} must be an object with a role.", "messages")
    if (role := _ROLES.get(value["role"])) is None:
        raise bad_value(f"{where}.role is '{value['role']}', it must be one of {', '.join(_ROLES)}.", "messages")
    message = {"role": role, "content": _content(value.get("content"), f"{where}.content")}
    calls = value.get("tool_calls")
    if calls:
        message["tool_calls"] = calls
    elif value.get("content") is None:
        raise bad_value(f"{where}.content is missing.", "messages")
    if role == "tool":
        message["tool_call_id"] = Body(value).text("tool_call_id", "")
    return message


def _content(value: Any, where: str) -> str | list[dict[str, str]]:
    """Return a content as text, or as a list where it has images; two texts stand below each other."""
    if value is None or isinstance(value, str):
        return value or ""
    if not isinstance(value, list):
        raise bad_value(f"{where} must be a text or a list of parts.", "messages")
    parts = [_part(each, f"{where}[{at}]") for at, each in enumerate(value)]
    for part, following in pairwise(parts):
        if part["type"] == following["type"] == "text":
            part["text"] += "\n"
    if all(part["type"] == "text" for part in parts):
        return "".join(part["text"] for part in parts)
    return parts


def _part(value: Any, where: str) -> dict[str, str]:
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str):
        kind = ""
    if kind in _NOT_HERE:
        raise bad_value(f"{where}: {_NOT_HERE[kind]}.", "messages")
    if kind == "image_url":
        return _image(value.get("image_url"), f"{where}.image_url")
    text = value.get(kind) if kind in ("text", "refusal") else None
    if not isinstance(text, str):
        raise bad_value(f'{where} must be a part such as {{"type": "text", "text": …}}.', "messages")
    return {"type": "text", "text": text}


def _image(value: Any, where: str) -> dict[str, str]:
    """Return an image for the unit; one that is on the web has the key ADDRESS until it is fetched."""
    url = value.get("url") if isinstance(value, dict) else None
    if not isinstance(url, str):
        raise bad_value(f'{where} must be an object such as {{"url": "data:image/png;base64,…"}}.', "messages")
    detail = value.get("detail") or "auto"
    if detail not in DETAILS:
        raise bad_value(f"{where}.detail must be one of {', '.join(DETAILS)}.", "messages")
    if (found := _DATA_URL.match(url)) is not None:
        return {"type": "image", "image": url[found.end() :], "detail": detail}
    if _WEB_URL.match(url) is None:
        raise bad_value(f"{where}.url must be a data: URL in base64, or begin with http.", "messages")
    return {"type": "image", ADDRESS: url, "detail": detail}
