"""Messages of the barge-in dialect, read from JSON into frozen dataclasses.

A field that is null counts as absent; an unknown field is ignored. Text is JSON unless it is one of the two sentinels.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

from unitd.core.config.schema import BargeInSettings
from unitd.doors.http.sockets import MAX_ECHO
from unitd.wire.errors import TooLong
from unitd.wire.fields import Fields
from unitd.wire.framing import DEFAULT_LIMIT_BYTES
from unitd.wire.reading import read_json

MAX_SESSION_ID = 256

PERSONA_KEYS = {
    "persona_text": "persona",
    "persona_style": "style",
    "gender": "gender",
    "user_identity": "identity",
}
"""The client's keys, and the template's names for them."""

# The ranges of the llm unit.
_NUMBERS = {
    "temperature": (0, 100),
    "top_p": (0, 1),
    "min_p": (0, 1),
    "repetition_penalty": (0.01, 100),
    "presence_penalty": (-100, 100),
    "frequency_penalty": (-100, 100),
}
_MAX_TOP_K = 1_000_000


class Refusal(Exception):
    """A message that is refused, with an error code of the dialect, a text, and further fields."""

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.frame: dict[str, Any] = {"type": "error", "error_code": code, "message": message, **details}


class _Fields(Fields):
    """One JSON object of a message."""

    null_is_absent = True

    def refusal(self, key: str, wanted: str, shown: str = "") -> Refusal:
        """Return the error, which names the place."""
        return Refusal("validation_error", f"'{self.place(key)}' must be {wanted}.")


@dataclass(frozen=True)
class Start:
    """Begin a turn; a running one is cut."""

    session_id: str
    utterance: str
    history: str = ""
    persona: dict[str, str] = field(default_factory=dict)
    """By the template's names; a missing part stays as it was."""

    sampling: dict[str, Any] | None = None
    """Replaces the sampling of the session; None keeps it."""


@dataclass(frozen=True)
class Cancel:
    """End the turn."""

    request_id: str | int | None = None


@dataclass(frozen=True)
class Warm:
    """Read a persona or a history ahead."""

    segment: str
    text: str
    persona: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ChatPrompt:
    """Change the persona, from the next turn on."""

    session_id: str | None
    persona: dict[str, str]


@dataclass(frozen=True)
class Ping:
    """Ask for a pong."""


@dataclass(frozen=True)
class Pong:
    """Answer to a ping; it is ignored."""


@dataclass(frozen=True)
class End:
    """End the connection."""


Message = Start | Cancel | Warm | ChatPrompt | Ping | Pong | End


def read_message(data: str | bytes, settings: BargeInSettings) -> Message:
    """Return the meaning of a WebSocket message.

    Raises:
        Refusal: the message has none, or a field cannot be used.
    """
    if isinstance(data, bytes):
        raise Refusal("invalid_message", "Binary messages mean nothing here, send JSON as text.")
    text = data.strip()
    if text and text == settings.end_sentinel:
        return End()
    if text and text == settings.cancel_sentinel:
        return Cancel()
    fields = _object_in(data)
    if "type" not in fields and fields.get("cancel") is True:
        return _read_cancel(fields)
    kind = fields.get("type")
    if not isinstance(kind, str):
        raise Refusal("invalid_message", "A message needs a 'type'.")
    reader = _READERS.get(kind)
    if reader is None:
        raise Refusal("unknown_message_type", f"There is no message type {kind[:MAX_ECHO]!r}.")
    return reader(fields)


def _object_in(data: str) -> _Fields:
    try:
        value = read_json(data, DEFAULT_LIMIT_BYTES)
    except orjson.JSONDecodeError as error:
        raise Refusal("invalid_message", f"A message must be valid JSON: {error}.") from error
    except TooLong as error:
        raise Refusal("invalid_message", f"The message is too large: {error.reason}.") from error
    if not isinstance(value, dict):
        raise Refusal("invalid_message", "A message must be a JSON object.")
    return _Fields(value)


def _read_start(fields: _Fields) -> Start:
    session_id = _session_id(fields)
    if session_id is None:
        raise Refusal("missing_session_id", "'session_id' is required.")
    utterance = fields.text("user_utterance", "")
    if not utterance.strip():
        raise Refusal("validation_error", "'user_utterance' is required and must not be empty.")
    return Start(
        session_id=session_id,
        utterance=utterance,
        history=fields.text("history_text", ""),
        persona=_persona(fields),
        sampling=_sampling(fields),
    )


def _read_cancel(fields: _Fields) -> Cancel:
    request_id = fields.get("request_id")
    if request_id is not None and type(request_id) not in (str, int):
        raise fields.refusal("request_id", "a text")
    return Cancel(request_id)


def _read_warm(fields: _Fields, segment: str) -> Warm:
    key = f"{segment}_text"
    text = fields.text(key, "")
    if not text:
        raise Refusal("validation_error", f"'{key}' is required and must not be empty.")
    return Warm(segment, text, _persona(fields))


def _read_chat_prompt(fields: _Fields) -> ChatPrompt:
    """Return the changed persona; `chat_prompt` is another name for its text."""
    persona = _persona(fields)
    if (text := fields.text("chat_prompt", None)) is not None:
        persona["persona"] = text
    if not persona:
        raise Refusal("validation_error", f"Nothing to change: give {', '.join(PERSONA_KEYS)}.")
    return ChatPrompt(_session_id(fields), persona)


_READERS: dict[str, Callable[[_Fields], Message]] = {
    "start": _read_start,
    "cancel": _read_cancel,
    "warm_persona": lambda fields: _read_warm(fields, "persona"),
    "warm_history": lambda fields: _read_warm(fields, "history"),
    "chat_prompt": _read_chat_prompt,
    "ping": lambda _: Ping(),
    "pong": lambda _: Pong(),
    "end": lambda _: End(),
}


def _session_id(fields: _Fields) -> str | None:
    session_id = fields.text("session_id", "")
    if len(session_id) > MAX_SESSION_ID:
        raise Refusal("validation_error", f"'session_id' may have {MAX_SESSION_ID} characters.")
    return session_id or None


def _persona(fields: _Fields) -> dict[str, str]:
    return {name: fields.text(key, "") for key, name in PERSONA_KEYS.items() if key in fields}


def _sampling(fields: _Fields) -> dict[str, Any] | None:
    """Return the known keys of the `sampling` object; None without one."""
    if "sampling" not in fields:
        return None
    given = fields.table("sampling")
    sampling: dict[str, Any] = {
        key: given.number(key, None, low, high) for key, (low, high) in _NUMBERS.items() if key in given
    }
    if "top_k" in given:
        sampling["top_k"] = given.whole("top_k", None, 0, _MAX_TOP_K)
    if "sanitize_output" in given:
        sampling["sanitize_output"] = given.flag("sanitize_output", None)
    return sampling
