"""Covers logs, journal and subject: what a log line looks like, and what it says about its request."""

import asyncio
import json
import logging
import os
import socket
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import KWS
from tests.support.service_manager import Manager, started
from unitd.runtime.children.process import LAST_WORDS_BYTES
from unitd.runtime.log_context import LogContext, LogContextFilter, about
from unitd.service.journald import MAX_VALUE_BYTES, JournalHandler, encode_entry
from unitd.service.log_setup import (
    MAX_CHARACTERS,
    JsonFormatter,
    TextFormatter,
    start_logging,
)
from unitd.wire.errors import ConfigError

SUBJECT = LogContext("llm.1003", "tcp", "tcp 10.0.0.7:5123", "q7")


def record_of(message: str, level: int = logging.WARNING) -> logging.LogRecord:
    """One record, as a handler gets it."""
    record = logging.LogRecord("unitd.doors", level, "/src/doors.py", 12, message, None, None, "serve")
    LogContextFilter().filter(record)
    return record


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[socket.socket]:
    """The journal's end of its socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiving:
        receiving.bind(str(tmp_path / "journal"))
        receiving.setblocking(False)
        yield receiving


@pytest.fixture
def handler(journal: socket.socket) -> Iterator[JournalHandler]:
    """A handler that writes there."""
    handler = JournalHandler(Path(journal.getsockname()))
    yield handler
    handler.close()


def fields_in(datagram: bytes) -> dict[str, str]:
    """What the journal makes of a datagram: KEY=value, or KEY, a length of eight bytes, the value."""
    fields = {}
    while datagram:
        line, _, rest = datagram.partition(b"\n")
        if b"=" in line:
            name, _, value = line.partition(b"=")
        else:
            name, (length,) = line, struct.unpack_from("<Q", rest)
            value, rest = rest[8 : 8 + length], rest[9 + length :]
        fields[name.decode()] = value.decode()
        datagram = rest
    return fields


# For people


def test_a_line_names_its_request() -> None:
    """The task, the client and its request stand in brackets behind the words."""
    with about(SUBJECT):
        line = TextFormatter().format(record_of("it happened"))

    assert line.endswith("WARNING unitd.doors: it happened  [llm.1003, tcp 10.0.0.7:5123, request q7]")


def test_a_line_without_a_request_has_no_brackets() -> None:
    """A log line that belongs to no request has no context in brackets."""
    assert TextFormatter().format(record_of("ready")).endswith("unitd.doors: ready")


def test_a_client_cannot_write_lines_of_its_own() -> None:
    """Newlines are indented, control and format characters shown: one record begins one line at the margin."""
    with about(LogContext("llm", "tcp", "tcp 10.0.0.7:5123", "1\n12:00:00 ERROR   unitd: root was here\x1b[31m\r")):
        line = TextFormatter().format(record_of("a model\u2028named \x07\u202egnp.exe\U000e0041\u200d"))

    assert [each for each in line.split("\n") if not each.startswith("    ")] == [line.partition("\n")[0]]
    assert len(line.splitlines()) == 2
    assert not any(each in line for each in "\x1b\r\x07\u2028\u202e\U000e0041\u200d")
    assert "named \\x07\\u202egnp.exe\\U000e0041\\u200d" in line


@pytest.mark.parametrize("formatter", [TextFormatter(), JsonFormatter()])
def test_a_client_cannot_write_long_lines(formatter: logging.Formatter) -> None:
    """Of a long one stand the beginning and the end there; those of a program's last words are shorter."""
    line = formatter.format(record_of("begin " + "x" * 1_000_000 + " end"))

    assert "begin xx" in line
    assert "xx end" in line
    assert len(line) < MAX_CHARACTERS + 200
    assert MAX_CHARACTERS > LAST_WORDS_BYTES + 200


def test_a_traceback_keeps_its_last_line() -> None:
    """It is the one that names the mistake."""
    try:
        raise ValueError("x" * 1_000_000 + " was not understood")
    except ValueError:
        record = logging.LogRecord("unitd", logging.ERROR, "", 1, "a bug", None, sys.exc_info())
    line = TextFormatter().format(record)

    assert line.endswith("was not understood")
    assert len(line) < MAX_CHARACTERS + 200


# For programs


def test_a_json_line_says_the_same_by_keys() -> None:
    """One object on one line, whatever the words hold."""
    with about(SUBJECT):
        line = JsonFormatter().format(record_of('two\nlines, "quoted", half a pair \ud800'))

    assert "\n" not in line
    assert json.loads(line) | {"at": 0} == {
        "at": 0,
        "level": "warning",
        "logger": "unitd.doors",
        "message": 'two\nlines, "quoted", half a pair \ud800',
        "work_id": "llm.1003",
        "door": "tcp",
        "client": "tcp 10.0.0.7:5123",
        "request_id": "q7",
    }


def test_a_traceback_is_a_key() -> None:
    """It does not break the line."""
    record = record_of("a bug")
    try:
        raise ValueError("of ours")
    except ValueError:
        record.exc_info = sys.exc_info()

    line = JsonFormatter().format(record)

    assert json.loads(line)["traceback"].endswith("ValueError: of ours")
    assert "\n" not in line


