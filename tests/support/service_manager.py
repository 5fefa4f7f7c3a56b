"""What a service manager does for the daemon: it reads notifications, passes sockets, starts and ends the program."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.command_line import UNITD
from tests.support.programs import PROGRAMS

LAUNCHER = str(PROGRAMS / "activate.py")


class Manager:
    """Reads the notifications of a daemon."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.setblocking(False)

    async def heard(self, assignment: str, timeout: float = 10) -> dict[str, str]:
        """Return the next message that holds this assignment, as a dictionary; drop the ones before it."""
        async with asyncio.timeout(timeout):
            while assignment not in (lines := (await self._next()).splitlines()):
                pass
        return dict(line.partition("=")[::2] for line in lines)

    def waiting(self) -> int:
        """Return how many messages wait, and drop them."""
        count = 0
        while True:
            try:
                self._socket.recv(65536)
            except BlockingIOError:
                return count
            count += 1

    async def _next(self) -> str:
        return (await asyncio.get_running_loop().sock_recv(self._socket, 65536)).decode()

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


@dataclass
class Daemon:
    """A started `unitd serve` and its log."""

    process: asyncio.subprocess.Process
    log: bytes = b""

    async def end(self) -> int:
        """Wait for the end and read the log; return the exit code."""
        _, self.log = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode


@asynccontextmanager
async def started(
    config: Path, environment: Mapping[str, str], passed: Mapping[str, socket.socket] | None = None
) -> AsyncIterator[Daemon]:
    """Start `unitd serve` with these variables and sockets; kill it if it still runs at the end."""
    command = [UNITD, "serve", "--config", str(config)]
    descriptors = [each.fileno() for each in (passed or {}).values()]
    if passed:
        names = ":".join(name.partition(" ")[0] for name in passed)  # "tcp 2" is a second tcp
        command = [sys.executable, LAUNCHER, names, *map(str, descriptors), "--", *command]
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        pass_fds=descriptors,
        env={"HOME": "/nonexistent", "PATH": "/usr/bin:/bin", **environment},
    )
    try:
        yield Daemon(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
