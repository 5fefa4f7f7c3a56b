"""Covers outbox: clients that do not read."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.waiting import eventually
from unitd.app import App
from unitd.doors.stream.client import StreamClient
from unitd.runtime.metrics import Metrics
from unitd.wire.messages import Reply
from unitd.wire.session import Session

LIMIT_BYTES = 1000
DELTA = Reply("1", "llm.1000", data={"delta": "x" * 100, "finish": False, "index": 0}, is_droppable=True)
FINISH = Reply("1", "llm.1000", data={"delta": "", "finish": True, "index": 9})
ANSWER = Reply("2", "sys", message="an answer")


class SlowTransport(asyncio.Transport):
    """A line that takes everything and sends nothing until `drain`."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[bytes] = []
        self.unread = 0
        self.is_aborted = False
        self.is_read = True

    def pause_reading(self) -> None:
        """Nobody takes what the other end writes."""
        self.is_read = False

    def resume_reading(self) -> None:
        """Somebody does."""
        self.is_read = True

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Keeps a line."""
        self.lines.append(bytes(data))
        self.unread += len(data)

    def drain(self) -> None:
        """The other end reads everything."""
        self.unread = 0

    def get_write_buffer_size(self) -> int:
        """What waits."""
        return self.unread

    def abort(self) -> None:
        """Hangs up at once."""
        self.is_aborted = True

    def is_closing(self) -> bool:
        """True after `abort`."""
        return self.is_aborted


@pytest.fixture
def line() -> SlowTransport:
    """A line at whose other end nobody reads."""
    return SlowTransport()


def an_outbox(line: SlowTransport, *, is_lossy: bool) -> StreamClient:
    """An outbox on that line."""
    outbox = StreamClient(
        name="the client",
        door="test",
        session=Session(),
        frame_bytes=1024,
        clock=lambda: 0,
        limit_bytes=LIMIT_BYTES,
        metrics=Metrics(),
        is_lossy=is_lossy,
    )
    outbox.attach(line)
    return outbox


def send_many(outbox: StreamClient, reply: Reply, count: int) -> None:
    """The same reply, over and over."""
    for _ in range(count):
        outbox.send(reply)


@pytest.fixture
async def daemon(tmp_path: Path, no_blocking: None, caplog: pytest.LogCaptureFixture) -> AsyncIterator[App]:
    """A daemon that keeps 64 KiB for a client, and a file of 4 MiB to pull."""
    caplog.set_level(logging.INFO)
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "big").write_bytes(bytes(4 * 1024 * 1024))
    async with running_app(tmp_path, {"limits": {"outbox_bytes": 64 * 1024}}) as app:
        yield app


@pytest.fixture
async def deaf_client(daemon: App) -> AsyncIterator[WireClient]:
    """A client with small buffers, so that what it does not read waits in the daemon."""
    plug = socket.socket()
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    plug.setblocking(False)
    await asyncio.get_running_loop().sock_connect(plug, tuple(daemon.endpoints["tcp"]))
    client = WireClient(*await asyncio.open_connection(sock=plug, limit=4096))
    yield client
    await client.close()


async def test_reply_is_written_as_one_line(line: SlowTransport) -> None:
    """One reply, one write, one newline at its end."""
    an_outbox(line, is_lossy=False).send(ANSWER)

    [written] = line.lines
    assert written.count(b"\n") == 1
    assert written.endswith(b"\n")


async def test_client_that_does_not_read_is_disconnected(
    deaf_client: WireClient, daemon: App, caplog: pytest.LogCaptureFixture
) -> None:
    """It has asked for more than it takes; the log says so, and others are served meanwhile."""
    request = b'{"request_id":"1","work_id":"sys","action":"pull","object":"sys.file./big"}'
    await deaf_client.send_bytes(request * 4)

    await eventually(lambda: "does not read" in caplog.text)

    async with tcp_client(daemon) as other:
        assert (await other.ask(work_id="sys", action="ping"))["error"]["code"] == 0
    with pytest.raises((EOFError, ConnectionError, ValueError)):
        await deaf_client.receive()


async def test_network_client_past_the_limit_is_hung_up_on(line: SlowTransport) -> None:
    """Nothing more is written to it, and it counts as gone."""
    outbox = an_outbox(line, is_lossy=False)

    send_many(outbox, DELTA, 20)

    assert line.is_aborted
    assert outbox.is_gone
    assert LIMIT_BYTES < line.unread < 2 * LIMIT_BYTES


async def test_lossy_line_loses_deltas_and_nothing_else(line: SlowTransport) -> None:
    """Past the limit deltas are dropped and counted; answers and finishes go out."""
    outbox = an_outbox(line, is_lossy=True)
    send_many(outbox, DELTA, 20)
    written = len(line.lines)

    outbox.send(ANSWER)
    outbox.send(FINISH)

    assert outbox.dropped_frames == 20 - written
    assert len(line.lines) == written + 2
    assert not line.is_aborted


async def test_lossy_line_speaks_again_once_it_is_read(line: SlowTransport) -> None:
    """The loss ends when the line has caught up."""
    outbox = an_outbox(line, is_lossy=True)
    send_many(outbox, DELTA, 20)
    written, dropped = len(line.lines), outbox.dropped_frames

    line.drain()
    outbox.send(DELTA)

    assert len(line.lines) == written + 1
    assert outbox.dropped_frames == dropped


async def test_line_that_nobody_reads_is_bounded(line: SlowTransport) -> None:
    """Even answers end somewhere, or one dead line would use up the memory."""
    outbox = an_outbox(line, is_lossy=True)

    send_many(outbox, ANSWER, 1000)

    assert line.unread < 5 * LIMIT_BYTES
    assert outbox.dropped_frames == 1000 - len(line.lines)


async def test_flood_of_losses_is_no_flood_of_log_lines(line: SlowTransport, caplog: pytest.LogCaptureFixture) -> None:
    """A thousand lost frames are told in about ten lines."""
    outbox = an_outbox(line, is_lossy=True)

    send_many(outbox, DELTA, 1000)

    assert 1 <= len(caplog.records) <= 10


async def test_client_that_is_gone_gets_nothing(line: SlowTransport) -> None:
    """What is sent after the end is dropped and counted, and harms nobody."""
    outbox = an_outbox(line, is_lossy=False)
    outbox.detach()

    outbox.send(ANSWER)

    assert outbox.is_gone
    assert (line.lines, outbox.dropped_frames) == ([], 1)


def test_a_client_is_not_read_while_anything_holds_it(line: SlowTransport) -> None:
    """Unread answers and uploads that are ahead: reading goes on when the last of them is over."""
    outbox = an_outbox(line, is_lossy=False)

    outbox.note_full()
    outbox.hold("asr.1000", is_held=True)
    outbox.note_room()
    was_read = line.is_read
    outbox.hold("asr.1000", is_held=False)

    assert (was_read, line.is_read) == (False, True)
