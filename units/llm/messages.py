"""The messages of a conversation, with pictures where they stand."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from unitd.wire.pictures import MAX_PICTURES
from units.llm.tools import ToolCall, read_calls
from units.llm.vision.picture import Picture, read_picture
from units.setup_values import refusal

_ROLES = ("system", "user", "assistant", "tool")


class Message(NamedTuple):
    """One turn of a conversation that a client keeps."""

    role: str
    """system, user, assistant, or tool: what a function returned."""

    content: str
    """The text, without the pictures."""

    calls: tuple[ToolCall, ...] = ()
    """The calls of the assistant in this turn."""

    call_id: str = ""
    """The call of which this is the result."""

    parts: tuple[str | Picture, ...] = ()
    """The texts and pictures in their order; empty without pictures."""

    @property
    def pictures(self) -> list[Picture]:
        """Return the pictures in their order."""
        return [part for part in self.parts if isinstance(part, Picture)]


def read_messages(value: Any) -> tuple[Message, ...] | None:
    """Read [{"role": "user", "content": "Hello"}, ...]; return None where there are none.

    Raises:
        UnitFault: a value cannot be used; the words name its place.
    """
    if value is None:
        return None
    if not isinstance(value, list) or not value:
        raise refusal("messages must be a list of objects with role and content")
    messages = tuple(_message(each, f"messages[{at}]") for at, each in enumerate(value))
    check_count(pictures_of(messages))
    return messages


def read_images(value: Any) -> tuple[Picture, ...]:
    """Read [{"image": "<base64>"}, ...]; raise UnitFault as `read_messages` does."""
    if not isinstance(value, list):
        raise refusal("images must be a list of objects with an image in base64")
    check_count(value)
    return tuple(read_picture(each, f"images[{at}]") for at, each in enumerate(value))


def pictures_of(messages: Iterable[Message]) -> list[Picture]:
    """Return all pictures of a conversation."""
    return [picture for message in messages for picture in message.pictures]


def check_count(pictures: list[Any]) -> None:
    """Raise UnitFault for more pictures than a prompt may have."""
    if len(pictures) > MAX_PICTURES:
        raise refusal(f"{len(pictures)} pictures, {MAX_PICTURES} are the most in one prompt")


def _message(value: Any, where: str) -> Message:
    if not isinstance(value, dict) or value.get("role") not in _ROLES:
        raise refusal(f"{where} must be an object with a role ({', '.join(_ROLES)}) and a text as content")
    calls = value.get("tool_calls") or []
    content = value.get("content") or "" if calls else value.get("content")
    parts: tuple[str | Picture, ...] = ()
    if isinstance(content, list):
        parts = tuple(_part(each, f"{where}.content[{at}]") for at, each in enumerate(content))
        content = "".join(part for part in parts if isinstance(part, str))
    if not isinstance(content, str):
        raise refusal(f"{where}.content must be a text or a list of parts")
    if all(isinstance(part, str) for part in parts):
        parts = ()
    elif value["role"] == "assistant":
        raise refusal(f"{where}.content: an assistant's message has no images")
    try:
        made = read_calls(calls, f"{where}.tool_calls")
    except ValueError as error:
        raise refusal(str(error)) from error
    return Message(value["role"], content, made, str(value.get("tool_call_id", "")), parts)


def _part(value: Any, where: str) -> str | Picture:
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "text" and isinstance(value.get("text"), str):
        text: str = value["text"]
        return text
    if kind != "image":
        raise refusal(f'{where} must be {{"type": "text", "text": …}} or {{"type": "image", "image": …}}')
    return read_picture(value, where)
