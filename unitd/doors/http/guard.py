"""Checks before all dialects: keys, origins, host names, and the size of bodies."""

import asyncio
import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from unitd.core.access.grants import STRANGER, TRUSTED, Grant, Role, is_address
from unitd.doors.http.auth import GRANT, REFUSAL, admit
from unitd.doors.http.errors import error_response
from unitd.doors.unfinished import Unfinished
from unitd.runtime.sys.access import Access
from unitd.wire.errors import NotAllowed, Unavailable

OPEN_PATHS = frozenset({"/", "/health", "/healthz"})
"""Paths that need no key: probes of service managers, and the page, which asks for the key itself."""
OPEN_FOLDER = "/static/"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
KEY_IS_MISSING = "Give a valid API key: 'api_key' in the query, or an 'X-API-Key' or 'Authorization: Bearer' header."

_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[\w.\-]*)(?::\d{0,5})?")
"""A name or an address, and a port; RFC 9110 allows a few more characters, which no machine has in its name."""

BODY_SECONDS = 120.0
"""From a request's head to the end of its body, which may be large and come over a slow line."""


class Guard:
    """ASGI middleware. Only the key of a WebSocket is checked elsewhere: its dialect refuses it in its own words."""

    def __init__(
        self, app: ASGIApp, access: Access, body_bytes: int, names: frozenset[str], unfinished: Unfinished
    ) -> None:
        """Make the middleware; `names` are the names of this machine."""
        self._names = names
        self._unfinished = unfinished
        self._app = app
        self._access = access
        self._body_bytes = body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
        elif (refusal := self._refusal(scope)) is not None:
            await refusal(scope, receive, send)
        elif scope["type"] == "http":
            body = _Body(receive, self._limit_of(scope[GRANT]), self._unfinished, f"http {scope['client'][0]}")
            try:
                await self._app(scope, body, send)
            finally:
                body.close()
        else:
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        is_socket = scope["type"] == "websocket"
        if not _HOST.fullmatch(headers.get("host", "")):
            words = error_response(400, "the Host header holds no name or address", "bad_request")
            return WebSocketClose() if is_socket else words
        if (is_socket or scope["method"] not in SAFE_METHODS) and not _is_same_origin(headers):
            # A close is a 403, too; after a refusal in words to a handshake uvicorn would log an error of its own.
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
        if scope[GRANT].role is Role.OBSERVE and scope["method"] not in SAFE_METHODS:
            return error_response(403, "this is not for the role 'observe'", "not_allowed")
        limit = self._limit_of(scope[GRANT])
        if int(headers.get("content-length") or 0) > limit:
            return error_response(413, f"a body may have {limit} bytes", "body_too_large")
        return None

    def _limit_of(self, grant: Grant) -> int:
        """Return the size limit of a body: the door's, or less where the client's token says so."""
        return min(self._body_bytes, grant.limits.frame_bytes or self._body_bytes)

    def _is_own(self, host: str) -> bool:
        """Return True for a name of this machine. A web page whose own name resolves to it has the same origin, but is
        not trusted."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:  # the brackets hold no address
            return False
        return name in self._names or name.endswith(".localhost") or is_address(name)


def _turned_away(status: int, message: str, code: str, *, type_: str) -> Response:
    """Return an error after which the connection ends, without waiting for the rest of the request."""
    return error_response(status, message, code, type_=type_, headers={"connection": "close"})


class _Body:
    """The `receive` of a request whose body has a size limit, a time limit, and a share in the budget of all bodies."""

    def __init__(self, receive: Receive, limit: int, unfinished: Unfinished, name: str) -> None:
        self.holder_name = name
        self._receive = receive
        self._limit = limit
        self._unfinished = unfinished
        self._size = 0
        self._is_complete = False
        self._is_given_up = False
        self._deadline = asyncio.get_running_loop().time() + BODY_SECONDS
        self._patience: asyncio.Timeout | None = None

    async def __call__(self) -> Message:
        """Receive the next piece; after the last piece comes only the disconnection of the client."""
        if self._is_complete:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline) as self._patience:
                message = await self._receive()
        except TimeoutError:
            message = {}
        self._patience = None
        self._size += len(message.get("body", b""))
        self._is_complete = not message.get("more_body", False)
        self._unfinished.hold(self, 0 if self._is_complete else self._size)
        if self._is_given_up:
            raise HTTPException(503, "too much is being sent at the same time; try again", {"retry-after": "1"})
        if not message:
            raise HTTPException(408, f"the body did not end within {BODY_SECONDS:g} s", {"connection": "close"})
        if self._size > self._limit:
            self.close()
            raise HTTPException(413, f"a body may have {self._limit} bytes")
        return message

    def give_up_unfinished(self) -> None:
        """Make the pending or next `receive` fail with status 503."""
        self._is_given_up = True
        if self._patience is not None and not self._patience.expired():
            self._patience.reschedule(0.0)

    def close(self) -> None:
        """Release the budget: the request is over."""
        self._is_complete = True
        self._unfinished.hold(self, 0)


def _is_open(path: str) -> bool:
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDER)


def _is_same_origin(headers: Headers) -> bool:
    """Return False for a page of another site. Browsers send the origin of a page; other programs send none."""
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc == headers.get("host")
    except ValueError:  # the origin is no valid address
        return False
