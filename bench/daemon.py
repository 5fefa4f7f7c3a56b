"""`unitd serve` as a process that a measurement starts, watches, stops and kills; and clients of the JSON protocol."""

import asyncio
import itertools
import json
import signal
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import psutil

START_SECONDS = 30.0
LINE_BYTES = 2**24


class Client(ABC):
    """A client of the JSON protocol; a subclass transports its bytes."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    @abstractmethod
    async def write(self, data: bytes) -> None:
        """Send bytes."""

    @abstractmethod
    async def read(self) -> bytes:
        """Return the next line.

        Raises:
            EOFError: the daemon has closed the connection.
        """

    @abstractmethod
    async def close(self) -> None:
        """Close the connection."""

    async def send(self, **fields: Any) -> str:
        """Send one request; return its unique request_id."""
        request_id = f"{id(self):x}-{next(self._numbers)}"
        await self.write(json.dumps({"request_id": request_id} | fields).encode() + b"\n")
        return request_id

    async def receive(self) -> dict[str, Any]:
        """Return the next line as an object."""
        reply: dict[str, Any] = json.loads(await self.read())
        return reply

    async def ask(self, **fields: Any) -> dict[str, Any]:
        """Send a request; return the next line that answers it, and skip all others."""
        request_id = await self.send(**fields)
        while (reply := await self.receive())["request_id"] != request_id:
            pass
        return reply


class StreamClient(Client):
    """A client on TCP, a Unix socket, or a serial line."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        super().__init__()
        self._reader = reader
        self.writer = writer

    async def write(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def read(self) -> bytes:
        if not (line := await self._reader.readline()):
            raise EOFError("the daemon has hung up")
        return line

    def abort(self) -> None:
        """Drop the connection at once."""
        self.writer.transport.abort()

    async def close(self) -> None:
        self.writer.close()
        await asyncio.gather(self.writer.wait_closed(), return_exceptions=True)


class Daemon:
    """`unitd serve` on free ports, with its state and its log in a folder."""

    def __init__(self, folder: Path, tables: str = "", models: str = "[]", playback: str = "") -> None:
        """Take more tables of the configuration as TOML (`tables`), and the models folders as TOML (`models`)."""
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self._config = folder / "unitd.toml"
        self._config.write_text(
            f'[state]\ndir = "{folder}"\n[models]\ndir = {models}\n[tcp]\nport = 0\n[http]\nport = 0\n'
            f'[audio]\ncapture = ""\nplayback = "{playback}"\n[log]\nlevel = "warning"\n{tables}'
        )

    async def __aenter__(self) -> "Daemon":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Start the daemon and return when it is ready."""
        self._endpoints.unlink(missing_ok=True)
        command = [sys.executable, "-m", "unitd", "serve", "--config", str(self._config)]
        with (self._folder / "log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(*command, stderr=log)
        async with asyncio.timeout(START_SECONDS):
            while not self._endpoints.exists():
                if self._process.returncode is not None:
                    raise SystemExit(f"the daemon did not start:\n{self.log}")
                await asyncio.sleep(0.005)

    async def stop(self) -> None:
        """Stop the daemon in order; safe to call twice."""
        if self.is_alive:
            self._process.send_signal(signal.SIGTERM)
        await self._process.wait()

    async def kill(self) -> None:
        """Kill the daemon with `kill -9`."""
        self._process.kill()
        await self._process.wait()

    @property
    def pid(self) -> int:
        """Return the process id of the running daemon."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Return False when the daemon has ended."""
        return self._process.returncode is None

    @property
    def endpoints(self) -> dict[str, Any]:
        """Return the addresses on which the daemon listens."""
        found: dict[str, Any] = json.loads(self._endpoints.read_text())
        return found

    @property
    def log(self) -> str:
        """Return the warnings and errors since the first start."""
        return (self._folder / "log").read_text()

    async def client(self, door: str = "tcp") -> StreamClient:
        """Return a new connection over TCP or the Unix socket."""
        if door == "unix":
            return StreamClient(*await asyncio.open_unix_connection(self.endpoints["unix"], limit=LINE_BYTES))
        return StreamClient(*await asyncio.open_connection(*self.endpoints["tcp"], limit=LINE_BYTES))

    def children(self) -> list[psutil.Process]:
        """Return the unit programs."""
        return self._me.children()

    def memory(self) -> tuple[int, int]:
        """Return the resident bytes of the daemon and of its unit programs."""
        return self._me.memory_info().rss, sum(each.memory_info().rss for each in self.children())

    def descriptors(self) -> int:
        """Return the number of open files, sockets and pipes of the daemon."""
        return self._me.num_fds()

    @property
    def _me(self) -> psutil.Process:
        return psutil.Process(self.pid)

    @property
    def _endpoints(self) -> Path:
        return self._folder / "endpoints.json"
