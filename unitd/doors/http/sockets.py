"""Receiving and sending messages of a WebSocket, for all dialects.

A client that is gone raises WebSocketDisconnect in all cases: uvicorn has another error for messages after a close of
its own (for a message that is too large, or a ping without an answer).
"""

import logging
import re
from typing import Any

import orjson
from starlette.websockets import WebSocket, WebSocketDisconnect

from unitd.core.access.grants import SHOWN_TOKEN
from unitd.wire.errors import TooLong
from unitd.wire.framing import DEFAULT_LIMIT_BYTES
from unitd.wire.reading import read_json

log = logging.getLogger("unitd.doors")

Message = dict[str, Any]

# Close codes of RFC 6455 and of IANA's list.
NORMAL_CLOSURE = 1000
NO_STATUS = 1005
ABNORMAL_CLOSURE = 1006
POLICY_VIOLATION = 1008
TRY_AGAIN_LATER = 1013

MAX_ECHO = 100
"""At most so many characters of a client's message are repeated in an error."""

# A recording in a message has megabytes.
_LOGGED_CHARACTERS = 1000
_TOKEN = re.compile(SHOWN_TOKEN)


async def receive(ws: WebSocket) -> str | bytes:
    """Return the next message.

    Raises:
        WebSocketDisconnect: the client has left.
    """
    message = await ws.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", NO_STATUS), message.get("reason"))
    text, data = message.get("text"), message.get("bytes")
    received = data or b"" if text is None else text
    _note("<", ws, received)
    return received


async def send(ws: WebSocket, message: Message) -> None:
    """Send one JSON object.

    Raises:
        WebSocketDisconnect: the client has left.
    """
    await send_text(ws, orjson.dumps(message).decode())


async def send_text(ws: WebSocket, text: str) -> None:
    """Send one message as it is.

    Raises:
        WebSocketDisconnect: the client has left.
    """
    _note(">", ws, text)
    try:
        await ws.send_text(text)
    except RuntimeError as error:
        raise WebSocketDisconnect(ABNORMAL_CLOSURE) from error


async def close(ws: WebSocket, code: int) -> None:
    """Close the socket.

    Raises:
        WebSocketDisconnect: the client has left.
    """
    try:
        await ws.close(code)
    except RuntimeError as error:
        raise WebSocketDisconnect(ABNORMAL_CLOSURE) from error


def object_in(message: str | bytes) -> Message | None:
    """Return the JSON object of a text message; None for every other message, and for one that is too large."""
    if isinstance(message, bytes):
        return None
    try:
        value = read_json(message, DEFAULT_LIMIT_BYTES)
    except (orjson.JSONDecodeError, TooLong):
        return None
    return value if isinstance(value, dict) else None


def _note(direction: str, ws: WebSocket, message: str | bytes) -> None:
    """Log the beginning of a message at DEBUG, without a token that it may contain."""
    if log.isEnabledFor(logging.DEBUG):
        peer = f"{ws.client.host}:{ws.client.port}" if ws.client else "?"
        beginning = str(message[:_LOGGED_CHARACTERS])
        log.debug("%s ws %s %s", direction, peer, _TOKEN.sub(r"\1…", beginning))
