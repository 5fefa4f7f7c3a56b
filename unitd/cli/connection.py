"""The connection of commands to the daemon's Unix socket, and errors that end a command."""

import argparse
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import orjson

from unitd.core.visible import SHOWN_IN_TEXT
from unitd.settings import load_settings
from unitd.wire.errors import ConfigError

# The socket of systemd/unitd.service.
SERVICE_SOCKET = Path("/run/unitd/unitd.sock")


# Opening a sound device takes some tenths of a second.
DEVICE_SECONDS, DEVICE_POLL_SECONDS = 2.0, 0.05
# The daemon closes the connection after it has ended the tasks; a model that still loads delays that.
GOODBYE_SECONDS = 5.0
DAEMON_GONE = "the daemon closed the connection"


def fail(words: str) -> NoReturn:
    """Print a sentence to stderr and exit with 1."""
    sys.stderr.write(f"unitd: {words.translate(SHOWN_IN_TEXT)}\n")
    raise SystemExit(1)


def read_file(file: Path) -> bytes:
    """Return the content of a file; exit with a sentence if it cannot be read."""
    try:
        return file.read_bytes()
    except OSError as error:
        fail(f"{file}: {error.strerror}")


def read_text(file: Path) -> str:
    """Return the text of a file; exit with a sentence if it cannot be read."""
    try:
        return read_file(file).decode()
    except UnicodeDecodeError:
        fail(f"{file} is no text in UTF-8")


class DaemonConnection:
    """A connection to the running daemon."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        """Connect to `--socket`, else to the configured socket; exit if no daemon listens."""
        path = socket_of(arguments)
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(str(path))
        except PermissionError:
            fail(f"this user may not use {path}; for the service's: sudo usermod -aG unitd $USER, then log in again")
        except OSError as error:
            fail(f"no daemon listens on {path} ({error.strerror}); start it with: unitd serve")
        self._buffer = b""

    def close(self) -> None:
        """Close the connection and return after the daemon has ended the tasks of this program."""
        with self._socket, suppress(OSError):  # a daemon that has stopped has ended them
            self._socket.settimeout(GOODBYE_SECONDS)
            self._socket.shutdown(socket.SHUT_WR)
            while self._socket.recv(65536):
                pass

    def send(self, request: bytes | dict[str, Any]) -> None:
        """Send one request; exit if the daemon is gone."""
        try:
            self._socket.sendall(request if isinstance(request, bytes) else orjson.dumps(request))
        except (BrokenPipeError, ConnectionResetError):
            fail(DAEMON_GONE)

    def line(self, timeout: float | None = None) -> bytes:
        """Return the next line; exit if the daemon is gone or no line comes in time."""
        self._socket.settimeout(timeout)
        while b"\n" not in self._buffer:
            try:
                data = self._socket.recv(65536)
            except TimeoutError:
                fail(f"no answer within {timeout:g} s")
            except ConnectionResetError:
                fail(DAEMON_GONE)
            if not data:
                fail(DAEMON_GONE)
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def replies(self, timeout: float | None = None) -> Iterator[dict[str, Any]]:
        """Yield every message from now on."""
        while True:
            yield orjson.loads(self.line(timeout))

    def replies_to(self, request_id: str, timeout: float | None = None) -> Iterator[dict[str, Any]]:
        """Yield the messages that answer a request; exit if one is an error."""
        for reply in self.replies(timeout):
            if reply["request_id"] == request_id:
                if reply["error"]["code"]:
                    fail(reply["error"]["message"])
                yield reply

    def ask(self, timeout: float = 60.0, **fields: Any) -> dict[str, Any]:
        """Send a request and return its reply; exit if that is an error."""
        request = {"request_id": "cli", "work_id": "sys"} | fields
        self.send(request)
        return next(self.replies_to(request["request_id"], timeout))

    def set_up(self, unit: str, data: dict[str, Any]) -> str:
        """Set up a task that ends with this program, and return its work_id.

        If another model answers in place of the wanted one, stderr gets a line about it.
        """
        data = data | {"temporary": True, "frame_interval_ms": 0}
        work_id: str = self.ask(work_id=unit, action="setup", data=data)["work_id"]
        for task in self.ask(action="lstask")["data"]:
            if task["work_id"] == work_id and "note" in task:
                sys.stderr.write(f"unitd: {task['note'].translate(SHOWN_IN_TEXT)}\n")
        return work_id


def socket_of(arguments: argparse.Namespace) -> Path:
    """Return the path of `--socket`, else of the configured socket."""
    chosen: Path | None = arguments.socket
    if chosen is not None:
        return chosen
    try:
        path = load_settings(arguments.config).unix.path
    except ConfigError as error:
        fail(str(error))
    assert path is not None
    return find_socket(path, arguments.config)


def is_listened_to(path: Path) -> bool:
    """Return whether a daemon listens on a socket."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


def find_socket(path: Path, config: Path | None) -> Path:
    """Return the configured path; that of the service if this user runs no daemon and names no configuration."""
    is_users_own = config is None and not path.exists()
    return SERVICE_SOCKET if is_users_own and SERVICE_SOCKET.exists() else path


def is_last(reply: dict[str, Any]) -> bool:
    """Return True for a plain reply and the last frame of a stream; a tool call is never the last."""
    if reply["object"] == "llm.tool_call":
        return False
    data = reply["data"]
    return bool(reply["error"]["code"]) or not isinstance(data, dict) or bool(data.get("finish", True))


def say_what_is_missing(connection: DaemonConnection, which: str) -> None:
    """Print a line to stderr if the board's microphone (capture) or loudspeaker (playback) cannot be used."""
    given_up = time.monotonic() + DEVICE_SECONDS
    while True:
        device = connection.ask(work_id="audio", action="audio_status")["data"][which]
        if device["state"] != "idle" or time.monotonic() > given_up:
            break
        time.sleep(DEVICE_POLL_SECONDS)  # it has not been tried yet
    if device["state"] in ("missing", "lost"):
        sys.stderr.write(f"unitd: {device['reason']}; it is used as soon as it is there\n")
