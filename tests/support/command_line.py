"""The installed console script `unitd`, started with pipes and ended when the test ends."""

import asyncio
import io
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import orjson
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.setups import KWS_SETUP
from tests.support.waiting import eventually
from unitd.__main__ import main

UNITD = str(Path(sys.executable).with_name("unitd"))
PING = '{"request_id":"1","work_id":"sys","action":"ping"}'
KWS = orjson.dumps({"request_id": "1", "work_id": "kws", "action": "setup", "data": KWS_SETUP}).decode()

STARTED: list[asyncio.subprocess.Process] = []
"""Every program that the present test has started; the conftest of tests/cli ends what is left."""


_HIDING = """
import sys

class Hiding:
    def __init__(self, finder):
        self._finder = finder

    def __getattr__(self, name):
        return getattr(self._finder, name)

    def find_spec(self, name, *more):
        return None if name == {!r} else self._finder.find_spec(name, *more)

sys.meta_path[:] = [Hiding(finder) for finder in sys.meta_path]
"""


def without(package: str, folder: Path) -> dict[str, str]:
    """Return the environment of a program that does not find this package."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(_HIDING.format(package))
    return {"PYTHONPATH": str(folder)}


@dataclass(frozen=True)
class Finished:
    """Exit code and output of a program that has ended."""

    code: int
    out: str
    err: str


async def unitd(*arguments: str, stdin: str = "", environment: dict[str, str] | None = None) -> Finished:
    """Run `unitd` with a pipe at each end and wait for its end."""
    process = await start(*arguments, environment=environment)
    out, err = await process.communicate(stdin.encode())
    assert process.returncode is not None
    return Finished(process.returncode, out.decode(), err.decode())


async def unitd_in_process(*arguments: str) -> Finished:
    """Run `unitd` in a thread of the test, where a test is about what a command says and does, not about its process:
    the start of one takes longer than most commands."""
    return await asyncio.to_thread(unitd_here, *arguments)


def unitd_here(*arguments: str) -> Finished:
    """Run `unitd` and return how it ends, and what it prints meanwhile; its daemon must run in another thread."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main(arguments)
    return Finished(int(ended.value.code or 0), out.getvalue(), err.getvalue())


async def start(*arguments: str, environment: dict[str, str] | None = None) -> asyncio.subprocess.Process:
    """Start `unitd` without the user's own configuration."""
    process = await asyncio.create_subprocess_exec(
        UNITD,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"HOME": "/nonexistent", "PATH": "/usr/bin:/bin"} | (environment or {}),
        # A shell that runs the tests in the background ignores Ctrl-C, and programs inherit that.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    STARTED.append(process)
    return process


@asynccontextmanager
async def serving(config: Path, environment: dict[str, str] | None = None) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run `unitd serve` until it is ready; end it with SIGTERM unless the test has ended it."""
    process = await start("serve", "--config", str(config), environment=environment)
    try:
        await eventually(lambda: (config.parent / "state" / "endpoints.json").exists(), timeout=10)
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


@asynccontextmanager
async def client_of(config: Path) -> AsyncIterator[WireClient]:
    """Connect to that daemon's socket, where a test is not about a command: each takes as long to start as a daemon."""
    client = WireClient(*await asyncio.open_unix_connection(str(config.parent / "state" / "unitd.sock")))
    try:
        yield client
    finally:
        await client.close()


async def killed(daemon: asyncio.subprocess.Process, config: Path, number: int = signal.SIGKILL) -> None:
    """End that daemon with a signal; the file by which `serving` knows the next one is gone."""
    daemon.send_signal(number)
    await daemon.wait()
    (config.parent / "state" / "endpoints.json").unlink(missing_ok=True)
