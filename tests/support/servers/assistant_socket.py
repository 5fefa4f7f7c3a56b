"""The WebSocket of a stand-in for Home Assistant: what it answers, message by message, as version 2025.4.4 does."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import orjson
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

# A test that reads the log looks for what the client writes, not for the server's copy of it.
_log = logging.getLogger("tests.assistant_socket")
_log.setLevel(logging.WARNING)

Answer = Callable[[str, dict[str, Any]], Any]
"""Returns the result of a command with these fields; raises CommandError."""


class CommandError(Exception):
    """The code with which a command is refused."""


class Session:
    """What Home Assistant sends to one client."""

    def __init__(self, token: str, answer: Answer) -> None:
        self.first: dict[str, Any] = {"type": "auth_required", "ha_version": "2025.4.4"}
        self._token, self._answer = token, answer
        self.is_over = False
        self._is_authenticated = False

    def answer_to(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a message; after a wrong token it is the last one."""
        if not self._is_authenticated:
            self._is_authenticated = message == {"type": "auth", "access_token": self._token}
            self.is_over = not self._is_authenticated
            if self.is_over:
                return {"type": "auth_invalid", "message": "Invalid access token or password"}
            return {"type": "auth_ok", "ha_version": "2025.4.4"}
        number, command = message.pop("id"), message.pop("type")
        try:
            result = self._answer(command, message)
        except CommandError as error:
            refusal = {"code": str(error), "message": "Refused."}
            return {"id": number, "type": "result", "success": False, "error": refusal}
        return {"id": number, "type": "result", "success": True, "result": result}


async def serve_socket(
    head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session | None
) -> None:
    """Serve the client that has sent this request, until either side ends the connection; None is silent."""
    protocol = ServerProtocol(max_size=None, logger=_log)
    protocol.receive_data(head)
    while True:
        for event in protocol.events_received():
            if isinstance(event, Request):
                protocol.send_response(protocol.accept(event))
                if session is not None:
                    protocol.send_text(orjson.dumps(session.first))
            elif isinstance(event, Frame) and event.opcode is Opcode.TEXT and session is not None:
                protocol.send_text(orjson.dumps(session.answer_to(orjson.loads(event.data))))
        writer.writelines(protocol.data_to_send())
        await writer.drain()
        if protocol.close_expected() or (session is not None and session.is_over):
            return
        if not (data := await reader.read(65536)):
            return
        protocol.receive_data(data)
