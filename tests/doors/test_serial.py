"""Covers serial: a whole daemon on a real pseudo-terminal, with the client at its other end."""

import asyncio
import logging
import os
import pty
import termios
import tty
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.wire_client import WireClient, text_of
from tests.support.daemon import running_app, tcp_client
from tests.support.programs.bad_unit import bad_unit
from tests.support.setups import LLM_SETUP
from tests.support.waiting import MS, eventually
from unitd.app import App
from unitd.doors.stream import serial as serial_door

# What termios.tcgetattr returns at these places.
CFLAG, OSPEED = 2, 5


class Cable:
    """A pseudo-terminal pair behind a stable device path, like an adapter under /dev/serial/by-id."""

    def __init__(self, device: Path) -> None:
        self.device = device
        self._reader: asyncio.ReadTransport | None = None
        self._client: WireClient | None = None
        self._far = -1

    async def plug(self) -> WireClient:
        """A new adapter appears; returns the client at its other end."""
        near, self._far = pty.openpty()
        tty.setraw(near)
        tty.setraw(self._far)
        self.device.symlink_to(os.ttyname(self._far))
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=32 * 1024 * 1024)
        incoming = asyncio.StreamReaderProtocol(reader)
        outgoing = asyncio.StreamReaderProtocol(asyncio.StreamReader())
        self._reader, _ = await loop.connect_read_pipe(lambda: incoming, os.fdopen(os.dup(near), "rb", 0))
        writer, _ = await loop.connect_write_pipe(lambda: outgoing, os.fdopen(near, "wb", 0))
        self._client = WireClient(reader, asyncio.StreamWriter(writer, outgoing, reader, loop))
        return self._client

    def unplug(self) -> None:
        """The adapter is gone: the daemon's end sees the line break."""
        if self._reader is None or self._client is None:
            return
        self.device.unlink()
        os.close(self._far)
        self._reader.close()
        self._client.writer.close()
        self._reader = self._client = None

    @property
    def speed(self) -> int:
        """The baud rate that the daemon set, as a termios constant."""
        return int(termios.tcgetattr(self._far)[OSPEED])

    @property
    def has_two_stop_bits(self) -> bool:
        """A pseudo-terminal keeps this flag; data bits and parity it does not."""
        return bool(termios.tcgetattr(self._far)[CFLAG] & termios.CSTOPB)


@pytest.fixture
async def cable(tmp_path: Path) -> AsyncIterator[Cable]:
    """A cable that is not plugged in yet."""
    cable = Cable(tmp_path / "ttyUSB0")
    yield cable
    cable.unplug()
    await asyncio.sleep(0)  # lets the closed transports go


@pytest.fixture
async def line(cable: Cable) -> WireClient:
    """The client at the other end of the line."""
    return await cable.plug()


@pytest.fixture
async def daemon(
    tmp_path: Path, cable: Cable, line: WireClient, no_blocking: None, caplog: pytest.LogCaptureFixture
) -> AsyncIterator[App]:
    """A daemon with a serial door at 115200 baud."""
    caplog.set_level(logging.INFO)
    async with running_app(tmp_path, {"serial": {"device": str(cable.device)}}, argv_for=bad_unit()) as app:
        await eventually(lambda: "is open at 115200 baud" in caplog.text)
        yield app


@pytest.fixture
def quick_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line may be silent in mid-object for a tenth of a second."""
    monkeypatch.setattr(serial_door, "SERIAL_IDLE_SECONDS", 100 * MS)


async def becomes_idle(client: WireClient) -> None:
    """Returns when the daemon's one task has nothing to do."""
    async with asyncio.timeout(10):
        while (await client.ask(work_id="sys", action="lstask"))["data"][0]["state"] != "idle":
            await asyncio.sleep(0.01)


async def replug(cable: Cable, log: pytest.LogCaptureFixture) -> WireClient:
    """Another adapter in the same place, once the daemon has opened it; the client at its other end."""
    log.clear()
    cable.unplug()
    line = await cable.plug()
    await eventually(lambda: "is open at" in log.text)
    return line


async def uartsetup(line: WireClient, **changes: Any) -> dict[str, Any]:
    """sys.uartsetup as the Arduino client sends it, and its reply."""
    data = {"baud": 115200, "data_bits": 8, "stop_bits": 1, "parity": "n"} | changes
    return await line.ask(work_id="sys", action="uartsetup", object="sys.uartsetup", data=data)


