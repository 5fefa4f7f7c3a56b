"""What stands before every dialect: keys, origins, the size of what is sent; and errors that show no traceback."""

from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from unitd.core.access import STRANGER, TRUSTED, is_address
from unitd.doors.http.grants import GRANT, REFUSAL, admit
from unitd.runtime.access import Access
from unitd.wire.errors import NotAllowed, Unavailable

OPEN_PATHS = frozenset({"/", "/health", "/healthz"})
"""Asked for without a key: probes of service managers, and the page, which asks for the key itself."""
OPEN_FOLDER = "/static/"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
KEY_IS_MISSING = "Give a valid API key: 'api_key' in the query, or an 'X-API-Key' or 'Authorization: Bearer' header."

CLIENT_LEFT = 499
"""The status of an answer that nobody receives; the number is nginx's."""


class Guard:
    """ASGI middleware. WebSockets are accepted or refused for their key by their dialects, in their own words."""

    def __init__(self, app: ASGIApp, access: Access, body_bytes: int, names: frozenset[str]) -> None:
        """`names` are those by which this machine is called."""
        self._names = names
        self._app = app
        self._access = access
        self._body_bytes = body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
        elif (refusal := self._refusal(scope)) is not None:
            await refusal(scope, receive, send)
        elif scope["type"] == "http":
            await self._app(scope, _Limited(receive, self._body_bytes), send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        is_socket = scope["type"] == "websocket"
        if (is_socket or scope["method"] not in SAFE_METHODS) and not _is_same_origin(headers):
            # A close is the same 403; behind an answer in words to a handshake uvicorn logs an error of its own.
            words = error_response(403, "pages of other sites may not use this device", "origin_not_allowed")
            return WebSocketClose() if is_socket else words
        try:
            scope[GRANT] = admit(self._access, HTTPConnection(scope))
        except Unavailable as error:
            scope[GRANT], scope[REFUSAL] = STRANGER, error.reason
            if not is_socket and not _is_open(scope["path"]):
                return _turned_away(429, error.reason, "too_many_wrong_keys", type_="rate_limit_error")
        except NotAllowed as error:
            scope[GRANT], scope[REFUSAL] = STRANGER, error.reason
        if scope[GRANT] is TRUSTED and not self._is_own(headers.get("host", "")):
            scope[GRANT] = STRANGER
            if is_socket or not _is_open(scope["path"]):
                words = error_response(403, "this device has no such name; call it by its address", "host_not_allowed")
                return WebSocketClose() if is_socket else words
        if is_socket:
            return None
        if not _is_open(scope["path"]) and scope[GRANT].role is None:
            return _turned_away(401, KEY_IS_MISSING, "invalid_api_key", type_="authentication_error")
        if int(headers.get("content-length") or 0) > self._body_bytes:
            return error_response(413, f"a body may have {self._body_bytes} bytes", "body_too_large")
        return None

    def _is_own(self, host: str) -> bool:
        """A page of the web may have its own name lead here, and then be of the same origin: it is not trusted."""
        name = urlsplit(f"//{host}").hostname or ""
        return name in self._names or name.endswith(".localhost") or is_address(name)


def _turned_away(status: int, message: str, code: str, *, type_: str) -> Response:
    """Without waiting for the rest of what a stranger sends."""
    return error_response(status, message, code, type_=type_, headers={"connection": "close"})


class _Limited:
    """A body without a declared length is counted while it comes."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._left = limit

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise HTTPException(413, "the body is too large")
        return message


def _is_open(path: str) -> bool:
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDER)


def _is_same_origin(headers: Headers) -> bool:
    """A browser says whose page it is that asks; programs say nothing."""
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc == headers.get("host")
    except ValueError:  # an address that is none
        return False


def error_response(
    status: int, message: str, code: str, *, type_: str = "invalid_request_error", headers: dict[str, str] | None = None
) -> JSONResponse:
    """An error in the shape that clients of the OpenAI API read; other clients find the words in it."""
    error = {"message": message, "type": type_, "param": None, "code": code}
    return JSONResponse({"error": error}, status, headers)


async def answer_http_error(request: Request, error: Exception) -> Response:
    """Unknown paths, wrong methods and what dialects refuse."""
    assert isinstance(error, HTTPException)
    code = {404: "not_found", 405: "method_not_allowed", 413: "body_too_large"}.get(error.status_code, "bad_request")
    return error_response(error.status_code, error.detail, code, headers=dict(error.headers or {}))


async def answer_nobody(request: Request, error: Exception) -> Response:
    """The client left while its body was on its way."""
    return Response(status_code=CLIENT_LEFT)


async def answer_bug(request: Request, error: Exception) -> Response:
    """The traceback is in the log; the client only learns that there is one."""
    return error_response(500, "internal error", "internal_error", type_="server_error")


Handlers = dict[Any, Any]
ERROR_HANDLERS: Handlers = {
    HTTPException: answer_http_error,
    ClientDisconnect: answer_nobody,
    Exception: answer_bug,
}
