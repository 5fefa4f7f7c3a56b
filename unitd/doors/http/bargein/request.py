"""What clients of the barge-in dialect say: JSON at the door, frozen dataclasses behind it.

A field that is null counts as absent, a field that is not known is ignored. Plain text is JSON unless it is one of the
two sentinels.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

from unitd.core.config.schema import BargeInSettings
from unitd.doors.http.sockets import MAX_ECHO
from unitd.wire.errors import TooLong
from unitd.wire.framing import DEFAULT_LIMIT_BYTES
from unitd.wire.reading import read_json

Fields = dict[str, Any]

MAX_SESSION_ID = 256

PERSONA_KEYS = {
    "persona_text": "persona",
    "persona_style": "style",
    "gender": "gender",
    "user_identity": "identity",
}
"""The client's names, and the template's."""

# The same ranges as the llm unit has.
_NUMBERS: dict[str, tuple[float, float]] = {
    "temperature": (0.0, 100.0),
    "top_p": (0.0, 1.0),
    "top_k": (0, 1_000_000),
    "min_p": (0.0, 1.0),
    "repetition_penalty": (0.01, 100.0),
    "presence_penalty": (-100.0, 100.0),
    "frequency_penalty": (-100.0, 100.0),
}
_WHOLE_NUMBERS = frozenset({"top_k"})


class Refusal(Exception):
    """A message that is not served: an error code of the dialect, words, and what else the client is told."""

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.frame: Fields = {"type": "error", "error_code": code, "message": message, **details}


@dataclass(frozen=True)
class Start:
    """A turn begins, whatever went on before."""

    session_id: str
    utterance: str
    history: str = ""
    persona: dict[str, str] = field(default_factory=dict)
    """By the template's names; what is missing stays as it was."""

    sampling: dict[str, Any] | None = None
    """Replaces what the session had; None keeps it."""


@dataclass(frozen=True)
class Cancel:
    """The turn ends."""

    request_id: str | int | None = None


@dataclass(frozen=True)
class Warm:
    """Reads a persona or a history before it is needed."""

    segment: str
    text: str
    persona: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ChatPrompt:
    """Another persona from the next turn on."""

    session_id: str | None
    persona: dict[str, str]


@dataclass(frozen=True)
class Ping:
    """Wants an answer."""


@dataclass(frozen=True)
class Pong:
    """An answer that nobody waited for."""


@dataclass(frozen=True)
class End:
    """The client leaves."""


Message = Start | Cancel | Warm | ChatPrompt | Ping | Pong | End


def read_message(data: str | bytes, settings: BargeInSettings) -> Message:
    """The meaning of one WebSocket message.

    Raises:
        Refusal: it has none, or a field cannot be used.
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


def _object_in(data: str) -> Fields:
    try:
        value = read_json(data, DEFAULT_LIMIT_BYTES)
    except orjson.JSONDecodeError as error:
        raise Refusal("invalid_message", f"A message must be valid JSON: {error}.") from error
    except TooLong as error:
        raise Refusal("invalid_message", f"The message is too large: {error.reason}.") from error
    if not isinstance(value, dict):
        raise Refusal("invalid_message", "A message must be a JSON object.")
    return value


def _read_start(fields: Fields) -> Start:
    session_id = _session_id(fields)
    if session_id is None:
        raise Refusal("missing_session_id", "'session_id' is required.")
    utterance = _text(fields, "user_utterance")
    if utterance is None or not utterance.strip():
        raise Refusal("validation_error", "'user_utterance' is required and must not be empty.")
    return Start(
        session_id=session_id,
        utterance=utterance,
        history=_text(fields, "history_text") or "",
        persona=_persona(fields),
        sampling=_sampling(fields.get("sampling")),
    )


def _read_cancel(fields: Fields) -> Cancel:
    request_id = fields.get("request_id")
    if request_id is not None and type(request_id) not in (str, int):
        raise Refusal("validation_error", "'request_id' must be a text.")
    return Cancel(request_id)


def _read_warm(fields: Fields, segment: str) -> Warm:
    key = f"{segment}_text"
    text = _text(fields, key)
    if not text:
        raise Refusal("validation_error", f"'{key}' is required and must not be empty.")
    return Warm(segment, text, _persona(fields))


def _read_chat_prompt(fields: Fields) -> ChatPrompt:
    """`chat_prompt` is another name for the persona's text here."""
    persona = _persona(fields)
    if (text := _text(fields, "chat_prompt")) is not None:
        persona["persona"] = text
    if not persona:
        raise Refusal("validation_error", f"Nothing to change: give {', '.join(PERSONA_KEYS)}.")
    return ChatPrompt(_session_id(fields), persona)


_READERS: dict[str, Callable[[Fields], Message]] = {
    "start": _read_start,
    "cancel": _read_cancel,
    "warm_persona": lambda fields: _read_warm(fields, "persona"),
    "warm_history": lambda fields: _read_warm(fields, "history"),
    "chat_prompt": _read_chat_prompt,
    "ping": lambda _: Ping(),
    "pong": lambda _: Pong(),
    "end": lambda _: End(),
}


def _text(fields: Fields, key: str) -> str | None:
    value = fields.get(key)
    if value is not None and not isinstance(value, str):
        raise Refusal("validation_error", f"'{key}' must be a text.")
    return value


def _session_id(fields: Fields) -> str | None:
    session_id = _text(fields, "session_id")
    if session_id is not None and len(session_id) > MAX_SESSION_ID:
        raise Refusal("validation_error", f"'session_id' may have {MAX_SESSION_ID} characters.")
    return session_id or None


def _persona(fields: Fields) -> dict[str, str]:
    given = {name: _text(fields, key) for key, name in PERSONA_KEYS.items()}
    return {name: text for name, text in given.items() if text is not None}


def _sampling(value: Any) -> dict[str, Any] | None:
    """The known keys of a `sampling` object."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise Refusal("validation_error", "'sampling' must be an object.")
    sampling = {key: _number(key, value[key]) for key in _NUMBERS if value.get(key) is not None}
    if (sanitizes := value.get("sanitize_output")) is not None:
        if not isinstance(sanitizes, bool):
            raise Refusal("validation_error", "'sampling.sanitize_output' must be true or false.")
        sampling["sanitize_output"] = sanitizes
    return sampling


def _number(key: str, value: Any) -> Any:
    low, high = _NUMBERS[key]
    kinds, words = ((int,), "a whole number") if key in _WHOLE_NUMBERS else ((int, float), "a number")
    if type(value) not in kinds or not low <= value <= high:
        raise Refusal("validation_error", f"'sampling.{key}' must be {words} from {low:g} to {high:g}.")
    return value