# The happy day


async def test_ping_is_answered(line: WireClient, daemon: App) -> None:
    """The serial line speaks the same wire."""
    assert (await line.ask(work_id="sys", action="ping"))["error"]["code"] == 0


async def test_request_in_single_bytes_is_answered(line: WireClient, daemon: App) -> None:
    """A UART delivers what it has."""
    for byte in b'{"request_id":"slow","work_id":"sys","action":"ping"}':
        await line.send_bytes(bytes([byte]))

    assert (await line.receive())["request_id"] == "slow"


async def test_task_answers_over_the_line(line: WireClient, daemon: App) -> None:
    """Setup, question, answer, and lstask names the door."""
    task = await line.setup("llm", LLM_SETUP)

    assert await line.answer(task, "hello over there") == "hello over there"
    [row] = (await line.ask(work_id="sys", action="lstask"))["data"]
    assert row["door"] == "serial"


@pytest.mark.parametrize("text", ["{brace", "brace}", "größe", "日本", "🎉", '"{\\"}'])
async def test_strings_are_safe_for_clients_that_count_braces(line: WireClient, daemon: App, text: str) -> None:
    """Braces inside strings and everything beyond ASCII go out as escapes."""
    task = await line.setup("llm", LLM_SETUP, response_format="llm.utf-8")

    await line.send(work_id=task, action="inference", object="llm.utf-8", data=text)

    written = await line.reader.readline()
    assert written.isascii()
    assert (written.count(b"{"), written.count(b"}")) == (2, 2)
    assert written.index(b'"data":"') > 0
    again = await line.ask(work_id=task, action="inference", object="llm.utf-8", data=text)
    assert again["data"] == text


@pytest.mark.parametrize("parity", ["n", 110], ids=str)
async def test_speed_changes_after_the_answer(cable: Cable, line: WireClient, daemon: App, parity: str | int) -> None:
    """The reply leaves at the old speed, the next request comes at the new one."""
    reply = await uartsetup(line, baud=921600, parity=parity)

    assert reply["error"]["code"] == 0
    await eventually(lambda: cable.speed == termios.B921600)
    assert (await line.ask(work_id="sys", action="ping"))["error"]["code"] == 0


async def test_stop_bits_change(cable: Cable, line: WireClient, daemon: App) -> None:
    """Two stop bits are set on the device."""
    await uartsetup(line, stop_bits=2)

    await eventually(lambda: cable.has_two_stop_bits)
    assert (await line.ask(work_id="sys", action="ping"))["error"]["code"] == 0


