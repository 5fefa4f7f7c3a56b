"""The page at `/`: static files of this package.

A name is looked up among the existing files, so no path of a request ever reaches the disk. The files are read once, in
a thread, at the first request. Browsers ask for each file again (no-cache) and get a 304 while it has not changed, so
an updated daemon is never used with an old page. The Content-Security-Policy allows the daemon's own files and sockets,
and the one inline script, the import map, by its hash.
"""

import asyncio
import base64
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from unitd.doors.http.context import HttpContext

STATIC = Path(__file__).parent / "static"
INDEX = "index.html"

# The machine's own table of types may lack some of these, or have other names for them.
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".LICENSE": "text/plain; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
}

_IMPORT_MAP = re.compile(rb'<script type="importmap">(.*?)</script>', re.DOTALL)


@dataclass(frozen=True)
class _File:
    content: bytes
    type: str
    etag: str


def routes(_: HttpContext) -> list[BaseRoute]:
    """Return the routes of the page; they need no key, because the page asks for the key."""
    return [Route("/", _index, methods=["GET"]), Route("/static/{name:path}", _static, methods=["GET"])]


async def _index(request: Request) -> Response:
    return await _answer(request, INDEX)


async def _static(request: Request) -> Response:
    return await _answer(request, request.path_params["name"])


async def _answer(request: Request, name: str) -> Response:
    files = await asyncio.to_thread(_files)
    if (file := files.get(name)) is None:
        return PlainTextResponse("not found", 404)
    headers = _headers() | {"etag": file.etag, "cache-control": "no-cache"}
    if file.etag in request.headers.get("if-none-match", "").split(", "):
        return Response(status_code=304, headers=headers)
    return Response(file.content, headers=headers, media_type=file.type)


@cache
def _files() -> dict[str, _File]:
    """Return every file of the page, by its name below `/static/`."""
    found = (path for path in sorted(STATIC.rglob("*")) if path.suffix in TYPES)
    return {path.relative_to(STATIC).as_posix(): _read(path) for path in found}


def _read(path: Path) -> _File:
    content = path.read_bytes()
    etag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    return _File(content, TYPES[path.suffix], etag)


@cache
def _headers() -> dict[str, str]:
    """Return headers that let the page run these files, talk to this daemon, show pictures that the user chose, and use
    microphone and camera, nothing else."""
    scripts = " ".join(f"'sha256-{_hash(script)}'" for script in _IMPORT_MAP.findall(_files()[INDEX].content))
    policy = (
        f"default-src 'none'; script-src 'self' {scripts}; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return {
        "content-security-policy": policy,
        "permissions-policy": "microphone=(self), camera=(self), geolocation=()",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
    }


def _hash(script: bytes) -> str:
    return base64.b64encode(hashlib.sha256(script).digest()).decode()
