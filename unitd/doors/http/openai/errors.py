"""What is wrong, in the shape that clients of the OpenAI API read, with the status that tells them what to do.

The daemon's errors carry the wire's codes, of which -5 and -11 mean several things here: a value that cannot be used
(its reason begins with the key, 400), a prompt that does not fit or that the model's template refuses (400), an engine
that does not start or died (503).
"""

import re
from collections.abc import Mapping
from typing import Any

import orjson
from starlette.responses import Response

from unitd.wire.errors import EmptyInput, InternalError, NotAllowed, RequestError, UnitdError, UnitError, WireError

RETRY_AFTER_SECONDS = 1

_TYPES = {429: "rate_limit_error", 500: "server_error", 503: "server_error"}

SAME = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "presence_penalty",
    "frequency_penalty",
    "repetition_penalty",
    "logit_bias",
    "stop",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
)
"""Options that a request passes on to the llm unit as they are."""

# Keys of units and the names that they have here; any other key names no value of the request.
_PARAMS = {key: key for key in (*SAME, "language", "messages", "prompt", "seed", "speed")} | {
    "audio": "file",
    "grammar": "response_format",
    "json_schema": "response_format",
    "max_token_len": "max_tokens",
    "raw": "model",
    "speaker": "voice",
    "thinking": "chat_template_kwargs",
}
_KEY = re.compile(r"(?:the )?([a-z_]+)")
_TOO_LONG = re.compile(r"prompt is (?:over )?\d+ tokens, the context holds")


class ApiError(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, message: str, *, code: str | None = None, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param

    @property
    def body(self) -> dict[str, Any]:
        """The JSON of it."""
        type_ = _TYPES.get(self.status, "invalid_request_error")
        return {"error": {"message": str(self), "type": type_, "param": self.param, "code": self.code}}

    @property
    def headers(self) -> Mapping[str, str]:
        """When to come again, where that helps."""
        return {"retry-after": str(RETRY_AFTER_SECONDS)} if self.status == 429 else {}

    def response(self) -> Response:
        """The whole answer."""
        return Response(orjson.dumps(self.body), self.status, self.headers, media_type="application/json")


def bad_value(message: str, param: str | None) -> ApiError:
    """A value of the request that cannot be used."""
    return ApiError(400, message, code="invalid_value", param=param)


def unknown_model(name: str, kind: str) -> ApiError:
    """No card has this name."""
    message = f"There is no {kind} model '{name}' here; GET /v1/models lists those there are."
    return ApiError(404, message, code="model_not_found", param="model")


def api_error(error: UnitdError) -> ApiError:
    """What a client of this API is told for an error of the daemon."""
    if isinstance(error, UnitError):
        return _of_unit(error)
    if isinstance(error, EmptyInput | WireError):
        return bad_value(str(error), None)
    if isinstance(error, NotAllowed):
        return ApiError(403, error.reason, code="not_allowed")
    if isinstance(error, RequestError):  # no room: tasks, a queue
        return ApiError(429, str(error), code="rate_limit_exceeded")
    assert isinstance(error, InternalError)
    return ApiError(500, "internal error", code="internal_error")


def _of_unit(error: UnitError) -> ApiError:
    if _TOO_LONG.match(error.reason):
        return ApiError(400, error.reason, code="context_length_exceeded", param="messages")
    if error.reason.startswith("the chat template failed"):  # most refuse a role, or an order of roles
        return bad_value(error.reason, "messages")
    found = _KEY.match(error.reason)
    if found is not None and (param := _PARAMS.get(found[1])) is not None:
        return bad_value(error.reason.replace(found[1], param, 1), param)
    return ApiError(503, str(error), code="engine_unavailable")