@pytest.mark.parametrize("change", [{"data_bits": 7}, {"parity": "e"}, {"parity": "o"}, {"parity": 101}], ids=str)
async def test_line_works_with_other_settings(
    line: WireClient, daemon: App, change: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """A pseudo-terminal may refuse these; the line must go on working in any case."""
    caplog.clear()
    await uartsetup(line, **change)

    await eventually(lambda: "baud now" in caplog.text or "does not take" in caplog.text)
    assert (await line.ask(work_id="sys", action="ping"))["error"]["code"] == 0


@pytest.mark.parametrize("change", [{"data_bits": 7}, {"parity": "e"}], ids=str)
async def test_settings_that_the_device_refuses_end_nothing(
    cable: Cable, line: WireClient, daemon: App, change: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """The daemon warns, and opens the line anew with what the device last took."""
    await uartsetup(line, **change)
    await eventually(lambda: "does not take" in caplog.text)

    line = await replug(cable, caplog)

    assert (await line.ask(work_id="sys", action="ping"))["error"]["code"] == 0


async def test_configured_speed_is_used_at_start(
    tmp_path: Path, cable: Cable, line: WireClient, no_blocking: None
) -> None:
    """serial.baud is what the line opens with."""
    async with running_app(tmp_path, {"serial": {"device": str(cable.device), "baud": 9600, "stop_bits": 2}}):
        await eventually(lambda: cable.speed == termios.B9600)

        assert cable.has_two_stop_bits


# The limits and the damage


async def test_incomplete_object_is_dropped_when_no_byte_follows(
    quick_idle: None, line: WireClient, daemon: App
) -> None:
    """Lost bytes cost one -2, then the line is usable."""
    await line.send_bytes(b'{"request_id":"1","work_')

    assert (await line.receive())["error"]["code"] == -2
    assert (await line.ask(work_id="sys", action="ping"))["error"]["code"] == 0


async def test_line_noise_between_objects_is_skipped(line: WireClient, daemon: App) -> None:
    """An adapter that is plugged in sends rubbish first."""
    await line.send_bytes(b"\x00\xff\xfe\r\n\x80AT\r\n")

    assert (await line.ask(work_id="sys", action="ping"))["error"]["code"] == 0


async def test_line_that_is_not_read_loses_deltas_only(
    line: WireClient, daemon: App, caplog: pytest.LogCaptureFixture
) -> None:
    """A long answer to a client that does not read: its finish arrives, in the middle frames are missing."""
    task = await line.setup("llm", LLM_SETUP)
    question = await line.infer(task, "word " * 3000)
    async with tcp_client(daemon) as other:
        await becomes_idle(other)

    frames = await line.frames(question)

    assert frames[-1]["data"] == {"delta": "", "finish": True, "index": 3000}
    assert 0 < len(frames) < 3000
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


async def test_line_that_is_missing_at_start_is_waited_for(
    tmp_path: Path, cable: Cable, no_blocking: None, caplog: pytest.LogCaptureFixture
) -> None:
    """The daemon runs without the adapter, complains once, and opens it when it appears."""
    async with running_app(tmp_path, {"serial": {"device": str(cable.device)}}):
        await eventually(lambda: "cannot be opened" in caplog.text)

        caplog.set_level(logging.INFO)
        line = await cable.plug()
        await eventually(lambda: "is open at" in caplog.text)

        assert (await line.ask(work_id="sys", action="ping"))["error"]["code"] == 0
    assert caplog.text.count("cannot be opened") == 1


async def test_line_is_opened_again_and_its_tasks_are_there(
    cable: Cable, line: WireClient, daemon: App, caplog: pytest.LogCaptureFixture
) -> None:
    """Unplugging ends no task."""
    task = await line.setup("llm", LLM_SETUP)

    line = await replug(cable, caplog)

    assert (await line.ask(work_id="llm", action="taskinfo"))["data"] == [task]
    assert await line.answer(task, "back again") == "back again"


async def test_new_speed_outlives_unplugging(
    cable: Cable, line: WireClient, daemon: App, caplog: pytest.LogCaptureFixture
) -> None:
    """uartsetup counts for as long as the daemon runs."""
    await uartsetup(line, baud=9600)
    await eventually(lambda: cable.speed == termios.B9600)

    line = await replug(cable, caplog)
    await line.ask(work_id="sys", action="ping")

    assert cable.speed == termios.B9600


async def test_half_object_is_forgotten_with_its_line(
    cable: Cable, line: WireClient, daemon: App, caplog: pytest.LogCaptureFixture
) -> None:
    """What was begun before unplugging does not swallow what comes afterwards."""
    await line.ask(work_id="sys", action="ping")
    await line.send_bytes(b'{"request_id":"1","data":"')

    line = await replug(cable, caplog)

    assert (await line.ask(work_id="sys", action="ping"))["error"]["code"] == 0


async def test_lost_line_cuts_what_it_asked_for(
    cable: Cable, line: WireClient, daemon: App, caplog: pytest.LogCaptureFixture
) -> None:
    """An answer that nobody can hear is not computed to its end."""
    task = await line.setup("llm", LLM_SETUP)
    await line.infer(task, "tick", request_id="before")
    await line.receive()

    line = await replug(cable, caplog)

    await becomes_idle(line)
    assert text_of(await line.frames(await line.infer(task, "next", request_id="after"))) == "next"


# The goodbye


async def test_stopping_daemon_closes_the_device(
    tmp_path: Path, cable: Cable, line: WireClient, no_blocking: None, caplog: pytest.LogCaptureFixture
) -> None:
    """The next daemon finds the line free and working."""
    caplog.set_level(logging.INFO)
    document = {"serial": {"device": str(cable.device)}}
    async with running_app(tmp_path / "first", document):
        await eventually(lambda: caplog.text.count("is open at") == 1)

    async with running_app(tmp_path / "second", document):
        await eventually(lambda: caplog.text.count("is open at") == 2)
        assert (await line.ask(work_id="sys", action="ping"))["error"]["code"] == 0
