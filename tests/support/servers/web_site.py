"""A web server with an image, which answers well or badly by the path that it is asked for."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.support.pictures import file_of, square

RED = file_of(square())


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Answer by the path."""
        site = self.server
        assert isinstance(site, Site)
        site.hosts.append(self.headers["Host"])
        name, _, rest = self.path.strip("/").partition("/")
        if name == "to":
            self._answer(302, b"", {"Location": rest})
        elif name == "endless":
            self._answer(302, b"", {"Location": "/endless"})
        elif name == "missing":
            self._answer(404, b"no")
        elif name == "large":
            self._write_until_the_client_leaves()
        elif name == "slow":
            site.is_over.wait(10)
        elif name == "packed":
            self._answer(200, RED, {"Content-Encoding": "gzip"})
        else:
            self._answer(200, RED, {"Content-Type": "image/png"})

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for key, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def _write_until_the_client_leaves(self) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                self.wfile.write(bytes(1 << 16))
        except ConnectionError:
            pass

    def log_message(self, format: str, *arguments: object) -> None:
        """Print nothing."""


class Site(ThreadingHTTPServer):
    """The server; `hosts` has the name by which each request called it."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.hosts: list[str] = []
        self.is_over = threading.Event()

    @property
    def port(self) -> int:
        """Return its port, on 127.0.0.1."""
        return self.server_port


@contextmanager
def web_site() -> Iterator[Site]:
    """Run the server."""
    site = Site()
    thread = threading.Thread(target=site.serve_forever)
    thread.start()
    try:
        yield site
    finally:
        site.is_over.set()
        site.shutdown()
        thread.join()
        site.server_close()
