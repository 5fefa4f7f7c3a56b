"""A hub of models on this machine that speaks the hub's protocol and can be told to behave badly.

A large file is answered with the hub's headers and a redirect to another port, the "CDN", which knows Range. A small
file is answered at once, with git's hash as its etag. `/release/…` is a page of releases, without a hub's headers.
"""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
BLOCK = 16 * 1024


@dataclass
class HubFile:
    """One file of a repository; `says_…` replaces what the hub would say of it."""

    content: bytes
    is_large: bool = True
    says_etag: str = ""
    says_size: int = 0

    @property
    def etag(self) -> str:
        """Return the etag as the hub computes it, or `says_etag`."""
        if self.says_etag:
            return self.says_etag
        if self.is_large:
            return hashlib.sha256(self.content).hexdigest()
        return hashlib.sha1(b"blob %d\0" % len(self.content) + self.content).hexdigest()

    @property
    def size(self) -> int:
        """Return the announced size."""
        return self.says_size or len(self.content)


@dataclass(frozen=True)
class Seen:
    """One request."""

    method: str
    path: str
    first: int
    token: str


@dataclass
class LocalHub:
    """The files of the hub, how it behaves, and the requests that came."""

    files: dict[str, HubFile] = field(default_factory=dict)
    """By repository and path, `me/model/x.gguf`, or by address, `release/x.tar.bz2`."""

    moved: dict[str, str] = field(default_factory=dict)
    token: str = ""
    knows_range: bool = True
    is_a_hub: bool = True
    cuts: list[int] = field(default_factory=list)
    """After how many bytes each of the next bodies is cut off."""

    answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    """Status and headers that answer the next requests, whatever they ask for."""

    holds_at: int = -1
    """No body goes beyond this byte of its file until `released`."""

    released: threading.Event = field(default_factory=threading.Event)
    seen: list[Seen] = field(default_factory=list)
    sent: int = 0
    """How many bytes of files have been sent."""

    url: str = ""
    cdn_url: str = ""

    def gets(self, part: str) -> list[Seen]:
        """Return the GET requests whose path contains this."""
        return [each for each in self.seen if each.method == "GET" and part in each.path]


@contextmanager
def local_hub() -> Iterator[LocalHub]:
    """Run the hub and its CDN on free ports."""
    hub = LocalHub()
    front, cdn = (ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(hub)) for _ in range(2))
    hub.url, hub.cdn_url = (f"http://127.0.0.1:{server.server_port}" for server in (front, cdn))
    threads = [threading.Thread(target=server.serve_forever, args=(0.01,)) for server in (front, cdn)]
    for thread in threads:
        thread.start()
    try:
        yield hub
    finally:
        hub.released.set()
        for server in (front, cdn):
            server.shutdown()
            server.server_close()
        for thread in threads:
            thread.join()


def _handler_of(the_hub: LocalHub) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        hub = the_hub

    return Handler


class _Handler(BaseHTTPRequestHandler):
    hub: LocalHub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._serve()

    def do_GET(self) -> None:
        with suppress(ConnectionError):
            self._serve()

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""

    def _serve(self) -> None:
        path = urlsplit(self.path).path.lstrip("/")
        first = int(self.headers.get("Range", "bytes=0-")[6:-1])
        self.hub.seen.append(Seen(self.command, path, first, self.headers.get("Authorization", "")))
        if self.hub.answers:
            status, headers = self.hub.answers.pop(0)
            self._answer(status, headers)
        elif "/resolve/" in path:
            self._resolve(path)
        elif file := self.hub.files.get(path.removeprefix("cdn/")):
            self._body(file, first, {})
        else:
            self._answer(404, {})

    def _resolve(self, path: str) -> None:
        repository, _, rest = path.partition("/resolve/")
        file = self.hub.files.get(f"{repository}/{rest.partition('/')[2]}")
        if repository in self.hub.moved:
            self._answer(307, {"Location": f"/{self.hub.moved[repository]}/resolve/{rest}"})
        elif self.hub.token and self.headers.get("Authorization") != f"Bearer {self.hub.token}":
            status = 403 if "Authorization" in self.headers else 401
            self._answer(status, {"X-Error-Code": "GatedRepo"})
        elif file is None:
            self._answer(404, {"X-Error-Code": "EntryNotFound"})
        elif file.is_large:
            location = f"{self.hub.cdn_url}/cdn/{repository}/{rest.partition('/')[2]}"
            linked = {"X-Linked-Etag": f'"{file.etag}"', "X-Linked-Size": str(file.size), "Location": location}
            self._answer(302, self._commit() | linked)
        else:
            self._body(file, self.hub.seen[-1].first, self._commit() | {"ETag": f'"{file.etag}"'})

    def _commit(self) -> dict[str, str]:
        return {"X-Repo-Commit": COMMIT} if self.hub.is_a_hub else {}

    def _answer(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in (headers | {"Content-Length": "0"}).items():
            self.send_header(name, value)
        self.end_headers()

    def _body(self, file: HubFile, first: int, headers: dict[str, str]) -> None:
        length = len(file.content)
        first = first if self.hub.knows_range else 0
        if first >= length > 0:
            self._answer(416, {"Content-Range": f"bytes */{length}"})
            return
        self.send_response(206 if first else 200)
        for name, value in headers.items():
            self.send_header(name, value)
        if first:
            self.send_header("Content-Range", f"bytes {first}-{length - 1}/{length}")
        self.send_header("Content-Length", str(length - first))
        self.end_headers()
        if self.command == "GET":
            self._send(file.content, first)

    def _send(self, content: bytes, first: int) -> None:
        """Block by block; a body that is to be cut ends the connection."""
        cut = self.hub.cuts.pop(0) if self.hub.cuts else len(content)
        end = min(len(content), first + cut)
        while first < end:
            if first == self.hub.holds_at:
                self.hub.released.wait(20)
            stop = min(first + BLOCK, end, self.hub.holds_at if first < self.hub.holds_at else end)
            self.wfile.write(content[first:stop])
            self.hub.sent += stop - first
            first = stop
        self.close_connection = end < len(content)
