"""Covers unitd.runtime.sys.board: files that clients push and pull, and what they may not reach."""

import base64
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.clients.wire_client import WireClient, ask_sys
from tests.support.daemon import running_app
from unitd.app import App

CONTENT = bytes(range(256)) * 10
BASE64 = base64.b64encode(CONTENT).decode()


@pytest.fixture
async def daemon(tmp_path: Path, no_blocking: None) -> AsyncIterator[App]:
    """A daemon with its state in `tmp_path / "state"`; what lies beside it is none of its own."""
    async with running_app(tmp_path / "state") as app:
        yield app


@pytest.fixture
def files(tmp_path: Path, daemon: App) -> Path:
    """Where pushed files lie."""
    return tmp_path / "state" / "files"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that is none of the daemon's."""
    path = tmp_path / "secret"
    path.write_text("nobody's business")
    return path


# Push


async def test_pushed_text_arrives(client: WireClient, files: Path) -> None:
    """The reply carries the checksum of what was written."""
    reply = await ask_sys(client, "push", object="sys.file./notes/today.txt", data="good weather ☀")

    content = (files / "notes" / "today.txt").read_bytes()
    assert content.decode() == "good weather ☀"
    assert reply["error"] == {"code": 0, "message": f"sha256:{hashlib.sha256(content).hexdigest()}"}


@pytest.mark.parametrize("name", ["data.bin", "utf-8.bin", "stream.base64"])
async def test_pushed_base64_arrives(client: WireClient, files: Path, name: str) -> None:
    """Bytes stay bytes, whatever the file is called."""
    reply = await ask_sys(client, "push", object=f"sys.base64.file./{name}", data=BASE64)

    assert reply["error"] == {"code": 0, "message": f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"}
    assert (files / name).read_bytes() == CONTENT


async def test_streamed_push_is_answered_once_at_its_end(client: WireClient, files: Path) -> None:
    """Chunks are joined by number, not by spelling: 10 comes behind 2."""
    chunks = [BASE64[at : at + 100] for at in range(0, len(BASE64), 100)]
    for index, chunk in enumerate(chunks):
        data = {"delta": chunk, "index": index, "finish": index == len(chunks) - 1}
        await client.send(
            request_id="push", work_id="sys", action="push", object="sys.base64.stream.file./data", data=data
        )

    reply = await client.receive()

    assert reply["error"] == {"code": 0, "message": f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"}
    assert (files / "data").read_bytes() == CONTENT


async def test_pushed_raw_bytes_arrive(client: WireClient, files: Path) -> None:
    """A RAW header may carry a file, too."""
    header = b'{"RAW":%d,"request_id":"1","work_id":"sys","action":"push","object":"sys.file./raw"}' % len(CONTENT)

    await client.send_bytes(header + CONTENT)

    assert (await client.receive())["error"]["code"] == 0
    assert (files / "raw").read_bytes() == CONTENT


async def test_push_replaces_a_file(client: WireClient, files: Path) -> None:
    """Pushing again writes the whole file anew."""
    await ask_sys(client, "push", object="sys.file./x", data="a long text")

    await ask_sys(client, "push", object="sys.file./x", data="short")

    assert (files / "x").read_text() == "short"
    assert [each.name for each in files.iterdir()] == ["x"]


# Pull


async def test_pulled_file_is_base64(client: WireClient, files: Path) -> None:
    """One reply with the whole file."""
    (files / "data").write_bytes(CONTENT)

    reply = await ask_sys(client, "pull", object="sys.file./data")

    assert (reply["object"], reply["data"]) == ("sys.base64.stream", BASE64)


async def test_streamed_pull_comes_in_the_originals_chunks(client: WireClient, files: Path) -> None:
    """Frames of 1024 characters, then an empty one that ends it."""
    (files / "data").write_bytes(CONTENT)

    asked = await client.send(work_id="sys", action="pull", object="sys.stream.file./data")

    frames = await client.frames(asked)
    assert "".join(frame["data"]["delta"] for frame in frames) == BASE64
    assert [len(frame["data"]["delta"]) for frame in frames] == [1024, 1024, 1024, len(BASE64) - 3072, 0]
    assert [frame["data"]["index"] for frame in frames] == [0, 1, 2, 3, 4]
    assert {frame["object"] for frame in frames} == {"sys.base64.stream"}


async def test_streamed_pull_of_an_empty_file_is_one_frame(client: WireClient, files: Path) -> None:
    """Nothing to say is said with one finish."""
    (files / "empty").touch()

    asked = await client.send(work_id="sys", action="pull", object="sys.stream.file./empty")

    assert [frame["data"] for frame in await client.frames(asked)] == [{"delta": "", "finish": True, "index": 0}]


# Other people's files


@pytest.mark.parametrize(
    "name", ["/nowhere", "/no/where", "/../../secret", "/sub/../../../secret", "", "/", "/..", "/.", "/x\0y"]
)
async def test_pull_of_no_file_is_minus_17(client: WireClient, files: Path, secret: Path, name: str) -> None:
    """Missing files, folders, and whatever lies outside."""
    reply = await ask_sys(client, "pull", object=f"sys.file.{name}")

    assert reply["error"]["code"] == -17
    assert reply["data"] == "None"


async def test_absolute_path_is_one_inside_the_files(client: WireClient, files: Path, secret: Path) -> None:
    """`/x` means files/x, so a real path of the machine leads nowhere."""
    reply = await ask_sys(client, "pull", object=f"sys.file.{secret}")

    assert reply["error"]["code"] == -17
    assert "file does not exist." in reply["error"]["message"]


async def test_pull_through_a_symlink_is_refused(client: WireClient, files: Path, secret: Path) -> None:
    """A link in the folder opens no door out of it."""
    (files / "link").symlink_to(secret)

    assert (await ask_sys(client, "pull", object="sys.file./link"))["error"]["code"] == -17


@pytest.mark.parametrize("name", ["/../outside", "/sub/../../outside", "/link/outside", "", "/", "/.", "/x\0y"])
async def test_push_to_outside_is_refused(client: WireClient, tmp_path: Path, files: Path, name: str) -> None:
    """Nothing is written anywhere but below the files directory."""
    (files / "link").symlink_to(tmp_path)

    reply = await ask_sys(client, "push", object=f"sys.file.{name}", data="evil")

    assert reply["error"]["code"] == -17
    assert not list(tmp_path.rglob("outside*"))


@pytest.mark.parametrize("name", ["/taken/below", "/folder", "/" + "x" * 300])
async def test_push_to_an_impossible_place_is_minus_17(client: WireClient, files: Path, name: str) -> None:
    """Below a file, over a folder, under a name that no disk takes."""
    (files / "taken").touch()
    (files / "folder").mkdir()

    reply = await ask_sys(client, "push", object=f"sys.file.{name}", data="text")

    assert reply["error"]["code"] == -17


async def test_push_without_data_is_minus_24(client: WireClient, files: Path) -> None:
    """Nothing to write is refused, not written."""
    reply = await ask_sys(client, "push", object="sys.file./x")

    assert reply["error"]["code"] == -24
    assert list(files.iterdir()) == []
