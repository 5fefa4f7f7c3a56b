"""Errors of plain HTTP, in the shape that clients of the OpenAI API read, each with a status that says what to do.

The daemon's errors carry the wire's codes, of which -5 and -11 mean several things here: a value that cannot be used
(its reason begins with the key, 400), a prompt that does not fit or that the model's template refuses (400), an engine
that does not start or died (503).
"""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from unitd.wire.errors import (
    EmptyInput,
    InternalError,
    NotAllowed,
    RequestError,
    Unavailable,
    UnitdError,
    UnitError,
    WireError,
)

RETRY_AFTER_SECONDS = 1

CLIENT_LEFT = 499
"""The status of an answer to a client that has left; the number is nginx's."""

Endpoint = Callable[[Request], Awaitable[Response]]

_TYPES = {429: "rate_limit_error", 500: "server_error", 503: "server_error"}

_CODES = {
    404: "not_found",
    405: "method_not_allowed",
    408: "body_too_slow",
    413: "body_too_large",
    503: "too_many_bodies",
}
"""The code of what starlette and the guard refuse, by its status."""

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
_OF_AN_IMAGE = re.compile(r"messages\[\d+\]\.content\[\d+\] ")
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
        """Return the JSON body."""
        type_ = _TYPES.get(self.status, "invalid_request_error")
        return {"error": {"message": str(self), "type": type_, "param": self.param, "code": self.code}}

    def response(self) -> Response:
        """Return the response; with status 429 it says when to try again."""
        headers = {"retry-after": str(RETRY_AFTER_SECONDS)} if self.status == 429 else {}
        return Response(orjson.dumps(self.body), self.status, headers, media_type="application/json")


def bad_value(message: str, param: str | None) -> ApiError:
    """Return the error for a value that cannot be used."""
    return ApiError(400, message, code="invalid_value", param=param)


def unknown_model(name: str, kind: str) -> ApiError:
    """Return the error for a name that no model has."""
    message = f"There is no {kind} model '{name}' here; GET /v1/models lists those there are."
    return ApiError(404, message, code="model_not_found", param="model")


def api_error(error: UnitdError) -> ApiError:
    """Return an error of the daemon as clients of this API expect it."""
    if isinstance(error, UnitError):
        return _of_unit(error)
    if isinstance(error, EmptyInput | WireError):
        return bad_value(str(error), None)
    if isinstance(error, NotAllowed):
        return ApiError(403, error.reason, code="not_allowed")
    if isinstance(error, Unavailable) and _OF_AN_IMAGE.match(error.reason):
        return bad_value(error.reason, "messages")
    if isinstance(error, Unavailable) and "pip install" in error.reason:
        return ApiError(503, error.reason, code="engine_unavailable")
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


def explaining(endpoint: Endpoint, explain: Callable[[UnitdError], ApiError] = api_error) -> Endpoint:
    """Return an endpoint that answers what is wrong with a request with a status and in words."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except ApiError as error:
            return error.response()
        except UnitdError as error:
            return explain(error).response()

    return answer


def error_response(
    status: int, message: str, code: str, *, type_: str = "invalid_request_error", headers: dict[str, str] | None = None
) -> Response:
    """Return an error of the door itself; clients of other dialects find the words in it."""
    error = {"message": message, "type": type_, "param": None, "code": code}
    return Response(orjson.dumps({"error": error}), status, headers, media_type="application/json")


async def _answer_http_error(request: Request, error: Exception) -> Response:
    """Answer unknown paths, wrong methods and what dialects refuse."""
    assert isinstance(error, HTTPException)
    code = _CODES.get(error.status_code, "bad_request")
    return error_response(error.status_code, error.detail, code, headers=dict(error.headers or {}))


async def _answer_nobody(request: Request, error: Exception) -> Response:
    """Answer a client that left while its body was on its way."""
    return Response(status_code=CLIENT_LEFT)


async def _answer_bug(request: Request, error: Exception) -> Response:
    """Answer after a bug: the traceback is in the log, the client learns that there is one."""
    return error_response(500, "internal error", "internal_error", type_="server_error")


ERROR_HANDLERS: dict[Any, Any] = {
    HTTPException: _answer_http_error,
    ClientDisconnect: _answer_nobody,
    Exception: _answer_bug,
}
