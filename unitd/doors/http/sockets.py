"""One message in, one message out: what every dialect does with a WebSocket.

A client that is no longer there is one exception, whichever way it went: uvicorn raises an error of its own for what is
sent behind a close that it decided on itself (a message too large, a ping without an answer).
"""

from typing import Any

import orjson
from starlette.websockets import WebSocket, WebSocketDisconnect

ABNORMAL_CLOSURE = 1006


async def receive(ws: WebSocket) -> str | bytes:
    """The next message.

    Raises:
        WebSocketDisconnect: the client has left.
    """
    message = await ws.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1005), message.get("reason"))
    text, data = message.get("text"), message.get("bytes")
    return data or b"" if text is None else text


async def send(ws: WebSocket, message: dict[str, Any]) -> None:
    """Sends one JSON object.

    Raises:
        WebSocketDisconnect: the client has left.
    """
    await send_text(ws, orjson.dumps(message).decode())


async def send_text(ws: WebSocket, text: str) -> None:
    """Sends one message as it is.

    Raises:
        WebSocketDisconnect: the client has left.
    """
    try:
        await ws.send_text(text)
    except RuntimeError as error:
        raise WebSocketDisconnect(ABNORMAL_CLOSURE) from error


async def close(ws: WebSocket, code: int) -> None:
    """Says goodbye.

    Raises:
        WebSocketDisconnect: the client has left.
    """
    try:
        await ws.close(code)
    except RuntimeError as error:
        raise WebSocketDisconnect(ABNORMAL_CLOSURE) from error


def object_in(message: str | bytes) -> dict[str, Any] | None:
    """The JSON object of a text message; None for everything else."""
    if isinstance(message, bytes):
        return None
    try:
        value = orjson.loads(message)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None
