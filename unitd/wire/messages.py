"""Requests and replies: what the frames of the wire mean.

Shapes and defaults: the llm unit's document and docs/original-firmware.md, sections 1.4 and 2.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import orjson

from unitd.wire.errors import BadField, UnitdError
from unitd.wire.framing import MAX_NAME_BYTES, Frame, is_too_long, readable_ids

NONE = "None"
"""What the original puts into `object` and `data` where there is nothing to say."""


def unit_of(work_id: str) -> str:
    """Return the unit kind of a work_id: "llm" for "llm.1002", "llm" and "llm.anything"."""
    return work_id.partition(".")[0]


def is_task_id(text: str) -> bool:
    """Return True for "kws.1000", False for "sys.pcm" and "llm.utf-8"."""
    return text.rpartition(".")[2].isdecimal() and text.count(".") == 1


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a client; `payload` holds the bytes after a RAW header."""

    request_id: str
    work_id: str
    action: str
    object: str = NONE
    data: Any = None
    payload: bytes | None = None
    options: dict[str, Any] = field(default_factory=dict)
    """Setup keys that hold for one inference."""


def parse_request(frame: Frame) -> Request:
    """Return the request of a frame, after a check of the fields that every request has.

    Raises:
        BadField: request_id, work_id or action is missing or no string, object is no string, or one of the first two,
            which stand in each reply, is too long.
    """
    fields = frame.fields
    request_id, work_id, action = fields.get("request_id"), fields.get("work_id"), fields.get("action")
    if not (isinstance(request_id, str) and isinstance(work_id, str) and isinstance(action, str)):
        raise BadField(_missing(fields), *readable_ids(fields))
    if (name := _too_long(request_id, work_id)) is not None:
        raise BadField(f"{name} may have {MAX_NAME_BYTES} bytes", *readable_ids(fields))
    object_ = fields.get("object")
    if object_ is not None and not isinstance(object_, str):
        raise BadField("object must be a string", request_id, work_id or "sys")
    options = fields.get("options", {})
    if not isinstance(options, dict):
        raise BadField("options must be an object", request_id, work_id or "sys")
    return Request(request_id, work_id or "sys", action, object_ or NONE, fields.get("data"), frame.payload, options)


def _too_long(request_id: str, work_id: str) -> str | None:
    """Return the name of the field that has too many bytes; None if neither has."""
    names = {"request_id": request_id, "work_id": work_id}
    return next((key for key, name in names.items() if is_too_long(name)), None)


def _missing(fields: dict[str, Any]) -> str:
    """Return which of the three required fields is missing or no string, as a sentence."""
    wrong = next(name for name in ("request_id", "work_id", "action") if not isinstance(fields.get(name), str))
    return f"{wrong} must be a string" if wrong in fields else f"{wrong} is missing"


@dataclass(frozen=True, slots=True)
class Reply:
    """One line to a client: the answer to a request, or a frame of a task's output.

    `extra` holds further keys, for what a client has asked for and the original firmware does not have.
    `is_droppable` marks frames that a slow serial line may drop: deltas in mid-stream, never an end or an answer.
    """

    request_id: str
    work_id: str
    object: str = NONE
    data: Any = NONE
    code: int = 0
    message: str = ""
    extra: dict[str, Any] | None = None
    is_droppable: bool = False


def error_reply(error: UnitdError, request_id: str, work_id: str) -> Reply:
    """Return the plain reply for an error: its object and data are "None"."""
    return Reply(request_id, work_id, code=error.code, message=str(error))


def encode_reply(reply: Reply, created: int) -> bytes:
    """Return one compact line of UTF-8 with the keys in alphabetical order and a newline at its end."""
    fields = {
        "created": created,
        "data": reply.data,
        "error": {"code": reply.code, "message": reply.message},
        "object": reply.object,
        "request_id": reply.request_id,
        "work_id": reply.work_id,
    }
    if reply.extra:
        fields |= reply.extra
    return orjson.dumps(fields, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_UNSAFE_IN_STRING = re.compile(r"[{}]|[^\x00-\x7f]")


def escape_line(line: bytes) -> bytes:
    """Return the same JSON with every brace inside a string and every non-ASCII character escaped.

    The original's Arduino client counts braces inside strings and its MicroPython client decodes chunks that may end
    inside a UTF-8 character; with escapes both read every line (docs/original-firmware.md, section 1.5).
    """
    return _STRING.sub(lambda found: _UNSAFE_IN_STRING.sub(_escape, found[0]), line.decode()).encode("ascii")


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
