"""The journal's native protocol: one datagram per record, KEY=value lines, so that administrators can search by field.

`journalctl -u unitd UNITD_WORK_ID=llm.1003` shows the lines of one task. The daemon never waits for the journal: a
record that it refuses is lost, and the next line that it accepts gives the number of lost ones.
"""

import logging
import socket
import struct
from pathlib import Path

from unitd.runtime.log_context import LogContext

JOURNAL = Path("/run/systemd/journal/socket")

# The journal's own limit of a line (LineMax= in journald.conf), far below the size of a datagram.
MAX_VALUE_BYTES = 48 * 1024

PRIORITIES = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
"""Priorities of syslog(3) by the lowest level that has them; lower levels have 7, debug."""


class JournalHandler(logging.Handler):
    """Sends each record with its fields to the journal."""

    def __init__(self, path: Path = JOURNAL) -> None:
        """Connect to the journal's socket.

        Raises:
            OSError: no journal listens on the path.
        """
        super().__init__()
        self.lost = 0
        self._path = path
        self._socket = self._connected()

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record, or count it as lost."""
        lost = f" ({self.lost} lines before this one were lost)" if self.lost else ""
        try:
            self._send(encode_entry({"MESSAGE": self.format(record) + lost} | _fields_of(record)))
            self.lost = 0
        except OSError:
            self.lost += 1

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()
        super().close()

    def _send(self, entry: bytes) -> None:
        try:
            self._socket.send(entry)
        except ConnectionRefusedError:  # the journal was started anew
            self._socket.close()
            self._socket = self._connected()
            self._socket.send(entry)

    def _connected(self) -> socket.socket:
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            connected.setblocking(False)
            connected.connect(str(self._path))
        except OSError:
            connected.close()
            raise
        return connected


def _fields_of(record: logging.LogRecord) -> dict[str, str]:
    fields = {
        "PRIORITY": str(next((number for level, number in PRIORITIES if record.levelno >= level), 7)),
        "SYSLOG_IDENTIFIER": "unitd",
        "CODE_FILE": record.pathname,
        "CODE_LINE": str(record.lineno),
        "CODE_FUNC": record.funcName or "",
        "UNITD_LOGGER": record.name,
    }
    subject: LogContext | None = getattr(record, "subject", None)
    if subject is not None:
        fields |= {f"UNITD_{name.upper()}": value for name, value in subject._asdict().items()}
    return fields


def encode_entry(fields: dict[str, str]) -> bytes:
    """Return one datagram; a value with newlines is sent with its length, so that it cannot add a field."""
    return b"".join(_encoded(name, value) for name, value in fields.items())


def _encoded(name: str, value: str) -> bytes:
    encoded = value.encode(errors="replace")
    if len(encoded) > MAX_VALUE_BYTES:
        encoded = encoded[:MAX_VALUE_BYTES] + f" ... ({len(encoded) - MAX_VALUE_BYTES} bytes more)".encode()
    if b"\n" not in encoded:
        return name.encode() + b"=" + encoded + b"\n"
    return name.encode() + b"\n" + struct.pack("<Q", len(encoded)) + encoded + b"\n"