async def test_the_daemon_logs_json_on_request(tmp_path: Path) -> None:
    """Every line parses; what a client caused names it, a child's own start names nobody."""
    config = tmp_path / "unitd.toml"
    config.write_text(
        f'[state]\ndir = "{tmp_path}/state"\n[models]\ndir = []\n[tcp]\nport = 0\n[http]\nenabled = false\n'
        '[audio]\ncapture = ""\nplayback = ""\n[log]\nformat = "json"\n'
    )
    manager = Manager(tmp_path / "notify")
    async with started(config, {"NOTIFY_SOCKET": str(manager.path)}) as daemon:
        await manager.heard("READY=1")
        reader, writer = await asyncio.open_unix_connection(tmp_path / "state/unitd.sock")
        writer.write(KWS.replace('"request_id":"1"', '"request_id":"q7"').encode())
        await reader.readline()
        daemon.process.terminate()
        await daemon.end()
        writer.close()
    manager.close()

    lines = [json.loads(line) for line in daemon.log.splitlines()]

    [caused] = [line for line in lines if line["message"].startswith("kws.1000")]
    assert (caused["door"], caused["request_id"], caused["work_id"]) == ("unix", "q7", "kws")
    assert caused["client"].startswith("unix ")
    [child] = [line for line in lines if "is ready (pid" in line["message"]]
    assert "request_id" not in child


# For the journal


def test_a_record_s_fields_can_be_searched(journal: socket.socket, handler: JournalHandler) -> None:
    """Priority, place in the source, and the request."""
    with about(SUBJECT):
        handler.handle(record_of("it happened"))

    fields = fields_in(journal.recv(65536))

    assert fields == {
        "MESSAGE": "it happened",
        "PRIORITY": "4",
        "SYSLOG_IDENTIFIER": "unitd",
        "CODE_FILE": "/src/doors.py",
        "CODE_LINE": "12",
        "CODE_FUNC": "serve",
        "UNITD_LOGGER": "unitd.doors",
        "UNITD_WORK_ID": "llm.1003",
        "UNITD_DOOR": "tcp",
        "UNITD_CLIENT": "tcp 10.0.0.7:5123",
        "UNITD_REQUEST_ID": "q7",
    }


@pytest.mark.parametrize(
    ("level", "priority"),
    [(logging.DEBUG, "7"), (logging.INFO, "6"), (logging.WARNING, "4"), (logging.ERROR, "3"), (logging.CRITICAL, "2")],
)
def test_levels_are_the_journal_s_priorities(
    journal: socket.socket, handler: JournalHandler, level: int, priority: str
) -> None:
    """journalctl -p warning shows warnings and errors."""
    handler.handle(record_of("it happened", level))

    assert fields_in(journal.recv(65536))["PRIORITY"] == priority


def test_a_newline_adds_no_field() -> None:
    """Such a value travels with its length."""
    entry = encode_entry({"MESSAGE": "a\nPRIORITY=0\nb", "UNITD_REQUEST_ID": "1\n_UID=0"})

    assert fields_in(entry) == {"MESSAGE": "a\nPRIORITY=0\nb", "UNITD_REQUEST_ID": "1\n_UID=0"}


def test_a_long_line_is_cut(journal: socket.socket, handler: JournalHandler) -> None:
    """A debug line may hold a whole frame; the journal gets what it would keep anyway."""
    handler.handle(record_of("x" * 1_000_000))

    message = fields_in(journal.recv(100_000))["MESSAGE"]

    assert message == "x" * MAX_VALUE_BYTES + f" ... ({1_000_000 - MAX_VALUE_BYTES} bytes more)"


def test_lines_that_the_journal_does_not_take_are_counted(journal: socket.socket, handler: JournalHandler) -> None:
    """The daemon does not wait for it; the next line says how many are missing."""
    sent = 0
    while handler.lost == 0:
        handler.handle(record_of("x" * 10_000))
        sent += 1
    for _ in range(sent - 1):
        journal.recv(65536)

    handler.handle(record_of("room again"))

    assert fields_in(journal.recv(65536))["MESSAGE"] == "room again (1 lines before this one were lost)"
    assert handler.lost == 0


def test_a_journal_that_was_started_anew_is_found(
    tmp_path: Path, journal: socket.socket, handler: JournalHandler
) -> None:
    """The new journal has another socket at the same path."""
    journal.close()
    (tmp_path / "journal").unlink()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as second:
        second.bind(str(tmp_path / "journal"))
        second.setblocking(False)

        handler.handle(record_of("it happened"))

        assert fields_in(second.recv(65536))["MESSAGE"] == "it happened"


# Which of them


@pytest.fixture
def root_logger() -> Iterator[logging.Logger]:
    """The root logger; what a test adds to it is taken away again."""
    root = logging.getLogger()
    level = root.level
    yield root
    for handler in [each for each in root.handlers if any(isinstance(f, LogContextFilter) for f in each.filters)]:
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)


def test_a_terminal_or_a_file_gets_text(root_logger: logging.Logger, tmp_path: Path) -> None:
    """A JOURNAL_STREAM that is not our standard error was meant for another process."""
    with (tmp_path / "log").open("w") as stream:
        start_logging("info", "auto", {"JOURNAL_STREAM": "1:1"}, stream)

        assert isinstance(root_logger.handlers[-1].formatter, TextFormatter)


@pytest.mark.skipif(Path("/run/systemd/journal/socket").exists(), reason="systemd's journal is here")
def test_a_journal_that_is_not_there_is_refused(root_logger: logging.Logger) -> None:
    """A configuration that asks for the journal by name fails without one."""
    with pytest.raises(ConfigError, match=r"log\.format is journal"):
        start_logging("info", "journal", {})


def test_standard_error_that_leads_to_the_journal_is_known(
    root_logger: logging.Logger, journal: socket.socket, tmp_path: Path
) -> None:
    """JOURNAL_STREAM names its device and inode; records go by the native protocol then."""
    with (tmp_path / "stream").open("w") as stream:
        status = os.fstat(stream.fileno())
        environment = {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}

        start_logging("info", "auto", environment, stream, Path(journal.getsockname()))
        logging.getLogger("unitd").info("ready")

        assert fields_in(journal.recv(65536))["MESSAGE"] == "ready"
