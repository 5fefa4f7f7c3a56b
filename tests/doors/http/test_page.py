"""Covers unitd.doors.http.page: the files of the page, their types, what a browser may do with them."""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from unitd.doors.http.page import STATIC

OWN_FILES = sorted(path for path in STATIC.glob("*") if path.is_file())
FROM_ELSEWHERE = re.compile(r"""(?:src|href|import|from|fetch|url)\s*[(=]?\s*["'(](?:https?:)?//""")

LISTED = re.compile(r"^\| `([^`]+)` \|.*`([0-9a-f]{64})` \|$", re.MULTILINE)


@pytest.fixture
async def http(address: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the daemon's HTTP door."""
    async with httpx.AsyncClient(base_url=f"http://{address}") as client:
        yield client


async def test_the_page_is_at_the_root(http: httpx.AsyncClient) -> None:
    """A document that names its parts."""
    answer = await http.get("/")

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert '<script type="module" src="/static/app.js">' in answer.text


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("app.js", "text/javascript; charset=utf-8"),
        ("vendor/preact.js", "text/javascript; charset=utf-8"),
        ("style.css", "text/css; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
        ("vendor/uplot.LICENSE", "text/plain; charset=utf-8"),
    ],
)
async def test_every_file_has_its_type(http: httpx.AsyncClient, name: str, type_: str) -> None:
    """Browsers run no module that is called something else."""
    answer = await http.get(f"/static/{name}")

    assert answer.headers["content-type"] == type_
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.content == (STATIC / name).read_bytes()


async def test_a_file_that_has_not_changed_is_not_sent_again(http: httpx.AsyncClient) -> None:
    """The browser asks each time, and is told 304."""
    first = await http.get("/static/app.js")

    again = await http.get("/static/app.js", headers={"If-None-Match": first.headers["etag"]})

    assert first.headers["cache-control"] == "no-cache"
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/static/../page.py",
        "/static/%2e%2e/page.py",
        "/static/..%2fpage.py",
        "/static//etc/passwd",
        "/static/",
        "/app.js",
    ],
)
async def test_no_path_leads_out_of_the_folder(address: str, path: str) -> None:
    """Asked for as it stands, by a client that cleans no path."""
    host, port = address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))

    writer.write(f"GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()

    assert answer.startswith(b"HTTP/1.1 404 ")


async def test_the_policy_allows_the_page_s_own_files_and_nothing_else(http: httpx.AsyncClient) -> None:
    """No inline script but the import map, no eval, no other host, no frame around it."""
    policy = (await http.get("/")).headers["content-security-policy"]

    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["frame-ancestors"] == rules["base-uri"] == "'none'"
    assert re.fullmatch(r"'self' 'sha256-[\w+/=]+'", rules["script-src"])
    assert {rules[each] for each in ("style-src", "connect-src")} == {"'self'"}
    assert rules["img-src"] == "'self' data:"  # pictures that are shown to a model


@pytest.mark.parametrize("path", OWN_FILES, ids=lambda path: path.name)
def test_nothing_is_loaded_from_elsewhere(path: Path) -> None:
    """A board may have no way to the internet."""
    assert FROM_ELSEWHERE.search(path.read_text()) is None


def test_vendored_files_are_what_their_list_says() -> None:
    """Unchanged, each with its licence, none that is not in the list."""
    listed = dict(LISTED.findall((STATIC / "vendor/README.md").read_text()))

    found = [path for path in (STATIC / "vendor").iterdir() if path.suffix in (".js", ".css")]

    assert {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in found} == listed
    assert {path.stem for path in (STATIC / "vendor").glob("*.LICENSE")} == {"preact", "htm", "uplot"}
