"""A slow language model: a server of the OpenAI protocol that sends one word after the other.

The bundled model has answered before a button can be pressed.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WORDS_PER_SECOND = 25
MOST_WORDS = 1000


class _Teller(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Send numbered words until the client hangs up or the server stops."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        assert isinstance(server, Teller)
        server.asked.append(body)  # before the headers: a client tells of its request as soon as it has them
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            for number in range(1, MOST_WORDS):
                self._say({"choices": [{"index": 0, "delta": {"content": f"word{number} "}, "finish_reason": None}]})
                if server.is_over.wait(1 / WORDS_PER_SECOND):
                    return
            self.wfile.write(b"data: [DONE]\n\n")
        except ConnectionError:
            pass  # the client has hung up: an interrupt

    def _say(self, chunk: object) -> None:
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.flush()

    def log_message(self, format: str, *arguments: object) -> None:
        """Print nothing."""


class Teller(ThreadingHTTPServer):
    """The server; `asked` holds the body of each request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Teller)
        self.asked: list[dict[str, Any]] = []
        self.is_over = threading.Event()

    @property
    def url(self) -> str:
        """Return the base URL."""
        return f"http://127.0.0.1:{self.server_port}/v1"


@contextmanager
def story_teller() -> Iterator[Teller]:
    """Run the server in a thread."""
    server = Teller()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.is_over.set()
        server.shutdown()
        server.server_close()
        thread.join()
