"""The attacked daemon: clients and tokens for the attacker, and a record of its memory."""

import asyncio
import itertools
import json
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from bench.bystander import LLM
from bench.daemon import Daemon

SAMPLE_EVERY_SECONDS = 0.05
PATIENCE_SECONDS = 90.0
# `[limits] frame_bytes` twice: the bytes of the frame that is read, and the object made of them.
FRAME_MIB = 16.0
KEY_HEADER = "X-API-Key"


class Harm(Exception):
    """An attack achieved what it must not."""


class Wire:
    """A blocking client of the JSON protocol; the attacks run in a thread."""

    def __init__(self, connection: socket.socket) -> None:
        connection.settimeout(PATIENCE_SECONDS)
        self.socket = connection
        self._lines = connection.makefile("rb")
        self._numbers = itertools.count(1)

    def send(self, **fields: Any) -> str:
        """Send one request and return its request_id."""
        request_id = fields.pop("request_id", f"attack-{next(self._numbers)}")
        self.socket.sendall(json.dumps({"request_id": request_id} | fields).encode() + b"\n")
        return str(request_id)

    def receive(self) -> dict[str, Any]:
        """Return the next frame.

        Raises:
            EOFError: the daemon has closed the connection.
            TimeoutError: no frame came.
        """
        if not (line := self._lines.readline()):
            raise EOFError("the daemon has hung up")
        frame: dict[str, Any] = json.loads(line)
        return frame

    def ask(self, work_id: str, action: str, data: Any = None, **fields: Any) -> dict[str, Any]:
        """Return the frame that answers this request, or that refuses an unreadable one; skip all others."""
        request_id = self.send(work_id=work_id, action=action, data=data, **fields)
        while (frame := self.receive())["request_id"] not in (request_id, "0"):
            pass
        return frame

    def code(self, work_id: str, action: str, data: Any = None, **fields: Any) -> int:
        """Return the code that answers this request."""
        return int(self.ask(work_id, action, data, **fields)["error"]["code"])

    def first_frame(self, work_id: str, **fields: Any) -> float:
        """Ask a task and read its answer to the end; return the seconds to its first frame.

        Raises:
            Harm: the answer ends with an error.
        """
        began = time.perf_counter()
        request_id = self.send(work_id=work_id, action="inference", object="llm.utf-8", **fields)
        first = 0.0
        while True:
            frame = self.receive()
            if frame["request_id"] != request_id:
                continue
            first = first or time.perf_counter() - began
            if frame["error"]["code"]:
                raise Harm(f"an ordinary question is refused: {frame['error']}")
            if frame["data"]["finish"]:
                return first

    def close(self) -> None:
        """Close the connection."""
        self._lines.close()
        self.socket.close()


class Target:
    """A running daemon, as an attacker on the same machine sees it."""

    def __init__(self, daemon: Daemon, folder: Path) -> None:
        self.daemon = daemon
        self.folder = folder
        self.log = folder / "log"
        endpoints = daemon.endpoints
        self.tcp: tuple[str, int] = tuple(endpoints["tcp"])
        self.http: tuple[str, int] = tuple(endpoints["http"])
        self.unix: str = endpoints["unix"]

    def wire(self, token: str = "", source: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> Wire:
        """Return a client on TCP, from an address of the loopback network."""
        connection = socket.create_connection(self.tcp, PATIENCE_SECONDS, source_address=(source, 0))
        client = Wire(tls.wrap_socket(connection) if tls else connection)
        if token and (code := client.code("sys", "auth", {"token": token})):
            raise Harm(f"a right token is refused: {code}")
        return client

    def local(self) -> Wire:
        """Return a client on the Unix socket."""
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(PATIENCE_SECONDS)
        connection.connect(self.unix)
        return Wire(connection)

    def token(self, name: str, role: str, *limits: str) -> str:
        """Return a new token."""
        command = [sys.executable, "-m", "unitd", "token", "new", name, "--role", role, *limits]
        command += ["--config", str(self.folder / "unitd.toml")]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return next(word for word in said.split() if word.startswith("unitd_"))

    def set_up(self, client: Wire, unit: str = "llm", **data: Any) -> str:
        """Set up a task and return its work_id.

        Raises:
            Harm: the setup is refused.
        """
        reply = client.ask(unit, "setup", LLM | data if unit == "llm" else data)
        if reply["error"]["code"]:
            raise Harm(f"an ordinary setup is refused: {reply['error']}")
        return str(reply["work_id"])

    def states(self) -> dict[str, str]:
        """Return the state of every task."""
        client = self.local()
        rows = client.ask("sys", "lstask")["data"]
        client.close()
        return {row["work_id"]: row["state"] for row in rows}

    def programs(self, unit: str) -> list[psutil.Process]:
        """Return the unit's programs."""
        return [each for each in self.daemon.children() if unit in each.cmdline()]


def nothing(folder: Path) -> None:
    """Prepare nothing."""


@dataclass(frozen=True)
class Attack:
    """One attack and its budget."""

    name: str
    run: Callable[[Target], str]
    """Returns what came of it, for the table; raises Harm when that is not as it must be."""

    tables: str = ""
    """More of the configuration, as TOML; FOLDER stands for the state directory, also in the next two."""

    models: str = "[]"
    """Folders to look for models in, as TOML."""

    playback: str = ""
    """Where the sound of the daemon goes."""

    budget_mib: float = FRAME_MIB
    """Memory that the documentation allows for the attacked input."""

    kills: bool = False
    """True when the attack ends programs, so that answers of other clients may be cut, with -11."""

    has_bystander: bool = True
    prepare: Callable[[Path], None] = nothing


class Memory:
    """Samples of the resident bytes, of the daemon and of all its programs together."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._over = threading.Event()
        self.idle = self.peak = daemon.memory()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> "Memory":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._over.wait(SAMPLE_EVERY_SECONDS):
            try:
                now = self._daemon.memory()
            except psutil.NoSuchProcess:  # one of them has just ended
                continue
            self.peak = (max(self.peak[0], now[0]), max(self.peak[1], now[1]))


async def start_bystander(target: Target) -> asyncio.subprocess.Process:
    """Start `bench.bystander`; return its process when its tasks are set up."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.bystander", target.unix),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    if await process.stdout.readline() != b"ready\n":
        raise SystemExit(f"the bystander did not start:\n{target.daemon.log}")
    return process
