"""Covers unitd.doors.http.sockets: a client that is gone is one exception, whichever way it went."""

import pytest
from starlette.types import Message
from starlette.websockets import WebSocket, WebSocketDisconnect

from unitd.doors.http.sockets import close, object_in, receive, send


class ClosingServer:
    """A server that closes a socket on its own: what is sent behind that is an error, as uvicorn has it."""

    def __init__(self) -> None:
        self.is_closed = False
        self.sent: list[Message] = []

    async def receive(self) -> Message:
        """What the server tells its application."""
        return {"type": "websocket.disconnect" if self.is_closed else "websocket.connect", "code": 1009}

    async def send(self, message: Message) -> None:
        """What the application says."""
        if self.is_closed:
            raise RuntimeError("Unexpected ASGI message")
        self.sent.append(message)


@pytest.fixture
def server() -> ClosingServer:
    """A server with an open socket."""
    return ClosingServer()


@pytest.fixture
async def socket(server: ClosingServer) -> WebSocket:
    """The application's side of it."""
    ws = WebSocket({"type": "websocket"}, server.receive, server.send)
    await ws.accept()
    return ws


async def test_a_message_is_one_json_object(server: ClosingServer, socket: WebSocket) -> None:
    """As text."""
    await send(socket, {"status": "pong"})

    assert server.sent[-1] == {"type": "websocket.send", "text": '{"status":"pong"}'}


async def test_what_is_sent_behind_the_servers_own_close_finds_nobody(server: ClosingServer, socket: WebSocket) -> None:
    """The same exception as for a client that left."""
    server.is_closed = True

    with pytest.raises(WebSocketDisconnect):
        await send(socket, {"status": "pong"})
    with pytest.raises(WebSocketDisconnect):
        await close(socket, 1000)
    with pytest.raises(WebSocketDisconnect) as left:
        await receive(socket)

    assert left.value.code == 1009


@pytest.mark.parametrize("message", ["hello", "[]", "{broken}", "", '{"a": "\\ud800"}', b'{"a": 1}'])
def test_only_a_text_can_be_an_object(message: str | bytes) -> None:
    """Everything else is none."""
    assert object_in(message) is None
    assert object_in('{"a": 1}') == {"a": 1}
