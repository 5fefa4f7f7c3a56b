"""Covers unitd.doors.http.sockets: a client that is gone is one exception, whichever way it went."""

import logging

import pytest
from starlette.types import Message
from starlette.websockets import WebSocket, WebSocketDisconnect

from unitd.doors.http.sockets import close, object_in, receive, send


class ClosingServer:
    """A server that closes a socket on its own: what is sent behind that is an error, as uvicorn has it."""

    def __init__(self) -> None:
        self.is_closed = False
        self.heard: list[Message] = [{"type": "websocket.connect"}]
        self.sent: list[Message] = []

    async def receive(self) -> Message:
        """What the server tells its application."""
        return {"type": "websocket.disconnect", "code": 1009} if self.is_closed else self.heard.pop(0)

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
    """Every message is sent as a text frame."""
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


async def test_messages_are_in_the_debug_log(
    server: ClosingServer, socket: WebSocket, caplog: pytest.LogCaptureFixture
) -> None:
    """Their beginnings; the token that one of them shows is not."""
    caplog.set_level(logging.DEBUG)
    auth = '{"work_id":"sys","action":"auth","data":{"token": "unitd_1_se\\"cret"}}'
    server.heard += [{"type": "websocket.receive", "text": auth}, {"type": "websocket.receive", "bytes": b"\0" * 5000}]

    await receive(socket)
    await receive(socket)
    await send(socket, {"status": "pong"})

    shown, audio, reply = (record.message for record in caplog.records)
    assert shown == '< ws ? {"work_id":"sys","action":"auth","data":{"token": "…"}}'
    assert len(audio) < 5000
    assert reply == '> ws ? {"status":"pong"}'
